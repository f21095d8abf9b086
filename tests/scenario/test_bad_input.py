#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Malformed and hostile input at every door: bodies, queries, paths, HTTP/1.1, HTTP/2.

The answer is always the right Status (4xx, never 5xx), or that one connection closes; a load with its checker runs beside the HTTP attacks and must not notice.
COX_SEED repeats the random part."""
import copy
import json
import os
import pathlib
import random
import socket
import struct
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib import raw  # noqa: E402
from lib.cox import PATIENCE, ROOT, Server, configmap, pod, tap, wait_for  # noqa: E402
from lib.raw import H2, frame  # noqa: E402
from scenario.checker import Load  # noqa: E402

SEED = int(os.environ.get("COX_SEED", str(random.SystemRandom().randrange(1 << 32))))
NS = "/api/v1/namespaces/default"
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
JSON, YAML, PROTOBUF = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def seeds(*folders):
    """(name, bytes) of each seed.  Some fuzzers take a first byte or line that chooses something: the bytes behind it are what a client would send."""
    for folder in folders:
        for path in sorted((CORPUS / folder).iterdir()):
            data = path.read_bytes()
            if folder == "codec":
                data = data[1:]
            if folder in ("validate", "patch"):
                head, *rest = data.split(b"\n")
                for i, body in enumerate(rest):
                    yield f"{folder}/{path.name}:{i} {head[:20].decode('latin1')}", body
            else:
                yield f"{folder}/{path.name}", data


def collections(server):
    """Kind in lower case -> path of its collection, for what can be created in the namespace default or without one."""
    groups = [f"/apis/{v['groupVersion']}" for g in server.get("/apis").json["groups"] for v in g["versions"]] + ["/api/v1"]
    found = {}
    for group in groups:
        for r in server.get(group).json["resources"]:
            if "create" in r["verbs"] and "/" not in r["name"]:
                found[r["kind"].lower()] = group + ("/namespaces/default/" if r["namespaced"] else "/") + r["name"]
    return found


def own_collection(name, kinds):
    """Where a seed belongs, by its name: codec/deployment_3.json, validate/meta:0 Pod."""
    for word in name.lower().replace("/", " ").replace("_", " ").replace(".", " ").replace(":", " ").split()[::-1]:
        if word in kinds:
            return [kinds[word]]
    return []


class Prober:
    """Sends requests over a kept connection and collects every answer that is not what it should be."""

    def __init__(self, server):
        self.server, self.conn, self.count, self.wrong, self.codes = server, server.connect(), 0, [], {}

    def send(self, what, method, path, body=None, content_type=None, want=None, headers=None):
        self.count += 1
        headers = {**(headers or {}), **({"Content-Type": content_type} if content_type else {})}
        try:
            r = self.server.request(method, path, body, headers, conn=self.conn)
        except Exception as e:  # noqa: BLE001
            self.wrong.append(f"{what}: {method} {path[:200]} {content_type}: no answer, {e!r}")
            self.conn.close()
            self.conn = self.server.connect()
            return None
        self.codes[r.status] = self.codes.get(r.status, 0) + 1
        complaint = self.judge(r, want)
        if complaint:
            self.wrong.append(f"{what}: {method} {path[:200]} {content_type}: {complaint}: {r}")
        return r

    @staticmethod
    def judge(r, want):
        if r.status >= 500:
            return "a server error"
        if want and r.status not in (want if isinstance(want, tuple) else (want,)):
            return f"wanted {want}"
        if r.status < 400 or not r.headers["Content-Type"].startswith(JSON):
            return None if r.status < 400 or r.status == 404 else "not JSON"
        try:
            body = r.json
        except ValueError as e:
            return f"not JSON: {e}"
        good = body.get("kind") == "Status" and body.get("apiVersion") == "v1" and body.get("status") == "Failure" and body.get("code") == r.status \
            and body.get("message") and body.get("reason")
        return None if good else "not a whole Status"

    def report(self, name):
        self.conn.close()
        tap.ok(f"{name}: {self.count} requests, each with the right answer (COX_SEED={SEED})", not self.wrong, "\n".join(self.wrong[:15]) + f"\n{len(self.wrong)} in all")
        print("#", name, dict(sorted(self.codes.items())), flush=True)
        tap.eq(f"{name}: the server is alive", (self.server.process.poll(), self.server.get("/readyz").status), (None, 200))


# --- bodies -------------------------------------------------------------------------------------------------------------------


def corpora_as_bodies(server):
    p = Prober(server)
    posts = [NS + "/configmaps", NS + "/pods", DEPLOYMENTS, CRDS, "/api/v1/namespaces", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
             NS + "/serviceaccounts/default/token", NS + "/pods/target/eviction", NS + "/pods/target/binding"]
    folders = ("json", "yaml", "codec", "pb_decode", "protobuf_wire", "patch", "crd", "validate")
    kinds = collections(server)
    tap.ok("discovery names the kinds", len(kinds) > 30 and "deployment" in kinds, kinds)
    server.post(NS + "/configmaps", configmap("target", data={"a": "b"}))
    for name, body in seeds(*folders):
        for content_type in (JSON, YAML, PROTOBUF):
            for path in own_collection(name, kinds) + (posts if content_type != PROTOBUF or name.startswith(("pb", "proto", "codec")) else posts[:2]):
                p.send(name, "POST", path, body, content_type)
            p.send(name, "PUT", NS + "/configmaps/target", body, content_type)
            p.send(name, "DELETE", NS + "/configmaps/absent", body, content_type)
    p.report("corpora as bodies")


def corpora_as_patches(server):
    p = Prober(server)
    server.post(NS + "/configmaps", configmap("target", data={"a": "b"}))
    server.post(NS + "/pods", pod("target"))
    types = {"application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml"}
    for name, body in seeds("patch", "json", "yaml", "codec"):
        for content_type in sorted(types):
            force = "?fieldManager=m&force=true" if "apply" in content_type else ""
            for path in (NS + "/configmaps/target", NS + "/pods/target", NS + "/pods/target/status"):
                p.send(name, "PATCH", path + force, body, content_type)
    p.report("corpora as patches")


def mutate(rng, value):
    """One random change somewhere in a JSON value."""
    odd = [None, True, -1, 0, 1 << 63, -(1 << 63) - 1, 1e308, 0.5, "", "x" * 5000, "\u0000", "\ud83d\ude00", "../..", [], {}, [[]], {"a": None}, [None], "0x10", "1Gi", "-5m",
           "2020-99-99T00:00:00Z"]
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value))
        turn = rng.random()
        if turn < 0.1:
            value[rng.choice(["zz", "", "a" * 300, "é", "metadata", "kind", "$patch", "items"])] = rng.choice(odd)
        elif turn < 0.2:
            del value[key]
        else:
            value[key] = mutate(rng, value[key])
        return value
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        if rng.random() < 0.2:
            value.append(copy.deepcopy(value[at]))
        else:
            value[at] = mutate(rng, value[at])
        return value
    return rng.choice(odd)


def mutated_objects(server):
    rng = random.Random(SEED)
    p = Prober(server)
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod("x")["spec"]}
    subjects = [{"kind": "ServiceAccount", "name": "default", "namespace": "default"}, {"kind": "User", "name": "u", "apiGroup": "rbac.authorization.k8s.io"}]
    column = {"group": "ex.io", "scope": "Namespaced", "names": {"plural": "ws", "singular": "w", "kind": "W", "listKind": "WList"},
              "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                  "spec": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "default": 3}, "s": {"type": "string", "pattern": "^a+$"}}}}}}}]}
    objects = {
        NS + "/pods": pod("m", labels={"a": "b"}, volumes=[{"name": "v", "emptyDir": {}}], tolerations=[{"key": "k", "operator": "Exists"}]),
        DEPLOYMENTS: {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "m", "annotations": {"k": "v"}},
                      "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%"}}}},
        NS + "/services": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "m"},
                           "spec": {"selector": {"a": "b"}, "ports": [{"port": 80, "targetPort": "http", "protocol": "TCP"}], "type": "NodePort"}},
        "/apis/batch/v1/namespaces/default/cronjobs": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "m"}, "spec": {
            "schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": {"spec": {**pod("x")["spec"], "restartPolicy": "Never"}}}}}},
        "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings": {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "m"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}, "subjects": subjects},
        CRDS: {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "ws.ex.io"}, "spec": column},
        NS + "/resourcequotas": {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "m"}, "spec": {"hard": {"pods": "1000", "requests.cpu": "9999"}}},
        "/api/v1/nodes": {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "m"}, "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]},
                          "status": {"capacity": {"cpu": "4", "memory": "8Gi"}, "conditions": [{"type": "Ready", "status": "True"}]}},
    }
    for path, obj in objects.items():
        for _ in range(150):
            body = copy.deepcopy(obj)
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                body = mutate(rng, body)
            text = json.dumps(body)
            p.send(text[:600], "POST", path + rng.choice(("", "?dryRun=All", "?fieldValidation=Strict")), text, JSON)
            if rng.random() < 0.3:
                p.send(text[:600], "PATCH", path + "/m", text, rng.choice(("application/merge-patch+json", "application/strategic-merge-patch+json")))
            if rng.random() < 0.2:
                p.send(text[:600], "PATCH", path + "/m?fieldManager=f&force=true", text, "application/apply-patch+yaml")
    p.report("mutated objects")


def cut_and_flipped(server):
    """Every beginning of a small object, and flipped bytes, in the three formats."""
    rng = random.Random(SEED)
    p = Prober(server)
    text = json.dumps(configmap("cut", data={"k": "v\u00e9"}), ensure_ascii=False).encode()
    for i in range(len(text)):
        p.send(f"cut at {i}", "POST", NS + "/configmaps", text[:i], JSON, want=400)
    binary = dict(seeds("codec"))["codec/pod_0.pb"]
    for i in range(0, min(len(binary), 400)):
        p.send(f"protobuf cut at {i}", "POST", NS + "/pods", binary[:i], PROTOBUF)
    for _ in range(400):
        what, body = rng.choice(((JSON, text), (YAML, text), (PROTOBUF, binary)))
        body = bytearray(body)
        for _ in range(rng.randrange(1, 4)):
            body[rng.randrange(len(body))] = rng.randrange(256)
        p.send("flipped", "POST", NS + ("/pods" if what == PROTOBUF else "/configmaps"), bytes(body), what)
    p.report("cut and flipped bodies")


def deep_and_large(server):
    p = Prober(server)
    for n in (200, 10000, 400000):
        for name, body in {"arrays": b"[" * n, "closed arrays": b"[" * n + b"]" * n, "objects": b'{"a":' * n, "yaml flow": b"{a: " * n}.items():
            for content_type in (JSON, YAML):
                p.send(f"{n} {name}", "POST", NS + "/configmaps", body, content_type, want=400)
        p.send(f"{n} patches", "PATCH", NS + "/configmaps/target", b'{"data":' * n, "application/merge-patch+json", want=(400, 404, 413))
    bomb = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(b"%c: &%c [%s]\n" % (98 + i, 98 + i, b",".join([b"*%c" % (97 + i)] * 9)) for i in range(9))
    p.send("YAML bomb", "POST", NS + "/configmaps", bomb, YAML, want=400)
    ops = json.dumps([{"op": "add", "path": "/data/x", "value": "y"}] * 20000)
    p.send("20,000 JSON patch operations", "PATCH", NS + "/configmaps/target", ops, "application/json-patch+json", want=(400, 413, 422))
    p.send("a value over 1 MiB", "POST", NS + "/configmaps", json.dumps(configmap("large", data={"k": "x" * 1100000})), JSON, want=(413, 422))
    p.send("an object over 1.5 MiB", "POST", "/api/v1/namespaces", json.dumps(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "large", "annotations": {"k": "x" * 1700000}}}), JSON, want=(413, 422))
    p.send("100,000 labels", "POST", NS + "/configmaps", json.dumps({**configmap("labels"), "metadata": {"name": "labels", "labels": {f"k{i}": "v" for i in range(100000)}}}),
           JSON, want=(201, 413, 422))
    p.send("a body over 3 MiB", "POST", NS + "/configmaps", b" " * (3 << 20) + b"{}", JSON, want=413)
    p.conn.close()
    p.conn = server.connect()
    # as chunks, without a length given ahead
    answer = raw.talk(server, b"POST " + NS.encode() + b"/configmaps HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                      + (b"10000\r\n" + b" " * 65536 + b"\r\n") * 60)
    tap.eq("chunks over 3 MiB give 413", raw.status_of(answer), 413)
    tap.ok("... with a Status", b'"reason":"RequestEntityTooLarge"' in answer.replace(b'": "', b'":"'), answer[-300:])
    with H2(server) as conn:
        data, stream = conn.request("POST", NS + "/configmaps", b" " * (4 << 20), [("content-type", JSON)])
        raw.send(conn.sock, data)
        conn.wait(lambda: stream in conn.ended or stream in conn.reset)
        tap.ok("the same over HTTP/2", stream in conn.bodies and conn.json(stream)["code"] == 413, (conn.bodies, conn.reset))
    p.report("deep and large bodies")


# --- queries, paths, headers ------------------------------------------------------------------------------------------------------


def queries_and_paths(server):
    p = Prober(server)
    quote = urllib.parse.quote
    for name, seed in seeds("selector", "jsonpath", "quantity", "json"):
        value = quote(seed[:3000])
        for query in ("labelSelector=", "fieldSelector=", "limit=", "continue=", "resourceVersion=", "timeoutSeconds=", "resourceVersionMatch="):
            p.send(name, "GET", f"{NS}/configmaps?{query}{value}")
        p.send(name, "GET", f"{NS}/configmaps/{quote(seed[:200], safe='')}")
        p.send(name, "DELETE", f"{NS}/configmaps/absent?propagationPolicy={value}&gracePeriodSeconds={value}")
    bad = {"limit=-1": (200, 400), "limit=a": 400, "limit=99999999999999999999": 400, "resourceVersion=abc": (400, 422), "resourceVersion=-1": (400, 422), "resourceVersion=1&resourceVersionMatch=Other": (400, 422),
           "resourceVersionMatch=Exact": (400, 422), "continue=garbage": 400, "continue=e30": 400, "labelSelector=a%20b%20c": 400, "fieldSelector=nope=1": 400,
           "fieldSelector=a": 400, "watch=1&resourceVersion=abc": (400, 422), "watch=1&fieldSelector=nope=1": 400,
           "watch=1&sendInitialEvents=true": (400, 422), "watch=1&resourceVersion=1&timeoutSeconds=1": (200,)}
    for query, want in bad.items():
        p.send(query, "GET", f"{NS}/configmaps?{query}", want=want)
    paths = {"/api/v1/nope": 404, "/api/v2/pods": 404, "/apis/nope/v1/x": 404, "/apis": 200, "/apis/": (200, 404), "/api/v1/namespaces/default/configmaps/a/b/c": 404, "//api/v1": (404, 200, 301),
             "/api/v1/../v1/pods": (404, 200, 400), "/%2e%2e/%2e%2e/etc/passwd": 404, "/api/v1/namespaces/%00/pods": (400, 404, 200), "/api/v1/namespaces/default/configmaps/%zz": (400, 404),
             "/api/v1/namespaces/default/configmaps/" + "n" * 3000: (404, 400), "/static/../pki/ca.key": 404, "/api/v1/namespaces/default/configmaps/..": (404, 200, 400)}
    for path, want in paths.items():
        p.send("path", "GET", path, want=want)
    for method in ("PUT", "PATCH", "POST"):
        p.send("method", method, NS + ("/configmaps" if method != "POST" else "/configmaps/x"), b"{}", JSON if method != "PATCH" else "application/merge-patch+json", want=405)
    for method in ("BREW", "TRACE", "LOCK", "get"):
        p.send("method", method, NS + "/configmaps", want=(400, 403, 405, 501))
    p.send("no content type", "POST", NS + "/configmaps", b"{}", want=(400, 415, 422))
    p.send("content type", "POST", NS + "/configmaps", b"<a/>", "text/xml", want=415)
    p.send("content type", "POST", NS + "/configmaps", b"{}", ";;;/" * 100, want=(400, 415))
    p.send("patch type", "PATCH", NS + "/configmaps/target", b"{}", JSON, want=415)
    p.send("accept", "GET", NS + "/configmaps", headers={"Accept": "text/html"}, want=406)
    p.send("accept", "GET", NS + "/configmaps", headers={"Accept": "application/json;as=Table;v=v9;g=x,*/*;q=7"}, want=(200, 406))
    p.send("encoding", "POST", NS + "/configmaps", b"\x1f\x8b\x08\0garbage", JSON, headers={"Content-Encoding": "gzip"}, want=(400, 415))
    p.send("range", "GET", NS + "/configmaps", headers={"Range": "bytes=0-1,5-", "If-None-Match": "*", "Expect": "nothing"}, want=(200, 304, 417))
    p.report("queries, paths and headers")


# --- HTTP/1.1 ------------------------------------------------------------------------------------------------------------------


def http1_attacks(server):
    head = b"POST " + NS.encode() + b"/configmaps HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
    cases = {
        "a chunk size that is no number": (chunked + b"zz\r\n{}\r\n0\r\n\r\n", 400),
        "a chunk size that wraps": (chunked + b"ffffffffffffffff1\r\n", (400, 413)),
        "a huge chunk": (chunked + b"7fffffffffffffff\r\n", (400, 413)),
        "a chunk without its end": (chunked + b"2\r\n{}XX0\r\n\r\n", 400),
        "an endless chunk extension": (chunked + b"2;" + b"a" * 100000, (400, 431)),
        "endless trailers": (chunked + b"0\r\n" + b"A: b\r\n" * 20000, (400, 431)),
        "two lengths": (head + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
        "a negative length": (head + b"Content-Length: -2\r\n\r\n{}", 400),
        "a length that wraps": (head + b"Content-Length: 99999999999999999999\r\n\r\n{}", (400, 413)),
        "length and chunks": (head + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        "an unknown coding": (head + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", (400, 501)),
        "one header of 1 MB": (b"GET / HTTP/1.1\r\nHost: h\r\nA: " + b"a" * (1 << 20), 431),
        "100,000 headers": (b"GET / HTTP/1.1\r\nHost: h\r\n" + b"A: b\r\n" * 100000, 431),
        "an endless URL": (b"GET /" + b"a" * 100000, (414, 431)),
        "an endless method": (b"G" * 100000, (400, 431, 414, 501)),
        "binary garbage": (bytes(range(256)) * 100, 400),
        "the HTTP/2 preface": (raw.PREFACE, (400, 505)),
    }
    for name, (data, want) in cases.items():
        answer = raw.talk(server, data)
        got = raw.status_of(answer)
        tap.ok(f"{name}: {got}", got in (want if isinstance(want, tuple) else (want,)), answer[:300])
        tap.ok(f"{name}: a Status, and the connection closes", b'"Status"' in answer and b"onnection: close" in answer, answer[:600])
    for name, seed in seeds("http1"):
        with raw.dial(server, timeout=1) as sock:
            raw.send(sock, seed)
            try:
                sock.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            raw.read_all(sock)
    tap.eq("the HTTP/1.1 corpus: the server is alive", server.get("/readyz").status, 200)
    half_requests(server)


def half_requests(server):
    """Clients that go away at every point of a request."""
    request = b"POST " + NS.encode() + b"/configmaps HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 300\r\n\r\n" + b"{" * 150
    for at in range(1, len(request), 17):
        with raw.dial(server) as sock:
            raw.send(sock, request[:at])
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    tap.eq("requests cut off anywhere: the server is alive", server.get("/readyz").status, 200)


class SlowLoris:
    """Many connections that never finish their head; a byte now and then.  Begun early, looked at late."""

    def __init__(self, server, count=60):
        self.socks = [raw.dial(server, timeout=0.2) for _ in range(count)]
        for sock in self.socks:
            sock.sendall(b"GET /version HTTP/1.1\r\nHost: h\r\nX: ")

    def check(self, server):
        answers = {}

        def all_closed():
            for i, sock in enumerate(self.socks):
                if i in answers:
                    continue
                try:
                    sock.settimeout(0.01)
                    sock.sendall(b"y")
                    answers[i] = sock.recv(100)
                except (TimeoutError, socket.timeout):
                    pass
                except OSError as e:
                    answers[i] = repr(e).encode()
            return len(answers) == len(self.socks)
        closed = wait_for(all_closed, PATIENCE, 0.5)
        tap.ok("slow heads are closed by time", closed, f"{len(answers)} of {len(self.socks)}")
        told = sum(a.startswith(b"HTTP/1.1 408") for a in answers.values())
        tap.ok("... and told why", told > len(self.socks) // 2, list(answers.values())[:3])
        for sock in self.socks:
            sock.close()


# --- HTTP/2 ---------------------------------------------------------------------------------------------------------------------


def h2_ends(server, name, data, hello=True):
    """The attacked connection ends, with GOAWAY or without."""
    with H2(server, hello=hello) as conn:
        raw.send(conn.sock, data)
        ended = conn.wait(lambda: conn.goaway is not None or conn.closed)
        tap.ok(f"{name}: that connection ends", ended, f"GOAWAY {conn.goaway} closed {conn.closed} answers {len(conn.ended)}")


def http2_attacks(server):
    get = raw.hpack([(":method", "GET"), (":scheme", "https"), (":authority", "h"), (":path", NS + "/configmaps")])
    heads = lambda i: frame(raw.HEADERS, raw.END_HEADERS | raw.END_STREAM, i, get)  # noqa: E731
    cancel = struct.pack(">I", 8)
    h2_ends(server, "rapid reset", b"".join(heads(i) + frame(raw.RST_STREAM, 0, i, cancel) for i in range(1, 10001, 2)))
    h2_ends(server, "SETTINGS flood", frame(raw.SETTINGS, 0, 0, struct.pack(">HI", 4, 65536)) * 20000)
    h2_ends(server, "PING flood", frame(raw.PING, 0, 0, b"12345678") * 20000)
    h2_ends(server, "empty DATA flood", frame(raw.HEADERS, raw.END_HEADERS, 1, raw.hpack([(":method", "POST"), (":scheme", "https"), (":authority", "h"), (":path", "/")]))
            + frame(raw.DATA, 0, 1) * 20000)
    h2_ends(server, "CONTINUATION flood", frame(raw.HEADERS, raw.END_STREAM, 1, get) + frame(raw.CONTINUATION, 0, 1, raw.hpack([("a", "b" * 1000)])) * 3000)
    h2_ends(server, "a bad preface", b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n" + b"x" * 100, hello=False)
    h2_ends(server, "HTTP/1.1 on a connection that agreed on h2", b"GET / HTTP/1.1\r\nHost: h\r\n\r\n" + b"x" * 100, hello=False)
    h2_ends(server, "a frame of 16 MB", b"\xff\xff\xff\0\0\0\0\0\1" + b"x" * 100000)
    h2_ends(server, "broken HPACK", frame(raw.HEADERS, 5, 1, b"\xff\xff\xff\xff\xff\xff\xff"))
    h2_ends(server, "DATA on stream 0", frame(raw.DATA, 0, 0, b"x"))
    h2_ends(server, "WINDOW_UPDATE of 0", frame(raw.WINDOW_UPDATE, 0, 0, b"\0\0\0\0"))
    with H2(server) as conn:
        big, stream = conn.request("GET", NS + "/configmaps", headers=[(f"x-{i}", "v" * 8000) for i in range(2)])
        raw.send(conn.sock, big)
        data, after = conn.request("GET", "/version")
        raw.send(conn.sock, data)
        tap.ok("a large head, within limits, is served", conn.wait(lambda: {stream, after} <= conn.ended), (conn.goaway, conn.reset))
    with H2(server) as conn:
        block = raw.hpack([(":method", "GET"), (":scheme", "https"), (":authority", "h"), (":path", "/version")] + [(f"x-{i}", "v" * 8000) for i in range(12)])
        parts = [block[i:i + 16000] for i in range(0, len(block), 16000)]
        raw.send(conn.sock, frame(raw.HEADERS, raw.END_STREAM, 1, parts[0]) + b"".join(
            frame(raw.CONTINUATION, raw.END_HEADERS if i == len(parts) - 2 else 0, 1, part) for i, part in enumerate(parts[1:])))
        told = conn.wait(lambda: 1 in conn.ended or 1 in conn.reset or conn.goaway is not None or conn.closed)
        tap.ok("a head of 96 KB is refused", told and b"gitVersion" not in conn.bodies.get(1, b""), conn.bodies)
        if 1 in conn.ended and conn.bodies.get(1):
            tap.eq("... with 431", conn.json(1)["code"], 431)
    for name, seed in seeds("http2"):
        with H2(server, hello=False) as conn:
            raw.send(conn.sock, seed if seed.startswith(b"PRI") else raw.PREFACE + seed)
            conn.pump(0.1)
    tap.eq("the HTTP/2 corpus: the server is alive", server.get("/readyz").status, 200)


def connections(server):
    """The HTTP attacks, beside a load that must not notice."""
    loris = SlowLoris(server)
    load = Load(server, SEED, writers=2, followers=1)
    load.start()
    http1_attacks(server)
    http2_attacks(server)
    loris.check(server)
    load.pause()
    bad = load.audit()
    tap.ok(f"others did not notice (COX_SEED={SEED})", not bad and not load.history.totals["unknown"] and load.followers[0].resumed == 1,
           "\n".join(bad[:20]) + load.summary())
    tap.ok("no other answer than usual", set(load.answers) <= {200, 201, 404, 409}, load.summary())
    load.stop()


if __name__ == "__main__":
    print(f"# COX_SEED={SEED}", flush=True)
    with Server() as s:
        started = time.monotonic()
        for t in (corpora_as_bodies, corpora_as_patches, mutated_objects, cut_and_flipped, deep_and_large, queries_and_paths, connections):
            tap.run([t], s)
            print(f"# {t.__name__}: {time.monotonic() - started:.1f} s so far, {s.rss() >> 20} MB", flush=True)
        tap.ok("no complaint of the server's own in its log", not any(w in s.log() for w in ("BUG", "Sanitizer", "runtime error")), s.log()[-3000:])
    tap.done()
