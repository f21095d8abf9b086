#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How machines join: tokens, the CA by its hash, certificate requests, approval, renewal; and what a node's certificate lets it do."""
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Response, Server, tap  # noqa: E402

CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
SECRETS = "/api/v1/namespaces/kube-system/secrets"


def until(condition, timeout=PATIENCE):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    return condition()


def cox(server, *args, timeout=PATIENCE, env=None):
    return subprocess.run([COX, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout,
                          env={**os.environ, "KUBECONFIG": server.kubeconfig, "HOME": server.dir, **(env or {})})


def openssl(*args, stdin=None):
    return subprocess.run(["openssl", *args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, text=True).stdout


def make_request(folder, subject, san=None):
    """A key and a PKCS#10 text."""
    key = os.path.join(folder, "k%d.key" % len(os.listdir(folder)))
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
    extra = ["-addext", "subjectAltName=" + san] if san else []
    return key, openssl("req", "-new", "-key", key, "-subj", subject, *extra)


def post_request(server, name, text, signer, usages, **kw):
    body = {"kind": "CertificateSigningRequest", "apiVersion": "certificates.k8s.io/v1", "metadata": {"name": name},
            "spec": {"request": base64.b64encode(text.encode()).decode(), "signerName": signer, "usages": usages, **kw.pop("spec", {})}}
    return server.post(CSRS, body, **kw)


def conditions(obj):
    return {c["type"]: c for c in obj.get("status", {}).get("conditions", [])}


class Node:
    """Requests with the certificate of a kubeconfig that join wrote."""

    def __init__(self, server, folder, name):
        self.server = server
        text = open(os.path.join(folder, "agent", "kubeconfig")).read()
        value = lambda key: base64.b64decode(re.search(key + r":\s*(\S+)", text).group(1))
        self.cert = os.path.join(folder, name + ".pem")
        with open(self.cert, "wb") as f:
            f.write(value("client-certificate-data") + value("client-key-data"))

    def request(self, method, path, body=None, headers=None):
        import http.client
        context = ssl.create_default_context(cafile=self.server.path("ca.pem"))
        context.load_cert_chain(self.cert)
        conn = http.client.HTTPSConnection("127.0.0.1", self.server.port, context=context, timeout=PATIENCE)
        headers = {"Content-Type": "application/json", **(headers or {})}
        conn.request(method, path, body=json.dumps(body) if body is not None else None, headers=headers)
        r = conn.getresponse()
        answer = Response(r.status, r.headers, r.read())
        conn.close()
        return answer

    def get(self, path):
        return self.request("GET", path)


def join(server, folder, name, token=None, ca_hash=None):
    command = cox(server, "token", "create", "--print-join-command").stdout.split()
    command[command.index("--token") + 1] = token or command[command.index("--token") + 1]
    command[command.index("--ca-hash") + 1] = ca_hash or command[command.index("--ca-hash") + 1]
    return cox(server, *command[1:], "--data-dir", folder, "--node-name", name, "--credentials-only")


# --- tokens ------------------------------------------------------------------------------------------------------------------

def tokens(s, folder):
    made = cox(s, "token", "create", "--ttl", "2h", "--description", "rack seven")
    token = made.stdout.strip()
    tap.ok("a token has its form", len(token) == 23 and token[6] == ".", made.stdout + made.stderr)
    me = s.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"},
                headers={"Authorization": "Bearer " + token}, cert=False).json["status"]["userInfo"]
    tap.eq("it is a user", me["username"], "system:bootstrap:" + token[:6])
    tap.ok("in the group of those who join", "system:bootstrappers" in me["groups"], me)
    listed = cox(s, "token", "list").stdout
    tap.ok("list shows it without its secret", token[:6] in listed and "rack seven" in listed and token[7:] not in listed, listed)
    tap.has("delete removes it", cox(s, "token", "delete", token[:6]).stdout, "deleted")
    tap.eq("it lets nobody in any more", s.get("/version", headers={"Authorization": "Bearer " + token}, cert=False).status, 401)
    tap.ok("a wrong ID is refused", cox(s, "token", "delete", "../x").returncode == 1)
    # one whose time is over goes by itself
    data = {"token-id": "expire", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true", "expiration": "2001-01-01T00:00:00Z"}
    s.post(SECRETS, {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "bootstrap-token-expire"}, "type": "bootstrap.kubernetes.io/token", "stringData": data})
    tap.ok("an expired token is removed", until(lambda: s.get(SECRETS + "/bootstrap-token-expire").status == 404))


def cluster_info(s, folder):
    info = s.get("/api/v1/namespaces/kube-public/configmaps/cluster-info", cert=False)
    tap.eq("everybody may read cluster-info", info.status, 200)
    tap.has("it names the server", info.json["data"]["kubeconfig"], f"https://127.0.0.1:{s.port}")
    tap.eq("and nothing else there", s.get("/api/v1/namespaces/kube-public/configmaps/kube-root-ca.crt", cert=False).status, 403)
    public = openssl("x509", "-in", s.path("ca.pem"), "-noout", "-pubkey")
    der = base64.b64decode("".join(public.strip().splitlines()[1:-1]))
    command = cox(s, "token", "create", "--print-join-command").stdout
    tap.has("the hash is of the CA's public key", command, "sha256:" + hashlib.sha256(der).hexdigest())


# --- joining -------------------------------------------------------------------------------------------------------------------

def joining(s, folder):
    home = os.path.join(folder, "n1")
    done = join(s, home, "n1")
    tap.eq("join writes the credentials", (done.returncode, done.stderr), (0, ""))
    path = os.path.join(home, "agent", "kubeconfig")
    tap.eq("for their owner alone", os.stat(path).st_mode & 0o777, 0o600)
    tap.ok("nothing is left pending", os.listdir(os.path.join(home, "agent")) == ["kubeconfig"], os.listdir(os.path.join(home, "agent")))
    me = Node(s, home, "n1").request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"}).json
    tap.eq("the node has its name", me["status"]["userInfo"]["username"], "system:node:n1")
    tap.ok("and its group", "system:nodes" in me["status"]["userInfo"]["groups"], me)
    before = open(path).read()
    again = join(s, home, "n1")
    tap.ok("a second join changes nothing", again.returncode == 0 and open(path).read() == before, again.stderr)
    other = join(s, os.path.join(folder, "n2"), "n2", ca_hash="sha256:" + "0" * 64)
    tap.ok("another CA is refused", other.returncode == 1 and "another cluster" in other.stderr, other.stderr)
    # somebody in between who shows the right authority, and his own beside it
    info = "/api/v1/namespaces/kube-public/configmaps/cluster-info"
    told = s.get(info).json["data"]["kubeconfig"]
    real = re.search(r"certificate-authority-data: (\S+)", told).group(1)
    stranger = openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "/dev/null", "-subj", "/CN=stranger")
    both = base64.b64encode(base64.b64decode(real) + stranger.encode()).decode()
    s.patch(info, {"data": {"kubeconfig": told.replace(real, both)}})
    done = join(s, os.path.join(folder, "n3"), "n3")
    trusted = re.search(r"certificate-authority-data:\s*(\S+)", open(os.path.join(folder, "n3", "agent", "kubeconfig")).read()).group(1)
    tap.eq("only the authority of that hash is trusted", (done.returncode, base64.b64decode(trusted).count(b"BEGIN CERTIFICATE")), (0, 1))
    s.patch(info, {"data": {"kubeconfig": told}})
    bad = join(s, os.path.join(folder, "n2"), "n2", token="abcdef.0123456789abcdef")
    tap.ok("a wrong token is refused", bad.returncode == 1 and "token is not valid" in bad.stderr, bad.stderr)
    tap.ok("without a hash it does not begin", "--ca-hash is needed" in cox(s, "join", "https://127.0.0.1:1", "--token", "abcdef.0123456789abcdef").stderr)


