#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Containers that misbehave and things that are missing or broken, on one node that is a network namespace; after each scenario the invariants."""
import base64
import glob
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib import images  # noqa: E402
from lib.cox import PATIENCE, tap, wait_for  # noqa: E402
from lib.invariants import Invariants  # noqa: E402
from lib.node import Fleet, condition, isolate, pod, statuses  # noqa: E402

LOG_BYTES = 10 << 20  # a file of a container's log; five are kept
# A shell that ignores SIGTERM with a child, a grandchild, and a daemon that left its session and its parent.
TREE = "trap '' TERM; (trap '' TERM; sleep 100000 & sleep 100001 & wait) & (setsid sh -c 'trap \"\" TERM; sleep 100002 & sleep 100003' &) ; echo up; while :; do sleep 1; done"


def holds(w, name):
    bad = w.check()
    tap.ok(f"{name}: the invariants hold", not bad, "\n".join(bad[:20]))


def gone(f, w, *names):
    for name in names:
        w.delete(name)
    for name in names:
        f.wait_gone(name)


def waiting(f, name):
    return statuses(f.read(name) or {}).get("c", {}).get("state", {}).get("waiting", {})


def process_trees(f, w):
    node = f.nodes[0]
    names = ["tree", "tree-shared", "tree-host"]
    for name, more in zip(names, ({}, {"shareProcessNamespace": True}, {"hostPID": True})):
        w.create(pod(name, TREE, terminationGracePeriodSeconds=1, **more))
    uids = [f.wait_running(name)["metadata"]["uid"] for name in names]
    for name, uid in zip(names, uids):
        f.wait(lambda u=uid: len(node.processes(u)) >= 6, f"the whole tree of {name}")
    pids = {p for uid in uids for p in node.processes(uid)}
    gone(f, w, *names)
    tap.eq("nothing is left of trees of processes that ignore SIGTERM", [p for p in pids if os.path.exists(f"/proc/{p}")], [])
    tap.eq("nor of their cgroups", [p for uid in uids for p in glob.glob(f"/sys/fs/cgroup/**/*pod{uid}*", recursive=True)], [])
    holds(w, "process trees")


