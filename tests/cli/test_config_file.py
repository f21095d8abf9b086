#!/usr/bin/env python3
"""Options of server and agent from a file: names of options and of resources, what wins over what, and what is refused with its line."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Server, tap, wait_for  # noqa: E402


def amounts(server, name, text, *words, **env):
    """(egress, ingress) in bit/s, and the capacity, of a node on paper whose agent has this file."""
    path = os.path.join(server.dir, f"{name}.yaml")
    pathlib.Path(path).write_text(text)
    p = subprocess.Popen([COX, "agent", "--simulate", "1", "--simulate-prefix", f"{name}-", "--kubeconfig", server.kubeconfig, "--config", path, *words], stderr=subprocess.PIPE, text=True, env={**os.environ, **env})
    try:
        node = lambda: (lambda r: r.json["status"].get("capacity") if r.status == 200 else None)(server.get(f"/api/v1/nodes/{name}-0"))  # noqa: E731
        have = wait_for(lambda: node() or p.poll() is not None)
        if have is True:
            return p.stderr.read()
        units = {"M": 10**6, "G": 10**9, "k": 1000, "": 1}
        bits = [have.get(f"cox.io/{e}-bandwidth", "0") for e in ("egress", "ingress")]
        return tuple(int(b.rstrip("MGk")) * units[b.lstrip("0123456789")] for b in bits), have
    finally:
        p.kill()
        p.wait()


FORMS = {
    "nested": 'capacity: {bandwidth: "10Gi"}\n',
    "dotted": 'capacity.bandwidth: "10Gi"\n',
    "block": "capacity:\n  bandwidth: 10Gi\n",
    "option": "node-capacity: [bandwidth=10Gi]\n",
    "camel": "nodeCapacity: {bandwidth: 10Gi}\n",
    "json": '{"capacity": {"bandwidth": "10Gi"}}\n',
}


def every_form(server):
    for name, text in FORMS.items():
        got = amounts(server, name, text)
        tap.eq(f"{name}: {text.strip()!r}", got[0], (10 << 30, 10 << 30))
    got = amounts(server, "ends", "capacity: {bandwidth: 1G, egress: 200Mbps, cpu: 3, nvidia.com/gpu: 2}\nreserved: {bandwidth: 50M}\nmaxPods: 7\n")
    tap.eq("an end of its own wins", got[0], (200 * 10**6, 10**9))
    tap.eq("other resources and options", (got[1]["cpu"], got[1]["nvidia.com/gpu"], got[1]["pods"]), ("3", "2", "7"))
    got = amounts(server, "plain", "capacity: {bandwidth: 300000000}\n")
    tap.eq("a number alone is bits", got[0], (300 * 10**6, 300 * 10**6))
    tap.eq("an empty file says nothing", amounts(server, "empty", "# nothing\n")[1]["pods"], "110")


def what_wins(server):
    got = amounts(server, "words", "capacity: {bandwidth: 10Gi, egress: 1G}\nmax-pods: 7\n", "--node-capacity", "bandwidth=2G")
    tap.eq("one of the words is instead of all that the file has of it", (got[0], got[1]["pods"]), ((2 * 10**9, 2 * 10**9), "7"))
    got = amounts(server, "variable", "max-pods: 7\n", COX_MAX_PODS="9")
    tap.eq("a variable wins over the file", got[1]["pods"], "9")
    got = amounts(server, "both", "max-pods: 7\n", "--max-pods", "11", COX_MAX_PODS="9")
    tap.eq("and a word over both", got[1]["pods"], "11")


WRONG = [
    ("capacity: {bandwidth: fast}\n", "--node-capacity bandwidth: \"fast\" is no bandwidth"),
    ("capacity.bandwidth: 10MBps\n", "B are bytes"),
    ("capacity: {egress: 0}\n", "it is zero"),
    ("capacity: {bandwidth: -5M}\n", "--node-capacity bandwidth"),
    ("node-name: n\ncapcity: {bandwidth: 10Gi}\n", "f.yaml:2: \"capcity\" is no option of this command"),
    ("node-name: n\nbandwidth: 10Gi\n", "f.yaml:2: \"bandwidth\" is a part of capacity: write capacity: {bandwidth: 10Gi}"),
    ("capacity: 10Gi\n", "wants a list, or names with their values"),
    ("capacity: {bandwidth: {egress: 1G}}\n", "one of them is something else"),
    ("max-pods: many\n", "it wants a number"),
    ("max-pods: [1, 2]\n", "has one value, not several"),
    ("node-name: a\nnode-name: b\n", "is there twice"),
    ("nodeName: a\nnode-name: b\n", "f.yaml:2: \"node-name\" is there twice"),
    ("capacity: {bandwidth: 10Gi}\ncapacity.bandwidth: 1G\n", "f.yaml:2: \"capacity.bandwidth\" is there twice"),
    ("capacity.bandwidth: 10Gi\ncapacity:\n  egress: 1G\n  bandwidth: 1G\n", "f.yaml:4: \"capacity.bandwidth\" is there twice"),
    ("capacity: {bandwith: 10Gi}\n", "--node-capacity bandwith: there is no such resource: bandwidth, egress"),
    ("capacity: {cpu: lots}\n", "--node-capacity cpu: \"lots\" is no amount"),
    ("reserved: {memroy: 1Gi}\n", "--node-reserved memroy: there is no such resource"),
    ("node-name:\n", "has no value"),
    ("- node-name\n", "no names of options"),
    ("a: [\n", "f.yaml: "),
    ("data-dir: /var/lib/cox\n", "on the command line or as COX_DATA_DIR"),
    ("config: other.yaml\n", "is no option of this command"),
    ("x: " + "y" * 70000, "f.yaml"),
    ("node-label: [" + ", ".join(["a=b"] * 600) + "]\n", "more than 512 values"),
]


def what_is_refused(server):
    path = os.path.join(server.dir, "f.yaml")
    for text, want in WRONG:
        pathlib.Path(path).write_text(text)
        for verb in ("server", "agent"):
            done = subprocess.run([COX, verb, "--data-dir", os.path.join(server.dir, "never"), "--config", path], capture_output=True, text=True, timeout=PATIENCE)
            tap.ok(f"{verb}: {text[:60].strip()!r}", done.returncode == 1 and want in done.stderr and not os.path.exists(os.path.join(server.dir, "never")), (want, done.stderr[:300]))
    pathlib.Path(path).write_text("capacity: {bandwidth: 1000}\n")
    done = subprocess.run([COX, "agent", "--kubeconfig", "/nonexistent", "--config", path], capture_output=True, text=True, timeout=PATIENCE)
    tap.ok("a number without its unit is warned of", "say the unit as in 100M" in done.stderr and "1 kbit/s" in done.stderr, done.stderr[:300])
    done = subprocess.run([COX, "agent", "--config", "/nonexistent"], capture_output=True, text=True, timeout=PATIENCE)
    tap.ok("a file that is not there", done.returncode == 1 and "cannot read /nonexistent" in done.stderr, done.stderr)


def a_server_has_one(server):
    """Its own options and those of its agent, which is off here."""
    path = os.path.join(server.dir, "server.yaml")
    socket = os.path.join(server.dir, "one.sock")
    pathlib.Path(path).write_text(f"listen: 127.0.0.1:0\nagent: false\nquiet: true\nunixSocket: {socket}\nwrite-kubeconfig: none\ncapacity: {{bandwidth: 10Gi}}\n")
    p = subprocess.Popen([COX, "server", "--data-dir", os.path.join(server.dir, "second"), "--config", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        tap.ok("it is as the file says", wait_for(lambda: os.path.exists(socket)), p.poll() and p.stderr.read())
    finally:
        p.kill()
        p.wait()


if __name__ == "__main__":
    with Server() as s:
        tap.run([every_form, what_wins, what_is_refused, a_server_has_one], s)
    tap.done()
