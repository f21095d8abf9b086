#!/usr/bin/env python3
"""Defragmentation in `cox server`: off unless asked for; moves pods that somebody makes again, by a Movement, within its budget, and comes to rest."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lib.cox import PATIENCE, Server, tap, wait_for  # noqa: E402
from test_shards import PODS, SHARDS, add_node, add_queue, clear, in_force, made, nodes_of, put_shard  # noqa: E402

MOVEMENTS = "/apis/scheduling.godel.kubewharf.io/v1alpha1/movements"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
ARGS = {"defragment-every": "1s", "defragment-min-runtime": "0s"}


def one(node=None, gpus=1):
    spec = {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "priorityClassName": "train",
            "containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}]}
    if node:
        spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 100, "preference": {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}}]}}
    return spec


def replica_set(s, name, node, n=1):
    """Its pods would rather be on that node, and may go anywhere."""
    labels = {"app": name, "kai.scheduler/queue": "a"}
    made(s.post(SETS, {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "labels": {"kai.scheduler/queue": "a"}},
                       "spec": {"replicas": n, "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": labels}, "spec": one(node)}}}))
    tap.ok(f"{name} is on {node}", wait_for(lambda: list(nodes_of(s, name).values()) == [node] * n, PATIENCE, 0.05), nodes_of(s))


def movements(s):
    return s.get(MOVEMENTS).json["items"]


def where(s, *names):
    return [sorted(nodes_of(s, n).values()) for n in names]


def gone(s, *names):
    for n in names:
        s.delete(f"{SETS}/{n}")
    s.delete(MOVEMENTS)
    clear(s)


def moves(s):
    replica_set(s, "x", "n1")
    replica_set(s, "y", "n2")
    put_shard(s, args={"defragment-min-runtime": "0s"})
    in_force(s)
    tap.ok("it is off unless asked for", not wait_for(lambda: movements(s), 3, 0.2), movements(s))
    put_shard(s, args=ARGS)
    tap.ok("two pods come together", wait_for(lambda: where(s, "x", "y") in ([["n1"], ["n1"]], [["n2"], ["n2"]]), PATIENCE, 0.1), nodes_of(s))
    tap.ok("by one Movement", len(movements(s)) == 1, movements(s))
    m = movements(s)[0]
    tap.ok("of our rescheduler", m["spec"]["creator"] == "cox-rescheduler" and len(m["spec"]["deletedTasks"]) == 1, m)
    status = lambda: s.get(f"{MOVEMENTS}/{m['metadata']['name']}").json["status"]["owners"][0]  # noqa: E731
    tap.ok("which says where to, and who went there", wait_for(lambda: status()["recommendedNodes"][0].get("actualPods"), PATIENCE, 0.1) and status()["owner"]["type"] == "ReplicaSet", status())
    events = [e["note"] for e in s.get("/apis/events.k8s.io/v1/namespaces/default/events").json["items"] if e["reason"] == "Rescheduled"]
    tap.ok("an Event says why", len(events) == 1 and "10 whole GPUs and 1 whole nodes become 10 and 2" in events[0], events)
    before = nodes_of(s)
    tap.ok("and then there is rest", not wait_for(lambda: nodes_of(s) != before or len(movements(s)) > 1, 6, 0.2), (before, nodes_of(s)))
    text = s.get("/metrics").text
    tap.ok("it is counted", "cox_scheduler_moved_pods_total 1" in text and "cox_scheduler_movements_total 1" in text, [t for t in text.split("\n") if "cox_scheduler_mov" in t])
    gone(s, "x", "y")


def budget(s):
    replica_set(s, "x", "n1", 2)
    replica_set(s, "y", "n2", 2)
    put_shard(s, args={**ARGS, "defragment-max-pods-per-hour": "1"})
    tap.ok("two pods are beyond a budget of one", not wait_for(lambda: movements(s), 4, 0.2), movements(s))
    for name in ("x", "y"):
        made(s.post(BUDGETS, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": name}}}}))
    wait_for(lambda: all("disruptionsAllowed" in b.get("status", {}) for b in s.get(BUDGETS).json["items"]), PATIENCE)
    put_shard(s, args=ARGS)
    tap.ok("disruption budgets are not broken for it", not wait_for(lambda: movements(s), 4, 0.2), movements(s))
    s.delete(BUDGETS)
    tap.ok("without them both are moved", wait_for(lambda: sorted(where(s, "x", "y")) in ([["n1"] * 2] * 2, [["n2"] * 2] * 2), PATIENCE, 0.1), nodes_of(s))
    put_shard(s, args={**ARGS, "defragment-max-pods-per-hour": "2"})
    replica_set(s, "z", "n3")
    tap.ok("what was spent of the hour is spent", not wait_for(lambda: len(movements(s)) > 1, 4, 0.2), movements(s))
    s.kill()
    s.start()
    tap.ok("after a restart, too", not wait_for(lambda: len(movements(s)) > 1, 4, 0.2), movements(s))
    gone(s, "x", "y", "z")


def bare(s):
    for name, node in (("b1", "n1"), ("b2", "n2")):
        made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": {"kai.scheduler/queue": "a"}}, "spec": one(node)}))
    wait_for(lambda: nodes_of(s) == {"b1": "n1", "b2": "n2"}, PATIENCE)
    uids = {p["metadata"]["uid"] for p in s.get(PODS).json["items"]}
    put_shard(s, args=ARGS)
    tap.ok("pods that nobody makes again stay", not wait_for(lambda: movements(s), 5, 0.2) and uids == {p["metadata"]["uid"] for p in s.get(PODS).json["items"]}, nodes_of(s))
    replica_set(s, "x", "n3")
    tap.ok("others go to them", wait_for(lambda: where(s, "x") in ([["n1"]], [["n2"]]), PATIENCE, 0.1), nodes_of(s))
    tap.ok("and they are still there", uids <= {p["metadata"]["uid"] for p in s.get(PODS).json["items"]}, nodes_of(s))
    gone(s, "x")


def refused(s):
    for key, value, words in (("defragment-every", "soon", "duration"), ("defragment-max-pods", "17", "from 0 to 16"), ("defragment-max-units", "-1", "from 0 to 16")):
        r = put_shard(s, "bad", args={key: value})
        tap.ok(f"{key}: {value} is refused", r.status == 422 and words in str(r.json), r.json)
    s.delete(f"{SHARDS}/bad")


if __name__ == "__main__":
    with Server(scheduler=True) as server:
        for n in ("n1", "n2", "n3"):
            add_node(server, n, 4)
        add_queue(server, "a", gpu=0)
        tap.run([moves, budget, bare, refused], server)
    tap.done()
