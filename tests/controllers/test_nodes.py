#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes that come, fall silent and return: conditions, taints, evictions, damping, ranges of pod addresses.

Whether a node is silent is decided by its lease alone: ALIVE is one that outlasts any test, SILENT one that is over after the server's grace of a second and is never renewed.
So no test depends on how fast this machine is."""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, Server, tap  # noqa: E402

ALIVE, SILENT = 86400, 1
NODES, PODS = "/api/v1/nodes", "/api/v1/namespaces/default/pods"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
ARGS = ["--node-grace", "1s"]


def until(condition, timeout=PATIENCE):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    return condition()


def stamp():
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + ".%06dZ" % (time.time_ns() // 1000 % 1000000)


def lease(s, name, seconds):
    body = {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": {"name": name}, "spec": {"holderIdentity": name, "leaseDurationSeconds": seconds, "renewTime": stamp()}}
    if s.post(LEASES, body).status == 409:
        s.patch(f"{LEASES}/{name}", {"spec": body["spec"]})


def report(s, name, ready="True", **others):
    now = stamp()[:19] + "Z"
    conditions = [{"type": t, "status": v, "reason": "Test", "lastHeartbeatTime": now, "lastTransitionTime": now}
                  for t, v in {"Ready": ready, "MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False", **others}.items()]
    return s.patch(f"{NODES}/{name}/status", {"status": {"conditions": conditions}})


def node(s, name, seconds=ALIVE, labels=None):
    lease(s, name, seconds)
    s.post(NODES, {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}}})
    report(s, name)


def pod(s, name, where, tolerations=(), ready=True):
    until(lambda: s.get("/api/v1/namespaces/default/serviceaccounts/default").status == 200)
    r = s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}, "spec": {"nodeName": where, "containers": [{"name": "c", "image": "x"}], "tolerations": list(tolerations)}})
    if ready:
        s.patch(f"{PODS}/{name}/status", {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
    return r


def tolerate(key, seconds=None):
    return {"key": key, "operator": "Exists", "effect": "NoExecute", **({} if seconds is None else {"tolerationSeconds": seconds})}


def taints(s, name):
    return sorted(f"{t['key'].replace('node.kubernetes.io/', '')}:{t['effect']}" for t in s.get(f"{NODES}/{name}").json["spec"].get("taints", []))


def condition(obj, kind="Ready"):
    return next((c for c in obj["status"].get("conditions", []) if c["type"] == kind), {})


def has_taints(s, name, want):
    return tap.ok(f"{name} has the taints {want or 'none'}", until(lambda: taints(s, name) == sorted(want)), taints(s, name))


def going(s, name):
    r = s.get(f"{PODS}/{name}")
    return r.status == 404 or "deletionTimestamp" in r.json["metadata"]


def reasons(s, kind, name):
    return [e["reason"] for e in s.get(f"/api/v1/events?fieldSelector=involvedObject.kind%3D{kind},involvedObject.name%3D{name}").json["items"]]


def ready_nodes(s):
    node(s, "a1")
    node(s, "a2")
    has_taints(s, "a1", [])
    has_taints(s, "a2", [])
    report(s, "a1", "False")
    has_taints(s, "a1", ["not-ready:NoSchedule", "not-ready:NoExecute"])
    report(s, "a1", "True", MemoryPressure="True", DiskPressure="True")
    has_taints(s, "a1", ["memory-pressure:NoSchedule", "disk-pressure:NoSchedule"])
    report(s, "a1", "True", PIDPressure="True")
    has_taints(s, "a1", ["pid-pressure:NoSchedule"])
    report(s, "a1")
    s.patch(f"{NODES}/a1", {"spec": {"unschedulable": True}})
    has_taints(s, "a1", ["unschedulable:NoSchedule"])
    s.patch(f"{NODES}/a1", {"spec": {"unschedulable": None}})
    has_taints(s, "a1", [])


def ranges(s):
    have = until(lambda: all(s.get(f"{NODES}/{n}").json["spec"].get("podCIDR") for n in ("a1", "a2")) and [s.get(f"{NODES}/{n}").json["spec"] for n in ("a1", "a2")])
    tap.ok("each node has a range of its own", have and have[0]["podCIDR"] != have[1]["podCIDR"] and have[0]["podCIDRs"] == [have[0]["podCIDR"]], have)
    tap.ok("in the cluster's", have and all(h["podCIDR"].startswith("10.42.") and h["podCIDR"].endswith(".0/24") for h in have), have)
    s.kill()
    s.start()
    tap.eq("a restart changes none", [s.get(f"{NODES}/{n}").json["spec"]["podCIDR"] for n in ("a1", "a2")], [h["podCIDR"] for h in have])
    node(s, "a3")
    third = until(lambda: s.get(f"{NODES}/a3").json["spec"].get("podCIDR"))
    tap.ok("and gives none out twice", third and third not in [h["podCIDR"] for h in have], third)
    s.delete(f"{NODES}/a3")


def lost_node(s):
    for name in ("b1", "b2"):
        node(s, name)
        has_taints(s, name, [])
    pod(s, "plain", "b1", [tolerate(NOT_READY, 0), tolerate(UNREACHABLE, 0)])
    pod(s, "patient", "b1")  # admission gives it 300 s
    pod(s, "stoic", "b1", [tolerate(UNREACHABLE)])
    pod(s, "elsewhere", "b2", [tolerate(UNREACHABLE, 0)])
    uid = s.get(f"{PODS}/plain").json["metadata"]["uid"]
    lease(s, "b1", SILENT)
    has_taints(s, "b1", ["unreachable:NoSchedule", "unreachable:NoExecute"])
    c = condition(s.get(f"{NODES}/b1").json)
    tap.eq("its condition says so", (c["status"], c["reason"]), ("Unknown", "NodeStatusUnknown"))
    tap.eq("the pressures are unknown, too", condition(s.get(f"{NODES}/b1").json, "DiskPressure")["status"], "Unknown")
    tap.ok("a pod without tolerance goes", until(lambda: going(s, "plain")))
    gone = s.get(f"{PODS}/plain")
    if gone.status == 200 and gone.json["metadata"]["uid"] == uid:
        tap.eq("and says why", condition(gone.json, "DisruptionTarget").get("reason"), "DeletionByTaintManager")
    tap.ok("the others are not ready any more", until(lambda: condition(s.get(f"{PODS}/stoic").json).get("status") == "False" and condition(s.get(f"{PODS}/patient").json).get("status") == "False"))
    tap.ok("nobody else goes", not any(going(s, n) for n in ("patient", "stoic", "elsewhere")))
    tap.eq("elsewhere nothing changed", condition(s.get(f"{PODS}/elsewhere").json).get("status"), "True")
    tap.ok("Events say so", until(lambda: "NodeNotReady" in reasons(s, "Node", "b1") and "NodeNotReady" in reasons(s, "Pod", "stoic") and "TaintManagerEviction" in reasons(s, "Pod", "plain")),
           (reasons(s, "Node", "b1"), reasons(s, "Pod", "stoic"), reasons(s, "Pod", "plain")))
    # a person says that it is switched off
    pod(s, "dying", "b1", [tolerate(UNREACHABLE), tolerate("node.kubernetes.io/out-of-service")])
    pod(s, "living", "b1", [tolerate(UNREACHABLE), tolerate("node.kubernetes.io/out-of-service")])
    s.delete(f"{PODS}/dying")
    tap.ok("a pod that is deleted waits for its node", going(s, "dying") and s.get(f"{PODS}/dying").status == 200)
    off = [{"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoSchedule"}]
    s.patch(f"{NODES}/b1", {"spec": {"taints": s.get(f"{NODES}/b1").json["spec"]["taints"] + off}})
    tap.ok("but not for one that is switched off", until(lambda: s.get(f"{PODS}/dying").status == 404))
    tap.ok("others are left alone", not going(s, "living"))
    s.patch(f"{NODES}/b1", {"spec": {"taints": [t for t in s.get(f"{NODES}/b1").json["spec"]["taints"] if "out-of-service" not in t["key"]]}})
    # it returns
    lease(s, "b1", ALIVE)
    report(s, "b1")
    has_taints(s, "b1", [])
    tap.ok("who had time left stays", not going(s, "patient"))


def flapping(s):
    """A node that falls silent again and again: each return is one, and who tolerates a while is left alone, however often."""
    node(s, "f1")
    has_taints(s, "f1", [])
    pod(s, "steady", "f1")  # admission gives it 300 s
    pod(s, "jumpy", "f1", [tolerate(NOT_READY, 0), tolerate(UNREACHABLE, 0)])
    uid = s.get(f"{PODS}/steady").json["metadata"]["uid"]
    for turn in range(3):
        lease(s, "f1", SILENT)
        tap.ok(f"silent, {turn + 1}", until(lambda: condition(s.get(f"{NODES}/f1").json).get("status") == "Unknown" and "unreachable:NoExecute" in taints(s, "f1")), taints(s, "f1"))
        lease(s, "f1", ALIVE)
        report(s, "f1")
        has_taints(s, "f1", [])
    now = s.get(f"{PODS}/steady").json["metadata"]
    tap.eq("a pod that tolerates a while outlasts a node that flaps", (now["uid"], now.get("deletionTimestamp")), (uid, None))
    tap.ok("one that tolerates nothing went the first time", until(lambda: going(s, "jumpy")))


def taint_by_hand(s):
    node(s, "c1")
    has_taints(s, "c1", [])
    pod(s, "t-none", "c1")
    pod(s, "t-short", "c1", [tolerate("maintenance", 2)])
    pod(s, "t-ever", "c1", [tolerate("maintenance")])
    s.patch(f"{NODES}/c1", {"spec": {"taints": [{"key": "maintenance", "effect": "NoExecute"}]}})
    tap.ok("the taint gets a time", until(lambda: s.get(f"{NODES}/c1").json["spec"]["taints"][0].get("timeAdded")))
    tap.ok("one without tolerance goes", until(lambda: going(s, "t-none")))
    s.kill()  # the time that is left is in the objects
    s.start()
    tap.ok("one with some goes after it", until(lambda: going(s, "t-short")))
    tap.ok("one with all stays", not going(s, "t-ever"))
    pod(s, "t-late", "c1", ready=False)
    tap.ok("one that comes late goes", until(lambda: going(s, "t-late")))


def partition(s):
    """All nodes fall silent: it is the server that is cut off, and nobody is driven out."""
    names = [n["metadata"]["name"] for n in s.get(NODES).json["items"]]
    for name in names:
        lease(s, name, ALIVE)
        report(s, name)
    until(lambda: not any("NoExecute" in t and "maintenance" not in t for n in names for t in taints(s, n)))
    for name in names:
        lease(s, name, SILENT)
    out = lambda: [n for n in names if any("unreachable:NoExecute" in t for t in taints(s, n))]
    silent = until(lambda: all(condition(s.get(f"{NODES}/{n}").json).get("status") == "Unknown" for n in names))
    tap.ok(f"all {len(names)} nodes are silent", silent)
    tap.ok("and none is driven out", until(lambda: not out()), out())
    tap.ok("no pod went", not going(s, "patient") and not going(s, "stoic"))
    for name in names:
        lease(s, name, ALIVE)
        report(s, name)
    tap.ok("they return", until(lambda: not any("unreachable" in t for n in names for t in taints(s, n))))


if __name__ == "__main__":
    with Server(args=ARGS) as main_server:
        tap.run([ready_nodes, ranges, lost_node, flapping, taint_by_hand, partition], main_server)
    tap.done()
