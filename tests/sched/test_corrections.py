#!/usr/bin/env python3
"""What was written wrong can be corrected: the queue of a pod or an owner, as long as nothing has started."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, Server, tap, wait_for  # noqa: E402
from test_batch import GROUPS, PODS, add_node, add_pod, add_queue, clear, comes_to, is_told, made, nodes_of  # noqa: E402

JOBS = "/apis/batch/v1/namespaces/default/jobs"


def queues(s):
    return sorted(g["spec"].get("queue", "") for g in s.get(GROUPS).json["items"])


def of_a_pod(s):
    add_pod(s, "odd", "tema")
    is_told(s, "odd", 'queue "tema" does not exist')
    made(s.patch(f"{PODS}/odd", {"metadata": {"labels": {"kai.scheduler/queue": "team"}}}))
    tap.ok("its group follows, and it starts", comes_to(s, "odd", 1), (nodes_of(s), queues(s)))
    tap.eq("in the right queue", queues(s), ["team"])
    made(s.patch(f"{PODS}/odd", {"metadata": {"labels": {"kai.scheduler/queue": "other"}}}))
    tap.ok("what runs stays where it is", not wait_for(lambda: queues(s) != ["team"], 3), queues(s))
    clear(s)


def of_an_owner(s):
    made(s.post(JOBS, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job", "labels": {"kai.scheduler/queue": "tema"}, "annotations": {"kai.scheduler/batch-min-member": "2"}},
                       "spec": {"parallelism": 2, "completions": 2, "template": {"spec": {"schedulerName": "kai-scheduler", "restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                                                                                         "containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}))
    tap.ok("the group of a Job has the Job's queue", wait_for(lambda: queues(s) == ["tema"], PATIENCE), queues(s))
    is_told(s, next(iter(wait_for(lambda: nodes_of(s, "job"), PATIENCE) and nodes_of(s, "job"))), 'queue "tema" does not exist')
    made(s.patch(f"{JOBS}/job", {"metadata": {"labels": {"kai.scheduler/queue": "team"}}}))
    tap.ok("and follows it", comes_to(s, "job", 2), (nodes_of(s), queues(s)))
    s.delete(f"{JOBS}/job?propagationPolicy=Background")
    clear(s)


if __name__ == "__main__":
    with Server(scheduler=True, args=["--node-grace", "600s"]) as server:
        add_node(server, "n1", 8)
        add_queue(server, "team", gpu=8)
        add_queue(server, "other", gpu=8)
        tap.run([of_a_pod, of_an_owner], server)
    tap.done()
