#!/usr/bin/env python3
"""Controllers against a real server: namespaces, owners, definitions, events, secrets, roles, volumes."""
import base64
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import Server, Watch, configmap, cpu_seconds, pod, tap, wait_for  # noqa: E402

CORE = "/api/v1/namespaces"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def make_ns(s, name):
    return s.post(CORE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def owner(kind, obj, block=False, api="apps/v1"):
    return {"apiVersion": api, "kind": kind, "name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"], "controller": False, "blockOwnerDeletion": block}


def replica_set(name, ns="default"):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "namespace": ns},
            "spec": {"replicas": 0, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "img:1"}]}}}}


def owned(obj, *owners):
    obj["metadata"]["ownerReferences"] = list(owners)
    return obj


def sets(ns="default"):
    return f"/apis/apps/v1/namespaces/{ns}/replicasets"


def status_of(s, path):
    return s.get(path).status


def goes(s, path):
    return wait_for(lambda: status_of(s, path) == 404)


def stays(s, path, seconds=0.4):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if status_of(s, path) != 200:
            return False
        time.sleep(0.05)
    return True


def definition(kind="Widget", plural="widgets", group="example.com", scope="Namespaced"):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": scope, "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": kind + "List"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


def widget(name, ns=None):
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name, **({"namespace": ns} if ns else {})}, "spec": {"size": 1}}


def make_definition(s, d=None):
    d = d or definition()
    r = s.post(CRDS, d)
    path = f"/apis/{d['spec']['group']}/v1/{d['spec']['names']['plural']}"
    return r.status == 201 and wait_for(lambda: status_of(s, path) == 200)


def conditions(obj):
    return {c["type"]: c for c in obj.get("status", {}).get("conditions", [])}


# --- namespaces ------------------------------------------------------------------------------------------------------------

def test_namespace_content(s):
    for ns in ("default", "kube-system", "kube-public", "kube-node-lease"):
        tap.ok(f"{ns} has a default service account", wait_for(lambda ns=ns: status_of(s, f"{CORE}/{ns}/serviceaccounts/default") == 200))
        tap.ok(f"{ns} has the CA", wait_for(lambda ns=ns: status_of(s, f"{CORE}/{ns}/configmaps/kube-root-ca.crt") == 200))
    ca = f"{CORE}/default/configmaps/kube-root-ca.crt"
    text = s.get(ca).json["data"]["ca.crt"]
    tap.has("the CA is a certificate", text, "BEGIN CERTIFICATE")
    uid = s.get(f"{CORE}/default/serviceaccounts/default").json["metadata"]["uid"]
    s.delete(f"{CORE}/default/serviceaccounts/default")

    def back():
        r = s.get(f"{CORE}/default/serviceaccounts/default")
        return r.status == 200 and r.json["metadata"]["uid"] != uid
    tap.ok("a deleted default service account comes back", wait_for(back))
    s.delete(ca)
    tap.ok("a deleted CA comes back", wait_for(lambda: status_of(s, ca) == 200))
    s.patch(ca, {"data": {"ca.crt": "nonsense"}})
    tap.ok("a changed CA is repaired", wait_for(lambda: s.get(ca).json["data"]["ca.crt"] == text))
    s.patch(ca, {"data": {"more": "x"}})
    tap.ok("an added key goes", wait_for(lambda: "more" not in s.get(ca).json["data"]))


def test_namespace_deletion(s):
    make_ns(s, "full")
    for i in range(30):
        s.post(f"{CORE}/full/configmaps", configmap(f"c{i}", "full"))
    s.post(f"{CORE}/full/pods", pod("p", "full"))
    s.post(sets("full"), replica_set("r", "full"))
    tap.eq("a namespace is deleted by marking it", s.delete(f"{CORE}/full").json["status"]["phase"], "Terminating")
    tap.ok("it goes with its content", goes(s, f"{CORE}/full"))
    tap.eq("nothing is left of it", [len(s.get(p).json["items"]) for p in (f"{CORE}/full/configmaps", f"{CORE}/full/pods", sets("full"), f"{CORE}/full/serviceaccounts")], [0, 0, 0, 0])
    tap.eq("it can be made again", make_ns(s, "full").status, 201)
    tap.eq("with new content", s.get(f"{CORE}/full/serviceaccounts/default").status, 200)


