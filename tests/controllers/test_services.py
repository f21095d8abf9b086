#!/usr/bin/env python3
"""What stands behind services, disruption budgets, lost pods and quotas, against a real server: the test plays the scheduler and the kubelet through the API."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
from lib.cox import PATIENCE, Server, pod, tap, wait_for  # noqa: E402
from player import now  # noqa: E402

CORE = "/api/v1/namespaces/default"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"


def until(name, condition):
    return tap.ok(name, wait_for(condition, PATIENCE, 0.03), "waited in vain")


def items(response):
    return response.json.get("items") or []


def bind(s, name, node):
    return s.post(f"{CORE}/pods/{name}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"apiVersion": "v1", "kind": "Node", "name": node}})


def set_status(s, name, ip=None, ready=True, phase="Running"):
    status = {"phase": phase, "conditions": [{"type": "Ready", "status": str(ready), "lastTransitionTime": now()}]}
    if ip:
        status.update(podIP=ip, podIPs=[{"ip": ip}])
    return s.patch(f"{CORE}/pods/{name}/status", {"status": status})


def running_pod(s, name, ip, app, node="node-a", ready=True, ports=None, **spec):
    body = pod(name, labels={"app": app}, **spec)
    if ports:
        body["spec"]["containers"][0]["ports"] = ports
    s.post(f"{CORE}/pods", body)
    bind(s, name, node)
    set_status(s, name, ip, ready)


def slices_of(s, service):
    return items(s.get(f"{SLICES}?labelSelector=kubernetes.io/service-name%3D{service}"))


def addresses(s, service, condition="ready"):
    found = {}
    for piece in slices_of(s, service):
        for e in piece.get("endpoints") or []:
            found[e["addresses"][0]] = e["conditions"].get(condition)
    return found


def endpoints(s, name):
    r = s.get(f"{CORE}/endpoints/{name}")
    if r.status != 200:
        return None
    ready, waiting = set(), set()
    for subset in r.json.get("subsets") or []:
        ready |= {a["ip"] for a in subset.get("addresses", [])}
        waiting |= {a["ip"] for a in subset.get("notReadyAddresses", [])}
    return ready, waiting


def add_service(s, name, **spec):
    body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "labels": {"team": "blue"}}, "spec": {"ports": [{"port": 80, "targetPort": 8080}], **spec}}
    return s.post(f"{CORE}/services", body)


def test_endpoints(s):
    s.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a", "labels": {"topology.kubernetes.io/zone": "north"}}})
    tap.eq("a service is made", add_service(s, "web", selector={"app": "web"}).status, 201)
    until("a service without pods has an empty slice", lambda: [x.get("endpoints") or [] for x in slices_of(s, "web")] == [[]])
    running_pod(s, "web-1", "10.1.0.1", "web")
    running_pod(s, "web-2", "10.1.0.2", "web", ready=False)
    running_pod(s, "other", "10.1.0.3", "other")
    until("slices have its pods", lambda: addresses(s, "web") == {"10.1.0.1": True, "10.1.0.2": False})
    until("Endpoints, too", lambda: endpoints(s, "web") == ({"10.1.0.1"}, {"10.1.0.2"}))
    found = slices_of(s, "web")
    tap.eq("in one slice", len(found), 1)
    meta = found[0]["metadata"]
    tap.eq("whose labels say what it is", (meta["labels"].get("endpointslice.kubernetes.io/managed-by"), meta["labels"].get("team")), ("endpointslice-controller.k8s.io", "blue"))
    tap.eq("and whose owner is the service", [(r["kind"], r["name"]) for r in meta["ownerReferences"]], [("Service", "web")])
    tap.ok("its name begins with the service's", meta["name"].startswith("web-"), meta)
    one = [e for e in found[0]["endpoints"] if e["addresses"] == ["10.1.0.1"]][0]
    tap.eq("an endpoint says where and who", (one["nodeName"], one.get("zone"), one["targetRef"]["name"]), ("node-a", "north", "web-1"))
    tap.eq("ports are the targets", [(p["port"], p["protocol"]) for p in found[0]["ports"]], [(8080, "TCP")])
    set_status(s, "web-2", "10.1.0.2", True)
    until("a pod that becomes ready is ready in both", lambda: addresses(s, "web").get("10.1.0.2") and endpoints(s, "web") == ({"10.1.0.1", "10.1.0.2"}, set()))
    s.delete(f"{CORE}/pods/web-1")
    until("a pod that ends is terminating", lambda: addresses(s, "web", "terminating").get("10.1.0.1") is True and addresses(s, "web").get("10.1.0.1") is False)
    until("and out of Endpoints", lambda: endpoints(s, "web") == ({"10.1.0.2"}, set()))
    s.delete(f"{CORE}/pods/web-1", {"gracePeriodSeconds": 0})
    until("a pod that is gone is nowhere", lambda: list(addresses(s, "web")) == ["10.1.0.2"])
    s.patch(f"{CORE}/pods/other", {"metadata": {"labels": {"app": "web"}}})
    until("a pod that gets the label comes in", lambda: set(addresses(s, "web")) == {"10.1.0.2", "10.1.0.3"})
    s.patch(f"{CORE}/services/web", {"spec": {"publishNotReadyAddresses": True}})
    set_status(s, "other", "10.1.0.3", False)
    until("publishNotReadyAddresses makes all ready", lambda: addresses(s, "web") == {"10.1.0.2": True, "10.1.0.3": True} and addresses(s, "web", "serving") == {"10.1.0.2": True, "10.1.0.3": False})
    s.delete(f"{CORE}/services/web")
    until("slices and Endpoints go with the service", lambda: not slices_of(s, "web") and endpoints(s, "web") is None)


def test_many(s):
    add_service(s, "many", clusterIP="None", selector={"app": "many"}, ports=[{"name": "http", "port": 80, "targetPort": "web"}])
    for i in range(130):
        running_pod(s, f"many-{i}", f"10.2.0.{i}", "many", ports=[{"name": "web", "containerPort": 8080 if i % 10 else 9090}], hostname=f"h{i}", subdomain="many")
    until("all of them are there", lambda: len(addresses(s, "many")) == 130 and len((endpoints(s, "many") or [[]])[0]) == 130)
    found = slices_of(s, "many")
    tap.ok("no slice has more than a hundred", all(len(x["endpoints"]) <= 100 for x in found), [len(x["endpoints"]) for x in found])
    tap.eq("a slice has one set of ports", sorted({x["ports"][0]["port"] for x in found}), [8080, 9090])
    tap.eq("each pod is in the slice of its port", {e["targetRef"]["name"] for x in found if x["ports"][0]["port"] == 9090 for e in x["endpoints"]}, {f"many-{i}" for i in range(0, 130, 10)})
    tap.ok("a headless service says so", all("service.kubernetes.io/headless" in x["metadata"]["labels"] for x in found), found[0]["metadata"])
    tap.eq("with host names", [e.get("hostname") for x in found for e in x["endpoints"] if e["targetRef"]["name"] == "many-7"], ["h7"])
    names = {x["metadata"]["name"] for x in found}
    s.delete(f"{CORE}/pods/many-5", {"gracePeriodSeconds": 0})
    until("one goes", lambda: len(addresses(s, "many")) == 129)
    tap.ok("slices keep their names", {x["metadata"]["name"] for x in slices_of(s, "many")} <= names, names)
    s.delete(f"{CORE}/services/many")
    until("all slices go", lambda: not slices_of(s, "many"))


def test_mirror(s):
    s.post(f"{CORE}/endpoints", {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "ext"},
                                 "subsets": [{"addresses": [{"ip": "192.0.2.1"}], "notReadyAddresses": [{"ip": "192.0.2.2"}], "ports": [{"port": 443}]}]})
    add_service(s, "ext", ports=[{"port": 443}])
    until("Endpoints of a service without selector are mirrored", lambda: addresses(s, "ext") == {"192.0.2.1": True, "192.0.2.2": False})
    tap.eq("by the mirror", slices_of(s, "ext")[0]["metadata"]["labels"].get("endpointslice.kubernetes.io/managed-by"), "endpointslicemirroring-controller.k8s.io")
    s.patch(f"{CORE}/endpoints/ext", {"subsets": [{"addresses": [{"ip": "192.0.2.3"}], "ports": [{"port": 443}]}]})
    until("changes follow", lambda: addresses(s, "ext") == {"192.0.2.3": True})
    s.patch(f"{CORE}/endpoints/ext", {"metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}}})
    until("unless they say not to", lambda: not slices_of(s, "ext"))
    tap.eq("the server's own slice stays", len(slices_of(s, "kubernetes")), 1)
    s.delete(f"{CORE}/services/ext")
    until("Endpoints go with their service", lambda: endpoints(s, "ext") is None)


def test_killed(s):
    add_service(s, "back", selector={"app": "back"})
    running_pod(s, "back-1", "10.3.0.1", "back")
    until("a slice is there", lambda: addresses(s, "back") == {"10.3.0.1": True})
    s.kill()
    s.args.append("--controllers=false")
    s.start()
    running_pod(s, "back-2", "10.3.0.2", "back")
    s.delete(f"{CORE}/services/back")
    add_service(s, "back2", selector={"app": "back"})
    s.kill()
    s.args.pop()
    s.start()
    until("after a kill the new service is served", lambda: addresses(s, "back2") == {"10.3.0.1": True, "10.3.0.2": True})
    until("and what the old one left is gone", lambda: not slices_of(s, "back") and endpoints(s, "back") is None)


# --- disruption budgets -------------------------------------------------------------------------------------------------------------

PDB = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
APPS = "/apis/apps/v1/namespaces/default"


def budget(name, app, **spec):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"app": app}}, **spec}}


def allowed(s, name, **want):
    """Does the budget's status have these fields, and is it about the spec as it is?"""
    r = s.get(f"{PDB}/{name}")
    status = r.json.get("status", {}) if r.status == 200 else {}
    return status.get("observedGeneration") == r.json["metadata"].get("generation") and all(status.get(k) == v for k, v in want.items())


