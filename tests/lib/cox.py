"""What every test script needs: a server of its own, HTTP with its admin certificate, kubectl, and TAP output.

    from lib.cox import Server, tap
    with Server() as s:
        tap.eq("version", s.get("/version").json["major"], "1")
    tap.done()
"""
import base64
import fcntl
import http.client
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COX = os.environ.get("COX", str(ROOT / "build" / "cox"))
# Seconds until something counts as never.  No test waits that long when all is well, and none may be in a greater hurry: machines that run tests can be very slow.
PATIENCE = int(os.environ.get("COX_TEST_PATIENCE", "180"))


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, name, good, detail=""):
        self.count += 1
        if not good:
            self.failed += 1
            for line in str(detail).splitlines()[:40]:
                print("#  ", line)
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        return bool(good)

    def eq(self, name, have, want):
        return self.ok(name, have == want, f"have: {have!r}\nwant: {want!r}")

    def has(self, name, text, part):
        return self.ok(name, part in text, f"have: {text!r}\nwant a part: {part!r}")

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}", flush=True)

    def run(self, tests, *args):
        """Calls each test; one that raises counts as a failure and the next one goes on.  Words on the command line pick tests by name."""
        for test in tests:
            if len(sys.argv) > 1 and not any(word in test.__name__ for word in sys.argv[1:]):
                continue
            try:
                test(*args)
            except Exception:  # noqa: BLE001
                self.ok(test.__name__, False, traceback.format_exc())

    def done(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)


tap = Tap()


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def __repr__(self):
        return f"<{self.status} {self.text[:300]}>"


def server_knows(option, known={}):
    """Whether `cox server` has the option."""
    if option not in known:
        text = subprocess.run([COX, "server", "--help"], stdout=subprocess.PIPE, text=True).stdout
        known[option] = re.search(rf"--{option}\b(?!-)", text) is not None
    return known[option]


