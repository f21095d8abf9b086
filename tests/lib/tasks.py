# SPDX-License-Identifier: Apache-2.0
"""What must hold for tasks of several domains, whatever happens to servers, nodes and the tasks themselves; looked at all the time, and once more when things have settled.

    Moments      fed with one list of pods after another: no node, quota or link over what it has (what ran before it became less may stay, and does not grow), a pod keeps its node,
                 and no task holds a part of what it needs while the rest waits, but for the moment between two writes
    verify_end   the state when things have settled: of tasks that ended nothing is left but what is kept for its logs; nothing without an owner; every port number once; quotas,
                 links and groups agree with the pods
    verify_words no task waits without saying why

The rules are functions without a cluster, so that a test can see them fail (scenario/test_tasks_checker.py).
"""
import http.client
import json
import re
import threading
import time

from lib.cox import tap, wait_for
from lib.invariants import ENDED, PodRules, amount, label, request

API = "kuscia.secretflow/v1alpha1"
K = f"/apis/{API}"
NOTE = "kuscia.secretflow/"
JOBS, TASKS, GROUPS, RESOURCES = f"{K}/namespaces/cross-domain/kusciajobs", f"{K}/namespaces/cross-domain/kusciatasks", f"{K}/taskresourcegroups", f"{K}/taskresources"
ROUTES = (f"{K}/clusterdomainroutes", f"{K}/domainroutes")
BITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
TORN_SECONDS = 30  # bindings are written one after the other


def bits(text):
    number, unit = re.fullmatch(r"([0-9.]+)\s*([kMGT]i?|)(?:bps|bit|bit/s|b/s)?", str(text)).groups()
    return float(number) * BITS[unit]


def ended(p):
    return p.get("status", {}).get("phase") in ENDED


def holds(p):
    """It takes room on a node."""
    return bool(p["spec"].get("nodeName")) and not ended(p)


def group_of(p):
    return p["metadata"].get("annotations", {}).get(NOTE + "task-resource-group")


def task_uid(o):
    return o["metadata"].get("labels", {}).get(NOTE + "task-uid")


def party_of(p):
    return p["metadata"]["namespace"], p["metadata"].get("labels", {}).get(NOTE + "pod-role", "")


# --- sums ---------------------------------------------------------------------------------------------------------------


def node_sums(nodes, pods):
    """(node, resource) -> (used, room)"""
    rooms = {n["metadata"]["name"]: n.get("status", {}).get("allocatable", {}) for n in nodes}
    sums = {(n, r): [0, amount(rooms[n][r])] for n in rooms for r in rooms[n]}
    for p in pods:
        node = p["spec"].get("nodeName")
        for r in rooms.get(node, {}) if holds(p) else ():
            sums[(node, r)][0] += 1 if r == "pods" else end_amount(p, r)
    return {k: tuple(v) for k, v in sums.items()}


def end_amount(p, resource):
    """What a pod asks for at one end; Mbit/s for both ends stand for each of them."""
    if resource in ("cox.io/egress-bandwidth", "cox.io/ingress-bandwidth"):
        return request(p, resource) or request(p, "kuscia.io/bandwidth") * 1e6
    return request(p, resource)


def link_sums(routes, pods):
    """(source, destination) -> (taken, capacity) of links that have one."""
    room, taken, groups = {}, {}, {}
    for r in routes:
        if r["spec"].get("bandwidth"):
            ends = r["spec"]["source"], r["spec"]["destination"]
            room[ends] = min(room.get(ends, float("inf")), bits(r["spec"]["bandwidth"]))
    for p in pods:
        if group_of(p) and holds(p):
            end = groups.setdefault(group_of(p), {}).setdefault(p["metadata"]["namespace"], [0, 0])
            end[0] += end_amount(p, "cox.io/egress-bandwidth")
            end[1] += end_amount(p, "cox.io/ingress-bandwidth")
    for ends in groups.values():
        for a in ends:
            for b in ends:
                if a != b:
                    taken[(a, b)] = taken.get((a, b), 0) + max(ends[a][0], ends[b][1])
    return {ends: (taken.get(ends, 0), room[ends]) for ends in room}


def quota_sums(quotas, pods):
    """namespace -> (pods, allowed)"""
    counts = {}
    for p in pods:
        if not ended(p):
            counts[p["metadata"]["namespace"]] = counts.get(p["metadata"]["namespace"], 0) + 1
    return {q["metadata"]["namespace"]: (counts.get(q["metadata"]["namespace"], 0), amount(q["spec"]["hard"]["pods"])) for q in quotas if "pods" in q["spec"].get("hard", {})}


