#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Domains: what an institution gets, how its machines join, and that they are of no other."""
import base64
import concurrent.futures
import http.client
import json
import os
import re
import ssl
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import COX, PATIENCE, Response, Server, tap, wait_for  # noqa: E402

DOMAINS = "/apis/kuscia.secretflow/v1alpha1/domains"
LABEL = "kuscia.secretflow/namespace"


def domain(name, **spec):
    return {"apiVersion": "kuscia.secretflow/v1alpha1", "kind": "Domain", "metadata": {"name": name}, "spec": spec}


def tokens(s, name):
    return {t["state"]: t["token"] for t in s.get(f"{DOMAINS}/{name}").json.get("status", {}).get("deployTokenStatuses", [])}


class Machine:
    """Joins with a token, then talks with the certificate that it got."""

    def __init__(self, s, name, token):
        self.s, self.dir = s, os.path.join(s.dir, "m-" + name)
        env = {**os.environ, "KUBECONFIG": s.kubeconfig, "HOME": s.dir}
        command = subprocess.run([COX, "token", "create", "--print-join-command"], stdout=subprocess.PIPE, text=True, env=env).stdout.split()
        command[command.index("--token") + 1] = token
        self.done = subprocess.run([COX, *command[1:], "--data-dir", self.dir, "--node-name", name, "--credentials-only"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   timeout=PATIENCE, env=env)
        if self.done.returncode:
            return
        text = open(os.path.join(self.dir, "agent", "kubeconfig")).read()
        with open(os.path.join(self.dir, "cert.pem"), "wb") as f:
            for key in ("client-certificate-data", "client-key-data"):
                f.write(base64.b64decode(re.search(key + r":\s*(\S+)", text).group(1)))

    def request(self, method, path, body=None):
        context = ssl.create_default_context(cafile=self.s.path("ca.pem"))
        context.load_cert_chain(os.path.join(self.dir, "cert.pem"))
        conn = http.client.HTTPSConnection("127.0.0.1", self.s.port, context=context, timeout=PATIENCE)
        conn.request(method, path, body=json.dumps(body) if body is not None else None, headers={"Content-Type": "application/merge-patch+json" if method == "PATCH" else "application/json"})
        r = conn.getresponse()
        answer = Response(r.status, r.headers, r.read())
        conn.close()
        return answer


def node(name, labels=None):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels or {}}}


def test_what_a_domain_gets(s):
    tap.eq("made", s.post(DOMAINS, domain("alice", resourceQuota={"podMaxCount": 7})).status, 201)
    ready = lambda: "unused" in tokens(s, "alice")  # noqa: E731
    tap.ok("a token to join with", wait_for(ready), s.get(f"{DOMAINS}/alice").text)
    labels = s.get("/api/v1/namespaces/alice").json["metadata"]["labels"]
    tap.eq("its namespace", (labels["kuscia.secretflow/domain-name"], labels["kuscia.secretflow/deleted"]), ("alice", "false"))
    tap.eq("the namespace of jobs", s.get("/api/v1/namespaces/cross-domain").status, 200)
    tap.eq("its quota", s.get("/api/v1/namespaces/alice/resourcequotas/resource-limitation").json["spec"]["hard"], {"pods": "7"})
    tap.eq("its configuration", s.get("/api/v1/namespaces/alice/configmaps/domain-config").status, 200)
    s.patch(f"{DOMAINS}/alice", {"spec": {"resourceQuota": {"podMaxCount": 9}}})
    hard = lambda: s.get("/api/v1/namespaces/alice/resourcequotas/resource-limitation").json.get("spec", {}).get("hard", {})  # noqa: E731
    tap.ok("another quota", wait_for(lambda: hard() == {"pods": "9"}), hard())
    s.patch("/api/v1/namespaces/alice/resourcequotas/resource-limitation", {"spec": {"hard": {"pods": "1000"}}})
    tap.ok("somebody else's is put right", wait_for(lambda: hard() == {"pods": "9"}), hard())
    s.patch(f"{DOMAINS}/alice", {"spec": {"resourceQuota": None}})
    tap.ok("no quota", wait_for(lambda: s.get("/api/v1/namespaces/alice/resourcequotas/resource-limitation").status == 404))


def review(s, user, groups, ns, verb, resource, group=""):
    return s.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
        "user": user, "groups": groups, "resourceAttributes": {"namespace": ns, "verb": verb, "resource": resource, "group": group}}}).json["status"]["allowed"]