def evict(s, name):
    return s.post(f"{CORE}/pods/{name}/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}})


def test_budget(s):
    tap.eq("a budget is made", s.post(PDB, budget("pdb", "pdb", minAvailable=2)).status, 201)
    until("without pods nothing may go", lambda: allowed(s, "pdb", expectedPods=0, desiredHealthy=2, disruptionsAllowed=0))
    for i in range(3):
        running_pod(s, f"pdb-{i}", f"10.4.0.{i}", "pdb")
    until("with three ready pods one may go", lambda: allowed(s, "pdb", expectedPods=3, currentHealthy=3, disruptionsAllowed=1))
    conditions = {c["type"]: c["status"] for c in s.get(f"{PDB}/pdb").json["status"]["conditions"]}
    tap.eq("its condition says so", conditions, {"DisruptionAllowed": "True"})
    tap.eq("one is evicted", evict(s, "pdb-0").status, 201)
    until("and is accounted for", lambda: allowed(s, "pdb", currentHealthy=2, disruptionsAllowed=0))
    tap.eq("the next one is refused", evict(s, "pdb-1").status, 429)
    set_status(s, "pdb-1", "10.4.0.1", False)
    until("one is not ready", lambda: allowed(s, "pdb", currentHealthy=1, disruptionsAllowed=0))
    tap.eq("a pod that is not ready is refused while too few are", evict(s, "pdb-1").status, 429)
    s.patch(f"{PDB}/pdb", {"spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}})
    until("the change is seen", lambda: allowed(s, "pdb", currentHealthy=1))
    tap.eq("unless the budget says always", evict(s, "pdb-1").status, 201)
    tap.eq("a ready pod is still protected", evict(s, "pdb-2").status, 429)
    s.delete(f"{PDB}/pdb")
    for i in range(3):
        s.delete(f"{CORE}/pods/pdb-{i}", {"gracePeriodSeconds": 0})


def test_budget_of_owners(s):
    template = {"metadata": {"labels": {"app": "own"}}, "spec": {"containers": [{"name": "c", "image": "img:1"}]}}
    s.post(f"{APPS}/replicasets", {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "own"},
                                   "spec": {"replicas": 4, "selector": {"matchLabels": {"app": "own"}}, "template": template}})
    names = lambda: sorted(p["metadata"]["name"] for p in items(s.get(f"{CORE}/pods?labelSelector=app%3Down")))
    until("four pods of a ReplicaSet", lambda: len(names()) == 4)
    s.post(PDB, budget("own", "own", maxUnavailable="25%"))
    until("its budget counts what the owner wants", lambda: allowed(s, "own", expectedPods=4, desiredHealthy=3, currentHealthy=0, disruptionsAllowed=0))
    for i, name in enumerate(names()):
        bind(s, name, "node-a")
        set_status(s, name, f"10.5.0.{i}")
    until("when all are ready one may go", lambda: allowed(s, "own", currentHealthy=4, disruptionsAllowed=1))
    s.patch(f"{APPS}/replicasets/own/scale", {"spec": {"replicas": 8}})
    until("a scale-up makes it strict", lambda: allowed(s, "own", expectedPods=8, desiredHealthy=6, disruptionsAllowed=0))
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "once"},
           "spec": {"template": {"metadata": {"labels": {"app": "once"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "img:1"}]}}}}
    s.post("/apis/batch/v1/namespaces/default/jobs", job)
    s.post(PDB, budget("once", "once", maxUnavailable=1))
    until("owners without a scale are named", lambda: any("once" in c["message"] and c["reason"] == "SyncFailed" for c in s.get(f"{PDB}/once").json.get("status", {}).get("conditions", [])))
    s.delete(f"{PDB}/once")
    s.delete("/apis/batch/v1/namespaces/default/jobs/once?propagationPolicy=Background")
    s.delete(f"{APPS}/replicasets/own?propagationPolicy=Background")