def torn(groups, pods):
    """Tasks that hold room on nodes while parties that they cannot do without still wait for theirs: name -> who waits."""
    by_group = {}
    for p in pods:
        if group_of(p) and not p["metadata"].get("deletionTimestamp"):
            by_group.setdefault(group_of(p), []).append(p)
    found = {}
    for g in groups:
        mine, parties = by_group.get(g["metadata"]["name"], []), g["spec"].get("parties", [])
        if g["metadata"].get("deletionTimestamp") or g.get("status", {}).get("phase") == "Failed" or not any(holds(p) for p in mine):
            continue
        short = []
        for party in parties:
            of = [p for p in mine if party_of(p) == (party["domainID"], party.get("role", ""))]
            placed, waits = sum(1 for p in of if p["spec"].get("nodeName")), any(not p["spec"].get("nodeName") for p in of)
            if waits and placed < party.get("minReservedPods", len(party["pods"])):
                short.append(party["domainID"])
        if short and len(parties) - len(short) < g["spec"].get("minReservedMembers", len(parties)):
            found[g["metadata"]["name"]] = sorted(short)
    return found


# --- rules --------------------------------------------------------------------------------------------------------------


class Moments:
    """see() with what was there at one moment, in the order of time; complaints in .bad"""

    def __init__(self):
        self.rules, self.used, self.torn, self.bad = PodRules(), {}, {}, []
        self.count = 0

    def _sum(self, what, key, used, room):
        before = self.used.get((what, key), 0)
        if used > max(room * (1 + 1e-9), before):
            self.bad.append(f"{what} {' '.join(key) if isinstance(key, tuple) else key} is over: {used:g} of {room:g}, {before:g} before")
        self.used[(what, key)] = used

    def see(self, now, nodes=(), pods=(), quotas=(), routes=(), groups=()):
        self.count += 1
        for p in pods:
            self.rules.see(p, ordered=False)
        self.bad += self.rules.bad
        self.rules.bad = []
        for key, (used, room) in node_sums(nodes, pods).items():
            self._sum("node", key, used, room)
        for key, (used, room) in link_sums(routes, pods).items():
            self._sum("link", key, used, room)
        for key, (used, room) in quota_sums(quotas, pods).items():
            self._sum("quota of", key, used, room)
        halves = torn(groups, pods)
        self.torn = {n: self.torn.get(n, now) for n in halves}
        for n, since in self.torn.items():
            if now - since > TORN_SECONDS:
                self.bad.append(f"task {n} holds a part of what it needs for {now - since:.0f} s while {', '.join(halves[n])} waits")
                self.torn[n] = float("inf")


def ports_of(task):
    """(domain, number) of each."""
    return [(party["domainID"], number) for party in task.get("status", {}).get("allocatedPorts", []) for number in party.get("namedPort", {}).values()]


def verify_end(tasks=(), groups=(), resources=(), pods=(), configmaps=(), services=(), quotas=(), links=None, routes=()):
    """links: (source, destination) -> bits that the scheduler counts as taken; None: not asked.  Returns complaints."""
    bad, uids, holders = [], {t["metadata"]["uid"]: t for t in tasks}, {}
    is_over = lambda t: bool(t.get("status", {}).get("completionTime"))  # noqa: E731
    trgs = {g["metadata"]["uid"]: g for g in groups}
    for t in tasks:
        if t.get("status", {}).get("phase") in ENDED and not is_over(t):
            bad.append(f"task {t['metadata']['name']} has ended and was not cleaned up")
        if t["metadata"].get("deletionTimestamp"):
            bad.append(f"task {t['metadata']['name']} is still being deleted")
        for key in ports_of(t) if not is_over(t) else ():
            if key in holders:
                bad.append(f"port {key[1]} of {key[0]} is of {holders[key]} and of {t['metadata']['name']}")
            holders[key] = t["metadata"]["name"]
    bad += [f"group {g['metadata']['name']} without a task" for g in groups if task_uid(g) not in uids]
    bad += [f"group {g['metadata']['name']} still waits for room, its task has ended" for g in groups
            if task_uid(g) in uids and is_over(uids[task_uid(g)]) and g.get("status", {}).get("phase") not in ("Reserved", "Failed")]
    for r in resources:
        if r["metadata"].get("labels", {}).get(NOTE + "task-resource-group-uid") not in trgs:
            bad.append(f"task resource {r['metadata']['namespace']}/{r['metadata']['name']} without a group")
    seen = {}
    for p in pods:
        if not group_of(p):
            continue
        task = uids.get(task_uid(p))
        if not task:
            bad.append(f"pod {label(p)} without a task")
        elif is_over(task) and not ended(p):
            bad.append(f"pod {label(p)} is not ended, its task is")
        who = (p["metadata"]["namespace"], p["metadata"].get("labels", {}).get(NOTE + "pod-identity"))
        if who in seen:
            bad.append(f"pods {seen[who]} and {p['metadata']['name']} are the same member of one task")
        seen[who] = p["metadata"]["name"]
    for kind, items in (("file", configmaps), ("service", services)):
        for o in items:
            if task_uid(o) and (task_uid(o) not in uids or is_over(uids[task_uid(o)])):
                bad.append(f"{kind} {o['metadata']['namespace']}/{o['metadata']['name']} is left of a task that has ended")
    counted = quota_sums(quotas, pods)
    for q in quotas:
        told, have = q.get("status", {}).get("used", {}).get("pods"), counted.get(q["metadata"]["namespace"], (0, 0))[0]
        if told is not None and amount(told) != have:
            bad.append(f"quota of {q['metadata']['namespace']} counts {told} pods, there are {have}")
    if links is not None:
        for ends, (taken, _) in link_sums(routes, pods).items():
            if links.get(ends, 0) != taken:
                bad.append(f"link {ends[0]}->{ends[1]}: the scheduler counts {links.get(ends, 0):g} bit/s, the pods have {taken:g}")
    return bad


