#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes on paper: `cox agent --simulate 50` beside a server with its scheduler and controllers; pods start, end, move and go as on real nodes."""
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Server, tap, wait_for  # noqa: E402

NODES = 50
PODS, DEPLOYMENTS = "/api/v1/namespaces/default/pods", "/apis/apps/v1/namespaces/default/deployments"


class Simulator:
    def __init__(self, server):
        self.server, self.log_path, self.process = server, server.path("simulate.log"), None

    def start(self):
        log = open(self.log_path, "wb")
        command = [COX, "agent", "--simulate", str(NODES), "--kubeconfig", self.server.kubeconfig, "--node-capacity", "nvidia.com/gpu=8", "--node-label", "pool=paper"]
        self.process = subprocess.Popen(command, stdout=log, stderr=log)
        log.close()
        return self.wait_log("simulated nodes are registered")

    def log(self):
        return open(self.log_path, errors="replace").read()

    def wait_log(self, text):
        return wait_for(lambda: text in self.log(), PATIENCE)

    def end(self, signo):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signo)
        return self.process.wait(timeout=PATIENCE)


def pods(s, selector="app%3Dweb"):
    return s.get(f"{PODS}?labelSelector={selector}").json["items"]


def ready(s, n):
    d = s.get(f"{DEPLOYMENTS}/web").json
    return d.get("status", {}).get("readyReplicas", 0) == n == d["spec"]["replicas"] and d["status"].get("replicas") == n


def is_ready(p):
    return p["status"]["phase"] == "Running" and {"type": "Ready", "status": "True"}.items() <= next(
        ({k: c[k] for k in ("type", "status")} for c in p["status"]["conditions"] if c["type"] == "Ready"), {}).items()


def nodes_are_ready(s, sim):
    tap.ok("the simulator registers its nodes", sim.start(), sim.log())
    usable = lambda: sum(any(c["type"] == "Ready" and c["status"] == "True" for c in n["status"]["conditions"]) and not n["spec"].get("taints")  # noqa: E731
                         for n in s.get("/api/v1/nodes").json["items"])
    tap.ok("all are ready, without a taint", wait_for(lambda: usable() == NODES, PATIENCE), usable())
    one = s.get("/api/v1/nodes/sim-7").json
    tap.eq("zones in turn, labels and capacity as asked for", (one["metadata"]["labels"]["topology.kubernetes.io/zone"], one["metadata"]["labels"]["pool"], one["status"]["allocatable"]["nvidia.com/gpu"],
                                                             one["status"]["allocatable"]["cpu"]), ("zone-1", "paper", "8", "32"))
    lease = s.get("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/sim-7").json
    tap.eq("a lease that belongs to the node", (lease["spec"]["holderIdentity"], lease["metadata"]["ownerReferences"][0]["uid"]), ("sim-7", one["metadata"]["uid"]))


def networks_as_people_say(s, sim):
    """As of a real node: the annotation is what the node has, as long as it is there; it gets less and more."""
    node, both = "/api/v1/nodes/sim-3", ("cox.io/egress-bandwidth", "cox.io/ingress-bandwidth")
    said = lambda: [s.get(node).json["status"]["allocatable"].get(k) for k in both]  # noqa: E731
    for text, want in (("200M", ["200M", "200M"]), ("egress=1Gbps,ingress=10Gi", ["1G", "10737418240"]), (None, [None, None])):
        s.patch(node, {"metadata": {"annotations": {"cox.io/bandwidth-capacity": text}}})
        tap.ok(f"bandwidth-capacity {text}", wait_for(lambda: said() == want, PATIENCE), said())


def a_deployment_becomes_ready(s, sim):
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": 200, "selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}},
                                  "spec": {"initContainers": [{"name": "first", "image": "i:1"}], "containers": [{"name": "c", "image": "i:1", "readinessProbe": {"tcpSocket": {"port": 80}}}]}}}}
    tap.eq("a deployment of 200", s.post(DEPLOYMENTS, body).status, 201)
    tap.ok("becomes ready", wait_for(lambda: ready(s, 200), PATIENCE), sim.log())
    all_pods = pods(s)
    tap.eq("every pod runs and is ready", sum(is_ready(p) for p in all_pods), 200)
    tap.eq("each with an address of its own", len({p["status"]["podIP"] for p in all_pods}), 200)
    first = all_pods[0]["status"]["initContainerStatuses"][0]
    tap.eq("its init container has succeeded", first["state"]["terminated"]["reason"], "Completed")