# --- requests ------------------------------------------------------------------------------------------------------------------

def requests(s, folder):
    key, text = make_request(folder, "/O=rowers/CN=anna")
    usages = ["digital signature", "client auth"]
    r = post_request(s, "anna", text, "kubernetes.io/kube-apiserver-client", usages, spec={"username": "somebody else"}, headers={"Impersonate-User": "berta", "Impersonate-Group": "system:masters"})
    tap.eq("the server says who asked", (r.status, r.json["spec"].get("username")), (201, "berta"))
    time.sleep(0.3)
    tap.eq("a person's request waits", conditions(s.get(CSRS + "/anna").json), {})
    if shutil.which("kubectl"):
        tap.has("kubectl shows it", s.kubectl("get", "csr").stdout, "Pending")
        done = s.kubectl("certificate", "approve", "anna")
        tap.has("kubectl approves it", done.stdout + done.stderr, "approved")
    else:
        obj = s.get(CSRS + "/anna").json
        obj["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "Test"}]}
        tap.eq("approval", s.put(CSRS + "/anna/approval", obj).status, 200)
    cert = until(lambda: s.get(CSRS + "/anna").json["status"].get("certificate"))
    shown = openssl("x509", "-noout", "-subject", "-ext", "extendedKeyUsage", stdin=base64.b64decode(cert or "").decode())
    tap.ok("it is signed for what was asked", "anna" in shown and "rowers" in shown and "TLS Web Client Authentication" in shown, shown)
    obj = s.get(CSRS + "/anna").json
    tap.eq("the spec stays", s.patch(CSRS + "/anna", {"spec": {"username": "x"}}).json["spec"]["username"], "berta")
    r = s.patch(CSRS + "/anna/status", {"status": {"conditions": [{"type": "Denied", "status": "True"}]}})
    tap.ok("status does not decide", r.status == 200 and list(conditions(r.json)) == ["Approved"], r)
    if shutil.which("kubectl"):
        tap.has("kubectl shows it as issued", s.kubectl("get", "csr", "anna").stdout, "Approved,Issued")

    # what is refused
    r = post_request(s, "masters", make_request(folder, "/O=system:masters/CN=eve")[1], "kubernetes.io/kube-apiserver-client", usages)
    tap.ok("nobody asks to be an administrator", r.status == 403 and "system:masters" in r.text, r)
    r = post_request(s, "junk", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n", "kubernetes.io/kube-apiserver-client", usages)
    tap.ok("junk is refused", r.status == 422 and "cannot read the certificate request" in r.text, r)
    r = post_request(s, "bad", "x", "nothing", ["flying"], spec={"expirationSeconds": 1})
    tap.ok("and so are wrong fields", r.status == 422 and len(r.json["details"]["causes"]) == 4, r)
    # approving needs a right of its own
    s.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", {"kind": "ClusterRole", "apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "csr-writer"},
           "rules": [{"apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests", "certificatesigningrequests/approval", "certificatesigningrequests/status"], "verbs": ["*"]}]})
    s.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {"kind": "ClusterRoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "csr-writer"},
           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "csr-writer"}, "subjects": [{"kind": "User", "name": "carl", "apiGroup": "rbac.authorization.k8s.io"}]})
    carl = {"Impersonate-User": "carl"}
    post_request(s, "carl", make_request(folder, "/CN=carl")[1], "kubernetes.io/kube-apiserver-client", usages, headers=carl)
    obj = s.get(CSRS + "/carl").json
    obj["status"] = {"conditions": [{"type": "Approved", "status": "True"}]}
    r = s.put(CSRS + "/carl/approval", obj, headers=carl)
    tap.ok("who may write requests may not approve them", r.status == 403 and "not permitted to approve" in r.text, r)
    obj["status"] = {"certificate": base64.b64encode(openssl("x509", "-in", s.path("ca.pem")).encode()).decode()}
    r = s.put(CSRS + "/carl/status", obj, headers=carl)
    tap.ok("nor sign them", r.status == 403 and "not permitted to sign" in r.text, r)
    r = s.patch(CSRS + "/carl/status", {"status": {"conditions": [{"type": "Failed", "status": "True"}]}}, headers=carl)
    tap.ok("nor say that it failed", r.status == 403 and "not permitted to sign" in r.text, r)
    # what was said stays said
    obj = s.get(CSRS + "/carl").json
    obj["status"] = {"conditions": [{"type": "Denied", "status": "True"}]}
    tap.eq("an administrator denies it", s.put(CSRS + "/carl/approval", obj).status, 200)
    obj = s.get(CSRS + "/carl").json
    obj["status"] = {"conditions": [{"type": "Approved", "status": "True"}]}
    r = s.put(CSRS + "/carl/approval", obj)
    tap.ok("and cannot take it back", r.status == 422 and "may not remove" in r.text, r)
    r = s.patch(CSRS + "/anna/status", {"status": {"certificate": base64.b64encode(openssl("x509", "-in", s.path("ca.pem")).encode()).decode()}})
    tap.ok("nor change what was signed", r.status == 422 and "may not modify existing certificate" in r.text, r)
    many = "".join(f"/O=g{i}" for i in range(16)) + "/O=system:masters/CN=eve"
    r = post_request(s, "many", make_request(folder, many)[1], "kubernetes.io/kube-apiserver-client", usages)
    tap.ok("a group cannot hide behind others", r.status == 422 and "organizations" in r.text, r)
    r = post_request(s, "two", make_request(folder, "/O=system:nodes/CN=system:node:x/CN=system:node:y")[1], "kubernetes.io/kube-apiserver-client-kubelet", usages)
    tap.ok("nor a name behind another", r.status == 422 and "more than one common name" in r.text, r)
    # a bootstrapper asks for nodes only
    token = cox(s, "token", "create").stdout.strip()
    boot = {"Authorization": "Bearer " + token}
    post_request(s, "boot-user", make_request(folder, "/O=rowers/CN=eve")[1], "kubernetes.io/kube-apiserver-client", usages, headers=boot, cert=False)
    post_request(s, "boot-odd", make_request(folder, "/O=system:nodes/O=rowers/CN=system:node:x")[1], "kubernetes.io/kube-apiserver-client-kubelet", usages, headers=boot, cert=False)
    post_request(s, "boot-node", make_request(folder, "/O=system:nodes/CN=system:node:x")[1], "kubernetes.io/kube-apiserver-client-kubelet", usages, headers=boot, cert=False)
    tap.ok("a node's first request is approved", until(lambda: s.get(CSRS + "/boot-node").json["status"].get("certificate")))
    tap.eq("a person's is not", conditions(s.get(CSRS + "/boot-user").json), {})
    tap.eq("nor one of further groups", conditions(s.get(CSRS + "/boot-odd").json), {})
    obj = s.get(CSRS + "/boot-odd").json
    obj["status"] = {"conditions": [{"type": "Approved", "status": "True"}]}
    s.put(CSRS + "/boot-odd/approval", obj)
    tap.ok("and when somebody approves it, it fails", until(lambda: "Failed" in conditions(s.get(CSRS + "/boot-odd").json)))


