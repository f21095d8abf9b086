# SPDX-License-Identifier: Apache-2.0
"""What must hold on a cluster with real nodes, whatever happens to its parts; looked at all the time, and once more after each scenario.

    follower   every change of every pod, over restarts of the server: a pod keeps its node, restart counts and revisions never go back
    sampler    the processes in the cgroups of the nodes: a pod is on one node, of one name one pod runs, on the node that the API says
    check()    the state when things have settled: bound pods have a node, no node is over its allocatable, what was acknowledged is there, what
               was deleted is gone, each ready pod has its processes and no process is without a pod, and every node still does its work (a pulse)

The rules themselves are functions without a cluster (verify_...), so that a test can see them fail.
"""
import http.client
import json
import os
import re
import threading
import time

from lib.cox import wait_for
from lib.node import PATIENCE, condition, pod

ENDED = ("Succeeded", "Failed")
UNITS = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def amount(text):
    number, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(text)).groups()
    return float(number) * UNITS[unit]


def request(p, resource):
    """What a pod asks for; init containers run one after another before the others, sidecars stay."""
    one = lambda c: amount({**c.get("resources", {}).get("limits", {}), **c.get("resources", {}).get("requests", {})}.get(resource, "0"))  # noqa: E731
    stay = peak = 0
    for c in p["spec"].get("initContainers", []):
        if c.get("restartPolicy") == "Always":
            stay += one(c)
        else:
            peak = max(peak, stay + one(c))
    return max(stay + sum(one(c) for c in p["spec"]["containers"]), peak) + amount(p["spec"].get("overhead", {}).get(resource, "0"))


def label(p):
    return f"{p['metadata']['namespace']}/{p['metadata']['name']} ({p['metadata']['uid']})"


# --- rules ------------------------------------------------------------------------------------------------------------


class PodRules:
    """Fed with every version of every pod, in order."""

    def __init__(self):
        self.revision, self.nodes, self.restarts, self.names, self.bad = 0, {}, {}, {}, []

    def see(self, p, ordered=True):
        meta, uid = p["metadata"], p["metadata"]["uid"]
        rv, node = int(meta["resourceVersion"]), p["spec"].get("nodeName")
        if ordered and rv <= self.revision:
            self.bad.append(f"{label(p)}: revision {rv} after {self.revision}")
        self.revision = max(self.revision, rv)
        self.names[uid] = (meta["namespace"], meta["name"])
        if self.nodes.get(uid) and node != self.nodes[uid]:
            self.bad.append(f"{label(p)}: was bound to {self.nodes[uid]}, now to {node}")
        if node:
            self.nodes[uid] = node
        for s in p.get("status", {}).get("containerStatuses", []):
            key = (uid, s["name"])
            if s.get("restartCount", 0) < self.restarts.get(key, 0):
                self.bad.append(f"{label(p)}: restarts of {s['name']} went from {self.restarts[key]} to {s['restartCount']}")
            self.restarts[key] = s.get("restartCount", 0)


def verify_samples(samples, names, nodes):
    """samples: sets of (uid, node) of processes seen at one moment.  names: uid -> (namespace, name).  nodes: uid -> node of the API.  Returns complaints."""
    bad = set()
    for sample in samples:
        where, who = {}, {}
        for uid, node in sample:
            where.setdefault(uid, set()).add(node)
            if nodes.get(uid, node) != node:
                bad.add(f"{names.get(uid)} ({uid}) ran on {node}, the API says {nodes[uid]}")
            if uid in names:
                who.setdefault(names[uid], set()).add((uid, node))
        bad.update(f"{names.get(uid, uid)} ran on two nodes at once: {sorted(on)}" for uid, on in where.items() if len(on) > 1)
        bad.update(f"two pods of one name ran at once: {name} {sorted(on)}" for name, on in who.items() if len({u for u, _ in on}) > 1)
    return sorted(bad)


def verify_state(nodes, pods):
    """Lists of the API.  Returns complaints."""
    bad, used = [], {}
    rooms = {n["metadata"]["name"]: n.get("status", {}).get("allocatable", {}) for n in nodes}
    for p in pods:
        node = p["spec"].get("nodeName")
        if not node:
            continue
        if node not in rooms:
            if not p["metadata"].get("deletionTimestamp"):
                bad.append(f"{label(p)} is bound to {node}, which is not there")
            continue
        if p.get("status", {}).get("phase") in ENDED:
            continue
        for resource in rooms[node]:
            key = (node, resource)
            used[key] = used.get(key, 0) + (1 if resource == "pods" else request(p, resource))
    bad += [f"{node} is over its {resource}: {have:g} of {rooms[node][resource]}" for (node, resource), have in used.items() if have > amount(rooms[node][resource]) * (1 + 1e-9)]
    return bad


def verify_books(made, dropped, pods):
    """made: uid -> name of creations that were acknowledged.  dropped: uids whose deletion was acknowledged or may have happened.  Returns complaints."""
    here = {p["metadata"]["uid"] for p in pods}
    return [f"lost: {name} ({uid}), which was acknowledged and nobody deleted" for uid, name in made.items() if uid not in here and uid not in dropped]


# --- looking ------------------------------------------------------------------------------------------------------------


