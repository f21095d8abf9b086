#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers and agents that are killed, stopped and cut off, with pods on three nodes that are network namespaces; after each scenario the invariants.

COX_SEED: the order of the kills, 7 when not set.  COX_KILLS: how many, 10 when not set."""
import calendar
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, tap, wait_for  # noqa: E402
from lib.invariants import Invariants  # noqa: E402
from lib.node import Fleet, Node, condition, isolate, pod, statuses  # noqa: E402
from scenario.checker import Client, Load  # noqa: E402

SEED = int(os.environ.get("COX_SEED", "7"))
KILLS = int(os.environ.get("COX_KILLS", "10"))
LEASE = 16  # seconds: how long a node may be silent
SOON = [{"key": k, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1} for k in ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")]


def holds(w, name):
    bad = w.check()
    tap.ok(f"{name}: the invariants hold", not bad, "\n".join(bad[:20]))


def pinned(name, node, command="exec sleep 100000", **spec):
    return pod(name, command, nodeSelector={"kubernetes.io/hostname": node}, **spec)


def prefers(node):
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 100, "preference": {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}}]}}


def workload(kind, name, node):
    """One pod that would like to be on the node and leaves it soon when it is lost."""
    spec = {**pod("x", "exec sleep 100000", terminationGracePeriodSeconds=1)["spec"], "tolerations": SOON, "affinity": prefers(node)}
    more = {"serviceName": name} if kind == "StatefulSet" else {}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}}, "spec": spec}, **more}}


def ready_pod(f, app, node=None):
    return next((p for p in f.pods(f"app={app}") if condition(p, "Ready") == "True" and node in (None, p["spec"]["nodeName"])), None)


def wait_nodes_ready(f):
    clear = lambda n: not any(t["key"].startswith("node.kubernetes.io/") for t in f.get(f"/api/v1/nodes/{n.name}").json["spec"].get("taints", []))  # noqa: E731
    f.wait(lambda: all(f.ready(n.name) and clear(n) for n in f.nodes), "all nodes ready, without a taint")


def wait_lost(f, node):
    f.wait(lambda: condition(f.get(f"/api/v1/nodes/{node.name}").json, "Ready") == "Unknown", f"{node.name} lost")


class Scheduler:
    """A `cox scheduler` beside the server's own, for pods that ask for "apart"."""

    def __init__(self, fleet):
        self.fleet, self.process = fleet, None
        self.start()

    def start(self):
        with open(self.fleet.path("scheduler.log"), "ab") as log:
            self.process = subprocess.Popen([COX, "scheduler", "--kubeconfig", self.fleet.kubeconfig, "--scheduler-name", "apart"], stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)


class Churn(threading.Thread):
    """Pods that are created and deleted all the time, whoever is dead at the moment; what was acknowledged goes into the books."""

    def __init__(self, w, seed, limit=9):
        super().__init__(name="churn", daemon=True)
        self.w, self.rng, self.limit, self.ended, self.count = w, random.Random(seed), limit, False, 0
        self.client, self.alive, self.failure, self.refused = Client(w.fleet, w.fleet.ssl_context()), {}, None, []

    def run(self):
        try:
            while not self.ended:
                try:
                    self.step()
                except (Client.NotSent, Client.Lost):
                    time.sleep(0.02)
                time.sleep(0.1)
        except Exception as e:  # noqa: BLE001  a bug in the test must not look like silence
            self.failure = e
        self.client.close()

    def step(self):
        self.client.connect()
        full = len(self.alive) >= self.limit
        if full or (self.alive and self.rng.random() < 0.4):
            self.delete(self.rng.choice(sorted(self.alive)))
        else:
            self.create()

    def create(self):
        self.count += 1
        name = f"churn-{self.count}"
        body = pod(name, "exec sleep 100000", labels={"app": "churn"}, terminationGracePeriodSeconds=1, schedulerName=("default-scheduler", "apart")[self.count % 2])
        status, data = self.client.call("POST", "/api/v1/namespaces/default/pods", body)
        if status != 201:
            self.refused.append(data[:300])
            return
        self.alive[name] = json.loads(data)["metadata"]["uid"]
        with self.w.lock:
            self.w.made[self.alive[name]] = name

    def delete(self, name):
        uid = self.alive.pop(name)
        with self.w.lock:
            self.w.dropped.add(uid)  # from now on nobody can say
        try:
            self.client.call("DELETE", f"/api/v1/namespaces/default/pods/{name}", {"preconditions": {"uid": uid}})
        except Client.Lost:
            self.alive[name] = uid  # try it again: it may be there, or not

    def finish(self):
        self.ended = True
        self.join(PATIENCE)