def test_namespace_with_custom_objects(s):
    if not tap.ok("a definition is served", make_definition(s)):
        return
    make_ns(s, "custom")
    path = "/apis/example.com/v1/namespaces/custom/widgets"
    tap.eq("a custom object is made", s.post(path, widget("w", "custom")).status, 201)
    s.delete(f"{CORE}/custom")
    tap.ok("the namespace goes with its custom objects", goes(s, f"{CORE}/custom"))
    tap.eq("which are gone", s.get("/apis/example.com/v1/widgets").json["items"], [])
    s.delete(f"{CRDS}/widgets.example.com")
    tap.ok("the definition goes", goes(s, f"{CRDS}/widgets.example.com"))


def test_namespace_blocked(s):
    make_ns(s, "held")
    c = configmap("c", "held")
    c["metadata"]["finalizers"] = ["example.com/hold"]
    s.post(f"{CORE}/held/configmaps", c)
    s.delete(f"{CORE}/held")

    def says():
        return conditions(s.get(f"{CORE}/held").json).get("NamespaceContentRemaining", {}).get("status") == "True"
    tap.ok("a finalizer holds the namespace", wait_for(says))
    have = conditions(s.get(f"{CORE}/held").json)
    tap.eq("what remains is said", have["NamespaceContentRemaining"]["message"], "Some resources are remaining: configmaps. has 1 resource instances")
    tap.eq("and which finalizer", have["NamespaceFinalizersRemaining"]["message"],
           "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances")
    tap.eq("the rest is fine", [have[t]["status"] for t in ("NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure", "NamespaceDeletionContentFailure")],
           ["False"] * 3)
    tap.eq("nothing new may be made there", s.post(f"{CORE}/held/configmaps", configmap("new", "held")).status, 403)
    tap.ok("the namespace stays", stays(s, f"{CORE}/held"))
    begun = time.monotonic()
    s.patch(f"{CORE}/held/configmaps/c", {"metadata": {"finalizers": None}})
    tap.ok("without the finalizer it goes", goes(s, f"{CORE}/held"))
    tap.ok("soon", time.monotonic() - begun < 3, time.monotonic() - begun)


def test_namespace_pods_with_grace(s):
    make_ns(s, "grace")
    s.post(f"{CORE}/grace/pods", pod("p", "grace", nodeName="n1"))
    s.post(f"{CORE}/grace/configmaps", configmap("c", "grace"))
    s.delete(f"{CORE}/grace")
    tap.ok("a pod on a node gets its grace", wait_for(lambda: "deletionTimestamp" in s.get(f"{CORE}/grace/pods/p").json["metadata"]))
    tap.ok("other content waits for the pod", stays(s, f"{CORE}/grace/configmaps/c"))
    s.delete(f"{CORE}/grace/pods/p?gracePeriodSeconds=0")
    tap.ok("when its node is done with it, the namespace goes", goes(s, f"{CORE}/grace"))


# --- owners ---------------------------------------------------------------------------------------------------------------------

def make_family(s, name, block=False, count=3):
    r = s.post(sets(), replica_set(name)).json
    for i in range(count):
        made = s.post(f"{CORE}/default/pods", owned(pod(f"{name}-{i}"), owner("ReplicaSet", r, block)))
        assert made.status == 201, made
    return r


def test_background(s):
    make_family(s, "bg")
    tap.ok("owned pods stay with their owner", stays(s, f"{CORE}/default/pods/bg-0"))
    s.delete(f"{sets()}/bg?propagationPolicy=Background")
    tap.eq("the owner goes at once", status_of(s, f"{sets()}/bg"), 404)
    tap.ok("its pods follow", all(goes(s, f"{CORE}/default/pods/bg-{i}") for i in range(3)))


