#!/usr/bin/env python3
"""make up and make down (tools/up) as a newcomer types them: what is suggested works with kubectl and with cox, and the machine is as before when it is over."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
from lib.cox import COX, ROOT, tap, wait_for  # noqa: E402
from lib.node import PATIENCE, cgroups, isolate  # noqa: E402

UP = str(ROOT / "tools" / "up")
NOBODY = 65534


class Place:
    """A home, a data folder and a copy of the program, for one user."""

    def __init__(self, user=None):
        self.user = user
        self.dir = tempfile.mkdtemp(prefix="cox-up-")
        self.data, self.cox, self.root = f"{self.dir}/data", f"{self.dir}/cox", f"cox-test-{os.getpid()}"
        shutil.copy(COX, self.cox)
        os.chmod(self.cox, 0o755)
        if user:
            os.chown(self.dir, user, user)
        self.env = {**{k: v for k, v in os.environ.items() if k != "KUBECONFIG"}, "HOME": self.dir, "COX": self.cox, "COX_DATA_DIR": self.data, "COX_CGROUP_ROOT": self.root,
                    "COX_NODE_NAME": "here", "COX_EVICTION_HARD": "none"}

    def run(self, *words):
        as_user = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"] if self.user else []
        return subprocess.run([*as_user, *words], capture_output=True, text=True, timeout=2 * PATIENCE, env=self.env, cwd=ROOT)

    def do(self, *words):
        done = self.run(*words)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}\n{self.log()}")
        return done.stdout

    def log(self):
        path = f"{self.data}/server.log"
        return open(path, errors="replace").read()[-2000:] if os.path.exists(path) else ""

    def pid(self):
        return int(open(f"{self.data}/cox.pid").read())

    def processes(self):
        """Those that name the folder."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and int(entry) != os.getpid() and self.dir.encode() in open(f"/proc/{entry}/cmdline", "rb").read():
                    found.append(int(entry))
            except OSError:
                pass
        return found

    def machine(self):
        """Everything that a node could leave behind."""
        def text(*words):
            return subprocess.run(words, capture_output=True, text=True).stdout.splitlines() if shutil.which(words[0]) else []
        rules = [re.sub(r"counter packets \d+ bytes \d+", "counter", line) for line in text("nft", "list", "ruleset")]
        chains = [re.sub(r"^#.*|\[\d+:\d+\]", "", line) for save in ("iptables-save", "ip6tables-save", "iptables-legacy-save") for line in text(save)]
        return {"links": [re.sub("^[0-9]+: ", "", line) for line in text("ip", "-o", "link")], "addresses": text("ip", "-o", "addr"),
                "routes": sorted(text("ip", "route", "show", "table", "all") + text("ip", "-6", "route", "show", "table", "all")), "routing rules": text("ip", "rule") + text("ip", "-6", "rule"),
                "neighbours": [line for line in text("bridge", "fdb") + text("ip", "neigh") if not re.search("FAILED|STALE", line)], "nft rules": rules, "iptables": sorted(filter(None, chains)),
                "mounts": sorted(line.split(" - ")[0].split(" ", 3)[3] for line in open("/proc/self/mountinfo")), "namespaces": self.namespaces(),
                "named namespaces": sorted(os.listdir("/run/netns")) if os.path.isdir("/run/netns") else [], "cgroups": cgroups(self.root), "processes": self.processes(),
                "settings": self.settings(), "files": self.files(), "kubeconfig": self.kubeconfig()}

    def namespaces(self):
        """Network namespaces that only a mount or a process of the cluster keeps: those of processes that name the folder."""
        return sorted({os.readlink(f"/proc/{pid}/ns/{kind}") for pid in self.processes() for kind in ("net", "mnt", "ipc", "uts", "pid") if os.path.exists(f"/proc/{pid}/ns/{kind}")})

    def settings(self):
        """What can be set for the network and changes neither by itself nor by the test's own traffic; those of links that are gone are gone with them."""
        found = {}
        for path in sorted(str(p) for p in pathlib.Path("/proc/sys/net").rglob("*") if p.is_file()):
            if re.search(r"nf_conntrack_count|stable_secret|flush$|lo_cong|fs/dentry", path):
                continue
            try:
                found[path] = open(path).read()
            except OSError:
                pass
        for path in ("/proc/sys/kernel/panic", "/proc/sys/vm/overcommit_memory", "/proc/sys/fs/inotify/max_user_instances", "/proc/sys/fs/inotify/max_user_watches", "/proc/sys/fs/file-max"):
            found[path] = open(path).read()
        return found

    def files(self):
        """Outside of the data folder: the home, and where programs keep what is theirs."""
        skip = (self.data, f"{self.dir}/.kube/cache")
        found = [str(p) for p in pathlib.Path(self.dir).rglob("*") if not str(p).startswith(skip)]
        for folder in ("/run", "/var/run", "/etc", "/var/lib", "/var/log", "/dev/shm"):
            found += [f"{folder}/{name}" for name in os.listdir(folder) if re.search("cox|kube|cni", name)]
        return sorted(found)

    def kubeconfig(self):
        """As it is read, not as it is written."""
        path = f"{self.dir}/.kube/config"
        return self.do(self.cox, "config", "view", "--raw", "-o", "json") if os.path.exists(path) else ""

    def remove(self):
        self.run(UP, "--down")
        shutil.rmtree(self.dir, ignore_errors=True)