def fork_bombs(f, w):
    """Processes without end: the pod is full, nobody else is."""
    node = f.nodes[0]
    w.create(pod("bomb", "(while :; do sleep 100000 & done) 2> /dev/null; echo full; exec sleep 100000"))
    uid = f.wait_running("bomb")["metadata"]["uid"]
    limits = [open(path).read().strip() for path in glob.glob(f"/sys/fs/cgroup/**/*pod{uid}*/pids.max", recursive=True)]
    numbers = [int(limit) for limit in limits if limit.isdigit()]
    if not limits or not tap.ok("a pod has a limit of processes", numbers, limits):
        gone(f, w, "bomb")
        return tap.skip("fork bombs", "this machine does not count the processes of cgroups") if not limits else None
    most = min(numbers)
    f.wait(lambda: "full" in f.logs("bomb"), "a pod that can not fork any more")
    count = len(node.processes(uid))
    tap.ok("a fork bomb fills its pod", most // 2 < count <= most, f"{count} of {most}")
    w.create(pod("neighbour", "true; exec sleep 100000"))
    f.wait_running("neighbour")
    tap.ok("others start beside it, and the node is ready", f.ready(node.name))
    gone(f, w, "bomb", "neighbour")
    tap.eq("nothing is left of it", node.processes(uid), [])
    holds(w, "fork bombs")


def orphans_of_a_crash(f, w):
    """The first process ends, its daemon does not: the container has ended, and the daemon goes with it before the next run."""
    node = f.nodes[0]
    names = ["orphans", "orphans-shared"]
    daemon = "setsid sleep 100007 & echo run; sleep 2; exit 1"
    for name, more in zip(names, ({}, {"shareProcessNamespace": True})):
        w.create(pod(name, daemon, **more))
    for name in names:
        p = f.wait(lambda n=name: (lambda q: q if statuses(q).get("c", {}).get("restartCount", 0) >= 1 else None)(f.read(n)), f"{name} restarted")
        f.wait(lambda u=p["metadata"]["uid"]: sum(is_daemon(i) for i in node.processes(u)) <= 1, f"one daemon of {name}")
        tap.ok(f"{name}: a daemon does not outlive its container's run", True)
    gone(f, w, *names)
    holds(w, "orphans")


def is_daemon(pid):
    try:
        return b"100007" in open(f"/proc/{pid}/cmdline", "rb").read()
    except OSError:
        return False


def long_logs(f, w):
    """A log of 80 MiB keeps five files of 10; lines without an end do not hurt; reading it works all the time."""
    node = f.nodes[0]
    lines = "head -c 62914560 /dev/zero | tr '\\0' x | fold -w 200; head -c 20971520 /dev/zero | tr '\\0' y; echo; echo the-end; sleep 100000"
    w.create(pod("talker", lines))
    uid = f.wait_running("talker")["metadata"]["uid"]
    folder = glob.glob(os.path.join(node.dir, f"agent/logs/*{uid}*"))
    size = lambda: sum(os.path.getsize(os.path.join(d, n)) for top in folder for d, _, all_names in os.walk(top) for n in all_names if os.path.exists(os.path.join(d, n)))  # noqa: E731
    largest = 0

    def ended():
        nonlocal largest
        largest = max(largest, size())
        return f.logs("talker", "?tailLines=1&limitBytes=1000").strip() == "the-end"
    f.wait(ended, "the last line")
    tap.ok("the log was bounded all the time", LOG_BYTES < largest <= 7 * LOG_BYTES, f"{largest} bytes")
    tail = f.logs("talker", "?tailLines=3")
    tap.ok("its end can be read, long line and all", tail.rstrip().endswith("the-end") and "y" * 1000 in tail, tail[-300:])
    w.create(pod("quiet", "echo hello; sleep 100000"))
    f.wait_running("quiet")
    f.wait(lambda: f.logs("quiet").strip() == "hello", "another pod's log")
    gone(f, w, "talker", "quiet")
    tap.ok("with the pod its log goes", wait_for(lambda: not any(os.path.exists(d) for d in folder), PATIENCE, 0.1), folder)
    holds(w, "long logs")


def out_of_memory(f, w):
    w.create(pod("hungry", "echo eating; tail /dev/zero", container={"resources": {"limits": {"memory": "24Mi"}, "requests": {"memory": "8Mi"}}}))
    w.create(pod("modest", "exec sleep 100000"))
    ended = f.wait(lambda: (lambda s: s.get("lastState", {}).get("terminated") if s.get("restartCount", 0) >= 1 else None)(statuses(f.read("hungry")).get("c", {})), "the restart")
    tap.eq("a container over its memory limit is killed, named so, and restarted", (ended["reason"], ended["exitCode"]), ("OOMKilled", 137))
    tap.eq("others are not touched", statuses(f.wait_running("modest"))["c"]["restartCount"], 0)
    gone(f, w, "hungry", "modest")
    holds(w, "out of memory")


def broken_images(f, w):
    if not images.busybox_path():
        tap.skip("broken images", "needs a static busybox")
        return
    folder = os.path.join(f.nodes[0].dir, "agent/images/import")
    os.makedirs(folder, exist_ok=True)
    whole = os.path.join(f.dir, "whole.tar")
    images.build_busybox(whole, "test/late:1")
    with open(whole, "rb") as src, open(os.path.join(folder, "half.tar"), "wb") as half:
        half.write(src.read()[:300000])
    with open(os.path.join(folder, "noise.tar"), "wb") as noise:
        noise.write(bytes(range(256)) * 300)
    w.create(pod("late", "exec sleep 100000", image="test/late:1", container={"imagePullPolicy": "Never"}))
    why = f.wait(lambda: (lambda s: s if s.get("reason") in ("ErrImageNeverPull", "ErrImagePull", "ImagePullBackOff") else None)(waiting(f, "late")), "the missing image")
    tap.has("a pod whose archive is broken says which image it lacks", why.get("message", ""), "test/late:1")
    w.create(pod("other", "exec sleep 100000"))
    f.wait_running("other")
    shutil.copy(whole, os.path.join(folder, ".whole"))
    os.rename(os.path.join(folder, ".whole"), os.path.join(folder, "whole.tar"))
    f.wait_running("late")
    tap.ok("it runs when a whole one is there", True)
    gone(f, w, "late", "other")
    for name in ("half.tar", "noise.tar", "whole.tar"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            os.unlink(path)
    holds(w, "broken images")


def late_secrets(f, w):
    coded = base64.b64encode(b"sesame").decode()
    mount = {"volumeMounts": [{"name": "v", "mountPath": "/s"}]}
    w.create(pod("by-volume", "cat /s/key; echo; exec sleep 100000", container=mount, volumes=[{"name": "v", "secret": {"secretName": "late-volume"}}]))
    w.create(pod("by-env", "echo $KEY; exec sleep 100000", container={"env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "late-env", "key": "key"}}}]}))
    f.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "lacks"}, "data": {"other": coded}})
    w.create(pod("by-item", "cat /s/key; echo; exec sleep 100000", container=mount, volumes=[{"name": "v", "secret": {"secretName": "lacks", "items": [{"key": "key", "path": "key"}]}}]))
    f.wait(lambda: waiting(f, "by-env").get("reason") == "CreateContainerConfigError", "the missing secret of a variable")
    told = lambda name, part: any(part in (e.get("message") or "") for e in f.get("/api/v1/namespaces/default/events").json["items"] if e["involvedObject"]["name"] == name)  # noqa: E731
    f.wait(lambda: told("by-volume", "late-volume"), "an event that names the missing secret")
    f.wait(lambda: told("by-item", "key"), "an event that names the missing key")
    tap.ok("pods that lack a secret wait and say so", all(f.read(n)["status"]["phase"] == "Pending" for n in ("by-volume", "by-env", "by-item")))
    for name in ("late-volume", "late-env"):
        f.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": {"key": coded}})
    f.patch(f.url("Secret", "lacks"), {"data": {"key": coded}})
    for name in ("by-volume", "by-env", "by-item"):
        f.wait_running(name)
        f.wait(lambda n=name: f.logs(n).strip() == "sesame", f"the secret in {name}")
    tap.ok("when it is there they run", True)
    gone(f, w, "by-volume", "by-env", "by-item")
    holds(w, "late secrets")


def unreadable_secrets(f, w):
    """Secrets that are there and no good: not for this user, not what they should be."""
    coded = base64.b64encode(b"sesame").decode()
    for name, key in (("closed", "key"), ("garbled", ".dockerconfigjson")):
        f.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": {key: coded}})
    mount = {"volumeMounts": [{"name": "v", "mountPath": "/s"}], "securityContext": {"runAsUser": 4711}}
    volume = lambda mode: [{"name": "v", "secret": {"secretName": "closed", "defaultMode": mode}}]  # noqa: E731
    w.create(pod("locked-out", "cat /s/key || exit 3", container=mount, volumes=volume(0o400), restartPolicy="Never"))
    w.create(pod("let-in", "cat /s/key || exit 3; echo; exec sleep 100000", container=mount, volumes=volume(0o444)))
    w.create(pod("by-pull", "exec sleep 100000", imagePullSecrets=[{"name": "garbled"}, {"name": "nowhere"}]))
    ended = statuses(f.wait_phase("locked-out", "Failed"))["c"]["state"]["terminated"]
    tap.eq("a secret that its user may not read fails the container that tries", ended["exitCode"], 3)
    f.wait(lambda: "denied" in f.logs("locked-out"), "its own words about it")
    f.wait_running("let-in")
    f.wait(lambda: f.logs("let-in").strip() == "sesame", "a secret that is for all")
    f.wait_running("by-pull")
    tap.ok("credentials that make no sense, or are not there, keep no image away that is here", True)
    gone(f, w, "locked-out", "let-in", "by-pull")
    holds(w, "unreadable secrets")


def disk_pressure(f, w):
    """A threshold that is true at once: the condition, the taint, pods go one by one and none comes; with another threshold all is well again."""
    node = f.nodes[0]
    taints = lambda: {t["key"] for t in f.get(f"/api/v1/nodes/{node.name}").json["spec"].get("taints", [])}  # noqa: E731
    for name in ("full-1", "full-2"):
        w.create(pod(name, "exec sleep 100000"))
        f.wait_running(name)
    node.kill()
    node.args = ["--eviction-hard", "nodefs.available<100%"]
    node.start()
    f.wait(lambda: condition(f.get(f"/api/v1/nodes/{node.name}").json, "DiskPressure") == "True", "disk pressure")
    f.wait(lambda: "node.kubernetes.io/disk-pressure" in taints(), "its taint")
    for name in ("full-1", "full-2"):
        p = f.wait_phase(name, "Failed")
        tap.eq(f"{name} is evicted", p["status"].get("reason"), "Evicted")
        f.wait(lambda u=p["metadata"]["uid"]: not node.processes(u), f"the processes of {name} gone")
    w.create(pod("patient", "exec sleep 100000"))
    f.wait(lambda: condition(f.read("patient"), "PodScheduled") == "False", "a pod that cannot be placed")
    node.kill()
    node.args = []
    node.start()
    f.wait(lambda: condition(f.get(f"/api/v1/nodes/{node.name}").json, "DiskPressure") == "False" and "node.kubernetes.io/disk-pressure" not in taints(), "the pressure over")
    f.wait_running("patient")
    tap.ok("after the pressure pods come again", True)
    gone(f, w, "patient", "full-1", "full-2")
    holds(w, "disk pressure")


TESTS = [process_trees, fork_bombs, orphans_of_a_crash, long_logs, out_of_memory, broken_images, late_secrets, unreadable_secrets, disk_pressure]

if __name__ == "__main__":
    isolate()
    with Fleet() as fleet:
        fleet.add(1)
        fleet.wait_nodes()
        with Invariants(fleet) as watch:
            tap.run(TESTS, fleet, watch)
    tap.done()
