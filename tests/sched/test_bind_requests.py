#!/usr/bin/env python3
"""BindRequests: a record of each bind of a unit in a queue, when the server is told to write them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, Server, tap, wait_for  # noqa: E402
from test_batch import PODS, add_node, add_pod, add_queue, clear, comes_to, made, nodes_of  # noqa: E402

REQUESTS = "/apis/scheduling.run.ai/v1alpha2/namespaces/default/bindrequests"


def record(s, name):
    r = s.get(f"{REQUESTS}/{name}")
    return r.json if r.status == 200 else {}


def is_done(s, name):
    return wait_for(lambda: record(s, name).get("status", {}).get("phase") == "Succeeded", PATIENCE, 0.05)


def whole(s):
    add_pod(s, "whole", "team", gpus=2)
    tap.ok("a bind is recorded", is_done(s, "whole"), record(s, "whole"))
    r, pod = record(s, "whole"), s.get(f"{PODS}/whole").json
    tap.eq("where it goes and what it gets", r["spec"], {"podName": "whole", "selectedNode": "n1", "receivedResourceType": "Regular", "receivedGPU": {"count": 2, "portion": "1.00"}})
    tap.eq("it is the pod's", [(o["kind"], o["uid"]) for o in r["metadata"]["ownerReferences"]], [("Pod", pod["metadata"]["uid"])])
    tap.eq("its label", r["metadata"]["labels"], {"selected-node": "n1"})


def parts(s):
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "part", "labels": {"kai.scheduler/queue": "team"}, "annotations": {"gpu-fraction": "0.25"}},
                       "spec": {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "x"}]}}))
    tap.ok("of a part, too", is_done(s, "part"), record(s, "part"))
    device = s.get(f"{PODS}/part").json["metadata"]["annotations"]["cox.io/gpu-ids"]
    want = {"podName": "part", "selectedNode": "n1", "receivedResourceType": "Fraction", "receivedGPU": {"count": 1, "portion": "0.25"}, "selectedGPUGroups": [f"n1/{device}"]}
    tap.eq("with the device", record(s, "part")["spec"], want)


def others(s):
    add_pod(s, "plain", scheduler="default-scheduler", gpus=0)
    tap.ok("a pod without a queue starts", comes_to(s, "plain", 1), nodes_of(s))
    add_pod(s, "last", "team", gpus=1)
    tap.ok("later ones are recorded", is_done(s, "last"), record(s, "last"))
    tap.eq("the other is not", record(s, "plain"), {})
    clear(s)
    tap.ok("records go with their pods", wait_for(lambda: not s.get(REQUESTS).json["items"], PATIENCE), s.get(REQUESTS))


def without(s):
    add_pod(s, "quiet", "team", gpus=1)
    tap.ok("it starts", comes_to(s, "quiet", 1), nodes_of(s))
    tap.eq("and nothing is written", s.get(REQUESTS).json["items"], [])


if __name__ == "__main__":
    for args, tests in ((["--bind-requests"], [whole, parts, others]), ([], [without])):
        with Server(scheduler=True, args=["--node-grace", "600s", *args]) as server:
            add_node(server, "n1", 8)
            add_queue(server, "team", gpu=8)
            tap.run(tests, server)
    tap.done()
