#!/usr/bin/env python3
"""GPUs by model: quota and limit of a queue for one model, pods that name models, MIG partitions; what those who wait are told."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, Server, tap, wait_for  # noqa: E402
from test_batch import ALL, QUEUES, clear, comes_to, cox, is_told, made, nodes_of  # noqa: E402
from test_live import PODS  # noqa: E402

GPU, MIG = "nvidia.com/gpu", "nvidia.com/mig-1g.5gb"


def add_node(s, name, product, **amounts):
    size = {"cpu": "64", "memory": "256Gi", "pods": "110", **amounts}
    made(s.post("/api/v1/nodes", {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "nvidia.com/gpu.product": product}}}))
    made(s.patch(f"/api/v1/nodes/{name}/status", {"status": {"capacity": size, "allocatable": size, "conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": ""}]}}))
    made(s.patch(f"/api/v1/nodes/{name}", {"spec": {"taints": None}}))


def add_queue(s, name, **resources):
    spec = {"resources": {"cpu": ALL, "memory": ALL, **{k.replace("_", ":"): v for k, v in resources.items()}}}
    made(s.post(QUEUES, {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": spec}))


def make(s, name, queue, limits, models=None, selector=None):
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": {"kai.scheduler/queue": queue}, "annotations": {"scheduling.cox/gpu-models": models} if models else {}},
                       "spec": {"schedulerName": "kai-scheduler", "terminationGracePeriodSeconds": 0, "nodeSelector": selector or {},
                                "containers": [{"name": "c", "image": "x", "resources": {"limits": {k: str(v) for k, v in limits.items()}}}]}}))


def status(s, queue, key):
    return s.get(f"{QUEUES}/{queue}").json.get("status", {}).get(key, {})


# --- tests -----------------------------------------------------------------------------------------------------------------------

def limit_of_a_model(s):
    add_queue(s, "limited", gpu={"quota": 8}, gpu_A100={"quota": 2, "limit": 2})
    make(s, "named-1", "limited", {GPU: 1}, models="A100")
    make(s, "named-2", "limited", {GPU: 1}, selector={"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"})
    tap.ok("up to the limit", comes_to(s, "named-", 2), nodes_of(s))
    tap.eq("on the model", set(nodes_of(s, "named-").values()), {"a"})
    make(s, "more", "limited", {GPU: 1}, models="a100")
    is_told(s, "more", 'queue "limited" would pass its limit of 2 GPUs of model A100: it has 2 GPUs of model A100, and 1 GPU of model A100 more are asked for')
    make(s, "any", "limited", {GPU: 4})
    tap.ok("who takes any model goes to another", wait_for(lambda: nodes_of(s).get("any") == "h", PATIENCE), nodes_of(s))
    make(s, "too", "limited", {GPU: 2})
    is_told(s, "too", 'nodes with GPU model A100 are left out: queue "limited" may have 2 GPUs of model A100 and has 2 GPUs of model A100')
    want = {"allocated": ("6", "2"), "requested": ("9", "3"), "deserved": ("8", "2")}
    ok = wait_for(lambda: {k: (status(s, "limited", k).get(GPU), status(s, "limited", k).get("nvidia.com/gpu:A100")) for k in want} == want, PATIENCE)
    tap.ok("the queue's status has both, and what waits for the model", ok, status(s, "limited", "requested"))
    clear(s)


def a_model_that_nobody_has(s):
    add_queue(s, "any", gpu=ALL)
    make(s, "odd", "any", {GPU: 1}, models="B200")
    is_told(s, "odd", "1 had GPU model NVIDIA-A100-SXM4-80GB")
    make(s, "shared", "any", {GPU: 1}, models="H100")
    tap.ok("the one that is there is found by a word", wait_for(lambda: nodes_of(s).get("shared") == "h", PATIENCE), nodes_of(s))
    clear(s)


def reclaim_of_a_model(s):
    add_queue(s, "owed", gpu_A100={"quota": 4})
    add_queue(s, "lender", gpu={"quota": 8})
    make(s, "lent", "lender", {GPU: 4}, models="A100")
    tap.ok("what nobody needs is lent", wait_for(lambda: nodes_of(s).get("lent") == "a", PATIENCE), nodes_of(s))
    make(s, "owner", "owed", {GPU: 4}, selector={"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"})
    tap.ok("who has a quota of the model takes it back, though other GPUs are free", wait_for(lambda: nodes_of(s).get("owner") == "a", PATIENCE), nodes_of(s))
    clear(s)


def partitions(s):
    add_node(s, "m", "NVIDIA-A100-SXM4-40GB", **{MIG: "7"})
    add_queue(s, "parts", gpu={"quota": 2, "limit": 3})
    for i in range(4):
        make(s, f"part-{i}", "parts", {MIG: 1})
    tap.ok("partitions count as GPUs of the queue", comes_to(s, "part-", 3), nodes_of(s))
    tap.eq("on the node that has them", {n for n in nodes_of(s, "part-").values() if n}, {"m"})
    is_told(s, next(n for n, where in nodes_of(s, "part-").items() if not where), 'queue "parts" would pass its limit of 3 GPUs')
    tap.ok("the queue's status counts them", wait_for(lambda: status(s, "parts", "allocated").get(GPU) == "3", PATIENCE), status(s, "parts", "allocated"))
    make(s, "none", "any", {"nvidia.com/mig-3g.20gb": 1})
    is_told(s, "none", "lack nvidia.com/mig-3g.20gb")
    clear(s)


def refused(s):
    r = s.post(QUEUES, {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "odd"}, "spec": {"resources": {"gpu:": {}}}})
    tap.ok("a model needs a name", r.status == 422 and "must be gpu, gpu:<model>" in r.json["message"], r)
    r = s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "odd", "annotations": {"mps": "true"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}})
    tap.ok("mps is of parts", r.status == 422 and "needs gpu-fraction or gpu-memory" in r.json["message"], r)
    text = cox(s, "queue")
    tap.ok("cox queue shows the tree", "limited" in text and "parts" in text, text)


if __name__ == "__main__":
    with Server(scheduler=True, args=["--node-grace", "600s"]) as server:
        add_node(server, "a", "NVIDIA-A100-SXM4-80GB", **{GPU: "4"})
        add_node(server, "h", "NVIDIA-H100-PCIe", **{GPU: "4"})
        tap.run([limit_of_a_model, a_model_that_nobody_has, reclaim_of_a_model, partitions, refused], server)
    tap.done()
