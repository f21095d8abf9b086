#!/usr/bin/env python3
"""Shares of the network on a real node, measured with iperf3 between network namespaces.

    make && python3 bench/bench_bandwidth.py [--list] [--workload NAME[,NAME...]] [--json] [--seconds N]        as root

Each workload starts a `build/cox server` with its agent in network and mount namespaces of its own, pods with limits and requests in their objects, and iperf3 (Debian's) inside of the pods' namespaces.

A limit counts frames as they are on the wire: 66 bytes of Ethernet, IP and TCP headers for each segment.  iperf3 counts what the program got.  Both are printed; the limit is held against the wire:
what iperf3 says times (MTU + 14) / (MTU - 52).

- limit         one pod, one connection, 10 Mbit/s to 2 Gbit/s, out and in
- guarantee     20 pods want all that the node has (500 Mbit/s less 10): ten were promised 20 to 80 Mbit/s, 450 in all, ten nothing
- cost          CPU of server and agent together while 100 shaped pods do nothing
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from lib.cox import cpu_seconds  # noqa: E402
from lib.node import Cluster, isolate, pod  # noqa: E402

MBIT = 1000000
results, children = [], []


def report(workload, what, value, unit, limit, at_least=False, note=""):
    good = value >= limit if at_least else value <= limit
    results.append({"workload": workload, "what": what, "value": value, "unit": unit, "limit": limit, "reached": good, "note": note})
    if not args.json:
        print(f"| {workload} | {what} | {value:.3g} {unit} | {'at least' if at_least else 'at most'} {limit} | {note} | {'yes' if good else 'NO'} |", flush=True)


def shaped(name, out=None, into=None, promised=None):
    p = pod(name, "exec sleep 100000")
    p["metadata"]["annotations"] = {f"kubernetes.io/{k}-bandwidth": str(v) for k, v in (("egress", out), ("ingress", into)) if v}
    if promised:
        amounts = {"kuscia.io/bandwidth": str(promised)}
        p["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
    return p


def inside(c, p):
    return ["nsenter", f"--net={c.dir}/agent/pods/{p['metadata']['uid']}/netns"]


def mtu_of(where):
    return int(subprocess.run([*where, "cat", "/sys/class/net/eth0/mtu"], capture_output=True, text=True).stdout or 0) or int(
        subprocess.run([*where, "ip", "-o", "link", "show", "eth0"], capture_output=True, text=True).stdout.split(" mtu ")[1].split()[0])


def serve(where, port):
    children.append(subprocess.Popen([*where, "iperf3", "-s", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def client(where, address, port, reverse, seconds):
    children.append(subprocess.Popen([*where, "iperf3", "-c", address, "-p", str(port), "-t", str(seconds), "-O", "1", "-J", *(["-R"] if reverse else [])], stdout=subprocess.PIPE, text=True))
    return children[-1]


def goodput(process):
    answer = json.loads(process.communicate()[0])
    if "end" not in answer or "sum_received" not in answer["end"]:
        raise SystemExit(f"iperf3: {answer.get('error')}")
    return answer["end"]["sum_received"]["bits_per_second"]


def wire(bits, mtu):
    return bits * (mtu + 14) / (mtu - 52)


def limit(c, workload):
    rates = [10, 50, 100, 500, 1000, 2000]
    for r in rates:
        c.create(shaped(f"p{r}", r * MBIT, r * MBIT))
    c.create(pod("peer", "exec sleep 100000"))
    peer = c.wait_running("peer")
    serve(inside(c, peer), 5201)
    time.sleep(1)
    for r in rates:
        where = inside(c, c.wait_running(f"p{r}"))
        mtu = mtu_of(where)
        for reverse in (False, True):
            got = goodput(client(where, peer["status"]["podIP"], 5201, reverse, args.seconds))
            away = (wire(got, mtu) / (r * MBIT) - 1) * 100
            report(workload, f"{r} Mbit/s {'in' if reverse else 'out'}: away from the limit", abs(away), "%", 3, note=f"wire {wire(got, mtu) / MBIT:.4g}, iperf3 {got / MBIT:.4g} Mbit/s")


def outside():
    """A machine behind the node's link: 192.0.2.2."""
    p = subprocess.Popen(["unshare", "--net", "sleep", "100000"])
    children.append(p)
    time.sleep(0.5)
    for words in (f"ip link add up0 type veth peer name up1 netns {p.pid}", "ip addr add 192.0.2.1/24 dev up0", "ip link set up0 up"):
        subprocess.run(words.split(), check=True)
    where = ["nsenter", f"--net=/proc/{p.pid}/ns/net"]
    for words in ("ip addr add 192.0.2.2/24 dev up1", "ip link set up1 up", "ip link set lo up", "ip route add 10.0.0.0/8 via 192.0.2.1"):
        subprocess.run([*where, *words.split()], check=True)
    return where


