#!/usr/bin/env python3
"""NUMA zones in `cox server`: a node's annotation says what its zones have, a pod's that it wants one."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lib.cox import PATIENCE, Server, tap, wait_for  # noqa: E402
from test_shards import MERGE, PODS, add_node, made, nodes_of, said  # noqa: E402

ZONES = '[{"cpu": "4", "memory": "32Gi", "gpus": [0, 1]}, {"cpu": "4", "memory": "32Gi", "gpus": [2, 3]}]'


def pod(s, name, cpu, gpus=0, **notes):
    limits = {"cpu": str(cpu), "memory": "1Gi", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "annotations": notes}, "spec": {"containers": [{"name": "c", "image": "x", "resources": {"limits": limits}}]}}))


def placed(s, name):
    return wait_for(lambda: nodes_of(s, name).get(name) == "n", PATIENCE, 0.05)


def zones(s):
    made(s.request("PATCH", "/api/v1/nodes/n", {"metadata": {"annotations": {"scheduling.cox/numa-zones": ZONES}}}, headers=MERGE))
    pod(s, "wide", 6, **{"scheduling.cox/numa": "require"})
    tap.ok("more than a zone has finds no place", wait_for(lambda: said(s, "wide"), PATIENCE) and not nodes_of(s)["wide"], said(s, "wide"))
    tap.ok("and is told so", "NUMA" in said(s, "wide"), said(s, "wide"))
    pod(s, "one", 3, 2, **{"scheduling.cox/numa": "require"})
    pod(s, "two", 3, 2, **{"katalyst.kubewharf.io/memory_enhancement": '{"numa_binding": "true"}'})
    tap.ok("one in each zone", placed(s, "one") and placed(s, "two"), (said(s, "one"), said(s, "two")))
    ids = sorted(s.get(f"{PODS}/{n}").json["metadata"]["annotations"]["cox.io/gpu-ids"] for n in ("one", "two"))
    tap.ok("with the devices of the zone", ids == ["0,1", "2,3"], ids)
    pod(s, "three", 2, **{"scheduling.cox/numa": "require"})
    tap.ok("two cores are left, in two zones", wait_for(lambda: said(s, "three"), PATIENCE) and not nodes_of(s)["three"], said(s, "three"))
    pod(s, "odd", 1, **{"scheduling.cox/numa": "sideways"})
    tap.ok("a word that is none is told", wait_for(lambda: "sideways" in said(s, "odd"), PATIENCE), said(s, "odd"))


if __name__ == "__main__":
    with Server(scheduler=True) as server:
        add_node(server, "n", 4, cpu=8)
        tap.run([zones], server)
    tap.done()