def another_simulator_goes_on(s, sim):
    before = {p["metadata"]["uid"]: p["status"]["containerStatuses"] for p in pods(s)}
    sim.end(signal.SIGKILL)
    tap.ok("a killed simulator starts again", sim.start(), sim.log())
    s.patch(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 210}})
    tap.ok("and serves new pods", wait_for(lambda: ready(s, 210), PATIENCE), sim.log())
    after = {p["metadata"]["uid"]: p["status"]["containerStatuses"] for p in pods(s)}
    tap.eq("what ran is as it was", {u: after.get(u) for u in before}, before)


def scaling_down(s, sim):
    s.patch(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 20}})
    tap.ok("scaled down, the others go for good", wait_for(lambda: len(pods(s)) == 20 and ready(s, 20), PATIENCE), sim.log())


def jobs_complete(s, sim):
    for name, code in (("good", "0"), ("bad", "3")):
        template = {"metadata": {"annotations": {"coxswain.dev/run-seconds": "0.1", "coxswain.dev/exit-code": code}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i:1"}]}}
        body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"completions": 5, "parallelism": 3, "backoffLimit": 0, "template": template}}
        tap.eq(f"job {name}", s.post("/apis/batch/v1/namespaces/default/jobs", body).status, 201)
    done = lambda name, kind: any(c["type"] == kind and c["status"] == "True" for c in s.get(f"/apis/batch/v1/namespaces/default/jobs/{name}").json["status"].get("conditions", []))  # noqa: E731
    tap.ok("a job whose pods end completes", wait_for(lambda: done("good", "Complete"), PATIENCE), sim.log())
    tap.ok("one whose pods fail fails", wait_for(lambda: done("bad", "Failed"), PATIENCE), sim.log())
    codes = [c["state"].get("terminated", {}).get("exitCode") for p in pods(s, "job-name%3Dbad") for c in p["status"].get("containerStatuses", [])]
    tap.ok("with the exit code that was asked for", 3 in codes, codes)


def a_node_is_deleted(s, sim):
    name = pods(s)[0]["spec"]["nodeName"]
    tap.eq("a node with pods is deleted", s.delete(f"/api/v1/nodes/{name}").status, 200)
    where = lambda: [p["spec"].get("nodeName") for p in pods(s)]  # noqa: E731
    tap.ok("its pods are replaced elsewhere", wait_for(lambda: name not in where() and ready(s, 20), PATIENCE), where())
    tap.ok("the simulator notices", sim.wait_log("a simulated node was deleted"), sim.log())
    tap.eq("and does not bring it back", s.get(f"/api/v1/nodes/{name}").status, 404)


def everything_goes(s, sim):
    s.delete(f"{DEPLOYMENTS}/web", {"propagationPolicy": "Background"})
    tap.ok("with the deployment its pods go", wait_for(lambda: not pods(s), PATIENCE), sim.log())
    tap.eq("the simulator ends cleanly", sim.end(signal.SIGTERM), 0)


def main():
    # silence is not what is tested here: a slow machine must not lose nodes
    with Server(scheduler=True, args=["--node-grace", "600s", "--pod-gc-quarantine", "1s"]) as s:
        sim = Simulator(s)
        try:
            tap.run([nodes_are_ready, networks_as_people_say, a_deployment_becomes_ready, another_simulator_goes_on, scaling_down, jobs_complete, a_node_is_deleted, everything_goes], s, sim)
        finally:
            if sim.process and sim.process.poll() is None:
                sim.end(signal.SIGKILL)
    tap.done()


if __name__ == "__main__":
    os.environ.pop("KUBECONFIG", None)
    main()
