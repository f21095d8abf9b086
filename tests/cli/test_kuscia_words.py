#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""KusciaJobs on the command line: followed across a restart of the server, to every kind of end; shown, and explained when no room is missing.  Machines that join a domain."""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]
from lib.cox import COX, on_terminal, tap, wait_for  # noqa: E402
from lib.kuscia import KDS, Domains, end_task, image, job, party, phase, service, task, task_phase  # noqa: E402
from lib.tasks import JOBS, K  # noqa: E402


def cox(s, *words):
    return s.kubectl(*words, binary=COX)


def run(*words):
    return subprocess.run([COX, *words], capture_output=True, text=True)


class Watch:
    """cox job watch in the background; what it says is in files, as far as it has said it."""

    def __init__(self, s, name, *words):
        self.paths = [s.path(f"{name}.{end}") for end in ("out", "err")]
        self.process = subprocess.Popen([COX, "job", "watch", name, "--kubeconfig", s.kubeconfig, *words], stdout=open(self.paths[0], "w"), stderr=open(self.paths[1], "w"))

    def said(self):
        return open(self.paths[0]).read()

    def complained(self):
        return open(self.paths[1]).read()


def test_restart_of_the_server(s):
    job(s, "long", task("a"), task("b", after=["a"]))
    wait_for(lambda: task_phase(s, "long", "a") == "Running")
    w = Watch(s, "long")
    tap.ok("it is followed", wait_for(lambda: "runs, bob runs" in w.said()), w.said() + w.complained())
    s.stop()
    tap.ok("a server that goes is missed", wait_for(lambda: "does not answer" in w.complained()), w.complained())
    s.start()
    tap.ok("and is found again", wait_for(lambda: "answers again" in w.complained()), w.complained())
    end_task(s, "long", "a")
    tap.ok("what happens then is shown", wait_for(lambda: "1 of 2 tasks done" in w.said()), w.said())
    end_task(s, "long", "b")
    tap.eq("the exit status is the job's", w.process.wait(), 0)
    tap.eq("each thing was said once", len(w.complained().splitlines()), 2)
    tap.ok("the end is shown", w.said().splitlines()[-4].startswith("KusciaJob long of alice: Succeeded, 2 of 2"), w.said())


def test_ends(s):
    job(s, "bad", task("a"))
    w = Watch(s, "bad")
    end_task(s, "bad", "a", "Failed", code=3, said="no such column")
    tap.ok("a job that fails", w.process.wait() == 1 and "the job did not succeed" in w.complained() and "no such column" in w.said(), w.said() + w.complained())
    job(s, "gone", task("a"))
    w = Watch(s, "gone")
    wait_for(lambda: "TASK" in w.said())
    s.delete(f"{JOBS}/gone")
    tap.ok("one that is deleted", w.process.wait() == 1 and "was deleted" in w.complained(), w.complained())
    r = cox(s, "job", "watch", "nobody")
    tap.ok("one that is not there", r.returncode == 1 and r.stderr == 'Error from server (NotFound): kusciajobs.kuscia.secretflow "nobody" not found\n', r)
    r = cox(s, "job", "watch", "bad", "--once")
    tap.ok("one look is no judgement", r.returncode == 0 and "Failed" in r.stdout, r)
    r = cox(s, "job", "watch", "bad", "--server", "https://127.0.0.1:1")
    tap.ok("a server that is not there from the start", r.returncode == 1 and "refused" in r.stderr, r)


def test_objects(s):
    r = cox(s, "job", "watch", "long", "-o", "json")
    items = json.loads(r.stdout)["items"] if r.returncode == 0 else []
    tap.eq("the job and its tasks as a List", [(x["kind"], x["status"]["phase"]) for x in items], [("KusciaJob", "Succeeded"), ("KusciaTask", "Succeeded"), ("KusciaTask", "Succeeded")])
    r = cox(s, "job", "watch", "bad", "-o", "jsonpath={.items[0].status.phase}")
    tap.eq("of one that failed, with its status", (r.stdout, r.returncode), ("Failed", 1))