def same(place, what, before):
    now = place.machine()
    tap.eq(what, {k: v for k, v in now.items() if v != before[k]}, {k: v for k, v in before.items() if v != now[k]})


def suggestions(text):
    """The commands, without what is said about them."""
    lines = text.split("Type next:\n", 1)[1].splitlines()
    return [re.split(r"\s+# ", line.strip())[0] for line in lines if line.strip()]


def ready_pods(place, n):
    def look():
        text = place.do(place.cox, "get", "pods", "-l", "app=hello", "-o", "jsonpath={range .items[*]}{.metadata.name} {.metadata.deletionTimestamp} {.status.containerStatuses[0].ready}{\"\\n\"}{end}")
        names = [line.split()[0] for line in text.splitlines() if line.split()[1:] == ["true"]]
        return names if len(names) == n else None
    found = wait_for(look, PATIENCE, 0.1)
    if not found:
        raise RuntimeError(f"{n} pods are not ready\n{place.do(place.cox, 'get', 'pods', '-o', 'wide')}{place.log()}")
    return set(found)


def type_what_is_suggested(place, commands, program):
    """Every line of it, with kubectl or with cox in its place."""
    name = os.path.basename(program)
    before = set()
    for line in commands:
        words = line.split()
        if words[0] == "make" or words[1] == "--help":
            continue
        words[0] = place.cox if words[1] == "why" else program
        out = place.do(*words)
        verb = words[1]
        if words[1:3] == ["create", "deployment"]:
            before = ready_pods(place, 2)
        elif verb == "get":
            tap.ok(f"{name}: the pods run, with addresses", out.count("Running") == 2 and len(set(re.findall(r"10\.42\.\d+\.\d+", out))) == 2, out)
        elif verb == "logs":
            tap.ok(f"{name}: the log", wait_for(lambda: "listening on port 8080" in place.do(*words), PATIENCE, 0.1), out)
        elif verb == "scale":
            before = ready_pods(place, 5)
        elif verb == "delete":
            after = wait_for(lambda: not ready_pods(place, 5) & before, PATIENCE, 0.1)
            tap.ok(f"{name}: five deleted pods are replaced", after)
        elif verb == "why":
            said = wait_for(lambda: (lambda t: t if "1 lacks cpu" in t else None)(place.do(*words)), PATIENCE, 0.1)
            tap.ok(f"{name}: why it waits", said and re.search(r"Nearest: +[\d.]+m? more cpu on here", said), said or out)
    place.do(program, "delete", "deployment/hello", "pod/giant")
    tap.ok(f"{name}: they go with the deployment", wait_for(lambda: not place.do(place.cox, "get", "pods", "-o", "name"), PATIENCE, 0.1))


OTHERS = """apiVersion: v1
kind: Config
clusters: [{name: cox, cluster: {server: "https://elsewhere:6443"}}]
contexts: [{name: work, context: {cluster: cox, user: me}}]
users: [{name: me, user: {token: t}}]
current-context: work
"""


