#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that are killed in the middle of jobs of several domains: after each single write of their controllers and each bind of their scheduler, before them, and at random moments under load.  What becomes of
the job is what becomes of it without a kill, and nothing is there twice or left over.

COX_SEED: of the random moments, 11 when not set."""
import http.client
import json
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, tap, wait_for  # noqa: E402
from lib.kuscia import Domains, finish, image, job, make, party, phase, pods, stage, status, task  # noqa: E402
from lib.tasks import GROUPS, JOBS, K, RESOURCES, TASKS, TaskInvariants  # noqa: E402

SEED = int(os.environ.get("COX_SEED", "11"))
AWAY = (OSError, http.client.HTTPException, RuntimeError, ValueError, KeyError)
WATCHED = (JOBS, TASKS, GROUPS, RESOURCES, "/api/v1/pods", "/api/v1/configmaps", "/api/v1/services")


def revision(s):
    return s.get("/api/v1/namespaces").json["metadata"]["resourceVersion"]


def history(s, since):
    """What was written since then, in order: (kind, event, phase, conditions that hold)."""
    lines = []
    for path in WATCHED:
        conn = s.connect(timeout=PATIENCE)
        conn.request("GET", f"{path}?watch=1&resourceVersion={since}&timeoutSeconds=1")
        for line in conn.getresponse():
            e = json.loads(line)
            o = e["object"]
            if e["type"] == "ERROR":
                raise RuntimeError(o)
            notes = o["metadata"].get("annotations", {})
            if path.startswith("/api/v1") and "kuscia.secretflow/task-id" not in notes:
                continue
            st = o.get("status", {})
            lines.append((int(o["metadata"]["resourceVersion"]), (o["kind"], e["type"], st.get("phase"), tuple(sorted(c["type"] for c in st.get("conditions", []) if c["status"] == "True")),
                                                                  bool(o.get("spec", {}).get("nodeName")), bool(st.get("completionTime")))))
        conn.close()
    return [what for _, what in sorted(lines, key=lambda x: x[0])]


def outcome(s, name):
    """What is there in the end, without what differs between any two runs."""
    plain = lambda text: text.replace(name, "JOB")  # noqa: E731
    found = []
    for path in WATCHED:
        for o in s.get(path).json["items"]:
            if name not in o["metadata"]["name"] and name not in json.dumps(o["metadata"].get("annotations", {})):
                continue
            st = o.get("status", {})
            kind = path.rsplit("/", 1)[1]
            known = "" if kind == "taskresources" else plain(o["metadata"]["name"])  # named by a uid
            lasting = kind != "taskresources"  # Reserved is seen there when a look falls between two bindings, and only then
            found.append((kind, o["metadata"].get("namespace", ""), known, st.get("phase"), bool(st.get("completionTime")),
                          sorted(c["type"] for c in st.get("conditions", []) if c["status"] == "True" and lasting), sorted(st.get("stageStatus", {}).items()), o["spec"].get("nodeName", "") if kind == "pods" else ""))
    return sorted(found, key=str)


def difference(have, want):
    return [f"more: {x}" for x in have if have.count(x) > want.count(x)] + [f"less: {x}" for x in want if want.count(x) > have.count(x)]


def make_job(s, name):
    """Two tasks, one after the other, of three parties with files and services."""
    ask = {"requests": {"cpu": "1", "kuscia.io/bandwidth": "10"}}
    job(s, name, task("a", party("alice", resources=ask), party("bob", resources=ask), party("carol", resources=ask), app="files", id=f"{name}-a"),
        task("b", party("alice"), party("carol"), after=["a"], id=f"{name}-b"))


def push(s, name):
    """Ends the pods of the job that run; True when the job has ended.  The server may be away at any moment."""
    for p in [p for t in ("a", "b") for p in pods(s, f"{name}-{t}")]:
        if p["status"].get("phase") == "Running":
            finish(s, p)
    return phase(s, name) in ("Succeeded", "Failed", "Cancelled")


def asked(question):
    """Its answer; None while the server is away."""
    try:
        return question()
    except AWAY:
        return None


def through(s, points, is_done, most=100):
    """Goes on in one life of the server after the other, each ended by the failpoints, until is_done() or no life ends by itself any more; how many lives it took."""
    s.stop()
    for lives in range(most):
        s.env["COX_FAILPOINTS"] = points(lives)
        asked(s.start)
        wait_for(lambda: s.process.poll() is not None or asked(is_done))
        if s.process.poll() is None:  # done, or nothing moves any more
            break
    s.env["COX_FAILPOINTS"] = ""
    s.kill()
    s.start()
    return lives + 1


def passed(life, alone=60):
    """How many writes a life may make: at first none.  What clears up asks for the same again and again until it is told that there is nothing: that takes lives that last longer."""
    return 0 if life < alone else (life - alone) % 9


PHASES = {  # of the issue: a kill falls before and after each of these writes
    "job created": ("KusciaJob", "ADDED"), "task created": ("KusciaTask", "ADDED"), "group made": ("TaskResourceGroup", "ADDED"), "resource made": ("TaskResource", "ADDED"),
    "pod made": ("Pod", "ADDED"), "config made": ("ConfigMap", "ADDED"), "service made": ("Service", "ADDED"), "files gone": ("ConfigMap", "DELETED"), "services gone": ("Service", "DELETED")}


def phases_seen(lines):
    seen = {name for name, (kind, event) in PHASES.items() if any(x[:2] == (kind, event) for x in lines)}
    seen |= {f"{kind} {p}" for kind, _, p, *_ in lines if p}
    seen |= {f"{kind} {c}" for kind, _, _, conditions, *_ in lines for c in conditions}
    seen |= {"bound"} if any(x[0] == "Pod" and x[4] for x in lines) else set()
    seen |= {"cleaned"} if any(x[0] == "KusciaTask" and x[5] for x in lines) else set()
    return seen


NEEDED = {*PHASES, "bound", "cleaned", "KusciaJob Running", "KusciaJob Succeeded", "KusciaTask Pending", "KusciaTask Running", "KusciaTask Succeeded", "KusciaTask PortsAllocated", "KusciaTask ResourceCreated",
          "TaskResourceGroup Creating", "TaskResourceGroup Reserving", "TaskResourceGroup Reserved", "TaskResource Reserving", "TaskResource Schedulable"}


def test_every_write(s, w):
    make_job(s, "calm")
    tap.ok("without a kill", wait_for(lambda: push(s, "calm")) and phase(s, "calm") == "Succeeded", s.get(JOBS).text[:2000])
    w.holds("without a kill")
    want = outcome(s, "calm")
    for name, points in (("after", lambda n: f"controllers.write.after={passed(n)}+panic;sched.bind.after_post={passed(n)}+panic"),
                         ("before", lambda n: f"controllers.write.before={7 + n % 16}+panic;sched.bind.before_post={n % 3}+panic")):  # some are tried in vain with each start
        since = revision(s)
        make_job(s, f"kill-{name}")
        lives = through(s, points, lambda: push(s, f"kill-{name}"))
        tap.ok(f"killed {name} each write: the job succeeds, in {lives} lives of the server", wait_for(lambda: push(s, f"kill-{name}")) and phase(s, f"kill-{name}") == "Succeeded", s.get(TASKS).text[-2000:])
        w.holds(f"killed {name} each write")
        differs = lambda: difference(outcome(s, f"kill-{name}"), want)  # noqa: E731
        tap.ok(f"killed {name} each write: the end is the same", wait_for(lambda: not differs()), "\n".join(map(str, differs())))
        seen = phases_seen(history(s, since))
        tap.eq(f"killed {name} each write: every phase was passed", sorted(NEEDED - seen), [])
        tap.ok(f"killed {name} each write: it went through many lives", lives > 10, lives)


def test_stops(s, w):
    """Cancelled in the middle, and deleted: the end and the clean-up are gone through write by write as well."""
    for name, stop in (("cancel", lambda: stage(s, "k-cancel", "Cancel")), ("delete", lambda: s.delete(f"{JOBS}/k-delete"))):
        make_job(s, f"k-{name}")
        wait_for(lambda: len([p for p in pods(s, f"k-{name}-a") if p["status"].get("phase") == "Running"]) == 3)
        stop()
        gone = lambda: s.get(f"{JOBS}/k-{name}").status == 404 and s.get(f"{TASKS}/k-{name}-a").status == 404 and not pods(s, f"k-{name}-a")  # noqa: E731
        over = lambda: phase(s, f"k-{name}") == "Cancelled" and s.get(f"{TASKS}/k-{name}-a").json["status"].get("completionTime") and not pods(s, f"k-{name}-a")  # noqa: E731
        lives = through(s, lambda n: f"controllers.write.after={passed(n, 5)}+panic", gone if name == "delete" else over)
        tap.ok(f"{name}: all of it goes, in {lives} lives of the server", wait_for(gone if name == "delete" else over), s.get(TASKS).text[-1500:])
        w.holds(f"{name}")


def test_program_gone(s, w):
    """Its AppImage is deleted while a task is being made, after each of the writes that make it: the task runs with what it was, or fails and says so."""
    ends, bad, args = set(), [], list(s.args)
    for n in range(40):
        name, program = f"prog-{n}", f"prog-{n}"
        image(s, program, files={"a.conf": "{{.TASK_ID}}"})
        s.env["COX_FAILPOINTS"] = f"controllers.write.after={n}+panic"
        s.kill()
        if not asked(s.start) or asked(lambda: job(s, name, task("a", party("alice"), party("bob"), app=program, id=f"{name}-a")) or True) is None:  # the writes of its start were enough
            s.process.wait()
            s.env["COX_FAILPOINTS"] = ""
            s.start()
            continue
        runs = lambda: s.process.poll() is not None or len([p for p in pods(s, f"{name}-a") if p["status"].get("phase") == "Running"]) == 2  # noqa: E731
        made = wait_for(lambda: asked(runs)) and s.process.poll() is None
        s.kill()
        s.env["COX_FAILPOINTS"], s.args = "", ["--controllers=false", *args]
        s.start()
        s.delete(f"{K}/appimages/{program}")
        s.kill()
        s.args = args
        s.start()
        if not wait_for(lambda: asked(lambda: push(s, name))):
            bad.append(f"after {n} writes: {s.get(TASKS).text[-1500:]}")
        ends.add(phase(s, name))
        said = status(s, f"{TASKS}/{name}-a").get("message", "") + status(s, f"{JOBS}/{name}").get("message", "")
        if phase(s, name) != "Succeeded" and "there is no AppImage" not in said:
            bad.append(f"after {n} writes: {said}")
        if made:
            break
    tap.ok(f"AppImage deleted after each of {n} writes: the task runs, or fails and says why", not bad, "\n".join(bad))
    tap.eq("both ends were met", ends, {"Succeeded", "Failed"})
    w.holds("AppImage deleted while a task is made")


def test_at_random(s, w):
    """Many jobs that want more than there is, kills whenever a seed says so: all end, and no number is given twice."""
    rng = random.Random(SEED)
    names = [f"rnd-{i}" for i in range(12)]
    for n in names:
        ask = {"requests": {"cpu": "2", "kuscia.io/bandwidth": "30"}}
        job(s, n, task("a", *[party(d, resources=ask) for d in rng.sample(DOMAINS, rng.choice((2, 3)))], id=f"{n}-a", scheduleConfig={"lifecycleSeconds": 3000}))
    numbers, kills = {}, 0

    def step():
        nonlocal kills
        try:
            for t in s.get(TASKS).json["items"]:
                for place in t.get("status", {}).get("allocatedPorts", []):
                    numbers.setdefault(t["metadata"]["uid"], set()).add(json.dumps(place, sort_keys=True))
            if all([push(s, n) for n in names]):
                return True
            if kills < 10 and rng.random() < 0.7:
                time.sleep(rng.uniform(0, 0.2))
                s.kill()
                kills += 1
                s.start()
        except AWAY:
            pass
        return False
    tap.ok(f"all jobs end (COX_SEED={SEED})", wait_for(step) and {phase(s, n) for n in names} == {"Succeeded"}, {n: phase(s, n) for n in names})
    tap.eq("a task keeps its numbers", [u for u, n in numbers.items() if len(n) > 3], [])
    w.holds("killed at random")


DOMAINS = ("alice", "bob", "carol")

if __name__ == "__main__":
    with Domains(DOMAINS, quota=50) as server, TaskInvariants(server) as watch:
        image(server, "small")
        image(server, "files", files={"a.conf": "{{.TASK_ID}}", "b.conf": "{{{.ALLOCATED_PORTS}}}"})
        make(server, f"{K}/clusterdomainroutes", "ClusterDomainRoute", "alice-bob", {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "60Mbps"})
        tap.run([test_every_write, test_stops, test_program_gone, test_at_random], server, watch)
    tap.done()
