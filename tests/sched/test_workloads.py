#!/usr/bin/env python3
"""Kubernetes' own gangs: Workload of scheduling.k8s.io/v1alpha1 and spec.workloadRef, with and without a queue."""
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, Server, tap, wait_for  # noqa: E402
from test_batch import GROUPS, PODS, add_node, add_queue, bound, clear, comes_to, cox, is_told, made, nodes_of  # noqa: E402

WORKLOADS = "/apis/scheduling.k8s.io/v1alpha1/namespaces/default/workloads"


def workload(name, **groups):
    return {"apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload", "metadata": {"name": name},
            "spec": {"podGroups": [{"name": g, "policy": {"gang": {"minCount": n}} if n else {"basic": {}}} for g, n in groups.items()]}}


def add(s, name, ref, gpus=1, labels=None, scheduler="default-scheduler"):
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": labels or {}}, "spec": {
        "workloadRef": ref, "schedulerName": scheduler, "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}]}}))


def ref(name, group, key=None):
    return {"name": name, "podGroup": group, **({"podGroupReplicaKey": key} if key else {})}


# --- tests -----------------------------------------------------------------------------------------------------------------------

def served(s):
    group = s.get("/apis/scheduling.k8s.io").json
    tap.eq("beside v1, which is preferred", ([v["version"] for v in group["versions"]], group["preferredVersion"]["version"]), (["v1", "v1alpha1"], "v1"))
    r = s.post(WORKLOADS, {**workload("odd"), "spec": {"podGroups": [{"name": "a", "policy": {}}]}})
    tap.ok("what cannot be is refused", r.status == 422 and "spec.podGroups[0].policy: Required value: must have one of: basic, gang" in r.json["message"], r)
    made(s.post(WORKLOADS, workload("kept", a=2)))
    r = s.patch(f"{WORKLOADS}/kept", {"spec": {"podGroups": [{"name": "a", "policy": {"gang": {"minCount": 3}}}]}})
    tap.ok("groups do not change", r.status == 422 and "immutable" in r.json["message"], r)
    r = s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "odd"}, "spec": {"workloadRef": {"name": "W", "podGroup": "a"}, "containers": [{"name": "c", "image": "x"}]}})
    tap.ok("a reference is checked", r.status == 422 and "spec.workloadRef.name" in r.json["message"], r)


def together(s):
    add(s, "w0", ref("train", "workers"))
    is_told(s, "w0", 'waiting for Workload train to be there and to have the group "workers"')
    made(s.post(WORKLOADS, workload("train", workers=3, driver=0)))
    ok = wait_for(lambda: "1 of at least 3 members created; waiting for 2 more" in cox(s, "why", "pod/w0"), PATIENCE)
    tap.ok("with it the gang lacks members", ok, cox(s, "why", "pod/w0"))
    add(s, "w1", ref("train", "workers"))
    add(s, "d0", ref("train", "driver"))
    tap.ok("a basic group does not wait for anybody", comes_to(s, "d0", 1), nodes_of(s))
    tap.eq("the gang is not complete", bound(s, "w"), 0)
    add(s, "w2", ref("train", "workers"))
    tap.ok("the third one starts them all", comes_to(s, "w", 3), nodes_of(s))
    tap.ok("the field is kept", s.get(f"{PODS}/w0").json["spec"]["workloadRef"] == ref("train", "workers"), s.get(f"{PODS}/w0"))
    add(s, "w3", ref("train", "workers"))
    tap.ok("one more follows", comes_to(s, "w", 4), nodes_of(s))
    clear(s)


def replicas(s):
    """8 GPUs: of two gangs of five only one fits, and it starts as a whole."""
    made(s.post(WORKLOADS, workload("many", workers=5)))
    for i in range(5):
        for key in ("0", "1"):
            add(s, f"r{key}-{i}", ref("many", "workers", key))
    tap.ok("one replica starts", wait_for(lambda: bound(s, "r") == 5, PATIENCE), nodes_of(s))
    tap.eq("as a whole, the other not at all", sorted((bound(s, "r0"), bound(s, "r1"))), [0, 5])
    other = "r1" if bound(s, "r0") else "r0"
    is_told(s, f"{other}-0", "of 5 members find room")
    for i in range(5):
        s.delete(f"{PODS}/{'r0' if other == 'r1' else 'r1'}-{i}?gracePeriodSeconds=0")
    tap.ok("when its place is free the other starts", comes_to(s, other, 5), nodes_of(s))
    clear(s)


def in_a_queue(s):
    add_queue(s, "small", limit=2)
    add_queue(s, "large", limit=8)
    made(s.post(WORKLOADS, workload("queued", workers=3)))
    for queue in ("small", "large"):
        for i in range(3):
            add(s, f"{queue}-{i}", ref("queued", "workers", queue), labels={"kai.scheduler/queue": queue}, scheduler="kai-scheduler")
    tap.ok("the gang of the large queue starts", comes_to(s, "large", 3), nodes_of(s))
    is_told(s, "small-0", 'queue "small" would pass its limit of 2 GPUs')
    tap.eq("no PodGroups were made for them", s.get(GROUPS).json["items"], [])
    tap.ok("cox why says the same", "would pass its limit" in cox(s, "why", "pod/small-0"), cox(s, "why", "pod/small-0"))
    clear(s)


def with_kubectl(s):
    if not shutil.which("kubectl"):
        tap.ok("kubectl # SKIP there is none", True)
        return
    def run(*words, text=None):
        done = subprocess.run(["kubectl", "--kubeconfig", s.kubeconfig, *words], input=text, capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout + done.stderr
    tap.ok("kubectl applies one", "workload.scheduling.k8s.io/applied created" in run("apply", "-f", "-", text=json.dumps(workload("applied", workers=2, driver=0))))
    tap.ok("and shows it", "applied" in run("get", "workloads"), run("get", "workloads"))
    tap.ok("and explains the fields", "minCount" in run("explain", "workload.spec.podGroups.policy.gang"), run("explain", "workload.spec.podGroups.policy.gang"))
    tap.ok("and those of pods", "podGroupReplicaKey" in run("explain", "pod.spec.workloadRef"), run("explain", "pod.spec.workloadRef"))


if __name__ == "__main__":
    with Server(scheduler=True, args=["--node-grace", "600s"]) as server:
        add_node(server, "n1", 8)
        tap.run([served, together, replicas, in_a_queue, with_kubectl], server)
    tap.done()
