#!/usr/bin/env python3
"""Workload controllers against a real server: the test plays the scheduler and the kubelet (player.py), kubectl and the API say what came of it."""
import calendar
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "clients"))
import kubectls  # noqa: E402
from lib.cox import PATIENCE, Server, pod, tap, wait_for  # noqa: E402
from player import Player  # noqa: E402

CORE = "/api/v1/namespaces/default"
APPS = "/apis/apps/v1/namespaces/default"
BATCH = "/apis/batch/v1/namespaces/default"


def template(app, image="img:1", **spec):
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": image}], **spec}}


def workload(kind, name, api="apps/v1", pods=None, **spec):
    full = {"selector": {"matchLabels": {"app": name}}, "template": template(name, **(pods or {})), **spec}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": full}


def pods_of(s, app, alive=True):
    items = s.get(f"{CORE}/pods?labelSelector=app%3D{app}").json["items"]
    return [p for p in items if not alive or (not p["metadata"].get("deletionTimestamp") and p["status"].get("phase") not in ("Succeeded", "Failed"))]


def names(items):
    return sorted(i["metadata"]["name"] for i in items)


def conditions(obj):
    return {c["type"]: c for c in obj.get("status", {}).get("conditions", [])}


def until(name, condition):
    return tap.ok(name, wait_for(condition, PATIENCE, 0.03), "waited in vain")


def made(name, response):
    return tap.ok(name, response.status == 201, response)


def settled(s, path, check):
    """The object once check(status) holds, with the generation that it has observed."""
    def look():
        obj = s.get(path).json
        status = obj.get("status", {})
        return obj if status.get("observedGeneration") == obj["metadata"].get("generation") and check(status) else None
    return wait_for(look, PATIENCE, 0.03)


def owner_of(obj):
    for ref in obj["metadata"].get("ownerReferences", []):
        if ref.get("controller"):
            return ref["kind"], ref["name"]
    return None


def stays(condition, seconds=0.5):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not condition():
            return False
        time.sleep(0.05)
    return True


# --- ReplicaSet, ReplicationController ------------------------------------------------------------------------------------------

def test_replicaset(s, p):
    path = f"{APPS}/replicasets/rs"
    made("a ReplicaSet is made", s.post(f"{APPS}/replicasets", workload("ReplicaSet", "rs", replicas=3)))
    rs = settled(s, path, lambda st: st.get("availableReplicas") == 3)
    tap.ok("three pods become available", rs, s.get(path))
    tap.eq("its status counts them", {k: rs["status"].get(k) for k in ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration")},
           {"replicas": 3, "fullyLabeledReplicas": 3, "readyReplicas": 3, "availableReplicas": 3, "observedGeneration": 1})
    items = pods_of(s, "rs")
    tap.eq("its pods say whose they are", [owner_of(i) for i in items], [("ReplicaSet", "rs")] * 3)
    gone = items[0]["metadata"]["name"]
    s.delete(f"{CORE}/pods/{gone}")
    until("a deleted pod is replaced", lambda: len(pods_of(s, "rs")) == 3 and gone not in names(pods_of(s, "rs")))
    s.patch(f"{path}/scale", {"spec": {"replicas": 6}})
    tap.ok("more pods after a scale", settled(s, path, lambda st: st.get("readyReplicas") == 6))
    s.patch(path, {"spec": {"replicas": 2}})
    tap.ok("fewer pods after a scale", settled(s, path, lambda st: st.get("replicas") == 2))
    until("the rest goes", lambda: len(pods_of(s, "rs", alive=False)) == 2)
    tap.eq("never more than wanted at once", p.most.get("rs", 0) <= 7, True)


def test_replicaset_failed_pod(s, p):
    p.fate = lambda pod: "Failed" if pod["metadata"]["name"] == first[0] else "Running"
    first = [None]
    s.post(f"{APPS}/replicasets", workload("ReplicaSet", "broken", replicas=2))
    until("two pods", lambda: len(pods_of(s, "broken")) == 2)
    first[0] = names(pods_of(s, "broken"))[0]
    until("a failed pod is replaced", lambda: len(pods_of(s, "broken")) == 2 and first[0] not in names(pods_of(s, "broken")))
    s.delete(f"{APPS}/replicasets/broken")
    until("pods go with their ReplicaSet", lambda: not pods_of(s, "broken", alive=False))


def test_replicaset_refused(s, p):
    """Pods that a node refuses as soon as they are made are not made without end."""
    p.fate = lambda pod: "Failed" if pod["metadata"].get("labels", {}).get("app") == "refused" else "Running"
    s.post(f"{APPS}/replicasets", workload("ReplicaSet", "refused", replicas=2))
    until("failed pods are replaced", lambda: len(pods_of(s, "refused", alive=False)) >= 4)
    count = lambda: len(pods_of(s, "refused", alive=False))  # noqa: E731
    until("but later and later", lambda: stays(lambda had=count(): count() == had, 1.5))
    tap.ok("so there are few", count() < 20, count())
    p.fate = lambda pod: "Running"
    tap.ok("and they run once they can", settled(s, f"{APPS}/replicasets/refused", lambda st: st.get("readyReplicas") == 2))
    s.delete(f"{APPS}/replicasets/refused")
    until("all of them go", lambda: not pods_of(s, "refused", alive=False))


def test_adoption(s, p):
    s.post(f"{CORE}/pods", pod("stray", labels={"app": "adopt"}))
    s.post(f"{APPS}/replicasets", workload("ReplicaSet", "adopt", replicas=2))
    until("a pod that fits is taken", lambda: owner_of(s.get(f"{CORE}/pods/stray").json) == ("ReplicaSet", "adopt"))
    until("and counts", lambda: len(pods_of(s, "adopt")) == 2)
    s.patch(f"{CORE}/pods/stray", {"metadata": {"labels": {"app": "other"}}})
    until("a pod that does not fit any more is let go", lambda: owner_of(s.get(f"{CORE}/pods/stray").json) is None)
    tap.ok("and is replaced", settled(s, f"{APPS}/replicasets/adopt", lambda st: st.get("readyReplicas") == 2))
    s.post(f"{CORE}/pods", pod("late", labels={"app": "adopt"}))
    until("one too many is taken and removed", lambda: s.get(f"{CORE}/pods/late").status == 404 and len(pods_of(s, "adopt")) == 2)
    s.delete(f"{CORE}/pods/stray")
    s.delete(f"{APPS}/replicasets/adopt")


def test_quota(s, p):
    s.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tight"}})
    s.post("/api/v1/namespaces/tight/resourcequotas", {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "2"}}})
    rs = workload("ReplicaSet", "many", replicas=5)
    rs["metadata"]["namespace"] = "tight"
    path = "/apis/apps/v1/namespaces/tight/replicasets"
    s.post(path, rs)
    until("a quota bounds the pods", lambda: conditions(s.get(f"{path}/many").json).get("ReplicaFailure", {}).get("reason") == "FailedCreate")
    tap.has("the condition says why", conditions(s.get(f"{path}/many").json)["ReplicaFailure"]["message"], "exceeded quota")
    tap.eq("what fits is made", len(s.get("/api/v1/namespaces/tight/pods").json["items"]), 2)
    s.patch("/api/v1/namespaces/tight/resourcequotas/q", {"spec": {"hard": {"pods": "10"}}})
    until("more room, more pods", lambda: len(s.get("/api/v1/namespaces/tight/pods").json["items"]) == 5)
    until("and the condition goes", lambda: "ReplicaFailure" not in conditions(s.get(f"{path}/many").json))
    s.delete("/api/v1/namespaces/tight")


