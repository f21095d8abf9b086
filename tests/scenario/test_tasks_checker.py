#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of lib/tasks.py itself: it accepts what may happen to tasks of several domains and finds each kind of lie."""
import copy
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap  # noqa: E402
from lib.tasks import TORN_SECONDS, Moments, bits, link_metrics, link_sums, node_sums, verify_end, verify_words  # noqa: E402

N = "kuscia.secretflow/"
MBIT = 1e6


def pod(ns, node=None, group="t", cpu="1", bw=None, phase="Running", uid=None, role="", **meta):
    ask = {"cpu": cpu, **({"kuscia.io/bandwidth": bw} if bw else {})}
    name = f"{group}-0"
    return {"metadata": {"namespace": ns, "name": name, "uid": uid or f"{ns}-{group}", "resourceVersion": "1", "annotations": {N + "task-resource-group": group},
                         "labels": {N + "task-uid": f"uid-{group}", N + "pod-role": role, N + "pod-identity": f"{group}-{role}-0"}, **meta},
            "spec": {"containers": [{"name": "c", "resources": {"requests": ask}}], **({"nodeName": node} if node else {})}, "status": {"phase": phase}}


def node(name, **room):
    return {"metadata": {"name": name}, "status": {"allocatable": room}}


def task(name="t", phase="Running", done=False, ports=None, message="", **meta):
    return {"metadata": {"name": name, "uid": f"uid-{name}", **meta}, "status": {"phase": phase, **({"completionTime": "x"} if done else {}), **({"message": message} if message else {}),
            "allocatedPorts": [{"domainID": d, "namedPort": {"a": n}} for d, n in (ports or {}).items()]}}


def group(name="t", phase="Reserved", members=None, parties=("alice", "bob")):
    return {"metadata": {"name": name, "uid": f"g-{name}", "labels": {N + "task-uid": f"uid-{name}"}}, "status": {"phase": phase},
            "spec": {"parties": [{"domainID": d, "minReservedPods": 1, "pods": [{"name": f"{name}-0"}]} for d in parties], **({"minReservedMembers": members} if members else {})}}


def route(source, destination, bandwidth):
    return {"spec": {"source": source, "destination": destination, "bandwidth": bandwidth}}


def owned(kind, name="t", ns="alice"):
    labels = {"resource": {N + "task-resource-group-uid": f"g-{name}"}}.get(kind, {N + "task-uid": f"uid-{name}"})
    return {"metadata": {"namespace": ns, "name": f"{name}-x", "labels": labels}}


def quota(ns, hard, used=None):
    return {"metadata": {"namespace": ns}, "spec": {"hard": {"pods": hard}}, "status": {"used": {"pods": used}} if used is not None else {}}


def moments(*states):
    m = Moments()
    for i, s in enumerate(states):
        m.see(s.pop("now", i), **s)
    return m.bad


def finds(name, bad, part):
    tap.ok(f"finds {name}", any(part in b for b in bad), f"wanted {part!r} in {bad}")


# --- at any moment
WIDE = [node("a", **{"cpu": "2", "kuscia.io/bandwidth": "100", "cox.io/egress-bandwidth": "100M"})]
NARROW = [node("a", **{"cpu": "1", "kuscia.io/bandwidth": "50", "cox.io/egress-bandwidth": "50M"})]
TWO = [pod("alice", "a", "t"), pod("alice", "a", "u")]
tap.eq("a node that is full", moments({"nodes": WIDE, "pods": TWO}), [])
finds("a node over its cores", moments({"nodes": NARROW, "pods": TWO}), "node a cpu is over: 2 of 1")
finds("a node over its bandwidth", moments({"nodes": WIDE, "pods": [pod("alice", "a", bw="60"), pod("alice", "a", "u", bw="50")]}), "kuscia.io/bandwidth is over")
finds("a node over one end", moments({"nodes": [node("a", **{"cox.io/egress-bandwidth": "100M"})], "pods": [pod("alice", "a", bw="101")]}), "cox.io/egress-bandwidth is over")
tap.eq("what ran before a node became smaller stays", moments({"nodes": WIDE, "pods": TWO}, {"nodes": NARROW, "pods": TWO}, {"nodes": NARROW, "pods": TWO[:1]}), [])
finds("one that was admitted when it was too small", moments({"nodes": WIDE, "pods": TWO}, {"nodes": NARROW, "pods": [*TWO, pod("alice", "a", "v")]}), "3 of 1, 2 before")
finds("one that was admitted after others had gone", moments({"nodes": WIDE, "pods": TWO}, {"nodes": NARROW, "pods": TWO[:1]}, {"nodes": NARROW, "pods": TWO}), "2 of 1, 1 before")
tap.eq("ended pods take no room", moments({"nodes": NARROW, "pods": [pod("alice", "a"), pod("alice", "a", "u", phase="Succeeded")]}), [])
finds("a pod that moved", moments({"pods": [pod("alice", "a")]}, {"pods": [pod("alice", "b")]}), "was bound to a")

PAIR = [pod("alice", "a", bw="60"), pod("bob", "b", bw="40")]
tap.eq("a link takes the larger promise", link_sums([route("alice", "bob", "100Mbps"), route("alice", "bob", "80M")], PAIR), {("alice", "bob"): (60 * MBIT, 80 * MBIT)})
finds("a link that is over", moments({"routes": [route("alice", "bob", "59Mbps")], "pods": PAIR}), "link alice bob is over")
tap.eq("a link of a task with one end in place", moments({"routes": [route("alice", "bob", "59Mbps")], "pods": PAIR[:1]}), [])
finds("a quota that is over", moments({"quotas": [quota("alice", "1")], "pods": TWO}), "quota of alice is over")