def class_bytes(device):
    """{class: bytes} of the kernel, and when."""
    text = subprocess.run(["tc", "-s", "class", "show", "dev", device], capture_output=True, text=True).stdout
    return time.monotonic(), {m[0]: int(m[1]) for m in re.findall(r"class htb (\S+) .*\n Sent (\d+) ", text)}


def guarantee(c, workload):
    """Counted by the kernel's classes while all twenty send: iperf3's own sums also have the seconds in which the first and the last are alone."""
    promised = [20, 20, 30, 30, 40, 40, 50, 60, 80, 80]
    for i in range(20):
        c.create(shaped(f"g{i}", 10000 * MBIT, 10000 * MBIT, promised[i]) if i < len(promised) else pod(f"g{i}", "exec sleep 100000"))
    far = outside()
    pods = [c.wait_running(f"g{i}") for i in range(20)]
    where = [inside(c, p) for p in pods]
    minors = [f"1:{int(p['status']['podIP'].split('.')[3]) << 4:x}" for p in pods[:len(promised)]]
    for i in range(20):
        serve(far, 6000 + i)
    time.sleep(6)  # a round of the agent: every pod is in its class
    for reverse in (False, True):
        device = "cox0-in" if reverse else "cox0-out"
        running = [client(w, "192.0.2.2", 6000 + i, reverse, args.seconds + 8) for i, w in enumerate(where)]
        time.sleep(5)
        start, before = class_bytes(device)
        time.sleep(args.seconds)
        end, after = class_bytes(device)
        alive = sum(p.poll() is None for p in running)
        for p in running:
            goodput(p)
        rate = {k: (after[k] - before[k]) * 8 / (end - start) / MBIT for k in after}
        got = [rate[m] for m in minors]
        worst = min(range(len(promised)), key=lambda i: got[i] / promised[i])
        way = "in" if reverse else "out"
        report(workload, f"{alive} pods, all {way}: least part of what was promised", got[worst] / promised[worst] * 100, "%", 95, at_least=True, note=f"{got[worst]:.4g} of {promised[worst]} Mbit/s")
        report(workload, f"all {way}: part of what the node has", rate["1:1"] / 490 * 100, "%", 103, note=f"{rate['1:1']:.4g} of 490 Mbit/s; {rate['1:2']:.3g} of it without a promise")


def cost(c, workload):
    for i in range(100):
        c.create(shaped(f"s{i}", 100 * MBIT, 100 * MBIT))
    for i in range(100):
        c.wait_running(f"s{i}")
    classes = subprocess.run(["tc", "class", "show", "dev", "cox0-out"], capture_output=True, text=True).stdout.count("class htb")
    time.sleep(20)
    before, start = cpu_seconds(c.process.pid), time.monotonic()
    time.sleep(30)
    share = (cpu_seconds(c.process.pid) - before) / (time.monotonic() - start) * 100
    report(workload, "CPU of a core, server and agent, 100 shaped pods", share, "%", 1, note=f"{classes} classes")


WORKLOADS = {"limit": (limit, ["--node-capacity", "bandwidth=10G"]), "guarantee": (guarantee, ["--node-capacity", "bandwidth=500M"]), "cost": (cost, ["--node-capacity", "bandwidth=100G"])}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--workload", default=",".join(WORKLOADS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=int, default=8)
    args = parser.parse_args()
    if args.list:
        print("\n".join(WORKLOADS))
        sys.exit(0)
    isolate()
    for name in args.workload.split(","):
        run, more = WORKLOADS[name]
        try:
            with Cluster(args=["--max-pods", "150", *more]) as c:
                c.wait_node()
                run(c, name)
        finally:
            for p in children:
                p.kill()
                p.wait()
            children.clear()
            subprocess.run(["ip", "link", "del", "up0"], stderr=subprocess.DEVNULL)
    if args.json:
        print(json.dumps(results, indent=1))
    sys.exit(0 if all(r["reached"] for r in results) else 1)