def test_min_ready(s, p):
    s.post(f"{APPS}/replicasets", workload("ReplicaSet", "slow", replicas=1, minReadySeconds=2))
    path = f"{APPS}/replicasets/slow"
    tap.ok("ready comes first", settled(s, path, lambda st: st.get("readyReplicas") == 1))
    tap.ok("available after minReadySeconds", settled(s, path, lambda st: st.get("availableReplicas") == 1))
    s.delete(path)


def test_rc(s, p):
    body = {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "rc"}, "spec": {"replicas": 2, "selector": {"app": "rc"}, "template": template("rc")}}
    made("a ReplicationController is made", s.post(f"{CORE}/replicationcontrollers", body))
    path = f"{CORE}/replicationcontrollers/rc"
    tap.ok("its pods run", settled(s, path, lambda st: st.get("readyReplicas") == 2), s.get(path))
    s.patch(path, {"spec": {"replicas": 0}})
    until("and go", lambda: not pods_of(s, "rc", alive=False))


# --- Deployment -----------------------------------------------------------------------------------------------------------------

def deployment(name, replicas=3, image="img:1", **spec):
    return workload("Deployment", name, replicas=replicas, pods={"image": image}, **spec)


def sets_of(s, app):
    items = s.get(f"{APPS}/replicasets?labelSelector=app%3D{app}").json["items"]
    return sorted(items, key=lambda i: int(i["metadata"]["annotations"]["deployment.kubernetes.io/revision"]))


def images(s, app):
    return sorted({c["image"] for i in pods_of(s, app) for c in i["spec"]["containers"]})


def kubectl(s, *args):
    return s.kubectl(*args, binary=s.kubectl_program, timeout=PATIENCE)


def rolled_out(s, name, image, replicas):
    """At its end state: one set with all the pods, the others empty, the condition says so."""
    d = settled(s, f"{APPS}/deployments/{name}", lambda st: st.get("updatedReplicas") == replicas == st.get("replicas") == st.get("availableReplicas") and
                any(c["type"] == "Progressing" and c["reason"] == "NewReplicaSetAvailable" for c in st.get("conditions", [])))
    if not d:
        return False
    return wait_for(lambda: len(pods_of(s, name, alive=False)) == replicas and images(s, name) == [image], PATIENCE)


def test_deployment(s, p):
    path = f"{APPS}/deployments/web"
    made("a Deployment is made", s.post(f"{APPS}/deployments", deployment("web")))
    tap.ok("it is rolled out", rolled_out(s, "web", "img:1", 3), s.get(path))
    d = s.get(path).json
    tap.eq("its counts", {k: v for k, v in d["status"].items() if k.endswith("eplicas")}, {"replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3})
    tap.eq("its conditions", {t: (c["status"], c["reason"]) for t, c in conditions(d).items()},
           {"Available": ("True", "MinimumReplicasAvailable"), "Progressing": ("True", "NewReplicaSetAvailable")})
    sets = sets_of(s, "web")
    tap.eq("one ReplicaSet, its own", [(owner_of(i), i["spec"]["replicas"]) for i in sets], [(("Deployment", "web"), 3)])
    tap.ok("it is named after its template", sets[0]["metadata"]["name"] == "web-" + sets[0]["metadata"]["labels"]["pod-template-hash"])
    tap.eq("the first revision", d["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1")
    if s.kubectl_program:
        done = kubectl(s, "rollout", "status", "deployment/web")
        tap.has("kubectl rollout status", done.stdout + done.stderr, "successfully rolled out")


def test_rolling(s, p):
    path = f"{APPS}/deployments/web"
    p.most["web"] = 0
    s.patch(path, {"metadata": {"annotations": {"kubernetes.io/change-cause": "second"}}})
    s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "img:2"}]}}}})
    least = [3]

    def ready():
        n = len([i for i in pods_of(s, "web") if any(c["type"] == "Ready" and c["status"] == "True" for c in i["status"].get("conditions", []))])
        least[0] = min(least[0], n)
        return s.get(path).json["status"].get("updatedReplicas") == 3 and n == 3
    until("a new template is rolled out", ready)
    tap.ok("to its end", rolled_out(s, "web", "img:2", 3), s.get(path))
    tap.ok("with as many ready as maxUnavailable asks for", least[0] >= 3, least)
    tap.eq("two sets", [(i["metadata"]["annotations"]["deployment.kubernetes.io/revision"], i["spec"]["replicas"]) for i in sets_of(s, "web")], [("1", 0), ("2", 3)])
    if s.kubectl_program:
        done = kubectl(s, "rollout", "history", "deployment/web")
        tap.ok("kubectl rollout history", "1 " in done.stdout and "second" in done.stdout, done.stdout + done.stderr)
        done = kubectl(s, "rollout", "undo", "deployment/web")
        tap.has("kubectl rollout undo", done.stdout + done.stderr, "rolled back")
        done = kubectl(s, "rollout", "status", "deployment/web")
        tap.has("and its status", done.stdout + done.stderr, "successfully rolled out")
    else:
        s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "img:1"}]}}}})
    tap.ok("the first template is back", rolled_out(s, "web", "img:1", 3))
    tap.eq("as the third revision", [(i["metadata"]["annotations"]["deployment.kubernetes.io/revision"], i["spec"]["replicas"]) for i in sets_of(s, "web")], [("2", 0), ("3", 3)])


