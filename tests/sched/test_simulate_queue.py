#!/usr/bin/env python3
"""POST queues/NAME/simulate and `cox queue simulate`: would this work start, when, where and at whose cost; that nothing is changed by asking."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lib.cox import COX, PATIENCE, Server, tap, wait_for  # noqa: E402
from test_batch import PODS, QUEUES, add_node, add_pod, add_queue, comes_to, made  # noqa: E402


def pod(gpus, priority=None, **more):
    spec = {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}], **more}
    if priority:
        spec["priorityClassName"] = priority
    return {"metadata": {"labels": {"any": "one"}}, "spec": spec}


def gang(n, gpus, **more):
    return {"templates": [{"replicas": n, "template": pod(gpus)}], **more}


def ask(s, queue, question, **more):
    return s.post(f"{QUEUES}/{queue}/simulate", question, **more)


def starts(s, name, queue, question, want, words=""):
    r = ask(s, queue, question)
    ok = r.status == 200 and r.json["starts"] == want and words in r.json["reason"]
    tap.ok(f"{name}: {want}", ok, f"{r.status} {r.json}")
    return r.json if r.status == 200 else {}


def state(s):
    """All that asking must not change: objects without what time alone writes."""
    queues = {q["metadata"]["name"]: {k: q.get("status", {}).get(k) for k in ("allocated", "requested", "runningUnits", "pendingUnits")} for q in s.get(QUEUES).json["items"]}
    pods = {p["metadata"]["name"]: (p["spec"].get("nodeName"), p["metadata"].get("deletionTimestamp"), p["status"].get("nominatedNodeName")) for p in s.get(PODS).json["items"]}
    return queues, pods


def test_answers(s):
    one = starts(s, "room for one", "a", {"pods": [pod(1)]}, "Now", "there is room for 1 pod on 1 node")
    tap.ok("it says where", [n["pods"] for n in one.get("nodes", [])] == [1] and one.get("victims") == [], one)
    starts(s, "room for a gang of two nodes", "a", gang(2, 8), "Now")
    for i in range(4):
        add_pod(s, f"b{i}", "b", 4)
    tap.ok("b has all 16 GPUs", comes_to(s, "b", 4))
    wait_for(lambda: state(s)[0]["b"]["runningUnits"] == 4, PATIENCE, 0.05)
    before = state(s)
    took = starts(s, "a takes back its quota", "a", gang(2, 4), "AfterEviction", "2 pods would have to give way (reclaim)")
    tap.ok("the victims are b's", len(took.get("victims", [])) == 2 and all(v["queue"] == "b" and v["name"].startswith("b") and v["node"] for v in took["victims"]), took)
    tap.ok("and it is next in line", took.get("position") == 1, took)
    tap.ok("with its amounts", took.get("asks", {}).get("nvidia.com/gpu") == "8" and took.get("fairShare", {}).get("nvidia.com/gpu") == "8", took)
    starts(s, "beyond its share it waits", "a", gang(3, 4), "Waits", "reclaim does not help")
    starts(s, "more than the cluster has", "a", gang(3, 8), "Never", "alone in the cluster")
    starts(s, "more than its queue may ever have", "b", gang(4, 8), "Never", "would pass its limit of 24 GPUs")
    starts(s, "one that cannot be preempted, beyond the quota", "a", {"pods": [pod(8, "inference"), pod(8, "inference")]}, "Never", "cannot be preempted")
    starts(s, "a node that is not there", "a", {"pods": [pod(1, nodeSelector={"disk": "none"})]}, "Never")
    starts(s, "more important work of its own queue", "b", {"pods": [pod(8, "build-preemptible")]}, "AfterEviction", "preemption")
    starts(s, "elastic: the minimum counts", "a", gang(16, 4, minMember=1), "AfterEviction", "1 pod would have to give way")
    group = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"minMember": 2, "queue": "b"}}
    starts(s, "a podGroup beside the pods", "a", {"podGroup": group, "pods": [pod(4), pod(4)]}, "AfterEviction")
    starts(s, "a queue of queues", "root", {"pods": [pod(1)]}, "Never", "made of other queues")
    for _ in range(200):
        ask(s, "a", gang(2, 4))
    tap.ok("asking changes nothing", state(s) == before, f"{before} {state(s)}")


def test_refusals(s):
    for name, queue, question, status, words in (
            ("an unknown queue", "nope", {"pods": [pod(1)]}, 404, "not found"),
            ("no pods", "a", {}, 400, "from 1 to 1024"),
            ("too many", "a", gang(1024, 1, pods=[pod(1)]), 400, "1025 pods"),
            ("a bad number", "a", gang(0, 1), 400, "templates[0].replicas"),
            ("no spec", "a", {"pods": [{"metadata": {}}]}, 400, "pods[0].spec"),
            ("an unknown field", "a", {"jobs": []}, 400, "jobs: is not known"),
            ("a minimum above the pods", "a", gang(2, 1, minMember=3), 400, "minMember"),
            ("no list", "a", {"pods": 3}, 400, "must be lists"),
            ("a bad quantity", "a", {"pods": [pod("many")]}, 400, "pods[0]"),
            ("a priority class that is not there", "a", {"pods": [pod(1, "nothing")]}, 400, "priority class"),
            ("a list", "a", [], 400, "must be an object")):
        r = ask(s, queue, question)
        tap.ok(f"{name} is refused", r.status == status and words in str(r.json), f"{r.status} {r.json}")
    r = s.get(f"{QUEUES}/a/simulate")
    tap.ok("GET is not asked", r.status == 405, r.status)
    r = s.request("POST", f"{QUEUES}/a/simulate", body=b"{", headers={"Content-Type": "application/json"})
    tap.ok("half a body is refused", r.status == 400, r.status)
    r = s.request("POST", f"{QUEUES}/a/simulate", body=b"pods: [{spec: {containers: [{name: c, image: x}]}}]", headers={"Content-Type": "application/yaml"})
    tap.ok("YAML is read", r.status == 200, f"{r.status} {r.json}")
    found = [x for x in s.get("/apis/scheduling.run.ai/v2").json["resources"] if x["name"] == "queues/simulate"]
    tap.ok("discovery has it", found and found[0]["verbs"] == ["create"], found)


def test_access(s):
    """Whoever may not create queues/simulate is refused."""
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "asker"},
            "rules": [{"apiGroups": ["scheduling.run.ai"], "resources": ["queues/simulate"], "verbs": ["create"]}]}
    bind = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "asker"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "asker"}, "subjects": [{"kind": "User", "name": "ann"}]}
    ann = {"Impersonate-User": "ann"}
    tap.ok("without the right: 403", ask(s, "a", {"pods": [pod(1)]}, headers=ann).status == 403)
    made(s.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", role))
    made(s.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", bind))
    tap.ok("with it: an answer", wait_for(lambda: ask(s, "a", {"pods": [pod(1)]}, headers=ann).status == 200, PATIENCE, 0.05))


def test_cli(s):
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp) / "job.yaml"
        path.write_text("apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n  parallelism: 2\n  template:\n    spec:\n"
                        "      containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 4}}}]\n")

        def cox(*words):
            return subprocess.run([COX, "queue", "simulate", *words, "--kubeconfig", s.kubeconfig], capture_output=True, text=True, timeout=PATIENCE)
        out = cox("a", "-f", str(path))
        tap.ok("cox queue simulate says it", out.returncode == 0 and "after evictions" in out.stdout and "default/b" in out.stdout, out.stdout + out.stderr)
        out = cox("a", "-f", str(path), "-o", "json")
        tap.ok("... as JSON", out.returncode == 0 and json.loads(out.stdout)["starts"] == "AfterEviction", out.stdout + out.stderr)
        # the same of a copy of the cluster, in virtual time
        def sim(*words):
            return subprocess.run([COX, "sim", *words, "--kubeconfig", s.kubeconfig], capture_output=True, text=True, timeout=PATIENCE)
        before = state(s)
        path.write_text(path.read_text() + "---\napiVersion: v1\nkind: Node\nmetadata: {name: n9}\nstatus: {allocatable: {cpu: 64, memory: 256Gi, pods: 110, nvidia.com/gpu: 8}}\n")
        out = sim("--what-if", str(path), "-o", "json")
        got = json.loads(out.stdout)["whatIf"] if not out.returncode else {}
        tap.ok("cox sim --what-if of the running cluster: a node more", [(w["name"], w["starts"], w["node"]) for w in got.get("work", [])] == [("train-0", "Now", "n9"), ("train-1", "Now", "n9")],
               out.stdout + out.stderr)
        path.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: one, labels: {kai.scheduler/queue: a}}\nspec: {containers: [{name: c, image: x, resources: {requests: {nvidia.com/gpu: 8}}}]}\n")
        out = sim("--what-if", str(path))
        tap.ok("... one pod: who has to go", out.returncode == 0 and "in queue a, place 1" in out.stdout and "has to go      b" in out.stdout, out.stdout + out.stderr)
        tap.ok("and nothing has changed", state(s) == before)
        path.write_text("apiVersion: v1\nkind: Service\nmetadata: {name: x}\n")
        out = cox("a", "-f", str(path))
        tap.ok("a file without pods is refused", out.returncode != 0 and "Service" in out.stderr, out.stderr)
        tap.ok("a queue must be named", cox("-f", str(path)).returncode != 0)


def main():
    with Server(scheduler=True) as s:
        add_node(s, "n1")
        add_node(s, "n2")
        add_queue(s, "root", gpu=16)
        add_queue(s, "a", "root", gpu=8)
        add_queue(s, "b", "root", gpu=8, limit=24)
        wait_for(lambda: ask(s, "a", {"pods": [pod(1)]}).status == 200, PATIENCE, 0.05)
        test_answers(s)
        test_refusals(s)
        test_access(s)
        test_cli(s)
    with Server() as s:
        add_queue(s, "a", gpu=8)
        r = ask(s, "a", {"pods": [pod(1)]})
        tap.ok("without a scheduler: 503 with a sentence", r.status == 503 and "no scheduler runs" in str(r.json), f"{r.status} {r.json}")
    tap.done()


if __name__ == "__main__":
    main()