def test_absent_owner(s):
    ghost = {"metadata": {"name": "ghost", "uid": "00000000-0000-4000-8000-000000000000"}}
    s.post(f"{CORE}/default/pods", owned(pod("child"), owner("ReplicaSet", ghost)))
    tap.ok("a child of an owner that never was goes", goes(s, f"{CORE}/default/pods/child"))
    real = s.post(sets(), replica_set("real")).json
    wrong = dict(owner("ReplicaSet", real), uid="00000000-0000-4000-8000-000000000001")
    s.post(f"{CORE}/default/pods", owned(pod("impostor"), wrong))
    tap.ok("a reference with another uid does not count", goes(s, f"{CORE}/default/pods/impostor"))
    make_ns(s, "elsewhere")
    s.post(f"{CORE}/elsewhere/pods", owned(pod("stranger", "elsewhere"), owner("ReplicaSet", real)))
    tap.ok("a reference into another namespace does not count", goes(s, f"{CORE}/elsewhere/pods/stranger"))
    s.post(f"{CORE}/default/pods", owned(pod("unknown"), owner("Gadget", ghost, api="nowhere.example.com/v1")))
    tap.ok("an owner of an unknown kind keeps its child", stays(s, f"{CORE}/default/pods/unknown"))
    s.post(f"{CORE}/default/pods", owned(pod("two"), owner("ReplicaSet", real), owner("ReplicaSet", ghost)))
    tap.ok("beside a solid owner only the dangling reference goes",
           wait_for(lambda: [r["name"] for r in s.get(f"{CORE}/default/pods/two").json["metadata"]["ownerReferences"]] == ["real"]))
    s.delete(f"{sets()}/real")
    tap.ok("and the child with its last owner", goes(s, f"{CORE}/default/pods/two"))


def test_cluster_scoped_owner(s):
    made = s.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "own:er"}, "rules": []})
    s.post(f"{CORE}/default/configmaps", owned(configmap("of-role"), owner("ClusterRole", made.json, api="rbac.authorization.k8s.io/v1")))
    tap.ok("a cluster-scoped owner keeps its child", stays(s, f"{CORE}/default/configmaps/of-role"))
    s.delete("/apis/rbac.authorization.k8s.io/v1/clusterroles/own:er")
    tap.ok("and takes it along", goes(s, f"{CORE}/default/configmaps/of-role"))


