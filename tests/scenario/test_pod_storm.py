#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many pods on simulated nodes: a hundred thousand made and deleted, and a scheduler that dies between its decision and the bind, of single pods and of a gang.

COX_STORM_PODS: pods that are created and deleted in all, in waves of 10,000; 100,000 when not set."""
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Server, Watch, pod, tap, wait_for  # noqa: E402
from lib.invariants import PodRules, verify_state  # noqa: E402

STORM = int(os.environ.get("COX_STORM_PODS", "100000"))
WAVE, WIDE = 10000, 120  # pods of a wave, nodes for them
SETS = "/apis/apps/v1/namespaces/default/replicasets"
PODS = "/api/v1/namespaces/default/pods"


class Rules:
    """Every version of every pod with a label: bound once, revisions forward only."""

    def __init__(self, s, app):
        rv = s.get(PODS).json["metadata"]["resourceVersion"]
        self.s, self.watch = s, Watch(s, f"{PODS}?watch=true&resourceVersion={rv}&labelSelector=app%3D{app}")

    def check(self, name):
        """When nothing changes any more."""
        newest = max((int(p["metadata"]["resourceVersion"]) for p in self.s.get(PODS).json["items"]), default=0)
        seen = lambda events: any(int(e["object"]["metadata"]["resourceVersion"]) >= newest for e in events)  # noqa: E731
        good, rules = self.watch.wait(seen), PodRules()
        for e in list(self.watch.events):
            rules.see(e["object"])
        self.watch.close()
        tap.ok(f"{name}: each pod is bound once, and revisions do not go back", good and not rules.bad, f"{len(self.watch.events)} events\n" + "\n".join(rules.bad[:10]))


class Program:
    """A cox program beside the server."""

    def __init__(self, server, name, *words):
        self.command = [COX, *words, "--kubeconfig", server.kubeconfig]
        self.path, self.process = server.path(f"{name}.log"), None

    def start(self, **env):
        with open(self.path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env={**os.environ, **env})
        return self

    def log(self):
        return open(self.path, errors="replace").read()

    def kill(self, signo=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signo)
        return self.process.wait(PATIENCE) if self.process else None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()


def template(name, cpu, pool):
    return {"metadata": {"labels": {"app": name}}, "spec": {"terminationGracePeriodSeconds": 0, "nodeSelector": {"pool": pool}, "containers": [{"name": "c", "image": "i:1", "resources": {"requests": {"cpu": cpu}}}]}}


def replica_set(name, n, pool, cpu="1m"):
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": {"replicas": n, "selector": {"matchLabels": {"app": name}}, "template": template(name, cpu, pool)}}


def count(s, selector=""):
    """Pods that there are, without their texts."""
    body = s.get(f"{PODS}?limit=1{selector}", timeout=PATIENCE).json
    return len(body["items"]) + body["metadata"].get("remainingItemCount", 0)


def wait_set(s, name, n, field="readyReplicas"):
    def look():
        r = s.get(f"{SETS}/{name}", timeout=PATIENCE)
        return r.status == 200 and r.json.get("status", {}).get(field, 0) == n
    return wait_for(look, PATIENCE, 0.2)


def nodes_ready(s, pool, n):
    def look():
        nodes = s.get(f"/api/v1/nodes?labelSelector=pool%3D{pool}").json["items"]
        return sum(any(c["type"] == "Ready" and c["status"] == "True" for c in i["status"]["conditions"]) and not i["spec"].get("taints") for i in nodes) == n
    return wait_for(look, PATIENCE, 0.2)


def storm(s):
    """Waves of pods through ReplicaSets: all become ready, all go, and the server does not grow with what is gone."""
    with Program(s, "simulate", "agent", "--simulate", str(WIDE), "--node-label", "pool=storm") as sim:
        tap.ok("simulated nodes are ready", nodes_ready(s, "storm", WIDE), sim.log()[-1000:])
        sizes, waves = [], max(2, (STORM + WAVE - 1) // WAVE)
        for i in range(waves):
            for k in range(4):
                s.post(SETS, replica_set(f"wave-{i}-{k}", WAVE // 4, "storm"))
            good = all([wait_set(s, f"wave-{i}-{k}", WAVE // 4) for k in range(4)])
            if i == 0:
                bad = verify_state(s.get("/api/v1/nodes").json["items"], s.get(PODS, timeout=PATIENCE).json["items"])
                tap.ok("no node is over what it has", not bad, "\n".join(bad[:10]))
            for k in range(4):
                s.delete(f"{SETS}/wave-{i}-{k}", {"propagationPolicy": "Background"})
            good = good and wait_for(lambda: count(s) == 0, PATIENCE, 0.3)
            sizes.append(s.rss() >> 20)
            if not tap.ok(f"wave {i + 1} of {waves}: {WAVE} pods came and went", good, f"{count(s)} pods are there\n{sim.log()[-600:]}\n{s.log()[-1500:]}"):
                break
        print(f"# server MiB after each wave: {sizes}", flush=True)
        tap.ok("the server does not grow with pods that are gone", sizes[-1] <= sizes[min(1, len(sizes) - 1)] * 2 + 64, sizes)


def scheduler_dies(s):
    """40 pods fill 10 nodes exactly.  The scheduler is killed once with decisions that nobody heard of, once with binds that it did not note."""
    with Program(s, "simulate2", "agent", "--simulate", "10", "--simulate-prefix", "tight-", "--node-capacity", "cpu=4", "--node-label", "pool=tight") as sim:
        tap.ok("ten small nodes are ready", nodes_ready(s, "tight", 10), sim.log())
        rules = Rules(s, "tight")
        body = replica_set("tight", 40, "tight", "1")
        body["spec"]["template"]["spec"]["schedulerName"] = "frail"
        scheduler = Program(s, "scheduler", "scheduler", "--scheduler-name", "frail")
        try:
            for spec, n in (("sched.bind.before_post=7+1*panic", 25), ("sched.bind.after_post=3+1*panic", 40)):
                body["spec"]["replicas"] = n
                r = s.get(f"{SETS}/tight")
                s.patch(f"{SETS}/tight", {"spec": {"replicas": n}}) if r.status == 200 else s.post(SETS, body)
                scheduler.start(COX_FAILPOINTS=spec)
                died = wait_for(lambda: scheduler.process.poll() is not None, PATIENCE)
                tap.ok(f"the scheduler dies at {spec.split('=')[0]}", died and scheduler.process.returncode == -signal.SIGKILL, f"{scheduler.process.poll()}\n{scheduler.log()[-800:]}")
                runs = lambda: scheduler.log().count("scheduler runs")
                before = runs()
                scheduler.start(COX_FAILPOINTS="")
                wait_for(lambda: runs() > before, PATIENCE)  # all may be placed already: a signal must not meet a program that has not begun
                tap.ok("the next one places all that wait", wait_set(s, "tight", n), scheduler.log()[-1500:])
                tap.eq("and ends cleanly", scheduler.kill(signal.SIGTERM), 0)
        finally:
            scheduler.kill()
        pods = s.get(f"{PODS}?labelSelector=app%3Dtight").json["items"]
        bad = verify_state(s.get("/api/v1/nodes").json["items"], pods)
        tap.ok("no node is over what it has", not bad, "\n".join(bad))
        tap.eq("and none is under it: each has its four", sorted(sum(p["spec"]["nodeName"] == f"tight-{i}" for p in pods) for i in range(10)), [4] * 10)
        rules.check("a scheduler that died")
        s.delete(f"{SETS}/tight", {"propagationPolicy": "Background"})
        tap.ok("all go", wait_for(lambda: count(s) == 0, PATIENCE, 0.3), count(s))


def gang_dies(s):
    """Two gangs of 24 want 40 places.  The scheduler is killed when it has bound some of one: the next one ends with all of one gang and nothing of the other."""
    size = 24
    groups = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups"
    names = {gang: [f"{gang}-{i:02}" for i in range(size)] for gang in ("cutter", "gig")}
    with Program(s, "simulate3", "agent", "--simulate", "10", "--simulate-prefix", "crew-", "--node-capacity", "cpu=4", "--node-label", "pool=crew") as sim:
        tap.ok("ten nodes for two gangs", nodes_ready(s, "crew", 10), sim.log())
        rules = Rules(s, "gang")
        for gang, members in names.items():
            s.post(groups, {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": gang}, "spec": {"minMember": size}})
            for name in members:
                one = pod(name, labels={"app": "gang", "scheduling.x-k8s.io/pod-group": gang}, nodeSelector={"pool": "crew"}, schedulerName="frail", terminationGracePeriodSeconds=0)
                one["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
                s.post(PODS, one)
        bound = lambda: {g: sum(bool(p["spec"].get("nodeName")) for p in s.get(f"{PODS}?labelSelector=scheduling.x-k8s.io/pod-group%3D{g}").json["items"]) for g in names}  # noqa: E731
        scheduler = Program(s, "scheduler3", "scheduler", "--scheduler-name", "frail", "--bind-window", "2")
        try:
            scheduler.start(COX_FAILPOINTS="sched.bind.after_post=5+1*panic")
            died = wait_for(lambda: scheduler.process.poll() is not None)
            half = bound()
            tap.ok("the scheduler dies in the middle of a gang", died and scheduler.process.returncode == -signal.SIGKILL and 0 < sum(half.values()) < size, f"{half}\n{scheduler.log()[-800:]}")
            begun = max(half, key=half.get)
            want = {g: size if g == begun else 0 for g in names}
            scheduler.start(COX_FAILPOINTS="")
            tap.ok("the next one ends what was begun, and begins nothing that does not fit", wait_for(lambda: bound() == want, PATIENCE, 0.2), f"{half} {bound()}\n{scheduler.log()[-800:]}")
            for name in names[begun]:
                s.delete(f"{PODS}/{name}", {"gracePeriodSeconds": 0})
            want = {g: 0 if g == begun else size for g in names}
            tap.ok("with room the other is placed, whole", wait_for(lambda: bound() == want, PATIENCE, 0.2), bound())
            tap.eq("and it ends cleanly", scheduler.kill(signal.SIGTERM), 0)
        finally:
            scheduler.kill()
        bad = verify_state(s.get("/api/v1/nodes").json["items"], s.get(PODS).json["items"])
        tap.ok("no node is over what it has", not bad, "\n".join(bad))
        rules.check("gangs")
        for members in names.values():
            for name in members:
                s.delete(f"{PODS}/{name}", {"gracePeriodSeconds": 0})
        tap.ok("all go", wait_for(lambda: count(s) == 0, PATIENCE, 0.3), count(s))


if __name__ == "__main__":
    os.environ.pop("KUBECONFIG", None)
    # silence is not what is tested here: a slow machine must not lose nodes
    with Server(scheduler=True, args=["--node-grace", "600s", "--event-ttl", "5s"]) as server:
        tap.run([scheduler_dies, gang_dies, storm], server)
    tap.done()