def test_rights(s):
    people = ["kuscia:domain:alice", "system:authenticated"]
    allowed = lambda ns, verb, what, group="": review(s, "anna", people, ns, verb, what, group)  # noqa: E731
    tap.ok("its people see its pods and logs", wait_for(lambda: allowed("alice", "list", "pods") and allowed("alice", "list", "deployments", "apps")))
    tap.eq("and what they take", [allowed(ns, "list", "pods", "metrics.k8s.io") for ns in ("alice", "bob")], [True, False])
    tap.eq("of nobody else, and not its secrets", (allowed("bob", "list", "pods"), allowed("alice", "get", "secrets"), allowed("alice", "delete", "pods")), (False, False, False))
    tap.eq("they describe its data", (allowed("alice", "create", "domaindatas", "kuscia.secretflow"), allowed("bob", "create", "domaindatas", "kuscia.secretflow")), (True, False))


def as_one_of(domain, user="somebody"):
    return {"headers": {"Impersonate-User": user, "Impersonate-Group": f"kuscia:domain:{domain}"}}


JOBS = "/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciajobs"
STAGE = "kuscia.secretflow/job-stage"


def test_what_others_take_away(s):
    """Each by itself, and without a word from a node."""
    s.post(DOMAINS, domain("jane"))
    wait_for(lambda: "unused" in tokens(s, "jane"))
    first = tokens(s, "jane")["unused"]
    secret = lambda token: f"/api/v1/namespaces/kube-system/secrets/bootstrap-token-{token[:6]}"  # noqa: E731
    tap.eq("a token is a Secret", s.get(secret(first)).status, 200)
    s.delete(secret(first))
    s.patch(f"{DOMAINS}/jane", {"metadata": {"labels": {"looked": "at"}}})
    tap.ok("one that is gone is shown no more", wait_for(lambda: tokens(s, "jane").get("unused") not in (None, first) and s.get(secret(tokens(s, "jane")["unused"])).status == 200), tokens(s, "jane"))
    for odd in ("abcdef.0123456789abcdef", "../../.0123456789abcdef", "x"):
        s.patch(f"{DOMAINS}/jane/status", {"status": {"deployTokenStatuses": [{"token": odd, "state": "unused"}]}})
        tap.ok("nor one that never was", wait_for(lambda: tokens(s, "jane").get("unused") not in (None, odd) and s.get(secret(tokens(s, "jane")["unused"])).status == 200), tokens(s, "jane"))  # noqa: B023
    rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/jane"
    s.delete(f"{rbac}/roles/domain")
    tap.ok("rights that are removed come back", wait_for(lambda: s.get(f"{rbac}/roles/domain").status == 200))
    s.patch(f"{rbac}/roles/domain", {"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]})
    tap.ok("rights that are added go", wait_for(lambda: "*" not in str(s.get(f"{rbac}/roles/domain").json["rules"])))
    s.delete(f"{rbac}/rolebindings/domain")
    tap.ok("and whose they are", wait_for(lambda: s.get(f"{rbac}/rolebindings/domain").status == 200))
    uid = lambda: s.get("/api/v1/namespaces/cross-domain").json["metadata"].get("uid")  # noqa: E731
    was = uid()
    s.delete("/api/v1/namespaces/cross-domain")
    tap.ok("the namespace of jobs", wait_for(lambda: uid() not in (None, was)), was)


def test_people_and_jobs(s):
    s.post("/apis/kuscia.secretflow/v1alpha1/appimages", {"apiVersion": "kuscia.secretflow/v1alpha1", "kind": "AppImage", "metadata": {"name": "small"}, "spec": {
        "image": {"name": "i", "tag": "1"}, "deployTemplates": [{"name": "x", "spec": {"containers": [{"name": "c"}]}}]}})
    for name in ("gina", "hugo", "ivan"):
        s.post(DOMAINS, domain(name))
    s.patch(f"{DOMAINS}/hugo", {"metadata": {"annotations": {"kuscia.secretflow/job-approval": "manual"}}})
    job = {"apiVersion": "kuscia.secretflow/v1alpha1", "kind": "KusciaJob", "metadata": {"name": "both"}, "spec": {"initiator": "gina", "tasks": [
        {"alias": "a", "appImage": "small", "parties": [{"domainID": "gina"}, {"domainID": "hugo"}]}]}}
    gina, hugo, ivan = as_one_of("gina"), as_one_of("hugo"), as_one_of("ivan")
    wait_for(lambda: all(review(s, "x", [f"kuscia:domain:{d}"], d, "approve", "kusciajobs", "kuscia.secretflow") for d in ("gina", "hugo", "ivan")) and s.get("/api/v1/namespaces/cross-domain").status == 200)
    tap.eq("nobody else makes a job in a domain's name", s.post(JOBS, job, **gina).status, 403)
    s.post(JOBS, job)
    phase = lambda: s.get(f"{JOBS}/both").json.get("status", {}).get("phase")  # noqa: E731
    tap.ok("it waits for an answer", wait_for(lambda: phase() == "AwaitingApproval"), s.get(f"{JOBS}/both"))
    tap.eq("who takes part sees the job, and no list", [s.get(p, **who).status for who in (gina, hugo, ivan) for p in (f"{JOBS}/both", JOBS, f"{JOBS}?fieldSelector=metadata.name%3Dboth")], [200, 403, 200] * 2 + [403] * 3)
    answer = lambda d, who, what="JobAccepted": s.patch(f"{JOBS}/both/status", {"status": {"approveStatus": {d: what}}}, **who).status  # noqa: E731
    tap.eq("nobody answers for another", (answer("hugo", gina), answer("hugo", ivan), answer("ivan", hugo), answer("gina", hugo, None)), (403, 403, 403, 403))
    tap.eq("nor what is no answer", (answer("hugo", hugo, "yes"), answer("hugo", {}, "yes")), (422, 422))
    tap.eq("nor writes the rest", [s.patch(p, body, **hugo).status for p, body in ((f"{JOBS}/both/status", {"status": {"phase": "Running"}}), (f"{JOBS}/both", {"spec": {"maxParallelism": 2}}),
           (f"{JOBS}/both", {"metadata": {"finalizers": ["a/b"]}}), (f"{JOBS}/both", {"metadata": {"labels": {"x": "y"}}}))] + [s.delete(f"{JOBS}/both", **hugo).status], [403] * 5)
    tap.eq("a domain answers for itself", answer("hugo", hugo), 200)
    tap.ok("and it starts", wait_for(lambda: phase() == "Running"), s.get(f"{JOBS}/both"))
    command = lambda stage, by, who: s.patch(f"{JOBS}/both", {"metadata": {"labels": {STAGE: stage, STAGE + "-trigger": by}}}, **who).status  # noqa: E731
    tap.eq("commands in one's own name", (command("Stop", "gina", hugo), command("Stop", None, hugo), command("Stop", "ivan", ivan)), (403, 403, 403))
    done = s.kubectl("label", "kj", "both", "-n", "cross-domain", f"{STAGE}=Stop", f"{STAGE}-trigger=hugo", "--as=somebody", "--as-group=kuscia:domain:hugo")
    tap.ok("with kubectl", done.returncode == 0 and wait_for(lambda: phase() == "Failed") and "hugo" in s.get(f"{JOBS}/both").json["status"]["message"], done.stderr)
    tap.eq("an administrator for all", (command("Restart", "gina", {}), answer("hugo", {})), (200, 200))
    s.delete(f"{JOBS}/both")


def test_joining(s):
    s.post(DOMAINS, domain("bob"))
    wait_for(lambda: "unused" in tokens(s, "bob") and "unused" in tokens(s, "alice"))
    first = tokens(s, "alice")["unused"]
    a = Machine(s, "a1", first)
    tap.ok("a machine joins with the token", a.done.returncode == 0, a.done.stderr)
    tap.ok("the token is used, and there is a new one", wait_for(lambda: tokens(s, "alice").get("used") == first and tokens(s, "alice").get("unused") not in (None, first)), tokens(s, "alice"))
    r = a.request("POST", "/api/v1/nodes", node("a1", {LABEL: "bob"}))
    tap.ok("it is not bob's, whatever it says", r.status == 403 and 'is of domain "alice", not of "bob"' in r.json["message"], r)
    r = a.request("POST", "/api/v1/nodes", node("a1"))
    taints = [(t["key"], t.get("value"), t["effect"]) for t in r.json.get("spec", {}).get("taints", [])]
    tap.ok("its node is alice's, and nobody else's work goes there", r.status == 201 and r.json["metadata"]["labels"].get(LABEL) == "alice" and ("kuscia.secretflow/agent", "v1", "NoSchedule") in taints, r)
    r = a.request("PATCH", "/api/v1/nodes/a1", {"metadata": {"labels": {LABEL: "bob"}}})
    tap.eq("it cannot change over", r.status, 403)
    r = a.request("PATCH", "/api/v1/nodes/a1", {"metadata": {"labels": {LABEL: None, "disk": "ssd"}}})
    tap.ok("nor leave", r.status == 200 and r.json["metadata"]["labels"].get(LABEL) == "alice", r)
    r = a.request("PATCH", "/api/v1/nodes/a1/status", {"metadata": {"labels": {LABEL: "bob"}}})
    tap.ok("not with its status either", r.status == 403 and s.get("/api/v1/nodes/a1").json["metadata"]["labels"][LABEL] == "alice", r)
    a.request("PATCH", "/api/v1/nodes/a1/status", {"metadata": {"labels": {LABEL: None}}})
    tap.eq("nor leave with it", s.get("/api/v1/nodes/a1").json["metadata"]["labels"].get(LABEL), "alice")
    b = Machine(s, "b1", tokens(s, "bob")["unused"])
    tap.eq("another's node is not its own", b.request("PATCH", "/api/v1/nodes/a1", {"metadata": {"labels": {"x": "y"}}}).status, 403)
    tap.ok("its rights are not its people's", wait_for(lambda: review(s, "x", ["kuscia:domain:alice"], "alice", "list", "configmaps")) and
           [a.request("GET", f"/api/v1/namespaces/alice/{what}").status for what in ("configmaps", "pods", "events")] == [403] * 3)
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "secret-friend"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}}
    tap.eq("a service of each", [s.post(f"/api/v1/namespaces/{d}/services", service).status for d in ("alice", "bob")], [201, 201])
    kinds = {"services": "/api/v1", "endpoints": "/api/v1", "endpointslices": "/apis/discovery.k8s.io/v1"}
    sees = lambda ns: {a.request("GET", f"{root}{'/namespaces/' + ns if ns else ''}/{plural}").status for plural, root in kinds.items()}  # noqa: E731
    tap.eq("it sees services and addresses of its domain, not of another's, and not all", (sees("alice"), sees("default"), sees("bob"), sees("")), ({200}, {200}, {403}, {403}))
    r = a.request("GET", "/api/v1/namespaces/bob/services/secret-friend")
    tap.ok("nor by name, and it is told why", r.status == 403 and "a machine of domain 'alice' sees services" in r.json["message"], r)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "guest"}, "spec": {"nodeName": "a1", "containers": [{"name": "c", "image": "i"}], "tolerations": [{"operator": "Exists"}]}}
    tap.eq("a pod of bob's namespace on its node", s.post("/api/v1/namespaces/bob/pods", pod).status, 201)
    tap.eq("whose services it needs then", sees("bob"), {200})
    s.delete("/api/v1/namespaces/bob/pods/guest?gracePeriodSeconds=0")
    tap.eq("and no more when it is gone", sees("bob"), {403})
    plain = subprocess.run([COX, "token", "create"], stdout=subprocess.PIPE, text=True, env={**os.environ, "KUBECONFIG": s.kubeconfig, "HOME": s.dir}).stdout.strip()
    p = Machine(s, "p1", plain)
    r = p.request("POST", "/api/v1/nodes", node("p1", {LABEL: "alice"}))
    tap.ok("a machine with another token is of no domain", r.status == 403 and 'did not join with a token of domain "alice"' in r.json["message"], r)
    p.request("POST", "/api/v1/nodes", node("p1"))
    tap.eq("nor with its status", p.request("PATCH", "/api/v1/nodes/p1/status", {"metadata": {"labels": {LABEL: "alice"}}}).status, 403)
    s.delete("/api/v1/nodes/p1")
    r = p.request("POST", "/api/v1/nodes", node("p1"))
    tap.ok("and a node like others without it", r.status == 201 and LABEL not in r.json["metadata"]["labels"] and not any(t["key"].startswith("kuscia") for t in r.json["spec"].get("taints", [])), r)
    b.request("POST", "/api/v1/nodes", node("b1"))
    names = lambda d: [n["name"] for n in s.get(f"{DOMAINS}/{d}").json["status"].get("nodeStatuses", [])]  # noqa: E731
    tap.ok("a domain's status shows its nodes", wait_for(lambda: names("alice") == ["a1"] and names("bob") == ["b1"]), (names("alice"), names("bob")))
    a.request("PATCH", "/api/v1/nodes/a1/status", {"status": {"conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})
    state = lambda: s.get(f"{DOMAINS}/alice").json["status"]["nodeStatuses"][0]["status"]  # noqa: E731
    tap.ok("and how they are", wait_for(lambda: state() == "Ready"), state())
    lists = lambda: [line for line in s.get("/metrics").text.splitlines() if line.startswith("apiserver_request_total") and 'resource="nodes"' in line and 'verb="LIST"' in line]  # noqa: E731
    before = lists()
    a.request("PATCH", "/api/v1/nodes/a1/status", {"status": {"conditions": [{"type": "Ready", "status": "False", "lastHeartbeatTime": "2026-01-01T00:00:10Z", "lastTransitionTime": "2026-01-01T00:00:10Z"}]}})
    tap.ok("also when that changes", wait_for(lambda: state() == "NotReady"), state())
    tap.eq("for which nobody lists all nodes", lists(), before)
    b.request("PATCH", "/api/v1/nodes/b1", {"metadata": {"labels": {"disk": "ssd"}}})
    s.delete("/api/v1/nodes/b1")
    tap.ok("one that goes", wait_for(lambda: names("bob") == []), names("bob"))
    b.request("POST", "/api/v1/nodes", node("b1"))
    tap.ok("and comes again", wait_for(lambda: names("bob") == ["b1"]), names("bob"))
    s.stop()
    s.start()
    tap.ok("as before when the server starts again", wait_for(lambda: s.get(f"{DOMAINS}/alice").status == 200) and names("alice") == ["a1"] and names("bob") == ["b1"])
    renewed = subprocess.run([COX, "join", "--renew", "--data-dir", a.dir, "--node-name", "a1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    text = open(os.path.join(a.dir, "agent", "kubeconfig")).read()
    cert = base64.b64decode(re.search(r"client-certificate-data:\s*(\S+)", text).group(1)).decode()
    subject = subprocess.run(["openssl", "x509", "-noout", "-subject"], input=cert, stdout=subprocess.PIPE, text=True).stdout
    tap.ok("a renewed certificate is of the same domain", renewed.returncode == 0 and "kuscia:domain:alice" in subject, renewed.stderr + subject)


CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


def ask_as(s, token, name, node_name):
    """Asks for the certificate of a node with nothing but a token."""
    made = subprocess.run(["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "/dev/null", "-subj", f"/O=system:nodes/CN=system:node:{node_name}"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    body = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
            "spec": {"request": base64.b64encode(made).decode(), "signerName": "kubernetes.io/kube-apiserver-client-kubelet", "usages": ["digital signature", "client auth"]}}
    conn = http.client.HTTPSConnection("127.0.0.1", s.port, context=ssl.create_default_context(cafile=s.path("ca.pem")), timeout=PATIENCE)
    conn.request("POST", CSRS, body=json.dumps(body), headers={"Content-Type": "application/json", "Authorization": "Bearer " + token})
    r = conn.getresponse()
    r.read()
    conn.close()
    return r.status


def test_names_of_others(s):
    certificate = lambda name: s.get(f"{CSRS}/{name}").json.get("status", {}).get("certificate")  # noqa: E731
    wait_for(lambda: "unused" in tokens(s, "alice"))
    token = tokens(s, "alice")["unused"]
    tap.eq("alice's token asks for the name of bob's node", ask_as(s, token, "taken", "b1"), 201)
    tap.eq("and for one that nobody has", ask_as(s, token, "free", "a2"), 201)
    tap.ok("which is given", wait_for(lambda: certificate("free")), s.get(f"{CSRS}/free").text)
    tap.ok("the other waits for a person", not certificate("taken") and not s.get(f"{CSRS}/taken").json.get("status", {}).get("conditions"), s.get(f"{CSRS}/taken").text)
    s.delete(f"{CSRS}/taken")


def test_names_that_others_will_have(s):
    """A certificate is given before its Node is there: whoever asks first for the name that bob's next machine will have gets nothing by it."""
    wait_for(lambda: "unused" in tokens(s, "alice") and "unused" in tokens(s, "bob"))
    early = Machine(s, "b2", tokens(s, "alice")["unused"])
    tap.eq("as long as nobody has the name it is a node", (early.done.returncode, early.request("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Db2").status), (0, 200))
    os.rename(early.dir, early.dir + "-early")
    early.dir += "-early"
    real = Machine(s, "b2", tokens(s, "bob")["unused"])
    tap.eq("bob's machine comes", (real.done.returncode, real.request("POST", "/api/v1/nodes", node("b2")).status), (0, 201))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "work"}, "spec": {"nodeName": "b2", "containers": [{"name": "main", "image": "i", "envFrom": [{"configMapRef": {"name": "files"}}]}]}}
    tap.eq("with work", (s.post("/api/v1/namespaces/bob/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "files"}}).status, s.post("/api/v1/namespaces/bob/pods", pod).status), (201, 201))
    paths = ("/api/v1/pods?fieldSelector=spec.nodeName%3Db2", "/api/v1/namespaces/bob/pods/work", "/api/v1/namespaces/bob/configmaps/files")
    tap.eq("which it sees", [real.request("GET", p).status for p in paths], [200, 200, 200])
    tap.eq("and alice's does not", [early.request("GET", p).status for p in paths], [403, 403, 403])
    r = early.request("PATCH", "/api/v1/nodes/b2/status", {"status": {"phase": "Running"}})
    tap.ok("nor speaks for it", r.status == 403 and "join under another name" in r.json["message"], r)


def test_namespaces_of_others(s):
    """A static pod's mirror with the labels of bob's pods would be an address of bob's services."""
    wait_for(lambda: "unused" in tokens(s, "alice"))
    a = Machine(s, "a3", tokens(s, "alice")["unused"])
    made = a.request("POST", "/api/v1/nodes", node("a3"))
    tap.eq("alice's machine", made.status, 201)
    owner = {"apiVersion": "v1", "kind": "Node", "name": "a3", "uid": made.json["metadata"]["uid"]}
    mirror = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "spy", "labels": {"app": "bobs"}, "annotations": {"kubernetes.io/config.mirror": "x"}, "ownerReferences": [owner]},
              "spec": {"nodeName": "a3", "automountServiceAccountToken": False, "containers": [{"name": "c", "image": "i"}]}}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "told"}, "involvedObject": {"kind": "Pod", "name": "work"}, "reason": "Told", "message": "lies", "type": "Normal"}
    post = lambda ns, plural, body: a.request("POST", f"/api/v1/namespaces/{ns}/{plural}", {**body, "involvedObject": {**event["involvedObject"], "namespace": ns}} if plural == "events" else body)  # noqa: E731
    r = post("bob", "pods", mirror)
    tap.ok("makes no pod in bob's namespace", r.status == 403 and 'namespace "bob" is another one\'s' in r.json["message"], r)
    tap.eq("nor Events", (post("bob", "events", event).status, s.get("/api/v1/namespaces/bob/events/told").status), (403, 404))
    tap.eq("in its own, and where nobody is, as every node", [post(ns, plural, body).status for ns in ("alice", "default") for plural, body in (("pods", mirror), ("events", event))], [201] * 4)


def test_one_token_twice(s):
    """Two machines come with it in the same moment: one gets in, it is used up, and there is a new one as soon as that one is in."""
    wait_for(lambda: "unused" in tokens(s, "alice"))
    token = tokens(s, "alice")["unused"]
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        machines = list(both.map(lambda name: Machine(s, name, token), ("twin-1", "twin-2")))
    now = tokens(s, "alice")
    tap.eq("one joins", sorted(m.done.returncode for m in machines), [0, 1])
    won, lost = sorted(machines, key=lambda m: m.done.returncode)
    tap.ok("the other is told who was first", f'node "{os.path.basename(won.dir)[2:]}" has used the token' in lost.done.stderr, lost.done.stderr)
    tap.eq("who is in is of its domain", won.request("POST", "/api/v1/nodes", node(os.path.basename(won.dir)[2:])).json["metadata"].get("labels", {}).get(LABEL), "alice")
    tap.ok("it is used, and there is a new one at once", now.get("used") == token and now.get("unused") not in (None, token), now)
    tap.eq("with which the other is let in", Machine(s, "twin-3", now["unused"]).done.returncode, 0)
    again = Machine(s, "twin-4", token)
    tap.ok("which ends nothing: the first one lets nobody in", again.done.returncode == 1 and "has used the token" in again.done.stderr, again.done.stderr)
    secret = s.get(f"/api/v1/namespaces/kube-system/secrets/bootstrap-token-{token[:6]}").json
    tap.ok("its time is counted", "expiration" in secret["data"], secret)


def test_token_that_is_over(s):
    """A request that was made in time, and whose token went before anybody looked at it: with its end, or with its Domain."""
    key, csr = s.path("late.key"), s.path("late.csr")
    subprocess.run(["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", csr, "-subj", "/O=system:nodes/CN=system:node:late"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    body = {"kind": "CertificateSigningRequest", "apiVersion": "certificates.k8s.io/v1", "metadata": {"name": "late"},
            "spec": {"request": base64.b64encode(open(csr, "rb").read()).decode(), "signerName": "kubernetes.io/kube-apiserver-client-kubelet", "usages": ["digital signature", "client auth"]}}
    who = {"Impersonate-User": "system:bootstrap:gone00", "Impersonate-Group": "system:bootstrappers:domain:alice"}
    for name in ("system:node-bootstrapper", "system:certificates.k8s.io:certificatesigningrequests:nodeclient"):
        s.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
           "kind": "ClusterRoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": f"late-{name}"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
           "subjects": [{"kind": "User", "name": "system:bootstrap:gone00", "apiGroup": "rbac.authorization.k8s.io"}]})
    r = s.post("/apis/certificates.k8s.io/v1/certificatesigningrequests", body, headers=who)
    look = lambda: s.get("/apis/certificates.k8s.io/v1/certificatesigningrequests/late").json.get("status", {})  # noqa: E731
    decided = wait_for(lambda: look().get("conditions"))
    tap.ok("a request whose token is over is denied, and told so", r.status == 201 and decided and [(c["type"], "is over" in c["message"]) for c in decided] == [("Denied", True)] and "certificate" not in look(), (r, decided))


def test_partner(s):
    s.post(DOMAINS, domain("far", role="partner", interConnProtocols=["kuscia"]))
    labels = lambda: s.get("/api/v1/namespaces/far").json["metadata"].get("labels", {})  # noqa: E731
    tap.ok("a partner has a namespace", wait_for(lambda: s.get("/api/v1/namespaces/far").status == 200) and labels()["kuscia.secretflow/role"] == "partner" and
           labels()["kuscia.secretflow/interconn-protocols"] == "kuscia", s.get("/api/v1/namespaces/far").text)
    tap.eq("and no token", tokens(s, "far"), {})
    s.post(DOMAINS, domain("near"))
    tap.ok("one that becomes a partner", wait_for(lambda: "unused" in tokens(s, "near")))
    token = tokens(s, "near")["unused"]
    r = s.patch(f"{DOMAINS}/near", {"spec": {"role": "lord"}})
    tap.ok("as what else it cannot be", r.status == 422 and 'spec.role: Unsupported value: "lord"' in r.json["message"], r)
    s.patch(f"{DOMAINS}/near", {"spec": {"role": "partner"}})
    tap.ok("has none any more, and nobody joins with the one it had", wait_for(lambda: tokens(s, "near") == {}) and s.get(f"/api/v1/namespaces/kube-system/secrets/bootstrap-token-{token[:6]}").status == 404, tokens(s, "near"))
    s.patch(f"{DOMAINS}/near", {"spec": {"role": ""}})
    role = lambda: s.get("/api/v1/namespaces/near").json["metadata"]["labels"].get("kuscia.secretflow/role")  # noqa: E731
    tap.ok("and is as before when it comes back", wait_for(lambda: "unused" in tokens(s, "near") and role() is None), (tokens(s, "near"), role()))
    s.delete(f"{DOMAINS}/near")


def test_deleted(s):
    s.delete(f"{DOMAINS}/far")
    deleted = lambda: s.get("/api/v1/namespaces/far").json["metadata"]["labels"].get("kuscia.secretflow/deleted")  # noqa: E731
    tap.ok("what a domain has stays, marked", wait_for(lambda: deleted() == "true"), deleted())
    s.post(DOMAINS, domain("far"))
    tap.ok("and is its again when it comes back", wait_for(lambda: deleted() == "false"), deleted())


def main():
    with Server() as s:
        tap.run([test_what_a_domain_gets, test_rights, test_what_others_take_away, test_people_and_jobs, test_joining, test_names_of_others, test_names_that_others_will_have, test_namespaces_of_others,
                 test_one_token_twice, test_token_that_is_over, test_partner, test_deleted], s)
    tap.done()


main()