# --- pods that nobody else ends -------------------------------------------------------------------------------------------------------

def test_lost_node(s):
    for node in ("lost", "kept"):
        s.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})
    for i in range(4):
        running_pod(s, f"on-lost-{i}", f"10.6.0.{i}", "lost", node="lost")
    running_pod(s, "on-kept", "10.6.1.1", "lost", node="kept")
    s.patch(f"{CORE}/pods/on-lost-3", {"metadata": {"finalizers": ["test.example/hold"]}})
    s.delete("/api/v1/nodes/lost")
    until("pods of a node that is gone go", lambda: all(s.get(f"{CORE}/pods/on-lost-{i}").status == 404 for i in range(3)))
    until("one that is held has failed", lambda: s.get(f"{CORE}/pods/on-lost-3").json.get("status", {}).get("phase") == "Failed")
    held = s.get(f"{CORE}/pods/on-lost-3").json
    tap.eq("and says why", [c.get("reason") for c in held["status"]["conditions"] if c["type"] == "DisruptionTarget"], ["DeletionByPodGC"])
    s.patch(f"{CORE}/pods/on-lost-3", {"metadata": {"finalizers": None}})
    until("it goes when nobody holds it", lambda: s.get(f"{CORE}/pods/on-lost-3").status == 404)
    tap.eq("others stay", s.get(f"{CORE}/pods/on-kept").status, 200)
    s.post(f"{CORE}/pods", pod("late"))
    bind(s, "late", "never-was")
    until("a pod of a node that never was goes, too", lambda: s.get(f"{CORE}/pods/late").status == 404)