class Follower(threading.Thread):
    def __init__(self, watch):
        super().__init__(name="invariants-follower", daemon=True)
        self.w, self.conn = watch, None

    def run(self):
        while not self.w.ended:
            try:
                self.follow()
            except (OSError, http.client.HTTPException, ValueError, AttributeError, KeyError):
                time.sleep(0.05)
            finally:
                if self.conn:
                    self.conn.close()

    def relist(self):
        self.conn.request("GET", "/api/v1/pods")
        body = json.loads(self.conn.getresponse().read())
        with self.w.lock:
            for p in body["items"]:
                self.w.rules.see(p, ordered=False)
            self.w.rules.revision, self.w.resumable = int(body["metadata"]["resourceVersion"]), True

    def follow(self):
        self.conn = self.w.fleet.connect(timeout=60)
        if not self.w.resumable:
            self.relist()
        self.conn.request("GET", f"/api/v1/pods?watch=1&resourceVersion={self.w.rules.revision}")
        r = self.conn.getresponse()
        self.w.resumable = r.status == 200
        for line in r if r.status == 200 else ():
            event = json.loads(line) if line.endswith(b"\n") else {"type": "BOOKMARK"}
            if event["type"] == "ERROR":
                self.w.resumable = False
                return
            if event["type"] != "BOOKMARK":
                with self.w.lock:
                    self.w.rules.see(event["object"])


class Sampler(threading.Thread):
    def __init__(self, watch):
        super().__init__(name="invariants-sampler", daemon=True)
        self.w = watch

    def run(self):
        while not self.w.ended:
            now = frozenset(self.w.processes())
            with self.w.lock:
                self.w.samples.add(now)
            time.sleep(0.3)


class Invariants:
    """with Invariants(fleet) as w: ... w.create(pod(...)); w.check("after the kill")"""

    def __init__(self, fleet):
        self.fleet, self.lock, self.ended, self.resumable = fleet, threading.Lock(), False, False
        self.rules, self.samples = PodRules(), set()
        self.made, self.dropped, self.pulses = {}, set(), 0
        self.pattern = re.compile(re.escape(f"/{fleet.root}-") + r"(node-\d+)/.*?pod([0-9a-f]{8}-[0-9a-f-]{27})")
        self.threads = [Follower(self), Sampler(self)]

    def __enter__(self):
        for t in self.threads:
            t.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        try:
            self.threads[0].conn.sock.shutdown(2)
        except (OSError, AttributeError):
            pass
        for t in self.threads:
            t.join(10)

    def processes(self):
        """(uid, node) of everything that runs in a pod's cgroup, on any node."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/cgroup") as f:
                    m = self.pattern.search(f.read())
            except OSError:
                continue
            if m:
                found.setdefault((m.group(2), m.group(1)), []).append(int(entry))
        return found

    # --- writes that are kept in the books
    def create(self, obj):
        made = self.fleet.create(obj)
        if obj["kind"] == "Pod":
            with self.lock:
                self.made[made["metadata"]["uid"]] = made["metadata"]["name"]
        return made

    def delete(self, name, query=""):
        """A pod's deletion is on its way; it need not be gone yet."""
        p = self.fleet.read(name)
        if p:
            with self.lock:
                self.dropped.add(p["metadata"]["uid"])
            self.fleet.delete(self.fleet.url("Pod", name) + query)

    # --- the check
    def pulse(self):
        """Each node that is up runs a pod to its end: scheduler, agent and controllers all do their part."""
        self.pulses += 1
        names = []
        for n in self.fleet.nodes:
            name = f"pulse-{self.pulses}-{n.name}"
            names.append(name)
            self.create(pod(name, "true", restartPolicy="Never", nodeSelector={"kubernetes.io/hostname": n.name}, terminationGracePeriodSeconds=1))
        for name in names:
            self.fleet.wait_phase(name, "Succeeded")
            self.delete(name)
        for name in names:
            self.fleet.wait_gone(name)

    def settled(self):
        """Complaints about processes and pods that do not belong together: [] soon after nothing changes any more."""
        pods = self.fleet.get("/api/v1/pods").json["items"]
        running, bad = self.processes(), []
        should = {(p["metadata"]["uid"], p["spec"]["nodeName"]): p for p in pods if p["spec"].get("nodeName")}
        mirrors = {p["metadata"].get("annotations", {}).get("kubernetes.io/config.mirror"): p for p in pods}
        for (uid, node), pids in running.items():
            if uid not in mirrors and ((uid, node) not in should or should[(uid, node)]["status"].get("phase") in ENDED):
                bad.append(f"processes {pids} on {node} of pod {uid}, which should not run there")
        for (uid, node), p in should.items():
            mirrored = p["metadata"].get("annotations", {}).get("kubernetes.io/config.mirror")
            if p["metadata"].get("deletionTimestamp"):
                bad.append(f"{label(p)} is still being deleted")
            elif condition(p, "Ready") == "True" and (mirrored or uid, node) not in running:
                bad.append(f"{label(p)} is ready without a process on {node}")
        return bad

    def check(self, allow=()):
        """Waits until things have settled, then everything that was seen since the start.  Returns complaints."""
        self.pulse()
        if not wait_for(lambda: not self.settled(), PATIENCE, 0.2):
            return self.settled()
        body = self.fleet.get("/api/v1/pods").json
        pods, nodes = body["items"], self.fleet.get("/api/v1/nodes").json["items"]
        with self.lock:
            bad = list(self.rules.bad) + verify_samples(self.samples, self.rules.names, self.rules.nodes)
            bad += verify_books(self.made, self.dropped, pods)
            if int(body["metadata"]["resourceVersion"]) < self.rules.revision:
                bad.append(f"a list at {body['metadata']['resourceVersion']}, {self.rules.revision} was seen before")
            self.rules.bad, self.samples = [], set()
        bad += verify_state(nodes, pods)
        return [b for b in bad if not any(re.search(a, b) for a in allow)]
