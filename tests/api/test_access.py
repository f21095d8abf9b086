"""What RBAC grants is what a user gets: no path, verb, selector or way of writing leads around it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import Server, configmap, pod, tap  # noqa: E402

RBAC = "/apis/rbac.authorization.k8s.io/v1"


def grant(s, user, rules, ns="default"):
    """A Role of these rules, bound to the user in ns; ns "" for the whole cluster."""
    kind, base = ("Role", f"{RBAC}/namespaces/{ns}") if ns else ("ClusterRole", RBAC)
    prefix = "" if ns else "cluster"
    r = s.post(f"{base}/{prefix}roles", {"metadata": {"name": user}, "rules": rules})
    b = s.post(f"{base}/{prefix}rolebindings", {"metadata": {"name": user}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": user},
                                                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]})
    assert (r.status, b.status) == (201, 201), (r, b)
    return {"Impersonate-User": user}


def rule(verbs, resources, groups=("",), names=None):
    return {"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources), **({"resourceNames": names} if names else {})}


def test_other_namespaces(s):
    for ns in ("mine", "yours"):
        s.post("/api/v1/namespaces", {"metadata": {"name": ns}})
    me = grant(s, "owner", [rule(["*"], ["*"], ["*"])], "mine")
    tap.eq("the owner of a namespace sees it", s.get("/api/v1/namespaces/mine", headers=me).status, 200)
    tap.eq("not another", s.get("/api/v1/namespaces/yours", headers=me).status, 403)
    for method, path in (("GET", "/api/v1/namespaces/mine/namespaces/yours"), ("DELETE", "/api/v1/namespaces/mine/namespaces/yours"),
                         ("GET", "/api/v1/namespaces/mine/namespaces"), ("GET", "/api/v1/namespaces/mine/nodes"), ("GET", "/api/v1/watch/namespaces/mine/namespaces"),
                         ("PUT", "/api/v1/namespaces/mine/namespaces/yours/finalize")):
        tap.eq(f"{method} {path} leads nowhere", s.request(method, path, headers=me).status, 404)
    tap.ok("the other namespace lives", "deletionTimestamp" not in s.get("/api/v1/namespaces/yours").json["metadata"])


def test_reading_does_not_write(s):
    apps = "/apis/apps/v1/namespaces/default/deployments"
    s.post(apps, {"metadata": {"name": "d"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}},
                                                     "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
    s.post("/api/v1/namespaces/default/pods", pod("seen"))
    me = grant(s, "reader", [rule(["get", "list", "watch"], ["*"], ["*"])])
    scale = {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": "d"}, "spec": {"replicas": 9}}
    for path in (f"{apps}/d/scale?watch=true", f"{apps}/d/scale", "/apis/apps/v1/watch/namespaces/default/deployments/d/scale"):
        s.request("GET", path, scale, headers=me)
        tap.eq(f"GET {path} with a body scales nothing", s.get(apps + "/d").json["spec"]["replicas"], 1)
    body = {"kind": "Eviction", "apiVersion": "policy/v1", "metadata": {"name": "seen"}}
    tap.eq("GET of an eviction is no eviction", s.request("GET", "/api/v1/namespaces/default/pods/seen/eviction", body, headers=me).status, 405)
    body = {"kind": "Binding", "apiVersion": "v1", "metadata": {"name": "seen"}, "target": {"kind": "Node", "name": "n"}}
    tap.eq("GET of a binding is no binding", s.request("GET", "/api/v1/namespaces/default/pods/seen/binding", body, headers=me).status, 405)
    tap.ok("the pod is as it was", "nodeName" not in s.get("/api/v1/namespaces/default/pods/seen").json["spec"])
    for method, sub in (("DELETE", "scale"), ("POST", "scale"), ("DELETE", "status"), ("POST", "status")):
        tap.eq(f"{method} of {sub} is no verb of it", s.request(method, f"{apps}/d/{sub}", scale).status, 405)


def first_event(s, path, me):
    conn = s.connect()
    conn.request("GET", path, headers=me)
    r = conn.getresponse()
    text = r.read().decode()
    conn.close()
    return r.status, text


def test_names(s):
    secrets = "/api/v1/namespaces/default/secrets"
    for name in ("one", "two"):
        s.post(secrets, {"metadata": {"name": name}, "stringData": {"k": f"value-of-{name}"}})
    me = grant(s, "narrow", [rule(["get", "list", "watch"], ["secrets"], names=["one"])])
    tap.eq("the named secret", s.get(secrets + "/one", headers=me).status, 200)
    tap.eq("another", s.get(secrets + "/two", headers=me).status, 403)
    tap.eq("all", s.get(secrets, headers=me).status, 403)
    r = s.get(secrets + "?fieldSelector=metadata.name%3Done", headers=me)
    tap.eq("a list of the one name", (r.status, [i["metadata"]["name"] for i in r.json.get("items", [])]), (200, ["one"]))
    tap.eq("a list of another", s.get(secrets + "?fieldSelector=metadata.name%3Dtwo", headers=me).status, 403)
    status, text = first_event(s, secrets + "?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Done", me)
    tap.eq("a watch of the one name", (status, text.count('"ADDED"'), '"two"' in text), (200, 1, False))
    status, text = first_event(s, "/api/v1/watch/namespaces/default/secrets/one?timeoutSeconds=1&fieldSelector=metadata.name%3Dtwo", me)
    tap.ok("a selector does not widen what the URL names", '"two"' not in text, text)
    r = s.get(secrets + "/one?watch=true", headers=me)
    tap.eq("watch=true with a name is a get", (r.status, r.json["kind"]), (200, "Secret"))


def test_creating_by_other_verbs(s):
    cms, leases = "/api/v1/namespaces/default/configmaps", "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    me = grant(s, "patcher", [rule(["get", "patch", "update"], ["configmaps", "leases"], ["", "coordination.k8s.io"])])
    r = s.patch(cms + "/new?fieldManager=m", configmap("new"), kind="apply", headers=me)
    tap.eq("an apply that would create needs the verb create", (r.status, r.json["reason"]), (403, "Forbidden"))
    tap.has("and says so", r.json["message"], 'cannot create resource "configmaps"')
    r = s.put(leases + "/new", {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": {"name": "new"}, "spec": {}}, headers=me)
    tap.eq("so does a PUT", (r.status, s.get(leases + "/new").status), (403, 404))
    s.post(cms, configmap("old"))
    tap.eq("an apply to what is there does not", s.patch(cms + "/old?fieldManager=m", configmap("old", data={"a": "b"}), kind="apply", headers=me).status, 200)


def test_escalation(s):
    me = grant(s, "climber", [rule(["get", "list", "watch", "create", "update", "patch"], ["roles", "rolebindings"], ["rbac.authorization.k8s.io"])])
    roles, bindings = f"{RBAC}/namespaces/default/roles", f"{RBAC}/namespaces/default/rolebindings"
    more = {"metadata": {"name": "more"}, "rules": [rule(["get"], ["secrets"])]}
    tap.eq("a role with more rights than one has", s.post(roles, more, headers=me).status, 403)
    tap.eq("the same by apply", s.patch(roles + "/more?fieldManager=m", {"kind": "Role", "apiVersion": "rbac.authorization.k8s.io/v1", **more}, kind="apply", headers=me).status, 403)
    s.post(roles, more)
    bind = {"metadata": {"name": "b"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "climber"}]}
    tap.eq("a binding to cluster-admin", s.post(bindings, bind, headers=me).status, 403)
    tap.eq("a patch that adds a right", s.patch(roles + "/climber", [{"op": "add", "path": "/rules/-", "value": rule(["get"], ["secrets"])}], kind="json", headers=me).status, 403)


TESTS = [test_other_namespaces, test_reading_does_not_write, test_names, test_creating_by_other_verbs, test_escalation]

if __name__ == "__main__":
    with Server() as server:
        tap.run(TESTS, server)
    tap.done()