# --- what a node may ---------------------------------------------------------------------------------------------------------------

def node_object(name, **meta):
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, **meta},
            "status": {"addresses": [{"type": "InternalIP", "address": "10.9.8.7"}, {"type": "Hostname", "address": name}]}}


def pod_object(name, node=None, spec=None, **meta):
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, **meta},
            "spec": {**({"nodeName": node} if node else {}), "containers": [{"name": "c", "image": "x"}], **(spec or {})}}


def refused(name, answer, part=""):
    tap.ok(name, answer.status == 403 and part in answer.text, answer)


def nodes(s, folder):
    home = os.path.join(folder, "w1")
    tap.eq("w1 joins", join(s, home, "w1").returncode, 0)
    n = Node(s, home, "w1")
    chosen = node_object("w1")
    chosen["spec"] = {"podCIDR": "10.42.0.0/24", "podCIDRs": ["10.42.0.0/24"]}
    refused("a node does not choose its pods' addresses", n.request("POST", "/api/v1/nodes", chosen), "pod CIDR")
    tap.eq("it registers itself", n.request("POST", "/api/v1/nodes", node_object("w1", labels={"kubernetes.io/hostname": "w1", "rack": "7"})).status, 201)
    refused("and nobody else", n.request("POST", "/api/v1/nodes", node_object("w2")), "not allowed to modify node")
    s.post("/api/v1/nodes", node_object("w2"))
    merge = {"Content-Type": "application/merge-patch+json"}
    refused("labels that draw pods are not its own", n.request("PATCH", "/api/v1/nodes/w1", {"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}}}, merge), "label")
    refused("nor are taints", n.request("PATCH", "/api/v1/nodes/w1", {"spec": {"taints": []}}, merge), "taints")
    owner = [{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "name": "w1", "uid": "u"}]
    refused("nor an owner, with whom it would be deleted", n.request("PATCH", "/api/v1/nodes/w1", {"metadata": {"ownerReferences": owner}}, merge), "ownerReferences")
    refused("also through its status", n.request("PATCH", "/api/v1/nodes/w1/status", {"metadata": {"ownerReferences": owner}}, merge), "ownerReferences")
    tap.eq("its status is", n.request("PATCH", "/api/v1/nodes/w1/status", {"status": {"nodeInfo": {"machineID": "m"}}}, merge).status, 200)
    refused("another's is not", n.request("PATCH", "/api/v1/nodes/w2/status", {"status": {}}, merge), "own name")
    lease = {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": {"name": "w1", "namespace": "kube-node-lease"}, "spec": {"holderIdentity": "w1", "leaseDurationSeconds": 40}}
    leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
    tap.eq("it has a lease", n.request("POST", leases, lease).status, 201)
    lease["metadata"]["name"] = "w2"
    refused("not another's", n.request("POST", leases, lease), "own name")

    pods, secrets = "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/secrets"
    for name in ("mine", "other"):
        s.post(secrets, {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": name}, "stringData": {"k": "v"}})
    refused("no pod refers to a secret yet", n.get(secrets + "/mine"), "no relationship found")
    volume = lambda secret: {"volumes": [{"name": "v", "secret": {"secretName": secret}}]}
    until(lambda: s.get("/api/v1/namespaces/default/serviceaccounts/default").status == 200)
    made = s.post(pods, pod_object("p1", "w1", volume("mine")))
    tap.eq("a pod comes to the node", made.status, 201)
    s.post(pods, pod_object("p2", "w2", volume("other")))
    tap.eq("now the secret is its to read", n.get(secrets + "/mine").status, 200)
    tap.eq("and to watch", n.get(secrets + "?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dmine").status, 200)
    refused("another's is not", n.get(secrets + "/other"), "no relationship found")
    refused("nor all of them", n.get(secrets), "single objects")
    tap.eq("it lists its pods", [i["metadata"]["name"] for i in n.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dw1").json["items"]], ["p1"])
    refused("and only those", n.get("/api/v1/pods"), "spec.nodeName=w1")
    refused("another's pod is not shown", n.get(pods + "/p2"), "not on node")
    tap.eq("it writes the status of its pods", n.request("PATCH", pods + "/p1/status", {"status": {"phase": "Running"}}, merge).status, 200)
    refused("not of others", n.request("PATCH", pods + "/p2/status", {"status": {"phase": "Running"}}, merge))
    refused("nor their labels", n.request("PATCH", pods + "/p1/status", {"metadata": {"labels": {"a": "b"}}}, merge), "labels")
    refused("it makes mirror pods", n.request("POST", pods, pod_object("x", "w1")), "mirror")
    mirror = {"kubernetes.io/config.mirror": "h", "kubernetes.io/config.source": "file", "kubernetes.io/config.hash": "h"}
    tap.eq("and those it may", n.request("POST", pods, pod_object("m-w1", "w1", annotations=mirror)).status, 201)
    refused("without secrets", n.request("POST", pods, pod_object("m2-w1", "w1", volume("other"), annotations=mirror)), "reference")
    owned = pod_object("m3-w1", "w1", annotations=mirror)
    owned["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}]
    refused("of no other owner", n.request("POST", pods, owned), "owner reference")
    owned["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": "w1", "uid": "u", "controller": True}]
    refused("nor of an earlier node of its name", n.request("POST", pods, owned), "owner reference")
    owned["metadata"]["ownerReferences"][0]["uid"] = s.get("/api/v1/nodes/w1").json["metadata"]["uid"]
    tap.eq("its own node it may name", n.request("POST", pods, owned).status, 201)
    token = lambda ref: {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "spec": {"audiences": [], "expirationSeconds": 3600, **ref}}
    account = "/api/v1/namespaces/default/serviceaccounts/default/token"
    ref = {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "p1", "uid": made.json["metadata"]["uid"]}}
    tap.eq("tokens of its pods", n.request("POST", account, token(ref)).status, 201)
    refused("bound to them", n.request("POST", account, token({})), "bound to a pod")
    refused("not of other accounts", n.request("POST", "/api/v1/namespaces/kube-system/serviceaccounts/default/token", token(ref)))
    tap.ok("it deletes its pods", n.request("DELETE", pods + "/p1", {"gracePeriodSeconds": 0}).status == 200)
    refused("not others", n.request("DELETE", pods + "/p2", {"gracePeriodSeconds": 0}), "not on node")
    refused("and the secret is gone with the pod", n.get(secrets + "/mine"), "no relationship found")

    # claims of its pods
    claims = "/api/v1/namespaces/default/persistentvolumeclaims"
    s.post(claims, {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": {"name": "c", "finalizers": ["example.org/backup"]},
                    "spec": {"storageClassName": "", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    tap.eq("a pod with a claim", s.post(pods, pod_object("p3", "w1", {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]})).status, 201)
    resizing = {"status": {"conditions": [{"type": "FileSystemResizePending", "status": "True"}]}}
    tap.eq("it says how its claims grow", n.request("PATCH", claims + "/c/status", resizing, merge).status, 200)
    refused("not whose they are", n.request("PATCH", claims + "/c/status", {"status": {"phase": "Bound"}}, merge), "other than status.capacity")
    refused("nor that they may go", n.request("PATCH", claims + "/c/status", {"metadata": {"finalizers": None}}, merge), "other than status.capacity")

    # volumes that lie on it
    volumes = "/api/v1/persistentvolumes"
    held = ["coxswain.dev/local-path", "example.org/backup"]
    s.post(volumes, {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": "v1", "labels": {"coxswain.dev/node": "w1"}, "finalizers": held},
                     "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}})
    have = s.get(volumes + "/v1").json["metadata"]["finalizers"]
    refused("somebody else's finalizer is not its own", n.request("PATCH", volumes + "/v1", {"metadata": {"finalizers": [f for f in have if f != held[1]]}}, merge), "finalizer")
    refused("nor does it add one", n.request("PATCH", volumes + "/v1", {"metadata": {"finalizers": [*have, "example.org/x"]}}, merge), "finalizer")
    refused("nor change the volume", n.request("PATCH", volumes + "/v1", {"spec": {"persistentVolumeReclaimPolicy": "Delete"}}, merge), "finalizers")
    tap.eq("its own it takes away", n.request("PATCH", volumes + "/v1", {"metadata": {"finalizers": [f for f in have if f != held[0]]}}, merge).status, 200)

    # its serving certificate, then both again
    serving = cox(s, "join", f"https://127.0.0.1:{s.port}", "--token", "abcdef.0123456789abcdef", "--ca-file", s.path("ca.pem"), "--data-dir", home, "--node-name", "w1",
                  "--credentials-only", "--address", "10.9.8.7")
    path = os.path.join(home, "agent", "serving.pem")
    tap.eq("a serving certificate", (serving.returncode, serving.stderr), (0, ""))
    shown = openssl("x509", "-noout", "-text", "-in", path)
    tap.ok("with its names and use", "IP Address:10.9.8.7" in shown and "DNS:w1" in shown and "TLS Web Server Authentication" in shown and "Client Authentication" not in shown, shown)
    before = open(path).read(), open(os.path.join(home, "agent", "kubeconfig")).read()
    again = cox(s, "join", "--renew", "--data-dir", home, "--node-name", "w1", "--address", "10.9.8.7")
    tap.has("both are renewed", again.stdout + again.stderr, "and its serving certificate")
    tap.ok("the files are new", open(path).read() != before[0] and open(os.path.join(home, "agent", "kubeconfig")).read() != before[1])
    tap.eq("and work", Node(s, home, "w1").get("/api/v1/nodes/w1").status, 200)
    # a node that moved
    addresses = [{"type": "InternalIP", "address": "10.9.8.9"}, {"type": "Hostname", "address": "w1"}]
    tap.eq("it has another address", n.request("PATCH", "/api/v1/nodes/w1/status", {"status": {"addresses": addresses}}, {"Content-Type": "application/merge-patch+json"}).status, 200)
    moved = cox(s, "join", f"https://127.0.0.1:{s.port}", "--token", "abcdef.0123456789abcdef", "--ca-file", s.path("ca.pem"), "--data-dir", home, "--node-name", "w1",
                "--credentials-only", "--address", "10.9.8.9")
    tap.eq("and gets a certificate for it", (moved.returncode, "IP Address:10.9.8.9" in openssl("x509", "-noout", "-text", "-in", path)), (0, True))
    # names of others are not signed
    _, text = make_request(folder, "/O=system:nodes/CN=system:node:w1", "DNS:w1,IP:10.1.1.1")
    body = {"kind": "CertificateSigningRequest", "apiVersion": "certificates.k8s.io/v1", "metadata": {"name": "stolen"},
            "spec": {"request": base64.b64encode(text.encode()).decode(), "signerName": "kubernetes.io/kubelet-serving", "usages": ["digital signature", "server auth"]}}
    tap.eq("a node may ask", n.request("POST", CSRS, body).status, 201)
    # a node writes its own addresses: that makes it neither the API server nor another node
    addresses = [{"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Hostname", "address": "w2"}, {"type": "InternalDNS", "address": "kubernetes.default.svc"}]
    tap.eq("it says that it is somebody else", n.request("PATCH", "/api/v1/nodes/w1/status", {"status": {"addresses": addresses}}, merge).status, 200)
    for name, alt in (("pose-ip", "IP:127.0.0.1"), ("pose-api", "DNS:kubernetes.default.svc"), ("pose-node", "DNS:w2"), ("pose-case", "DNS:W2")):
        body["metadata"]["name"], body["spec"]["request"] = name, base64.b64encode(make_request(folder, "/O=system:nodes/CN=system:node:w1", alt)[1].encode()).decode()
        tap.eq(f"{name} may be asked for", n.request("POST", CSRS, body).status, 201)
        tap.ok(f"{name} needs a person's word", until(lambda: any("a person has to approve it" in l and name in l for l in s.log().splitlines())))
        tap.eq(f"{name} is not signed", (conditions(s.get(CSRS + "/" + name).json), s.get(CSRS + "/" + name).json["status"].get("certificate")), ({}, None))
    tap.eq("the one for addresses of others, which came first, waits as well", conditions(s.get(CSRS + "/stolen").json), {})


if __name__ == "__main__":
    scratch = tempfile.mkdtemp(prefix="cox-join-")
    try:
        with Server() as main_server:
            tap.run([tokens, cluster_info, joining, requests, nodes], main_server, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    tap.done()