HALF = [pod("alice", "a"), pod("bob")]
long = {"groups": [group()], "pods": HALF, "now": TORN_SECONDS + 1}
tap.eq("between two bindings", moments({"groups": [group()], "pods": HALF}, {"groups": [group()], "pods": [pod("alice", "a"), pod("bob", "b")], "now": 99}), [])
finds("a task that holds a part", moments({"groups": [group()], "pods": HALF, "now": 0}, copy.deepcopy(long)), "task t holds a part")
tap.eq("parties beyond the required ones may wait", moments({"groups": [group(members=1)], "pods": HALF, "now": 0}, {"groups": [group(members=1)], "pods": HALF, "now": 99}), [])
tap.eq("one that fails is not torn", moments({"groups": [group(phase="Failed")], "pods": HALF, "now": 0}, {"groups": [group(phase="Failed")], "pods": HALF, "now": 99}), [])
tap.eq("what ended holds nothing", moments({"groups": [group()], "pods": [pod("alice", "a", phase="Failed"), pod("bob")], "now": 0},
                                           {"groups": [group()], "pods": [pod("alice", "a", phase="Failed"), pod("bob")], "now": 99}), [])

# --- when things have settled
WHOLE = {"tasks": [task(ports={"alice": 20000})], "groups": [group()], "resources": [owned("resource")], "pods": [pod("alice", "a"), pod("bob", "b")], "configmaps": [owned("file"), {"metadata": {"namespace": "alice", "name": "other"}}],
         "services": [owned("service")], "quotas": [quota("alice", "9", "1")], "routes": [route("alice", "bob", "1G")], "links": {("alice", "bob"): 0}}
DONE = {"tasks": [task(phase="Succeeded", done=True, ports={"alice": 20000})], "groups": [group()], "resources": [owned("resource")], "pods": [pod("alice", "a", phase="Succeeded")], "quotas": [quota("alice", "9", "0")], "links": {}}
tap.eq("a task that runs", verify_end(**WHOLE), [])
tap.eq("one that has ended", verify_end(**DONE), [])
tap.eq("nothing at all", verify_end(), [])


def lie(base, **change):
    return verify_end(**{**base, **change})


finds("an end that was not cleaned up", lie(WHOLE, tasks=[task(phase="Failed")]), "was not cleaned up")
finds("a deletion that hangs", lie(WHOLE, tasks=[task(deletionTimestamp="x")]), "still being deleted")
finds("a port of two tasks", lie(WHOLE, tasks=[task(ports={"alice": 20000}), task("u", ports={"alice": 20000})]), "port 20000 of alice is of t and of u")
tap.eq("a number of two domains", lie(WHOLE, tasks=[task(ports={"alice": 20000}), task("u", ports={"bob": 20000})]), [])
tap.eq("a number that was given back", lie(WHOLE, tasks=[task(ports={"alice": 20000}), task("u", phase="Succeeded", done=True, ports={"alice": 20000})]), [])
finds("a group without a task", lie(DONE, groups=[group(), group("u")]), "group u without a task")
finds("a group that still waits", lie(DONE, groups=[group(phase="Reserving")]), "still waits for room")
finds("a task resource without a group", lie(DONE, resources=[owned("resource", "u")]), "without a group")
finds("a pod without a task", lie(DONE, pods=[pod("alice", "a", "u")], quotas=[]), "without a task")
finds("a pod that outlives its task", lie(DONE, pods=[pod("alice", "a")], quotas=[]), "is not ended, its task is")
finds("a member that is there twice", lie(WHOLE, pods=[pod("alice", "a", uid="1"), pod("alice", "a", uid="2")], quotas=[]), "the same member")
finds("a file that is left", lie(DONE, configmaps=[owned("file")]), "file alice/t-x is left")
finds("a service that is left", lie(DONE, services=[owned("service")]), "service alice/t-x is left")
finds("a file of a task that is gone", lie(DONE, configmaps=[owned("file", "u")]), "file alice/u-x is left")
finds("a quota that counts what is gone", lie(DONE, quotas=[quota("alice", "9", "1")]), "counts 1 pods, there are 0")
finds("a link that was not given back", lie(DONE, routes=[route("alice", "bob", "1G")], links={("alice", "bob"): 5.0}), "the scheduler counts 5 bit/s")
finds("a link that is not counted", lie(WHOLE, pods=PAIR, quotas=[]), "the pods have 6e+07")

tap.eq("a task that says why it waits", verify_words([task(phase="Pending", message="waiting: bob (no room)"), task(), task(phase="Succeeded")]), [])
finds("one that says nothing", verify_words([task(phase="Pending")]), "waits without a word")
tap.eq("amounts", [bits(t) for t in ("100Mbps", "1G", "200 Mbit/s", "5")], [100 * MBIT, 1000 * MBIT, 200 * MBIT, 5])
tap.eq("metrics", link_metrics('x 1\nlink_bandwidth_reserved_bits{source="a",destination="b"} 600\n'), {("a", "b"): 600.0})
tap.eq("sums of a node", node_sums(WIDE, TWO)[("a", "cpu")], (2, 2))
tap.done()
