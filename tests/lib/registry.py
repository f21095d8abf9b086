"""A registry of images for tests, with the faults that real ones have.

    with Registry() as r:                          plain HTTP on a free port
        r.add("team/web", "1", image)              an Image of lib.images
        ... cox image pull 127.0.0.1:PORT/team/web:1 --insecure-registry 127.0.0.1:PORT
    Registry(tls=folder)                           HTTPS with a CA of its own: folder/ca.crt
    Registry(auth="basic" | "token", users={"u": "p"})
    r.redirect = other Registry                    blobs come from there, as from a blob store
    r.faults[digest or tag] = "truncate" | "garble" | 503
    r.requests                                     (path, headers in lower case) of all that came
"""
import base64
import http.server
import json
import os
import ssl
import subprocess
import threading

from lib.images import digest

INDEX = "application/vnd.oci.image.index.v1+json"


def make_certificates(folder, host="127.0.0.1"):
    """ca.crt, and server.crt with server.key signed by it."""
    run = lambda *args: subprocess.run(["openssl", *args], check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=test registry CA")
    run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=registry")
    with open(os.path.join(folder, "ext"), "w") as f:
        f.write(f"subjectAltName=IP:{host}\n")
    run("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-out", "server.crt", "-days", "2", "-extfile", "ext")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", headers=(), length=None):
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        if length is not None:
            self.close_connection = True

    def refuse(self, status, code, message, headers=()):
        self.reply(status, json.dumps({"errors": [{"code": code, "message": message}]}).encode(), {"Content-Type": "application/json", **dict(headers)})

    def user_of_basic(self, header):
        name, _, password = base64.b64decode(header[6:]).decode().partition(":")
        return name if self.server.registry.users.get(name) == password else None

    def is_allowed(self):
        r, header = self.server.registry, self.headers.get("Authorization", "")
        if r.auth == "basic":
            if header.startswith("Basic ") and self.user_of_basic(header):
                return True
            self.refuse(401, "UNAUTHORIZED", "authentication required", {"WWW-Authenticate": 'Basic realm="test"'})
            return False
        if r.auth == "token":
            if header == "Bearer " + r.token:
                return True
            repo = self.path[4:].rsplit("/", 2)[0]
            self.refuse(401, "UNAUTHORIZED", "authentication required", {"WWW-Authenticate": f'Bearer realm="{r.url}/token",service="test service",scope="repository:{repo}:pull"'})
            return False
        return True

    def give_token(self):
        r, header = self.server.registry, self.headers.get("Authorization", "")
        if r.users and not (header.startswith("Basic ") and self.user_of_basic(header)):
            return self.refuse(401, "UNAUTHORIZED", "wrong user or password")
        if "service=test%20service" not in self.path or "scope=repository%3A" not in self.path:
            return self.refuse(400, "BAD", "no scope or service")
        return self.reply(200, json.dumps({"token": r.token}).encode(), {"Content-Type": "application/json"})

    def give(self, key, data, content_type):
        fault = self.server.registry.faults.get(key)
        if isinstance(fault, int):
            return self.refuse(fault, "FAULT", "a fault of the test")
        if fault == "garble":
            data = data[:-1] + bytes([data[-1] ^ 1])
        if fault == "truncate":
            return self.reply(200, data[:len(data) // 2], {"Content-Type": content_type}, length=len(data))
        return self.reply(200, data, {"Content-Type": content_type})

    def do_GET(self):
        r = self.server.registry
        r.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        if self.path.startswith("/token"):
            return self.give_token()
        path = self.path.partition("?")[0]
        if r.prefix and path.startswith(r.prefix):
            path = path[len(r.prefix):]
        parts = path.split("/")
        if path.startswith("/store/"):
            return self.give(parts[2], r.blobs[parts[2]], "application/octet-stream")
        if len(parts) < 5 or parts[1] != "v2":
            return self.refuse(404, "NOT_FOUND", "no such page")
        if not self.is_allowed():
            return None
        repo, kind, key = "/".join(parts[2:-2]), parts[-2], parts[-1]
        if kind == "manifests":
            data, media = r.manifests.get((repo, key), (None, None))
            return self.give(key, data, media) if data else self.refuse(404, "MANIFEST_UNKNOWN", "manifest unknown")
        if key not in r.blobs:
            return self.refuse(404, "BLOB_UNKNOWN", "blob unknown")
        if r.redirect:
            return self.reply(307, b"", {"Location": f"{r.redirect.url}/store/{key}?signature=x"})
        return self.give(key, r.blobs[key], "application/octet-stream")


class Registry:
    def __init__(self, tls=None, auth=None, users=None, prefix=""):
        self.auth, self.users, self.prefix, self.token = auth, users or {}, prefix, "secret-token"
        self.manifests, self.blobs, self.faults, self.requests, self.redirect = {}, {}, {}, [], None
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.registry = self
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(os.path.join(tls, "server.crt"), os.path.join(tls, "server.key"))
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.url = ("https://" if tls else "http://") + self.host
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def add(self, repo, tag, image):
        for key in (tag, image.digest):
            self.manifests[(repo, key)] = (image.manifest, image.manifest_type)
        self.blobs.update(image.blobs())

    def add_index(self, repo, tag, entries):
        """entries: [(os, architecture, image)]; returns the index's digest."""
        manifests = []
        for os_name, arch, image in entries:
            self.add(repo, "unused-" + image.digest[7:19], image)
            manifests.append({**image.describe(image.manifest, image.manifest_type), "platform": {"os": os_name, "architecture": arch}})
        text = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}).encode()
        for key in (tag, digest(text)):
            self.manifests[(repo, key)] = (text, INDEX)
        return digest(text)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
