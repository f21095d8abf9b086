#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks of several domains, many more than there is room for: random ones that end, are cancelled and deleted, and a thousand that are cancelled at once.  All come to an end, and nothing is left.

COX_SEED: of the random tasks, 6 when not set.  COX_TASKS: how many are cancelled at once, 1000 when not set."""
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.kuscia import LONG, Domains, ask, end_task, finish, image, job, make, party, phase, stage, status, task  # noqa: E402
from lib.tasks import JOBS, K, TASKS, TaskInvariants  # noqa: E402

SEED = int(os.environ.get("COX_SEED", "6"))
MANY = int(os.environ.get("COX_TASKS", "1000"))
DOMAINS = ("alice", "bob", "carol", "dave")
MERGE = {"Content-Type": "application/merge-patch+json"}


def message(s, name):
    return status(s, f"{TASKS}/{name}-a").get("message", "")


def test_random_tasks(s, w):
    """More tasks of two and three domains than there is room, cpu and bandwidth and a link scarce; they end, are cancelled and deleted as a seed says.  All come to an end."""
    rng = random.Random(SEED)
    make(s, f"{K}/clusterdomainroutes", "ClusterDomainRoute", "alice-bob", {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "70Mbps"})
    names, gone = [f"rnd-{i}" for i in range(30)], set()
    waiting = list(names)

    def step():
        for _ in range(rng.randrange(4)):
            if waiting:
                n = waiting.pop()
                job(s, n, task("a", *[party(d, resources=ask(rng.choice("123"), rng.choice(("20", "40", "60")))) for d in rng.sample(DOMAINS, rng.choice((2, 3)))], id=f"{n}-a", scheduleConfig=LONG))
        everything = s.get("/api/v1/pods").json["items"]
        for n in names:
            mine = [p for p in everything if p["metadata"].get("annotations", {}).get("kuscia.secretflow/task-id") == f"{n}-a"]
            chance = rng.random()
            if n not in gone and mine and chance < 0.01:
                stage(s, n, "Cancel")
                gone.add(n)
            elif n not in gone and mine and chance < 0.02:
                s.delete(f"{TASKS}/{n}-a")  # the job makes it again
            elif mine and all(p["status"].get("phase") == "Running" for p in mine) and chance < 0.5:
                for p in mine:
                    finish(s, p)
        phases = {j["metadata"]["name"]: j.get("status", {}).get("phase") for j in s.get(JOBS).json["items"]}
        return not waiting and all(phases.get(n) in ("Succeeded", "Cancelled") for n in names)
    tap.ok(f"all end (COX_SEED={SEED})", wait_for(step), {n: (phase(s, n), message(s, n)) for n in names if phase(s, n) not in ("Succeeded", "Cancelled")})
    w.holds("random tasks")
    s.delete(f"{K}/clusterdomainroutes/alice-bob")


def make_many(s, name):
    conn = s.connect()
    for i in range(MANY):
        spec = {"initiator": "alice", "tasks": [{"alias": "a", "taskID": f"{name}-{i}-a", "appImage": "small", "taskInputConfig": "{}", "scheduleConfig": LONG,
                                                 "parties": [party(d, resources=ask("1", "1")) for d in (DOMAINS[i % 4], DOMAINS[(i + 1 + i // 4 % 3) % 4])]}]}
        assert s.request("POST", JOBS, {"apiVersion": "kuscia.secretflow/v1alpha1", "kind": "KusciaJob", "metadata": {"name": f"{name}-{i}"}, "spec": spec}, conn=conn).status == 201
    conn.close()
    wait_for(lambda: len([t for t in s.get(TASKS).json["items"] if t.get("status", {}).get("phase") == "Running"]) >= 4)


def cancel_many(s, name, between=lambda: None):
    """Some run, most wait for room, some are being made: half of them are cancelled, the tasks of the others deleted and their jobs with them, all at once."""
    conn = s.connect()
    for i in range(MANY):
        if i % 2:
            assert s.request("PATCH", f"{JOBS}/{name}-{i}", '{"metadata":{"labels":{"kuscia.secretflow/job-stage":"Cancel"}}}', MERGE, conn=conn).status == 200
        else:
            s.request("DELETE", f"{TASKS}/{name}-{i}-a", conn=conn)
            assert s.request("DELETE", f"{JOBS}/{name}-{i}", conn=conn).status == 200
        if i % 97 == 96:
            between()
            conn.close()  # it opens itself again
    conn.close()


def all_gone(s, w, name, title):
    mine = lambda path: [o for o in s.get(path).json["items"] if o["metadata"]["name"].startswith(name + "-")]  # noqa: E731
    tap.ok(f"{title}: those of deleted jobs are gone, the others cancelled", wait_for(lambda: len(mine(JOBS)) == MANY // 2 and {j.get("status", {}).get("phase") for j in mine(JOBS)} == {"Cancelled"} and
                                                                                   not [t for t in mine(TASKS) if int(t["metadata"]["name"].split("-")[1]) % 2 == 0], step=0.5),
           {j["metadata"]["name"]: j.get("status", {}).get("phase") for j in mine(JOBS)[:20]})
    tap.ok(f"{title}: no pod is left", wait_for(lambda: not mine("/api/v1/pods"), step=0.3), len(mine("/api/v1/pods")))
    w.holds(title)


def test_all_cancelled(s, w):
    make_many(s, "many")
    cancel_many(s, "many")
    all_gone(s, w, "many", f"{MANY} tasks cancelled")
    job(s, "thereafter", task("a", *[party(d, resources=ask("4", "100")) for d in DOMAINS], id="thereafter-a"))
    tap.ok("the whole of every node is free again", end_task(s, "thereafter", "a"), message(s, "thereafter"))


def test_killed_meanwhile(s, w):
    """The server is killed again and again while it works on that."""
    make_many(s, "cut")
    kills = 0

    def again():
        nonlocal kills
        kills += 1
        s.kill()
        s.start()

    left = lambda: len([j for j in s.get(JOBS).json["items"] if j["metadata"]["name"].startswith("cut-") and j.get("status", {}).get("phase") != "Cancelled"])  # noqa: E731
    cancel_many(s, "cut", again)
    while kills < 25 and left():
        again()
    all_gone(s, w, "cut", f"{MANY} tasks cancelled, the server killed {kills} times")
    job(s, "once-more", task("a", *[party(d, resources=ask("4", "100")) for d in DOMAINS], id="once-more-a"))
    tap.ok("the whole of every node is free again", end_task(s, "once-more", "a"), message(s, "once-more"))


if __name__ == "__main__":
    with Domains(DOMAINS, quota=5000) as server, TaskInvariants(server) as watch:
        image(server, "small", files={"task.conf": "{{.TASK_ID}} {{{.TASK_CLUSTER_DEFINE}}}"})
        tap.run([test_random_tasks, test_all_cancelled, test_killed_meanwhile], server, watch)
    tap.done()
