#!/usr/bin/env python3
"""The verbs that work on workloads and nodes as a whole: rollout, set, autoscale, cordon, drain, taint, top, node.

Where kubectl 1.33 is found, each command runs with both programs, in a namespace and on a node each, and must say the same; elsewhere the answers are
compared with expected_rollout.json, which `test_cli_rollout.py --record` writes from kubectl's.  Controllers are real, nodes are played (player.py).
"""
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "clients"), str(HERE.parent / "controllers")]
from lib.cox import COX, PATIENCE, Server, tap, wait_for  # noqa: E402
from player import Player  # noqa: E402
from test_cli import difference, find_kubectl  # noqa: E402

EXPECTED = HERE / "expected_rollout.json"
SIDES = {"c": {"ns": "ns-c", "node": "node-c"}, "k": {"ns": "ns-k", "node": "node-k"}}

ROLLOUTS = """
create deployment web --image=nginx:1 --replicas=2
SETTLE
rollout status deploy/web
rollout status deploy web --watch=false
rollout history deploy/web
rollout undo deploy/web
set image deploy/web nginx=nginx:2
SETTLE
annotate deploy web kubernetes.io/change-cause=two
SETTLE
rollout status deploy/web
rollout history deploy/web
rollout history deploy
rollout history deploy/web --revision=1
rollout history deploy/web --revision=2
rollout history deploy/web --revision=9
rollout history deploy/web --revision=1 -o jsonpath={.kind}{"/"}{.apiVersion}
rollout status deploy/web --revision=1
rollout status deploy/web --revision=2
rollout undo deploy/web --dry-run=client
rollout undo deploy/web --dry-run=server
rollout undo deploy/web
SETTLE
rollout history deploy/web
get deploy web -o jsonpath={.spec.template.spec.containers[0].image}
rollout undo deploy/web --to-revision=2
SETTLE
rollout undo deploy/web --to-revision=2
rollout undo deploy/web --to-revision=77
rollout undo deploy/web --to-revision=4
rollout undo deploy/web --to-revision=-1
rollout pause deploy/web
rollout pause deploy/web
rollout undo deploy/web
rollout restart deploy/web
rollout resume deploy/web
rollout resume deploy/web
rollout restart deploy/web
SETTLE
rollout status deploy/web --timeout=180s
rollout status deploy/nope
rollout status cm/nope
rollout status cm kube-root-ca.crt
rollout history cm kube-root-ca.crt
rollout undo cm kube-root-ca.crt
rollout restart cm kube-root-ca.crt
rollout pause cm kube-root-ca.crt
rollout resume cm kube-root-ca.crt
rollout status
rollout history
rollout undo
rollout restart
rollout pause
rollout restart deploy -l app=nope
apply -f DIR/sets.yaml
SETTLE
rollout status sts/st
rollout history sts/st
set image sts/st c=y
SETTLE
rollout status sts/st
rollout history sts/st
rollout history sts/st --revision=1
rollout undo sts/st --dry-run=client
rollout undo sts/st
SETTLE
rollout undo sts/st --to-revision=9
rollout pause sts/st
rollout status ds/ds
rollout history ds/ds
rollout undo ds/ds
rollout restart sts/st ds/ds
rollout status sts/odd
"""