# --- scenarios ------------------------------------------------------------------------------------------------------


def kills_one_at_a_time(f, w):
    """Server, scheduler, each agent, in turn: nothing that runs is touched."""
    for n in f.nodes:
        w.create(pinned(f"still-{n.name}", n.name))
    names = [f"still-{n.name}" for n in f.nodes]
    before = {name: f.wait_running(name) for name in names}
    pids = {name: sorted(n.processes(before[name]["metadata"]["uid"])) for name, n in zip(names, f.nodes)}
    f.kill()
    f.start()
    f.scheduler.kill()
    w.create(pod("waits", "exec sleep 100000", schedulerName="apart"))
    for n in f.nodes:
        n.kill()
        n.start()
    wait_nodes_ready(f)
    w.pulse()
    tap.eq("a pod waits for its scheduler", f.read("waits")["spec"].get("nodeName"), None)
    f.scheduler.start()
    f.wait_running("waits")
    after = {name: f.wait_running(name) for name in names}
    tap.eq("killed one at a time: the same processes", {name: sorted(n.processes(after[name]["metadata"]["uid"])) for name, n in zip(names, f.nodes)}, pids)
    tap.eq("no restart is counted", [statuses(after[name])["c"]["restartCount"] for name in names], [0] * len(names))
    w.delete("waits")
    f.wait_gone("waits")
    holds(w, "killed one at a time")