def test_foreground(s):
    make_family(s, "fg", block=True)
    s.post(f"{CORE}/default/pods", owned(pod("fg-held", nodeName="n1"), owner("ReplicaSet", s.get(f"{sets()}/fg").json, True)))
    r = s.delete(f"{sets()}/fg", {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Foreground"})
    tap.eq("foreground marks the owner", r.json["metadata"]["finalizers"], ["foregroundDeletion"])
    tap.ok("its pods go first", all(goes(s, f"{CORE}/default/pods/fg-{i}") for i in range(3)))
    tap.ok("it waits for the last of them", stays(s, f"{sets()}/fg"))
    s.delete(f"{CORE}/default/pods/fg-held?gracePeriodSeconds=0")
    tap.ok("and goes then", goes(s, f"{sets()}/fg"))
    s.post(sets(), replica_set("alone"))
    s.delete(f"{sets()}/alone?propagationPolicy=Foreground")
    tap.ok("an owner without dependents goes", goes(s, f"{sets()}/alone"))


def test_foreground_tree(s):
    top = s.post(f"{CORE}/default/configmaps", configmap("top")).json
    mid = s.post(f"{CORE}/default/configmaps", owned(configmap("mid"), owner("ConfigMap", top, True, "v1"))).json
    s.post(f"{CORE}/default/configmaps", owned(configmap("leaf"), owner("ConfigMap", mid, True, "v1")))
    s.delete(f"{CORE}/default/configmaps/top?propagationPolicy=Foreground")
    tap.ok("foreground takes a tree from its leaves", all(goes(s, f"{CORE}/default/configmaps/{n}") for n in ("leaf", "mid", "top")))
    a = s.post(f"{CORE}/default/configmaps", configmap("ring-a")).json
    b = s.post(f"{CORE}/default/configmaps", owned(configmap("ring-b"), owner("ConfigMap", a, True, "v1"))).json
    s.patch(f"{CORE}/default/configmaps/ring-a", {"metadata": {"ownerReferences": [owner("ConfigMap", b, True, "v1")]}})
    s.delete(f"{CORE}/default/configmaps/ring-a?propagationPolicy=Foreground")
    tap.ok("two that own each other go as well", goes(s, f"{CORE}/default/configmaps/ring-a") and goes(s, f"{CORE}/default/configmaps/ring-b"))


def test_orphan(s):
    make_family(s, "or")
    s.delete(f"{sets()}/or?propagationPolicy=Orphan")
    tap.ok("an orphaning owner goes", goes(s, f"{sets()}/or"))
    tap.eq("its pods lose their references", [s.get(f"{CORE}/default/pods/or-{i}").json["metadata"].get("ownerReferences") for i in range(3)], [None] * 3)
    tap.ok("and stay", stays(s, f"{CORE}/default/pods/or-0"))


def test_custom_owner(s):
    if not make_definition(s):
        tap.skip("custom owners", "custom resources are not served")
        return
    w = s.post("/apis/example.com/v1/namespaces/default/widgets", widget("w", "default")).json
    ref = owner("Widget", w, api="example.com/v1")
    s.post(f"{CORE}/default/configmaps", owned(configmap("of-widget"), ref))
    s.post("/apis/example.com/v1/namespaces/default/widgets", owned(widget("w2", "default"), ref))
    tap.ok("a custom owner keeps its children", stays(s, f"{CORE}/default/configmaps/of-widget"))
    s.delete("/apis/example.com/v1/namespaces/default/widgets/w")
    tap.ok("and takes them along", goes(s, f"{CORE}/default/configmaps/of-widget") and goes(s, "/apis/example.com/v1/namespaces/default/widgets/w2"))
    w = s.post("/apis/example.com/v1/namespaces/default/widgets", widget("w3", "default")).json
    s.post(f"{CORE}/default/configmaps", owned(configmap("of-w3"), owner("Widget", w, api="example.com/v1")))
    s.delete(f"{CRDS}/widgets.example.com")
    tap.ok("deleting the definition takes the children of its objects", goes(s, f"{CORE}/default/configmaps/of-w3"))
    tap.ok("the definition is gone", goes(s, f"{CRDS}/widgets.example.com"))


# --- definitions -------------------------------------------------------------------------------------------------------------------

def test_definition_deletion(s):
    if not make_definition(s):
        tap.skip("definitions", "custom resources are not served")
        return
    for ns in ("default", "kube-public"):
        for i in range(3):
            s.post(f"/apis/example.com/v1/namespaces/{ns}/widgets", widget(f"w{i}", ns))
    held = widget("held", "default")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    s.post("/apis/example.com/v1/namespaces/default/widgets", held)
    s.delete(f"{CRDS}/widgets.example.com")
    tap.ok("objects of all namespaces go", wait_for(lambda: [w["metadata"]["name"] for w in s.get("/apis/example.com/v1/widgets").json["items"]] == ["held"]))
    have = conditions(s.get(f"{CRDS}/widgets.example.com").json).get("Terminating", {})
    tap.eq("the definition says why it stays", (have.get("status"), have.get("reason")), ("True", "InstanceDeletionInProgress"))
    s.patch("/apis/example.com/v1/namespaces/default/widgets/held", {"metadata": {"finalizers": None}})
    tap.ok("with its last object it goes", goes(s, f"{CRDS}/widgets.example.com"))
    tap.eq("its path is gone", wait_for(lambda: status_of(s, "/apis/example.com/v1/widgets") == 404), True)
    tap.ok("it can be made again", make_definition(s))
    tap.eq("and is empty", s.get("/apis/example.com/v1/widgets").json["items"], [])
    s.delete(f"{CRDS}/widgets.example.com")
    goes(s, f"{CRDS}/widgets.example.com")


# --- the rest --------------------------------------------------------------------------------------------------------------------------

def test_token_secret(s):
    secrets = f"{CORE}/default/secrets"
    account = s.post(f"{CORE}/default/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}).json
    made = s.post(secrets, {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
                            "metadata": {"name": "robot-token", "annotations": {"kubernetes.io/service-account.name": "robot"}}})
    tap.eq("a token secret is made", made.status, 201)
    if not tap.ok("it is filled", wait_for(lambda: "token" in (s.get(f"{secrets}/robot-token").json.get("data") or {}))):
        return
    secret = s.get(f"{secrets}/robot-token").json
    data = {k: base64.b64decode(v).decode() for k, v in secret["data"].items()}
    tap.eq("with the namespace", data["namespace"], "default")
    tap.has("and the CA", data["ca.crt"], "BEGIN CERTIFICATE")
    tap.eq("and the account's uid", secret["metadata"]["annotations"]["kubernetes.io/service-account.uid"], account["metadata"]["uid"])
    who = s.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"}, cert=False,
                 headers={"Authorization": "Bearer " + data["token"]})
    tap.eq("the token works", who.json.get("status", {}).get("userInfo", {}).get("username"), "system:serviceaccount:default:robot")
    s.delete(f"{CORE}/default/serviceaccounts/robot")
    tap.ok("the secret goes with its account", goes(s, f"{secrets}/robot-token"))


def test_role_aggregation(s):
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"

    def role(name, rules=None, labels=None, select=None):
        return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name, "labels": labels or {}}, "rules": rules or [],
                **({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": select}]}} if select else {})}
    one = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
    two = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}
    s.post(roles, role("sum", select={"to": "sum"}))
    s.post(roles, role("one", [one], {"to": "sum"}))
    tap.ok("an aggregated role gets the rules of a new one", wait_for(lambda: s.get(f"{roles}/sum").json["rules"] == [one]))
    s.post(roles, role("two", [two, one], {"to": "sum"}))
    tap.ok("each rule once", wait_for(lambda: s.get(f"{roles}/sum").json["rules"] == [one, two]))
    s.delete(f"{roles}/two")
    tap.ok("and loses them with it", wait_for(lambda: s.get(f"{roles}/sum").json["rules"] == [one]))
    s.post(roles, role("mine", [{"apiGroups": ["example.com"], "resources": ["widgets"], "verbs": ["get"]}], {"rbac.authorization.k8s.io/aggregate-to-view": "true"}))
    tap.ok("view, edit and admin grow by labels",
           wait_for(lambda: all("example.com" in str(s.get(f"{roles}/{n}").json["rules"]) for n in ("view", "edit", "admin"))))
    for n in ("sum", "one", "mine"):
        s.delete(f"{roles}/{n}")


def test_volume_protection(s):
    claims = f"{CORE}/default/persistentvolumeclaims"
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
             "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    tap.eq("a claim is protected", s.post(claims, claim).json["metadata"].get("finalizers"), ["kubernetes.io/pvc-protection"])
    s.delete(f"{claims}/data")
    tap.ok("a claim that nobody uses goes", goes(s, f"{claims}/data"))
    s.post(claims, claim)
    s.post(f"{CORE}/default/pods", pod("user", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}], nodeName="n1"))
    s.delete(f"{claims}/data")
    tap.ok("one that a pod uses stays", stays(s, f"{claims}/data"))
    s.delete(f"{CORE}/default/pods/user?gracePeriodSeconds=0")
    tap.ok("until the pod is gone", goes(s, f"{claims}/data"))
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "vol"},
              "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "own", "hostPath": {"path": "/x"}}}
    tap.eq("a volume is protected", s.post("/api/v1/persistentvolumes", volume).json["metadata"].get("finalizers"), ["kubernetes.io/pv-protection"])
    claim["spec"]["storageClassName"] = "own"
    s.post(claims, claim)
    wait_for(lambda: s.get("/api/v1/persistentvolumes/vol").json["status"].get("phase") == "Bound")
    s.delete("/api/v1/persistentvolumes/vol")
    tap.ok("a bound volume stays", stays(s, "/api/v1/persistentvolumes/vol"))
    s.delete(f"{claims}/data")
    tap.ok("a released one goes", goes(s, "/api/v1/persistentvolumes/vol"))


