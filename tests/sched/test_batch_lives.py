#!/usr/bin/env python3
"""What people who come from KAI have seen their queues do: who takes from whom, who preempts whom, what stays; in `cox server`, on nodes that nobody runs."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from test_batch import GROUPS, PATIENCE, PODS, QUEUES, add_queue, bound, clear, comes_to, made, nodes_of, said, wait_for  # noqa: E402
from lib.cox import Server, tap  # noqa: E402

CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
EVENTS = "/api/v1/namespaces/default/events"
TOPOLOGIES = "/apis/kai.scheduler/v1alpha1/topologies"
MERGE = {"Content-Type": "application/merge-patch+json"}


def add_node(s, name, gpus=4, pods=110, cpu="64", **labels):
    size = {"cpu": cpu, "memory": "256Gi", "pods": str(pods)}
    if gpus:
        size["nvidia.com/gpu"] = str(gpus)
    labels = {"kubernetes.io/hostname": name, "nvidia.com/gpu.memory": "40960", **labels}
    made(s.post("/api/v1/nodes", {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": labels}}))
    now = "2026-01-01T00:00:00Z"
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": "", "lastHeartbeatTime": now, "lastTransitionTime": now}
    made(s.request("PATCH", f"/api/v1/nodes/{name}/status", {"status": {"capacity": size, "allocatable": size, "conditions": [ready]}}, headers=MERGE))


def add_pod(s, name, queue, gpus=0, priority=None, group=None, cpu=None, labels=None, annotations=None, **spec):
    labels, annotations = {"kai.scheduler/queue": queue, **(labels or {})}, dict(annotations or {})
    if group:
        annotations["pod-group-name"] = group
    resources = {}
    if gpus and gpus < 1:
        annotations["gpu-fraction"] = str(gpus)
    elif gpus:
        resources["limits"] = {"nvidia.com/gpu": str(gpus)}
    if cpu:
        resources["requests"] = {"cpu": cpu}
    spec = {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x", "resources": resources}], **spec}
    if priority:
        spec["priorityClassName"] = priority
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": labels, "annotations": annotations}, "spec": spec}))


def add_gang(s, name, queue, pods, gpus=0, least=1, priority=None, cpu=None, **spec):
    spec = {"queue": queue, "minMember": least, **spec}
    if priority:
        spec["priorityClassName"] = priority
    made(s.post(GROUPS, {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": name}, "spec": spec}))
    for i in range(pods):
        add_pod(s, f"{name}-{i}", queue, gpus, group=name, cpu=cpu)


def is_unschedulable(s, name):
    r = s.get(f"{PODS}/{name}")
    conditions = r.json.get("status", {}).get("conditions", []) if r.status == 200 else []
    return any(c["type"] == "PodScheduled" and c["status"] == "False" and c.get("reason") == "Unschedulable" for c in conditions) and not r.json["spec"].get("nodeName")


def starts(s, what, name):
    return tap.ok(f"{what}: {name} starts", wait_for(lambda: nodes_of(s).get(name), PATIENCE, 0.05), said(s, name))


def waits(s, what, name):
    return tap.ok(f"{what}: {name} waits", wait_for(lambda: is_unschedulable(s, name), PATIENCE, 0.05), (nodes_of(s), said(s, name)))


def empty(s):
    clear(s)
    for g in s.get(GROUPS).json["items"]:
        s.delete(f"{GROUPS}/{g['metadata']['name']}")
    wait_for(lambda: not s.get(GROUPS).json["items"], PATIENCE)


def drop_queues(s, names):
    empty(s)
    for n in names:
        wait_for(lambda: s.delete(f"{QUEUES}/{n}").status in (200, 404), PATIENCE, 0.05)


def set_queue(s, name, **gpu):
    made(s.request("PATCH", f"{QUEUES}/{name}", {"spec": {"resources": {"gpu": gpu}}}, headers=MERGE))


# --- reclaim: four GPUs, two queues of one department -------------------------------------------------------------------------
# what it is about, quotas of the one that holds and the one that asks, what runs of each, what is asked for then, does it start?
RECLAIM = [
    ("each to its share beyond quota", 1, 1, (2, 2), (), 2, True),
    ("within quota on both sides", 2, 2, (1, 2), (1,), 0.5, True),
    ("nobody goes beyond its share", 1, 1, (2, 1, 0.5), (0.5,), 2, False),
    ("shares without quotas", 0, 0, (1, 2), (1,), 0.5, True),
    ("a device comes together from parts, with quotas", 2, 2, (2, 0.9, 0.3, 0.3), (), 1, True),
    ("a device comes together from parts, without", 0, 0, (2, 0.9, 0.3, 0.3), (), 1, True),
]


def reclaims(s):
    for i, (what, holds, asks, first, second, ask, good) in enumerate(RECLAIM):
        dep, a, b = f"dep{i}", f"holds{i}", f"asks{i}"
        add_queue(s, dep, gpu=4, weight=2, limit=4)
        add_queue(s, a, dep, gpu=holds, weight=2)
        add_queue(s, b, dep, gpu=asks, weight=2)
        for queue, list_ in ((a, first), (b, second)):
            for k, gpus in enumerate(list_):
                add_pod(s, f"{queue}-{k}", queue, gpus)
                starts(s, what, f"{queue}-{k}")
        add_pod(s, "late", b, ask)
        (starts if good else waits)(s, what, "late")
        drop_queues(s, (a, b, dep))


def reclaims_by_priority(s):
    add_queue(s, "dep", gpu=4, weight=2, limit=4)
    add_queue(s, "low", "dep", gpu=1, weight=2)
    add_queue(s, "high", "dep", gpu=0, weight=2, priority=101)
    add_pod(s, "owed", "low", 1)
    starts(s, "priority of queues", "owed")
    add_pod(s, "extra", "low", 3)
    starts(s, "priority of queues", "extra")
    add_pod(s, "late", "high", 1)
    starts(s, "priority of queues", "late")
    tap.ok("what is owed stays", nodes_of(s).get("owed"), nodes_of(s))
    drop_queues(s, ("low", "high", "dep"))


def a_minimum_run_time_protects(s):
    add_queue(s, "dep", gpu=4, weight=2, limit=4)
    add_queue(s, "low", "dep", gpu=1, weight=2, reclaimMinRuntime="1h")
    add_queue(s, "high", "dep", gpu=0, weight=2, priority=101)
    add_pod(s, "long", "low", 4)
    starts(s, "run time", "long")
    add_pod(s, "late", "high", 1)
    waits(s, "run time", "late")
    tap.ok("the one that runs goes on", nodes_of(s).get("long"), nodes_of(s))
    drop_queues(s, ("low", "high", "dep"))


def reclaims_of_elastic_ones(s):
    add_queue(s, "dep", gpu=4, weight=2, limit=4)
    add_queue(s, "holds", "dep", gpu=1, weight=2)
    add_queue(s, "asks", "dep", gpu=3, weight=2)
    add_gang(s, "elastic", "holds", 4, 1)
    comes_to(s, "elastic", 4)
    add_gang(s, "gang", "asks", 3, 1, least=3)
    tap.ok("a gang gets what it is owed", comes_to(s, "gang", 3), nodes_of(s))
    tap.eq("the elastic one keeps its minimum", bound(s, "elastic"), 1)
    drop_queues(s, ("holds", "asks", "dep"))


# --- preemption within a queue of one GPU -------------------------------------------------------------------------------------
# who runs, who comes, does that start?
PREEMPT = [("low-soft", "high-soft", True), ("low-soft", "high-hard", True), ("low-hard", "high-hard", False), ("high-soft", "low-soft", False), ("high-hard", "low-hard", False),
           ("high-hard", "low-soft", False), ("low-soft", "low-soft", False), ("low-hard", "low-hard", False)]


def preempts(s):
    add_queue(s, "narrow", gpu=1, limit=1)
    for runs, comes, good in PREEMPT:
        what = f"{comes} after {runs}"
        add_pod(s, "runs", "narrow", 1, priority=runs)
        starts(s, what, "runs")
        add_pod(s, "comes", "narrow", 1, priority=comes)
        (starts if good else waits)(s, what, "comes")
        if not good:
            tap.ok(f"{what}: the other one stays", nodes_of(s).get("runs"), nodes_of(s))
        empty(s)
    for word, good in (("preemptible", True), ("non-preemptible", False)):
        runs, comes = ("low-hard", "high-hard") if good else ("low-soft", "high-soft")
        add_pod(s, "runs", "narrow", 1, priority=runs, labels={"kai.scheduler/preemptibility": word})
        starts(s, word, "runs")
        add_pod(s, "comes", "narrow", 1, priority=comes)
        (starts if good else waits)(s, f"{word} by its label, whatever its priority", "comes")
        empty(s)
    drop_queues(s, ("narrow",))


def preempts_elastic_ones(s):
    add_queue(s, "four", gpu=4, limit=4)
    for name in ("one", "two"):
        add_gang(s, name, "four", 2, 1, priority="low-soft")
    tap.ok("two elastic gangs fill the queue", wait_for(lambda: bound(s, "one") + bound(s, "two") == 4, PATIENCE), nodes_of(s))
    add_pod(s, "high", "four", 2, labels={"priorityClassName": "high-soft"})
    starts(s, "from two elastic gangs", "high")
    tap.eq("each loses what it can do without", (bound(s, "one"), bound(s, "two")), (1, 1))
    empty(s)
    set_queue(s, "four", quota=2, limit=2)
    add_gang(s, "one", "four", 2, 1, priority="low-soft")
    comes_to(s, "one", 2)
    add_pod(s, "high", "four", 2, labels={"priorityClassName": "high-soft"})
    starts(s, "of an elastic gang all", "high")
    tap.eq("nothing of it is left", bound(s, "one"), 0)
    drop_queues(s, ("four",))


def preempts_where_no_more_pods_fit(s):
    add_queue(s, "crowd", gpu=-1)
    here = {"nodeSelector": {"kubernetes.io/hostname": "few"}}
    for i in range(3):
        add_pod(s, f"small{i}", "crowd", cpu="10m", priority="low-soft", **here)
    comes_to(s, "small", 3)
    add_pod(s, "same", "crowd", cpu="10m", priority="low-soft", **here)
    waits(s, "the node is full of pods", "same")
    add_pod(s, "high", "crowd", cpu="10m", priority="high-soft", **here)
    starts(s, "one of many small ones goes", "high")
    tap.eq("and no more than one", bound(s, "small"), 2)
    drop_queues(s, ("crowd",))


# --- what a queue gives, and what its work is told -----------------------------------------------------------------------------
def reasons_of(s, pod):
    name = s.get(f"{PODS}/{pod}").json["metadata"].get("annotations", {}).get("pod-group-name", "")
    r = s.get(f"{GROUPS}/{name}") if name else None
    conditions = r.json.get("status", {}).get("schedulingConditions", []) if r is not None and r.status == 200 else []
    return [x.get("reason") for c in conditions if c.get("status") == "True" for x in c.get("reasons", [])]


def has_reason(s, pod, reason):
    return tap.ok(f"{pod}: its group says {reason}", wait_for(lambda: reason in reasons_of(s, pod), PATIENCE, 0.05), reasons_of(s, pod))


def groups_say_why(s):
    add_queue(s, "tight", gpu=0)
    add_pod(s, "hard", "tight", 1, priority="high-hard")
    waits(s, "beyond the quota and not preemptible", "hard")
    has_reason(s, "hard", "NonPreemptibleOverQuota")
    set_queue(s, "tight", quota=-1)
    starts(s, "the quota was raised", "hard")
    empty(s)
    set_queue(s, "tight", limit=0)
    for name, priority in (("soft", None), ("hard", "high-hard")):
        add_pod(s, name, "tight", 1, priority=priority)
        waits(s, "beyond the limit", name)
        has_reason(s, name, "OverLimit")
    empty(s)
    add_gang(s, "pair", "tight", 1, least=2)
    told = lambda: [e for e in s.get(EVENTS).json["items"] if e["involvedObject"].get("name") == "pair" and e.get("reason") == "NotReady"]
    tap.ok("a gang that lacks members is not ready", wait_for(told, PATIENCE), s.get(EVENTS).json)
    tap.eq("which is nothing to worry about", [e.get("type") for e in told()], ["Normal"])
    drop_queues(s, ("tight",))


def every_depth(s):
    for depth in (1, 3, 4):
        names = [f"level{depth}-{i}" for i in range(depth)]
        for i, name in enumerate(names):
            add_queue(s, name, names[i - 1] if i else None, gpu=2)
        add_pod(s, "leaf", names[-1], 1, priority="high-hard")
        starts(s, f"{depth} levels", "leaf")
        drop_queues(s, reversed(names))


def labels_and_fields_order(s):
    add_queue(s, "narrow", gpu=1, limit=1)
    for how in ("label", "field"):
        add_pod(s, "first", "narrow", 1, priority="high-hard")
        starts(s, "it holds the queue", "first")
        for name in ("low-soft", "high-soft"):
            add_pod(s, f"by-{name}", "narrow", 1, labels={"priorityClassName": name} if how == "label" else None, priority=name if how == "field" else None)
            waits(s, how, f"by-{name}")
        s.delete(f"{PODS}/first")
        starts(s, f"priority by {how}", "by-high-soft")
        waits(s, f"priority by {how}", "by-low-soft")
        empty(s)
    drop_queues(s, ("narrow",))


def elastic_ones_grow(s):
    add_queue(s, "cpus", gpu=-1)
    made(s.request("PATCH", f"{QUEUES}/cpus", {"spec": {"resources": {"cpu": {"quota": 500, "limit": 500}}}}, headers=MERGE))
    add_gang(s, "part", "cpus", 2, cpu="500m")
    tap.ok("as far as the limit", comes_to(s, "part", 1), nodes_of(s))
    tap.ok("the other one is told", wait_for(lambda: sum(is_unschedulable(s, f"part-{i}") for i in range(2)) == 1, PATIENCE), nodes_of(s))
    empty(s)
    add_gang(s, "all", "cpus", 2, cpu="200m")
    tap.ok("to the full", comes_to(s, "all", 2), nodes_of(s))
    empty(s)
    for name in ("left", "right"):
        add_gang(s, name, "cpus", 3, cpu="100m")
    tap.ok("two side by side", wait_for(lambda: bound(s, "left") + bound(s, "right") == 5 and min(bound(s, "left"), bound(s, "right")) == 2, PATIENCE), nodes_of(s))
    empty(s)
    add_gang(s, "high", "cpus", 2, cpu="250m", priority="high-soft")
    add_pod(s, "low", "cpus", cpu="250m", priority="low-soft")
    tap.ok("all of an important one before a less important one", comes_to(s, "high", 2), nodes_of(s))
    waits(s, "all of an important one", "low")
    drop_queues(s, ("cpus",))


def parts_and_places(s):
    add_queue(s, "any", gpu=-1)
    add_pod(s, "memory", "any", annotations={"gpu-memory": "500"})
    starts(s, "memory of a device", "memory")
    add_pod(s, "much", "any", annotations={"gpu-memory": "500000000"})
    waits(s, "more memory than any device has", "much")
    add_pod(s, "busy", "any", 1, cpu="10")
    starts(s, "the node with GPUs is the fuller one", "busy")
    add_pod(s, "plain", "any", cpu="1")
    starts(s, "no GPUs asked for", "plain")
    tap.eq("it leaves the nodes with GPUs alone", nodes_of(s).get("plain"), "few")
    empty(s)
    for i in range(2):
        add_pod(s, f"half{i}", "any", 0.5)
        starts(s, "parts", f"half{i}")
    ids = [s.get(f"{PODS}/half{i}").json for i in range(2)]
    tap.ok("two halves share a device", len({(p["spec"]["nodeName"], p["metadata"]["annotations"].get("cox.io/gpu-ids")) for p in ids}) == 1, [p["metadata"].get("annotations") for p in ids])
    drop_queues(s, ("any",))


# --- places: two zones of two racks of two nodes -------------------------------------------------------------------------------
def places(s):
    add_queue(s, "any", gpu=-1)
    made(s.post(TOPOLOGIES, {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "tree"},
                             "spec": {"levels": [{"nodeLabel": "zone"}, {"nodeLabel": "rack"}, {"nodeLabel": "kubernetes.io/hostname"}]}}))
    # what is asked for, pods, GPUs of each, how many zones, racks and nodes they are to be on
    for what, pods, gpus, levels, want in (
            ("a rack is required", 2, 4, {"requiredTopologyLevel": "rack"}, (1, 1, 2)),
            ("a rack is preferred", 2, 4, {"preferredTopologyLevel": "rack"}, (1, 1, 2)),
            ("a rack is required, and one node will do", 2, 2, {"requiredTopologyLevel": "rack", "preferredTopologyLevel": "kubernetes.io/hostname"}, (1, 1, 1)),
            ("a rack is required, and one node will not do", 2, 4, {"requiredTopologyLevel": "rack", "preferredTopologyLevel": "kubernetes.io/hostname"}, (1, 1, 2)),
            ("a zone is required, and one rack will not do", 4, 4, {"requiredTopologyLevel": "zone", "preferredTopologyLevel": "rack"}, (1, 2, 4)),
            ("a rack is preferred, and one will not do", 3, 4, {"preferredTopologyLevel": "rack"}, (1, 2, 3))):
        add_gang(s, "gang", "any", pods, gpus, least=pods, topologyConstraint={"topology": "tree", **levels})
        tap.ok(f"{what}: all start", comes_to(s, "gang", pods), nodes_of(s))
        on = list(nodes_of(s, "gang").values())
        tap.eq(what, (len({n[:2] for n in on}), len({n[:4] for n in on}), len(set(on))), want)
        empty(s)
    add_gang(s, "wide", "any", 3, 4, least=3, topologyConstraint={"topology": "tree", "requiredTopologyLevel": "rack"})
    waits(s, "more than a rack", "wide-0")
    drop_queues(s, ("any",))


def aliases(s):
    """A group may name a level by an alias, also before there is a topology that has it."""
    add_queue(s, "any", gpu=-1)
    add_gang(s, "early", "any", 2, 4, least=2, topologyConstraint={"topology": "late", "requiredTopologyLevel": "shelf"})
    waits(s, "nobody knows the level", "early-0")
    topology = {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "late"}, "spec": {"levels": [{"nodeLabel": "zone"}, {"nodeLabel": "rack", "alias": "shelf"}]}}
    made(s.post(TOPOLOGIES, topology))
    tap.ok("they start when the topology comes", comes_to(s, "early", 2), nodes_of(s))
    tap.eq("in one rack", len({n[:4] for n in nodes_of(s, "early").values()}), 1)
    add_gang(s, "other", "any", 2, 4, least=2, topologyConstraint={"topology": "late", "requiredTopologyLevel": "row"})
    waits(s, "another alias", "other-0")
    tap.eq("aliases can be changed", s.patch(f"{TOPOLOGIES}/late", {"spec": {"levels": [{"nodeLabel": "zone"}, {"nodeLabel": "rack", "alias": "row"}]}}).status, 200)
    tap.ok("they start then", comes_to(s, "other", 2), nodes_of(s))
    s.delete(f"{TOPOLOGIES}/late")
    drop_queues(s, ("any",))


def sub_groups(s):
    add_queue(s, "six", gpu=6, limit=6)
    trees = [{"name": "lead", "minMember": 1}, {"name": "work", "minMember": 2}]

    def gang(name, leads, workers):
        made(s.post(GROUPS, {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": name}, "spec": {"queue": "six", "minMember": 1, "subGroups": trees}}))
        for sub, n in (("lead", leads), ("work", workers)):
            for i in range(n):
                add_pod(s, f"{name}-{sub}-{i}", "six", 1, group=name, labels={"kai.scheduler/subgroup-name": sub})

    gang("short", 1, 1)
    add_pod(s, "probe", "six", 1)
    starts(s, "a sub-group lacks a member", "probe")
    tap.eq("nobody of the gang starts", bound(s, "short"), 0)
    empty(s)
    for i in range(2):
        add_pod(s, f"first{i}", "six", 3)
        starts(s, "the queue is full", f"first{i}")
    gang("one", 2, 3)
    gang("two", 2, 3)
    for name in ("one-lead-0", "two-work-2"):
        waits(s, "the queue is full", name)
    for i in range(2):
        s.delete(f"{PODS}/first{i}")
    tap.ok("both have their minimum", wait_for(lambda: bound(s, "one") == 3 and bound(s, "two") == 3, PATIENCE), nodes_of(s))
    tap.eq("in each sub-group", [bound(s, f"{g}-{sub}") for g in ("one", "two") for sub in ("lead", "work")], [1, 2, 1, 2])
    drop_queues(s, ("six",))


def consolidates(s):
    """Work of Jobs on two nodes moves together for a pod that needs one of them whole, and comes again."""
    add_queue(s, "any", gpu=-1)
    jobs = "/apis/batch/v1/namespaces/default/jobs"
    for node in ("z0r0n0", "z0r0n1"):
        template = {"metadata": {"labels": {"kai.scheduler/queue": "any"}},
                    "spec": {"schedulerName": "kai-scheduler", "restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "affinity": {"nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "rack", "operator": "In", "values": ["z0r0"]}]}]}}},
                        "containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}}
        filler = f"fill-{node}"
        add_pod(s, filler, "any", 4, nodeSelector={"kubernetes.io/hostname": "z0r0n1" if node == "z0r0n0" else "z0r0n0"})
        starts(s, "the other node is taken", filler)
        made(s.post(jobs, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": node}, "spec": {"template": template}}))
        tap.ok(f"work of a Job is on {node}", wait_for(lambda: node in nodes_of(s, node).values(), PATIENCE), nodes_of(s))
        s.delete(f"{PODS}/{filler}")
    add_pod(s, "whole", "any", 4, nodeSelector={"rack": "z0r0"})
    starts(s, "two halves of nodes", "whole")
    both = lambda: [n for name, n in nodes_of(s, "z0r0n").items() if n]
    tap.ok("the work that moved comes again, beside the other", wait_for(lambda: len(both()) == 2 and len(set(both())) == 1, PATIENCE), nodes_of(s))
    for node in ("z0r0n0", "z0r0n1"):
        s.delete(f"{jobs}/{node}?propagationPolicy=Background")
    wait_for(lambda: not s.get(jobs).json["items"], PATIENCE)
    drop_queues(s, ("any",))


if __name__ == "__main__":
    with Server(scheduler=True, args=["--scheduler-profile", "binpack"]) as server:
        add_node(server, "four")
        add_node(server, "few", gpus=0, pods=3)
        for name, value in (("low-soft", 40), ("high-soft", 60), ("low-hard", 110), ("high-hard", 120)):
            made(server.post(CLASSES, {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}))
        tap.run([reclaims, reclaims_by_priority, a_minimum_run_time_protects, reclaims_of_elastic_ones, preempts, preempts_elastic_ones, preempts_where_no_more_pods_fit, groups_say_why,
                 every_depth, labels_and_fields_order, elastic_ones_grow, parts_and_places], server)
    with Server(scheduler=True, args=["--scheduler-profile", "binpack"]) as server:
        for z in range(2):
            for r in range(2):
                for n in range(2):
                    add_node(server, f"z{z}r{r}n{n}", zone=f"z{z}", rack=f"z{z}r{r}")
        tap.run([places, aliases, sub_groups, consolidates], server)
    tap.done()
