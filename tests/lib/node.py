"""Servers with an agent, and agents as nodes of their own, on one machine.

    from lib.node import Cluster, isolate, leftovers
    isolate()                       # first of all: this script in network and mount namespaces of its own
    with Cluster() as c:            # `cox server` with an agent: one node
        c.create(pod("web", image="cox/web")); c.wait_running("web")

Everything that a node makes on a machine is in the namespaces of the script, or under a cgroup of the test's own; what is left at the end is a failure.
"""
import fcntl
import glob
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import time

from lib.cox import COX, PATIENCE, Server, tap, wait_for


def isolate():
    """Starts the script again in namespaces of its own.  Ends it with a skip where that is not possible."""
    if os.environ.get("COX_TEST_ISOLATED") == "1":
        loopback_up()
        return
    if os.geteuid() != 0:
        tap.skip("nodes", "needs root")
        tap.done()
    if subprocess.run(["unshare", "--net", "--mount", "true"], stderr=subprocess.DEVNULL).returncode:
        tap.skip("nodes", "this machine has no namespaces to spare")
        tap.done()
    os.environ["COX_TEST_ISOLATED"] = "1"
    os.execvp("unshare", ["unshare", "--net", "--mount", "--propagation", "private", sys.executable, *sys.argv])


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running


def cgroups(root):
    return [p for p in glob.glob("/sys/fs/cgroup/**/" + root, recursive=True)]


def leftovers(root, folder):
    """What of a node is left: cgroups below root, links, mounts in its data folder, nft tables."""
    found = cgroups(root)
    found += [name for _, name in socket.if_nameindex() if name.startswith(("cox", "cx"))]
    found += [line.split()[1] for line in open("/proc/mounts") if line.split()[1].startswith(folder + "/")]
    if shutil.which("nft"):
        found += [l for l in subprocess.run(["nft", "list", "tables"], capture_output=True, text=True).stdout.splitlines() if "cox" in l]
    return found