def test_pause(s, p):
    path = f"{APPS}/deployments/web"
    s.patch(path, {"spec": {"paused": True}})
    s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "img:3"}]}}}})
    until("a pause is told", lambda: conditions(s.get(path).json).get("Progressing", {}).get("reason") == "DeploymentPaused")
    s.patch(path, {"spec": {"replicas": 5}})
    until("a paused Deployment is scaled", lambda: len(pods_of(s, "web")) == 5)
    tap.eq("but not rolled", images(s, "web"), ["img:1"])
    s.patch(path, {"spec": {"paused": False}})
    tap.ok("it goes on afterwards", rolled_out(s, "web", "img:3", 5), s.get(path))


def test_proportional(s, p):
    path = f"{APPS}/deployments/prop"
    p.fate = lambda pod: "Unready" if pod["spec"]["containers"][0]["image"] == "img:2" else "Running"
    s.post(f"{APPS}/deployments", deployment("prop", 8, strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 2}}))
    tap.ok("eight pods", rolled_out(s, "prop", "img:1", 8))
    s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "img:2"}]}}}})
    sizes = lambda: [i["spec"]["replicas"] for i in sets_of(s, "prop")]
    until("a roll-out that does not get ready stops half-way", lambda: sizes() == [6, 4])
    tap.ok("and stays there", stays(lambda: sizes() == [6, 4]))
    s.patch(path, {"spec": {"replicas": 18}})
    until("a scale is shared by all sets", lambda: sizes() == [12, 8])
    p.fate = lambda pod: "Running"
    tap.ok("it ends when the pods get ready", rolled_out(s, "prop", "img:2", 18), s.get(path))
    s.delete(path)
    until("everything goes with a Deployment", lambda: not pods_of(s, "prop", alive=False) and not sets_of(s, "prop"))


def test_recreate(s, p):
    path = f"{APPS}/deployments/again"
    s.post(f"{APPS}/deployments", deployment("again", 3, strategy={"type": "Recreate"}))
    tap.ok("rolled out", rolled_out(s, "again", "img:1", 3))
    mixed = []
    p.fate = lambda pod: mixed.append(images(s, "again")) or "Running"
    s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "img:2"}]}}}})
    tap.ok("all new", rolled_out(s, "again", "img:2", 3), s.get(path))
    tap.ok("old and new never together", all(len(m) <= 1 for m in mixed), mixed)
    s.delete(path)


def test_deadline(s, p):
    path = f"{APPS}/deployments/stuck"
    p.fate = lambda pod: "Unready" if pod["metadata"].get("labels", {}).get("app") == "stuck" else "Running"
    s.post(f"{APPS}/deployments", deployment("stuck", 1, progressDeadlineSeconds=2))
    until("no progress is told", lambda: conditions(s.get(path).json).get("Progressing", {}).get("reason") == "ProgressDeadlineExceeded")
    tap.eq("as not progressing, not available", [conditions(s.get(path).json)[t]["status"] for t in ("Progressing", "Available")], ["False", "False"])
    if s.kubectl_program:
        done = kubectl(s, "rollout", "status", "deployment/stuck")
        tap.ok("kubectl rollout status fails", done.returncode != 0 and "exceeded its progress deadline" in done.stderr, done.stderr)
    p.fate = lambda pod: "Running"
    tap.ok("late is better than never", rolled_out(s, "stuck", "img:1", 1))
    s.delete(path)


def test_history_limit(s, p):
    path = f"{APPS}/deployments/short"
    s.post(f"{APPS}/deployments", deployment("short", 1, revisionHistoryLimit=1))
    for i in range(2, 5):
        tap.ok(f"template {i - 1}", rolled_out(s, "short", f"img:{i - 1}", 1))
        s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": f"img:{i}"}]}}}})
    tap.ok("the last one", rolled_out(s, "short", "img:4", 1))
    until("old sets go", lambda: [i["metadata"]["annotations"]["deployment.kubernetes.io/revision"] for i in sets_of(s, "short")] == ["3", "4"])
    s.delete(path)


def test_killed_in_a_rollout():
    """kill -9 in the middle of roll-outs: the end state is the same."""
    with Server() as s, Player(s) as p:
        s.post(f"{APPS}/deployments", deployment("web", 6))
        tap.ok("rolled out before", rolled_out(s, "web", "img:1", 6))
        for turn in range(2, 5):
            image = f"img:{turn}"
            s.patch(f"{APPS}/deployments/web", {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}})
            wait_for(lambda: image in images(s, "web") and len(images(s, "web")) > 1, 5, 0.005)
            for _ in range(2):
                s.kill()
                s.start()
            tap.ok(f"{image} is rolled out after a kill", rolled_out(s, "web", image, 6), s.get(f"{APPS}/deployments/web"))
            tap.eq("with the pods of one set", sorted(i["spec"]["replicas"] for i in sets_of(s, "web")), [0] * (turn - 1) + [6])
        tap.ok("never more than surge allows", p.most["web"] <= 6 + 2 + 6, p.most)


# --- Job --------------------------------------------------------------------------------------------------------------------------

def job(name, **spec):
    pods = template(name, restartPolicy="Never")
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"}, "spec": {"template": pods, **spec}}


def job_status(s, name):
    return s.get(f"{BATCH}/jobs/{name}").json.get("status", {})


def ended(s, name, how="Complete"):
    def look():
        c = conditions(s.get(f"{BATCH}/jobs/{name}").json).get(how, {})
        return c.get("reason") if c.get("status") == "True" else None
    return wait_for(look, PATIENCE, 0.03)


def free_of_finalizers(s, app):
    return wait_for(lambda: all("finalizers" not in i["metadata"] for i in pods_of(s, app, alive=False)), PATIENCE)


def by_app(**fates):
    return lambda pod: fates.get(pod["metadata"].get("labels", {}).get("app"), "Running")


def test_job(s, p):
    p.fate = by_app(pi="Succeeded")
    made("a Job is made", s.post(f"{BATCH}/jobs", job("pi", completions=7, parallelism=3)))
    tap.eq("it completes", ended(s, "pi"), "CompletionsReached")
    st = job_status(s, "pi")
    tap.eq("its counts", [st.get(k) for k in ("succeeded", "failed", "active", "uncountedTerminatedPods")], [7, None, None, {}])
    tap.ok("its times", st["startTime"] <= st["completionTime"])
    tap.eq("as many pods as completions", len(pods_of(s, "pi", alive=False)), 7)
    tap.ok("no more at once than parallelism", p.most.get("pi", 0) <= 3, p.most)
    tap.ok("nothing holds its pods", free_of_finalizers(s, "pi"))
    if s.kubectl_program:
        done = kubectl(s, "wait", "--for=condition=complete", "job/pi", f"--timeout={PATIENCE}s")
        tap.has("kubectl wait", done.stdout + done.stderr, "condition met")