SETS = """
create deployment web --image=nginx:1
set image deploy/web nginx=nginx:2
set image deploy/web nginx=nginx:2
set image deploy/web nope=nginx:3
set image deploy/web
set image deploy/nope nginx=nginx:9
set image cm/kube-root-ca.crt a=b
set image deploy/web *=x:1
set image deploy/web nginx=nginx:9 --dry-run=client
set image deploy/web nginx=nginx:9 --dry-run=server
set image deploy/web nginx=nginx:9 -o name
set image deploy/web nginx
set env deploy/web A=1 B=two
set env deploy/web --list
set env deploy/web A-
set env deploy/web A-
set env deploy/web A=2 --overwrite=false
set env deploy/web B=2 --overwrite=false
create configmap c1 --from-literal=k1=v
create configmap c2 --from-literal=k-2=w
create secret generic s1 --from-literal=pw=x
set env deploy/web --from=configmap/c1
set env deploy/web --from=configmap/c2
set env deploy/web --from=configmap/c1 --prefix=P_ --keys=k1
set env deploy/web --from=secret/s1
set env deploy/web --list
set env deploy/web -c nope X=1
set env deploy/web
set env A=1
set env --all deploy A=3
get deploy web -o jsonpath={.spec.template.spec.containers[0].env}
set resources deploy/web --limits=cpu=200m,memory=512Mi --requests=cpu=0.1
set resources deploy/web --limits=cpu=200m,memory=512Mi --requests=cpu=100m
set resources deploy/web --limits=cpu=0
set resources deploy/web
set resources deploy/web --limits=cpu
set resources deploy/web --limits=cpu=x
set resources deploy/web -c nope --limits=cpu=1
get deploy web -o jsonpath={.spec.template.spec.containers[0].resources}
autoscale deploy web --max=5
autoscale deploy web --max=5
autoscale deploy web --min=3 --max=2
autoscale deploy web --max=0
autoscale deploy web --name=w2 --min=1 --max=3 --cpu-percent=50
get hpa w2 -o jsonpath={.spec}
autoscale deploy web
autoscale deploy/nope --max=3
autoscale cm/c1 --max=3
autoscale deploy web --max=3 --dry-run=client -o yaml
autoscale deploy web --max=3 --name w3 --dry-run=server
"""

NODES = """
cordon NODE
cordon NODE
uncordon NODE
uncordon NODE
cordon
uncordon
drain
cordon nope
cordon NODE nope
cordon NODE -l a=b
get node NODE -o jsonpath={.spec.unschedulable}
drain NODE nope --force
drain NODE -l a=b
cordon --foo
cordon NODE --dry-run=client
cordon NODE --dry-run=server
cordon -l a=b
taint node NODE a=b:NoSchedule
taint node NODE a=b:NoSchedule
taint node NODE a=c:NoSchedule
taint node NODE a=c:NoSchedule --overwrite
taint node NODE c:NoExecute d=:PreferNoSchedule
get node NODE -o jsonpath={.spec.taints[*].key}
taint node NODE a:NoSchedule-
taint node NODE a:NoSchedule-
taint node NODE c- d-
taint node NODE c-
taint node NODE x=y:Foo
taint node NODE x=y
taint node NODE
taint node
taint
taint pod x a=b:NoSchedule
taint node nope a=b:NoSchedule
taint nodes -l zz=1 a-
taint nodes NODE a=b:NoSchedule a-
taint nodes NODE a=b:NoSchedule a=c:NoSchedule
taint nodes NODE b@d=b:NoSchedule
get node NODE -o jsonpath={.spec}
"""

DRAINS = """
drain nope
drain -l a=b
drain NODE --pod-selector=a=nobody
drain NODE --pod-selector=a=lone
drain NODE --pod-selector=a=scratch --force
drain NODE --pod-selector=a=daemon
drain NODE --pod-selector=a=daemon --ignore-daemonsets
drain NODE --pod-selector=a=lone --force --dry-run=client
drain NODE --pod-selector=a=lone --force --dry-run=server
drain NODE --pod-selector=a=lone --force
drain NODE --pod-selector=a=finished
drain NODE --pod-selector=a=scratch --force --delete-emptydir-data --disable-eviction --grace-period=0
drain NODE --pod-selector=a=owned --timeout=180s
drain NODE --ignore-daemonsets --chunk-size=1
uncordon NODE
"""

