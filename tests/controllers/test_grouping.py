#!/usr/bin/env python3
"""Grouping against a real server: the test plays the operators of foreign kinds, which it declares itself, and the scheduler."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from lib.cox import COX, PATIENCE, Server, configmap, pod, tap, wait_for  # noqa: E402

CORE = "/api/v1/namespaces/default"
APPS = "/apis/apps/v1/namespaces/default"
BATCH = "/apis/batch/v1/namespaces/default"
GROUPS = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups"
NOTE, SUB, QUEUE = "pod-group-name", "kai.scheduler/subgroup-name", "kai.scheduler/queue"
KAI = {"schedulerName": "kai-scheduler"}


def until(name, condition):
    return tap.ok(name, wait_for(condition, PATIENCE, 0.05), "waited in vain")


def define(s, group, version, kind, plural):
    """A kind whose objects may be anything."""
    s.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
                 "versions": [{"name": version, "served": True, "storage": True,
                               "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
    base = f"/apis/{group}/{version}/namespaces/default/{plural}"
    wait_for(lambda: s.get(base).status == 200)
    return base


def define_groups(s):
    if s.get(GROUPS).status != 200:
        define(s, "scheduling.run.ai", "v2alpha2", "PodGroup", "podgroups")


def custom(s, base, kind, name, spec=None, labels=None, annotations=None, owner=None):
    group, version = base.split("/")[2:4]
    meta = {"name": name, **({"labels": labels} if labels else {}), **({"annotations": annotations} if annotations else {}), **({"ownerReferences": [ref(owner)]} if owner else {})}
    return s.post(base, {"apiVersion": f"{group}/{version}", "kind": kind, "metadata": meta, "spec": spec or {}}).json


def ref(o):
    return {"apiVersion": o["apiVersion"], "kind": o["kind"], "name": o["metadata"]["name"], "uid": o["metadata"]["uid"], "controller": True}


def make_pod(s, name, owner=None, labels=None, annotations=None, **spec):
    p = pod(name, labels=labels, **{**KAI, **spec})
    if owner:
        p["metadata"]["ownerReferences"] = [ref(owner)]
    if annotations:
        p["metadata"]["annotations"] = annotations
    r = s.post(f"{CORE}/pods", p)
    assert r.status == 201, r.text
    return r.json


def meta_of(s, name):
    return s.get(f"{CORE}/pods/{name}").json["metadata"]


def group_of(s, name):
    """The name that a pod carries."""
    return meta_of(s, name).get("annotations", {}).get(NOTE)


def grouped(s, what, name, want, sub=None):
    until(f"{what}: pod {name} says its group", lambda: group_of(s, name))
    tap.eq(f"{what}: which is", (group_of(s, name), meta_of(s, name).get("labels", {}).get(SUB)), (want, sub))


def spec_of(s, name):
    r = s.get(f"{GROUPS}/{name}")
    return r.json["spec"] if r.status == 200 else {}


def pg(o):
    return f"pg-{o['metadata']['name']}-{o['metadata']['uid']}"


def rests(s, names):
    """Pods that come before in the queue are done: so are those that are left alone."""
    p = make_pod(s, f"last-{len(names)}-{names[0]}")
    wait_for(lambda: group_of(s, p["metadata"]["name"]))
    return [group_of(s, n) for n in names]


# --- before there are PodGroups ---------------------------------------------------------------------------------------------------------

def test_inert(s):
    if s.get(GROUPS).status == 200:
        tap.skip("nothing happens without PodGroups", "they are built in")
        return
    make_pod(s, "early")
    s.post(f"{CORE}/configmaps", configmap("quiet"))
    tap.eq("nothing happens without PodGroups", group_of(s, "early"), None)
    define_groups(s)
    until("it begins when they come", lambda: group_of(s, "early"))
    tap.eq("with those that were there", spec_of(s, group_of(s, "early")), {"minMember": 1, "queue": "default-queue", "priorityClassName": "train"})


# --- Kubernetes' own kinds --------------------------------------------------------------------------------------------------------------

def test_bare_pods(s):
    p = make_pod(s, "bare", labels={QUEUE: "team-a", "priorityClassName": "build"})
    grouped(s, "bare", "bare", pg(p))
    group = s.get(f"{GROUPS}/{pg(p)}").json
    tap.eq("its group", {k: group["spec"].get(k) for k in ("minMember", "queue", "priorityClassName")}, {"minMember": 1, "queue": "team-a", "priorityClassName": "build"})
    tap.eq("is owned by it", [(r["kind"], r["uid"]) for r in group["metadata"]["ownerReferences"]], [("Pod", p["metadata"]["uid"])])
    make_pod(s, "queued", labels={QUEUE: "team-a"}, schedulerName="default-scheduler")
    until("a queue is enough, whoever schedules", lambda: group_of(s, "queued"))
    make_pod(s, "mine", annotations={NOTE: "my-own"})
    make_pod(s, "plain", schedulerName="default-scheduler")
    static = pod("static", **KAI)
    static["metadata"].update(annotations={"kubernetes.io/config.mirror": "x"})
    s.post(f"{CORE}/pods", static)
    tap.eq("those with a group of their own, of nobody, and of a node are left alone", rests(s, ["mine", "plain"]), ["my-own", None])
    s.delete(f"{CORE}/pods/bare", {"gracePeriodSeconds": 0})
    until("the group goes with its pod", lambda: s.get(f"{GROUPS}/{pg(p)}").status == 404)


def test_projects(s):
    if s.get("/apis/scheduling.run.ai/v2/queues").status != 200:
        tap.skip("projects", "no queues here")
        return
    for name, notes in (("open", {}), ("closed", {"scheduling.cox/restricted": "true"})):
        s.post("/apis/scheduling.run.ai/v2/queues", {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name, "annotations": notes}, "spec": {
            "resources": {r: {"quota": 0, "limit": -1, "overQuotaWeight": 1} for r in ("cpu", "gpu", "memory")}}})
        p = make_pod(s, f"of-{name}", labels={"project": name})
        grouped(s, f"project {name}", f"of-{name}", pg(p))
        tap.eq(f"the queue of project {name}", spec_of(s, pg(p))["queue"], "open" if name == "open" else "default-queue")
    until("a restricted queue is not reached by a project's label, and the pod says so", lambda: [
        e for e in s.get(f"{CORE}/events").json.get("items") or [] if e["reason"] == "QueueRestricted" and e["involvedObject"]["name"] == "of-closed"])


def template(labels, **spec):
    return {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "img:1"}], **spec}}


def pods_of(s, app):
    return [p for p in s.get(f"{CORE}/pods?labelSelector=app%3D{app}").json.get("items") or [] if not p["metadata"].get("deletionTimestamp")]


def groups_of(s, app):
    return [p["metadata"].get("annotations", {}).get(NOTE) for p in pods_of(s, app)]


def test_deployment(s):
    s.post(f"{APPS}/deployments", {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {QUEUE: "serving"}},
                                   "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template({"app": "web"})}})
    until("a Deployment's queue groups its pods, though nothing of them says so", lambda: len(groups_of(s, "web")) == 3 and all(groups_of(s, "web")))
    names = groups_of(s, "web")
    tap.eq("one by one", len(set(names)), 3)
    tap.eq("as inference", {(spec_of(s, n).get("queue"), spec_of(s, n).get("priorityClassName"), spec_of(s, n).get("minMember")) for n in names}, {("serving", "inference", 1)})
    s.post(f"{APPS}/daemonsets", {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "every"},
                                  "spec": {"selector": {"matchLabels": {"app": "every"}}, "template": template({"app": "every", QUEUE: "x"}, **KAI)}})
    s.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "10"},
                                                                                                        "conditions": [{"type": "Ready", "status": "True", "reason": "ok", "lastHeartbeatTime": "2100-01-01T00:00:00Z"}]}})
    until("a DaemonSet has its pod", lambda: pods_of(s, "every"))
    tap.eq("which is left alone", rests(s, [p["metadata"]["name"] for p in pods_of(s, "every")]), [None])


def test_jobs(s):
    def job(name, notes):
        s.post(f"{BATCH}/jobs", {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "annotations": notes},
                                 "spec": {"parallelism": 3, "completions": 3, "template": template({"app": name}, restartPolicy="Never", **KAI)}})
        until(f"{name}: all pods have a group", lambda: len(groups_of(s, name)) == 3 and all(groups_of(s, name)))
        return s.get(f"{BATCH}/jobs/{name}").json, pods_of(s, name)
    j, pods = job("each", {})
    tap.eq("a Job's pods are on their own", {p["metadata"]["annotations"][NOTE] for p in pods}, {f"pg-{p['metadata']['name']}-{j['metadata']['uid']}" for p in pods})
    j, pods = job("gang", {"kai.scheduler/batch-min-member": "3"})
    tap.eq("unless it says that it is a gang", {p["metadata"]["annotations"][NOTE] for p in pods}, {pg(j)})
    tap.eq("of so many", spec_of(s, pg(j))["minMember"], 3)
    s.patch(f"{BATCH}/jobs/gang", {"metadata": {"annotations": {"kai.scheduler/batch-min-member": "2"}}})
    until("which follows the annotation", lambda: spec_of(s, pg(j))["minMember"] == 2)


# --- foreign kinds ----------------------------------------------------------------------------------------------------------------------

def test_pytorch(s):
    base = define(s, "kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")
    job = custom(s, base, "PyTorchJob", "bert", {"pytorchReplicaSpecs": {"Master": {"replicas": 1}, "Worker": {"replicas": 3}}}, labels={QUEUE: "research"},
                 annotations={"kai.scheduler/topology": "dc", "kai.scheduler/topology-required-placement": "rack"})
    role = "training.kubeflow.org/replica-type"
    make_pod(s, "bert-master-0", job, {role: "master"})
    for i in range(3):
        make_pod(s, f"bert-worker-{i}", job, {role: "worker"})
    grouped(s, "PyTorchJob", "bert-master-0", pg(job), "master")
    for i in range(3):
        grouped(s, "PyTorchJob", f"bert-worker-{i}", pg(job), "worker")
    spec = spec_of(s, pg(job))
    tap.eq("one gang", (spec["minMember"], spec["queue"], [(g["name"], g["minMember"]) for g in spec["subGroups"]]), (4, "research", [("master", 1), ("worker", 3)]))
    tap.eq("in one rack", spec["topologyConstraint"], {"topology": "dc", "requiredTopologyLevel": "rack"})
    # what is people's stays as they wrote it, what is the owner's follows the owner
    s.patch(f"{GROUPS}/{pg(job)}", {"metadata": {"labels": {"kai.scheduler/node-pool": "big"}}, "spec": {"queue": "other", "markUnschedulable": False, "schedulingBackoff": 1}})
    s.patch(f"{base}/bert", {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 5}}}})
    until("the minimum follows the owner", lambda: spec_of(s, pg(job))["minMember"] == 6)
    group = s.get(f"{GROUPS}/{pg(job)}").json
    tap.eq("and the rest stays", (group["spec"]["queue"], group["spec"]["markUnschedulable"], group["spec"]["schedulingBackoff"], group["metadata"]["labels"]["kai.scheduler/node-pool"]),
           ("other", False, 1, "big"))
    tap.eq("and the parts", [(g["name"], g["minMember"]) for g in group["spec"]["subGroups"]], [("master", 1), ("worker", 5)])
    s.delete(f"{GROUPS}/{pg(job)}")
    until("a group that was deleted comes again", lambda: spec_of(s, pg(job)).get("minMember") == 6)
    s.delete(f"{base}/bert", {"propagationPolicy": "Foreground"})
    until("pods and group go with the owner", lambda: [s.get(path).status for path in (f"{base}/bert", f"{GROUPS}/{pg(job)}", f"{CORE}/pods/bert-worker-0")] == [404] * 3)


def test_ray(s):
    jobs, clusters = define(s, "ray.io", "v1", "RayJob", "rayjobs"), define(s, "ray.io", "v1", "RayCluster", "rayclusters")
    spec = {"workerGroupSpecs": [{"groupName": "small", "replicas": 2}, {"groupName": "large", "replicas": 2, "minReplicas": 1, "numOfHosts": 4}]}
    job = custom(s, jobs, "RayJob", "tune", {"rayClusterSpec": spec})
    cluster = custom(s, clusters, "RayCluster", "tune-x1", spec, owner=job)
    make_pod(s, "tune-head", cluster, {"ray.io/node-type": "head", "ray.io/group": "headgroup"})
    make_pod(s, "tune-large", cluster, {"ray.io/node-type": "worker", "ray.io/group": "large"})
    grouped(s, "RayJob", "tune-head", pg(job), "headgroup")
    grouped(s, "RayJob", "tune-large", pg(job), "large")
    tap.eq("a head and its workers", (spec_of(s, pg(job))["minMember"], [(g["name"], g["minMember"]) for g in spec_of(s, pg(job))["subGroups"]]),
           (7, [("headgroup", 1), ("small", 2), ("large", 4)]))


def test_leader_worker_set(s):
    base = define(s, "leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets")
    lws = custom(s, base, "LeaderWorkerSet", "llm", {"startupPolicy": "LeaderReady", "leaderWorkerTemplate": {"size": 3}})
    mark = "leaderworkerset.sigs.k8s.io/"
    leader = make_pod(s, "llm-1", lws, {f"{mark}group-index": "1", f"{mark}worker-index": "0"})
    name = pg(lws) + "-group-1"
    grouped(s, "LeaderWorkerSet", "llm-1", name, "leader")
    tap.eq("a leader whose workers wait for it starts alone", spec_of(s, name)["minMember"], 1)
    s.post(f"{CORE}/pods/llm-1/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "llm-1"}, "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}})
    until("once it has a node, all belong together", lambda: spec_of(s, name)["minMember"] == 3)
    make_pod(s, "llm-1-1", leader, {f"{mark}group-index": "1", f"{mark}worker-index": "1"})
    grouped(s, "LeaderWorkerSet, a pod's pod", "llm-1-1", name, "workers")


def test_owners_that_do_not_count(s):
    base = define(s, "argoproj.io", "v1alpha1", "Workflow", "workflows")
    flow = custom(s, base, "Workflow", "nightly", labels={QUEUE: "batch"})
    a, b = make_pod(s, "step-a", flow, schedulerName="default-scheduler"), make_pod(s, "step-b", flow, schedulerName="default-scheduler")
    grouped(s, "Workflow", "step-a", pg(a))
    grouped(s, "Workflow", "step-b", pg(b))
    tap.eq("but their word does", spec_of(s, pg(a))["queue"], "batch")
    quiet = custom(s, base, "Workflow", "quiet")
    p = make_pod(s, "step-q", quiet, schedulerName="default-scheduler")
    tap.eq("without a queue their pods are left alone", rests(s, ["step-q"]), [None])
    s.patch(f"{base}/quiet", {"metadata": {"labels": {QUEUE: "batch"}}})
    grouped(s, "a queue that comes later", "step-q", pg(p))


def test_unreadable_owners(s):
    # garbage collection takes pods whose owner is known not to be there; of a kind that nobody serves nobody can tell
    ghost = {"apiVersion": "nowhere.example.com/v1", "kind": "Ghost", "metadata": {"name": "ghost", "uid": "00000000-1111-2222-3333-555555555555"}}
    p = make_pod(s, "of-ghost", ghost)
    grouped(s, "an owner of a kind that nobody serves", "of-ghost", pg(p))
    define_later = define(s, "soon.example.com", "v1", "Soon", "soons")
    owner = custom(s, define_later, "Soon", "soon")
    make_pod(s, "of-soon", owner)
    grouped(s, "an owner of a kind that has just been defined", "of-soon", pg(owner))


# --- configuration ----------------------------------------------------------------------------------------------------------------------

RULES = """
- apiVersion: example.com/v1
  kind: Trainer
  minMember: [spec.minimum, "{.spec.roles[*].count}"]
  subGroups:
  - {name: chief, podLabel: {key: role, value: chief}}
  - {name: hands, minMember: "spec.roles[1].count", podLabel: {key: role, value: hand}}
  priorityClass: fast