def test_job_indexed(s, p):
    p.fate = by_app(idx="Succeeded")
    s.post(f"{BATCH}/jobs", job("idx", completions=5, parallelism=2, completionMode="Indexed"))
    tap.eq("an indexed Job completes", ended(s, "idx"), "CompletionsReached")
    tap.eq("with all indexes", job_status(s, "idx").get("completedIndexes"), "0-4")
    items = pods_of(s, "idx", alive=False)
    tap.eq("a pod for each", sorted(i["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] for i in items), list("01234"))
    tap.eq("that knows its index", {e["name"] for i in items for e in i["spec"]["containers"][0]["env"]}, {"JOB_COMPLETION_INDEX"})
    tap.eq("and has a name of its own", sorted(i["spec"]["hostname"] for i in items), [f"idx-{i}" for i in range(5)])


def test_job_elastic(s, p):
    """An indexed Job that grows and shrinks while it runs."""
    indexes = lambda: sorted(i["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] for i in pods_of(s, "el"))  # noqa: E731
    p.fate = by_app(el="Running")
    s.post(f"{BATCH}/jobs", job("el", completionMode="Indexed", completions=2, parallelism=2))
    until("two indexes", lambda: indexes() == ["0", "1"])
    s.patch(f"{BATCH}/jobs/el", {"spec": {"completions": 5, "parallelism": 5}})
    until("five", lambda: indexes() == ["0", "1", "2", "3", "4"])
    s.patch(f"{BATCH}/jobs/el", {"spec": {"completions": 3, "parallelism": 3}})
    until("the first three stay", lambda: indexes() == ["0", "1", "2"])
    p.fate = by_app(el="Succeeded")
    tap.eq("and it ends", ended(s, "el"), "CompletionsReached")
    tap.eq("without a failure", [job_status(s, "el").get(k) for k in ("succeeded", "failed", "completedIndexes")], [3, None, "0-2"])


def test_job_backoff(s, p):
    p.fate = by_app(bad="Failed", bad1="Failed")
    s.post(f"{BATCH}/jobs", job("bad", backoffLimit=0, completions=1))
    tap.eq("a Job fails at its limit", ended(s, "bad", "Failed"), "BackoffLimitExceeded")
    tap.eq("the failure is counted", job_status(s, "bad").get("failed"), 1)
    s.post(f"{BATCH}/jobs", job("bad1", backoffLimit=1))
    tap.eq("failed pods are replaced until the limit", ended(s, "bad1", "Failed"), "BackoffLimitExceeded")
    born = sorted(calendar.timegm(time.strptime(i["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ")) for i in pods_of(s, "bad1", alive=False))
    tap.ok("two pods, and the second not at once", len(born) == 2 and born[1] - born[0] >= 8, born)  # a back-off of 10 s, times are whole seconds
    tap.ok("nothing holds them", free_of_finalizers(s, "bad1"))


def test_job_failure_policy(s, p):
    rules = lambda action, code: {"rules": [{"action": action, "onExitCodes": {"operator": "In", "values": [code]}}]}
    p.fate = by_app(fp=("Failed", 42))
    s.post(f"{BATCH}/jobs", job("fp", backoffLimit=5, podFailurePolicy=rules("FailJob", 42)))
    tap.eq("an exit code fails a Job", ended(s, "fp", "Failed"), "PodFailurePolicy")
    tap.has("which says why", conditions(s.get(f"{BATCH}/jobs/fp").json)["Failed"]["message"], "failed with exit code 42 matching FailJob rule at index 0")
    first = []
    p.fate = lambda pod: ("Failed", 7) if pod["metadata"].get("labels", {}).get("app") == "ign" and (first or first.append(pod["metadata"]["name"]) or first)[0] == pod["metadata"]["name"] else \
        "Succeeded" if pod["metadata"].get("labels", {}).get("app") == "ign" else "Running"
    s.post(f"{BATCH}/jobs", job("ign", backoffLimit=0, podFailurePolicy=rules("Ignore", 7)))
    tap.eq("an ignored failure is no failure", ended(s, "ign"), "CompletionsReached")
    tap.eq("and is not counted", [job_status(s, "ign").get(k) for k in ("succeeded", "failed")], [1, None])
    p.fate = lambda pod: "Running" if pod["metadata"].get("labels", {}).get("app") != "per" else "Failed" if pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] == "1" else "Succeeded"
    s.post(f"{BATCH}/jobs", job("per", completions=3, parallelism=3, completionMode="Indexed", backoffLimitPerIndex=0))
    tap.eq("a limit for each index", ended(s, "per", "Failed"), "FailedIndexes")
    tap.eq("the others go on", [job_status(s, "per").get(k) for k in ("completedIndexes", "failedIndexes")], ["0,2", "1"])


def test_job_success_policy(s, p):
    p.fate = lambda pod: "Running" if pod["metadata"].get("labels", {}).get("app") != "lead" else "Succeeded" if pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] == "0" else "Running"
    s.post(f"{BATCH}/jobs", job("lead", completions=3, parallelism=3, completionMode="Indexed", successPolicy={"rules": [{"succeededIndexes": "0"}]}))
    tap.eq("a Job ends when its policy says so", ended(s, "lead"), "SuccessPolicy")
    tap.eq("with what succeeded", job_status(s, "lead").get("completedIndexes"), "0")
    until("the rest is stopped", lambda: not pods_of(s, "lead"))


def test_job_suspend(s, p):
    s.post(f"{BATCH}/jobs", job("sus", parallelism=2, completions=2, suspend=True))
    until("a suspended Job says so", lambda: conditions(s.get(f"{BATCH}/jobs/sus").json).get("Suspended", {}).get("status") == "True")
    tap.eq("and has no pods", pods_of(s, "sus"), [])
    s.patch(f"{BATCH}/jobs/sus", {"spec": {"suspend": False}})
    until("it begins", lambda: job_status(s, "sus").get("ready") == 2)
    s.patch(f"{BATCH}/jobs/sus", {"spec": {"suspend": True}})
    until("it stops", lambda: not pods_of(s, "sus", alive=False) and "startTime" not in job_status(s, "sus"))
    tap.eq("without failures", job_status(s, "sus").get("failed"), None)
    p.fate = by_app(sus="Succeeded")
    s.patch(f"{BATCH}/jobs/sus", {"spec": {"suspend": False}})
    tap.eq("and ends", ended(s, "sus"), "CompletionsReached")


def test_job_deadline_and_ttl(s, p):
    s.post(f"{BATCH}/jobs", job("late", activeDeadlineSeconds=1, ttlSecondsAfterFinished=3))
    tap.eq("a Job that runs too long fails", ended(s, "late", "Failed"), "DeadlineExceeded")
    tap.eq("and so does its pod", job_status(s, "late").get("failed"), 1)
    until("its pod is stopped", lambda: not pods_of(s, "late"))
    until("and it goes after its time", lambda: s.get(f"{BATCH}/jobs/late").status == 404)
    until("with its pods", lambda: not pods_of(s, "late", alive=False))


def test_job_lost_pods(s, p):
    """Whoever deletes pods, each is counted once."""
    p.fate = by_app(lost="Running")
    s.post(f"{BATCH}/jobs", job("lost", completions=4, parallelism=4, backoffLimit=6))
    until("four pods run", lambda: job_status(s, "lost").get("ready") == 4)
    s.delete(f"{CORE}/pods/{names(pods_of(s, 'lost'))[0]}")
    until("a deleted pod is a failure", lambda: job_status(s, "lost").get("failed") == 1)
    p.fate = by_app(lost="Succeeded")
    until("succeeded ones are counted", lambda: job_status(s, "lost").get("succeeded", 0) >= 3)
    for item in pods_of(s, "lost", alive=False):
        if item["status"]["phase"] == "Succeeded":
            s.delete(f"{CORE}/pods/{item['metadata']['name']}")
    tap.eq("and stay counted when they are gone", ended(s, "lost"), "CompletionsReached")
    tap.eq("exactly", [job_status(s, "lost").get(k) for k in ("succeeded", "failed")], [4, 1])
    s.delete(f"{BATCH}/jobs/lost", {"propagationPolicy": "Background"})
    until("everything goes", lambda: not pods_of(s, "lost", alive=False) and s.get(f"{BATCH}/jobs/lost").status == 404)


def test_job_managed_by(s, p):
    job = lambda name, manager: {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"managedBy": manager, "template": template(name, restartPolicy="Never")}}
    made("a Job that another controller runs", s.post(f"{BATCH}/jobs", job("theirs", "acme.example/queue")))
    made("and one that names ours", s.post(f"{BATCH}/jobs", job("named", "kubernetes.io/job-controller")))
    until("ours gets its pod", lambda: len(pods_of(s, "named", alive=False)) == 1)
    tap.ok("theirs gets neither pod nor status", stays(lambda: not pods_of(s, "theirs", alive=False) and not s.get(f"{BATCH}/jobs/theirs").json.get("status")))
    tap.eq("nobody takes it over", s.patch(f"{BATCH}/jobs/theirs", {"spec": {"managedBy": None}}).status, 422)
    for name in ("theirs", "named"):
        s.delete(f"{BATCH}/jobs/{name}", {"propagationPolicy": "Background"})
        until(f"{name} goes", lambda: s.get(f"{BATCH}/jobs/{name}").status == 404 and not pods_of(s, name, alive=False))


def test_killed_in_a_job():
    with Server() as s, Player(s, fate=lambda pod: "Succeeded") as p:
        s.post(f"{BATCH}/jobs", job("pi", completions=40, parallelism=8))
        for at in (5, 15, 25):
            wait_for(lambda: job_status(s, "pi").get("succeeded", 0) >= at, PATIENCE, 0.005)
            s.kill()
            s.start()
        tap.eq("a Job completes over kills", ended(s, "pi"), "CompletionsReached")
        tap.eq("with every pod counted once", [job_status(s, "pi").get("succeeded"), len(pods_of(s, "pi", alive=False))], [40, 40])
        tap.ok("and nothing holds them", free_of_finalizers(s, "pi"))


# --- DaemonSet --------------------------------------------------------------------------------------------------------------------

def node(name, labels=None, **spec):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}}, "spec": spec}