def event(name, **more):
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"}, "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
            "reason": "Test", "message": "m", "type": "Normal", **more}


def test_event_ttl():
    with Server(args=["--event-ttl", "4s"]) as s:  # times in objects are whole seconds: leave room for that
        path = f"{CORE}/default/events"
        w = Watch(s, f"{path}?watch=true&resourceVersion={s.get(path).json['metadata']['resourceVersion']}")
        begun = time.monotonic()
        for i in range(5):
            s.post(path, event(f"e{i}"))
        count = len(s.get(path).json["items"])
        if time.monotonic() - begun < 3:  # a machine that takes longer for this may rightly see some of them go
            tap.eq("events are kept", count, 5)
        time.sleep(1.5)
        again = s.patch(f"{path}/e0", {"message": "again"})
        gone = lambda events: [e["object"]["metadata"]["name"] for e in events if e["type"] == "DELETED"]
        tap.ok("old events go", w.wait(lambda events: len(gone(events)) == 5), w.events)
        if again.status == 200:  # it was still there
            tap.eq("one that was written again goes last", gone(w.events)[-1:], ["e0"])
        w.close()
        s.post(path, event("future", lastTimestamp="2099-01-01T00:00:00Z"))
        tap.ok("a time in the future does not keep an event", goes(s, f"{path}/future"))
        s.post(path, event("restart"))
        s.kill()
        s.start()
        tap.ok("after a restart the rest of the time counts", goes(s, f"{path}/restart"))