class Cluster(Server):
    """A server whose own agent is the only node."""

    def __init__(self, args=(), node="node-1", **kw):
        self.node = node
        self.root = f"cox-test-{os.getpid()}-{node}"
        super().__init__(args=["--agent=true", "--scheduler=true", "--node-name", node, "--node-ip", "127.0.0.1", "--agent-listen", "127.0.0.1:0", "--cgroup-root", self.root,
                               "--pod-network-mode", "none", "--eviction-hard", "none", *args], **kw)

    # --- objects ------------------------------------------------------------------------------------------------------
    PATHS = {"Pod": "/api/v1/namespaces/{}/pods", "Service": "/api/v1/namespaces/{}/services", "ConfigMap": "/api/v1/namespaces/{}/configmaps", "Secret": "/api/v1/namespaces/{}/secrets",
             "Deployment": "/apis/apps/v1/namespaces/{}/deployments", "StatefulSet": "/apis/apps/v1/namespaces/{}/statefulsets", "DaemonSet": "/apis/apps/v1/namespaces/{}/daemonsets",
             "Job": "/apis/batch/v1/namespaces/{}/jobs", "CronJob": "/apis/batch/v1/namespaces/{}/cronjobs", "PersistentVolumeClaim": "/api/v1/namespaces/{}/persistentvolumeclaims"}

    def path(self, name):
        return os.path.join(self.dir, name)

    def url(self, kind, name="", ns="default"):
        return self.PATHS[kind].format(ns) + (f"/{name}" if name else "")

    def create(self, obj):
        r = self.post(self.url(obj["kind"], ns=obj["metadata"].get("namespace", "default")), obj)
        if r.status != 201:
            raise RuntimeError(f"create of {obj['kind']} {obj['metadata']['name']}: {r}")
        return r.json

    def read(self, name, kind="Pod", ns="default"):
        r = self.get(self.url(kind, name, ns))
        return r.json if r.status == 200 else None

    def pods(self, selector="", ns="default"):
        return self.get(self.url("Pod", ns=ns) + (f"?labelSelector={selector}" if selector else "")).json["items"]

    def wait(self, condition, what, timeout=PATIENCE):
        """The value of condition() once it is true; a failure that shows the pods otherwise."""
        value = wait_for(condition, timeout, 0.05)
        if not value:
            raise RuntimeError(f"{what}: not after {timeout} s\n{self.describe()}")
        return value

    def describe(self):
        lines = []
        for p in self.get("/api/v1/pods").json["items"]:
            status = p.get("status", {})
            states = {s["name"]: s.get("state") for s in status.get("initContainerStatuses", []) + status.get("containerStatuses", [])}
            lines.append(json.dumps({"pod": p["metadata"]["name"], "phase": status.get("phase"), "reason": status.get("reason"), "states": states})[:600])
        for e in self.get("/api/v1/events").json["items"][-12:]:
            lines.append(f"{e.get('reason')} {e.get('involvedObject', {}).get('name')}: {e.get('message') or e.get('note')}")
        return "\n".join(lines) + "\n" + self.log()[-1500:]

    def wait_phase(self, name, phase, ns="default"):
        def look():
            p = self.read(name, ns=ns)
            return p if p and p.get("status", {}).get("phase") == phase else None
        return self.wait(look, f"pod {name} {phase}")

    def wait_running(self, name, ns="default"):
        def look():
            p = self.read(name, ns=ns)
            return p if p and condition(p, "Ready") == "True" else None
        return self.wait(look, f"pod {name} ready")

    def wait_gone(self, name, kind="Pod", ns="default"):
        return self.wait(lambda: self.read(name, kind, ns) is None, f"{kind} {name} gone")

    def wait_node(self):
        def look():
            r = self.get(f"/api/v1/nodes/{self.node}")
            return r.json if r.status == 200 and condition(r.json, "Ready") == "True" else None
        return self.wait(look, "the node ready")

    def logs(self, name, query="", ns="default"):
        return self.get(self.url("Pod", name, ns) + "/log" + query).text

    # --- the end -------------------------------------------------------------------------------------------------------
    def uninstall(self, *more, grace="0s"):
        return subprocess.run([COX, "uninstall", "--data-dir", self.dir, "--cgroup-root", self.root, "--grace", grace, *more], capture_output=True, text=True, timeout=PATIENCE)

    def __exit__(self, kind, *rest):
        own, self.own_dir = self.own_dir, False
        super().__exit__(kind, *rest)
        done = self.uninstall("--keep-data")
        if done.returncode or leftovers(self.root, self.dir):
            tap.ok("nothing of the node is left", False, f"{done.stdout}{done.stderr}{leftovers(self.root, self.dir)}")
        if own:
            shutil.rmtree(self.dir, ignore_errors=True)


def condition(obj, kind):
    for c in obj.get("status", {}).get("conditions", []):
        if c["type"] == kind:
            return c["status"]
    return None


def pod(name, command=None, image="cox/host", labels=None, container=None, **spec):
    c = {"name": "c", "image": image, **({"command": ["/bin/sh", "-c", command]} if command else {}), **(container or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}}, "spec": {"containers": [c], "terminationGracePeriodSeconds": 2, **spec}}


def statuses(p, which="containerStatuses"):
    return {s["name"]: s for s in p.get("status", {}).get(which, [])}


