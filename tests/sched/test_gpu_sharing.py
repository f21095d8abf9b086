#!/usr/bin/env python3
"""GPUs in parts: which devices pods get, that the choice is written down and outlives the scheduler, queues that count parts, nodes on paper that have GPUs."""
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Server, tap, wait_for  # noqa: E402
from test_batch import add_queue, made, said  # noqa: E402
from test_live import PODS, Scheduler, clear, get_pod, node_of, wait_bound  # noqa: E402

IDS, KIND = "cox.io/gpu-ids", "received-resource-type"


def add_node(s, name, gpus, memory=None, product=None):
    labels = {"kubernetes.io/hostname": name, **({"nvidia.com/gpu.memory": str(memory)} if memory else {}), **({"nvidia.com/gpu.product": product} if product else {})}
    size = {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    made(s.post("/api/v1/nodes", {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": labels}}))
    made(s.patch(f"/api/v1/nodes/{name}/status", {"status": {"capacity": size, "allocatable": size, "conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": ""}]}}))
    made(s.patch(f"/api/v1/nodes/{name}", {"spec": {"taints": None}}))


def make(s, name, part=None, memory=None, devices=None, whole=0, annotations=None, labels=None, **spec):
    notes = {"gpu-fraction": part, "gpu-memory": memory, "gpu-fraction-num-devices": devices, **(annotations or {})}
    container = {"name": "c", "image": "x", **({"resources": {"limits": {"nvidia.com/gpu": str(whole)}}} if whole else {})}
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": labels or {}, "annotations": {k: str(v) for k, v in notes.items() if v is not None}},
                       "spec": {"terminationGracePeriodSeconds": 0, "containers": [container], **spec}}))


def notes(s, name):
    return get_pod(s, name).get("metadata", {}).get("annotations", {})


def devices(s, *names):
    """The devices of each, when all have a node; what they are told otherwise."""
    if not wait_bound(s, *names):
        return [said(s, n) for n in names]
    found = [notes(s, n).get(IDS) for n in names]
    return found if len(names) > 1 else found[0]


def place(s, name, **ask):
    make(s, name, **ask)
    return devices(s, name)


def waits(s, name, words=""):
    return tap.ok(f"{name} waits, and is told why", wait_for(lambda: words in said(s, name) and said(s, name) and not node_of(s, name), PATIENCE), said(s, name))


def remove(s, *names):
    for n in names:
        s.delete(f"{PODS}/{n}?gracePeriodSeconds=0")
    wait_for(lambda: not any(get_pod(s, n) for n in names), PATIENCE)


# --- tests -----------------------------------------------------------------------------------------------------------------------

def parts(s):
    add_node(s, "n", 2)
    tap.eq("half a device", place(s, "a", part=0.5), "0")
    tap.eq("how it was given is written down, too", notes(s, "a"), {"gpu-fraction": "0.5", IDS: "0", KIND: "Fraction"})
    tap.eq("the other half of it", place(s, "b", part=0.5), "0")
    tap.eq("what does not fit there gets another", place(s, "c", part=0.6), "1")
    tap.eq("what does, joins it", place(s, "d", part="0.25"), "1")
    make(s, "e", part=0.2)
    waits(s, "e", "0/1 nodes fit")
    make(s, "f", whole=1)
    waits(s, "f", "0/1 nodes fit")
    make(s, "plain")
    wait_bound(s, "plain")
    tap.eq("a pod without GPUs gets no annotations", get_pod(s, "plain")["metadata"].get("annotations"), None)
    remove(s, "e", "c", "d")
    tap.eq("a whole device is one that nobody shares", devices(s, "f"), "1")
    tap.eq("and says so", notes(s, "f"), {IDS: "1", KIND: "Regular"})
    make(s, "g", part=0.1)
    waits(s, "g", "0/1 nodes fit")
    clear(s)


def by_memory(s):
    add_node(s, "n", 2, memory=40000)
    names = [f"m{i}" for i in range(4)]
    for n in names:
        make(s, n, memory=10000)
    tap.eq("a quarter of the memory each", devices(s, *names), ["0"] * 4)
    tap.eq("with parts on one device", (place(s, "more", memory=30001), place(s, "rest", part=0.2)), ("1", "1"))
    make(s, "big", memory=40001)
    waits(s, "big", "0/1 nodes fit")
    clear(s)
    add_node(s, "unknown", 2)
    make(s, "m", memory=100)
    waits(s, "m", "0/1 nodes fit")
    clear(s)


def several_devices(s):
    add_node(s, "n", 3)
    tap.eq("a part of each of two", place(s, "two", part=0.5, devices=2), "0,1")
    tap.eq("others fill them up", (place(s, "again", part=0.5, devices=2), place(s, "one", part=0.4)), ("0,1", "2"))
    make(s, "three", part=0.1, devices=3)
    waits(s, "three", "0/1 nodes fit")
    remove(s, "again", "one")
    tap.eq("a whole one is none of them", place(s, "whole", whole=1), "2")
    clear(s)


def one_model(s):
    add_node(s, "a", 1, product="A100")
    add_node(s, "h", 1, product="H100")
    for i in range(2):
        make(s, f"h{i}", part=0.5, nodeSelector={"nvidia.com/gpu.product": "H100"})
    tap.eq("parts of a certain model", (devices(s, "h0", "h1"), node_of(s, "h0"), node_of(s, "h1")), (["0", "0"], "h", "h"))
    make(s, "h2", part=0.5, nodeSelector={"nvidia.com/gpu.product": "H100"})
    waits(s, "h2", "0/2 nodes fit")
    clear(s)