TOPS = """
top nodes
top node
top no n1
top node nope
top nodes --sort-by=cpu
top nodes --sort-by=memory --no-headers
top nodes --sort-by=x
top nodes -l a=b
top nodes --show-capacity
top pods
top pods -A
top pods -A --containers
top pods --containers --no-headers
top pods --sum
top pods -A --sum --containers
top pods -A --sort-by=memory
top pods -A --sort-by=cpu
top pod a
top pod nope
top pods -n empty
"""

SETS_YAML = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: st}
spec: {serviceName: st, replicas: 2, selector: {matchLabels: {a: st}}, template: {metadata: {labels: {a: st}}, spec: {containers: [{name: c, image: x}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: odd}
spec: {serviceName: st, replicas: 0, updateStrategy: {type: OnDelete}, selector: {matchLabels: {a: odd}}, template: {metadata: {labels: {a: odd}}, spec: {containers: [{name: c, image: x}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ds}
spec: {selector: {matchLabels: {a: ds}}, template: {metadata: {labels: {a: ds}}, spec: {nodeSelector: {no: where}, containers: [{name: c, image: x}]}}}
"""


class Both:
    """Runs each command with cox and, where there is one, with kubectl, each on a side of its own."""

    def __init__(self, kubectl, folder):
        self.kubectl, self.folder = kubectl, folder
        self.expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
        self.recorded = {}
        self.sides = ["c", "k"] if kubectl else ["c"]

    def run(self, server, program, words):
        env = {**os.environ, "HOME": server.dir, "KUBECONFIG": server.kubeconfig, "TZ": "UTC"}
        env.pop("COX", None)
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=2 * PATIENCE, env=env)
        return {"out": done.stdout, "err": done.stderr, "code": done.returncode}

    def plain(self, answer, unordered):
        """As cox says it, without what differs from run to run."""
        def fix(text):
            for side in SIDES.values():
                text = text.replace(side["ns"], "NS").replace(side["node"], "NODE")
            text = re.sub(r"'kubectl(\.1\.33)? ", "'cox ", text)
            text = re.sub(r"pod-template-hash=\w+", "pod-template-hash=HASH", text)
            text = re.sub(r"kubectl.kubernetes.io/restartedAt: \S+", "restartedAt: TIME", text)
            lines = text.splitlines(keepends=True)
            return "".join(sorted(lines) if unordered else lines)
        return {"out": fix(answer["out"]), "err": fix(answer["err"]), "code": answer["code"]}

    def ask(self, server, side, line, more=()):
        words = [w.replace("NODE", SIDES[side]["node"]).replace("DIR", self.folder) for w in line.split(" ")]
        return self.run(server, COX if side == "c" else self.kubectl, [*more, *words])

    def compare(self, name, server, line, namespaced=True, unordered=False, more=()):
        answers = [self.plain(self.ask(server, side, line, [*more, *(("-n", SIDES[side]["ns"]) if namespaced else ())]), unordered) for side in self.sides]
        if self.kubectl:
            want = self.recorded[name] = answers[1]
        else:
            want = self.expected.get(name)
        if want is None:
            tap.skip(name, "needs kubectl 1.33")
        else:
            tap.ok(name, answers[0] == want, difference(answers[0], want))


def settled(server, ns):
    """Whether all workloads are as they shall be, and revisions carry the causes of their owners."""
    owners = [r["metadata"].get("ownerReferences", [{}])[0].get("uid") for r in server.get(f"/apis/apps/v1/namespaces/{ns}/controllerrevisions").json["items"]]
    for kind in ("deployments", "statefulsets", "daemonsets"):
        for o in server.get(f"/apis/apps/v1/namespaces/{ns}/{kind}").json["items"]:
            spec, status = o["spec"], o["status"]
            if status.get("observedGeneration", 0) < o["metadata"]["generation"]:
                return False
            if kind != "deployments" and o["metadata"]["uid"] not in owners:
                return False
            want = spec.get("replicas", 0)
            if kind == "deployments":
                if spec.get("paused"):
                    continue
                have = [status.get(k, 0) for k in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")]
                if have != [want] * 4 or not cause_is_known(server, ns, o):
                    return False
            if kind == "statefulsets" and (status.get("readyReplicas", 0) != want or status.get("currentRevision") != status.get("updateRevision") and
                                           spec["updateStrategy"]["type"] == "RollingUpdate"):
                return False
    return True


def cause_is_known(server, ns, deployment):
    name = "kubernetes.io/change-cause"
    revision = deployment["metadata"].get("annotations", {}).get("deployment.kubernetes.io/revision")
    for rs in server.get(f"/apis/apps/v1/namespaces/{ns}/replicasets").json["items"]:
        owner = rs["metadata"].get("ownerReferences", [{}])[0].get("uid")
        notes = rs["metadata"].get("annotations", {})
        if owner == deployment["metadata"]["uid"] and notes.get("deployment.kubernetes.io/revision") == revision:
            return notes.get(name) == deployment["metadata"]["annotations"].get(name)
    return False


def make_sides(both, server):
    for side in both.sides:
        server.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SIDES[side]["ns"]}})
        server.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": SIDES[side]["node"]}})


def rollouts(both):
    (pathlib.Path(both.folder) / "sets.yaml").write_text(SETS_YAML)
    with Server() as server, Player(server):
        make_sides(both, server)
        for side in both.sides:
            wait_for(lambda: server.get(f"/api/v1/namespaces/{SIDES[side]['ns']}/configmaps/kube-root-ca.crt").status == 200, PATIENCE)
        for number, line in enumerate(ROLLOUTS.strip().splitlines(), 1):
            if line == "SETTLE":
                for side in both.sides:
                    if not wait_for(lambda: settled(server, SIDES[side]["ns"]), PATIENCE):
                        tap.ok(f"rollout {number}: settled", False, server.get(f"/apis/apps/v1/namespaces/{SIDES[side]['ns']}/deployments").text[:3000])
            else:
                both.compare(f"rollout {number}: {line}", server, line)
        following(both, server)


def following(both, server):
    """rollout status goes on until the end, and tells failures."""
    ns = SIDES["c"]["ns"]
    env = {**os.environ, "KUBECONFIG": server.kubeconfig}
    path = f"/apis/apps/v1/namespaces/{ns}/deployments/web"
    server.patch(path, {"spec": {"template": {"spec": {"containers": [{"name": "nginx", "image": "nginx:7"}]}}}}, kind="strategic")
    done = subprocess.run([COX, "-n", ns, "rollout", "status", "deploy/web", f"--timeout={PATIENCE}s"], stdout=subprocess.PIPE, text=True, env=env, timeout=2 * PATIENCE)
    tap.eq("status ends with the rollout", done.stdout.splitlines()[-1], 'deployment "web" successfully rolled out')
    wait_for(lambda: settled(server, ns), PATIENCE)
    both_paused = server.patch(path, {"spec": {"paused": True, "replicas": 3}})
    tap.eq("a deployment is held", both_paused.status, 200)
    wait_for(lambda: server.get(path).json["status"].get("availableReplicas") == 3, PATIENCE)
    server.patch(path, {"spec": {"template": {"metadata": {"annotations": {"x": "y"}}}}})
    done = subprocess.run([COX, "-n", ns, "rollout", "status", "deploy/web", "--timeout=300ms"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, timeout=2 * PATIENCE)
    tap.ok("status gives up", done.returncode == 1 and "timed out waiting for the condition" in done.stderr, done)


def sets(both):
    with Server(args=["--controllers=false"]) as server:
        make_sides(both, server)
        for side in both.sides:
            server.post(f"/api/v1/namespaces/{SIDES[side]['ns']}/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt"}})
        for number, line in enumerate(SETS.strip().splitlines(), 1):
            both.compare(f"set {number}: {line}", server, line)
        for number, line in enumerate(NODES.strip().splitlines(), 1):
            both.compare(f"node {number}: {line}", server, line, namespaced=False)
        draining(both, server)
        tables(server)


def make_pod(server, side, name, controller=None, **spec):
    ns, node = SIDES[side]["ns"], SIDES[side]["node"]
    meta = {"name": name, "labels": {"a": name}}
    if controller:
        meta["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": controller[0], "name": controller[1], "uid": controller[2], "controller": True}]
    done = server.post(f"/api/v1/namespaces/{ns}/pods", {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"nodeName": node, "containers": [{"name": "c", "image": "x"}], **spec}})
    if done.status != 201:
        tap.ok(f"pod {name}", False, done)


def draining(both, server):
    with Player(server, fate=lambda pod: "Succeeded" if pod["metadata"]["name"] == "finished" else "Running"):
        for side in both.sides:
            ns = SIDES[side]["ns"]
            body = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "daemon"},
                    "spec": {"selector": {"matchLabels": {"a": "daemon"}}, "template": {"metadata": {"labels": {"a": "daemon"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}}}
            daemon = server.post(f"/apis/apps/v1/namespaces/{ns}/daemonsets", body).json["metadata"]["uid"]
            make_pod(server, side, "lone")
            make_pod(server, side, "finished")
            make_pod(server, side, "scratch", volumes=[{"name": "v", "emptyDir": {}}])
            make_pod(server, side, "daemon", controller=("DaemonSet", "daemon", daemon))
            make_pod(server, side, "owned", controller=("ReplicaSet", "rs", "0b4f1c4e-0000-4000-8000-000000000001"))
            started = lambda: all(p["status"].get("phase") in ("Running", "Succeeded") for p in server.get(f"/api/v1/namespaces/{ns}/pods").json["items"])
            tap.ok(f"pods of side {side} run", wait_for(started, PATIENCE))
        for number, line in enumerate(DRAINS.strip().splitlines(), 1):
            both.compare(f"drain {number}: {line}", server, line, namespaced=False, unordered=True)
        budgets(server)


def budgets(server):
    """An eviction that a budget refuses is asked for again, and comes through when the budget allows it."""
    ns, node = SIDES["c"]["ns"], SIDES["c"]["node"]
    make_pod(server, "c", "guarded", controller=("ReplicaSet", "rs", "0b4f1c4e-0000-4000-8000-000000000001"))
    path = f"/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
    server.post(path, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"a": "guarded"}}}})
    generation = server.get(path + "/b").json["metadata"]["generation"]
    allow = lambda n: server.patch(path + "/b/status", {"status": {"disruptionsAllowed": n, "observedGeneration": generation, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}})
    tap.eq("a budget without room", allow(0).status, 200)
    wait_for(lambda: server.get(f"/api/v1/namespaces/{ns}/pods/guarded").json["status"].get("phase") == "Running", PATIENCE)
    env = {**os.environ, "KUBECONFIG": server.kubeconfig}
    with subprocess.Popen([COX, "drain", node, "--ignore-daemonsets"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as drain:
        tap.has("a warning about what stays", drain.stderr.readline(), "ignoring DaemonSet-managed Pods")
        refused = drain.stderr.readline()
        tap.ok("the budget is respected", 'error when evicting pods/"guarded"' in refused and "will retry after 5s" in refused, refused)
        tap.eq("the pod is still there", server.get(f"/api/v1/namespaces/{ns}/pods/guarded").status, 200)
        allow(1)
        try:
            out, err = drain.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            drain.kill()
            out, err = drain.communicate()
    tap.ok("and then the pod goes", drain.returncode == 0 and "pod/guarded evicted" in out and f"node/{node} drained" in out, out + err)
    done = subprocess.run([COX, "drain", node], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, timeout=PATIENCE)
    tap.ok("a daemon is in the way", done.returncode == 1 and "use --ignore-daemonsets to ignore" in done.stderr, done)


def tables(server):
    """cox node list, which kubectl has not."""
    node = SIDES["c"]["node"]
    size = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    status = {"capacity": size, "allocatable": size, "conditions": [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "True"}]}
    server.patch(f"/api/v1/nodes/{node}/status", {"status": status})
    make_pod(server, "c", "big", containers=[{"name": "c", "image": "x", "resources": {"requests": {"cpu": "1500m", "memory": "2Gi"}}}])
    env = {**os.environ, "KUBECONFIG": server.kubeconfig}

    def ask(*words):
        return subprocess.run([COX, "node", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, timeout=PATIENCE)
    rows = [re.split(r" {3,}", line.strip()) for line in ask("list", node).stdout.splitlines()]
    tap.eq("node list, headers", rows[0], ["NAME", "STATUS", "CPU", "MEMORY", "PODS", "PRESSURE", "AGE"])
    tap.eq("node list, a row", rows[1][:4] + rows[1][5:6], [node, "Ready,SchedulingDisabled", "1500m/4 (37%)", "2Gi/8Gi (25%)", "disk"])
    server.patch(f"/api/v1/nodes/{node}/status", {"status": {"allocatable": {**size, "memory": "24684112Ki"}}})
    tap.has("node list, memory of a real machine", ask("list", node).stdout, "2Gi/23.5Gi (8%)")
    tap.has("node list -o name", ask("list", "-o", "name").stdout, f"node/{node}\n")
    tap.eq("node list NODE -o jsonpath", ask("list", node, "-o", "jsonpath={.kind} {.metadata.name}").stdout, f"Node {node}")
    tap.has("node describe", ask("describe", node).stdout, "Non-terminated Pods:")
    done = ask("list", "nope")
    tap.ok("node list of nothing", done.returncode == 1 and 'nodes "nope" not found' in done.stderr, done)


class Metrics:
    """An API server in front of ours that has metrics.k8s.io."""
    GROUP = {"name": "metrics.k8s.io", "versions": [{"groupVersion": "metrics.k8s.io/v1beta1", "version": "v1beta1"}], "preferredVersion": {"groupVersion": "metrics.k8s.io/v1beta1", "version": "v1beta1"}}
    RESOURCES = [("nodes", "NodeMetrics", False), ("pods", "PodMetrics", True)]

    def __init__(self, server):
        outer = self
        use = lambda cpu, memory: {"cpu": cpu, "memory": memory}
        self.nodes = [{"metadata": {"name": "n1"}, "usage": use("1500m", "2Gi")}, {"metadata": {"name": "n2"}, "usage": use("123456789n", "5Gi")}]
        self.pods = [{"metadata": {"name": name, "namespace": ns}, "containers": [{"name": f"c{i}", "usage": u} for i, u in enumerate(uses)]}
                     for ns, name, uses in (("default", "b", [use("10m", "20Mi")]), ("default", "a", [use("1", "1Gi"), use("2500u", "3Mi")]), ("other", "z", [use("20m", "100Mi")]))]

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                status, kind, body = outer.answer(server, self.path, self.headers.get("Accept", ""))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        self.httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.httpd.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"
        self.thread = threading.Thread(target=self.httpd.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.httpd.shutdown()
        self.httpd.server_close()
        self.thread.join(30)

    def answer(self, server, path, accept):
        as_json = lambda status, body, kind="application/json": (status, kind, json.dumps(body).encode())
        plain, accept = path.split("?")[0], accept.replace("application/vnd.kubernetes.protobuf", "application/json")
        if plain == "/apis":
            r = server.get("/apis", headers={"Accept": accept})
            return as_json(r.status, self.with_group(r.json), r.headers["Content-Type"])
        if plain == "/apis/metrics.k8s.io/v1beta1":
            return as_json(200, {"kind": "APIResourceList", "groupVersion": "metrics.k8s.io/v1beta1",
                                 "resources": [{"name": n, "singularName": "", "kind": k, "namespaced": ns, "verbs": ["get", "list"]} for n, k, ns in self.RESOURCES]})
        m = re.fullmatch(r"/apis/metrics.k8s.io/v1beta1(?:/namespaces/([^/]+))?/(nodes|pods)(?:/([^/]+))?", plain)
        if not m:
            r = server.get(path, headers={"Accept": accept})
            return r.status, r.headers["Content-Type"], r.body
        ns, what, name = m.groups()
        kind = dict((n, k) for n, k, _ in self.RESOURCES)[what]
        found = [{**o, "kind": kind, "apiVersion": "metrics.k8s.io/v1beta1", "timestamp": "2026-01-02T03:04:05Z", "window": "30s"} for o in getattr(self, what)
                 if (not ns or o["metadata"]["namespace"] == ns) and (not name or o["metadata"]["name"] == name) and "labelSelector" not in path]
        if name and not found:
            return as_json(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": f'{what}.metrics.k8s.io "{name}" not found'})
        return as_json(200, found[0] if name else {"kind": kind + "List", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {}, "items": found})

    def with_group(self, document):
        if document["kind"] == "APIGroupList":
            document["groups"] = [g for g in document["groups"] if g["name"] != "metrics.k8s.io"] + [self.GROUP]
        else:
            resources = [{"resource": n, "responseKind": {"group": "", "version": "", "kind": k}, "scope": "Namespaced" if ns else "Cluster", "singularResource": "", "verbs": ["get", "list"]}
                         for n, k, ns in self.RESOURCES]
            document["items"] = [g for g in document["items"] if g["metadata"]["name"] != "metrics.k8s.io"]
            document["items"].append({"metadata": {"name": "metrics.k8s.io", "creationTimestamp": None}, "versions": [{"version": "v1beta1", "resources": resources, "freshness": "Current"}]})
        return document


def tops(both):
    with Server(args=["--controllers=false"]) as server:
        for name, cpu, memory in (("n1", "4", "8Gi"), ("n2", "2", "6Gi"), ("n3", "1", "1Gi")):
            server.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
            server.patch(f"/api/v1/nodes/{name}/status", {"status": {"capacity": {"cpu": "8", "memory": "16Gi"}, "allocatable": {"cpu": cpu, "memory": memory}}})
        server.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "empty"}})
        metrics = Metrics(server)
        try:
            for number, line in enumerate(TOPS.strip().splitlines(), 1):
                both.compare(f"top {number}: {line}", server, line, namespaced=False, more=["--server", metrics.url])
        finally:
            metrics.close()


def helps(both):
    """Help and completion know the verbs: they come from the same tables."""
    run = lambda *words: subprocess.run([COX, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    script, page = run("completion", "bash").stdout, run("man").stdout
    for words in ("rollout status", "rollout history", "rollout undo", "rollout restart", "rollout pause", "rollout resume", "set image", "set env", "set resources", "cordon", "uncordon",
                  "drain", "taint", "top node", "top pod", "autoscale", "node list", "node describe"):
        tap.has(f"help of {words}", run(*words.split(), "--help").stdout, f"Usage: cox {words} ")
        tap.has(f"manual of {words}", page, f".SS cox {words} ")
        tap.has(f"completion of {words}", script, words.split()[-1])


def main():
    kubectl = find_kubectl()
    with tempfile.TemporaryDirectory(prefix="cox-cli-") as folder:
        both = Both(kubectl, folder)
        for test in (helps, sets, tops, rollouts):
            try:
                test(both)
            except Exception as e:  # noqa: BLE001
                import traceback
                tap.ok(test.__name__, False, traceback.format_exc() + str(e))
        if "--record" in sys.argv and kubectl:
            EXPECTED.write_text(json.dumps(both.recorded, indent=1, sort_keys=True) + "\n")
    tap.done()


if __name__ == "__main__":
    main()
