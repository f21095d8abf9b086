#!/usr/bin/env python3
"""Work that waits for long in `cox server`: room that is reserved for it, who may use it meanwhile, what both are told, markUnschedulable and schedulingBackoff, how long queues starve."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lib.cox import PATIENCE, Server, tap, wait_for  # noqa: E402
from test_batch import GROUPS, PODS, add_node, add_pod, add_queue, bound, clear, comes_to, cox, is_told, made, said  # noqa: E402

GPU = "nvidia.com/gpu"


def why(s, name, words):
    return tap.ok(f"cox why {name}: {words}", wait_for(lambda: words in cox(s, "why", f"pod/{name}"), PATIENCE, 0.1), cox(s, "why", f"pod/{name}"))


def metric(s, series):
    return next((float(line.split()[-1]) for line in s.get("/metrics").text.splitlines() if line.startswith(series)), None)


def reserved(s):
    add_pod(s, "runs", "team", 4, activeDeadlineSeconds=3000)
    tap.ok("somebody runs, and says for how long", comes_to(s, "runs", 1))
    add_pod(s, "head", "team", 8)
    why(s, "head", "room is reserved for it on one, expected start 20")
    add_pod(s, "short", "team", 2, activeDeadlineSeconds=1000)
    tap.ok("who ends before that starts there", comes_to(s, "short", 1), said(s, "short"))
    add_pod(s, "long", "team", 2, activeDeadlineSeconds=5000)
    why(s, "long", "kept free for group default/pg-head-")
    is_told(s, "long", "kept free for")
    is_told(s, "head", "expected start 20")
    tap.eq("the reservation is counted", metric(s, "cox_scheduler_reservations"), 1)
    tap.ok("and so is how long the head has starved", wait_for(lambda: (metric(s, 'cox_queue_starvation_seconds{queue_name="team"}') or 0) > 0, PATIENCE, 0.1))
    tap.ok("and what others wait for", metric(s, 'cox_queue_pending_units{queue_name="team",reason="no_room"}') == 2)
    s.delete(f"{PODS}/short?gracePeriodSeconds=0")
    tap.ok("room that becomes free is not refilled", wait_for(lambda: bound(s, "short") == 0, PATIENCE) and bound(s, "long") == 0)
    s.delete(f"{PODS}/runs?gracePeriodSeconds=0")
    tap.ok("the head starts as soon as it can", comes_to(s, "head", 1), said(s, "head"))
    s.delete(f"{PODS}/head?gracePeriodSeconds=0")
    tap.ok("and then the others", comes_to(s, "long", 1), said(s, "long"))
    tap.eq("nothing is reserved any more", metric(s, "cox_scheduler_reservations"), 0)
    clear(s)


def expected(s):
    """The same by our annotation, and it goes with its unit."""
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "runs", "labels": {"kai.scheduler/queue": "team"}, "annotations": {"scheduling.cox/expected-runtime": "2h30m"}},
                       "spec": {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x", "resources": {"limits": {GPU: "4"}}}]}}))
    comes_to(s, "runs", 1)
    add_pod(s, "head", "team", 8)
    why(s, "head", "room is reserved")
    add_pod(s, "late", "team", 1)
    why(s, "late", "kept free for")
    s.delete(f"{PODS}/head?gracePeriodSeconds=0")
    tap.ok("when the head goes, its room is free", comes_to(s, "late", 1), said(s, "late"))
    clear(s)


def group(s, name, size, **spec):
    made(s.post(GROUPS, {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": name}, "spec": {"minMember": size, "queue": "team", **spec}}))
    for i in range(size):
        made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": f"{name}-{i}", "labels": {"kai.scheduler/queue": "team"}, "annotations": {"pod-group-name": name}},
                           "spec": {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x", "resources": {"limits": {GPU: "8"}}}]}}))


def unmarked(s):
    group(s, "quiet", 2, markUnschedulable=False)
    why(s, "quiet-0", "nvidia.com/gpu")
    group(s, "loud", 2)
    is_told(s, "loud-0", "nvidia.com/gpu")
    tap.eq("a pod of a group that is not to be marked is not", said(s, "quiet-0"), "")
    for n in ("quiet", "loud"):
        s.delete(f"{GROUPS}/{n}")
    clear(s)


def gives_up(s):
    add_pod(s, "runs", "team", 8)
    comes_to(s, "runs", 1)
    group(s, "once", 1, schedulingBackoff=1)
    why(s, "once-0", "not tried again until nodes change")
    s.delete(f"{PODS}/runs?gracePeriodSeconds=0")
    add_pod(s, "next", "team", 1)
    tap.ok("who gave up is passed over when there is room", comes_to(s, "next", 1) and bound(s, "once") == 0)
    add_node(s, "two")
    tap.ok("and tried again when a node comes", comes_to(s, "once", 1), said(s, "once-0"))
    s.delete(f"{GROUPS}/once")
    clear(s)


if __name__ == "__main__":
    with Server(scheduler=True) as server:
        add_node(server, "one")
        add_queue(server, "all", gpu=8)
        add_queue(server, "team", "all", gpu=8)
        tap.run([reserved, expected, unmarked, gives_up], server)
    tap.done()
