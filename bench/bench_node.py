#!/usr/bin/env python3
"""Pods on a real node: how quickly they start and heal, what an idle node costs.

    make && python3 bench/bench_node.py [--list] [--workload NAME[,NAME...]] [--json]        as root

Each workload starts a `build/cox server` with its agent in network and mount namespaces of its own; the pods are the built-in web server.  Times are of a watch: from the event that shows a pod bound to the one that
shows it Running.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from lib.cox import Server, wait_for  # noqa: E402
from lib.node import Cluster, Fleet, condition, isolate, pod  # noqa: E402

results = []


def report(workload, what, value, unit, limit, peer=""):
    good = value <= limit
    results.append({"workload": workload, "what": what, "value": value, "unit": unit, "limit": limit, "reached": good, "peer": peer})
    if not args.json:
        print(f"| {workload} | {what} | {value:.3g} {unit} | at most {limit} | {peer} | {'yes' if good else 'NO'} |", flush=True)


class Times:
    """When each pod was first seen bound and Running."""

    def __init__(self, c):
        self.bound, self.running, self.uids = {}, {}, {}
        self.conn = c.connect(timeout=600)
        self.conn.request("GET", "/api/v1/namespaces/default/pods?watch=true")
        self.response = self.conn.getresponse()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for line in self.response:
                now, o = time.monotonic(), json.loads(line)["object"]
                name = o["metadata"]["name"]
                if o["spec"].get("nodeName"):
                    self.bound.setdefault(name, now)
                if o.get("status", {}).get("phase") == "Running":
                    self.running.setdefault(name, now)
        except (OSError, ValueError, AttributeError):
            pass


def start(c, workload, limit):
    times = Times(c)
    for i in range(40):
        c.create(pod(f"p{i}", image="cox/web"))
        wait_for(lambda: f"p{i}" in times.running, 60, 0.002)
    taken = sorted((times.running[n] - times.bound[n]) * 1000 for n in times.running)
    report(workload, "bound to Running, p50 of 40 pods one after another", statistics.median(taken), "ms", limit)
    report(workload, "the same, slowest", taken[-1], "ms", 10 * limit)


def start_process():
    with Cluster(args=["--runtime", "process"]) as c:
        c.wait_node()
        start(c, "start-process", 30)


def start_oci():
    with Cluster(args=["--runtime", "oci"]) as c:
        c.wait_node()
        start(c, "start-oci", 150)


def many():
    with Cluster() as c:
        c.wait_node()
        times = Times(c)
        began = time.monotonic()
        for i in range(110):
            c.create(pod(f"m{i}", image="cox/web"))
        wait_for(lambda: len(times.running) == 110, 120, 0.005)
        report("many", "110 pods, first create to the last one Running", time.monotonic() - began, "s", 10)


def heal():
    with Cluster() as c:
        c.wait_node()
        c.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "d"}},
                  "template": {"metadata": {"labels": {"app": "d"}}, "spec": {"terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "cox/web"}]}}}})
        ready = lambda: sum(condition(p, "Ready") == "True" and "deletionTimestamp" not in p["metadata"] for p in c.pods("app=d"))
        wait_for(lambda: ready() == 3, 60, 0.01)
        taken = []
        for _ in range(5):
            victim = c.pods("app=d")[0]["metadata"]["name"]
            began = time.monotonic()
            c.delete(c.url("Pod", victim) + "?gracePeriodSeconds=0")
            wait_for(lambda: ready() == 3 and victim not in [p["metadata"]["name"] for p in c.pods("app=d")], 60, 0.005)
            taken.append(time.monotonic() - began)
        report("heal", "a pod of a Deployment deleted, three ready again, p50 of 5", statistics.median(taken), "s", 1)


def cpu_seconds(pid):
    return sum(int(x) for x in open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def rss(pid):
    return int([l for l in open(f"/proc/{pid}/status") if l.startswith("VmRSS")][0].split()[1]) / 1000


def idle():
    with Cluster() as c:
        c.wait_node()
        for i in range(10):
            c.create(pod(f"i{i}", image="cox/web"))
        for i in range(10):
            c.wait_running(f"i{i}")
        time.sleep(5)
        before = cpu_seconds(c.process.pid)
        time.sleep(30)
        used = (cpu_seconds(c.process.pid) - before) / 30 * 100
        report("idle", "server with its agent and 10 pods: resident memory", rss(c.process.pid), "MB", 35, "k3s: about 500 MB")
        report("idle", "its CPU, of one core", used, "%", 0.5, "k3s: 10 to 25 %")


def agent():
    with Fleet() as f:
        n = f.add(1)
        f.wait_nodes()
        for i in range(10):
            f.create(pod(f"a{i}", image="cox/web"))
        for i in range(10):
            f.wait_running(f"a{i}")
        time.sleep(30)  # it gives back what starting took after a while
        report("agent", "an agent alone with 10 pods: resident memory", rss(n.process.pid), "MB", 10)


WORKLOADS = {"start-process": start_process, "start-oci": start_oci, "many": many, "heal": heal, "idle": idle, "agent": agent}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--workload", default=",".join(WORKLOADS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.list:
        print("\n".join(WORKLOADS))
        sys.exit()
    isolate()
    for name in args.workload.split(","):
        WORKLOADS[name]()
    if args.json:
        print(json.dumps(results, indent=1))