def test_killed_in_the_middle():
    with Server() as s:
        for n in ("gone", "kept"):
            make_ns(s, n)
            for i in range(150):
                s.post(f"{CORE}/{n}/configmaps", configmap(f"c{i}", n))
        r = s.post(sets("gone"), replica_set("r", "gone")).json
        family = make_family(s, "fam", count=20)
        s.delete(f"{CORE}/gone")
        s.delete(f"{sets()}/fam?propagationPolicy=Background")
        s.kill()
        s.start()
        tap.ok("a deletion that was cut off is resumed", goes(s, f"{CORE}/gone"), s.get(f"{CORE}/gone"))
        tap.ok("so is garbage collection", all(goes(s, f"{CORE}/default/pods/fam-{i}") for i in range(20)))
        tap.eq("nothing else went", len(s.get(f"{CORE}/kept/configmaps").json["items"]), 151)
        tap.ok("owners were real", r["metadata"]["uid"] and family["metadata"]["uid"])


def test_many(s):
    r = s.post(sets(), replica_set("many")).json
    conn = s.connect()
    ref = owner("ReplicaSet", r, True)
    for i in range(300):
        s.post(f"{CORE}/default/configmaps", owned(configmap(f"many-{i}"), ref), conn=conn)
    begun = time.monotonic()
    s.delete(f"{sets()}/many?propagationPolicy=Foreground")
    tap.ok("an owner with 300 dependents goes", goes(s, f"{sets()}/many"))
    left = [c for c in s.get(f"{CORE}/default/configmaps").json["items"] if c["metadata"]["name"].startswith("many-")]
    tap.eq("and they before it", len(left), 0)
    print(f"# 300 dependents took {time.monotonic() - begun:.2f} s")


def test_quiet(s):
    revision = lambda: s.get("/api/v1/namespaces").json["metadata"]["resourceVersion"]

    def look():
        """Two seconds in which nothing is written, and next to no time is used; what the tests before began may have to end first."""
        before, used = revision(), cpu_seconds(s.process.pid)
        time.sleep(2)
        seen[:] = [revision() == before, cpu_seconds(s.process.pid) - used]
        return seen[0] and seen[1] <= 0.03
    seen = []
    tap.ok("nothing is written and no time is used when nothing happens", wait_for(look), seen)


def main():
    with Server() as s:
        for test in (test_namespace_content, test_namespace_deletion, test_namespace_blocked, test_namespace_pods_with_grace, test_background, test_absent_owner,
                     test_cluster_scoped_owner, test_foreground, test_foreground_tree, test_orphan, test_token_secret, test_role_aggregation, test_volume_protection,
                     test_many, test_namespace_with_custom_objects, test_custom_owner, test_definition_deletion, test_quiet):
            test(s)
    test_event_ttl()
    test_killed_in_the_middle()
    tap.done()


if __name__ == "__main__":
    main()
