#!/usr/bin/env python3
"""Several nodes, each an agent in a network namespace of its own: joining, pods across nodes, and what is lost and comes back."""
import glob
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.invariants import Invariants  # noqa: E402
from lib.node import Fleet, Node, condition, isolate, pod, statuses  # noqa: E402


def holds(w, name):
    bad = w.check()
    tap.ok(f"{name}: the invariants hold", not bad, "\n".join(bad[:20]))


def nodes_join(f, w):
    f.add(1)
    f.add(2)
    f.wait_nodes()
    nodes = {n["metadata"]["name"]: n for n in f.get("/api/v1/nodes").json["items"]}
    tap.eq("both nodes are there", sorted(nodes), ["node-1", "node-2"])
    cidrs = {n["spec"]["podCIDR"] for n in nodes.values()}
    tap.eq("each with addresses of its own", len(cidrs), 2)
    csrs = f.get("/apis/certificates.k8s.io/v1/certificatesigningrequests").json["items"]
    tap.ok("by certificates that the cluster signed", {c["spec"]["signerName"] for c in csrs} >= {"kubernetes.io/kube-apiserver-client-kubelet"}, csrs)
    bad = Node(f, 9)
    bad.join("aaaaaa.0123456789abcdef", f.ca_hash)
    f.wait(lambda: "token" in bad.log().lower() or bad.process.poll() is not None, "an answer to a wrong token")
    tap.ok("a wrong token does not join", f.get("/api/v1/nodes/node-9").status == 404)
    bad.remove()


def pods_reach_each_other(f, w):
    for n in f.nodes:
        f.create({**pod(f"web-{n.name}", image="cox/web"), "spec": {**pod("x", image="cox/web")["spec"], "nodeName": n.name}})
    pods = {n.name: f.wait_running(f"web-{n.name}") for n in f.nodes}
    ip = {name: p["status"]["podIP"] for name, p in pods.items()}
    target = ip["node-2"]
    f.create({**pod("client"), "spec": {**pod("client", f"exec 3<>/dev/tcp/{target}/8080; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3; echo done; sleep 1000",
                                              container={"command": ["/bin/bash", "-c", f"exec 3<>/dev/tcp/{target}/8080; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3; echo done; sleep 1000"]})["spec"],
                                        "nodeName": "node-1"}})
    f.wait_running("client")
    f.wait(lambda: "done" in f.logs("client"), "the answer from the other node")
    tap.has("a pod reaches a pod of another node", f.logs("client"), "200")
    answer = f.get(f.url("Pod", "web-node-2") + "/log")
    tap.eq("a node that is ready has a certificate that the server trusts", answer.status, 200) or print("#", answer.text)
    f.wait(lambda: "GET" in f.logs("web-node-2"), "its log")
    tap.ok("logs come through the server from any node", True)


def agents_restart(f, w):
    node = f.nodes[0]
    before = f.read("web-node-1")
    pids = node.processes(before["metadata"]["uid"])
    node.kill()
    tap.ok("pods go on without their agent", pids and all(os.path.exists(f"/proc/{p}") for p in pids))
    node.start()
    f.create({**pod("after"), "spec": {**pod("after", "sleep 1000")["spec"], "nodeName": node.name}})
    f.wait_running("after")
    now = f.read("web-node-1")
    tap.eq("the next one takes them over", (node.processes(before["metadata"]["uid"]), statuses(now)["c"]["restartCount"], now["status"]["podIP"]), (pids, 0, before["status"]["podIP"]))
    holds(w, "an agent that was killed")