def test_mistakes(s):
    for words, said in (("watch", "name one KusciaJob: cox job watch NAME"), ("stop", "name one KusciaJob: cox job stop NAME"), ("wtch long", "there is no `cox job wtch`: "), ("start long", "cox job watch NAME"), ("nobody", "no KusciaJob has that name")):
        r = cox(s, "job", *words.split())
        tap.ok(f"cox job {words}", r.returncode == 1 and said in r.stderr, r)
    for words, said in (("", "kt/NAME"), ("ds/nobody", "kj/NAME"), ("kd/nobody", "not found"), ("kj/nobody", "not found")):
        r = cox(s, "why", *words.split())
        tap.ok(f"cox why {words}", r.returncode == 1 and said in r.stderr, r)
    for words in ("job watch long -n alice", "why kj/long -n alice", "why kt/long-a -n alice"):
        r = cox(s, *words.split())
        tap.ok(f"cox {words}: it is told where jobs are", r.returncode == 1 and "not found" in r.stderr and "cross-domain" in r.stderr, r)
    tap.eq("an object is named in two words, too", cox(s, "why", "kj", "long").stdout, cox(s, "why", "kj/long").stdout)
    tap.eq("or a job as other commands print it", [cox(s, "job", "watch", name, "--once").stdout for name in ("kj/long", "kusciajob.kuscia.secretflow/long")], 2 * [cox(s, "job", "watch", "long", "--once").stdout])
    r = cox(s, "job", "restart", "kj/long")
    tap.ok("in commands, too", "the job is Succeeded" in r.stderr, r)
    job(s, "lost", task("a", party("alice"), party("dave")))
    tap.ok("a job that waits for something else than room", wait_for(lambda: 'no Domain "dave"' in cox(s, "why", "kj/lost").stdout), cox(s, "why", "kj/lost"))
    service(s, "thirsty", {"domainID": "alice", "appImageRef": "nothing"})
    tap.ok("a service", wait_for(lambda: 'AppImage "nothing"' in cox(s, "why", "kd/thirsty").stdout) and "Failed" in cox(s, "why", "kd/thirsty").stdout, cox(s, "why", "kd/thirsty"))
    s.delete(f"{KDS}/thirsty")
    tap.eq("cox job says where KusciaJobs are listed", cox(s, "job").stdout, "No work found in default namespace.\nKusciaJobs are listed by: cox get kj -n cross-domain\n")
    tap.eq("cox job NAME of a KusciaJob is its picture", cox(s, "job", "lost").stdout, cox(s, "job", "watch", "lost", "--once").stdout)


def test_names(s):
    """As `get -o name` prints them; whatever aliases hold, a row is a line."""
    odd = "a\x1b[2J\n\n\tb\x07"
    job(s, "odd", task(odd, id="odd-a"), task("z", after=[odd]))
    wait_for(lambda: task_phase(s, "odd", odd) == "Running")
    r = cox(s, "job", "watch", "kusciajob.kuscia.secretflow/odd", "--once")
    tap.ok("an alias of several lines", r.returncode == 0 and "a^[[2J\\n\\n\\tb^G   -" in r.stdout and not set("\x1b\x07\t") & set(r.stdout.split("see below")[0]), r)
    r = cox(s, "job", "stop", "odd", "-n", "default")
    tap.ok("no command to the job of that name in another namespace", r.returncode == 1 and "one in default can be told nothing" in r.stderr and phase(s, "odd") == "Running", r)
    r = cox(s, "job", "stop", "odd/status")
    tap.ok("a name is a name, not a path", r.returncode == 1 and '"odd/status" not found' in r.stderr, r)
    r = cox(s, "job", "stop", "kj/odd")
    tap.ok("a command by kind and name", r.returncode == 0 and wait_for(lambda: phase(s, "odd") == "Failed"), r)


