#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks of several domains whose controllers are processes of their own, one of several by election: the one that leads is killed, frozen until another leads, or so far behind that what it missed is not kept any
more.  Nothing is there twice or left over, and all tasks come to an end."""
import os
import pathlib
import random
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import Controllers, tap, wait_for  # noqa: E402
from lib.kuscia import LONG, Domains, ask, end_task, finish, image, job, make, party, phase, pods, stage, status, task  # noqa: E402
from lib.tasks import JOBS, K, TASKS, TaskInvariants  # noqa: E402

SEED = int(os.environ.get("COX_SEED", "3"))
ELECT = ("--leader-elect", "--leader-elect-lease-duration", "3s")
DOMAINS = ("alice", "bob", "carol")


class Apart(Domains):
    """Domains, with two controllers beside the server."""

    def __init__(self, *args, **kw):
        self.own, self.many = [], 0
        super().__init__(*args, args=["--controllers=false"], **kw)

    def start(self, *args, **kw):
        super().start(*args, **kw)
        for _ in range(2):
            self.add(*ELECT)

    def add(self, *options):
        self.many += 1
        self.own.append(Controllers(self, f"controllers-{self.many}", *options))
        return self.own[-1]

    def leader(self):
        return wait_for(lambda: next((c for c in self.own if c.process.poll() is None and c.leads()), None))

    def __exit__(self, *args):
        for c in self.own:
            if c.process.poll() is None:
                c.process.send_signal(signal.SIGCONT)
            c.end(hard=True)
        super().__exit__(*args)


def pair(s, name, a="alice", b="bob", cpu="1"):
    job(s, name, task("a", party(a, resources=ask(cpu, "10")), party(b, resources=ask(cpu, "10")), id=f"{name}-a", scheduleConfig=LONG))


def push(s, names):
    """Ends what runs; True when all jobs have ended."""
    for p in s.get("/api/v1/pods").json["items"]:
        if p["status"].get("phase") == "Running" and p["metadata"]["annotations"].get("kuscia.secretflow/task-id", "").rsplit("-", 1)[0] in names:
            finish(s, p)
    return all(phase(s, n) == "Succeeded" for n in names)


def runs(s, name):
    return wait_for(lambda: len([p for p in pods(s, f"{name}-a") if p["status"].get("phase") == "Running"]) == 2)


def test_leader_dies(s, w):
    rng = random.Random(SEED)
    names = [f"dies-{i}" for i in range(12)]
    for i, n in enumerate(names):
        pair(s, n, *rng.sample(DOMAINS, 2), cpu="2")
        if i % 4 == 3:
            c = s.leader()
            c.end(hard=True)
            s.own.remove(c)
            s.add(*ELECT)
    tap.ok(f"all tasks end (COX_SEED={SEED})", wait_for(lambda: push(s, names)), {n: (phase(s, n), status(s, f"{TASKS}/{n}-a").get("message")) for n in names})
    w.holds("leader killed")


def test_leader_frozen(s, w):
    """It wakes up with what it was about to write, while another has long led."""
    first = s.leader()
    for i in range(6):
        pair(s, f"frozen-{i}")
    first.process.send_signal(signal.SIGSTOP)
    other = next(c for c in s.own if c is not first)
    tap.ok("another leads", wait_for(other.leads))
    early = [f"frozen-{i}" for i in range(6)]
    tap.ok("and goes on", wait_for(lambda: push(s, early)), {n: phase(s, n) for n in early})
    late = [f"thawed-{i}" for i in range(6)]
    for n in late[:3]:
        pair(s, n, "bob", "carol")
    first.process.send_signal(signal.SIGCONT)
    for n in late[3:]:
        pair(s, n, "alice", "carol")
    tap.ok("the first wakes up: all tasks end", wait_for(lambda: push(s, late)), {n: phase(s, n) for n in late})
    tap.ok("it notices, and ends", wait_for(lambda: first.process.poll() is not None), first.log()[-500:])
    tap.ok("the other leads", s.leader() is other)
    w.holds("leader frozen")


def test_behind(s, w):
    """What happened while it was frozen is not kept any more: it lists again, and what has gone meanwhile is noticed, too."""
    for other in s.own:
        other.end(hard=True)
    s.own.clear()
    c = s.add()   # alone: however long the writes below take, it need not have a lease when it wakes up
    for name in ("cancelled", "deleted", "ended", "broken"):
        pair(s, name)
        runs(s, name)
    pair(s, "waits", "bob", "carol", cpu="4")
    wait_for(lambda: len(pods(s, "waits-a")) == 2)
    c.process.send_signal(signal.SIGSTOP)
    since = s.get("/api/v1/pods").json["metadata"]["resourceVersion"]
    stage(s, "cancelled", "Cancel")
    s.delete(f"{JOBS}/deleted")
    for p in pods(s, "ended-a"):
        finish(s, p)
    s.delete("/api/v1/namespaces/bob/pods/broken-a-0")
    s.delete(f"{K}/clusterdomainroutes/alice-bob")
    pair(s, "missed", "alice", "carol")
    text = "x" * 900_000
    for i in range(80):
        s.request("PUT" if i else "POST", "/api/v1/namespaces/default/configmaps" + ("/large" if i else ""), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"}, "data": {"a": f"{i}{text}"}})
    tap.has("what it missed is not kept", s.get(f"/api/v1/pods?watch=1&resourceVersion={since}&timeoutSeconds=1").text, '"code":410')
    c.process.send_signal(signal.SIGCONT)
    want = {"cancelled": "Cancelled", "ended": "Succeeded", "broken": "Failed"}
    tap.ok("each job comes to its end", wait_for(lambda: {n: phase(s, n) for n in want} == want and s.get(f"{TASKS}/deleted-a").status == 404), {n: phase(s, n) for n in want})
    tap.ok("what waited finds its room", end_task(s, "waits", "a"), status(s, f"{TASKS}/waits-a"))
    tap.ok("and what was made meanwhile runs", end_task(s, "missed", "a"), status(s, f"{TASKS}/missed-a"))
    w.holds("controllers behind")


if __name__ == "__main__":
    with Apart(DOMAINS, quota=200) as server, TaskInvariants(server) as watch:
        image(server, "small")
        make(server, f"{K}/clusterdomainroutes", "ClusterDomainRoute", "alice-bob", {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "60Mbps"})
        tap.run([test_leader_dies, test_leader_frozen, test_behind], server, watch)
    tap.done()