def test_finished_pods(s):
    for i in range(12):
        running_pod(s, f"done-{i:02}", f"10.7.0.{i}", "done", node="kept")
        set_status(s, f"done-{i:02}", phase="Succeeded", ready=False)
    left = lambda: [p["metadata"]["name"] for p in items(s.get(f"{CORE}/pods?labelSelector=app%3Ddone")) if not p["metadata"].get("deletionTimestamp")]
    until("of too many finished pods some go", lambda: len(left()) == 5)
    tap.eq("a pod that runs stays", s.get(f"{CORE}/pods/on-kept").status, 200)


# --- quotas ---------------------------------------------------------------------------------------------------------------------------

def test_quota(s):
    s.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quota"}})
    path = "/api/v1/namespaces/quota"
    for i in range(3):
        s.post(f"{path}/pods", pod(f"p{i}", ns="quota"))
    s.post(f"{path}/resourcequotas", {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "10", "count/configmaps": "50"}}})
    used = lambda: s.get(f"{path}/resourcequotas/q").json.get("status", {})
    tap.eq("a new quota knows what is used", used().get("used", {}).get("pods"), "3")
    r = s.patch(f"{path}/resourcequotas/q/status", {"status": {"hard": {"pods": "99"}, "used": {"pods": "77"}}})
    tap.eq("a status can be written", r.status, 200)
    until("and is put right", lambda: used().get("hard", {}).get("pods") == "10" and used().get("used", {}).get("pods") == "3")
    revision = lambda: s.get(f"{path}/resourcequotas/q").json["metadata"]["resourceVersion"]
    before = revision()
    tap.eq("a count that finds nothing new", s.patch(f"{path}/resourcequotas/q/status", {"status": {"used": None}}).status, 200)
    tap.eq("writes nothing", revision(), before)
    s.post(f"{path}/pods", pod("p3", ns="quota"))
    tap.eq("admission goes on counting", used()["used"]["pods"], "4")
    s.delete(f"{path}/pods/p3")
    tap.eq("in both directions", used()["used"]["pods"], "3")


