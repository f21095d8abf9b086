#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who is let in, as whom, and what they may do: certificates, tokens, RBAC, impersonation, files and sockets."""
import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Server, configmap, tap, wait_for  # noqa: E402

NS = "/api/v1/namespaces/default"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
WHOAMI = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def openssl(*args, data=None):
    done = subprocess.run(["openssl", *args], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    if done.returncode:
        raise RuntimeError(f"openssl {' '.join(args)}: {done.stderr.decode()}")
    return done.stdout


class Maker:
    """Makes keys and certificates in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def key(self, name):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.path(name + ".key"))

    def authority(self, name):
        self.key(name)
        openssl("req", "-x509", "-new", "-key", self.path(name + ".key"), "-subj", "/CN=cox-ca", "-days", "10", "-out", self.path(name + ".crt"))
        return self.path(name + ".crt"), self.path(name + ".key")

    def client(self, name, subject, ca, usage="clientAuth", start=None, end=None):
        """A certificate from a CA (certificate, key); with start and end through `openssl ca`, which takes dates."""
        self.key(name)
        extensions = self.path(name + ".ext")
        pathlib.Path(extensions).write_text(f"[x]\nbasicConstraints=CA:FALSE\nextendedKeyUsage={usage}\n")
        openssl("req", "-new", "-key", self.path(name + ".key"), "-subj", subject, "-out", self.path(name + ".csr"))
        if start:
            config = self.path(name + ".cnf")
            pathlib.Path(config).write_text(f"[ca]\ndefault_ca=d\n[d]\ndatabase={self.path(name + '.db')}\nrand_serial=yes\nnew_certs_dir={self.folder}\ndefault_md=sha256\n"
                                            "policy=p\nunique_subject=no\n[p]\ncommonName=supplied\norganizationName=optional\n")
            pathlib.Path(self.path(name + ".db")).write_text("")
            openssl("ca", "-batch", "-config", config, "-in", self.path(name + ".csr"), "-cert", ca[0], "-keyfile", ca[1], "-startdate", start, "-enddate", end, "-extfile", extensions,
                    "-extensions", "x", "-notext", "-out", self.path(name + ".crt"))
        else:
            openssl("x509", "-req", "-in", self.path(name + ".csr"), "-CA", ca[0], "-CAkey", ca[1], "-CAserial", self.path("serial"), "-CAcreateserial", "-days", "5", "-extfile", extensions, "-extensions", "x",
                    "-out", self.path(name + ".crt"))
        return self.path(name + ".crt"), self.path(name + ".key")


def with_certificate(server, cert, method="GET", path=WHOAMI, body=None, headers=None):
    """Status of a request with a client certificate, "refused" when TLS itself said no."""
    context = ssl.create_default_context(cafile=server.path("ca.pem"))
    context.load_cert_chain(*cert)
    conn = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=PATIENCE)
    try:
        conn.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json", **(headers or {})})
        r = conn.getresponse()
        return r.status, r.read().decode()
    except (OSError, http.client.HTTPException) as e:
        return "refused", repr(e)
    finally:
        conn.close()


def whoami_with(server, cert):
    status, text = with_certificate(server, cert, "POST", WHOAMI, {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
    return status, json.loads(text)["status"]["userInfo"] if status == 201 else text


def certificates(server, maker, ca):
    status, user = whoami_with(server, maker.client("alice", "/O=dev/O=ops/CN=alice", ca))
    tap.eq("a certificate of the cluster's CA is a user", (status, user["username"] if status == 201 else user), (201, "alice"))
    tap.eq("... with its groups", sorted(user.get("groups", [])), ["dev", "ops", "system:authenticated"])
    other = maker.authority("other")
    own = maker.authority("own")
    now = time.time()
    stamp = lambda days: time.strftime("%y%m%d%H%M%SZ", time.gmtime(now + days * 86400))  # noqa: E731
    wrong = {
        "a certificate of another CA": maker.client("stranger", "/O=system:masters/CN=kubernetes-admin", other),
        "a self-signed certificate": own,
        "an expired certificate": maker.client("late", "/O=system:masters/CN=admin", ca, start=stamp(-10), end=stamp(-1)),
        "a certificate that is not valid yet": maker.client("early", "/O=system:masters/CN=admin", ca, start=stamp(1), end=stamp(10)),
        "a certificate for servers only": maker.client("usage", "/O=system:masters/CN=admin", ca, usage="serverAuth"),
    }
    for name, cert in wrong.items():
        status, text = with_certificate(server, cert, "GET", NS + "/secrets")
        tap.ok(f"{name} is refused", status in ("refused", 401), f"{status} {text}")
        tap.eq(f"{name}: others go on", server.get(NS).status, 200)
    context = ssl.create_default_context(cafile=other[0])
    try:
        http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=PATIENCE).request("GET", "/version")
        tap.ok("a client that trusts another CA does not take us for its server", False)
    except ssl.SSLCertVerificationError:
        tap.ok("a client that trusts another CA does not take us for its server", True)
    warnings.simplefilter("ignore", DeprecationWarning)
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        context = ssl._create_unverified_context()
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
        with socket.create_connection(("127.0.0.1", server.port), 20) as sock:
            try:
                context.wrap_socket(sock, server_hostname="127.0.0.1")
                tap.ok(f"{version.name} is refused", False)
            except OSError:
                tap.ok(f"{version.name} is refused", True)


# --- tokens ----------------------------------------------------------------------------------------------------------------------


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def es256(key, text):
    """openssl writes the signature as DER; a token wants the two numbers alone."""
    der = openssl("dgst", "-sha256", "-sign", key, data=text.encode())
    numbers, at = [], 2 if der[1] < 128 else 3
    for _ in range(2):
        length = der[at + 1]
        numbers.append(int.from_bytes(der[at + 2:at + 2 + length], "big").to_bytes(32, "big"))
        at += 2 + length
    return b64(b"".join(numbers))


def token_for(server, name, ns="default", **spec):
    r = server.post(f"/api/v1/namespaces/{ns}/serviceaccounts/{name}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
    assert r.status == 201, r
    return r.json["status"]["token"]


def with_token(server, token):
    return server.post(WHOAMI, {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}, headers={"Authorization": "Bearer " + token}, cert=False)


def refused(server, name, token):
    r = with_token(server, token)
    tap.ok(f"{name}: 401 Unauthorized", (r.status, r.json.get("reason"), r.json.get("message")) == (401, "Unauthorized", "Unauthorized"), r)


def tokens(server, maker, ca):
    server.post(NS + "/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}})
    good = token_for(server, "robot")
    r = with_token(server, good)
    tap.eq("a service account's token", (r.status, r.json.get("status", {}).get("userInfo", {}).get("username")), (201, "system:serviceaccount:default:robot"))
    head, body, signature = good.split(".")
    header, claims = json.loads(unb64(head)), json.loads(unb64(body))
    sa_key = os.path.join(server.dir, "pki", "sa.key")
    maker.key("foreign")

    def signed(key=sa_key, new_header=None, **changes):
        text = b64(json.dumps({**header, **(new_header or {})}).encode()) + "." + b64(json.dumps({**claims, **changes}).encode())
        return text + "." + es256(key, text)
    tap.eq("a token signed with the right key is accepted (the forgeries below differ in one thing)", with_token(server, signed()).status, 201)
    now = int(time.time())
    bad = {
        "an expired token": signed(exp=now - 120, iat=now - 1000, nbf=now - 1000),  # beyond the minute of leeway that Kubernetes gives, too
        "a token from the future": signed(nbf=now + 3600),
        "a token of another issuer": signed(iss="https://elsewhere"),
        "a token for another audience": signed(aud=["elsewhere"]),
        "a token of another key": signed(key=maker.path("foreign.key")),
        "a token of another service account's uid": signed(**{"kubernetes.io": {**claims["kubernetes.io"], "serviceaccount": {"name": "robot", "uid": "00000000-0000-0000-0000-000000000000"}}}),
        "a token of a service account that never was": signed(sub="system:serviceaccount:default:ghost", **{"kubernetes.io": {
            "namespace": "default", "serviceaccount": {"name": "ghost", "uid": claims["kubernetes.io"]["serviceaccount"]["uid"]}}}),
        "a token without expiry": signed(exp=None),
        "changed claims": f"{head}.{b64(json.dumps({**claims, 'sub': 'system:admin'}).encode())}.{signature}",
        "a cut signature": good[:-4],
        "no signature": f"{head}.{body}.",
        "algorithm none": b64(b'{"alg":"none"}') + "." + body + ".",
        "garbage": "garbage",
        "dots": "...",
        "bad base64": "!!!.###.$$$",
        "no JSON": b64(b"x") + "." + b64(b"y") + "." + b64(b"z"),
        "a long token": "a" * 20000,
        "an empty token": "",
    }
    confused = b64(b'{"alg":"HS256","typ":"JWT"}') + "." + body
    public = openssl("ec", "-in", sa_key, "-pubout")
    bad["the public key as an HMAC secret"] = confused + "." + b64(hmac.new(public, confused.encode(), hashlib.sha256).digest())
    for name, token in bad.items():
        if token == "":
            r = with_token(server, token)
            tap.ok("an empty token: nobody", r.status in (401, 403), r)
        else:
            refused(server, name, token)
    for header_value in ("Basic YTpi", "Bearer", "Digest x", "bearer " + good[:-2]):
        r = server.get(NS + "/pods", headers={"Authorization": header_value}, cert=False)
        tap.ok(f"Authorization: {header_value[:12]}", r.status in (401, 403), r)
    deleted_accounts(server, good)
    tap.ok("no token is in the log", good not in server.log() and signature not in server.log())


def deleted_accounts(server, good):
    pod_token(server)
    server.delete(NS + "/serviceaccounts/robot")
    tap.ok("the token of a deleted service account: 401", wait_for(lambda: with_token(server, good).status == 401), with_token(server, good))
    server.post(NS + "/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}})
    refused(server, "the old token when there is a new account of that name", good)
    tap.eq("the new account's token", with_token(server, token_for(server, "robot")).status, 201)


def pod_token(server):
    r = server.post(NS + "/pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "holder"},
                                   "spec": {"serviceAccountName": "robot", "containers": [{"name": "c", "image": "i"}]}})
    token = token_for(server, "robot", boundObjectRef={"kind": "Pod", "apiVersion": "v1", "name": "holder", "uid": r.json["metadata"]["uid"]})
    tap.eq("a token bound to a pod", with_token(server, token).status, 201)
    server.delete(NS + "/pods/holder?gracePeriodSeconds=0")
    tap.ok("... ends with the pod", wait_for(lambda: with_token(server, token).status == 401), with_token(server, token))


def static_tokens(*_):
    with tempfile.TemporaryDirectory(prefix="cox-test-") as folder:
        path = os.path.join(folder, "tokens.csv")
        pathlib.Path(path).write_text('secret-1,carol,uid-1,"dev,ops"\nsecret-2,dave,uid-2\n')
        with Server(args=["--token-file", path]) as server:
            r = with_token(server, "secret-1")
            user = r.json.get("status", {}).get("userInfo", {})
            tap.eq("a token of the token file", (r.status, user.get("username"), sorted(user.get("groups", []))), (201, "carol", ["dev", "ops", "system:authenticated"]))
            tap.eq("... another", with_token(server, "secret-2").json["status"]["userInfo"]["username"], "dave")
            for token in ("secret-3", "secret-", "secret-11", "SECRET-1"):
                refused(server, f"{token}, which is not in it", token)


# --- RBAC -----------------------------------------------------------------------------------------------------------------------------


def as_user(user, *groups):
    return {"Impersonate-User": user, **({"Impersonate-Group": groups[0]} if groups else {})}


def denied(server, name, method, path, message, body=None, headers=None):
    r = server.request(method, path, body, headers or as_user("bob"))
    tap.eq(name, (r.status, r.json.get("reason"), r.json.get("message")), (403, "Forbidden", message))


def rbac(server, maker, ca):
    where = 'in the namespace "default"'
    denied(server, "list in a namespace", "GET", NS + "/pods", f'pods is forbidden: User "bob" cannot list resource "pods" in API group "" {where}')
    denied(server, "list in the cluster", "GET", "/api/v1/pods", 'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope')
    denied(server, "get a name", "GET", NS + "/secrets/s", f'secrets "s" is forbidden: User "bob" cannot get resource "secrets" in API group "" {where}')
    denied(server, "watch", "GET", NS + "/pods?watch=1", f'pods is forbidden: User "bob" cannot watch resource "pods" in API group "" {where}')
    denied(server, "create", "POST", NS + "/configmaps", f'configmaps is forbidden: User "bob" cannot create resource "configmaps" in API group "" {where}', configmap("x"))
    denied(server, "delete a collection", "DELETE", NS + "/pods", f'pods is forbidden: User "bob" cannot deletecollection resource "pods" in API group "" {where}')
    denied(server, "a subresource of a group", "GET", "/apis/apps/v1/namespaces/default/deployments/d/scale",
           f'deployments.apps "d" is forbidden: User "bob" cannot get resource "deployments/scale" in API group "apps" {where}')
    denied(server, "a path", "GET", "/metrics", 'forbidden: User "bob" cannot get path "/metrics"')
    denied(server, "what does not exist is not told apart", "GET", "/api/v1/namespaces/nowhere/secrets/s",
           'secrets "s" is forbidden: User "bob" cannot get resource "secrets" in API group "" in the namespace "nowhere"')
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "reader"}, "rules": [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"], "resourceNames": ["mine"]},
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ["create", "update"]}]}
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "reader"},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}, "subjects": [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}]}
    base = f"{RBAC}/namespaces/default"
    server.post(NS + "/configmaps", configmap("mine"))
    server.post(base + "/roles", role)
    server.post(base + "/rolebindings", binding)
    tap.eq("with a role: allowed at once", server.get(NS + "/configmaps/mine", headers=as_user("bob")).status, 200)
    tap.eq("... another name is not", server.get(NS + "/configmaps/other", headers=as_user("bob")).status, 403)
    tap.eq("... nor another namespace", server.get("/api/v1/namespaces/kube-system/configmaps/mine", headers=as_user("bob")).status, 403)
    tap.eq("... nor another user", server.get(NS + "/configmaps/mine", headers=as_user("bobby")).status, 403)
    escalate = {**role, "metadata": {"name": "more"}, "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}
    r = server.post(base + "/roles", escalate, headers=as_user("bob"))
    tap.ok("granting what one does not have is refused", r.status == 403 and 'user "bob" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held' in
           r.json["message"] and '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}' in r.json["message"], r)
    grab = {**binding, "metadata": {"name": "grab"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}}
    r = server.post(base + "/rolebindings", grab, headers=as_user("bob"))
    tap.ok("... also through a binding", r.status == 403 and "attempting to grant RBAC permissions not currently held" in r.json["message"], r)
    server.delete(base + "/rolebindings/reader")
    tap.eq("without the binding: denied at once", server.get(NS + "/configmaps/mine", headers=as_user("bob")).status, 403)


def anonymous(server, *_):
    for path in ("/version", "/version/", "/healthz", "/livez", "/readyz"):
        tap.eq(f"anyone may read {path}", server.get(path, cert=False).status, 200)
    for path in ("/", "/api", "/apis", "/api/v1", NS + "/pods", "/metrics", "/openapi/v2", "/openapi/v3", "/openid/v1/jwks", "/healthz/ping", "/nothing"):
        r = server.get(path, cert=False)
        tap.ok(f"... not {path}", r.status == 403 and r.json["kind"] == "Status" and 'User "system:anonymous" cannot' in r.json["message"], r)
    r = server.post(NS + "/configmaps", configmap("x"), cert=False)
    tap.eq("... nor write", (r.status, r.json["message"]),
           (403, 'configmaps is forbidden: User "system:anonymous" cannot create resource "configmaps" in API group "" in the namespace "default"'))
    with Server(args=["--anonymous-auth=false"]) as strict:
        tap.eq("--anonymous-auth=false: 401", strict.get(NS + "/pods", cert=False).status, 401)


def impersonation(server, maker, ca):
    erin = maker.client("erin", "/CN=erin", ca)
    status, text = with_certificate(server, erin, "GET", NS + "/pods", headers=as_user("frank"))
    message = json.loads(text).get("message")
    tap.eq("impersonation without the right", (status, message), (403, 'users "frank" is forbidden: User "erin" cannot impersonate resource "users" in API group "" at the cluster scope'))
    status, text = with_certificate(server, erin, "GET", NS + "/pods", headers=as_user("erin", "system:masters"))
    tap.ok("nobody makes himself a master", status == 403 and "impersonate" in text, f"{status} {text}")
    status, text = with_certificate(server, erin, "GET", NS + "/pods", headers=as_user("system:serviceaccount:default:default"))
    tap.eq("... nor a service account", (status, json.loads(text)["message"]), (403, 'serviceaccounts "default" is forbidden: User "erin" cannot impersonate resource '
           '"serviceaccounts" in API group "" in the namespace "default"'))
    server.post(RBAC + "/clusterroles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "as-frank"}, "rules": [
        {"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"], "resourceNames": ["frank"]}]})
    server.post(RBAC + "/clusterrolebindings", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "as-frank"},
                                                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "as-frank"},
                                                "subjects": [{"kind": "User", "name": "erin", "apiGroup": "rbac.authorization.k8s.io"}]})
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    status, text = with_certificate(server, erin, "POST", WHOAMI, review, as_user("frank"))
    tap.eq("with the right: the other user", (status, json.loads(text).get("status", {}).get("userInfo", {}).get("username")), (201, "frank"))
    status, text = with_certificate(server, erin, "GET", NS + "/pods", headers=as_user("frank"))
    tap.ok("... with that user's rights, not one's own", status == 403 and 'User \\"frank\\" cannot list' in text, f"{status} {text}")
    status, _ = with_certificate(server, erin, "POST", WHOAMI, review, as_user("george"))
    tap.eq("... and no third one", status, 403)
    r = server.get(NS + "/pods", headers={"Impersonate-Group": "system:masters"})
    tap.ok("groups without a user make no sense", r.status in (400, 403, 500) and r.json["kind"] == "Status", r)
    r = server.get(NS + "/pods", headers=as_user("frank"), cert=False)
    tap.eq("anonymous may not impersonate", r.status, 403)


# --- files -----------------------------------------------------------------------------------------------------------------------------


def mode(path):
    return oct(stat.S_IMODE(os.stat(path).st_mode))


def files(server, *_):
    tap.eq("the kubeconfig is 0600", mode(server.kubeconfig), "0o600")
    tap.eq("the Unix socket is 0600", mode(server.path("cox.sock")), "0o600")
    for folder in ("pki", "store"):
        tap.eq(f"{folder}/ is 0700", mode(server.path(folder)), "0o700")
        loose = [p.name for p in pathlib.Path(server.path(folder)).iterdir() if stat.S_IMODE(p.stat().st_mode) & 0o077]
        tap.eq(f"nothing in {folder}/ is for others", loose, [])
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as sock:
        sock.settimeout(PATIENCE)
        sock.connect(server.path("cox.sock"))
        sock.sendall(b"GET /api/v1/namespaces/default HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        tap.ok("its owner is let in", sock.recv(65536).startswith(b"HTTP/1.1 200"))


def sockets_of_others(*_):
    """Another user on this machine, in a folder that lets everybody in."""
    if os.geteuid() != 0:
        tap.skip("the Unix socket and another user", "needs root to become somebody else")
        return
    with tempfile.TemporaryDirectory(prefix="cox-test-") as folder:
        os.chmod(folder, 0o755)
        path = os.path.join(folder, "sock")
        old = os.umask(0)
        try:
            with Server(args=["--unix-socket", path]) as server:
                tap.eq("a umask of 0 does not open the socket", mode(path), "0o600")
                tap.eq("... nor the kubeconfig", mode(server.kubeconfig), "0o600")
                script = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({path!r})"
                # the system's own interpreter: others can not reach one in somebody's home
                done = subprocess.run(["/usr/bin/python3", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, user=65534, group=65534, extra_groups=[], cwd="/")
                tap.ok("another user is not let in", done.returncode != 0 and b"PermissionError" in done.stdout, done.stdout)
        finally:
            os.umask(old)


def kubeconfigs(*_):
    if not shutil.which("kubectl"):
        tap.skip("kubeconfig merging", "needs kubectl to read the result")
        return
    other = """apiVersion: v1
kind: Config
current-context: prod
preferences: {}
clusters:
- name: prod
  cluster: {server: "https://prod.example:6443", insecure-skip-tls-verify: true}
- name: cox
  cluster: {server: "https://somebody-else.example:6443"}
users:
- name: cox
  user: {token: precious}
contexts:
- name: prod
  context: {cluster: prod, user: cox}
- name: cox
  context: {cluster: cox, user: cox, namespace: kept}
"""
    with tempfile.TemporaryDirectory(prefix="cox-test-") as folder:
        path = os.path.join(folder, "config")
        pathlib.Path(path).write_text(other)
        os.chmod(path, 0o600)

        def view(*args):
            done = subprocess.run(["kubectl", "--kubeconfig", path, "config", "view", "--raw", "-o", "json", *args], stdout=subprocess.PIPE, text=True)
            config = json.loads(done.stdout)
            return {kind: {e["name"]: e[kind[:-1]] for e in config[kind]} for kind in ("clusters", "users", "contexts")}, config["current-context"]
        before, _ = view()
        servers = []
        for _ in range(2):
            server = Server(start=False)
            server.kubeconfig = path + ".none"
            server.args = [*server.args, "--write-kubeconfig", path]
            server.start(wait=False)
            wait_for(lambda: "Coxswain is ready" in server.log())
            servers.append(server)
        after, current = view()
        for kind in before:
            for name, value in before[kind].items():
                tap.eq(f"{kind[:-1]} {name} of somebody else is kept", after[kind].get(name), value)
        tap.eq("each server has entries of its own", {k: len(v) - len(before[k]) for k, v in after.items()}, {"clusters": 2, "users": 2, "contexts": 2})
        tap.eq("the file is still 0600", mode(path), "0o600")
        for name in set(after["contexts"]) - set(before["contexts"]):
            done = subprocess.run(["kubectl", "--kubeconfig", path, "--context", name, "get", "namespaces", "-o", "name"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env={**os.environ, "HOME": folder})
            tap.has(f"context {name} works", done.stdout, "namespace/default")
        tap.ok("the newest is the current one", current in set(after["contexts"]) - set(before["contexts"]), current)
        server = servers[1]
        server.port = int(re.search(r"Coxswain is ready at https://127.0.0.1:(\d+)", server.log()).group(1))
        server.stop()
        server.start(wait=False)
        wait_for(lambda: server.log().count("Coxswain is ready") == 2)
        tap.eq("starting again adds nothing", {k: len(v) for k, v in view()[0].items()}, {k: len(v) for k, v in after.items()})
        for server in servers:
            server.stop()
            server.remove()
        pathlib.Path(path).write_text("clusters: [broken\n")
        broken = subprocess.run([COX, "server", "--data-dir", os.path.join(folder, "data"), "--listen", "127.0.0.1:0", "--write-kubeconfig", path, "--agent=false"], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        tap.ok("a kubeconfig that can not be read is left alone", broken.returncode != 0 and pathlib.Path(path).read_text() == "clusters: [broken\n" and re.search("config", broken.stdout),
               broken.stdout)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cox-test-pki-") as scratch, Server() as main_server:
        main_ca = (os.path.join(main_server.dir, "pki", "ca.crt"), os.path.join(main_server.dir, "pki", "ca.key"))
        tap.run([certificates, tokens, static_tokens, rbac, anonymous, impersonation, files, sockets_of_others, kubeconfigs], main_server, Maker(scratch), main_ca)
    tap.done()
