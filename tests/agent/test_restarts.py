#!/usr/bin/env python3
"""The server and its agent are killed again and again while pods start, run with probes, and end: nothing is restarted, nothing is left.

    tests/agent/test_restarts.py [SEED [ROUNDS]]      when they are killed is drawn from SEED
"""
import os
import pathlib
import random
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.node import PATIENCE, Cluster, cgroups, isolate, pod, statuses  # noqa: E402

FOREVER = "trap 'exit 0' TERM; sleep 100000 & wait"
PODS = 4


def busy_pod(number, runtime):
    """Everything that is made in steps: an init container, a sidecar, volumes that are mounted, probes, a hook; some share a pid namespace."""
    p = pod(f"p{number}", FOREVER, container={
        "readinessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 1},
        "livenessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 1, "timeoutSeconds": 60, "failureThreshold": 10},
        "lifecycle": {"preStop": {"exec": {"command": ["/bin/sh", "-c", "sleep 0.3"]}}},
        "volumeMounts": [{"name": "memory", "mountPath": "/memory"}, {"name": "disk", "mountPath": "/disk", "subPath": "a/b"}]},
        volumes=[{"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}, {"name": "disk", "emptyDir": {}}],
        shareProcessNamespace=number % 4 == 0, terminationGracePeriodSeconds=20,
        initContainers=[{"name": "first", "image": "cox/host", "command": ["/bin/sh", "-c", "sleep 0.2"]},
                        {"name": "side", "image": "cox/host", "restartPolicy": "Always", "command": ["/bin/sh", "-c", FOREVER]}])
    if runtime:
        p["spec"]["runtimeClassName"] = runtime
    return p


def runs(c, names):
    """Of each pod: its uid and the id and restarts of each container."""
    found = {}
    for name in names:
        p = c.wait_running(name)
        all_of_it = {**statuses(p), **statuses(p, "initContainerStatuses")}
        found[name] = (p["metadata"]["uid"], {k: (s.get("containerID"), s["restartCount"]) for k, s in all_of_it.items()})
    return found


def left(c):
    """What of pods is on the machine: mounts, folders, control groups, links, addresses, processes."""
    found = [line.split()[1] for line in open("/proc/mounts") if line.split()[1].startswith(c.dir + "/agent/pods/")]
    found += os.listdir(os.path.join(c.dir, "agent/pods")) + os.listdir(os.path.join(c.dir, "agent/net/pods"))
    for group in cgroups(c.root):
        found += [os.path.join(folder, n) for folder, names, _ in os.walk(group) for n in names if n.startswith("pod")]
    links = subprocess.run(["ip", "-o", "link", "show", "type", "veth"], capture_output=True, text=True).stdout
    found += [line.split(":")[1].strip() for line in links.splitlines()]
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{entry}/cmdline").read().split("\0")
        except OSError:
            continue
        if "shim" in words and any(w.startswith(c.dir) for w in words):
            found.append(" ".join(words))
    return found


def kill_some(c, chance, times, most_s):
    for _ in range(times):
        time.sleep(chance.random() * most_s)
        c.kill()
        time.sleep(chance.random() * 0.4)
        c.start()


def one_round(c, chance, number, runtimes):
    names = []
    for i in range(number * PODS, (number + 1) * PODS):
        c.create(busy_pod(i, runtimes[i % len(runtimes)]))
        names.append(f"p{i}")
    kill_some(c, chance, 3, 1.2)
    before = runs(c, names)
    tap.eq(f"round {number}: killed while they start, nothing is restarted", {n: r for n, r in before.items() if any(s[1] for s in r[1].values())}, {})
    kill_some(c, chance, 2, 1.0)
    tap.eq(f"round {number}: killed while they run, all is as it was", runs(c, names), before)
    for name in names:
        c.delete(c.url("Pod", name))
    kill_some(c, chance, 3, 0.8)
    for name in names:
        c.wait_gone(name)
    tap.ok(f"round {number}: killed while they end, nothing is left", wait_for(lambda: not left(c), PATIENCE, 0.2), "\n".join(left(c)))


def main():
    seed, rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 4, int(sys.argv[2]) if len(sys.argv) > 2 else 2
    runtimes = [None, None]
    with Cluster() as c:
        c.wait_node()
        if any(os.path.exists(p) for p in ("/usr/sbin/runc", "/usr/bin/runc")):
            c.post("/apis/node.k8s.io/v1/runtimeclasses", {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "oci"}, "handler": "oci"})
            runtimes.append("oci")
        chance = random.Random(seed)
        for number in range(rounds):
            one_round(c, chance, number, runtimes)
    tap.done()


if __name__ == "__main__":
    isolate()
    main()