def add_node(s, name, labels=None):
    """New nodes are tainted until they are ready; nobody watches over these."""
    s.post("/api/v1/nodes", node(name, labels))
    s.patch(f"/api/v1/nodes/{name}", {"spec": {"taints": None}})


def nodes_of(s, app):
    return sorted(i["spec"].get("nodeName", "?") for i in pods_of(s, app))


def daemon_done(s, name, n, image="img:1"):
    st = settled(s, f"{APPS}/daemonsets/{name}", lambda st: st.get("numberAvailable", 0) == n == st["desiredNumberScheduled"] and st.get("updatedNumberScheduled", 0) == n)
    return st and wait_for(lambda: images(s, name) in ([image], []) and len(pods_of(s, name, alive=False)) == n, PATIENCE)


def test_daemonset(s, p):
    path = f"{APPS}/daemonsets/ds"
    for i in (1, 2, 3):
        add_node(s, f"d{i}", {"tier": "a" if i < 3 else "b"})
    made("a DaemonSet is made", s.post(f"{APPS}/daemonsets", workload("DaemonSet", "ds")))
    tap.ok("a pod on every node", daemon_done(s, "ds", 3) and nodes_of(s, "ds") == ["d1", "d2", "d3"], s.get(path))
    tolerated = {t["key"] for t in pods_of(s, "ds")[0]["spec"]["tolerations"]}
    tap.ok("that stays on nodes in trouble", {"node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable", "node.kubernetes.io/disk-pressure"} <= tolerated, tolerated)
    s.post("/api/v1/nodes", node("d4", {"tier": "a"}))
    tap.ok("none on a node that is not ready", stays(lambda: len(pods_of(s, "ds")) == 3))
    s.patch("/api/v1/nodes/d4", {"spec": {"taints": None}})
    tap.ok("a node that got ready gets one", daemon_done(s, "ds", 4) and "d4" in nodes_of(s, "ds"))
    s.patch("/api/v1/nodes/d4", {"spec": {"taints": [{"key": "x", "value": "y", "effect": "NoExecute"}]}})
    tap.ok("a taint drives it away", daemon_done(s, "ds", 3) and "d4" not in nodes_of(s, "ds"))
    s.patch("/api/v1/nodes/d4", {"spec": {"taints": None}})
    tap.ok("and back", daemon_done(s, "ds", 4))
    s.patch("/api/v1/nodes/d4", {"spec": {"unschedulable": True, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}})
    tap.ok("a cordoned node keeps its own", stays(lambda: len(pods_of(s, "ds")) == 4))
    gone = pods_of(s, "ds")[0]
    s.delete(f"{CORE}/pods/{gone['metadata']['name']}")
    until("a deleted pod comes back on its node", lambda: nodes_of(s, "ds") == ["d1", "d2", "d3", "d4"] and gone["metadata"]["name"] not in names(pods_of(s, "ds")))
    selecting = workload("DaemonSet", "few", pods={"nodeSelector": {"tier": "b"}})
    s.post(f"{APPS}/daemonsets", selecting)
    tap.ok("a node selector is obeyed", daemon_done(s, "few", 1) and nodes_of(s, "few") == ["d3"])
    s.patch("/api/v1/nodes/d3", {"metadata": {"labels": {"tier": "c"}}})
    tap.ok("also later", daemon_done(s, "few", 0))
    s.delete(f"{APPS}/daemonsets/few")