def kills_in_random_order(f, w):
    rng = random.Random(SEED)
    victims = [v for _ in range(KILLS) for v in (f, f.scheduler, *f.nodes)][:KILLS]
    rng.shuffle(victims)
    load = Load(f, SEED, writers=1, listers=0, followers=1)
    churn = Churn(w, SEED)
    load.start()
    churn.start()
    try:
        for victim in victims:
            time.sleep(rng.uniform(0.2, 1.2))
            victim.kill()
            time.sleep(rng.uniform(0, 0.5))
            victim.start()
    finally:
        churn.finish()
        load.pause()
    bad = load.audit()
    load.stop()
    print("#", load.summary(), f"pods {churn.count}, seed {SEED}", flush=True)
    tap.ok(f"{KILLS} kills in random order lose no write", not bad, "\n".join(bad[:20]))
    tap.ok("pods were made and deleted meanwhile", churn.count > KILLS // 2 and not churn.failure and not churn.refused, f"{churn.count} {churn.failure!r} {churn.refused}")
    wait_nodes_ready(f)
    for name in sorted(churn.alive):  # one whose deletion was answered by nobody may be gone
        f.wait(lambda n=name: (lambda p: not p or p["metadata"].get("deletionTimestamp") or condition(p, "Ready") == "True")(f.read(n)), f"{name} ready or gone")
        w.delete(name)
    f.wait(lambda: not f.pods("app=churn") or unknown(f, churn), "the churned pods gone")
    holds(w, "killed in random order")


def unknown(f, churn):
    """Pods whose creation was answered by nobody: removed here, so that the next scenario finds the cluster empty."""
    for p in f.pods("app=churn"):
        if not p["metadata"].get("deletionTimestamp"):
            f.delete(f.url("Pod", p["metadata"]["name"]))
    return False


def flapping(f, w):
    """A cable that goes up and down, an agent that dies again and again: the pods do not notice."""
    node, other = f.nodes[0], f.nodes[1]
    uids = {n.name: f.wait_running(f"still-{n.name}")["metadata"]["uid"] for n in (node, other)}
    pids = {n.name: sorted(n.processes(uids[n.name])) for n in (node, other)}
    for _ in range(6):
        node.wire_down()
        other.kill()
        other.start()
        time.sleep(0.5)
        node.wire_up()
        time.sleep(0.5)
    wait_nodes_ready(f)
    tap.eq("flapping: the same processes", {n.name: sorted(n.processes(uids[n.name])) for n in (node, other)}, pids)
    holds(w, "flapping")


def cut(node, *hooks):
    rules = "".join(f"add chain inet cut {h} {{ type filter hook {h} priority 0; policy drop; }}\n" for h in hooks)
    node.run("nft", "add table inet cut\n" + rules).check_returncode()


def mend(node):
    node.run("nft", "delete", "table", "inet", "cut")


def partitions(f, w):
    """Node 1 hears nothing, node 2 cannot say anything: both count as lost, what may move moves, what has a name waits, and nothing runs twice."""
    deaf, mute = f.nodes[0], f.nodes[1]
    for n, way in ((deaf, "deaf"), (mute, "mute")):
        w.create(workload("Deployment", f"d-{way}", n.name))
        w.create(workload("StatefulSet", f"s-{way}", n.name))
    old = {app: f.wait(lambda a=app: ready_pod(f, a), f"{app} ready") for app in ("d-deaf", "s-deaf", "d-mute", "s-mute")}
    homes = {app: p["spec"]["nodeName"] for app, p in old.items()}
    tap.eq("everything is where it wants to be", homes, {"d-deaf": deaf.name, "s-deaf": deaf.name, "d-mute": mute.name, "s-mute": mute.name})
    cut(deaf, "input")
    cut(mute, "output")
    for n in (deaf, mute):
        wait_lost(f, n)
    for app in ("d-deaf", "d-mute"):
        f.wait(lambda a=app: ready_pod(f, a, f.nodes[2].name), f"{app} elsewhere")
    for app in ("s-deaf", "s-mute"):
        f.wait(lambda a=app: f.read(f"{a}-0")["metadata"].get("deletionTimestamp"), f"{app} asked to go")
        tap.eq(f"{app} is not replaced while its node is silent", f.read(f"{app}-0")["metadata"]["uid"], old[app]["metadata"]["uid"])
    # the mute one may have heard what it is asked for, and obeyed
    tap.ok("what ran on the deaf node still runs", deaf.processes(old["s-deaf"]["metadata"]["uid"]) and deaf.processes(old["d-deaf"]["metadata"]["uid"]))
    mend(deaf)
    mend(mute)
    for app in ("s-deaf", "s-mute"):
        f.wait(lambda a=app: (lambda p: p and p["metadata"]["uid"] != old[a]["metadata"]["uid"])(ready_pod(f, a)), f"{app} replaced")
    wait_nodes_ready(f)
    f.wait(lambda: all(not n.processes(p["metadata"]["uid"]) for p in old.values() for n in f.nodes), "the old ones ended")
    tap.ok("mended: the old ones ended, the new ones run", all(ready_pod(f, app) for app in old))
    holds(w, "partitions")
    remove(f, ("Deployment", "d-deaf"), ("Deployment", "d-mute"), ("StatefulSet", "s-deaf"), ("StatefulSet", "s-mute"))


def remove(f, *things):
    for kind, name in things:
        f.delete(f.url(kind, name), {"propagationPolicy": "Background"})
    for _, name in things:
        f.wait(lambda n=name: not f.pods(f"app={n}"), f"the pods of {name} gone")


def power_off(node):
    """The machine stops: agent, pods, cable."""
    node.wire_down()
    node.kill()
    ours = lambda: [int(e) for e in os.listdir("/proc") if e.isdigit() and in_cgroup(e, f"/{node.root}/")]  # noqa: E731
    while pids := ours():
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.05)


def in_cgroup(pid, part):
    try:
        with open(f"/proc/{pid}/cgroup") as file:
            return part in file.read()
    except OSError:
        return False


def seconds(text):
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


