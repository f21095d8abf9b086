#!/usr/bin/env python3
"""Every controller at work at once, and kill -9 at moments that a seed picks: whatever was under way, what is asked for is reached, and nothing is left over.

    SEED=7 python3 tests/controllers/test_killed.py        one seed
"""
import os
import pathlib
import random
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
from lib.cox import Server, tap, wait_for  # noqa: E402
from player import Player  # noqa: E402

PATIENCE = float(os.environ.get("PATIENCE", "120"))
SEEDS = [int(os.environ["SEED"])] if "SEED" in os.environ else [1, 2, 3]
NS = "work"
CORE, APPS, BATCH = f"/api/v1/namespaces/{NS}", f"/apis/apps/v1/namespaces/{NS}", f"/apis/batch/v1/namespaces/{NS}"
CLAIMS = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]


def template(app, image="img:1", **spec):
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": image}], "tolerations": [{"operator": "Exists"}], **spec}}


def workload(kind, name, api="apps/v1", **spec):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"app": name}}, "template": template(name), **spec}}


def items(s, path):
    return s.get(path).json["items"]


def pods(s, app):
    return sorted((p for p in items(s, f"{CORE}/pods?labelSelector=app%3D{app}")), key=lambda p: p["metadata"]["name"])


def kill_at(s, dice, longest=0.4):
    time.sleep(dice.uniform(0, longest))
    s.kill()
    s.start()


def image_to(s, path, image):
    s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}})


def all_run(s, app, image, n):
    have = pods(s, app)
    return len(have) == n and all(p["spec"]["containers"][0]["image"] == image and p["status"].get("phase") == "Running" and not p["metadata"].get("deletionTimestamp") for p in have)


def status(s, path):
    obj = s.get(path).json
    st = obj.get("status", {})
    return st if st.get("observedGeneration") == obj["metadata"].get("generation") else {}


def start_everything(s):
    s.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NS}})
    delete = {"whenDeleted": "Delete", "whenScaled": "Delete"}
    s.post(f"{APPS}/deployments", workload("Deployment", "web", replicas=4))
    s.post(f"{APPS}/statefulsets", workload("StatefulSet", "db", replicas=3, serviceName="db", volumeClaimTemplates=CLAIMS, persistentVolumeClaimRetentionPolicy=delete))
    s.post(f"{APPS}/daemonsets", workload("DaemonSet", "log"))
    s.post(f"{CORE}/services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}})
    s.post("/apis/policy/v1/namespaces/work/poddisruptionbudgets", {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"},
                                                                     "spec": {"minAvailable": 3, "selector": {"matchLabels": {"app": "web"}}}})
    job = {"completions": 12, "parallelism": 4, "template": template("pi", restartPolicy="Never")}
    s.post(f"{BATCH}/jobs", {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "pi"}, "spec": job})


def test_seed(seed):
    dice = random.Random(seed)
    fate = lambda pod: "Succeeded" if pod["metadata"]["labels"]["app"] == "pi" else "Running"  # noqa: E731
    with Server() as s, Player(s, fate=fate) as p:
        for n in range(2, 4):
            s.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{n}"}})
        del p
        start_everything(s)
        for _ in range(3):
            kill_at(s, dice)
        for turn in (2, 3):
            for kind, name in (("deployments", "web"), ("statefulsets", "db"), ("daemonsets", "log")):
                image_to(s, f"{APPS}/{kind}/{name}", f"img:{turn}")
            s.patch(f"{APPS}/statefulsets/db/scale", {"spec": {"replicas": 2 if turn == 2 else 4}})
            for _ in range(3):
                kill_at(s, dice)
        ok = lambda what, check: tap.ok(f"seed {seed}: {what}", wait_for(check, PATIENCE, 0.1), s.get(f"{CORE}/pods").text[:3000])  # noqa: E731
        ok("the Deployment is rolled out", lambda: all_run(s, "web", "img:3", 4) and status(s, f"{APPS}/deployments/web").get("updatedReplicas") == 4)
        ok("the StatefulSet is", lambda: all_run(s, "db", "img:3", 4) and status(s, f"{APPS}/statefulsets/db").get("updatedReplicas") == 4)
        ok("its claims are there", lambda: sorted(c["metadata"]["name"] for c in items(s, f"{CORE}/persistentvolumeclaims") if not c["metadata"].get("deletionTimestamp")) == [f"data-db-{i}" for i in range(4)])
        ok("the DaemonSet is on each node", lambda: all_run(s, "log", "img:3", 3) and sorted(i["spec"]["nodeName"] for i in pods(s, "log")) == ["node-1", "node-2", "node-3"])
        ok("the Job is complete", lambda: any(c["type"] == "Complete" for c in s.get(f"{BATCH}/jobs/pi").json.get("status", {}).get("conditions", [])))
        tap.eq(f"seed {seed}: and counted each pod once", [s.get(f"{BATCH}/jobs/pi").json["status"].get("succeeded"), len(pods(s, "pi"))], [12, 12])
        ok("the budget is right", lambda: s.get("/apis/policy/v1/namespaces/work/poddisruptionbudgets/web").json["status"].get("disruptionsAllowed") == 1)
        s.delete(f"{APPS}/statefulsets/db")
        kill_at(s, dice)
        ok("claims go with the set", lambda: not items(s, f"{CORE}/persistentvolumeclaims") and not pods(s, "db"))
        s.delete(f"/api/v1/namespaces/{NS}")
        for _ in range(2):
            kill_at(s, dice)
        ok("the namespace empties itself", lambda: s.get(f"/api/v1/namespaces/{NS}").status == 404)
        left = [o["metadata"]["name"] for o in items(s, "/api/v1/pods") + items(s, "/apis/apps/v1/replicasets") + items(s, "/apis/apps/v1/controllerrevisions")]
        tap.eq(f"seed {seed}: nothing is left", left, [])


if __name__ == "__main__":
    for number in SEEDS:
        tap.run([test_seed], number)
    tap.done()