def test_daemonset_failing(s, p):
    """A node that refuses a daemon does not see one after another."""
    seen = set()

    def fate(pod):
        if pod["metadata"]["labels"].get("app") == "sick":
            seen.add(pod["metadata"]["uid"])
            return "Failed"
        return "Running"
    p.fate = fate
    add_node(s, "sick", {"only": "sick"})
    s.post(f"{APPS}/daemonsets", workload("DaemonSet", "sick", pods={"nodeSelector": {"only": "sick"}}))
    until("a failed daemon is replaced", lambda: len(seen) >= 3)
    ended_one = lambda: [i["metadata"]["uid"] for i in pods_of(s, "sick", alive=False) if i["status"].get("phase") == "Failed"]  # noqa: E731
    until("but later and later", lambda: ended_one() and stays(lambda had=ended_one(): had and ended_one() == had, 0.8))
    p.fate = lambda pod: "Running"
    tap.ok("and one that runs stays", daemon_done(s, "sick", 1), s.get(f"{APPS}/daemonsets/sick"))
    s.delete(f"{APPS}/daemonsets/sick")
    s.delete("/api/v1/nodes/sick")
    until("it goes", lambda: not pods_of(s, "sick", alive=False))


def test_daemonset_rolling(s, p):
    path = f"{APPS}/daemonsets/ds"
    change = lambda image, **strategy: s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}, **({"updateStrategy": strategy} if strategy else {})}})
    tap.ok("all are there", daemon_done(s, "ds", 4))
    change("img:2")
    tap.ok("a new template is rolled out", daemon_done(s, "ds", 4, "img:2"), s.get(path))
    tap.ok("not all at once", p.most.get("ds", 0) <= 4, p.most)
    revisions = lambda: sorted(r["revision"] for r in s.get(f"{APPS}/controllerrevisions?labelSelector=app%3Dds").json["items"])
    tap.eq("two revisions", revisions(), [1, 2])
    if s.kubectl_program:
        done = kubectl(s, "rollout", "status", "ds/ds")
        tap.has("kubectl rollout status", done.stdout + done.stderr, "successfully rolled out")
        done = kubectl(s, "rollout", "undo", "ds/ds")
        tap.has("kubectl rollout undo", done.stdout + done.stderr, "rolled back")
        tap.ok("brings the first template back", daemon_done(s, "ds", 4, "img:1"))
        until("as the newest revision", lambda: revisions() == [2, 3])
    p.most["ds"] = 0
    change("img:3", type="RollingUpdate", rollingUpdate={"maxSurge": 1, "maxUnavailable": 0})
    tap.ok("with surge", daemon_done(s, "ds", 4, "img:3"), s.get(path))
    tap.ok("one more at a time", 5 <= p.most.get("ds", 0) <= 6, p.most)
    change("img:4", type="OnDelete", rollingUpdate=None)
    tap.ok("OnDelete waits", stays(lambda: images(s, "ds") == ["img:3"]))
    s.delete(f"{CORE}/pods/{names(pods_of(s, 'ds'))[0]}")
    until("for a delete", lambda: images(s, "ds") == ["img:3", "img:4"])
    s.delete(path)
    until("pods and revisions go with it", lambda: not pods_of(s, "ds", alive=False) and not revisions())


# --- StatefulSet ------------------------------------------------------------------------------------------------------------------

def stateful(name, replicas=3, image="img:1", **spec):
    return workload("StatefulSet", name, replicas=replicas, serviceName=name, pods={"image": image}, **spec)


def stateful_done(s, name, n, image="img:1"):
    obj = settled(s, f"{APPS}/statefulsets/{name}", lambda st: st.get("readyReplicas", 0) == n == st["replicas"] and st.get("updatedReplicas", 0) == n and
                  st["currentRevision"] == st["updateRevision"])
    return obj and wait_for(lambda: names(pods_of(s, name, alive=False)) == [f"{name}-{i}" for i in range(n)] and images(s, name) in ([image], []), PATIENCE)


def test_statefulset(s, p):
    path = f"{APPS}/statefulsets/db"
    p.fate = lambda pod: "Unready" if pod["metadata"]["name"] == "db-1" else "Running"
    claims = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]
    made("a StatefulSet is made", s.post(f"{APPS}/statefulsets", stateful("db", volumeClaimTemplates=claims)))
    until("pods come in order", lambda: names(pods_of(s, "db")) == ["db-0", "db-1"])
    tap.ok("one that is not ready holds up the others", stays(lambda: names(pods_of(s, "db")) == ["db-0", "db-1"]))
    p.fate = lambda pod: "Running"
    tap.ok("all of them in the end", stateful_done(s, "db", 3), s.get(path))
    item = s.get(f"{CORE}/pods/db-2").json
    tap.eq("a pod knows its name and place", [item["spec"]["hostname"], item["spec"]["subdomain"], item["metadata"]["labels"]["apps.kubernetes.io/pod-index"]], ["db-2", "db", "2"])
    tap.eq("and has its own volume", [v["persistentVolumeClaim"]["claimName"] for v in item["spec"]["volumes"] if "persistentVolumeClaim" in v], ["data-db-2"])
    tap.eq("that was claimed", names(s.get(f"{CORE}/persistentvolumeclaims?labelSelector=app%3Ddb").json["items"]), ["data-db-0", "data-db-1", "data-db-2"])
    uid = item["metadata"]["uid"]
    s.delete(f"{CORE}/pods/db-2")
    until("a deleted pod comes back under its name", lambda: s.get(f"{CORE}/pods/db-2").json["metadata"].get("uid", uid) != uid)
    s.patch(path, {"spec": {"replicas": 1}})
    tap.ok("fewer", stateful_done(s, "db", 1))
    tap.eq("claims stay", len(s.get(f"{CORE}/persistentvolumeclaims?labelSelector=app%3Ddb").json["items"]), 3)
    s.patch(path, {"spec": {"replicas": 3}})
    tap.ok("more again", stateful_done(s, "db", 3))