def verify_words(tasks):
    """Tasks that have not ended and do not run say why."""
    return [f"task {t['metadata']['name']} waits without a word" for t in tasks
            if t.get("status", {}).get("phase") not in (*ENDED, "Running") and not t.get("status", {}).get("message") and not t["metadata"].get("deletionTimestamp")]


# --- looking ------------------------------------------------------------------------------------------------------------


def link_metrics(text):
    return {(a, b): float(v) for a, b, v in re.findall(r'^link_bandwidth_reserved_bits\{source="([^"]*)",destination="([^"]*)"\} (\S+)$', text, re.M)}


class TaskInvariants(threading.Thread):
    """with TaskInvariants(server) as w: ...; bad = w.check()"""

    def __init__(self, server, step=0.1):
        super().__init__(name="task-invariants", daemon=True)
        self.s, self.step, self.over, self.moments, self.failure = server, step, False, Moments(), None
        self.conn, self.lock = None, threading.Lock()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.join(30)

    def run(self):
        while not self.over:
            begun = time.monotonic()
            try:
                self.look()
            except (OSError, http.client.HTTPException, ValueError, AttributeError, KeyError) as e:
                self.failure = e  # the server is away: that is what these scenarios are about
                self.conn = None
            time.sleep(max(self.step, 2 * (time.monotonic() - begun)))  # where there is much to look at, looking must not be the load

    def items(self, path):
        self.conn.request("GET", path)
        r = self.conn.getresponse()
        body = json.loads(r.read())
        if r.status != 200:
            raise ValueError(body)
        return body["items"]

    def look(self):
        if not self.conn:
            self.conn = self.s.connect(timeout=30)
        rooms = lambda: {"nodes": self.items("/api/v1/nodes"), "quotas": self.items("/api/v1/resourcequotas"), "routes": [r for path in ROUTES for r in self.items(path)]}  # noqa: E731
        before, groups, pods, after = rooms(), self.items(GROUPS), self.items("/api/v1/pods"), rooms()
        amounts = lambda r: [n["status"].get("allocatable") for n in r["nodes"]] + [o["spec"] for o in r["quotas"] + r["routes"]]  # noqa: E731
        with self.lock:
            if amounts(before) == amounts(after):  # else nobody knows which of them the pods had
                self.moments.see(time.monotonic(), pods=pods, groups=groups, **before)

    def seen(self):
        """Waits until the state of now has been looked at."""
        count = self.moments.count
        return wait_for(lambda: self.moments.count >= count + 2)

    def end_state(self):
        get = lambda path: self.s.get(path).json["items"]  # noqa: E731
        return {"tasks": get(TASKS), "groups": get(GROUPS), "resources": get(RESOURCES), "pods": get("/api/v1/pods"), "configmaps": get("/api/v1/configmaps"),
                "services": get("/api/v1/services"), "quotas": get("/api/v1/resourcequotas"), "routes": [r for path in ROUTES for r in get(path)],
                "links": link_metrics(self.s.get("/metrics").text)}

    def check(self):
        """Waits until things have settled.  Returns complaints about now and about everything since the start."""
        bad = []

        def settled():
            state = self.end_state()
            bad[:] = verify_end(**state) + verify_words(state["tasks"])
            return not bad
        wait_for(settled, step=0.2)
        with self.lock:
            bad += self.moments.bad
            self.moments.bad = []
        return bad

    def holds(self, name):
        bad = self.check()
        tap.ok(f"{name}: nothing leaks", not bad, "\n".join(bad[:20]))
