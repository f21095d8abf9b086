#!/usr/bin/env python3
"""exec, attach, debug and port-forward into containers of containerd, with the kubectls of this machine (SPDY and websocket), cox itself and the Python client: a daemon of the test's own."""
import hashlib
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "clients"), str(HERE)]
import kubectls  # noqa: E402
from lib.cox import COX, tap, wait_for  # noqa: E402
from lib.images import build_busybox, busybox_path, file, folder, layer, symlink  # noqa: E402
from lib.node import PATIENCE, Cluster, isolate, pod  # noqa: E402
from test_streams import Program, program_attach, program_exec, program_forward, program_terminal, python_client  # noqa: E402

IMAGE = "docker.io/test/cri:1"
NEEDED = ("/usr/bin/containerd", "/usr/bin/ctr", "/usr/sbin/runc", "/usr/lib/cni/ptp")
CONFIG = """version = 2
root = "{dir}/root"
state = "{dir}/state"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[grpc]
address = "{dir}/s"
[plugins."io.containerd.internal.v1.opt"]
path = "{dir}/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{image}"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "{dir}/cni"
"""
CNI = '{"cniVersion":"0.4.0","name":"test","plugins":[{"type":"ptp","ipMasq":false,"ipam":{"type":"host-local","dataDir":"%s/ipam","ranges":[[{"subnet":"10.213.78.0/24"}]]}}]}'