def server_outage(f, w):
    node = f.nodes[1]
    uid = f.read("web-node-2")["metadata"]["uid"]
    pids = node.processes(uid)
    f.create({**pod("crash"), "spec": {**pod("crash", "sleep 2; exit 1")["spec"], "nodeName": node.name}})
    f.wait(lambda: "running" in statuses(f.read("crash")).get("c", {}).get("state", {}) or statuses(f.read("crash")).get("c", {}).get("restartCount"), "it ran")
    f.kill()
    runs = lambda: {os.path.basename(path) for path in glob.glob(os.path.join(node.dir, "agent/logs/default_crash_*/c/*.log"))}
    first = runs()
    tap.ok("the agent alone restarts what crashes", wait_for(lambda: runs() - first), runs())
    tap.eq("a server that is away changes nothing on the node", node.processes(uid), pids)
    f.start()
    f.wait(lambda: statuses(f.read("crash")).get("c", {}).get("restartCount", 0) >= 1, "the restart is reported")
    tap.ok("what happened meanwhile is reported", True)
    f.wait(lambda: all(f.ready(n.name) for n in f.nodes), "the nodes ready")
    holds(w, "a server that was away")


def lost_node(f, w):
    """The cable of a node with a pod of a Deployment is cut: the pod is replaced elsewhere, and when the node comes back it ends its own."""
    spec = pod("x", image="cox/web")["spec"]
    spec["tolerations"] = [{"key": k, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1} for k in ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")]
    spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 100, "preference": {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-2"]}]}}]}}
    f.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "lonely"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "lonely"}},
              "template": {"metadata": {"labels": {"app": "lonely"}}, "spec": spec}}})
    first = f.wait(lambda: next((p for p in f.pods("app=lonely") if condition(p, "Ready") == "True"), None), "the pod ready")
    tap.eq("it is where it wants to be", first["spec"]["nodeName"], "node-2")
    node = f.nodes[1]
    pids = node.processes(first["metadata"]["uid"])
    node.wire_down()
    f.wait(lambda: condition(f.get("/api/v1/nodes/node-2").json, "Ready") == "Unknown", "the node lost")
    taints = {t["key"] for t in f.get("/api/v1/nodes/node-2").json["spec"].get("taints", [])}
    tap.ok("a lost node has its taint", "node.kubernetes.io/unreachable" in taints, taints)
    second = f.wait(lambda: next((p for p in f.pods("app=lonely") if p["spec"].get("nodeName") == "node-1" and condition(p, "Ready") == "True"), None), "the pod elsewhere")
    tap.ok("its pod runs elsewhere", second["metadata"]["uid"] != first["metadata"]["uid"])
    tap.ok("the lost node's own goes on as long as it hears nothing", all(os.path.exists(f"/proc/{p}") for p in pids))
    node.wire_up()
    f.wait(lambda: not node.processes(first["metadata"]["uid"]), "the old one ended")
    f.wait(lambda: [p["metadata"]["uid"] for p in f.pods("app=lonely")] == [second["metadata"]["uid"]], "one pod in the API")
    tap.ok("after it came back there is one", True)
    f.wait(lambda: f.ready("node-2") and "node.kubernetes.io/unreachable" not in {t["key"] for t in f.get("/api/v1/nodes/node-2").json["spec"].get("taints", [])}, "the node back")
    tap.ok("and the node is as before", True)
    holds(w, "a node that was lost")


def drain(f, w):
    done = f.cox("drain", "node-1", "--ignore-daemonsets", "--force", "--delete-emptydir-data", "--grace-period=1", "--timeout=170s")
    tap.eq("a node is drained", done.returncode, 0) or print("#", done.stdout[-800:], done.stderr[-800:])
    left = [p["metadata"]["name"] for p in f.pods() if p["spec"].get("nodeName") == "node-1"]
    tap.eq("nothing is left on it", left, [])
    f.cox("uncordon", "node-1")


TESTS = [nodes_join, pods_reach_each_other, agents_restart, server_outage, lost_node, drain]

if __name__ == "__main__":
    isolate()
    with Fleet(args=["--node-grace", "12s"]) as fleet:
        with Invariants(fleet) as watch:
            tap.run(TESTS, fleet, watch)
    tap.done()