- {apiVersion: example.com/*, kind: Folder, skip: true}
- {apiVersion: example.com/v1, kind: Broken, minMember: -4}
- {apiVersion: example.com/v1, kind: Server, perPod: true}
"""


def test_configuration(s):
    trainers, folders, servers = [define(s, "example.com", "v1", kind, kind.lower() + "s") for kind in ("Trainer", "Folder", "Server")]
    folder = custom(s, folders, "Folder", "f")
    trainer = custom(s, trainers, "Trainer", "t", {"roles": [{"count": 1}, {"count": 4}]}, owner=folder)
    make_pod(s, "t-0", trainer, {"role": "hand"})
    grouped(s, "without a rule", "t-0", pg(folder))
    path = "/api/v1/namespaces/kube-system/configmaps"
    s.post(path, configmap("cox-grouping", "kube-system", {"rules.yaml": RULES, "schedulerNames": "kai-scheduler, other"}))
    until("with one", lambda: group_of(s, "t-0") == pg(trainer) and meta_of(s, "t-0").get("labels", {}).get(SUB) == "hands")
    spec = spec_of(s, pg(trainer))
    tap.eq("which counts, divides and ranks", (spec["minMember"], spec["priorityClassName"], [(g["name"], g["minMember"]) for g in spec["subGroups"]]), (5, "fast", [("chief", 1), ("hands", 4)]))
    server = custom(s, servers, "Server", "s")
    p = make_pod(s, "s-0", server, schedulerName="other")
    grouped(s, "another scheduler, a group for each pod", "s-0", pg(p))

    def told():
        events = s.get("/api/v1/namespaces/kube-system/events").json.get("items") or []
        return [e["message"] for e in events if e["involvedObject"]["name"] == "cox-grouping"]
    until("a bad rule is told", told)
    tap.eq("in a sentence", told(), ["rules.yaml[2] (Broken): minMember must be from 1 to 100000"])
    make_pod(s, "later", schedulerName="third")
    tap.eq("a scheduler that is not named", rests(s, ["later"]), [None])
    s.patch(f"{path}/cox-grouping", {"data": {"schedulerNames": "third"}})
    until("pods of a scheduler that is named later", lambda: group_of(s, "later"))
    s.patch(f"{path}/cox-grouping", {"data": {"enabled": "false"}})
    wait_for(lambda: "switched off" in s.log())
    make_pod(s, "again", schedulerName="third")
    s.delete(f"{path}/cox-grouping")
    wait_for(lambda: "switched on" in s.log())
    make_pod(s, "again-kai")
    until("without configuration it is as before", lambda: group_of(s, "again-kai"))
    tap.eq("what came while it was switched off, of a scheduler that is not named now, is left alone", group_of(s, "again"), None)


def test_restart(s):
    s.kill()
    s.start()
    make_pod(s, "after")
    until("after a kill it goes on", lambda: group_of(s, "after"))


# --- with few rights --------------------------------------------------------------------------------------------------------------------

RBAC = "/apis/rbac.authorization.k8s.io/v1"


class Apart:
    """The controllers as a service account of kube-system: those that may not do their work say so, grouping does its own."""

    def __init__(self, s, account):
        s.post("/api/v1/namespaces/kube-system/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}})
        token = s.post(f"/api/v1/namespaces/kube-system/serviceaccounts/{account}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}).json["status"]["token"]
        ca = re.search(r"certificate-authority-data: (\S+)", open(s.kubeconfig).read()).group(1)
        path = os.path.join(s.dir, f"{account}.kubeconfig")
        with open(path, "w") as f:
            f.write(f"""apiVersion: v1
kind: Config
current-context: c
clusters: [{{name: c, cluster: {{server: "https://127.0.0.1:{s.port}", certificate-authority-data: {ca}}}}}]
users: [{{name: u, user: {{token: {token}}}}}]
contexts: [{{name: c, context: {{cluster: c, user: u}}}}]
""")
        self.process = subprocess.Popen([COX, "controllers", "--kubeconfig", path], stderr=open(os.path.join(s.dir, f"{account}.log"), "wb"))

    def end(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)


def test_rights(s):
    s.post("/api/v1/namespaces/default/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})
    define_groups(s)
    base = define(s, "example.com", "v1", "Owner", "owners")
    owner = custom(s, base, "Owner", "o")
    make_pod(s, "role", owner)
    c = Apart(s, "grouping-controller")
    grouped(s, "with the rights of its role", "role", pg(owner))
    tap.eq("it ends cleanly", c.end(), 0)
    rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["list", "watch"]}, {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "patch"]},
             {"apiGroups": ["scheduling.run.ai"], "resources": ["podgroups"], "verbs": ["get", "create", "patch"]}]
    s.post(f"{RBAC}/clusterroles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "less"}, "rules": rules})
    s.post(f"{RBAC}/clusterrolebindings", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "less"},
                                           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "less"},
                                           "subjects": [{"kind": "ServiceAccount", "name": "less", "namespace": "kube-system"}]})
    p = make_pod(s, "forbidden", owner)
    c = Apart(s, "less")
    grouped(s, "an owner that may not be read", "forbidden", pg(p))
    tap.eq("it ends cleanly, too", c.end(), 0)


if __name__ == "__main__":
    with Server() as server:
        tap.run([test_inert], server)
    with Server() as server:
        define_groups(server)
        tap.run([test_bare_pods, test_projects, test_deployment, test_jobs, test_pytorch, test_ray, test_leader_worker_set, test_owners_that_do_not_count, test_unreadable_owners,
                 test_configuration, test_restart], server)
    with Server(["--controllers=false"]) as server:
        tap.run([test_rights], server)
    tap.done()