class Containerd:
    """In the script's own namespaces; what it keeps in places that no setting moves is on file systems of its own, which go with them."""

    def __init__(self):
        for place in ("/run", "/var/lib"):
            subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
        self.dir = f"/run/containerd-{os.getpid()}"
        os.makedirs(self.dir + "/cni")
        self.socket = self.dir + "/s"
        pathlib.Path(self.dir, "config.toml").write_text(CONFIG.format(dir=self.dir, image=IMAGE))
        pathlib.Path(self.dir, "cni", "10-test.conflist").write_text(CNI % self.dir)
        self.log_path = self.dir + "/log"

    def __enter__(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(["/usr/bin/containerd", "-c", self.dir + "/config.toml"], stdout=log, stderr=log)
        archive = self.dir + "/image.tar"
        build_busybox(archive, IMAGE, cmd=["/bin/sleep", "1000000"],
                      extra_layers=[layer([symlink("bin/stty", "busybox"), symlink("bin/tty", "busybox"), folder("www"), file("www/healthz", "ok")])])
        imports = lambda: subprocess.run(["/usr/bin/ctr", "-a", self.socket, "-n", "k8s.io", "images", "import", archive], capture_output=True).returncode == 0
        if not wait_for(imports, PATIENCE, 0.2):
            raise RuntimeError(f"containerd takes no image:\n{self.log()}")
        return self

    def log(self):
        return open(self.log_path, errors="replace").read()[-3000:]

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)
        wait_for(lambda: not [os.kill(p, signal.SIGKILL) for p in self.left()], PATIENCE, 0.1)

    def left(self):
        """Its shims have its folder on their command line."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and int(entry) != os.getpid() and self.dir.encode() in open(f"/proc/{entry}/cmdline", "rb").read():
                    found.append(int(entry))
            except OSError:
                pass
        return found


def while_it_runs(p):
    """Output comes when it is written, not at the end."""
    run = p.start("exec", "talk", "--", "sh", "-c", "echo early; exec sleep 100000")
    tap.eq(f"{p.name}: output of a command that goes on", run.stdout.readline(), b"early\n")
    run.kill()
    run.communicate()


def much_output(p):
    done = p.run("exec", "talk", "--", "sh", "-c", "head -c 5000000 /dev/zero | tr '\\0' y | tee /tmp/much; sha256sum < /tmp/much >&2")
    tap.eq(f"{p.name}: megabytes of output, to the last byte", hashlib.sha256(done.stdout).hexdigest(), done.stderr.split()[0].decode())


def gone(p):
    """A client that is killed in the middle: the command finds its input ended."""
    mark = "/tmp/gone-" + os.urandom(4).hex()
    run = p.start("exec", "-i", "talk", "--", "sh", "-c", f"echo begun; cat > /dev/null; touch {mark}")
    tap.eq(f"{p.name}: a command waits for input", run.stdout.readline(), b"begun\n")
    run.kill()
    run.communicate()
    tap.ok(f"{p.name}: and its input ends when its client goes away", wait_for(lambda: p.run("exec", "talk", "--", "test", "-e", mark).returncode == 0, PATIENCE, 0.2))


def container_ends(p):
    """exec and attach end with the container."""
    name = "short-" + os.urandom(3).hex()
    p.c.create(pod(name, "until [ -e /tmp/end ]; do sleep 0.1; done; echo the end; exit 3", image=IMAGE, restartPolicy="Never"))
    p.c.wait_running(name)
    attached, inside = p.start("attach", name), p.start("exec", "-i", name, "--", "sh", "-c", "echo here; cat")
    tap.eq(f"{p.name}: a command inside", inside.stdout.readline(), b"here\n")
    p.run("exec", name, "--", "touch", "/tmp/end")
    try:
        attached.communicate(timeout=PATIENCE)
        inside.communicate(timeout=PATIENCE)
        tap.ok(f"{p.name}: the container's end is the end of attach and exec", inside.returncode != 0, inside.returncode)
    except subprocess.TimeoutExpired:
        tap.ok(f"{p.name}: the container's end is the end of attach and exec", False, p.c.describe())
    for run in (attached, inside):
        run.kill()
    p.c.delete(p.c.url("Pod", name))


def run_and_debug(p):
    name = "run-" + os.urandom(3).hex()
    done = p.run("run", name, f"--image={IMAGE}", "--restart=Never", "--rm", "-i", "-q", "--command", "--", "sh", "-c", "while read x; do echo got $x; done; exit 4", stdin=b"word\n")
    tap.ok(f"{p.name}: run -i", done.returncode == 4 and b"got word" in done.stdout, done)
    if p.path == COX:
        return
    # Input is held open until the answer has come: where stdinOnce is not set, containerd drops an attached client whose input has ended.
    talk = p.start("debug", "-i", "talk", f"--image={IMAGE}", "-c", "d" + os.urandom(3).hex(), "--", "sh", "-c", "read x; echo got $x; read x")
    talk.stdin.write(b"word\n")
    talk.stdin.flush()
    tap.eq(f"{p.name}: debug -i", talk.stdout.readline(), b"got word\n")
    talk.communicate(b"enough\n", timeout=PATIENCE)


def main():
    isolate()
    if not all(os.access(path, os.X_OK) for path in NEEDED) or not busybox_path():
        tap.skip("containers of containerd", "needs containerd, ctr, runc, CNI's ptp and busybox-static")
        tap.done()
    with Containerd() as d, Cluster(["--runtime", "cri", "--runtime-config", d.socket]) as c:
        c.wait_node()
        c.create(pod("talk", "exec sleep 100000", image=IMAGE))
        c.create(pod("shell", "while read x; do echo got $x; done", image=IMAGE, container={"stdin": True}))
        c.create(pod("web", "exec httpd -f -p 127.0.0.1:8080 -h /www", image=IMAGE))  # only a socket inside the pod's network reaches it
        for name in ("talk", "shell", "web"):
            c.wait_running(name)
        found = kubectls.find()
        chosen = {path: f"kubectl {version}" for path, version in (found[:1] + found[len(found) // 2:len(found) // 2 + 1] + found[-1:])}
        for path, name in [*chosen.items(), (COX, "cox")]:
            tap.run([program_exec, program_terminal, program_attach, program_forward, while_it_runs, much_output, gone, container_ends], Program(c, path, name))
        tap.run([python_client], c)
        for path, name in [*list(chosen.items())[-1:], (COX, "cox")]:
            tap.run([run_and_debug], Program(c, path, name))
        for p in c.pods():
            c.delete(c.url("Pod", p["metadata"]["name"]) + "?gracePeriodSeconds=1")
        c.wait(lambda: not c.pods(), "every pod gone")
    tap.done()


if __name__ == "__main__":
    main()
