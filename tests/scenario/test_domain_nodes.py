#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A task of two domains on machines of their own (network namespaces), with processes: its agent is killed in the middle and during reservation, and one machine is cut off for good while the other party holds."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, tap, wait_for  # noqa: E402
from lib.invariants import Invariants, verify_samples  # noqa: E402
from lib.kuscia import job, make, party, phase, pods, status, task  # noqa: E402
from lib.node import Fleet, isolate, statuses  # noqa: E402
from lib.tasks import K, TASKS, TaskInvariants  # noqa: E402

LEASE = 16  # seconds: how long a node may be silent
SOON = [{"key": f"node.kubernetes.io/{k}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1} for k in ("unreachable", "not-ready")]


def program(f, name, command):
    make(f, f"{K}/appimages", "AppImage", name, {"image": {"name": "cox/host", "tag": "latest"}, "configTemplates": {},
         "deployTemplates": [{"name": name, "spec": {"containers": [{"name": "main", "command": ["/bin/sh", "-c", command], "ports": [{"name": "data", "scope": "Cluster"}]}]}}]})


def pair(f, name, app):
    job(f, name, task("a", party("alice"), party("bob"), app=app, id=f"{name}-a"))


def running(f, name):
    mine = [p for p in pods(f, f"{name}-a") if p["status"].get("phase") == "Running"]
    return mine if len(mine) == 2 else None


def holds(f, w, t, name):
    """Processes, pods and sums."""
    tap.ok(f"{name}: each process has its pod and each pod its process", wait_for(lambda: not w.settled(), PATIENCE, 0.2), "\n".join(w.settled()))
    with w.lock:
        bad = w.rules.bad + verify_samples(w.samples, w.rules.names, w.rules.nodes)
    tap.eq(f"{name}: a pod runs on one node", bad, [])
    t.holds(name)


def agent_killed(f, w, t):
    """The processes do not notice; who comes back takes them up again."""
    program(f, "short", "sleep 3")
    pair(f, "midway", "short")
    f.wait(lambda: running(f, "midway"), "the task runs")
    for n in f.nodes:
        n.kill()
    f.wait(lambda: not w.processes(), "the processes end by themselves")
    for n in f.nodes:
        n.start()
    tap.ok("agents killed in the middle: the task succeeds", wait_for(lambda: phase(f, "midway") == "Succeeded"), status(f, f"{TASKS}/midway-a"))
    tap.eq("and nothing ran twice", [s["restartCount"] for p in pods(f, "midway-a") for s in statuses(p).values()], [0, 0])
    f.nodes[0].kill()
    pair(f, "reserving", "short")
    f.wait(lambda: [p for p in pods(f, "reserving-a") if p["metadata"]["namespace"] == "alice" and p["spec"].get("nodeName")], "placed on the node whose agent is dead")
    f.nodes[0].start()
    tap.ok("agent killed during reservation: the task succeeds", wait_for(lambda: phase(f, "reserving") == "Succeeded"), status(f, f"{TASKS}/reserving-a"))
    holds(f, w, t, "agents killed")


def node_cut_off(f, w, t):
    program(f, "long", "trap 'exit 1' TERM; while :; do sleep 0.3; done")
    pair(f, "cut", "long")
    mine = f.wait(lambda: running(f, "cut"), "the task runs")
    for p in mine:
        f.patch(f"/api/v1/namespaces/{p['metadata']['namespace']}/pods/{p['metadata']['name']}", {"spec": {"tolerations": p["spec"]["tolerations"] + SOON}})
    f.nodes[0].wire_down()
    tap.ok("a party's machine is cut off: the task fails", wait_for(lambda: phase(f, "cut") == "Failed"), status(f, f"{TASKS}/cut-a"))
    tap.ok("and says whose part is lost", "alice" in status(f, f"{TASKS}/cut-a").get("message", ""), status(f, f"{TASKS}/cut-a"))
    tap.ok("the other party's process is ended, its room free", wait_for(lambda: not [n for _, n in w.processes() if n == f.nodes[1].name] and not [p for p in pods(f, "cut-a") if p["metadata"]["namespace"] == "bob"]),
           pods(f, "cut-a"))
    f.nodes[0].wire_up()
    tap.ok("the machine is back: what ran there is ended, too", wait_for(lambda: not w.processes() and not pods(f, "cut-a")), (w.processes(), pods(f, "cut-a")))
    ready = lambda: not [x for n in f.nodes for x in f.get(f"/api/v1/nodes/{n.name}").json["spec"].get("taints", []) if x["key"].startswith("node.kubernetes.io/")]  # noqa: E731
    f.wait(ready, "the node is as before")
    pair(f, "next", "short")
    tap.ok("and the next task runs", wait_for(lambda: phase(f, "next") == "Succeeded"), status(f, f"{TASKS}/next-a"))
    holds(f, w, t, "machine cut off")


if __name__ == "__main__":
    isolate()
    with Fleet() as fleet:
        for number, domain in ((1, "alice"), (2, "bob")):
            make(fleet, f"{K}/domains", "Domain", domain, {})
            unused = lambda d=domain: [x["token"] for x in status(fleet, f"{K}/domains/{d}").get("deployTokenStatuses", []) if x["state"] == "unused"]  # noqa: E731
            fleet.token = fleet.wait(unused, f"a token of {domain}")[0]
            fleet.add(number, ["--node-lease", f"{LEASE}s", "--domain", domain])
        fleet.wait_nodes()
        with Invariants(fleet) as processes, TaskInvariants(fleet) as sums:
            tap.run([agent_killed, node_cut_off], fleet, processes, sums)
    tap.done()
