#!/usr/bin/env python3
"""cox web, what the built-in image cox/web runs: pages, counts, health, keep-alive, a clean end."""
import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, tap  # noqa: E402


class Web:
    def __init__(self, **env):
        self.process = subprocess.Popen([COX, "web"], stdout=subprocess.PIPE, text=True, env={**os.environ, "PORT": "0", **env})
        self.first = self.process.stdout.readline()
        self.port = int(re.search(r"port (\d+)", self.first).group(1))

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def get(self, path, method="GET", headers=None, conn=None, body=None):
        conn = conn or self.connect()
        conn.request(method, path, body=body, headers=headers or {})
        r = conn.getresponse()
        return r.status, r.read().decode(), r.headers

    def end(self, signo=signal.SIGTERM):
        self.process.send_signal(signo)
        rest = self.process.stdout.read()
        return self.process.wait(120), rest


def test_pages():
    w = Web(HOSTNAME="web-1", COX_WEB_VERSION="v7")
    tap.eq("text", w.get("/")[:2], (200, "Hello from web-1, version v7, request 1\n"))
    status, body, headers = w.get("/", headers={"Accept": "text/html,*/*"})
    tap.ok("a page for browsers", status == 200 and "<h1>Hello from web-1</h1>" in body and "request 2" in body and headers["Content-Type"].startswith("text/html"), body)
    tap.eq("health", w.get("/healthz")[:2], (200, "ok\n"))
    tap.eq("elsewhere", w.get("/none")[0], 404)
    tap.eq("another method", w.get("/", method="POST", body="a=b")[0], 405)
    tap.eq("HEAD has no body", w.get("/", method="HEAD")[:2], (200, ""))
    conn = w.connect()
    tap.eq("several on one connection", [w.get("/", conn=conn)[1].split()[-1] for _ in range(3)], ["7", "8", "9"])
    conn.close()
    code, log = w.end()
    tap.eq("it ends cleanly", code, 0)
    lines = [l for l in log.splitlines() if " GET " in l or " POST " in l or " HEAD " in l]
    tap.ok("a line a request", len(lines) == 9 and re.match(r"\S+Z GET / 200 \d+$", lines[0]), log)


def test_bad_clients():
    w = Web()
    idle = [socket.create_connection(("127.0.0.1", w.port)) for _ in range(300)]  # more than it keeps
    with socket.create_connection(("127.0.0.1", w.port)) as s:
        s.sendall(b"nonsense\r\n\r\n")
        s.settimeout(120)
        tap.eq("nonsense ends the connection", s.recv(100), b"")
    with socket.create_connection(("127.0.0.1", w.port)) as s:
        s.settimeout(120)
        try:
            s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: " + b"a" * 20000)
            data = s.recv(100)
        except OSError:
            data = b""
        tap.eq("a head without an end, too", data, b"")
    tap.eq("it still answers", w.get("/healthz")[0], 200)
    for s in idle:
        s.close()
    tap.eq("SIGINT ends it as well", w.end(signal.SIGINT)[0], 0)
    taken = socket.create_server(("0.0.0.0", 0))
    done = subprocess.run([COX, "web"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PORT": str(taken.getsockname()[1])}, timeout=120)
    tap.ok("a port that is taken", done.returncode == 1 and "cannot listen on port" in done.stderr, done.stderr)
    taken.close()


tap.run([test_pages, test_bad_clients])
tap.done()