# --- events ---------------------------------------------------------------------------------------------------------------------------

def events(s, kind, name):
    return [e for e in items(s.get(f"{CORE}/events")) if e["involvedObject"]["kind"] == kind and e["involvedObject"]["name"] == name]


def has_event(s, kind, name, reason, part="", least=1):
    return any(e["reason"] == reason and part in e["message"] and e.get("count", 0) >= least for e in events(s, kind, name))


def deployment(name, replicas, **pod_spec):
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "img:1"}], **pod_spec}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}}


def test_events(s):
    s.post(f"{APPS}/deployments", deployment("ev", 2))
    until("a Deployment tells of its scale", lambda: has_event(s, "Deployment", "ev", "ScalingReplicaSet", "from 0 to 2"))
    rs = items(s.get(f"{APPS}/replicasets?labelSelector=app%3Dev"))[0]["metadata"]["name"]
    until("a ReplicaSet of its pods", lambda: len([e for e in events(s, "ReplicaSet", rs) if e["reason"] == "SuccessfulCreate"]) == 2)
    one = events(s, "ReplicaSet", rs)[0]
    tap.eq("an Event says who, what and how often", (one["type"], one["source"]["component"], one["count"], one["involvedObject"]["apiVersion"]),
           ("Normal", "replicaset-controller", 1, "apps/v1"))
    s.patch(f"{APPS}/deployments/ev", {"spec": {"replicas": 40}})
    until("a crowd is summed up", lambda: has_event(s, "ReplicaSet", rs, "SuccessfulCreate", "(combined from similar events)", least=10))
    tap.ok("and few Events tell of it", len([e for e in events(s, "ReplicaSet", rs) if e["reason"] == "SuccessfulCreate"]) <= 11, len(events(s, "ReplicaSet", rs)))
    s.patch(f"{APPS}/deployments/ev", {"spec": {"replicas": 0}})
    until("scaling down is told", lambda: has_event(s, "Deployment", "ev", "ScalingReplicaSet", "from 40 to 0") and has_event(s, "ReplicaSet", rs, "SuccessfulDelete"))
    told = [e["message"] for e in sorted(events(s, "Deployment", "ev"), key=lambda e: e["metadata"]["name"])]
    tap.eq("by name they are in the order in which they happened", [re.search("from .*", m).group() for m in told], ["from 0 to 2", "from 2 to 40", "from 40 to 0"])
    s.delete(f"{APPS}/deployments/ev?propagationPolicy=Background")
    s.post(f"{APPS}/deployments", deployment("bad", 1, serviceAccountName="nobody"))
    until("a create that is refused is told", lambda: any(e["reason"] == "FailedCreate" and e["type"] == "Warning" and "nobody" in e["message"]
                                                         for e in items(s.get(f"{CORE}/events"))))
    s.delete(f"{APPS}/deployments/bad?propagationPolicy=Background")
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "evj"}, "spec": {"backoffLimit": 0, "template": {
        "metadata": {"labels": {"app": "evj"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "img:1"}]}}}}
    s.post("/apis/batch/v1/namespaces/default/jobs", job)
    job["metadata"]["name"] = "evk"
    job["spec"]["template"]["metadata"]["labels"]["app"] = "evk"
    s.post("/apis/batch/v1/namespaces/default/jobs", job)
    for name, phase in (("evj", "Succeeded"), ("evk", "Failed")):
        found = wait_for(lambda: items(s.get(f"{CORE}/pods?labelSelector=app%3D{name}")), PATIENCE)
        bind(s, found[0]["metadata"]["name"], "node-a")
        set_status(s, found[0]["metadata"]["name"], ready=False, phase=phase)
    until("a Job tells that it is done", lambda: has_event(s, "Job", "evj", "Completed", "Job completed"))
    until("or why it failed", lambda: has_event(s, "Job", "evk", "BackoffLimitExceeded"))
    for name in ("evj", "evk"):
        s.delete(f"/apis/batch/v1/namespaces/default/jobs/{name}?propagationPolicy=Background")


def main():
    with Server(args=["--scheduler=false"]) as s:
        tap.run([test_endpoints, test_many, test_mirror, test_killed, test_budget, test_budget_of_owners, test_quota, test_events], s)
    with Server(args=["--scheduler=false", "--pod-gc-quarantine", "1s", "--terminated-pod-gc-threshold", "5"]) as s:
        tap.run([test_lost_node, test_finished_pods], s)
    tap.done()


main()