def up_and_down(place):
    os.makedirs(f"{place.dir}/.kube")
    pathlib.Path(f"{place.dir}/.kube/config").write_text(OTHERS)
    place.do(place.cox, "config", "use-context", "work")  # written as cox writes
    before = place.machine()
    text = place.do(UP)
    tap.ok("make up makes this machine a node", "The cluster is up after" in text and "This machine is a node of it, ready after" in text, text)
    tap.has("it names the context", text, '(context "cox-2")')
    tap.has("a second one leaves it alone", place.do(UP), "up already")
    commands = suggestions(text)
    tap.eq("it says how to stop it", commands[-1], "make down")
    for program in filter(None, (shutil.which("kubectl"), place.cox)):
        type_what_is_suggested(place, commands, program)
    place.do(place.cox, "create", "deployment", "hello", "--image=cox/web", "--replicas=2")
    pods = ready_pods(place, 2)
    tap.has("make down", place.do(UP, "--down"), "The cluster is down. Its data stays in")
    same(place, "the machine is as before", before)
    place.do(UP)
    tap.eq("the next make up brings the same pods back", ready_pods(place, 2), pods)
    tap.ok("which run", wait_for(lambda: len(place.processes()) > len(pods), PATIENCE, 0.1), place.log())  # what the API says may still be from before
    os.kill(place.pid(), signal.SIGKILL)
    tap.ok("a killed server", wait_for(lambda: not os.path.exists(f"/proc/{place.pid()}") or open(f"/proc/{place.pid()}/stat").read().split()[2] == "Z", PATIENCE))
    tap.ok("leaves pods that run", place.processes())
    tap.has("make down ends them as well", place.do(UP, "--down"), "what it left behind is gone, too")
    same(place, "and the machine is as before again", before)
    place.do(UP)
    ready_pods(place, 2)
    tap.eq("another cluster's entries stay, ours are current", [place.do(place.cox, "config", "current-context").strip(), place.do(place.cox, "config", "get-contexts", "-o", "name").split()],
           ["cox-2", ["cox-2", "work"]])
    busy = place.run(place.cox, "uninstall", "--yes")
    tap.ok("uninstall refuses while it runs", busy.returncode and "end it first" in busy.stderr, busy)
    relative = place.run("sh", "-c", f"cd {place.dir} && ./cox uninstall --yes --data-dir data")
    tap.ok("by whatever name of the folder", relative.returncode and "end it first" in relative.stderr, relative)
    place.do(UP, "--down")
    asked = place.run("sh", "-c", f"echo y | {place.cox} uninstall")
    tap.ok("uninstall wants a whole yes", asked.returncode and "nothing was removed" in asked.stderr and os.path.exists(place.data), asked)
    place.do(place.cox, "uninstall", "--yes")
    tap.ok("uninstall takes the data as well", not os.path.exists(place.data), os.listdir(place.dir))
    same(place, "nothing is left of it", before)
    tap.has("make down without a cluster", place.do(UP, "--down"), "No cluster of this folder is running")
    with socket.create_server(("127.0.0.1", 0)) as other:
        place.env["COX_LISTEN"] = f"127.0.0.1:{other.getsockname()[1]}"
        done = place.run(UP)
    tap.ok("an address that is taken: what it said this time, and what to do", done.returncode and "Address already in use" in done.stderr and "COX_LISTEN=" in done.stderr and "stopped" not in done.stderr, done)
    del place.env["COX_LISTEN"]


def as_somebody(place):
    if place.run("test", "-x", UP).returncode:
        tap.skip("as an ordinary user", "who cannot read this folder")
        return
    before = place.machine()
    text = place.do(UP)
    tap.ok("it works without root and says what is missing", "The cluster is up after" in text and "It has no node" in text, text)
    place.do(place.cox, "create", "deployment", "hello", "--image=cox/web")
    place.do(place.cox, "create", "-f", "examples/giant.yaml")
    tap.ok("why pods wait", wait_for(lambda: "waits" in place.do(place.cox, "why", "pod/giant"), PATIENCE, 0.1))
    tap.has("make down", place.do(UP, "--down"), "The cluster is down")
    same(place, "an ordinary user leaves nothing, not even the folder of a kubeconfig", before)


def at(test, user=None):
    def run():
        place = Place(user)
        try:
            test(place)
        finally:
            place.remove()
    run.__name__ = test.__name__
    return run


if __name__ == "__main__":
    isolate()
    tap.run([at(up_and_down), at(as_somebody, NOBODY)])
    tap.done()
