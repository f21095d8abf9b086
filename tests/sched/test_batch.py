#!/usr/bin/env python3
"""The batch policy in `cox server`: queues, limits, shares, reclaim, preemption, gangs out of Jobs, what queues and pods are told, `cox queue`."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Server, tap, wait_for  # noqa: E402

QUEUES = "/apis/scheduling.run.ai/v2/queues"
GROUPS = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups"
PODS = "/api/v1/namespaces/default/pods"
ALL = {"quota": -1, "overQuotaWeight": 1, "limit": -1}


def made(r):
    if r.status not in (200, 201):
        raise RuntimeError(str(r))
    return r.json


def add_node(s, name, gpus=8):
    size = {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    made(s.post("/api/v1/nodes", {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}}))
    now = "2026-01-01T00:00:00Z"
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": "", "lastHeartbeatTime": now, "lastTransitionTime": now}
    made(s.request("PATCH", f"/api/v1/nodes/{name}/status", {"status": {"capacity": size, "allocatable": size, "conditions": [ready]}},
                   headers={"Content-Type": "application/merge-patch+json"}))


def add_queue(s, name, parent=None, gpu=0, weight=1, limit=-1, **spec):
    spec["resources"] = {"gpu": {"quota": gpu, "overQuotaWeight": weight, "limit": limit}, "cpu": ALL, "memory": ALL}
    if parent:
        spec["parentQueue"] = parent
    made(s.post(QUEUES, {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": spec}))


def add_pod(s, name, queue=None, gpus=1, scheduler="kai-scheduler", priority=None, **more):
    labels = {"kai.scheduler/queue": queue} if queue else {}
    spec = {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}} if gpus else {}}], **more}
    if priority:
        spec["priorityClassName"] = priority
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": labels}, "spec": spec}))


def nodes_of(s, prefix=""):
    """Pods that begin so, and where they are."""
    return {p["metadata"]["name"]: p["spec"].get("nodeName", "") for p in s.get(PODS).json["items"]
            if p["metadata"]["name"].startswith(prefix) and "deletionTimestamp" not in p["metadata"]}


def bound(s, prefix):
    return sum(1 for n in nodes_of(s, prefix).values() if n)


def comes_to(s, prefix, n):
    return wait_for(lambda: bound(s, prefix) == n, PATIENCE, 0.05)


def said(s, name):
    r = s.get(f"{PODS}/{name}")
    return next((c.get("message", "") for c in r.json.get("status", {}).get("conditions", []) if c["type"] == "PodScheduled"), "") if r.status == 200 else ""


def place_of(s, name):
    r = s.get(f"{PODS}/{name}/explain")
    return r.json.get("queuePosition") if r.status == 200 else None


def is_told(s, name, words):
    return tap.ok(f"{name} is told: {words}", wait_for(lambda: words in said(s, name), PATIENCE, 0.05), said(s, name))


def cox(s, *words):
    done = subprocess.run([COX, *words, "--kubeconfig", s.kubeconfig], capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout + done.stderr


def clear(s):
    s.delete(PODS + "?gracePeriodSeconds=0")
    wait_for(lambda: not s.get(PODS).json["items"], PATIENCE)


# --- tests -------------------------------------------------------------------------------------------------------------------

def usual_queues(s):
    names = {q["metadata"]["name"] for q in s.get(QUEUES).json["items"]}
    tap.ok("a new cluster has a queue for those who name none", {"default-parent-queue", "default-queue"} <= names, names)
    add_pod(s, "bare", gpus=0)
    tap.ok("a pod of kai-scheduler without a queue starts", comes_to(s, "bare", 1), said(s, "bare"))
    add_pod(s, "plain", gpus=0, scheduler="default-scheduler")
    tap.ok("one that has nothing to do with queues, too", comes_to(s, "plain", 1))
    group = wait_for(lambda: [g for g in s.get(GROUPS).json["items"] if g["spec"].get("queue") == "default-queue"], PATIENCE)
    tap.eq("only the first has a group", [g["metadata"]["name"].startswith("pg-bare-") for g in group or []], [True])
    clear(s)


def shares(s):
    for i in range(16):
        add_pod(s, f"a{i:02}", "team-a", priority="train")
    tap.ok("a queue uses what others leave", comes_to(s, "a", 16), nodes_of(s))
    for i in range(8):
        add_pod(s, f"b{i}", "team-b", priority="train")
    tap.ok("the other one takes back what it is owed", comes_to(s, "b", 8) and wait_for(lambda: len(nodes_of(s, "a")) == 8, PATIENCE), nodes_of(s))
    tap.eq("and not more", (bound(s, "a"), bound(s, "b")), (8, 8))
    for i in range(2):
        add_pod(s, f"more{i}", "team-b", priority="train")
    is_told(s, "more0", "reclaim does not help: it would go beyond its queue's fair share")
    tap.ok("its place can be asked for", wait_for(lambda: place_of(s, "more0") == 1, PATIENCE), place_of(s, "more0"))
    tap.eq("nobody else is driven out", (bound(s, "a"), bound(s, "b")), (8, 8))


def status_and_words(s):
    def status(name):
        return s.get(f"{QUEUES}/{name}").json.get("status", {})
    want = {"allocated": "8", "requested": "10", "fairShare": "8", "deserved": "8"}
    tap.ok("the queue's status says what it has, wants and comes to",
           wait_for(lambda: {k: status("team-b").get(k, {}).get("nvidia.com/gpu") for k in want} == want, PATIENCE), status("team-b"))
    tap.eq("with its units", (status("team-b").get("runningUnits"), status("team-b").get("pendingUnits")), (8, 2))
    tap.eq("first those that run, then those in line", [u.get("position") for u in status("team-b")["units"]], [None] * 8 + [1, 2])
    tap.ok("a parent sums up", wait_for(lambda: status("dep").get("allocated", {}).get("nvidia.com/gpu") == "16", PATIENCE), status("dep"))
    tap.eq("and names its children", status("dep").get("childQueues"), ["shut", "team-a", "team-b"])
    text = cox(s, "queue")
    rows = [" ".join(line.split()) for line in text.splitlines()]
    tap.ok("cox queue draws the tree", any("├─ team-a gpu [####################] 8 0 8 8 - 8 run" == r for r in rows), text)
    tap.ok("with who waits", any("└─ team-b gpu [####################] 8 2 8 8 - 8 run, 2 wait" == r for r in rows), text)
    text = cox(s, "queue", "team-b", "-r", "gpu")
    tap.ok("and one queue with its line", text.count("Running") == 8 and text.count("Pending") == 2, text)
    tap.ok("a queue that is not there", 'queues.scheduling.run.ai "nothing" not found' in cox(s, "queue", "nothing"))
    text = cox(s, "why", "pod/more0")
    tap.ok("cox why has queue, place and share", "team-b, number 1" in text and "Fair share:  8 nvidia.com/gpu" in text, text)
    record = s.get(f"{PODS}/more0/explain").json
    tap.eq("so has the record", (record["queue"]["name"], record["queuePosition"], record["queue"]["fairShare"]), ("team-b", 1, {"nvidia.com/gpu": "8"}))
    metrics = s.get("/metrics").text
    for line in ('kai_queue_fair_share_gpu{queue_name="team-b"} 8', 'kai_queue_allocated_gpus{queue_name="team-a"} 8', 'kai_pod_group_evicted_pods_total{action="reclaim"} 8'):
        tap.ok("a metric: " + line, line in metrics, [m for m in metrics.splitlines() if m.startswith("kai_")])
    s.kill()
    s.start()
    tap.ok("a restart moves nobody", wait_for(lambda: place_of(s, "more0") == 1, PATIENCE) and (bound(s, "a"), bound(s, "b")) == (8, 8), nodes_of(s))
    clear(s)


def refusals(s):
    for i in range(3):
        add_pod(s, f"shut{i}", "shut", priority="train")
    tap.ok("a queue stops at its limit", comes_to(s, "shut", 2), nodes_of(s))
    last = next(n for n, at in nodes_of(s, "shut").items() if not at)
    is_told(s, last, 'queue "shut" would pass its limit of 2 GPUs: it has 2 GPUs, and 1 GPU more')
    add_pod(s, "lost", "no-such")
    is_told(s, "lost", 'queue "no-such" does not exist')
    add_pod(s, "above", "dep")
    is_told(s, "above", 'queue "dep" is made of other queues')
    for i in range(9):
        add_pod(s, f"fixed{i}", "team-a", priority="build")
    tap.ok("what cannot be preempted stays within the quota", comes_to(s, "fixed", 8), nodes_of(s))
    last = next(n for n, at in nodes_of(s, "fixed").items() if not at)
    is_told(s, last, 'has to stay within the quota of queue "team-a", 8 GPUs')
    add_queue(s, "no-such", "dep")
    tap.ok("a queue that comes lets its work start", comes_to(s, "lost", 1), said(s, "lost"))
    s.delete(f"{PODS}/lost?gracePeriodSeconds=0")
    clear(s)
    s.delete(f"{QUEUES}/no-such")


def preemption(s):
    for i in range(16):
        add_pod(s, f"low{i:02}", "team-a", priority="train")
    tap.ok("the queue is full", comes_to(s, "low", 16))
    add_pod(s, "high", "team-a", gpus=2, priority="build-preemptible")
    tap.ok("within a queue the higher priority goes first", comes_to(s, "high", 1), said(s, "high"))
    tap.ok("and takes no more than it needs", wait_for(lambda: len(nodes_of(s, "low")) == 14, PATIENCE), nodes_of(s))
    clear(s)


def gangs(s):
    def job(name, queue, size, gpus):
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "labels": {"kai.scheduler/queue": queue}, "annotations": {"kai.scheduler/batch-min-member": str(size)}},
                "spec": {"parallelism": size, "completions": size, "backoffLimit": 0, "template": {"metadata": {"labels": {"kai.scheduler/queue": queue}}, "spec": {
                    "schedulerName": "kai-scheduler", "restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                    "containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}]}}}}
    jobs = "/apis/batch/v1/namespaces/default/jobs"
    made(s.post(jobs, job("whole", "team-a", 4, 4)))
    tap.ok("a Job becomes a gang that starts as a whole", comes_to(s, "whole", 4), nodes_of(s))
    made(s.post(jobs, job("big", "team-b", 5, 4)))
    wait_for(lambda: len(nodes_of(s, "big")) == 5, PATIENCE)
    name = next(iter(nodes_of(s, "big")))
    tap.ok("one that does not fit as a whole does not start at all", wait_for(lambda: place_of(s, name) == 1, PATIENCE) and bound(s, "big") == 0, (said(s, name), nodes_of(s)))
    made(s.post(jobs, job("half", "team-b", 2, 4)))
    tap.ok("one that is owed its room gets it from the other queue's gang", comes_to(s, "half", 2), [(n, said(s, n)) for n in nodes_of(s)])
    tap.ok("which goes as a whole", wait_for(lambda: bound(s, "whole") in (0, 2), PATIENCE), nodes_of(s))
    for j in ("whole", "big", "half"):
        s.delete(f"{jobs}/{j}?propagationPolicy=Background")
    clear(s)


def gangs_that_end(s):
    """Members that succeed one after another are no gang that fell apart."""
    add_pod(s, "first", "team-a", priority="train")
    add_pod(s, "second", "team-a", priority="train")
    group = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": "pair"}, "spec": {"minMember": 2, "queue": "team-a"}}
    made(s.post(GROUPS, group))
    for name in ("one", "two"):
        made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "annotations": {"pod-group-name": "pair"}, "labels": {"kai.scheduler/queue": "team-a"}},
                           "spec": {"schedulerName": "kai-scheduler", "containers": [{"name": "c", "image": "x"}]}}))
    tap.ok("both start", wait_for(lambda: all(nodes_of(s).get(n) for n in ("one", "two")), PATIENCE), nodes_of(s))
    made(s.request("PATCH", f"{PODS}/one/status", {"status": {"phase": "Succeeded"}}, headers={"Content-Type": "application/merge-patch+json"}))
    tap.ok("the status counts one", wait_for(lambda: s.get(f"{GROUPS}/pair").json.get("status", {}).get("running") == 1, PATIENCE), s.get(f"{GROUPS}/pair").json)
    clear(s)
    s.delete(f"{GROUPS}/pair")


def queues_go_away(s):
    add_pod(s, "held", "team-b", gpus=1)
    tap.ok("it runs", comes_to(s, "held", 1))
    r = s.delete(f"{QUEUES}/team-b")
    tap.ok("a queue with work is not deleted", r.status in (403, 409, 422) and "team-b" in r.text, r)
    clear(s)


if __name__ == "__main__":
    with Server(scheduler=True) as server:
        for n in ("n0", "n1"):
            add_node(server, n)
        add_queue(server, "dep", gpu=16)
        add_queue(server, "team-a", "dep", gpu=8)
        add_queue(server, "team-b", "dep", gpu=8)
        add_queue(server, "shut", "dep", limit=2)
        tap.run([usual_queues, shares, status_and_words, refusals, preemption, gangs, gangs_that_end, queues_go_away], server)
    tap.done()
