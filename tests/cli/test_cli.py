#!/usr/bin/env python3
"""The client verbs of cox against a server of its own.

Where a kubectl of the same version is found, every command runs with both programs and must say the same: reads on the same objects, changes in
a namespace each.  Elsewhere the answers are compared with expected.json, which `test_cli.py --record` writes from kubectl's.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "clients")]
from lib.cox import COX, PATIENCE, Server, tap, wait_for  # noqa: E402

EXPECTED = HERE / "expected.json"
OBJECTS = HERE / "objects.yaml"
DRY = ["--dry-run=client", "-o", "yaml"]
# Reads, on the objects of objects.yaml.  A command that cox words differently on purpose is not here but in own_words().
READS = """
get ns
get all
get all -A
get all -o wide
get pods
get pods -A -o wide --show-labels
get deploy,sts,ds,rs
get deploy,job -o name
get pod/p1 svc/s1
get po p1 -o yaml
get po p1 -o json
get svc -o json
get svc -o yaml
get po p1 -o jsonpath={.spec.containers[*].name}
get po -o jsonpath={range.items[*]}{.metadata.name}{"\\t"}{.spec.nodeName}{"\\n"}{end}
get po p1 -o jsonpath-as-json={.metadata.labels}
get po -o custom-columns=NAME:.metadata.name,IMAGES:.spec.containers[*].image,SEL:.spec.nodeSelector,NOPE:.x.y
get po -o custom-columns=NAME:.metadata.name --no-headers
get po -L app,tier
get po --show-labels --no-headers
get pods -l app=p1,tier!=x
get pods -l app=nope
get pods --field-selector=metadata.name=p1
get pods --field-selector=foo=bar
get pods -l app=(
get cm,secret -o name
get pv,pvc,sc
get hpa,pdb,netpol,ing
get jobs,cj
get foos
get foos.ex.io foo1 -o yaml
get crd
get deployments.v1.apps d1
get Deployment d1
get DEPLOY/d1
get nodes --show-kind
get nodes -o wide
get ns --sort-by=.metadata.name
get cm --sort-by={.metadata.creationTimestamp}
get pod p1 --subresource=status
get deploy d1 --subresource=scale
get deploy d1 --subresource=scale -o yaml
get roles,rolebindings
get clusterroles --no-headers
get events
get quota,limits -A
get sa,cm -o wide
get leases -A
get pods x
get pods p1 x
get pods/p1 x
get pods p1 -A
get pods/a/b
get foo.bar
get nope
get po,svc p1
get po -n nope
get ns nope --ignore-not-found
get ns nope --ignore-not-found -o yaml
get --raw /version
get --raw /nope
get -f /no/such/file
describe pod/p1
describe pod p
describe pods
describe pod nope
describe node/n1
describe deploy/d1
describe sts/st1
describe ds/ds1
describe rs/rs1
describe job/j1
describe cj/cj1
describe svc/s1
describe svc kubernetes
describe endpointslice/s1-abc
describe cm/cm1
describe secret/sec1
describe sa/sa1
describe pv/pv1
describe pvc/claim1
describe sc/sc1
describe ing/ing1
describe ingressclass/ic1
describe netpol/np1
describe hpa/hpa1
describe pdb/pdb1
describe quota/q1
describe limits lr1 -n kube-public
describe role/r1
describe rolebinding/rb1
describe clusterrole/system:basic-user
describe pc/pc1
describe ns kube-public
describe foo/foo1
describe crd/foos.ex.io
describe lease -A
api-resources
api-resources -o wide
api-resources -o name --namespaced=false
api-resources --api-group=apps --no-headers
api-resources --verbs=list,get --sort-by=name
api-resources --categories=all --sort-by=kind
api-versions
explain pods
explain pod.spec.containers
explain deploy.spec.strategy
explain deployments.apps.spec.template.spec.containers.imagePullPolicy
explain pods --recursive
explain foo.spec
auth can-i get pods
auth can-i get pods --as bob
auth can-i list nodes
auth can-i frobnicate gadgets
auth can-i get /metrics --as bob
auth can-i --list
auth can-i --list --as system:serviceaccount:default:sa1
auth whoami
config view
config get-contexts
config current-context
config get-clusters
config get-users
wait --for=jsonpath={.spec.replicas}=2 deploy/d1
wait --for=condition=Ready pod/p1 --timeout=0
wait --for=delete pod/nope
wait --for=foo pod/p1
wait pod --for=condition=Ready -l nope=1
annotate pod nope a=b
get pods -n
get pods --namespace
get pods -x
get pods --foo
--foo
-x
rollout foo
top foo
logs
logs nope
logs pod/nope
logs deploy/nope
logs p1 a b
logs p1 -l app=p1
logs -l app=nope
logs p1 -c a --all-containers
logs p1 a -c b
logs p1 --tail=-5
logs p1 --since=1h --since-time=2020-01-01T00:00:00Z
logs p1 --limit-bytes=-1
logs nope --pod-running-timeout=1s
logs p1 -o json
logs bananas/x
exec
exec p1
exec p1 --
exec p1 ls
exec p1 ls /
exec -- ls
exec nope -- ls
exec deploy/nope -- ls
exec pod p1 -- ls
exec bananas/x -- ls
exec nope --pod-running-timeout=1s -- ls
attach
attach nope
attach pod nope
attach bananas/x
port-forward
port-forward p1
port-forward nope 80
port-forward svc/nope 80
cp
cp a
cp a b c
cp a b
cp p1:/a p1:/b
cp p1: b
cp /no/such/file p1:/tmp/x
cp nope:/a b
cp nope:/a b --retries=1
run
run x
run x --image=
run x --image=a --restart=Foo
run x --image=a --image-pull-policy=Foo
run x --image=a --rm
run x --image=a -it --dry-run=client
run x --image=a -t
run x --image=a --expose
run x --image=a --port=80 --expose --dry-run=client
run x --image=a --foo
expose pod p1 --port=80 --session-affinity=Foo
expose deploy nope --port=80
expose
scale deploy nope --replicas=1
scale deploy --replicas=1 -l a=nope
scale deploy d1
set image
set foo
top node a b
top pod a b
"""

# Answers that change whenever the API grows are compared with kubectl's only.
NOT_STORED = ("explain", "api-", "auth can-i --list", "get clusterroles", "describe clusterrole", "get --raw /version", "describe lease", "get leases")

# Generators; each with --dry-run=client -o yaml.
GENERATED = """
create namespace x
create configmap c --from-literal=a=1 --from-literal=b=two
create configmap c --from-file=DIR/folder
create configmap c --from-file=key=DIR/folder/a.txt -n ns-c
create configmap c --from-env-file=DIR/env.txt
create secret generic s --from-literal=a=1 --type=foo/bar
create secret docker-registry d --docker-username=u --docker-password=p --docker-server=r.io --docker-email=e@x
create deployment web --image=nginx:1 --replicas=3 --port=80
create deployment web --image=reg.io:5000/a/b@sha256:abc --image=other
create job j --image=busybox
create cronjob j --image=busybox --schedule=*/5 --restart=Never
create service clusterip s --tcp=80:8080,443
create service clusterip s --clusterip=None
create service nodeport s --tcp=80:http --node-port=30000
create service externalname s --external-name=a.b
create service loadbalancer s --tcp=1
create serviceaccount x
create role r --verb=get,list,get --resource=pods,deploy.apps/scale --resource-name=x
create clusterrole r --verb=* --resource=po,deploy,svc
create clusterrole r --verb=get --non-resource-url=/metrics,/logs/*
create clusterrole r --aggregation-rule=a=b
create rolebinding b --role=r --user=u --group=g --serviceaccount=a:b
create clusterrolebinding b --clusterrole=r --user=u
create quota q --hard=cpu=1000m,memory=1Gi --scopes=BestEffort
create quota q --hard=cpu
create priorityclass p --value=10 --description=x --global-default
create pdb p --selector=app=x --min-available=50%
create pdb p --selector=app=x,y --max-unavailable=1
create ingress i --rule=a.com/x*=svc:80,tls=s --rule=a.com/y=svc:http --class=c --annotation=a=b
create ingress i --default-backend=s:80
create ingress i
run x --image=nginx
run x --image=nginx --port=80 --env=a=b --restart=Never --labels=a=b,c=d
expose pod p1 --port=80 --name=e1
expose svc s1 --name=e2 --port=1 --target-port=web --type=NodePort
expose pod p1 --port=80 --name=e3 --session-affinity=ClientIP
expose pod p1 --port=80 --name=e4 --load-balancer-ip=1.2.3.4 --type=LoadBalancer
expose pod p1 --port=80 --name=e5 --overrides={"spec":{"type":"NodePort"}}
"""

# Changes, in order, in a namespace of the program's own.
CHANGES = """
create -f DIR/one.yaml
create -f DIR/one.yaml
apply -f DIR/one.yaml
apply -f DIR/one.yaml
apply -f DIR/two.yaml
apply -f DIR/two.yaml
get cm/one deploy/one -o jsonpath={range.items[*]}{.metadata.labels}{.data}{.spec.template.spec.containers}{.spec.template.spec.volumes}{"\\n"}{end}
apply -f DIR/three.yaml --server-side
apply -f DIR/three.yaml --server-side --field-manager=other
apply -f DIR/one.yaml --dry-run=server
apply -f DIR/one.yaml --dry-run=client -o name
apply view-last-applied cm/one
apply -f DIR/unknown.yaml
apply -f DIR/broken.yaml
apply -f DIR/nokind.yaml
apply -f DIR/badfield.yaml
apply -f DIR/elsewhere.yaml
apply -f DIR/empty
apply
label cm one a=b c=d
label cm one a=other
label cm one a=other --overwrite
label cm one c- nothere-
label cm --all x=y
label cm one
annotate cm one note=hello
annotate cm one note=other
annotate cm one note-
patch cm one -p {"data":{"p":"1"}}
patch cm one --type=json -p [{"op":"remove","path":"/data/p"}]
patch cm one --type=json -p [{"op":"remove","path":"/data/nope"}]
patch cm one --type=foo -p {}
patch cm one
patch cm nope -p {}
scale deploy/one --replicas=3
scale deploy/one --replicas=5 --current-replicas=1
scale deploy/one
get deploy one -o jsonpath={.spec.replicas}
create configmap lit --from-literal=a=b
create configmap lit --from-literal=a=b
create serviceaccount sa
create deployment dep --image=x
create role rr --verb=get --resource=pods
run pp --image=x
delete pod pp --now
delete cm one lit nope
delete cm one --ignore-not-found
delete deploy -l app=dep
delete cm,sa --all --field-selector=metadata.name=sa
delete deploy --all
delete -f DIR/one.yaml
delete pods
delete cm nope --dry-run=client
delete role rr --dry-run=server -o name
delete role rr --wait=false
"""

FILES = {
    "folder/a.txt": "hello\n",
    "folder/b.bin": b"\xff\x01",
    "env.txt": "# comment\nKEY=value\n  SPACED=x y\n",
    "empty/readme.txt": "",
    "one.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, labels: {l: one}}\ndata: {a: '1', b: '2'}\n---\napiVersion: apps/v1\nkind: Deployment\n"
                "metadata: {name: one}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: one}}\n  template:\n    metadata: {labels: {app: one}}\n    spec:\n      containers:\n"
                "      - {name: a, image: x, env: [{name: A, value: '1'}, {name: B, value: '2'}]}\n      - {name: b, image: z}\n      volumes: [{name: v, emptyDir: {}}]\n",
    "two.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: '9', c: '3'}\n---\napiVersion: apps/v1\nkind: Deployment\n"
                "metadata: {name: one}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: one}}\n  template:\n    metadata: {labels: {app: one}}\n    spec:\n      containers:\n"
                "      - {name: a, image: x, env: [{name: B, value: '3'}]}\n      volumes: [{name: v, configMap: {name: c}}]\n",
    "three.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: three}\ndata: {a: '1'}\n",
    "unknown.yaml": "apiVersion: no.such/v1\nkind: Thing\nmetadata: {name: x}\n",
    "broken.yaml": "a: [1,\n",
    "nokind.yaml": "metadata: {name: x}\n",
    "badfield.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndatum: {a: b}\n",
    "elsewhere.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\n",
}


def find_kubectl():
    """A kubectl 1.33, or None; KUBECTL=none looks for none."""
    import kubectls
    if os.environ.get("KUBECTL") == "none":
        return None
    for program in kubectls.candidates():
        version = kubectls.client_version(program)
        if version and version.startswith("v1.33.") and "dispatcher" not in version:
            return program
    return None


def words_of(line, folder):
    """A line's words; {...} and [...] may hold blanks."""
    return [w.replace("DIR", folder).replace("\\\\", "\\").replace('\\"', '"') for w in line.split(" ")]


class Runner:
    def __init__(self, server, kubectl, folder):
        self.server, self.kubectl, self.folder = server, kubectl, folder
        self.expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
        self.recorded = {}

    def run(self, program, words, stdin=None):
        env = {**os.environ, "HOME": self.server.dir, "KUBECONFIG": self.server.kubeconfig, "TZ": "UTC"}
        env.pop("COX", None)
        done = subprocess.run([program, *words], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=env)
        return {"out": done.stdout, "err": done.stderr, "code": done.returncode}

    def cox(self, *words, stdin=None):
        return self.run(COX, words, stdin)

    def own(self, answer):
        """kubectl's answer as cox would give it."""
        def fix(s):
            s = re.sub(r"kubectl(\.1\.33)? (get|create|apply|explain|api-resources|auth|config)\b", r"cox \2", s).replace("use kubectl", "use cox")
            return re.sub(r"^See 'kubectl(\.1\.33)? ", "See 'cox ", s, flags=re.M)
        return {**answer, "out": fix(answer["out"]), "err": fix(answer["err"])}

    def plain(self, answer):
        """Without what differs from run to run: ages, times, ids, addresses, ports, paths."""
        def fix(s):
            s = s.replace(self.folder, "DIR").replace(self.server.dir, "HOME").replace("ns-k", "ns-c")
            s = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME", s)
            s = re.sub(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000", "TIME", s)
            s = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC", "TIME", s)
            s = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "UID", s)
            s = re.sub(r"\b(\d+[ywdhms])+\b|<invalid>", "AGE", s)
            s = re.sub(r"10\.96\.\d+\.\d+", "10.96.x.x", s)
            s = re.sub(r"127\.0\.0\.1:\d+", "HOST", s)
            s = re.sub(r"\b[2-6]\d{4}\b", "PORT", s)
            s = re.sub(r"kube-api-access-\w{5}", "kube-api-access-x", s)
            s = re.sub(r"([rR]esource ?[vV]ersion\"?:?) +\"?\d+\"?", r"\1 N", s)
            s = re.sub(r"\"gitVersion\".*|\"buildDate\".*", "", s)
            return re.sub(r" +", " ", re.sub(r"-{3,}", "---", s))
        return {"out": fix(answer["out"]), "err": fix(answer["err"]), "code": answer["code"]}

    def compare(self, name, ask_cox, ask_kubectl):
        """Both at once, again when only a clock came between them; or cox alone with what is stored."""
        if not self.kubectl:
            have = self.plain(ask_cox())
            want = self.expected.get(name)
            if want is None:
                tap.skip(name, "needs kubectl 1.33")
            else:
                tap.ok(name, have == want, difference(have, want))
            return
        for _ in range(4):
            have, want = ask_cox(), self.own(ask_kubectl())
            if have == want:
                break
        if not name.startswith(NOT_STORED):
            self.recorded[name] = self.plain(want)
        if have != want:  # columns move with ages
            have, want = self.plain(have), self.plain(want)
        tap.ok(name, have == want, difference(have, want))

    def read(self, line, more=()):
        words = words_of(line, self.folder) + list(more)
        self.compare(line, lambda: self.cox(*words), lambda: self.run(self.kubectl, words))

    def change(self, number, line):
        words = words_of(line, self.folder)
        once = {}

        def ask(program, ns):
            if program not in once:  # a change is made once
                once[program] = self.run(program, ["-n", ns, *words])
            answer = once[program]
            return {**answer, "out": answer["out"].replace(ns, "ns-c"), "err": answer["err"].replace(ns, "ns-c")}
        self.compare(f"change {number}: {line}", lambda: ask(COX, "ns-c"), lambda: ask(self.kubectl, "ns-k"))


def difference(have, want):
    import difflib
    lines = []
    for part in ("out", "err"):
        lines += difflib.unified_diff(str(want and want.get(part)).splitlines(), str(have.get(part)).splitlines(), "wanted " + part, "had " + part, lineterm="", n=1)
    if want and have.get("code") != want.get("code"):
        lines.append(f"exit {have.get('code')}, wanted {want.get('code')}")
    return "\n".join(lines)


def make_files(folder):
    for name, content in FILES.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def make_objects(r):
    """Everything that the reads look at; statuses as a kubelet would write them."""
    done = r.cox("apply", "-f", str(OBJECTS))
    tap.ok("objects are made", done["code"] == 0, done["err"])
    foo = "apiVersion: ex.io/v1\nkind: Foo\nmetadata: {name: foo1}\nspec: {aB: 1, someURL: x, list: [1, 2, {a: b}], podIPs: [a], nested: {deepAPIThing: true, num: 1.5}}\n"
    wait_for(lambda: r.cox("apply", "-f", "-", "--dry-run=server", stdin=foo)["code"] == 0, PATIENCE, 0.1)  # until its kind is served
    done = r.cox("apply", "-f", "-", stdin=foo)
    tap.eq("a custom resource is made", done["out"], "foo.ex.io/foo1 created\n")
    t = "2026-01-02T03:04:05Z"
    node = {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110", "nvidia.com/gpu": "2", "ephemeral-storage": "100Gi"},
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ok", "lastHeartbeatTime": t, "lastTransitionTime": t}],
            "addresses": [{"type": "InternalIP", "address": "10.1.1.1"}, {"type": "Hostname", "address": "n1"}],
            "nodeInfo": {"kubeletVersion": "v1.33.0", "osImage": "Debian", "kernelVersion": "6.1", "containerRuntimeVersion": "x://1", "machineID": "m", "systemUUID": "s", "bootID": "b",
                         "operatingSystem": "linux", "architecture": "amd64", "kubeProxyVersion": ""}}
    node["allocatable"] = node["capacity"]
    pod = {"phase": "Running", "startTime": t, "podIP": "10.0.0.9", "podIPs": [{"ip": "10.0.0.9"}], "hostIP": "10.1.1.1", "conditions": [{"type": "Ready", "status": "True"}],
           "containerStatuses": [{"name": "c", "containerID": "x://1", "image": "nginx:1", "imageID": "id", "ready": True, "restartCount": 2, "state": {"running": {"startedAt": t}},
                                  "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "startedAt": t, "finishedAt": t}}}],
           "initContainerStatuses": [{"name": "i", "image": "b", "imageID": "id", "ready": True, "restartCount": 0, "state": {"waiting": {"reason": "ImagePullBackOff"}}}]}
    for what, status in (("node/n1", node), ("pod/p1", pod)):
        done = r.cox("patch", what, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
        tap.ok(f"status of {what}", done["code"] == 0, done["err"])
    uid = r.cox("get", "pod", "p1", "-o", "jsonpath={.metadata.uid}")["out"]
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "ev1"}, "involvedObject": {"kind": "Pod", "name": "p1", "namespace": "default", "uid": uid}, "reason": "Started",
             "message": "hello world", "type": "Normal", "count": 3, "firstTimestamp": t, "lastTimestamp": t, "source": {"component": "kubelet"}}
    tap.eq("an event is made", r.cox("create", "-f", "-", stdin=json.dumps(event))["out"], "event/ev1 created\n")


def wait_until_quiet(r):
    """Controllers may still be making what they make for each object."""
    last = None
    for _ in range(60):
        now = r.server.get("/api/v1/events?limit=1").json["metadata"]["resourceVersion"]
        if now == last:
            return
        last = now
        time.sleep(0.5)


def own_words(r):
    """What cox says in its own way."""
    tap.has("--help", r.cox("get", "--help")["out"], "Usage: cox get (TYPE")
    tap.has("--help of a subverb", r.cox("create", "service", "nodeport", "--help")["out"], "Usage: cox create service nodeport NAME")
    tap.has("help of a verb", r.cox("help", "apply")["out"], "--server-side")
    tap.has("an unknown verb", r.cox("gte")["err"], 'did you mean "get"?')
    tap.has("an unknown option", r.cox("get", "pods", "--foo")["err"], "unknown flag: --foo")
    tap.has("letters together", r.cox("get", "ns", "-Aojson")["out"], '"kind": "List"')
    tap.has("options before the verb", r.cox("-n", "kube-system", "get", "cm")["out"], "kube-root-ca.crt")
    tap.has("version without a server", r.run(COX, ["version", "--client"])["out"], "Client Version: ")
    tap.has("version with a server", r.cox("version")["out"], "Server Version: v1.33")
    tap.has("a web address is refused", r.cox("apply", "-f", "https://example.com/x.yaml")["err"], "cox does not load manifests from the web")
    tap.has("prune is refused", r.cox("apply", "-f", "x", "--prune")["err"], "cox does not prune")
    tap.eq("labels of one object", r.cox("label", "pod", "p1", "--list")["out"], "app=p1\ntier=front\n")
    tap.eq("labels of several", r.cox("label", "pod/p1", "svc/s1", "--list")["out"], "Listing labels for Pod./p1:\n app=p1\n tier=front\nListing labels for Service./s1:\n")
    tap.has("nobody answers", r.cox("-s", "https://127.0.0.1:1", "get", "ns")["err"], "The connection to the server 127.0.0.1:1 was refused")
    tap.has("an unknown format", r.cox("get", "ns", "-o", "foo=bar")["err"], 'unable to match a printer suitable for the output format "foo=bar"')
    tap.has("sorting by nothing", r.cox("get", "ns", "--sort-by=.x")["err"], 'couldn\'t find any field with path "{.x}"')
    token = r.cox("create", "token", "sa1")
    tap.ok("a token", token["code"] == 0 and token["out"].count(".") == 2, token)
    mine = os.path.join(r.folder, "by-token")
    for words in (["set-cluster", "c", f"--server=https://127.0.0.1:{r.server.port}", "--certificate-authority", r.server.path("ca.pem"), "--embed-certs"],
                  ["set-credentials", "u", "--token", token["out"]], ["set-context", "x", "--cluster=c", "--user=u"], ["use-context", "x"]):
        r.cox("config", *words, "--kubeconfig", mine)
    who = r.cox("--kubeconfig", mine, "auth", "whoami")
    tap.has("the token is good", who["out"], "system:serviceaccount:default:sa1")
    for shell in ("bash", "zsh", "fish"):
        script = r.cox("completion", shell)["out"]
        tap.ok(f"completion of {shell}", "create" in script and "--all-namespaces" in script or "all-namespaces" in script)
    done = subprocess.run(["bash", "-n"], input=r.cox("completion", "bash")["out"], text=True, stderr=subprocess.PIPE)
    tap.eq("bash reads its completion", done.stderr, "")
    ask = 'source /dev/stdin <<< "$SCRIPT"; COMP_WORDS=(cox create service node); COMP_CWORD=3; _cox; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", ask], env={**os.environ, "SCRIPT": r.cox("completion", "bash")["out"]}, text=True, stdout=subprocess.PIPE)
    tap.eq("bash completes a subverb", done.stdout.strip(), "nodeport")
    page = r.cox("man")["out"]
    tap.ok("the manual has every verb", all(f".SS cox {v} " in page for v in ("get", "describe", "apply", "create secret tls", "config use-context", "server")))


def editing(r):
    """cox edit with editors that are scripts."""
    def edit(script, *what):
        path = os.path.join(r.folder, "editor")
        pathlib.Path(path).write_text("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        env = {**os.environ, "HOME": r.server.dir, "KUBECONFIG": r.server.kubeconfig, "KUBE_EDITOR": path, "TMPDIR": r.folder}
        return subprocess.run([COX, "edit", *what], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, timeout=PATIENCE)
    done = edit("sed -i 's/nginx/nginx:9/' $1", "deploy/d1")
    tap.eq("edit changes", done.stdout, "deployment.apps/d1 edited\n")
    tap.eq("the change is there", r.cox("get", "deploy", "d1", "-o", "jsonpath={.spec.template.spec.containers[0].image}")["out"], "nginx:9")
    tap.eq("edit without a change", edit("true", "deploy/d1").stderr, "Edit cancelled, no changes made.\n")
    tap.eq("edit of an empty file", edit(": > $1", "deploy/d1").stderr, "Edit cancelled, saved file was empty.\n")
    done = edit("if grep -q 'was not valid' $1; then sed -i 's/replicas: -1/replicas: 4/' $1; else sed -i 's/replicas: 2/replicas: -1/' $1; fi", "deploy/d1")
    tap.ok("a refused edit is opened again", done.returncode == 0 and "edited" in done.stdout and "spec.replicas" in done.stderr, done)
    done = edit("grep -q 'syntax error' $1 || echo ' : : bad' >> $1", "deploy/d1")
    tap.ok("an edit that stays broken is kept", done.returncode == 1 and "A copy of your changes has been stored" in done.stderr, done)
    tap.eq("an editor that fails", edit("exit 3", "deploy/d1").returncode, 1)
    r.cox("scale", "deploy/d1", "--replicas=2")


def watching(r):
    """cox get -w sees what happens, in lines that stay in their columns."""
    env = {**os.environ, "KUBECONFIG": r.server.kubeconfig}
    r.cox("create", "configmap", "there")
    r.cox("label", "cm", "there", "w=1")
    with subprocess.Popen([COX, "get", "cm", "-w", "--output-watch-events", "-l", "w=1"], stdout=subprocess.PIPE, text=True, env=env) as watch:
        lines = [watch.stdout.readline().split()[:2] for _ in range(2)]  # it has listed: what comes now is watched
        r.cox("create", "configmap", "watched")
        r.cox("label", "cm", "watched", "w=1")
        r.cox("delete", "cm", "watched")
        lines += [watch.stdout.readline().split()[:2] for _ in range(2)]
        watch.kill()
    tap.eq("watch", lines, [["EVENT", "NAME"], ["ADDED", "there"], ["ADDED", "watched"], ["DELETED", "watched"]])
    r.cox("delete", "cm", "there")
    with subprocess.Popen([COX, "wait", "--for=create", "cm/late", f"--timeout={PATIENCE}s"], stdout=subprocess.PIPE, text=True, env=env) as wait:
        time.sleep(0.3)
        r.cox("create", "configmap", "late")
        tap.eq("wait for what comes", wait.communicate(timeout=2 * PATIENCE)[0], "configmap/late condition met\n")
    tap.eq("a deadline", r.cox("wait", "--for=delete", "cm/late", "--timeout=300ms")["err"], "error: timed out waiting for the condition on configmaps/late\n")
    r.cox("delete", "cm", "late")


def kubeconfigs(r):
    """cox config on files of its own."""
    path = os.path.join(r.folder, "kubeconfig")
    config = lambda *words: r.cox("config", *words, "--kubeconfig", path)
    for words, said in ((["set-cluster", "c", "--server=https://x:1"], 'Cluster "c" set.\n'), (["set-credentials", "u", "--token=t"], 'User "u" set.\n'),
                        (["set-context", "x", "--cluster=c", "--user=u", "--namespace=n"], 'Context "x" created.\n'), (["use-context", "x"], 'Switched to context "x".\n'),
                        (["set-context", "--current", "--namespace=m"], 'Context "x" modified.\n'), (["current-context"], "x\n"), (["get-clusters"], "NAME\nc\n"),
                        (["rename-context", "x", "z"], 'Context "x" renamed to "z".\n'), (["set", "clusters.c.server", "https://z:2"], 'Property "clusters.c.server" set.\n'),
                        (["unset", "users.u.token"], 'Property "users.u.token" unset.\n'),
                        (["get-contexts"], "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n*         z      c         u          m\n"),
                        (["delete-context", "z"], f"deleted context z from {path}\n"), (["delete-user", "u"], f"deleted user u from {path}\n"), (["get-users"], "NAME\n")):
        tap.eq("config " + " ".join(words), config(*words)["out"], said)
    tap.has("config use-context of nothing", config("use-context", "nope")["err"], 'no context exists with the name: "nope"')


def main():
    kubectl = find_kubectl()
    with Server(args=["--controllers=false"]) as server, tempfile.TemporaryDirectory(prefix="cox-cli-") as folder:
        r = Runner(server, kubectl, folder)
        make_files(folder)
        make_objects(r)
        for ns in ("ns-c", "ns-k"):
            r.cox("create", "namespace", ns)
        wait_until_quiet(r)
        for line in READS.strip().splitlines():
            r.read(line)
        for line in GENERATED.strip().splitlines():
            r.read(line, DRY)
        for number, line in enumerate(CHANGES.strip().splitlines(), 1):
            r.change(number, line)
        own_words(r)
        editing(r)
        watching(r)
        kubeconfigs(r)
        if "--record" in sys.argv and kubectl:
            EXPECTED.write_text(json.dumps(r.recorded, indent=1, sort_keys=True) + "\n")
    tap.done()


if __name__ == "__main__":
    main()
