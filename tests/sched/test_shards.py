#!/usr/bin/env python3
"""SchedulingShards in `cox server`: options that count at once, refusals, time-based shares that survive a kill, node pools, packing and spreading."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Server, tap, wait_for  # noqa: E402

QUEUES = "/apis/scheduling.run.ai/v2/queues"
GROUPS = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups"
SHARDS = "/apis/kai.scheduler/v1/schedulingshards"
PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/kube-system/configmaps"
POOL = "kai.scheduler/node-pool"
ALL = {"quota": -1, "overQuotaWeight": 1, "limit": -1}
MERGE = {"Content-Type": "application/merge-patch+json"}


def made(r):
    if r.status not in (200, 201):
        raise RuntimeError(str(r))
    return r.json


def add_node(s, name, gpus=8, pool=None, cpu=64):
    labels = {"kubernetes.io/hostname": name, **({POOL: pool} if pool else {})}
    size = {"cpu": str(cpu), "memory": "256Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    made(s.post("/api/v1/nodes", {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": labels}}))
    now = "2026-01-01T00:00:00Z"
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": "", "lastHeartbeatTime": now, "lastTransitionTime": now}
    made(s.request("PATCH", f"/api/v1/nodes/{name}/status", {"status": {"capacity": size, "allocatable": size, "conditions": [ready]}}, headers=MERGE))


def add_queue(s, name, gpu=0, pool=None, notes=None, limit=-1, **spec):
    spec["resources"] = {"gpu": {"quota": gpu, "overQuotaWeight": 1, "limit": limit}, "cpu": ALL, "memory": ALL}
    meta = {"name": name, "labels": {POOL: pool} if pool else {}, "annotations": notes or {}}
    made(s.post(QUEUES, {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": meta, "spec": spec}))


def add_pod(s, name, queue, gpus=1, pool=None, cpu=None, notes=None, priority="train"):
    labels = {"kai.scheduler/queue": queue, **({POOL: pool} if pool else {})}
    limits = {**({"nvidia.com/gpu": str(gpus)} if gpus else {}), **({"cpu": cpu} if cpu else {})}
    spec = {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "priorityClassName": priority,
            "containers": [{"name": "c", "image": "x", "resources": {"limits": limits}}]}
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": labels, "annotations": notes or {}}, "spec": spec}))


def put_shard(s, name="default", **spec):
    body = {"apiVersion": "kai.scheduler/v1", "kind": "SchedulingShard", "metadata": {"name": name}, "spec": spec}
    s.delete(f"{SHARDS}/{name}")
    return s.post(SHARDS, body)


def in_force(s, name="default"):
    def ready():
        r = s.get(f"{SHARDS}/{name}")
        return r.status == 200 and next((c for c in r.json.get("status", {}).get("conditions", []) if c["type"] == "Ready"), None)
    return wait_for(lambda: ready() and ready()["status"] == "True", PATIENCE, 0.05)


def nodes_of(s, prefix=""):
    return {p["metadata"]["name"]: p["spec"].get("nodeName", "") for p in s.get(PODS).json["items"]
            if p["metadata"]["name"].startswith(prefix) and "deletionTimestamp" not in p["metadata"]}


def bound(s, prefix):
    return sum(1 for n in nodes_of(s, prefix).values() if n)


def comes_to(s, prefix, n):
    return wait_for(lambda: bound(s, prefix) == n, PATIENCE, 0.05)


def said(s, name):
    r = s.get(f"{PODS}/{name}")
    return next((c.get("message", "") for c in r.json.get("status", {}).get("conditions", []) if c["type"] == "PodScheduled"), "") if r.status == 200 else ""


def clear(s, queues=()):
    s.delete(PODS + "?gracePeriodSeconds=0")
    wait_for(lambda: not s.get(PODS).json["items"], PATIENCE)
    wait_for(lambda: not s.get(GROUPS).json["items"], PATIENCE)
    for q in queues:
        s.delete(f"{QUEUES}/{q}")
    for shard in s.get(SHARDS).json["items"]:
        s.delete(f"{SHARDS}/{shard['metadata']['name']}")


def cordon(s, node, on):
    made(s.request("PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": on or None}}, headers=MERGE))


def usage(s, queue):
    return s.get(f"{QUEUES}/{queue}").json.get("status", {}).get("usage", {}).get("nvidia.com/gpu", 0)


# --- tests -------------------------------------------------------------------------------------------------------------------

def words(s):
    for spec, want in (
        ({"args": {"default-staleness-grace-period": "soon"}}, "spec.args[default-staleness-grace-period]: Invalid value: \"soon\": must be a duration"),
        ({"kValue": -1}, "spec.kValue: Invalid value: \"-1\": must be a number that is not negative"),
        ({"usageDBConfig": {"usageParams": {"windowSize": "a week"}}}, "spec.usageDBConfig.usageParams.windowSize: Invalid value: \"a week\": must be a duration such as"),
        ({"usageDBConfig": {"usageParams": {"windowType": "round"}}}, "must be sliding, tumbling or cron"),
        ({"plugins": {"proportion": {"arguments": {"reclaimerUtilizationMultiplier": "0.5"}}}}, "must be a number of at least 1"),
        ({"minRuntime": {"preemptMinRuntime": "x"}}, "spec.minRuntime.preemptMinRuntime"),
        ({"partitionLabelValue": "no spaces"}, "spec.partitionLabelValue"),
    ):
        r = put_shard(s, **spec)
        tap.ok(f"refused: {spec}", r.status == 422 and want in r.json["message"], r)
    r = put_shard(s, args={"schedule-period": "5s", "max-consolidation-preemptees": "4"}, actions={"preempt": {"priority": 900}})
    tap.ok("what has no effect is a warning", r.status == 201 and "spec.args[schedule-period]: has no effect here" in str(r.headers) and "order of actions is fixed" in str(r.headers), r.headers)
    tap.ok("the shard says that it is in force", in_force(s))
    r = put_shard(s, "other")
    tap.ok("two for the same pool: a warning", "is for the same node pool" in str(r.headers), r.headers)
    second = wait_for(lambda: s.get(f"{SHARDS}/other").json.get("status", {}).get("conditions"), PATIENCE)
    tap.eq("and the second is not in force", second and (second[0]["status"], second[0]["reason"]), ("False", "SamePool"))
    clear(s)


def packing(s):
    """Two nodes of eight GPUs."""
    add_queue(s, "team")
    for i in range(4):
        add_pod(s, f"p{i}", "team")
    tap.ok("work of kai-scheduler is packed without being asked", comes_to(s, "p", 4) and len(set(nodes_of(s).values())) == 1, nodes_of(s))
    clear(s)
    put_shard(s, placementStrategy={"gpu": "spread", "cpu": "binpack"})
    in_force(s)
    for i in range(4):
        add_pod(s, f"s{i}", "team")
    tap.ok("a shard that spreads", comes_to(s, "s", 4) and sorted(nodes_of(s).values()) == ["g1", "g1", "g2", "g2"], nodes_of(s))
    for i in range(2):
        add_pod(s, f"f{i}", "team", gpus=0, notes={"gpu-fraction": "0.4"})
    tap.ok("parts of GPUs go to devices of their own", comes_to(s, "f", 2), nodes_of(s))
    ids = [(p["spec"]["nodeName"], p["metadata"]["annotations"].get("cox.io/gpu-ids")) for p in s.get(PODS).json["items"] if p["metadata"]["name"].startswith("f")]
    tap.ok("... each", len(set(ids)) == 2, ids)
    s.delete(PODS + "?gracePeriodSeconds=0")
    wait_for(lambda: not s.get(PODS).json["items"], PATIENCE)
    add_queue(s, "tight", notes={"scheduling.cox/placement": "binpack"})
    wait_for(lambda: s.get("/apis/scheduling.run.ai/v2/queues/tight").json.get("status"), PATIENCE)  # the scheduler has read it: pods and queues come by watches of their own
    for i in range(4):
        add_pod(s, f"t{i}", "tight")
    tap.ok("a queue says otherwise", comes_to(s, "t", 4) and len(set(nodes_of(s).values())) == 1, nodes_of(s))
    clear(s)
    for i in range(2):
        add_pod(s, f"f{i}", "team", gpus=0, notes={"gpu-fraction": "0.4"})
    comes_to(s, "f", 2)
    ids = [(p["spec"].get("nodeName"), p["metadata"]["annotations"].get("cox.io/gpu-ids")) for p in s.get(PODS).json["items"]]
    tap.ok("without the shard parts share a device", wait_for(lambda: bound(s, "f") == 2, PATIENCE) and len(set(ids)) == 1, ids)
    clear(s, ["team", "tight"])


def actions(s):
    add_queue(s, "a", gpu=8)
    add_queue(s, "b", gpu=8)
    put_shard(s, actions={"reclaim": {"enabled": False}})
    in_force(s)
    for i in range(16):
        add_pod(s, f"a{i:02}", "a")
    comes_to(s, "a", 16)
    add_pod(s, "b", "b")
    tap.ok("without reclaim nobody is driven out", wait_for(lambda: "0/2 nodes" in said(s, "b"), PATIENCE) and bound(s, "a") == 16, said(s, "b"))
    made(s.request("PATCH", f"{SHARDS}/default", {"spec": {"actions": None}}, headers=MERGE))
    tap.ok("switched on again it counts at once", comes_to(s, "b", 1), said(s, "b"))
    clear(s, ["a", "b"])


def flat(s):
    add_queue(s, "above", limit=0)
    add_queue(s, "below", parentQueue="above")
    add_pod(s, "p", "below")
    tap.ok("queues above count", wait_for(lambda: 'queue "above" would pass its limit' in said(s, "p"), PATIENCE), said(s, "p"))
    put_shard(s, args={"full-hierarchy-fairness": "false"})
    tap.ok("unless the shard says that all stand beside each other", comes_to(s, "p", 1), said(s, "p"))

    def children():
        return s.get(f"{QUEUES}/above").json.get("status", {}).get("childQueues")
    tap.ok("which the status shows", wait_for(lambda: not children(), PATIENCE), children())
    s.delete(f"{SHARDS}/default")
    wait_for(lambda: children() == ["below"], PATIENCE)
    add_pod(s, "q", "below")
    tap.ok("and again without it", wait_for(lambda: 'queue "above" would pass its limit' in said(s, "q"), PATIENCE), said(s, "q"))
    clear(s, ["below", "above"])


def history(s):
    """Two queues of the same weight that each want all of it take turns, because of what they had before."""
    add_queue(s, "x")
    add_queue(s, "y")
    cordon(s, "g2", True)
    put_shard(s, kValue=4, usageDBConfig={"clientType": "prometheus", "usageParams": {"halfLifePeriod": "2s", "windowSize": "1w"}})
    in_force(s)
    add_pod(s, "x0", "x", gpus=8)
    tap.ok("the first has all", comes_to(s, "x", 1), nodes_of(s))
    add_pod(s, "y0", "y", gpus=8)
    tap.ok("in time the other has it, because it had nothing", comes_to(s, "y", 1), (nodes_of(s), said(s, "y0")))
    add_pod(s, "x1", "x", gpus=8)
    tap.ok("and then the first again", comes_to(s, "x", 1), (nodes_of(s), said(s, "x1")))
    tap.ok("the status shows why", wait_for(lambda: usage(s, "y") > 0.1 and usage(s, "x") > 0.1, PATIENCE), (usage(s, "x"), usage(s, "y")))
    metrics = s.get("/metrics").text
    tap.ok("so do metrics", 'kai_queue_gpu_usage{queue_name="y"} 0.' in metrics, [m for m in metrics.splitlines() if "usage" in m])
    cordon(s, "g2", False)
    clear(s)
    put_shard(s, kValue=1, usageDBConfig={"usageParams": {"halfLifePeriod": "1h", "windowSize": "1w"}})
    in_force(s)
    add_pod(s, "x0", "x", gpus=8)
    comes_to(s, "x0", 1)
    wait_for(lambda: usage(s, "x") > 0, PATIENCE)
    before = usage(s, "x")
    s.stop()
    s.start()
    text = s.get(f"{MAPS}/cox-queue-usage").json.get("data", {}).get("usage", "")
    tap.ok("told to stop, it writes sums down", "\nqueue x gpu " in text and "\ncapacity gpu " in text, text)
    tap.ok("and knows them when it starts again", wait_for(lambda: usage(s, "x") >= before * 0.9, PATIENCE), (before, usage(s, "x")))
    s.kill()
    s.start()
    tap.ok("killed, it knows them, too", wait_for(lambda: usage(s, "x") >= before * 0.9, PATIENCE), (before, usage(s, "x")))
    clear(s, ["x", "y"])


def pools(s):
    add_node(s, "e1", pool="east")
    add_queue(s, "plain")
    add_queue(s, "eastern", pool="east")
    add_pod(s, "free", "plain", gpus=8)
    add_pod(s, "free2", "plain", gpus=8)
    add_pod(s, "free3", "plain", gpus=8)
    tap.ok("without shards labels mean nothing", comes_to(s, "free", 3), nodes_of(s))
    clear(s)
    put_shard(s, "east", partitionLabelValue="east", actions={"preempt": {"enabled": False}})
    in_force(s, "east")
    for i in range(3):
        add_pod(s, f"w{i}", "plain", gpus=8)
    tap.ok("work without a pool keeps off the nodes of one", comes_to(s, "w", 2) and set(nodes_of(s, "w").values()) == {"g1", "g2", ""}, nodes_of(s))
    last = next(n for n, at in nodes_of(s, "w").items() if not at)
    tap.ok("and is told so", wait_for(lambda: "in a node pool" in said(s, last), PATIENCE), said(s, last))
    add_pod(s, "e0", "eastern", gpus=8, pool="east")
    tap.ok("work of the pool is there", wait_for(lambda: nodes_of(s, "e0").get("e0") == "e1", PATIENCE), (nodes_of(s), said(s, "e0")))
    add_pod(s, "e9", "plain", pool="east")
    tap.ok("in queues of the pool only", wait_for(lambda: 'queue "plain" does not exist in node pool "east"' in said(s, "e9"), PATIENCE), said(s, "e9"))
    share = wait_for(lambda: s.get(f"{QUEUES}/eastern").json.get("status", {}).get("fairShare", {}).get("nvidia.com/gpu") == "8", PATIENCE)
    tap.ok("with shares of the pool", share, s.get(f"{QUEUES}/eastern").json.get("status"))
    add_pod(s, "lost", "eastern", pool="west")
    tap.ok("a pool that no shard is for", wait_for(lambda: 'no SchedulingShard is for node pool "west"' in said(s, "lost"), PATIENCE), said(s, "lost"))

    def condition():
        for g in s.get(GROUPS).json["items"]:
            for c in g.get("status", {}).get("schedulingConditions", []):
                if c["nodePool"] == "west":
                    return c
        return None
    tap.ok("its group has the condition", wait_for(lambda: condition() and "west" in condition()["message"], PATIENCE), condition())
    put_shard(s, "west", partitionLabelValue="west")
    add_node(s, "w1", pool="west")
    add_queue(s, "western", pool="west")
    add_pod(s, "found", "western", gpus=2, pool="west")
    tap.ok("a shard that comes takes it on", wait_for(lambda: nodes_of(s, "found").get("found") == "w1", PATIENCE), (nodes_of(s), said(s, "found")))

    def asked(queue, gpus, n=1):
        one = {"spec": {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}]}}
        r = s.post(f"{QUEUES}/{queue}/simulate", {"templates": [{"replicas": n, "template": one}]})
        return (r.json["starts"], [x["name"] for x in r.json["nodes"]]) if r.status == 200 else (r.status, r.json)
    tap.ok("what if: on the nodes of the queue's pool", asked("western", 6) == ("Now", ["w1"]), asked("western", 6))
    tap.ok("... as a gang, too", asked("western", 2, 3) == ("Now", ["w1"]), asked("western", 2, 3))
    tap.ok("... and on no others", asked("western", 8, 2)[0] == "Never" and asked("eastern", 1)[0] == "Waits", (asked("western", 8, 2), asked("eastern", 1)))
    tap.ok("... nor those of pools for others", asked("plain", 8, 3)[0] == "Never", asked("plain", 8, 3))
    s.kill()
    s.start()
    add_pod(s, "after", "western", gpus=2, pool="west")
    tap.ok("all is as it was after a restart", wait_for(lambda: nodes_of(s, "after").get("after") == "w1", PATIENCE) and nodes_of(s, "e0").get("e0") == "e1", nodes_of(s))
    s.delete(f"{SHARDS}/east")
    s.delete(f"{SHARDS}/west")
    tap.ok("without shards all is one again", wait_for(lambda: nodes_of(s).get("e9") and nodes_of(s).get("lost"), PATIENCE), (nodes_of(s), said(s, last)))
    clear(s, ["plain", "eastern", "western"])


def beside_kai():
    """A scheduler of another name leaves the status of queues to whoever writes it."""
    with Server() as s:
        add_node(s, "g1")
        add_queue(s, "q")
        log = open(s.path("scheduler.log"), "wb")

        def run(*args):
            return subprocess.Popen([COX, "scheduler", "--kubeconfig", s.kubeconfig, "--scheduler-name", "cox", *args], stderr=log)

        def add(name):
            made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": {"kai.scheduler/queue": "q"}},
                               "spec": {"schedulerName": "cox", "containers": [{"name": "c", "image": "x"}]}}))
            return wait_for(lambda: nodes_of(s).get(name), PATIENCE)
        one = run()
        tap.ok("it places what names it", add("a"), nodes_of(s))
        tap.eq("and does not write the status of its queue", s.get(f"{QUEUES}/q").json.get("status", {}), {})
        one.terminate()
        tap.eq("it ends", one.wait(timeout=PATIENCE), 0)
        two = run("--queue-status")
        tap.ok("told so, it does", add("b") and wait_for(lambda: s.get(f"{QUEUES}/q").json.get("status", {}).get("runningUnits") == 2, PATIENCE), s.get(f"{QUEUES}/q").json)
        two.terminate()
        two.wait(timeout=PATIENCE)


if __name__ == "__main__":
    with Server(scheduler=True) as server:
        for n in ("g1", "g2"):
            add_node(server, n)
        tests = [words, packing, actions, flat, history, pools]
        tap.run([t for t in tests if len(sys.argv) < 2 or t.__name__ in sys.argv[1:]], server)
    if len(sys.argv) < 2 or "beside_kai" in sys.argv[1:]:
        beside_kai()
    tap.done()
