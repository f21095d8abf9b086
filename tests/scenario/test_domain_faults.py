#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks of several domains while agents die, nodes are lost or deleted, domains go and capacity shrinks: nothing leaks, nothing hangs, each task ends or says why it waits.  Nodes are on paper; the script ends
pods itself.  Kills of the server: test_domain_kills.py; a thousand tasks at once: test_domain_storm.py."""
import concurrent.futures
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.kuscia import LONG, Domains, ask, end_task, image, job, make, party, phase, pods, stage, status, task  # noqa: E402
from lib.tasks import GROUPS, JOBS, K, TASKS, TaskInvariants  # noqa: E402

DOMAINS = ("alice", "bob", "carol", "dave")


def pair(s, name, a="alice", b="bob", resources=None, **more):
    job(s, name, task("a", party(a, resources=resources or ask()), party(b, resources=resources or ask()), id=f"{name}-a", scheduleConfig=LONG, **more))


def runs(s, name):
    return wait_for(lambda: len([p for p in pods(s, f"{name}-a") if p["status"].get("phase") == "Running"]) == 2)


def message(s, name):
    return status(s, f"{TASKS}/{name}-a").get("message", "")


def lost(s, domain):
    """What a node that is lost for good comes to: its pods are told to go and nobody confirms.  By a taint of our own, which takes less time than that of the control plane."""
    s.agents[domain].kill()
    s.patch(f"/api/v1/nodes/{domain}-0", {"spec": {"taints": [{"key": "kuscia.secretflow/agent", "value": "v1", "effect": "NoSchedule"}, {"key": "test/lost", "effect": "NoExecute"}]}})


def found(s, domain):
    s.patch(f"/api/v1/nodes/{domain}-0", {"spec": {"taints": [{"key": "kuscia.secretflow/agent", "value": "v1", "effect": "NoSchedule"}]}})
    s.agents[domain].start()


# --- agents and nodes -------------------------------------------------------------------------------------------------------


def test_agent_comes_back(s, w):
    pair(s, "midway")
    runs(s, "midway")
    s.agents["alice"].kill()
    pair(s, "reserving")  # the node is there, whoever serves it is not: bound, and not started
    tap.ok("a task is placed on a node whose agent is dead", wait_for(lambda: len([p for p in pods(s, "reserving-a") if p["spec"].get("nodeName")]) == 2), message(s, "reserving"))
    s.agents["alice"].start()
    tap.ok("an agent that comes back: the task that ran ends", end_task(s, "midway", "a") and wait_for(lambda: phase(s, "midway") == "Succeeded"), message(s, "midway"))
    tap.ok("and the other starts and ends", end_task(s, "reserving", "a") and wait_for(lambda: phase(s, "reserving") == "Succeeded"), message(s, "reserving"))
    w.holds("agent killed")


def test_node_lost(s, w):
    pair(s, "running")
    runs(s, "running")
    s.agents["alice"].kill()
    pair(s, "placed")
    wait_for(lambda: len([p for p in pods(s, "placed-a") if p["spec"].get("nodeName")]) == 2)
    lost(s, "alice")
    for name in ("running", "placed"):
        tap.ok(f"{name}: the task of a lost party fails", wait_for(lambda: phase(s, name) == "Failed"), status(s, f"{TASKS}/{name}-a"))
        tap.ok(f"{name}: and says whose part is lost", "alice" in message(s, name) and "deleted" in message(s, name), message(s, name))
        tap.ok(f"{name}: the other party's room is given back", wait_for(lambda: not [p for p in pods(s, f"{name}-a") if p["metadata"]["namespace"] == "bob"]), pods(s, f"{name}-a"))
    tap.eq("what is on the lost node stays until it is known to be gone", sorted(p["metadata"]["name"] for p in pods(s, "running-a") + pods(s, "placed-a")), ["placed-a-0", "running-a-0"])
    pair(s, "later", resources=ask("4"))
    tap.ok("a task that needs the lost node says so", wait_for(lambda: "alice" in message(s, "later") and "taint" in message(s, "later")), message(s, "later"))
    found(s, "alice")
    tap.ok("the node is back: it runs", end_task(s, "later", "a"), message(s, "later"))
    w.holds("node lost")


def test_node_deleted(s, w):
    pair(s, "torn")
    runs(s, "torn")
    s.agents["alice"].kill()
    s.delete("/api/v1/nodes/alice-0")
    tap.ok("node deleted: the task fails", wait_for(lambda: phase(s, "torn") == "Failed"), status(s, f"{TASKS}/torn-a"))
    tap.ok("nothing of it runs", wait_for(lambda: not pods(s, "torn-a")), pods(s, "torn-a"))
    pair(s, "no-node")
    tap.ok("a domain without a node: the task says so", wait_for(lambda: "alice" in message(s, "no-node")), message(s, "no-node"))
    tap.eq("and holds nothing", [p["spec"].get("nodeName") for p in pods(s, "no-node-a")], [None, None])
    s.agents["alice"].start()
    tap.ok("a new node: it runs", end_task(s, "no-node", "a"), message(s, "no-node"))
    w.holds("node deleted")


def test_domain_deleted(s, w):
    pair(s, "last", "alice", "dave")
    runs(s, "last")
    s.delete(f"{K}/domains/dave")
    wait_for(lambda: s.get("/api/v1/namespaces/dave").json["metadata"]["labels"].get("kuscia.secretflow/deleted") == "true")
    tap.ok("domain deleted: what runs ends in peace", end_task(s, "last", "a") and wait_for(lambda: phase(s, "last") == "Succeeded"), message(s, "last"))
    pair(s, "none", "alice", "dave")
    tap.ok("a new job says that it is not there", wait_for(lambda: 'there is no Domain "dave"' in status(s, f"{JOBS}/none").get("message", "")), status(s, f"{JOBS}/none"))
    tap.eq("and has made nothing", pods(s, "none-a"), [])
    make(s, f"{K}/domains", "Domain", "dave", {})
    tap.ok("the domain is back: the job runs", end_task(s, "none", "a"), status(s, f"{JOBS}/none"))
    pair(s, "space", "alice", "dave")
    runs(s, "space")
    s.delete("/api/v1/namespaces/dave")
    tap.ok("namespace deleted: the task fails", wait_for(lambda: phase(s, "space") == "Failed"), status(s, f"{TASKS}/space-a"))
    space = s.get("/api/v1/namespaces/dave").json["metadata"].get("uid")
    fresh = lambda: (s.get("/api/v1/namespaces/dave").json.get("metadata") or {}).get("uid") not in (None, space)  # noqa: E731
    tap.ok("and the domain gets another one", wait_for(lambda: fresh() and s.get("/api/v1/namespaces/dave/serviceaccounts/default").status == 200 and not pods(s, "space-a")), s.get("/api/v1/namespaces/dave"))
    pair(s, "anew", "alice", "dave")
    tap.ok("in which tasks run", end_task(s, "anew", "a"), message(s, "anew"))
    w.holds("domain deleted")


def test_program_deleted(s, w):
    image(s, "short-lived")
    pair(s, "orphan", app="short-lived")
    runs(s, "orphan")
    s.delete(f"{K}/appimages/short-lived")
    stage(s, "orphan", "Stop")
    tap.ok("AppImage deleted: a task that is stopped leaves nothing", wait_for(lambda: phase(s, "orphan") == "Failed" and not pods(s, "orphan-a")), pods(s, "orphan-a"))
    w.holds("AppImage deleted")


def test_restart_with_slow_ends(s, w):
    """The pods of before are still going when the task is made again: it waits for them, and does not take them for its own."""
    pair(s, "again")
    runs(s, "again")
    s.agents["alice"].kill()
    old = {p["metadata"]["uid"] for p in pods(s, "again-a")}
    stage(s, "again", "Suspend")
    wait_for(lambda: phase(s, "again") == "Suspended" and [p for p in pods(s, "again-a") if p["metadata"].get("deletionTimestamp")])
    stage(s, "again", "Restart")
    tap.ok("the task is made again", wait_for(lambda: phase(s, "again") == "Running" and status(s, f"{TASKS}/again-a").get("phase") == "Pending"), status(s, f"{JOBS}/again"))
    wait_for(lambda: s.get(f"{GROUPS}/again-a").status == 200)
    s.agents["alice"].start()
    wait_for(lambda: not old & {p["metadata"]["uid"] for p in pods(s, "again-a")})
    tap.ok("and runs when the old pods have gone", end_task(s, "again", "a") and wait_for(lambda: phase(s, "again") == "Succeeded"), status(s, f"{TASKS}/again-a"))
    w.holds("restart")


# --- less than there was ---------------------------------------------------------------------------------------------------


def test_smaller_node(s, w):
    resize = lambda cpu, mbit: s.patch("/api/v1/nodes/bob-0/status", {"status": {"capacity": {"cpu": cpu}, "allocatable": {"cpu": cpu, "kuscia.io/bandwidth": str(mbit), "cox.io/egress-bandwidth": f"{mbit}M", "cox.io/ingress-bandwidth": f"{mbit}M"}}}).status  # noqa: E731
    pair(s, "before", resources=ask("1", "60"))
    runs(s, "before") and w.seen()
    tap.eq("the node becomes smaller than what is promised", resize("4", 50), 200)
    pair(s, "after", resources=ask("1", "20"))
    tap.ok("nothing new comes, and it says why", wait_for(lambda: "bandwidth" in message(s, "after") and "bob" in message(s, "after")), message(s, "after"))
    tap.eq("it holds nothing", [p["spec"].get("nodeName") for p in pods(s, "after-a")], [None, None])
    tap.eq("what runs stays", [p["status"]["phase"] for p in pods(s, "before-a")], ["Running", "Running"])
    end_task(s, "before", "a")
    tap.ok("with the first gone there is room", end_task(s, "after", "a"), message(s, "after"))
    resize("4", 100)
    pair(s, "wide", resources=ask("1", "90"))
    tap.ok("and all of it when the node is as before", end_task(s, "wide", "a"), message(s, "wide"))
    w.holds("node becomes smaller")


def test_narrower_link(s, w):
    route = lambda mbit: s.patch(f"{K}/clusterdomainroutes/alice-bob", {"spec": {"bandwidth": f"{mbit}Mbps"}}).status  # noqa: E731
    taken = lambda: w.end_state()["links"].get(("alice", "bob"))  # noqa: E731
    make(s, f"{K}/clusterdomainroutes", "ClusterDomainRoute", "alice-bob", {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "70Mbps"})
    pair(s, "over", resources=ask("1", "60"))
    runs(s, "over")
    tap.ok("the link counts what is promised", wait_for(lambda: taken() == 60e6) and w.seen(), taken())
    tap.eq("the link becomes narrower", route(30), 200)
    pair(s, "next", resources=ask("1", "20"))
    tap.ok("nothing new comes, and it says why", wait_for(lambda: "link alice->bob" in message(s, "next")), message(s, "next"))
    tap.eq("it holds nothing", [p["spec"].get("nodeName") for p in pods(s, "next-a")], [None, None])
    pair(s, "elsewhere", "alice", "carol", resources=ask("1", "20"))
    tap.ok("other links are not concerned", end_task(s, "elsewhere", "a"), message(s, "elsewhere"))
    tap.eq("what runs stays", [p["status"]["phase"] for p in pods(s, "over-a")], ["Running", "Running"])
    end_task(s, "over", "a")
    tap.ok("with the first gone there is room", end_task(s, "next", "a"), message(s, "next"))
    tap.ok("and all is given back", wait_for(lambda: taken() == 0), taken())
    w.holds("link becomes narrower")
    s.delete(f"{K}/clusterdomainroutes/alice-bob")


def test_smaller_quota(s, w):
    limit = lambda n, d="carol": s.patch(f"{K}/domains/{d}", {"spec": {"resourceQuota": {"podMaxCount": n}}}).status  # noqa: E731
    hard = lambda d="carol": s.get(f"/api/v1/namespaces/{d}/resourcequotas/resource-limitation").json.get("spec", {}).get("hard", {}).get("pods")  # noqa: E731
    pair(s, "one", "alice", "carol")
    pair(s, "two", "alice", "carol")
    runs(s, "one") and runs(s, "two") and w.seen()
    tap.eq("the quota becomes smaller than what is there", (limit(1), wait_for(lambda: hard() == "1")), (200, True))
    pair(s, "three", "alice", "carol")
    tap.ok("the next task says so", wait_for(lambda: "quota" in message(s, "three")), status(s, f"{TASKS}/three-a"))
    tap.ok("and holds nothing", wait_for(lambda: not [p for p in pods(s, "three-a") if p["spec"].get("nodeName")]), pods(s, "three-a"))
    there = len([p for p in s.get("/api/v1/namespaces/alice/pods").json["items"] if p["status"]["phase"] == "Running"])
    limit(there + 1, "alice")
    wait_for(lambda: hard("alice") == str(there + 1))
    pair(s, "aside")
    tap.ok("nor of the other domain's quota: a task that takes the last of it runs", end_task(s, "aside", "a"), message(s, "aside"))
    limit(500, "alice")
    for name in ("one", "two"):
        tap.ok(f"what runs ends: {name}", end_task(s, name, "a"), message(s, name))
    limit(500)
    wait_for(lambda: hard() == "500")
    pair(s, "four", "alice", "carol")
    tap.ok("and others come", end_task(s, "four", "a"), message(s, "four"))
    w.holds("quota becomes smaller")


def test_numbers(s, w):
    """Six tasks take nearly all port numbers of a domain; what ends gives its own back, however it ends.  Most of them wait for room: numbers are held from the beginning."""
    image(s, "many-ports", cpu="1m", replicas=64, ports=[{"name": f"p{i}", "scope": "Local"} for i in range(32)])
    made = lambda n: status(s, f"{TASKS}/ports-{n}-a").get("allocatedPorts")  # noqa: E731
    new = lambda n: job(s, f"ports-{n}", task("a", party("carol"), app="many-ports", id=f"ports-{n}-a", scheduleConfig=LONG))  # noqa: E731
    with concurrent.futures.ThreadPoolExecutor(6) as many:  # at the same moment
        list(many.map(new, range(6)))
    tap.ok("each task has its numbers", wait_for(lambda: all(made(n) for n in range(6))), [bool(made(n)) for n in range(6)])
    given = [number for n in range(6) for number in made(n)[0]["namedPort"].values()]
    tap.eq("and nobody has the same", (len(given), len(set(given))), (6 * 2048, 6 * 2048))
    new(6)
    tap.ok("the seventh finds too few, and says so", wait_for(lambda: "port number" in message(s, "ports-6")) and not made(6), status(s, f"{TASKS}/ports-6-a"))
    stage(s, "ports-0", "Cancel")
    s.delete(f"{JOBS}/ports-1")
    s.delete(f"{TASKS}/ports-2-a")
    s.delete(f"{JOBS}/ports-2")
    wait_for(lambda: phase(s, "ports-0") == "Cancelled" and status(s, f"{TASKS}/ports-0-a").get("completionTime") and s.get(f"{TASKS}/ports-1-a").status == s.get(f"{TASKS}/ports-2-a").status == 404)
    s.delete(f"{JOBS}/ports-6")
    for n in (7, 8, 9):
        new(n)
    tap.ok("three that went make room for three", wait_for(lambda: all(made(n) for n in (7, 8, 9))), [status(s, f"{TASKS}/ports-{n}-a").get("message") for n in (7, 8, 9)])
    for n in range(10):
        s.delete(f"{JOBS}/ports-{n}")
    w.holds("numbers of ports")


if __name__ == "__main__":
    with Domains(DOMAINS, quota=500) as server, TaskInvariants(server) as watch:
        image(server, "small", files={"task.conf": "{{.TASK_ID}} {{{.TASK_CLUSTER_DEFINE}}}"})
        tap.run([test_node_deleted, test_agent_comes_back, test_node_lost, test_domain_deleted, test_program_deleted, test_restart_with_slow_ends, test_smaller_node, test_narrower_link, test_smaller_quota, test_numbers], server, watch)
    tap.done()