def test_statefulset_rolling(s, p):
    path = f"{APPS}/statefulsets/db"
    image_of = lambda i: s.get(f"{CORE}/pods/db-{i}").json.get("spec", {}).get("containers", [{}])[0].get("image")
    s.patch(path, {"spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}}})
    s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "img:2"}]}}}})
    until("a partition bounds a roll-out", lambda: [image_of(i) for i in range(3)] == ["img:1", "img:1", "img:2"])
    uid = s.get(f"{CORE}/pods/db-0").json["metadata"]["uid"]
    s.delete(f"{CORE}/pods/db-0")
    until("a pod below it comes back", lambda: s.get(f"{CORE}/pods/db-0").json["metadata"].get("uid", uid) != uid)
    until("it keeps its template", lambda: settled(s, path, lambda st: st.get("readyReplicas") == 3 and st.get("currentReplicas") == 2) and [image_of(i) for i in range(3)] == ["img:1", "img:1", "img:2"])
    st = s.get(path).json["status"]
    tap.eq("the status counts both", [st.get("currentReplicas"), st.get("updatedReplicas"), st["currentRevision"] != st["updateRevision"]], [2, 1, True])
    s.patch(path, {"spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}}})
    tap.ok("without it all are replaced", stateful_done(s, "db", 3, "img:2"), s.get(path))
    if s.kubectl_program:
        done = kubectl(s, "rollout", "status", "sts/db")
        tap.has("kubectl rollout status", done.stdout + done.stderr, "complete")
        done = kubectl(s, "rollout", "undo", "sts/db")
        tap.has("kubectl rollout undo", done.stdout + done.stderr, "rolled back")
        tap.ok("brings the first template back", stateful_done(s, "db", 3, "img:1"))
    s.delete(path)
    until("pods go with it", lambda: not pods_of(s, "db", alive=False))


def test_statefulset_parallel(s, p):
    p.fate = lambda pod: "Pending"
    s.post(f"{APPS}/statefulsets", stateful("par", 4, podManagementPolicy="Parallel", ordinals={"start": 5}))
    until("parallel pods do not wait for each other", lambda: names(pods_of(s, "par")) == ["par-5", "par-6", "par-7", "par-8"])
    s.delete(f"{APPS}/statefulsets/par")
    until("and go", lambda: not pods_of(s, "par", alive=False))


CLAIMS = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]


def claims_of(s, app):
    return names(s.get(f"{CORE}/persistentvolumeclaims?labelSelector=app%3D{app}").json["items"])


def owners_of_claim(s, name):
    return [(r["kind"], r["name"]) for r in s.get(f"{CORE}/persistentvolumeclaims/{name}").json["metadata"].get("ownerReferences", [])]


def test_statefulset_claims(s, p):
    path = f"{APPS}/statefulsets/keep"
    policy = {"whenDeleted": "Delete", "whenScaled": "Delete"}
    s.post(f"{APPS}/statefulsets", stateful("keep", volumeClaimTemplates=CLAIMS, persistentVolumeClaimRetentionPolicy=policy))
    tap.ok("a set whose claims go with it", stateful_done(s, "keep", 3), s.get(path))
    tap.eq("it owns them", [owners_of_claim(s, f"data-keep-{i}") for i in range(3)], [[("StatefulSet", "keep")]] * 3)
    before = s.get(f"{CORE}/persistentvolumeclaims/data-keep-2").json["metadata"]["uid"]
    s.patch(path, {"spec": {"replicas": 1}})
    until("claims of pods that are scaled away go", lambda: claims_of(s, "keep") == ["data-keep-0"])
    s.patch(path, {"spec": {"replicas": 3}})
    tap.ok("more again", stateful_done(s, "keep", 3))
    tap.ok("with new claims", s.get(f"{CORE}/persistentvolumeclaims/data-keep-2").json["metadata"]["uid"] != before)
    s.delete(f"{CORE}/pods/keep-0")
    until("a pod that is deleted", lambda: stateful_done(s, "keep", 3))
    tap.eq("finds its claim", owners_of_claim(s, "data-keep-0"), [("StatefulSet", "keep")])
    s.patch(path, {"spec": {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain"}}})
    until("a policy that retains takes the owner away", lambda: [owners_of_claim(s, f"data-keep-{i}") for i in range(3)] == [[]] * 3)
    s.patch(path, {"spec": {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"}}})
    until("and one that deletes brings it back", lambda: [owners_of_claim(s, f"data-keep-{i}") for i in range(3)] == [[("StatefulSet", "keep")]] * 3)
    s.patch(path, {"spec": {"replicas": 1}})
    tap.ok("fewer", stateful_done(s, "keep", 1))
    tap.eq("their claims stay", claims_of(s, "keep"), [f"data-keep-{i}" for i in range(3)])
    s.delete(path)
    until("all claims go with the set", lambda: claims_of(s, "keep") == [])


def test_statefulset_claim_leaves(s, p):
    path = f"{APPS}/statefulsets/slow"
    s.post(f"{APPS}/statefulsets", stateful("slow", 1, volumeClaimTemplates=CLAIMS))
    tap.ok("a set with a claim", stateful_done(s, "slow", 1))
    claim = f"{CORE}/persistentvolumeclaims/data-slow-0"
    uid = s.get(claim).json["metadata"]["uid"]
    s.patch(claim, {"metadata": {"finalizers": ["test.example/hold"]}})
    s.delete(claim)
    s.delete(f"{CORE}/pods/slow-0")
    until("the pod goes", lambda: s.get(f"{CORE}/pods/slow-0").status == 404)
    tap.ok("no pod is made with a claim that is being deleted", stays(lambda: s.get(f"{CORE}/pods/slow-0").status == 404))
    s.patch(claim, {"metadata": {"finalizers": None}})
    tap.ok("but when it is gone", stateful_done(s, "slow", 1), s.get(path))
    tap.ok("with a new claim", s.get(claim).json["metadata"]["uid"] != uid)
    p.fate = lambda pod: "Pending"
    s.delete(f"{CORE}/pods/slow-0")
    until("a pod that waits", lambda: [i["status"].get("phase") for i in pods_of(s, "slow", alive=False)] == ["Pending"])
    uid = s.get(claim).json["metadata"]["uid"]
    s.patch(claim, {"metadata": {"finalizers": None}})
    s.delete(claim)
    s.patch(claim, {"metadata": {"finalizers": None}})
    until("a claim that its pod waits for is made again", lambda: s.get(claim).json.get("metadata", {}).get("uid", uid) != uid)
    p.fate = lambda pod: "Running"
    s.delete(path)
    until("it goes", lambda: not pods_of(s, "slow", alive=False))


def test_statefulset_max_unavailable(s, p):
    path = f"{APPS}/statefulsets/wide"
    s.post(f"{APPS}/statefulsets", stateful("wide", 5, podManagementPolicy="Parallel", updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "50%"}}))
    tap.ok("five pods", stateful_done(s, "wide", 5), s.get(path))
    p.fate = lambda pod: "Unready" if pod["spec"]["containers"][0]["image"] == "img:2" else "Running"
    s.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "img:2"}]}}}})
    two = lambda: [i["spec"]["containers"][0]["image"] for i in sorted(pods_of(s, "wide"), key=lambda i: i["metadata"]["name"])] == ["img:1"] * 3 + ["img:2"] * 2
    until("two of them are replaced at once", two)
    tap.ok("and not more while they are not ready", stays(two))
    p.fate = lambda pod: "Running"
    tap.ok("then the rest", stateful_done(s, "wide", 5, "img:2"), s.get(path))
    s.delete(path)
    until("they go", lambda: not pods_of(s, "wide", alive=False))