def outlives_the_server(s):
    shared_devices(s, lambda: (s.kill(), s.start()))


def outlives_the_scheduler(s):
    """The same for `cox scheduler`, which has no data of its own."""
    with Server() as other:
        runs = [Scheduler(other)]
        try:
            def again():
                runs.pop().end(signal.SIGKILL)
                runs.append(Scheduler(other))
            shared_devices(other, again)
        finally:
            runs[0].end()


def shared_devices(s, restart):
    add_node(s, "n", 5)
    first = [place(s, n, **ask) for n, ask in (("a", {"part": 0.5}), ("b", {"part": 0.5}), ("c", {"part": 0.6}), ("w", {"whole": 1}), ("d", {"part": 0.5, "devices": 2}))]
    tap.eq("before", first, ["0", "0", "1", "2", "3,4"])
    remove(s, "a", "b")
    # of itself a new scheduler would begin with device 0
    restart()
    tap.eq("the free device is found", place(s, "x", whole=1), "0")
    tap.eq("and the room beside a part", place(s, "y", part=0.4), "1")
    make(s, "z", part=0.6)
    waits(s, "z", "0/1 nodes fit")
    restart()
    remove(s, "w")
    tap.eq("devices that come free later are known, too", devices(s, "z"), "2")
    clear(s)


def odd_annotations(s):
    """Whoever copies a pod copies its annotations."""
    add_node(s, "n", 2)
    tap.eq("devices of another life do not count", place(s, "copy", part=0.5, annotations={IDS: "1", KIND: "Regular"}), "0")
    tap.eq("and are replaced", notes(s, "copy"), {"gpu-fraction": "0.5", IDS: "0", KIND: "Fraction"})
    tap.eq("nor nonsense", place(s, "odd", part=0.5, annotations={IDS: "many, and more"}), "0")
    make(s, "by-hand", whole=1, annotations={IDS: "no number"}, nodeName="n")
    make(s, "late", whole=1)
    waits(s, "late", "0/1 nodes fit")
    clear(s)


def queues_count_parts(s):
    add_node(s, "n", 4)
    add_queue(s, "dep", gpu=4)
    add_queue(s, "small", "dep", limit=1)
    add_queue(s, "large", "dep", gpu=2)
    mine = {"labels": {"kai.scheduler/queue": "small"}, "schedulerName": "kai-scheduler"}
    tap.eq("a queue of one GPU takes two halves", (place(s, "q0", part=0.5, **mine), place(s, "q1", part=0.5, **mine)), ("0", "0"))
    make(s, "q2", part=0.5, **mine)
    waits(s, "q2", 'queue "small" would pass its limit of 1 GPU')
    tap.ok("its status counts them", wait_for(lambda: s.get("/apis/scheduling.run.ai/v2/queues/small").json.get("status", {}).get("allocated", {}).get("nvidia.com/gpu") in ("1", "1000m"), PATIENCE),
           s.get("/apis/scheduling.run.ai/v2/queues/small").json.get("status"))
    tap.eq("another queue has room", place(s, "other", part=0.3, devices=2, labels={"kai.scheduler/queue": "large"}, schedulerName="kai-scheduler"), "1,2")
    remove(s, "q0")
    tap.eq("and when a half is free again, the next gets it", devices(s, "q2"), "0")
    clear(s)


def bindings(s):
    """What a scheduler of somebody else's may write with a bind."""
    make(s, "p", annotations={"mine": "1"}, schedulerName="other")
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p", "annotations": {"two words": "x"}}, "target": {"kind": "Node", "name": "n"}}
    r = s.post(f"{PODS}/p/binding", binding)
    tap.ok("an annotation that cannot be is refused", r.status == 422 and 'Binding "p" is invalid: metadata.annotations: Invalid value: "two words"' in r.json["message"], r)
    tap.eq("and nothing was done", node_of(s, "p"), "")
    binding["metadata"]["annotations"] = {IDS: "1", "mine": "2"}
    tap.eq("others are stored", (s.post(f"{PODS}/p/binding", binding).status, notes(s, "p"), node_of(s, "p")), (201, {IDS: "1", "mine": "2"}, "n"))
    clear(s)


def on_paper(s):
    command = [COX, "agent", "--simulate", "2", "--simulate-prefix", "paper-", "--kubeconfig", s.kubeconfig, "--node-capacity", "nvidia.com/gpu=2", "--node-label", "nvidia.com/gpu.memory=24000"]
    with open(s.path("simulate.log"), "wb") as log:
        sim = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        names = [f"s{i}" for i in range(8)]
        for i, n in enumerate(names):
            make(s, n, **({"part": 0.5} if i % 2 else {"memory": 12000}))
        tap.ok("nodes on paper run pods with parts of GPUs", wait_for(lambda: all(get_pod(s, n).get("status", {}).get("phase") == "Running" for n in names), PATIENCE), [said(s, n) for n in names])
        where = [(node_of(s, n), notes(s, n).get(IDS)) for n in names]
        tap.eq("two on each device", sorted(where), sorted([(f"paper-{n}", str(d)) for n in range(2) for d in range(2)] * 2))
    finally:
        sim.terminate()
        sim.wait(timeout=PATIENCE)
    clear(s)


if __name__ == "__main__":
    with Server(scheduler=True, args=["--node-grace", "600s"]) as server:
        tap.run([parts, by_memory, several_devices, one_model, outlives_the_server, outlives_the_scheduler, odd_annotations, queues_count_parts, bindings, on_paper], server)
    tap.done()
