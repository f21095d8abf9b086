"""Objects over plain HTTP: create, get, list, update, patch, delete, and the Status answers when something is wrong."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import Server, configmap, pod, tap  # noqa: E402

CM = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
DEPLOY = "/apis/apps/v1/namespaces/default/deployments"


def deployment(name, replicas=2):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}}


def test_create_and_get(s):
    r = s.post(CM, configmap("a", data={"k": "v"}))
    tap.eq("create answers 201", r.status, 201)
    made = r.json
    meta = made["metadata"]
    tap.ok("uid, creationTimestamp and resourceVersion are set", all(meta.get(k) for k in ("uid", "creationTimestamp", "resourceVersion")), made)
    tap.eq("managedFields name the client", meta["managedFields"][0]["operation"], "Update")
    got = s.get(CM + "/a")
    tap.eq("get gives the same object", got.json, made)
    tap.eq("its content type", got.headers["Content-Type"], "application/json")
    r = s.post(CM, configmap("a"))
    tap.eq("a second create is 409", (r.status, r.json["reason"], r.json["message"]), (409, "AlreadyExists", 'configmaps "a" already exists'))
    tap.eq("its details", r.json["details"], {"name": "a", "kind": "configmaps"})
    r = s.get(CM + "/nope")
    tap.eq("404 Status", (r.status, r.json["message"], r.json["details"]), (404, 'configmaps "nope" not found', {"name": "nope", "kind": "configmaps"}))
    r = s.post("/api/v1/namespaces/absent/configmaps", configmap("a", ns="absent"))
    tap.eq("create in an absent namespace", (r.status, r.json["message"]), (404, 'namespaces "absent" not found'))


def test_generate_name(s):
    body = configmap("x")
    body["metadata"] = {"generateName": "gen-"}
    names = {s.post(CM, body).json["metadata"]["name"] for _ in range(5)}
    tap.ok("generateName draws different names", len(names) == 5 and all(n.startswith("gen-") and len(n) == 9 for n in names), names)


def test_bad_bodies(s):
    cases = [
        ("malformed JSON", b'{"a":', 400, "BadRequest"),
        ("no object", b"[1,2]", 400, "BadRequest"),
        ("wrong kind", json.dumps({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x"}}).encode(), 400, "BadRequest"),
        ("wrong version", json.dumps({"kind": "ConfigMap", "apiVersion": "v2", "metadata": {"name": "x"}}).encode(), 400, "BadRequest"),
        ("other namespace", json.dumps(configmap("x", ns="kube-system")).encode(), 400, "BadRequest"),
        ("wrong field type", b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},"data":{"a":1}}', 400, "BadRequest"),
        ("no name", json.dumps({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {}}).encode(), 422, "Invalid"),
        ("bad name", json.dumps(configmap("Upper_Case")).encode(), 422, "Invalid"),
        ("bad UTF-8", b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},"data":{"a":"\xff"}}', 400, "BadRequest"),
        ("deep nesting", b'{"a":' * 5000 + b"1" + b"}" * 5000, 400, "BadRequest"),
    ]
    for name, body, status, reason in cases:
        r = s.request("POST", CM, body, headers={"Content-Type": "application/json"})
        tap.eq(f"{name}: {status} {reason}", (r.status, r.json["reason"], r.json["kind"]), (status, reason, "Status"))
    r = s.request("POST", CM, "x", headers={"Content-Type": "text/html"})
    tap.eq("unknown media type is 415", (r.status, r.json["reason"]), (415, "UnsupportedMediaType"))
    r = s.get(CM, headers={"Accept": "image/png"})
    tap.eq("nothing acceptable is 406", (r.status, r.json["reason"]), (406, "NotAcceptable"))
    r = s.request("POST", CM, b"x" * (4 << 20), headers={"Content-Type": "application/json"})
    tap.eq("a body over 3 MiB is 413", (r.status, r.json["reason"]), (413, "RequestEntityTooLarge"))


def test_field_validation(s):
    body = json.dumps({**configmap("strict"), "foo": 1})
    r = s.request("POST", CM + "?fieldValidation=Strict", body, headers={"Content-Type": "application/json"})
    tap.eq("strict refuses unknown fields", (r.status, r.json["message"]),
           (400, 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"'))
    r = s.request("POST", CM, body, headers={"Content-Type": "application/json"})
    tap.eq("the default warns", (r.status, r.headers["Warning"]), (201, '299 - "unknown field \\"foo\\""'))
    tap.ok("and drops the field", "foo" not in r.json)
    r = s.request("POST", CM + "?fieldValidation=Ignore", body.replace("strict", "ignored"), headers={"Content-Type": "application/json"})
    tap.eq("ignore is silent", (r.status, r.headers["Warning"]), (201, None))
    dup = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"dup"},"data":{"a":"1","a":"2"}}'
    r = s.request("POST", CM + "?fieldValidation=Strict", dup, headers={"Content-Type": "application/json"})
    tap.has("strict refuses duplicates", r.json["message"], 'strict decoding error: duplicate field "data.a"')
    r = s.request("POST", CM + "?fieldValidation=Loose", dup)
    tap.eq("an unknown level is 422", r.status, 422)


def test_update(s):
    made = s.post(CM, configmap("u", data={"n": "0"})).json
    body = {**made, "data": {"n": "1"}}
    r = s.put(CM + "/u", body)
    tap.eq("update", (r.status, r.json["data"]), (200, {"n": "1"}))
    tap.ok("the revision grows", int(r.json["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"]))
    tap.eq("uid stays", r.json["metadata"]["uid"], made["metadata"]["uid"])
    stale = s.put(CM + "/u", body)
    tap.eq("a stale resourceVersion is 409", (stale.status, stale.json["reason"], stale.json["message"]),
           (409, "Conflict", 'Operation cannot be fulfilled on configmaps "u": the object has been modified; please apply your changes to the latest version and try again'))
    same = s.put(CM + "/u", r.json)
    tap.eq("writing the same again keeps the revision", same.json["metadata"]["resourceVersion"], r.json["metadata"]["resourceVersion"])
    free = {**body, "metadata": {"name": "u"}}
    tap.eq("without resourceVersion it is unconditional", s.put(CM + "/u", free).status, 200)
    tap.eq("another name than the URL's is 400", s.put(CM + "/u", configmap("other")).status, 400)
    tap.eq("an absent object is 404", s.put(CM + "/absent", configmap("absent")).status, 404)
    wrong = {**body, "metadata": {"name": "u", "uid": "11111111-1111-4111-8111-111111111111"}}
    tap.eq("another uid is 409", s.put(CM + "/u", wrong).status, 409)


def test_patches(s):
    s.post(DEPLOY, deployment("p"))
    r = s.patch(DEPLOY + "/p", {"spec": {"replicas": 3}})
    tap.eq("merge patch", (r.status, r.json["spec"]["replicas"], r.json["metadata"]["generation"]), (200, 3, 2))
    r = s.patch(DEPLOY + "/p", {"spec": {"template": {"spec": {"containers": [{"name": "c", "env": [{"name": "A", "value": "1"}]}]}}}}, kind="strategic")
    c = r.json["spec"]["template"]["spec"]["containers"][0]
    tap.eq("strategic merge keeps the container's image", (r.status, c["image"], c["env"]), (200, "nginx", [{"name": "A", "value": "1"}]))
    r = s.patch(DEPLOY + "/p", [{"op": "test", "path": "/spec/replicas", "value": 3}, {"op": "replace", "path": "/spec/replicas", "value": 4}], kind="json")
    tap.eq("json patch", (r.status, r.json["spec"]["replicas"]), (200, 4))
    r = s.patch(DEPLOY + "/p", [{"op": "test", "path": "/spec/replicas", "value": 99}], kind="json")
    tap.eq("a failing test is 422", (r.status, r.json["reason"]), (422, "Invalid"))
    r = s.request("PATCH", DEPLOY + "/p", "{}", headers={"Content-Type": "application/json"})
    tap.eq("plain JSON is no patch: 415", r.status, 415)
    r = s.patch(DEPLOY + "/p", {"spec": {"selector": {"matchLabels": {"app": "other"}}}})
    tap.eq("an immutable field is 422", (r.status, r.json["details"]["causes"][0]["field"]), (422, "spec.selector"))
    before = s.get(DEPLOY + "/p").json["metadata"]["resourceVersion"]
    r = s.patch(DEPLOY + "/p", {"metadata": {"labels": None}})
    tap.eq("a patch that changes nothing keeps the revision", r.json["metadata"]["resourceVersion"], before)
    r = s.patch(DEPLOY + "/p", {"status": {"replicas": 7}})
    tap.ok("the main resource ignores status", r.json["status"].get("replicas") is None, r.json["status"])
    r = s.patch(DEPLOY + "/p/status", {"status": {"replicas": 7}, "spec": {"replicas": 1}})
    tap.eq("/status changes status only", (r.status, r.json["status"]["replicas"], r.json["spec"]["replicas"]), (200, 7, 4))
    r = s.patch(DEPLOY + "/p/status", {"metadata": {"annotations": {"note": "x"}, "labels": {"l": "x"}}})
    tap.eq("annotations may go with it, a deployment's labels not", (r.json["metadata"]["annotations"]["note"], "labels" in r.json["metadata"]), ("x", False))
    tap.eq("and not the generation", r.json["metadata"]["generation"], s.get(DEPLOY + "/p").json["metadata"]["generation"])


def test_apply(s):
    path = CM + "/ssa"
    body = configmap("ssa", data={"a": "1"})
    r = s.patch(path + "?fieldManager=m1", body, kind="apply")
    tap.eq("apply creates with 201", r.status, 201)
    r = s.patch(path + "?fieldManager=m2", configmap("ssa", data={"a": "2"}), kind="apply")
    tap.eq("another manager's value is a conflict", (r.status, r.json["details"]["causes"][0]["reason"], r.json["message"]),
           (409, "FieldManagerConflict", 'Apply failed with 1 conflict: conflict with "m1": .data.a'))
    r = s.patch(path + "?fieldManager=m2&force=true", configmap("ssa", data={"a": "2", "b": "3"}), kind="apply")
    tap.eq("force takes it", (r.status, r.json["data"]), (200, {"a": "2", "b": "3"}))
    r = s.patch(path + "?fieldManager=m2", configmap("ssa", data={"a": "2"}), kind="apply")
    tap.eq("what is no longer applied goes", r.json["data"], {"a": "2"})
    rv = r.json["metadata"]["resourceVersion"]
    r = s.patch(path + "?fieldManager=m2", configmap("ssa", data={"a": "2"}), kind="apply")
    tap.eq("the same again changes nothing", r.json["metadata"]["resourceVersion"], rv)
    r = s.patch(path, body, kind="apply")
    tap.eq("fieldManager is required", r.status, 422)
    r = s.patch(path + "?fieldManager=y", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\ndata:\n  yaml: 'true'\n", kind="apply")
    tap.eq("YAML bodies", r.json["data"]["yaml"], "true")


def test_delete(s):
    s.post(CM, configmap("d"))
    r = s.delete(CM + "/d")
    tap.eq("delete answers a Status", (r.status, r.json["status"], r.json["details"]["name"], r.json["details"]["kind"]), (200, "Success", "d", "configmaps"))
    tap.eq("it is gone", s.get(CM + "/d").status, 404)
    body = configmap("f")
    body["metadata"]["finalizers"] = ["example.com/hold"]
    s.post(CM, body)
    r = s.delete(CM + "/f")
    tap.ok("a finalizer keeps it", r.json["metadata"].get("deletionTimestamp"), r)
    tap.eq("it is still readable", s.get(CM + "/f").status, 200)
    r = s.patch(CM + "/f", {"metadata": {"finalizers": None}})
    tap.eq("removing the last finalizer answers the object", r.status, 200)
    tap.eq("and removes it", s.get(CM + "/f").status, 404)
    made = s.post(CM, configmap("pre")).json
    r = s.delete(CM + "/pre", {"preconditions": {"uid": "nope"}})
    tap.eq("a uid precondition is 409", r.status, 409)
    r = s.delete(CM + "/pre?dryRun=All")
    tap.eq("dry run", r.status, 200)
    tap.eq("leaves it", s.get(CM + "/pre").status, 200)
    r = s.delete(CM + "/pre", {"preconditions": {"uid": made["metadata"]["uid"]}, "propagationPolicy": "Sideways"})
    tap.eq("an unknown propagation policy is 422", r.status, 422)
    for i in range(3):
        s.post(CM, {**configmap(f"many{i}"), "metadata": {"name": f"many{i}", "labels": {"many": "yes"}}})
    r = s.delete(CM + "?labelSelector=many%3Dyes")
    tap.eq("deletecollection answers what it removed", (r.status, len(r.json["items"])), (200, 3))
    tap.eq("and they are gone", len(s.get(CM + "?labelSelector=many%3Dyes").json["items"]), 0)
    for i in range(2):
        s.post(CM, {**configmap(f"one{i}"), "metadata": {"name": f"one{i}", "labels": {"one": "yes"}}})
    count = lambda query: len(s.delete(CM + query).json["items"])  # noqa: E731
    tap.eq("a name whose labels are others stays", count("?labelSelector=one%3Dno&fieldSelector=metadata.name%3Done0"), 0)
    tap.eq("a name that is not there", count("?labelSelector=one%3Dyes&fieldSelector=metadata.name%3Done2"), 0)
    tap.eq("one name of a collection", count("?labelSelector=one%3Dyes&fieldSelector=metadata.name%3Done0"), 1)
    tap.eq("all but a name", count("?labelSelector=one%3Dyes&fieldSelector=metadata.name%21%3Done0"), 1)


def test_dry_run(s):
    r = s.post(CM + "?dryRun=All", configmap("dry"))
    tap.eq("dry-run create", (r.status, "resourceVersion" in r.json["metadata"]), (201, False))
    tap.eq("stores nothing", s.get(CM + "/dry").status, 404)
    tap.eq("other values are 422", s.post(CM + "?dryRun=Some", configmap("dry")).status, 422)


def test_pods(s):
    r = s.post(PODS, pod("p", labels={"app": "x"}))
    tap.eq("a pod is accepted", r.status, 201)
    p = r.json
    tap.eq("defaults", (p["spec"]["restartPolicy"], p["spec"]["dnsPolicy"], p["spec"]["schedulerName"], p["spec"]["terminationGracePeriodSeconds"]),
           ("Always", "ClusterFirst", "default-scheduler", 30))
    tap.eq("admission", (p["spec"]["serviceAccountName"], p["spec"]["priority"], len(p["spec"]["tolerations"]), p["spec"]["volumes"][0]["name"][:16]),
           ("default", 0, 2, "kube-api-access-"))
    tap.eq("status", p["status"], {"phase": "Pending", "qosClass": "BestEffort"})
    r = s.post(PODS + "/p/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}})
    tap.eq("binding", (r.status, r.json["status"]), (201, "Success"))
    bound = s.get(PODS + "/p").json
    tap.eq("the node is set", (bound["spec"]["nodeName"], bound["status"]["conditions"][0]["type"]), ("n1", "PodScheduled"))
    r = s.post(PODS + "/p/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n2"}})
    tap.eq("a second binding is 409", r.status, 409)
    r = s.delete(PODS + "/p")
    tap.eq("a bound pod is deleted gracefully", r.json["metadata"]["deletionGracePeriodSeconds"], 30)
    r = s.delete(PODS + "/p", {"gracePeriodSeconds": 0})
    tap.eq("grace 0 removes it", s.get(PODS + "/p").status, 404)
    s.post(PODS, pod("e"))
    r = s.post(PODS + "/e/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "e"}})
    tap.eq("eviction", (r.status, s.get(PODS + "/e").status), (201, 404))
    r = s.patch(PODS + "/none", {"spec": {}})
    tap.eq("patch of an absent pod", r.status, 404)


def test_scale(s):
    s.post(DEPLOY, deployment("sc", 2))
    r = s.get(DEPLOY + "/sc/scale")
    tap.eq("scale", (r.json["kind"], r.json["spec"]["replicas"], r.json["status"]["selector"]), ("Scale", 2, "app=sc"))
    r = s.patch(DEPLOY + "/sc/scale", {"spec": {"replicas": 5}})
    tap.eq("patched", (r.json["spec"]["replicas"], s.get(DEPLOY + "/sc").json["spec"]["replicas"]), (5, 5))
    r = s.put(DEPLOY + "/sc/scale", {**r.json, "spec": {"replicas": 0}})
    tap.eq("put to zero", s.get(DEPLOY + "/sc").json["spec"]["replicas"], 0)


def test_services(s):
    path = "/api/v1/namespaces/default/services"
    svc = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"type": "NodePort", "ports": [{"port": 80}], "selector": {"a": "b"}}}
    r = s.post(path, svc)
    spec = r.json["spec"]
    tap.ok("an address and a node port are allocated", spec["clusterIP"].startswith("10.96.") and 30000 <= spec["ports"][0]["nodePort"] <= 32767, r)
    clash = {**svc, "metadata": {"name": "b"}, "spec": {**svc["spec"], "clusterIP": spec["clusterIP"]}}
    tap.eq("a taken address is 422", s.post(path, clash).status, 422)
    s.delete(path + "/a")
    r = s.post(path, clash)
    tap.eq("and free again after the delete", (r.status, r.json["spec"]["clusterIP"]), (201, spec["clusterIP"]))
    r = s.patch(path + "/b", {"spec": {"type": "LoadBalancer"}})
    tap.eq("to a load balancer", (r.status, r.json["spec"]["allocateLoadBalancerNodePorts"]), (200, True))
    port = r.json["spec"]["ports"][0]["nodePort"]
    r = s.patch(path + "/b", {"spec": {"type": "ClusterIP"}})
    tap.eq("and back: what only it has goes", (r.status, "allocateLoadBalancerNodePorts" in r.json["spec"], "nodePort" in r.json["spec"]["ports"][0]), (200, False, False))
    r = s.post(path, {**svc, "metadata": {"name": "np"}, "spec": {**svc["spec"], "ports": [{"port": 80, "nodePort": port}]}})
    tap.eq("its node port is free again", r.status, 201)
    r = s.patch(path + "/b", {"spec": {"type": "ExternalName", "externalName": "example.com"}})
    tap.eq("to an external name", (r.status, "clusterIP" in r.json["spec"]), (200, False))
    r = s.post(path, {**svc, "metadata": {"name": "h"}, "spec": {"clusterIP": "None", "selector": {"a": "b"}}})
    tap.eq("headless", r.json["spec"]["clusterIPs"], ["None"])


def test_quota(s):
    path = "/api/v1/namespaces/q"
    s.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "q"}})
    s.post(path + "/resourcequotas", {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "rq"}, "spec": {"hard": {"pods": "1", "count/configmaps": "3", "resourcequotas": "2"}}})
    used = s.get(path + "/resourcequotas/rq").json["status"]["used"]
    tap.eq("a new quota has counted what is there, itself, too", used, {"pods": "0", "count/configmaps": "1", "resourcequotas": "1"})
    tap.eq("one pod fits", s.post(path + "/pods", pod("a", ns="q")).status, 201)
    r = s.post(path + "/pods", pod("b", ns="q"))
    tap.eq("two do not", (r.status, r.json["message"]), (403, 'pods "b" is forbidden: exceeded quota: rq, requested: pods=1, used: pods=1, limited: pods=1'))
    tap.eq("status.used", s.get(path + "/resourcequotas/rq").json["status"]["used"]["pods"], "1")
    s.delete(path + "/pods/a")
    tap.eq("after the delete it fits again", s.post(path + "/pods", pod("b", ns="q")).status, 201)


def test_not_there(s):
    tap.eq("unknown resource", s.get("/api/v1/foos").json["message"], "the server could not find the requested resource")
    r = s.get("/apis/nope/v1/foos")
    tap.eq("unknown group", (r.status, r.text), (404, "404 page not found\n"))
    tap.eq("wrong method", s.request("POST", CM + "/a", "{}").status, 405)
    tap.eq("PUT on a collection", s.put(CM, {}).status, 405)
    tap.eq("a time-out that is none", s.get(CM + "?timeout=invalid").status, 400)
    tap.eq("also of other paths", s.get("/version?timeout=invalid").status, 400)
    tap.eq("a time-out", s.get(CM + "?timeout=1m30s").status, 200)
    tap.eq("trailing slash", s.get("/version/").json["major"], "1")


def main():
    with Server(args=["--controllers=false"]) as s:
        tap.run((test_create_and_get, test_generate_name, test_bad_bodies, test_field_validation, test_update, test_patches, test_apply, test_delete,
                 test_dry_run, test_pods, test_scale, test_services, test_quota, test_not_there), s)
    tap.done()


main()