def test_why_a_domain(s):
    job(s, "vast", task("a", party("alice", resources={"requests": {"cpu": "4"}}), party("bob"), id="vast-a"), task("b", party("alice", resources={"requests": {"cpu": "4"}}), id="vast-b"), maxParallelism=2)
    said = lambda *of: cox(s, "why", *of).stdout  # noqa: E731
    tap.ok("its nodes, and who waits", wait_for(lambda: re.search(r"Nodes: +1 of 1 ready\nWaiting: +1 task: kt/vast-[ab] \(Unschedulable\)\n", said("domain/alice"))), said("domain/alice"))
    part = next(r["metadata"]["name"] for r in s.get(f"{K}/namespaces/alice/taskresources").json["items"] if r["metadata"]["name"].startswith("vast-") and r["status"]["phase"] == "Reserving")
    tap.eq("a part of a task says what the whole does", [said(f"tr/{part}"), said(f"tr/{part}", "-n", "alice")], [said(f"trg/{part[:6]}")] * 2)
    r = cox(s, "why", f"tr/{part}", "-n", "bob")
    tap.ok("in the namespace that is meant", r.returncode == 1 and f'"{part}" not found' in r.stderr, r)
    s.delete(f"{JOBS}/vast")
    s.post(f"{K}/domains", {"apiVersion": "kuscia.secretflow/v1alpha1", "kind": "Domain", "metadata": {"name": "empty"}, "spec": {"resourceQuota": {"podMaxCount": 3}}})
    tap.ok("one without machines, and its quota", wait_for(lambda: "Quota:    0 of 3 pods" in said("domain/empty")) and "none: no machine has joined" in said("domain/empty") and "none of its tasks" in said("domain/empty"), said("domain/empty"))
    r = cox(s, "why", "domain/nobody")
    tap.ok("one that is not there", r.returncode == 1 and 'domains.kuscia.secretflow "nobody" not found' in r.stderr, r)


def test_who_may_not_read_tasks(s):
    """A domain's people see the jobs that it takes part in, and not what tasks say of other domains' nodes: they get what the job says."""
    rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/cross-domain"
    s.post(f"{rbac}/roles", {"metadata": {"name": "jobs"}, "rules": [{"apiGroups": ["kuscia.secretflow"], "resources": ["kusciajobs"], "verbs": ["get"]}]})
    s.post(f"{rbac}/rolebindings", {"metadata": {"name": "jobs"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "jobs"},
                                    "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ann"}]})
    r = cox(s, "job", "watch", "long", "--as", "ann")
    tap.ok("the job's phases", r.returncode == 0 and "2 of 2 tasks done" in r.stdout and re.search(r"\n +b +a +Succeeded +alice, bob +-\n", r.stdout), r)
    tap.ok("and where more is told", "cox why pod/NAME" in r.stderr, r)
    tap.eq("the same of cox job and cox why", [cox(s, *words, "--as", "ann").stdout for words in (("job", "long"), ("why", "kj/long"))], 2 * [r.stdout])
    items = json.loads(cox(s, "job", "watch", "long", "--as", "ann", "-o", "json").stdout)["items"]
    tap.eq("no tasks are made up", [x["kind"] for x in items], ["KusciaJob"])


def test_on_a_terminal(s):
    """In colours, reasons in lines of its width; elsewhere neither."""
    image(s, "large", cpu="3")
    job(s, "first", task("a", app="large"))
    wait_for(lambda: task_phase(s, "first", "a") == "Running")
    job(s, "second", task("a", app="large"))
    seen = lambda: cox(s, "job", "watch", "second", "--once").stdout  # noqa: E731
    tap.ok("who lacks what stands below the row", wait_for(lambda: "\n      alice" in seen() and "best free: 1" in seen()), seen())
    tap.ok("without colours in a file", "\x1b" not in seen(), seen())
    words = [COX, "job", "watch", "second", "--once", "--kubeconfig", s.kubeconfig]
    text = on_terminal(words, 80)
    lines = text.splitlines()
    below = [line for line in lines if line.startswith("      ")]
    tap.ok("colours on a terminal", any(line.startswith("\x1b[33m") and line.endswith("\x1b[0m") for line in lines), text)
    tap.ok("and lines that fit", len(below) > 2 and max(map(len, below)) <= 80, text)
    tap.ok("who wants none has none", "\x1b" not in on_terminal(words, 80, NO_COLOR="1"))
    end_task(s, "first", "a")
    end_task(s, "second", "a")
    tap.ok("all of it ends", wait_for(lambda: phase(s, "second") == "Succeeded"))


