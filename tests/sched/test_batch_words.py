#!/usr/bin/env python3
"""What users of queues are told: status, conditions and Events of PodGroups, `cox job`, `cox why podgroup/NAME`."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lib.cox import COX, PATIENCE, Server, on_terminal, tap, wait_for  # noqa: E402
from test_batch import GROUPS, PODS, add_node, add_pod, add_queue, clear, comes_to, cox, made, nodes_of  # noqa: E402

JOBS = "/apis/batch/v1/namespaces/default/jobs"
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
GPU = "nvidia.com/gpu"


def add_job(s, name, queue, size, gpus, priority="train", min_member=True):
    made(s.post(JOBS, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {
        "name": name, "labels": {"kai.scheduler/queue": queue, "priorityClassName": priority}, "annotations": {"kai.scheduler/batch-min-member": str(size)} if min_member else {}},
        "spec": {"parallelism": size, "completions": size, "backoffLimit": 0, "template": {"metadata": {"labels": {"kai.scheduler/queue": queue, "priorityClassName": priority}}, "spec": {
            "schedulerName": "kai-scheduler", "restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "priorityClassName": priority,
            "containers": [{"name": "c", "image": "x", "resources": {"limits": {GPU: str(gpus)}}}]}}}}))


def drop_jobs(s, *names):
    for n in names:
        s.delete(f"{JOBS}/{n}?propagationPolicy=Background")
    clear(s)


def group_of(s, owner):
    """The PodGroup of a Job or pod, {} when there is none yet."""
    for g in s.get(GROUPS).json["items"]:
        if any(o["name"] == owner for o in g["metadata"].get("ownerReferences", [])):
            return g
    return {}


def status_of(s, owner):
    return group_of(s, owner).get("status", {})


def condition_of(s, owner):
    return next((c for c in status_of(s, owner).get("schedulingConditions", []) if c["type"] == "UnschedulableOnNodePool"), {})


def condition_of_all(s, prefix):
    """Reasons of the groups whose owner begins so."""
    return sorted(c["reason"] for g in s.get(GROUPS).json["items"] if any(o["name"].startswith(prefix) for o in g["metadata"].get("ownerReferences", []))
                  for c in g.get("status", {}).get("schedulingConditions", []) if c["status"] == "True")


def is_refused(s, owner, reason, words):
    ok = wait_for(lambda: condition_of(s, owner).get("reason") == reason and words in condition_of(s, owner).get("message", ""), PATIENCE, 0.05)
    c = condition_of(s, owner)
    tap.ok(f"{owner}: {reason}, {words}", ok and c["status"] == "True" and c["reasons"][0]["reason"] == reason and c["reasons"][0]["message"] == c["message"], c)
    return c


def notes_of(s, owner, reason):
    uid = group_of(s, owner).get("metadata", {}).get("uid")
    return [e.get("note", "") for e in s.get(EVENTS).json["items"] if e.get("reason") == reason and e.get("regarding", {}).get("uid") == uid and e["regarding"]["kind"] == "PodGroup"]


def has_event(s, owner, reason, words):
    ok = wait_for(lambda: any(words in n for n in notes_of(s, owner, reason)), PATIENCE, 0.05)
    return tap.ok(f"{owner} has the Event {reason}: {words}", ok, notes_of(s, owner, reason))


def rows(text):
    return [" ".join(line.split()) for line in text.splitlines()]


# --- tests -------------------------------------------------------------------------------------------------------------------

def what_it_has(s):
    add_job(s, "runs", "team-a", 2, 2)
    tap.ok("a gang starts", comes_to(s, "runs", 2), nodes_of(s))
    want = {"phase": "Running", "running": 2}
    ok = wait_for(lambda: {k: status_of(s, "runs").get(k) for k in want} == want, PATIENCE)
    st = status_of(s, "runs")
    tap.ok("its status counts the pods", ok and not st.get("pending"), st)
    tap.eq("and what they have", {k: v.get(GPU) for k, v in st.get("resourcesStatus", {}).items() if v.get(GPU)}, {"allocated": "4", "requested": "4"})
    tap.eq("it never was unschedulable", st.get("schedulingConditions", []), [])
    revision = group_of(s, "runs")["metadata"]["resourceVersion"]
    add_job(s, "fixed", "team-a", 1, 1, "build")
    ok = wait_for(lambda: status_of(s, "fixed").get("resourcesStatus", {}).get("allocatedNonPreemptible", {}).get(GPU) == "1", PATIENCE)
    tap.ok("what cannot be taken away is told apart", ok, status_of(s, "fixed"))
    tap.eq("what has not changed is not written again", group_of(s, "runs")["metadata"]["resourceVersion"], revision)
    text = cox(s, "job")
    name = group_of(s, "runs")["metadata"]["name"]
    tap.ok("cox job has it", any(r.startswith("runs Job team-a train 2/2/2 Starting - - -") for r in rows(text)), text)
    tap.ok("cox job with a name shows pods and nodes", sum(" n0 Starting" in r for r in rows(cox(s, "job", "runs"))) == 2, cox(s, "job", "runs"))
    tap.eq("cox job -o name", cox(s, "job", name, "-o", "name").strip(), "podgroup.scheduling.run.ai/" + name)
    for what in ("podgroup/" + name, "pg/" + name, "job/runs"):
        text = cox(s, "why", what)
        tap.ok(f"cox why {what.split('/')[0]}: where it is", "2 of 2 placed; at least 2 together" in text and sum(" n0 Starting" in r for r in rows(text)) == 2, text)
    record = json.loads(cox(s, "why", "pg/" + name, "-o", "json"))
    tap.eq("as a record", (record["podGroup"]["members"], set(record["podGroup"]["nodes"].values())), ({"created": 2, "placed": 2, "waiting": 0, "minMember": 2}, {"n0"}))
    add_job(s, "single", "team-a", 4, 9, min_member=False)
    ok = wait_for(lambda: sum(r.startswith("single-") for r in rows(cox(s, "job", "single"))) == 4, PATIENCE)
    tap.ok("cox job with the name of an owner of many units has a row for each", ok and rows(cox(s, "job", "single"))[0].startswith("NAME KIND QUEUE"), cox(s, "job", "single"))
    tap.ok("cox queue -r with a word that no queue uses", 'no queue speaks of "gpus"' in cox(s, "queue", "-r", "gpus"), cox(s, "queue", "-r", "gpus"))
    tap.eq("cox queue -r with the name that pods use", cox(s, "queue", "-r", GPU), cox(s, "queue", "-r", "gpu"))
    drop_jobs(s, "runs", "fixed", "single")


def why_it_waits(s):
    add_job(s, "wide", "shut", 2, 2)
    c = is_refused(s, "wide", "OverLimit", 'queue "shut" would pass its limit of 2 GPUs')
    details = c["reasons"][0].get("details", {}).get("queueDetails", {})
    tap.eq("with the numbers", (details.get("name"), details.get("queueResourceLimits", {}).get(GPU), details.get("podGroupRequestedResources", {}).get(GPU)), ("shut", "2", "4"))
    has_event(s, "wide", "Unschedulable", "would pass its limit of 2 GPUs")
    add_job(s, "lost", "nowhere", 1, 1)
    is_refused(s, "lost", "QueueDoesNotExist", 'queue "nowhere" does not exist')
    add_job(s, "huge", "team-a", 1, 9)
    is_refused(s, "huge", "Unschedulable", "nodes fit")
    add_job(s, "solid", "poor", 1, 2, "build")
    is_refused(s, "solid", "NonPreemptibleOverQuota", 'has to stay within the quota of queue "poor"')
    tap.eq("what waits is counted", (status_of(s, "wide").get("phase"), status_of(s, "wide").get("pending"), status_of(s, "wide")["resourcesStatus"]["requested"].get(GPU)), ("Pending", 2, "4"))
    ok = wait_for(lambda: any(r.startswith("huge Job team-a train 0/1/1 Pending 1 ") for r in rows(cox(s, "job"))), PATIENCE)
    tap.ok("cox job has the place and why", ok and "would pass its limit of 2 GPUs" in cox(s, "job") and 'queue "nowhere" does not exist' in cox(s, "job", "-A"), cox(s, "job"))
    said = [c["message"] for c in status_of(s, "huge")["schedulingConditions"]]
    tap.ok("with the whole sentence", any(m in cox(s, "job") for m in said), cox(s, "job"))
    lines = on_terminal([COX, "job", "--kubeconfig", s.kubeconfig], 120).splitlines()
    tap.ok("a terminal gets as much as fits", max(map(len, lines)) == 120 and any(len(line) == 120 and line.endswith("...") for line in lines), lines)
    lines = on_terminal([COX, "job", "--kubeconfig", s.kubeconfig], 40).splitlines()
    tap.ok("but never nothing", max(map(len, lines)) == lines[0].index("WHY") + 40, lines)
    text = cox(s, "job", "wide")
    tap.ok("and all of it with a name", "Reason: OverLimit" in rows(text) and "Members: 0 of 2 placed, 2 wait; at least 2 together" in rows(text) and "Queue: shut, number 1" in rows(text), text)
    tap.ok("one that is not there", 'no PodGroup is called "nothing"' in cox(s, "job", "nothing"))
    name = group_of(s, "wide")["metadata"]["name"]
    text = cox(s, "why", "podgroup/" + name)
    tap.ok("cox why podgroup: members, queue, place, reason", all(w in " ".join(rows(text)) for w in (
        f"PodGroup: default/{name}", "Owner: Job wide", "0 of 2 placed, 2 wait; at least 2 together", "Queue: shut, number 1", "would pass its limit", "Asks for: 4 nvidia.com/gpu")), text)
    tap.ok("a group that is not there", 'podgroups.scheduling.run.ai "nothing" not found' in cox(s, "why", "pg/nothing"))
    add_job(s, "loose", "shut", 2, 2, min_member=False)
    ok = wait_for(lambda: condition_of_all(s, "loose-") == ["OverLimit"], PATIENCE)
    tap.ok("a Job whose pods start one by one: each is a row", ok and sum(r.startswith("loose-") for r in rows(cox(s, "job"))) == 2, cox(s, "job"))
    tap.ok("and is found by the Job", "would pass its limit" in cox(s, "why", "job/loose") and cox(s, "job", "loose").count("PodGroup:") == 2, cox(s, "job", "loose"))
    s.delete(f"{JOBS}/loose?propagationPolicy=Background")
    tap.ok("something that owns none", "no PodGroup belongs to svc/nothing" in cox(s, "why", "svc/nothing"))


def it_ends(s):
    since = condition_of(s, "lost")["lastTransitionTime"]
    add_queue(s, "nowhere", "dep", gpu=8)
    tap.ok("the queue comes, and the work starts", comes_to(s, "lost", 1), nodes_of(s))
    ok = wait_for(lambda: condition_of(s, "lost").get("status") == "False", PATIENCE)
    tap.ok("its condition is False then, with the time of that", ok and condition_of(s, "lost")["lastTransitionTime"] >= since and condition_of(s, "lost")["transitionID"] == "2", condition_of(s, "lost"))
    revisions = {g["metadata"]["name"]: g["metadata"]["resourceVersion"] for g in s.get(GROUPS).json["items"]}
    before = condition_of(s, "huge")
    told = len(notes_of(s, "huge", "Unschedulable"))
    s.kill()
    s.start()
    wait_for(lambda: cox(s, "why", "job/huge").count("number 1"), PATIENCE)
    add_pod(s, "after", "team-a", priority="train")
    tap.ok("after a restart work goes on", comes_to(s, "after", 1) and wait_for(lambda: status_of(s, "after").get("running") == 1, PATIENCE), status_of(s, "after"))
    now = condition_of(s, "huge")
    tap.eq("the condition is as old as it was", (now["lastTransitionTime"], now["transitionID"]), (before["lastTransitionTime"], before["transitionID"]))
    tap.eq("and nothing is told twice", len(notes_of(s, "huge", "Unschedulable")), told)
    after = {g["metadata"]["name"]: g["metadata"]["resourceVersion"] for g in s.get(GROUPS).json["items"]}
    name = group_of(s, "lost")["metadata"]["name"]
    tap.eq("what is as it was is not written", after[name], revisions[name])
    drop_jobs(s, "wide", "lost", "huge", "solid")
    s.delete(f"{PODS}/after?gracePeriodSeconds=0")


def not_ready(s):
    made(s.post(GROUPS, {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": "hand"}, "spec": {"minMember": 3, "queue": "team-a", "priorityClassName": "train"}}))
    for i in range(2):
        made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": f"hand-{i}", "annotations": {"pod-group-name": "hand"}, "labels": {"kai.scheduler/queue": "team-a"}},
                           "spec": {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x"}]}}))

    def condition():
        return next(iter(s.get(f"{GROUPS}/hand").json.get("status", {}).get("schedulingConditions", [])), {})
    ok = wait_for(lambda: condition().get("reason") == "NotReady", PATIENCE)
    tap.ok("a gang whose members are missing is not ready", ok and "2 of at least 3 members created; waiting for 1 more" in condition()["message"], condition())
    text = cox(s, "job")
    tap.ok("cox job says so", any(r.startswith("hand PodGroup team-a train 0/3/2 Incomplete") and r.endswith("waiting for 1 more") for r in rows(text)), text)
    notes = [e.get("note") for e in s.get(EVENTS).json["items"] if e["regarding"]["name"] == "hand" and e["reason"] == "NotReady"]
    tap.ok("so does an Event", any("waiting for 1 more" in n for n in notes), notes)
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "hand-2", "annotations": {"pod-group-name": "hand"}, "labels": {"kai.scheduler/queue": "team-a"}},
                       "spec": {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x"}]}}))
    tap.ok("with the last one it starts", comes_to(s, "hand", 3) and wait_for(lambda: condition().get("status") == "False", PATIENCE), condition())
    clear(s)
    s.delete(f"{GROUPS}/hand")


def evictions(s):
    add_job(s, "greedy", "team-a", 1, 1)
    for i in range(4):
        add_job(s, f"greedy{i}", "team-a", 1, 4)
    comes_to(s, "greedy", 4)
    add_job(s, "owed", "team-b", 1, 8)
    tap.ok("what is owed is taken back", comes_to(s, "owed", 1), nodes_of(s))
    gone = [n for n in ("greedy", *(f"greedy{i}" for i in range(4))) if notes_of(s, n, "Evict")]
    words = [x for n in gone for x in notes_of(s, n, "Evict")]
    owed = group_of(s, "owed")["metadata"]["name"]
    tap.ok("the groups that gave way are told to whom and why", gone and all(f'evicted by reclaim for group default/{owed} of queue "team-b", which is owed its share' in w for w in words), (gone, words))
    tap.ok("so are their pods", any("reclaimed, as its queue has more than its share" in e.get("note", "") for e in s.get(EVENTS).json["items"] if e["reason"] == "Preempted"))
    drop_jobs(s, "greedy", "owed", *(f"greedy{i}" for i in range(4)))
    for i in range(4):
        add_job(s, f"low{i}", "team-a", 1, 4)
    comes_to(s, "low", 4)
    add_job(s, "high", "team-a", 1, 4, "build-preemptible")
    tap.ok("a higher priority goes first", comes_to(s, "high", 1), nodes_of(s))
    words = [x for i in range(4) for x in notes_of(s, f"low{i}", "Evict")]
    tap.ok("and says so", len(words) == 1 and "1 pod evicted by preemption for group default/" in words[0] and "whose priority is higher" in words[0], words)
    drop_jobs(s, "high", *(f"low{i}" for i in range(4)))


def how_it_ended(s):
    for name, phase, want in (("well", "Succeeded", {"succeeded": 1, "running": 0, "phase": "Succeeded"}), ("badly", "Failed", {"failed": 1, "running": 0, "phase": "Failed"})):
        add_pod(s, name, "team-a", priority="train")
        tap.ok(f"{name} runs", comes_to(s, name, 1) and wait_for(lambda n=name: status_of(s, n).get("running") == 1, PATIENCE), nodes_of(s))
        made(s.patch(f"{PODS}/{name}/status", {"status": {"phase": phase}}))
        ok = wait_for(lambda n=name, w=want: {k: status_of(s, n).get(k, 0) for k in w} == w, PATIENCE)
        tap.ok(f"and is counted when it has ended: {phase}", ok, status_of(s, name))
    clear(s)


if __name__ == "__main__":
    with Server(scheduler=True) as server:
        add_node(server, "n0")
        add_queue(server, "dep", gpu=16)
        add_queue(server, "team-a", "dep", gpu=8)
        add_queue(server, "team-b", "dep", gpu=8)
        add_queue(server, "poor", "dep", gpu=1)
        add_queue(server, "shut", "dep", limit=2)
        tap.run([what_it_has, why_it_waits, it_ends, not_ready, how_it_ended], server)
        add_node(server, "n1")
        tap.run([evictions], server)
    tap.done()
