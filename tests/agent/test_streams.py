#!/usr/bin/env python3
"""Logs, exec, attach, cp, port-forward and proxies on real pods: with curl-like requests, the kubectls of this machine (SPDY and websocket), cox itself and the Python client."""
import hashlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "clients")]
import kubectls  # noqa: E402
from lib.cox import COX, tap, wait_for  # noqa: E402
from lib.node import PATIENCE, Cluster, isolate, pod  # noqa: E402

PIPED = 3 << 20  # bytes through an exec, each way
LONG = "x" * 40000 + "\n"  # a line of several parts


def status_of(response):
    body = response.json
    return response.status, body.get("reason"), body.get("message")


# --- logs over plain HTTP ---------------------------------------------------------------------------------------------------

def logs(c):
    log = lambda query="", name="talk": c.get(f"/api/v1/namespaces/default/pods/{name}/log{query}")
    tap.ok("all of it, long lines whole", log().text == "out 1\nout 2\n" + LONG, log().text[:100])
    tap.ok("the newest line", log("?tailLines=1").text == LONG, log("?tailLines=1").text[:100])
    tap.eq("the first bytes", log("?limitBytes=3").text, "out")
    tap.eq("both streams", sorted(log("", "both").text.split()), ["err", "out"])
    tap.eq("one stream of two", log("?stream=Stderr", "both").text, "err\n")
    tap.ok("times", all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ", line) for line in log("?timestamps=true").text.splitlines()), log("?timestamps=true").text[:300])
    tap.eq("nothing since a time to come", log("?sinceTime=2100-01-01T00:00:00Z").text, "")
    tap.ok("something since an hour ago", log("?sinceSeconds=3600&tailLines=1").text == LONG)
    tap.eq("type of the answer", log().headers["content-type"], "text/plain")
    tap.eq("several containers and none named", status_of(log(name="two")),
           (400, "BadRequest", "a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [first]"))
    tap.eq("an init container", log("?container=first", "two").text, "at first\n")
    tap.eq("a container that does not exist", status_of(log("?container=zz")), (400, "BadRequest", "container zz is not valid for pod talk"))
    tap.eq("a pod that does not exist", status_of(log(name="nobody"))[:2], (404, "NotFound"))
    tap.eq("no run before this one", status_of(log("?previous=true")), (400, "BadRequest", 'previous terminated container "c" in pod "talk" not found'))
    tap.eq("a bad option", log("?tailLines=-1").status, 422)
    tap.eq("the run before", c.wait(lambda: log("?previous=true", "again").text == "run\n" and "yes", "logs of the run before"), "yes")


def follow(c):
    c.create(pod("ticks", "for i in 1 2 3; do echo tick $i; sleep 0.3; done; echo bye", restartPolicy="Never"))
    c.wait(lambda: c.read("ticks")["status"].get("containerStatuses", [{}])[0].get("containerID"), "ticks has run")
    text = c.get("/api/v1/namespaces/default/pods/ticks/log?follow=true", timeout=PATIENCE).text
    tap.eq("following ends with the container", text, "tick 1\ntick 2\ntick 3\nbye\n")


# --- programs ------------------------------------------------------------------------------------------------------------------

class Program:
    """kubectl or cox, with the cluster's kubeconfig."""

    def __init__(self, c, path, name):
        self.c, self.path, self.name = c, path, name
        self.env = {**os.environ, "HOME": c.dir, "KUBECONFIG": c.kubeconfig}

    def run(self, *args, stdin=b"", timeout=PATIENCE):
        return subprocess.run([self.path, *args], input=stdin, capture_output=True, timeout=timeout, env=self.env, cwd=self.c.dir)

    def start(self, *args, **kw):
        return subprocess.Popen([self.path, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env, **kw)


def program_exec(p):
    done = p.run("exec", "talk", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    tap.eq(f"{p.name}: exit code and streams", (done.returncode, done.stdout, done.stderr), (3, b"out\n", b"err\ncommand terminated with exit code 3\n"))
    data = os.urandom(PIPED)
    done = p.run("exec", "-i", "talk", "--", "sha256sum", stdin=data)
    tap.eq(f"{p.name}: input arrives and ends", (done.returncode, done.stdout.split()[:1]), (0, [hashlib.sha256(data).hexdigest().encode()]))
    done = p.run("exec", "-i", "talk", "--", "cat", stdin=data)
    tap.ok(f"{p.name}: both ways at once", done.stdout == data, f"{len(done.stdout)} bytes, exit {done.returncode}, {done.stderr[:300]}")
    done = p.run("exec", "talk", "--", "no-such-program")
    tap.ok(f"{p.name}: a program that is not there", done.returncode == 1 and b"no-such-program" in done.stderr, done)
    done = p.run("exec", "nobody", "--", "true")
    tap.ok(f"{p.name}: a pod that is not there", done.returncode == 1 and b'pods "nobody" not found' in done.stderr, done)


def program_terminal(p):
    command = f"stty cols 91 rows 33; {p.path} exec -it talk -- sh -c 'test -t 0 || exit 6; i=0; until [ \"$(stty size)\" = \"33 91\" ] || [ $i = 900 ]; do i=$((i + 1)); sleep 0.1; done; stty size; exit 5'"  # the size comes when it comes
    done = subprocess.run(["script", "-qec", command, "/dev/null"], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, env={**p.env, "TERM": "xterm", "SHELL": "/bin/sh"})
    tap.ok(f"{p.name}: a terminal of our size", b"33 91" in done.stdout and done.returncode == 5, done)


def program_logs(p):
    done = p.run("logs", "talk", "--tail=1")
    tap.ok(f"{p.name}: logs --tail", done.stdout.decode() == LONG, (done.stdout[:100], done.stderr))
    done = p.run("logs", "again", "-p")
    tap.eq(f"{p.name}: logs -p", done.stdout, b"run\n")
    done = p.run("logs", "two", "--all-containers", "--since=1h")
    tap.eq(f"{p.name}: logs --all-containers", sorted(done.stdout.split(b"\n")), sorted([b"at first", b"from a", b"from b", b""]))
    done = p.run("logs", "two", "b")
    tap.eq(f"{p.name}: logs POD CONTAINER", (done.stdout, done.stderr), (b"from b\n", b""))
    done = p.run("logs", "-l", "app=nobody")
    said = b"" if " v1.20." in p.name else b"No resources found in default namespace.\n"   # 1.20 says nothing of it
    tap.eq(f"{p.name}: logs of no pod at all", (done.returncode, done.stdout, done.stderr), (0, b"", said))
    done = p.run("logs", "two", "-c", "nope")
    tap.ok(f"{p.name}: logs of a container that is not there", done.returncode == 1 and b"container nope is not valid for pod two" in done.stderr, done)
    following = p.start("logs", "-f", "clock")
    first = following.stdout.readline()
    second = following.stdout.readline()
    following.kill()
    following.communicate()
    tap.ok(f"{p.name}: logs -f", first and second and first != second, (first, second))


def program_attach(p):
    run = p.start("attach", "-i", "shell")
    word = os.urandom(4).hex().encode()
    run.stdin.write(word + b"\n")
    run.stdin.flush()
    line = b""
    while word not in line:
        line = run.stdout.readline()
        if not line:
            break
    run.kill()
    _, err = run.communicate()
    tap.eq(f"{p.name}: attach", line, b"got " + word + b"\n") or print("#", err)
    state = p.c.read("shell")["status"]["containerStatuses"][0]
    tap.ok(f"{p.name}: and the process goes on without it", "running" in state["state"] and state["restartCount"] == 0, state)


def program_cp(p):
    there = f"/tmp/cp-{os.urandom(4).hex()}"
    src = pathlib.Path(p.c.dir) / f"src{os.urandom(3).hex()}"
    (src / "sub").mkdir(parents=True)
    (src / "a").write_bytes(b"one")
    (src / "sub" / ("n" * 130)).write_bytes(os.urandom(700001))
    p.run("exec", "talk", "--", "mkdir", there)
    done = p.run("cp", src.name, f"talk:{there}")
    tap.eq(f"{p.name}: cp of a folder to a pod", (done.returncode, done.stderr), (0, b""))
    back = pathlib.Path(p.c.dir) / f"back{os.urandom(3).hex()}"
    done = p.run("cp", f"talk:{there}/{src.name}", back.name)
    files = lambda top: {str(f.relative_to(top)): f.read_bytes() for f in top.rglob("*") if f.is_file()}
    tap.ok(f"{p.name}: and back, the same bytes", files(src) == files(back), (done, list(files(back))))
    p.run("cp", f"{src.name}/a", f"talk:{there}/other")
    tap.eq(f"{p.name}: cp of a file under another name", p.run("exec", "talk", "--", "cat", f"{there}/other").stdout, b"one")
    done = p.run("cp", f"{src.name}/a", "talk:/no/such/folder/a")
    tap.ok(f"{p.name}: cp ends as tar does", done.returncode == 2 and b"command terminated with exit code 2" in done.stderr, done)
    p.run("exec", "talk", "--", "rm", "-r", there)


def through(port, data):
    """What comes back when data is sent and one direction is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as s:
        def send():
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
        sender = threading.Thread(target=send)
        sender.start()
        got = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            got += piece
        sender.join()
        return got


def program_forward(p):
    run = p.start("port-forward", "pod/web", ":8080")
    try:
        line = run.stdout.readline().decode()
        found = re.search(r"127\.0\.0\.1:(\d+) -> 8080", line)
        if not tap.ok(f"{p.name}: port-forward says where", found, line or run.stderr.read()):
            return
        answers, port = [], int(found.group(1))
        threads = [threading.Thread(target=lambda: answers.append(through(port, b"GET /healthz HTTP/1.0\r\n\r\n"))) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        tap.ok(f"{p.name}: eight connections through it", [a.endswith(b"ok") or b"\r\n\r\nok" in a for a in answers] == [True] * 8, answers)
    finally:
        run.kill()
        run.communicate()


def gone_client(c):
    p = Program(c, COX, "cox")
    mark = "1000" + str(int.from_bytes(os.urandom(3), "big"))
    run = p.start("exec", "talk", "--", "sleep", mark)
    here = lambda: mark in p.run("exec", "talk", "--", "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").stdout.decode()
    tap.ok("a command runs", wait_for(here, PATIENCE, 0.2))
    run.send_signal(signal.SIGKILL)
    run.communicate()
    tap.ok("and ends when its client goes away", wait_for(lambda: not here(), PATIENCE, 0.2))


# --- proxies -----------------------------------------------------------------------------------------------------------------------

def proxies(c):
    c.wait(lambda: c.get("/api/v1/namespaces/default/pods/web:8080/proxy/healthz").status == 200, "a web server that listens")
    pod_proxy = c.get("/api/v1/namespaces/default/pods/web:8080/proxy/healthz")
    tap.eq("pods/proxy", (pod_proxy.status, pod_proxy.text.strip()), (200, "ok"))
    tap.eq("pods/proxy with a scheme, no path", c.get("/api/v1/namespaces/default/pods/http:web:8080/proxy").status, 200)
    tap.eq("a port nobody listens on", c.get("/api/v1/namespaces/default/pods/web:1/proxy/").status, 503)
    tap.eq("nodes/proxy", c.get(f"/api/v1/nodes/{c.node}/proxy/healthz").text, "ok")
    tap.ok("pods of the node", any(i["metadata"]["name"] == "web" for i in c.get(f"/api/v1/nodes/{c.node}/proxy/pods").json["items"]))
    tap.ok("its usage", "node" in c.get(f"/api/v1/nodes/{c.node}/proxy/stats/summary").json)
    tap.eq("exec without an upgrade", c.get("/api/v1/namespaces/default/pods/talk/exec?command=ls&stdout=true").status, 400)
    c.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": 8080}]}})
    answer = lambda: (lambda r: r.status == 200 and r.text.strip())(c.get("/api/v1/namespaces/default/services/web:http/proxy/healthz"))
    tap.eq("services/proxy", c.wait(answer, "the service answers"), "ok")
    tap.eq("a service without such a port", c.get("/api/v1/namespaces/default/services/web:none/proxy/").status, 503)


PYTHON = r"""
import sys
from kubernetes import client, config
from kubernetes.stream import stream, portforward
config.load_kube_config(sys.argv[1])
v1 = client.CoreV1Api()
print(stream(v1.connect_get_namespaced_pod_exec, "talk", "default", command=["sh", "-c", "echo from python"], stderr=True, stdin=False, stdout=True, tty=False).strip())
s = stream(v1.connect_get_namespaced_pod_exec, "talk", "default", command=["sh", "-c", "read x; echo got $x; exit 4"], stderr=True, stdin=True, stdout=True, tty=False, _preload_content=False)
s.write_stdin("word\n")
s.run_forever(timeout=120)
print(s.read_stdout().strip(), s.returncode)
pf = portforward(v1.connect_get_namespaced_pod_portforward, "web", "default", ports="8080")
sock = pf.socket(8080)
sock.setblocking(True)
sock.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
text = b""
while True:
    piece = sock.recv(4096)
    if not piece:
        break
    text += piece
print(text.decode().split()[-1])
"""


def python_client(c):
    if subprocess.run(["/usr/bin/python3", "-c", "import kubernetes, websocket"], stderr=subprocess.DEVNULL).returncode:
        tap.skip("the Python client", "python3-kubernetes is not installed")
        return
    done = subprocess.run(["/usr/bin/python3", "-c", PYTHON, c.kubeconfig], capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, "HOME": c.dir})
    tap.eq("the Python client: exec, exit code, port-forward", done.stdout.split("\n"), ["from python", "got word 4", "ok", ""]) or print("#", done.stderr[-2000:].replace("\n", "\n# "))


def short_commands(c):
    """What a command prints before anybody is attached is not lost; an object that was made a moment ago has pods soon."""
    p = Program(c, COX, "cox")
    for i in range(5):
        done = p.run("run", f"short-{i}", "--image=cox/host", "--restart=Never", "--rm", "-i", "--quiet", "--command", "--", "sh", "-c", "echo all; exit 6")
        if (done.returncode, done.stdout) != (6, b"all\n"):
            break
    tap.eq("cox: run -i of a short command", (done.returncode, done.stdout), (6, b"all\n"))
    done = p.run("exec", "-t", "talk", "--", "echo", "hi")
    tap.eq("cox: exec -t without -i is no terminal, and says nothing", (done.returncode, done.stdout, done.stderr), (0, b"hi\n", b""))
    p.run("create", "deployment", "late", "--image=cox/web", "--replicas=0")
    reading = p.start("logs", "-f", "deploy/late", "--pod-running-timeout=100s")
    p.run("scale", "deploy/late", "--replicas=1")
    line = reading.stdout.readline()
    reading.kill()
    _, err = reading.communicate()
    tap.ok("cox: logs wait for the first pod", b"listening" in line or b"ContainerCreating" in err or b"waiting to start" in err, (line, err))
    p.run("rollout", "status", "deploy/late")
    done = p.run("port-forward", "deploy/late", ":http")
    tap.ok("cox: a port by a name that no container has", done.returncode == 1 and b"does not have a named port 'http'" in done.stderr, done)


def main():
    isolate()
    with Cluster() as c:
        c.wait_node()
        c.create(pod("talk", "echo out 1; echo out 2; head -c 40000 /dev/zero | tr '\\0' x; echo; exec sleep 100000"))
        c.create(pod("both", "echo out; echo err >&2; exec sleep 100000"))
        c.create(pod("clock", "while true; do date +%s%N; sleep 0.2; done"))
        c.create(pod("shell", "while read x; do echo got $x; done", container={"stdin": True}))
        c.create(pod("again", "test -e /cache/x && exec sleep 100000; touch /cache/x; echo run; exit 1", container={"volumeMounts": [{"name": "cache", "mountPath": "/cache"}]},
                     volumes=[{"name": "cache", "emptyDir": {}}]))
        c.create(pod("web", image="cox/web", labels={"app": "web"}))
        two = pod("two")
        two["spec"]["containers"] = [{"name": n, "image": "cox/host", "command": ["sh", "-c", f"echo from {n}; exec sleep 100000"]} for n in "ab"]
        two["spec"]["initContainers"] = [{"name": "first", "image": "cox/host", "command": ["sh", "-c", "echo at first"]}]
        c.create(two)
        for name in ("talk", "both", "clock", "shell", "web", "two", "again"):
            c.wait_running(name)
        c.wait(lambda: c.logs("talk").count("\n") == 3 and c.logs("both").count("\n") == 2 and all(c.logs("two", f"?container={n}") == f"from {n}\n" for n in "ab"), "they have talked")
        tap.run([logs, follow, proxies, gone_client, python_client, short_commands], c)
        found = kubectls.find()
        chosen = {path: f"kubectl {version}" for path, version in (found[:1] + found[-1:] if found else [])}
        for path, name in [*chosen.items(), (COX, "cox")]:
            tap.run([program_exec, program_terminal, program_logs, program_attach, program_cp, program_forward], Program(c, path, name))
    tap.done()


if __name__ == "__main__":
    main()