def lost_for_good(f, w):
    """A machine is switched off.  What may move moves in its time, what has a name waits until somebody says that the node is gone; when it comes back after all, it runs nothing of old."""
    node = f.nodes[2]
    w.create(workload("Deployment", "d-gone", node.name))
    w.create(workload("StatefulSet", "s-gone", node.name))
    template = {"metadata": {"labels": {"app": "j-gone"}}, "spec": {**workload("Job", "x", node.name)["spec"]["template"]["spec"], "restartPolicy": "Never"}}
    w.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j-gone"}, "spec": {"template": template}})
    w.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "d-gone"}, "spec": {"selector": {"app": "d-gone"}, "ports": [{"port": 80}]}})
    w.create(pinned("patient", node.name))
    apps = ("d-gone", "s-gone", "j-gone")
    old = {app: f.wait(lambda a=app: ready_pod(f, a, node.name), f"{app} ready on {node.name}") for app in apps}
    old["patient"] = f.wait_running("patient")
    uids = [p["metadata"]["uid"] for p in old.values()]
    slices = lambda: f.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name%3Dd-gone").json["items"]  # noqa: E731
    addresses = lambda: {e["addresses"][0] for s in slices() for e in s.get("endpoints") or [] if e["conditions"].get("ready")}  # noqa: E731
    f.wait(lambda: addresses() == {old["d-gone"]["status"]["podIP"]}, "the service leads to the pod")
    heard = f.get(f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{node.name}").json["spec"]["renewTime"]
    power_off(node)
    wait_lost(f, node)
    new = {app: f.wait(lambda a=app: next((p for p in [ready_pod(f, a)] if p and p["spec"]["nodeName"] != node.name), None), f"{app} elsewhere") for app in ("d-gone", "j-gone")}
    f.wait(lambda: addresses() == {new["d-gone"]["status"]["podIP"]}, "the service leads to the new pod alone")
    there = f.wait(lambda: (lambda p: p if p["metadata"].get("deletionTimestamp") else None)(f.read("s-gone-0")), "the set's pod asked to go")
    tap.eq("what has a name is not replaced while nobody knows", there["metadata"]["uid"], old["s-gone"]["metadata"]["uid"])
    now = f.get(f"/api/v1/nodes/{node.name}").json
    since = next(seconds(c["lastTransitionTime"]) for c in now["status"]["conditions"] if c["type"] == "Ready")
    added = max(seconds(t["timeAdded"]) for t in now["spec"]["taints"] if t["effect"] == "NoExecute")
    asked = seconds(there["metadata"]["deletionTimestamp"]) - there["metadata"]["deletionGracePeriodSeconds"]
    tap.ok("neither the node nor its pods are given up before their time", since + 1 >= seconds(heard) + LEASE and asked + 1 >= added + SOON[0]["tolerationSeconds"] and added + 1 >= since, (heard, since, added, asked))
    tap.eq("who tolerates it longer stays", f.read("patient")["metadata"].get("deletionTimestamp"), None)
    with w.lock:
        w.dropped.update(p["metadata"]["uid"] for p in f.pods() if p["spec"].get("nodeName") == node.name)
    f.delete(f"/api/v1/nodes/{node.name}")
    new["s-gone"] = f.wait(lambda: next((p for p in [ready_pod(f, "s-gone")] if p and p["metadata"]["uid"] != uids[1]), None), "the set's pod elsewhere")
    f.wait_gone("patient")
    tap.ok("with the node its pods are forgotten, and what has a name runs elsewhere", new["s-gone"]["spec"]["nodeName"] != node.name)
    began = len(node.log())
    node.start()  # the machine is there again, its cable is not
    f.wait(lambda: "INFO agent " in node.log()[began:], "the agent")
    time.sleep(3)  # what it should not do has no sign to wait for
    tap.eq("a node that comes back begins nothing before it has asked", [u for u in uids if node.processes(u)], [])
    node.wire_up()
    wait_nodes_ready(f)
    w.pulse()
    tap.eq("nor afterwards", [u for u in uids if node.processes(u)], [])
    tap.eq("the new ones were not touched", {a: f.read(p["metadata"]["name"])["metadata"]["uid"] for a, p in new.items()}, {a: p["metadata"]["uid"] for a, p in new.items()})
    f.wait(lambda: all(len(f.pods(f"app={a}")) == 1 for a in apps), "one pod each")
    holds(w, "a node lost for good")
    f.delete("/api/v1/namespaces/default/services/d-gone")
    remove(f, ("Deployment", "d-gone"), ("StatefulSet", "s-gone"), ("Job", "j-gone"))


def frozen_agent(f, w):
    """An agent that is stopped and goes on later: it must not act on what it knew before."""
    node = f.nodes[0]
    w.create(workload("Deployment", "d-frozen", node.name))
    w.create(workload("StatefulSet", "s-frozen", node.name))
    old = {app: f.wait(lambda a=app: ready_pod(f, a, node.name), f"{app} ready") for app in ("d-frozen", "s-frozen")}
    node.process.send_signal(signal.SIGSTOP)
    wait_lost(f, node)
    f.wait(lambda: (lambda p: p and p["spec"]["nodeName"] != node.name)(ready_pod(f, "d-frozen")), "the deployment's pod elsewhere")
    f.wait(lambda: f.read("s-frozen-0")["metadata"].get("deletionTimestamp"), "the set's pod asked to go")
    tap.ok("a frozen agent's pods go on", all(node.processes(p["metadata"]["uid"]) for p in old.values()))
    node.process.send_signal(signal.SIGCONT)
    f.wait(lambda: not any(node.processes(p["metadata"]["uid"]) for p in old.values()), "the old pods ended")
    f.wait(lambda: (lambda p: p and p["metadata"]["uid"] != old["s-frozen"]["metadata"]["uid"])(ready_pod(f, "s-frozen")), "the set's pod again")
    f.wait(lambda: len(f.pods("app=d-frozen")) == 1, "one pod of the deployment")
    wait_nodes_ready(f)
    holds(w, "a frozen agent")
    remove(f, ("Deployment", "d-frozen"), ("StatefulSet", "s-frozen"))


def static_pods(f, w):
    """They start and end by files alone; the API shows them whenever it is there."""
    node = f.nodes[2]
    folder = os.path.join(node.dir, "static")

    def write(name, text):
        with open(os.path.join(folder, f".{name}"), "w") as out:
            json.dump(pod(name, text), out)
        os.rename(os.path.join(folder, f".{name}"), os.path.join(folder, f"{name}.json"))

    def runs(name):
        return next((uid for (uid, n) in w.processes() if n == node.name and os.path.isdir(os.path.join(node.dir, "agent/logs", f"default_{name}-{node.name}_{uid}"))), None)

    write("with", "exec sleep 100000")
    f.wait_running(f"with-{node.name}")
    first = runs("with")
    pids = node.processes(first)
    f.kill()
    write("without", "exec sleep 100000")
    tap.ok("a static pod starts without a server", wait_for(lambda: runs("without"), PATIENCE, 0.1), node.log()[-2000:])
    node.kill()
    node.start()
    write("later", "exec sleep 100000")
    tap.ok("so does one whose agent never saw the server", wait_for(lambda: runs("later"), PATIENCE, 0.1), node.log()[-2000:])
    tap.eq("what ran is the same", node.processes(first), pids)
    f.start()
    mirror = f.wait_running(f"without-{node.name}")
    f.wait_running(f"later-{node.name}")
    f.delete(f.url("Pod", mirror["metadata"]["name"]))
    f.wait(lambda: (lambda p: p and p["metadata"]["uid"] != mirror["metadata"]["uid"] and condition(p, "Ready") == "True")(f.read(mirror["metadata"]["name"])), "the mirror again")
    tap.eq("a deleted mirror comes back, its pod is not touched", node.processes(first), pids)
    holds(w, "static pods")
    for name in ("with", "without", "later"):
        os.unlink(os.path.join(folder, f"{name}.json"))
    f.wait(lambda: not any(f.read(f"{name}-{node.name}") for name in ("with", "without", "later")), "the mirrors gone")
    tap.ok("with its file a static pod goes", wait_for(lambda: not any(runs(n) for n in ("with", "without", "later")), PATIENCE, 0.1))


def token_expiry(f, w):
    text = f.cox("token", "create", "--ttl", "1s", "--print-join-command").stdout.split()
    token = text[text.index("--token") + 1]
    f.wait(lambda: f.get(f"/api/v1/namespaces/kube-system/secrets/bootstrap-token-{token.split('.')[0]}").status == 404, "the token removed")
    late = Node(f, 8)
    try:
        late.join(token, f.ca_hash)
        said = wait_for(lambda: "token" in late.log().lower() or late.process.poll() is not None, PATIENCE, 0.1)
        tap.ok("a machine with an old token is told so", said and "token" in late.log().lower(), late.log())
        tap.eq("and is no node", f.get(f"/api/v1/nodes/{late.name}").status, 404)
    finally:
        late.remove()
    holds(w, "token expiry")


TESTS = [kills_one_at_a_time, kills_in_random_order, flapping, partitions, frozen_agent, lost_for_good, static_pods, token_expiry]

if __name__ == "__main__":
    isolate()
    print(f"# COX_SEED={SEED} COX_KILLS={KILLS}", flush=True)
    with Fleet(args=["--node-grace", "12s", "--pod-gc-quarantine", "1s"]) as fleet:
        for number in (1, 2, 3):
            static = os.path.join(fleet.dir, f"node-{number}", "static")
            fleet.add(number, ["--static-pods", static, "--node-lease", f"{LEASE}s"])
            os.mkdir(static)
        fleet.wait_nodes()
        fleet.scheduler = Scheduler(fleet)
        try:
            with Invariants(fleet) as watch:
                tap.run(TESTS, fleet, watch)
        finally:
            fleet.scheduler.kill()
    tap.done()