class Server:
    """A `cox server` on a free port with a data folder of its own; without scheduler and agent unless the test asks for them."""

    def __init__(self, args=(), env=None, data_dir=None, start=True, wrapper=(), scheduler=False, agent=False):
        self.dir = data_dir or tempfile.mkdtemp(prefix="cox-test-")
        self.own_dir = data_dir is None
        self.kubeconfig = os.path.join(self.dir, "kubeconfig")
        self.args, self.env, self.wrapper = list(args), dict(env or {}), list(wrapper)
        for option, wanted in (("scheduler", scheduler), ("agent", agent)):
            if not wanted and server_knows(option):
                self.args.insert(0, f"--{option}=false")
        self.process = None
        self.port = 0
        if start:
            self.start()

    def start(self, wait=True, timeout=PATIENCE):
        if os.path.exists(self.kubeconfig):
            os.unlink(self.kubeconfig)
        self.log_path = os.path.join(self.dir, "server.log")
        log = open(self.log_path, "ab")
        command = [*self.wrapper, COX, "server", "--data-dir", self.dir, "--listen", f"127.0.0.1:{self.port}", "--write-kubeconfig", self.kubeconfig, *self.args]
        self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **self.env})
        log.close()
        if wait:
            self.wait_ready(timeout)
        return self

    def wait_ready(self, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}:\n{self.log()[-3000:]}")
            if os.path.exists(self.kubeconfig):
                self._read_kubeconfig()
                try:
                    if self.request("GET", "/readyz").status == 200:
                        return
                except OSError:
                    pass
            time.sleep(0.01)
        raise RuntimeError(f"the server did not become ready:\n{self.log()[-3000:]}")

    def _read_kubeconfig(self):
        text = open(self.kubeconfig).read()  # a few fields of a file we wrote ourselves: no YAML library needed
        value = lambda key: re.search(key + r":\s*(\S+)", text).group(1)
        self.port = int(value("server").rsplit(":", 1)[1])
        parts = {"ca.pem": value("certificate-authority-data"), "admin.pem": value("client-certificate-data"), "admin.key": value("client-key-data")}
        for name, data in parts.items():
            with open(os.path.join(self.dir, name), "wb") as f:
                f.write(base64.b64decode(data))

    def path(self, name):
        return os.path.join(self.dir, name)

    def ssl_context(self, cert=True, ca=True):
        context = ssl.create_default_context(cafile=self.path("ca.pem")) if ca else ssl._create_unverified_context()
        if cert:
            context.load_cert_chain(self.path("admin.pem"), self.path("admin.key"))
        return context

    def connect(self, cert=True, timeout=PATIENCE):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.ssl_context(cert), timeout=timeout)

    def request(self, method, path, body=None, headers=None, cert=True, conn=None, timeout=PATIENCE):
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        own = conn is None
        conn = conn or self.connect(cert, timeout)
        conn.request(method, path, body=body, headers=headers)
        r = conn.getresponse()
        data = r.read()
        if own:
            conn.close()
        return Response(r.status, r.headers, data)

    def get(self, path, **kw):
        return self.request("GET", path, **kw)

    def post(self, path, body, **kw):
        return self.request("POST", path, body, **kw)

    def put(self, path, body, **kw):
        return self.request("PUT", path, body, **kw)

    def delete(self, path, body=None, **kw):
        return self.request("DELETE", path, body, **kw)

    def patch(self, path, body, kind="merge", **kw):
        types = {"merge": "application/merge-patch+json", "json": "application/json-patch+json", "strategic": "application/strategic-merge-patch+json",
                 "apply": "application/apply-patch+yaml"}
        headers = {"Content-Type": types[kind], **kw.pop("headers", {})}
        return self.request("PATCH", path, body if isinstance(body, (str, bytes)) else json.dumps(body), headers=headers, **kw)

    def kubectl(self, *args, binary="kubectl", stdin=None, timeout=PATIENCE, env=None):
        done = subprocess.run([binary, "--kubeconfig", self.kubeconfig, *args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout,
                              env={**os.environ, "HOME": self.dir, **(env or {})})
        return done

    def log(self):
        try:
            return open(self.log_path, errors="replace").read()
        except OSError:
            return ""

    def kill(self, signo=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signo)
        return self.process.wait(timeout=PATIENCE) if self.process else None

    def stop(self):
        return self.kill(signal.SIGTERM)

    def remove(self):
        """For a server that is not used in a with statement."""
        self.kill()
        if self.own_dir:
            shutil.rmtree(self.dir, ignore_errors=True)

    def rss(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024
        return 0

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        code = None
        try:
            if self.process and self.process.poll() is None:
                code = self.stop()
            elif self.process:
                code = self.process.returncode
        finally:
            if kind is None and code not in (0, -9, None):
                tap.ok("the server ends cleanly", False, f"exit {code}\n{self.log()[-3000:]}")
            if self.own_dir:
                shutil.rmtree(self.dir, ignore_errors=True)


class Controllers:
    """`cox controllers` for a server that has none."""

    def __init__(self, s, name, *options):
        self.path = os.path.join(s.dir, f"{name}.log")
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen([COX, "controllers", "--kubeconfig", s.kubeconfig, "--metrics-bind", "127.0.0.1:0", *options], stderr=log)

    def log(self):
        return open(self.path).read()

    def get(self, path):
        port = wait_for(lambda: re.search(r'metrics port="(\d+)"', self.log())).group(1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
            return answer.read().decode()

    def leads(self):
        return "cox_controllers_active 1" in self.get("/metrics")

    def end(self, hard=False):
        (self.process.kill if hard else self.process.terminate)()
        return self.process.wait(PATIENCE)


class Watch:
    """Reads a watch in a thread; events in order in .events."""

    def __init__(self, server, path, timeout=2 * PATIENCE):
        self.events, self.ended, self.error = [], False, None
        self.conn = server.connect(timeout=timeout)
        self.conn.request("GET", path)
        self.response = self.conn.getresponse()
        self.status = self.response.status
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            for line in self.response:
                if line.strip():
                    self.events.append(json.loads(line))
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as e:
            self.error = e
        self.ended = True

    def wait(self, condition, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if condition(self.events):
                return True
            if self.ended:
                return condition(self.events)
            time.sleep(0.005)
        return False

    def close(self):
        try:
            self.conn.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self.thread.join(5)


def wait_for(condition, timeout=PATIENCE, step=0.02):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(step)
    return condition()


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rests(pid, share=0.3, seconds=1):
    """Whether a process comes to rest: some time during which it uses less than its share of a core.  What it still had to do may take a while; one that spins never rests."""
    def look():
        before = cpu_seconds(pid)
        time.sleep(seconds)
        return cpu_seconds(pid) - before < share * seconds
    return wait_for(look)


def pod(name, ns="default", labels=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": ns, **({"labels": labels} if labels else {})},
            "spec": {"containers": [{"name": "c", "image": "img:1"}], **spec}}


def configmap(name, ns="default", data=None):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": ns}, "data": data or {}}


def on_terminal(command, columns, **env):
    """What a command writes on a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdout=theirs, env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **env})
    os.close(theirs)
    said = b""
    try:
        while more := os.read(ours, 65536):
            said += more
    except OSError:  # as Linux says that nobody has the other end any more
        pass
    process.wait()
    os.close(ours)
    return said.decode().replace("\r\n", "\n")