# --- CronJob ----------------------------------------------------------------------------------------------------------------------

def cron(name, schedule="* * * * *", **spec):
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name, "namespace": "default"},
            "spec": {"schedule": schedule, "jobTemplate": {"metadata": {"labels": {"cron": name}}, "spec": {"template": template(name, restartPolicy="Never")}}, **spec}}


def reasons(s, kind, name):
    return [e["reason"] for e in s.get(f"{CORE}/events?fieldSelector=involvedObject.kind%3D{kind},involvedObject.name%3D{name}").json["items"]]


def ago(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


def jobs_of(s, name):
    return s.get(f"{BATCH}/jobs?labelSelector=cron%3D{name}").json["items"]


def make_due(s, name, seconds=150):
    """As if it had run last a while ago: a run is due at once, whatever the second."""
    s.patch(f"{BATCH}/cronjobs/{name}/status", {"status": {"lastScheduleTime": ago(seconds)}})


def test_cronjob(s, p):
    path = f"{BATCH}/cronjobs/tick"
    p.fate = by_app(tick="Succeeded")
    made("a CronJob is made", s.post(f"{BATCH}/cronjobs", cron("tick", successfulJobsHistoryLimit=1)))
    make_due(s, "tick")
    until("a missed run is made up for, once", lambda: len(jobs_of(s, "tick")) >= 1)
    item = jobs_of(s, "tick")[0]
    tap.eq("its Job is its own", owner_of(item), ("CronJob", "tick"))
    at = item["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"]
    tap.ok("for a full minute, and named after it", at.endswith(":00Z") and item["metadata"]["name"].startswith("tick-"), item["metadata"])
    until("success is noted", lambda: s.get(path).json["status"].get("lastSuccessfulTime"))
    first = item["metadata"]["name"]
    s.delete(f"{BATCH}/jobs/{first}")
    make_due(s, "tick", 400)
    until("it runs again", lambda: any(j["metadata"]["name"] != first or j["metadata"]["uid"] != item["metadata"]["uid"] for j in jobs_of(s, "tick")))
    s.patch(path, {"spec": {"suspend": True}})
    count = len(jobs_of(s, "tick"))
    make_due(s, "tick", 400)
    tap.ok("a suspended one does not run", stays(lambda: len(jobs_of(s, "tick")) <= count))
    s.delete(path)
    until("its Jobs go with it", lambda: not jobs_of(s, "tick"))


def test_cronjob_policies(s, p):
    s.post(f"{BATCH}/cronjobs", cron("one", concurrencyPolicy="Forbid"))
    make_due(s, "one")
    until("the first runs", lambda: len(s.get(f"{BATCH}/cronjobs/one").json["status"].get("active", [])) == 1)
    first = jobs_of(s, "one")[0]["metadata"]["uid"]
    make_due(s, "one", 400)
    tap.ok("Forbid keeps the second away", stays(lambda: [j["metadata"]["uid"] for j in jobs_of(s, "one")] == [first], 1))
    until("and says so", lambda: "JobAlreadyActive" in reasons(s, "CronJob", "one"))
    s.delete(f"{BATCH}/cronjobs/one")
    s.post(f"{BATCH}/cronjobs", cron("new", concurrencyPolicy="Replace"))
    make_due(s, "new")
    until("one that replaces runs", lambda: len(s.get(f"{BATCH}/cronjobs/new").json["status"].get("active", [])) == 1)
    first = jobs_of(s, "new")[0]["metadata"]["uid"]
    until("Replace ends the first for the second", lambda: jobs_of(s, "new") and first not in [j["metadata"]["uid"] for j in jobs_of(s, "new")])
    s.delete(f"{BATCH}/cronjobs/new")
    s.post(f"{BATCH}/cronjobs", cron("lost", timeZone="Mars/Olympus"))
    until("a time zone that nobody knows is told", lambda: "UnknownTimeZone" in reasons(s, "CronJob", "lost"))
    s.delete(f"{BATCH}/cronjobs/lost")
    s.post(f"{BATCH}/cronjobs", cron("late", "0 0 1 1 *", startingDeadlineSeconds=10, timeZone="Europe/Berlin"))
    make_due(s, "late", 400 * 86400)
    tap.ok("too late is not run", stays(lambda: not jobs_of(s, "late"), 1))
    s.delete(f"{BATCH}/cronjobs/late")


REPLICAS = [test_replicaset, test_replicaset_failed_pod, test_replicaset_refused, test_adoption, test_quota, test_min_ready, test_rc]
DEPLOYMENTS = [test_deployment, test_rolling, test_pause, test_proportional, test_recreate, test_deadline, test_history_limit]
JOBS = [test_job, test_job_indexed, test_job_elastic, test_job_backoff, test_job_failure_policy, test_job_success_policy, test_job_suspend, test_job_deadline_and_ttl, test_job_lost_pods, test_job_managed_by]
DAEMONS = [test_daemonset, test_daemonset_rolling, test_daemonset_failing]
CRON = [test_cronjob, test_cronjob_policies]
STATEFUL = [test_statefulset, test_statefulset_rolling, test_statefulset_parallel, test_statefulset_claims, test_statefulset_claim_leaves, test_statefulset_max_unavailable]


def main():
    found = kubectls.find()
    kubectl = found[-1][0] if found else None
    with Server() as s, Player(s) as p:
        s.kubectl_program = kubectl
        for test in REPLICAS + DEPLOYMENTS + JOBS + DAEMONS + STATEFUL + CRON:
            p.fate = lambda pod: "Running"
            tap.run([test], s, p)
    tap.run([test_killed_in_a_rollout, test_killed_in_a_job])
    tap.done()


if __name__ == "__main__":
    main()