class Node:
    """One agent in a network namespace of its own, joined by token.  wire_down() and wire_up() cut and mend its cable."""

    def __init__(self, fleet, number, args=()):
        self.fleet, self.name, self.ip = fleet, f"node-{number}", f"10.9.0.{number + 1}"
        self.ns, self.wire = f"cox-n{number}", f"w{number}"
        self.dir = os.path.join(fleet.dir, self.name)
        self.root = f"{fleet.root}-{self.name}"
        self.args, self.process = list(args), None
        os.mkdir(self.dir)
        for command in (f"ip netns add {self.ns}", f"ip link add {self.wire} type veth peer name eth0 netns {self.ns}", f"ip link set {self.wire} master lan up",
                        f"ip -n {self.ns} addr add {self.ip}/24 dev eth0", f"ip -n {self.ns} link set eth0 up", f"ip -n {self.ns} link set lo up",
                        f"ip -n {self.ns} route add default via 10.9.0.1"):
            subprocess.run(command.split(), check=True)

    def command(self, *words):
        return ["nsenter", f"--net=/run/netns/{self.ns}", COX, *words]

    def options(self):
        return ["--data-dir", self.dir, "--node-name", self.name, "--node-ip", self.ip, "--cgroup-root", self.root, "--eviction-hard", "none", *self.args]

    def join(self, token, ca_hash):
        self._start("join", f"https://10.9.0.1:{self.fleet.port}", "--token", token, "--ca-hash", ca_hash)
        return self

    def start(self):
        self._start("agent")

    def _start(self, *words):
        log = open(os.path.join(self.dir, "agent.log"), "ab")
        self.process = subprocess.Popen(self.command(*words, *self.options()), stdout=log, stderr=log)
        log.close()

    def log(self):
        return open(os.path.join(self.dir, "agent.log"), errors="replace").read()

    def kill(self, signo=9):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signo)
            self.process.wait(PATIENCE)

    def wire_down(self):
        subprocess.run(["ip", "link", "set", self.wire, "down"], check=True)

    def wire_up(self):
        subprocess.run(["ip", "link", "set", self.wire, "up"], check=True)

    def run(self, *command):
        """A command in the node's network."""
        return subprocess.run(["nsenter", f"--net=/run/netns/{self.ns}", *command], capture_output=True, text=True, timeout=PATIENCE)

    def processes(self, uid):
        """Process ids of the pod's containers."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and f"/pod{uid}/" in open(f"/proc/{entry}/cgroup").read():
                    found.append(int(entry))
            except OSError:
                pass
        return found

    def remove(self):
        self.kill()
        done = subprocess.run(self.command("uninstall", "--yes", "--grace", "0s", "--data-dir", self.dir, "--cgroup-root", self.root), capture_output=True, text=True, timeout=PATIENCE)
        left = cgroups(self.root) + [l.split()[1] for l in open("/proc/mounts") if l.split()[1].startswith(self.dir + "/")]
        if done.returncode or left:
            tap.ok(f"nothing of {self.name} is left", False, f"{done.stdout}{done.stderr}{left}\n{self.log()[-1500:] if os.path.isdir(self.dir) else ''}")
        subprocess.run(["ip", "netns", "del", self.ns], stderr=subprocess.DEVNULL)


class Fleet(Cluster):
    """A server without an agent of its own, on a network of its own (10.9.0.0/24), and nodes that join it."""

    def __init__(self, args=()):
        # with an address of its own: a bridge takes the lowest of its ports otherwise, and a node that was there before sends to the old one for half a minute
        for command in ("ip link add lan address 02:00:0a:09:00:01 type bridge", "ip addr add 10.9.0.1/24 dev lan", "ip link set lan up", "mount -t tmpfs none /run/netns"):
            os.makedirs("/run/netns", exist_ok=True)
            subprocess.run(command.split(), check=True)
        self.base, self.nodes = list(args), []
        Server.__init__(self, scheduler=True, start=False)
        self.node, self.root = "", f"cox-test-{os.getpid()}"
        self.first = list(self.args)
        self.start()
        self.token, self.ca_hash = self.new_token()

    def start(self, wait=True, timeout=PATIENCE):
        self.args = [*self.first, *self.base, "--listen", f"0.0.0.0:{self.port}", "--advertise-address", "10.9.0.1"]
        return Server.start(self, wait, timeout)

    def new_token(self):
        text = self.cox("token", "create", "--print-join-command").stdout.split()
        return text[text.index("--token") + 1], text[text.index("--ca-hash") + 1]

    def cox(self, *words):
        return subprocess.run([COX, *words, "--kubeconfig", self.kubeconfig], capture_output=True, text=True, timeout=PATIENCE)

    def add(self, number, args=()):
        node = Node(self, number, args)
        self.nodes.append(node)
        return node.join(self.token, self.ca_hash)

    def ready(self, name):
        r = self.get(f"/api/v1/nodes/{name}")
        return r.status == 200 and condition(r.json, "Ready") == "True"

    def wait_nodes(self):
        for n in self.nodes:
            wait_for(lambda: self.ready(n.name), PATIENCE, 0.1) or self._not_ready(n)

    def _not_ready(self, n):
        raise RuntimeError(f"{n.name} is not ready:\n{n.log()[-2500:]}\n{self.describe()}")

    def __exit__(self, kind, *rest):
        for n in self.nodes:
            n.remove()
        Server.__exit__(self, kind, *rest)