def token_of(s, domain):
    return next((t["token"] for t in s.get(f"{K}/domains/{domain}").json.get("status", {}).get("deployTokenStatuses", []) if t["state"] == "unused"), None)


def test_join(s):
    """A machine that means to be of another domain than its token is not let in, keeps nothing, and may try again."""
    hash_ = re.search(r"--ca-hash (\S+)", cox(s, "token", "create", "--ttl", "1h", "--print-join-command").stdout).group(1)
    any_ = cox(s, "token", "create", "--ttl", "1h").stdout.strip()
    join = lambda *words: run("join", f"https://127.0.0.1:{s.port}", "--node-name", "new-1", "--data-dir", s.path("new"), "--credentials-only", "--ca-hash", hash_, *words)  # noqa: E731
    r = join("--domain", "alice")
    tap.ok("without a token it says where there is one", r.returncode == 1 and "cox get domain alice -o yaml" in r.stderr, r)
    wait_for(lambda: token_of(s, "alice"))
    r = join("--domain", "bob", "--token", token_of(s, "alice"))
    tap.ok("with another domain's", r.returncode == 1 and 'the token is of domain "alice", not of "bob"' in r.stderr and not os.path.exists(s.path("new/agent/kubeconfig")), r)
    r = join("--domain", "bob", "--token", any_)
    tap.ok("with one of no domain", r.returncode == 1 and 'the token is of no domain, not of "bob"' in r.stderr, r)
    wait_for(lambda: token_of(s, "bob"))
    used = token_of(s, "bob")
    r = join("--domain", "bob", "--token", used)
    tap.ok("with its own", r.returncode == 0 and os.path.exists(s.path("new/agent/kubeconfig")), r)
    r = join("--domain", "bob", "--token", used, "--node-name", "new-3", "--data-dir", s.path("third"))
    tap.ok("which is for one machine", r.returncode == 1 and 'node "new-1" has used the token' in r.stderr and 'the Domain "bob" has the next one' in r.stderr, r)
    r = join("--domain", "bob", "--token", used, "--data-dir", s.path("again"))
    tap.ok("that may ask again with it, when it was killed before it kept what it got", r.returncode == 0, r)
    r = join("--domain", "alice", "--token", token_of(s, "alice"))
    tap.ok("once and for all", r.returncode == 1 and 'this machine has credentials of domain "bob", not of "alice"' in r.stderr, r)
    r = join("--domain", "bob", "--token", token_of(s, "bob"), "--node-name", "new-2")
    tap.ok("and under one name", r.returncode == 1 and 'credentials of node "new-1", not of "new-2": say --node-name new-1' in r.stderr, r)
    other = lambda *words: join("--domain", "alice", "--token", token_of(s, "alice"), "--data-dir", s.path("other"), *words)  # noqa: E731
    for words, said in (("--node-name New_1", 'no name for a node'), ("--node-capacity bandwidth=10MBps", "B are bytes")):
        token = token_of(s, "alice")
        r = other(*words.split())
        tap.ok(f"{words} is told before the token is used", r.returncode == 1 and said in r.stderr and not os.path.exists(s.path("other/agent/kubeconfig")) and token_of(s, "alice") == token, r)
    r = other("--node-name", "bob-0", "--timeout", "5s")
    tap.ok("what waits for a person says so", r.returncode == 1 and "waits for somebody's approval" in r.stderr and "nobody has approved" in r.stderr, r)
    tap.eq("the same again is nothing new", join("--domain", "bob", "--token", "abcdef.0123456789abcdef").returncode, 0)


def main():
    with Domains(("alice", "bob")) as s:
        image(s, "small")
        tap.run([test_restart_of_the_server, test_ends, test_objects, test_mistakes, test_who_may_not_read_tasks, test_names, test_why_a_domain, test_on_a_terminal, test_join], s)
    tap.done()


main()
