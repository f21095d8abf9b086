"""Where several rules meet: allocations and quotas on every way out, deletes at the same time, numbers at their ends."""
import json
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import Server, configmap, pod, tap  # noqa: E402

CM = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
SVC = "/api/v1/namespaces/default/services"


def service(name, ports, **spec):
    return {"kind": "Service", "apiVersion": "v1", "metadata": {"name": name}, "spec": {"selector": {"a": "b"}, "ports": ports, **spec}}


def node_ports(r):
    return [p.get("nodePort") for p in r.json["spec"]["ports"]] if r.status < 300 else r


def test_versions(s):
    s.post(CM, configmap("v"))
    for _ in range(3):
        r = s.get(CM + "/v?resourceVersion=99999999")
        tap.eq("a revision that is not there yet", (r.status, r.json["reason"]), (504, "Timeout"))
    tap.eq("a revision that is no number", s.get(CM + "/v?resourceVersion=x").status, 400)


def test_node_ports(s):
    dns = [{"name": "u", "port": 53, "protocol": "UDP"}, {"name": "t", "port": 53, "protocol": "TCP"}]
    got = node_ports(s.post(SVC, service("dns", dns, type="NodePort")))
    tap.ok("one number for both protocols of a port", got[0] == got[1] and got[0], got)
    s.delete(SVC + "/dns")
    for p in dns:
        p["nodePort"] = 30053
    tap.eq("also when it is given", node_ports(s.post(SVC, service("dns", dns, type="NodePort"))), [30053, 30053])
    http = [{"port": 80, "nodePort": 30053}]
    tap.eq("nobody else gets it", s.post(SVC, service("other", http, type="NodePort")).status, 422)
    lb = service("lb", http, type="LoadBalancer", allocateLoadBalancerNodePorts=False)
    tap.eq("a load balancer that wants no numbers must not take it either", s.post(SVC, lb).status, 422)
    r = s.post(SVC, service("name", http, type="ExternalName", externalName="example.com"))
    tap.eq("a service that uses no node ports", r.status, 201)
    s.delete(SVC + "/name")
    tap.eq("gives back none", s.post(SVC, service("other", http, type="NodePort")).status, 422)
    r = s.patch(SVC + "/dns", {"spec": {"type": "ClusterIP"}})
    tap.eq("a change of type", (r.status, node_ports(r)), (200, [None, None]))
    tap.eq("gives back its own", s.post(SVC, service("other", http, type="NodePort")).status, 201)
    many = [{"name": f"p{i}", "port": 1000 + i} for i in range(80)]
    r = s.post(SVC, service("many", many, type="NodePort"))
    tap.eq("more numbers than one transaction holds", (r.status, s.get(SVC + "/many").status), (413, 404))


def test_addresses(s):
    own = s.get(SVC + "/kubernetes").json["spec"]["clusterIP"]
    r = s.post(SVC, service("thief", [{"port": 1}], type="ExternalName", externalName="example.com", clusterIP=own))
    tap.eq("an external name has no address", r.status, 422)
    tap.eq("an address in use", s.post(SVC, service("thief", [{"port": 1}], clusterIP=own)).status, 422)
    r = s.post(SVC, {**service("", [{"port": 1}]), "metadata": {"generateName": "gen-"}})
    name, ip = r.json["metadata"]["name"], r.json["spec"]["clusterIP"]
    tap.eq("a generated name holds its address", s.post(SVC, service("thief", [{"port": 1}], clusterIP=ip)).status, 422)
    s.delete(f"{SVC}/{name}")
    tap.eq("and gives it back", s.post(SVC, service("thief", [{"port": 1}], clusterIP=ip)).status, 201)
    r = s.post(SVC + "?dryRun=All", service("dry", [{"port": 1}]))
    tap.eq("a dry run takes none", s.post(SVC, service("wet", [{"port": 1}], clusterIP=r.json["spec"]["clusterIP"])).status, 201)
    s.patch(SVC + "/wet", {"metadata": {"finalizers": ["a/b"]}})
    s.delete(SVC + "/wet")
    r = s.patch(SVC + "/wet", {"metadata": {"finalizers": []}, "spec": {"type": "NodePort", "ports": [{"port": 1, "nodePort": 30077}]}})
    tap.eq("the last finalizer and a new port in one update", (r.status, s.get(SVC + "/wet").status), (200, 404))
    tap.eq("leaves nothing behind", s.post(SVC, service("next", [{"port": 1, "nodePort": 30077}], type="NodePort", clusterIP=r.json["spec"]["clusterIP"])).status, 201)


def quota_used(s, ns):
    return s.get(f"/api/v1/namespaces/{ns}/resourcequotas/q").json["status"]["used"]


def test_quota(s):
    s.post("/api/v1/namespaces", {"metadata": {"name": "q"}})
    pods = "/api/v1/namespaces/q/pods"
    hard = {"pods": "3", "requests.cpu": "2", "requests.example.com/gpu": "1", "count/configmaps": "10"}
    s.post("/api/v1/namespaces/q/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": hard}})
    junk = {f"example.com/r{i}": "1" for i in range(100)}

    def sized(name, cpu="1", **more):
        p = pod(name, ns="q")
        need = {"cpu": cpu, **more}
        p["spec"]["containers"][0]["resources"] = {"requests": need, "limits": need}
        return p
    r = s.post(pods, sized("gpu", "1", **junk, **{"example.com/gpu": "2"}))
    tap.eq("other resources do not hide one that is limited", r.status, 403)
    tap.eq("a dry run", s.post(pods + "?dryRun=All", sized("a")).status, 201)
    tap.eq("uses nothing", quota_used(s, "q")["pods"], "0")
    p = sized("a")
    p["metadata"]["finalizers"] = ["a/b"]
    tap.eq("a pod", (s.post(pods, p).status, quota_used(s, "q")["requests.cpu"]), (201, "1"))
    r = s.patch(pods + "/a/resize", {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "5"}, "limits": {"cpu": "5"}}}]}}, kind="strategic")
    tap.eq("a resize beyond the quota", r.status, 403)
    r = s.patch(pods + "/a/resize", {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}}]}},
                kind="strategic")
    tap.eq("one within it is counted", (r.status, quota_used(s, "q")["requests.cpu"]), (200, "2"))
    tap.ok("and changes nothing else", r.status == 200 and "labels" not in r.json["metadata"], r)
    s.delete(pods + "/a")
    tap.eq("a finalizer holds what the pod uses", quota_used(s, "q")["pods"], "1")
    r = s.patch(pods + "/a", {"metadata": {"finalizers": []}})
    tap.eq("its end", (r.status, s.get(pods + "/a").status), (200, 404))
    tap.eq("gives all of it back", {k: v for k, v in quota_used(s, "q").items() if v != "0"}, {"count/configmaps": "1"})
    s.post(pods, sized("b"))
    s.patch(pods + "/b/status", {"status": {"phase": "Succeeded"}})
    tap.eq("a pod that ended uses nothing", quota_used(s, "q")["pods"], "0")
    s.delete(pods + "/b")
    tap.eq("and cannot give it back twice", quota_used(s, "q")["pods"], "0")
    for i in range(5):
        s.post("/api/v1/namespaces/q/configmaps", configmap(f"c{i}", ns="q"))
    s.patch("/api/v1/namespaces/q/resourcequotas/q", {"spec": {"hard": {"configmaps": "7", "secrets": "9"}}})
    used = quota_used(s, "q")
    tap.eq("a changed quota counts again", (used["configmaps"], used["count/configmaps"], used["secrets"]), ("6", "6", "0"))


def test_deletes_at_once(s):
    """Collections and single deletes over the same objects, from several connections."""
    for round_ in range(3):
        for i in range(60):
            s.post(CM, configmap(f"race-{i}", data={"r": str(round_)}))
        found = []

        def clear(_):
            conn = s.connect()
            for _ in range(4):
                found.append(s.request("DELETE", CM, conn=conn).status)

        def single(k):
            conn = s.connect()
            for i in range(60):
                found.append(s.request("DELETE", f"{CM}/race-{(i * 7 + k) % 60}", conn=conn).status)
        threads = [threading.Thread(target=f, args=(k,)) for f, k in ((clear, 0), (single, 1), (clear, 0), (single, 2))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        tap.ok("every delete is answered", set(found) <= {200, 404}, set(found))
        left = [i["metadata"]["name"] for i in s.get(CM).json["items"] if i["metadata"]["name"].startswith("race-")]
        tap.eq("nothing is left", left, [])


def test_many_writers(s):
    """Writers of one object, and of objects that one quota counts, wait for each other instead of failing."""
    s.post("/api/v1/namespaces", {"metadata": {"name": "busy"}})
    s.post("/api/v1/namespaces/busy/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"count/configmaps": "400", "pods": "7"}}})
    path = "/api/v1/namespaces/busy/configmaps"
    s.post(path, configmap("one", ns="busy"))
    found = {"create": [], "patch": [], "pod": []}
    conns = [s.connect() for _ in range(60)]
    for c in conns:
        c.connect()

    def write(k):
        for j in range(3):
            found["create"].append(s.request("POST", path, configmap(f"w{k}-{j}", ns="busy"), conn=conns[k]).status)
            patch = json.dumps({"data": {f"k{k}-{j}": "v"}})
            found["patch"].append(s.request("PATCH", path + "/one", patch, headers={"Content-Type": "application/merge-patch+json"}, conn=conns[k]).status)
        found["pod"].append(s.request("POST", "/api/v1/namespaces/busy/pods", pod(f"p{k}", ns="busy"), conn=conns[k]).status)
    threads = [threading.Thread(target=write, args=(k,)) for k in range(60)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    tap.eq("every create succeeds", (set(found["create"]), len(found["create"])), ({201}, 180))
    tap.eq("every patch does", (set(found["patch"]), len(s.get(path + "/one").json["data"])), ({200}, 180))
    tap.eq("the quota is full and not more", sorted(found["pod"]), [201] * 7 + [403] * 53)
    tap.eq("what it counts is what is there", quota_used(s, "busy"), {"count/configmaps": str(len(s.get(path).json["items"])), "pods": "7"})


def test_grace(s):
    s.post(PODS, pod("slow", nodeName="n"))
    r = s.delete(PODS + "/slow?gracePeriodSeconds=9223372036854775807")
    tap.eq("the longest grace there is", (r.status, r.json["metadata"]["deletionTimestamp"][:2]), (200, "21"))
    r = s.delete(PODS + "/slow?gracePeriodSeconds=5")
    tap.eq("a shorter one counts", r.json["metadata"]["deletionGracePeriodSeconds"], 5)
    r = s.delete(PODS + "/slow")
    tap.eq("a longer one does not", r.json["metadata"]["deletionGracePeriodSeconds"], 5)
    tap.eq("none at all ends it", (s.delete(PODS + "/slow?gracePeriodSeconds=0").status, s.get(PODS + "/slow").status), (200, 404))


def test_lists(s):
    for i in range(30):
        s.post(CM, configmap(f"l-{i:02}"))
    r = s.get(CM + "?limit=9223372036854775807")
    tap.ok("a limit beyond all objects", r.status == 200 and len(r.json["items"]) >= 30 and "continue" not in r.json["metadata"], r)
    tap.eq("a continue token with a foreign start stays in its list", s.get(CM + "?limit=2&continue=" + token(s, "../secrets/x")).status, 200)
    tap.eq("a token that is none", s.get(CM + "?continue=abc").status, 400)


def token(s, start):
    import base64
    rv = int(s.get(CM + "?limit=1").json["metadata"]["resourceVersion"])
    return base64.urlsafe_b64encode(json.dumps({"v": "meta.k8s.io/v1", "rv": rv, "start": start}).encode()).decode().rstrip("=")


def test_generation(s):
    crd = {"metadata": {"name": "things.example.org"}, "spec": {"group": "example.org", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
           "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
    s.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
    path = "/apis/example.org/v1/namespaces/default/things"
    s.post(path, {"kind": "Thing", "apiVersion": "example.org/v1", "metadata": {"name": "t"}, "spec": {"a": 1}, "status": {"b": 1}})
    r = s.patch(path + "/t", {"status": {"b": 2}})
    tap.eq("without a status subresource status counts as content", (r.json["status"]["b"], r.json["metadata"]["generation"]), (2, 2))
    r = s.patch(path + "/t", {"metadata": {"labels": {"x": "y"}}})
    tap.eq("metadata does not", r.json["metadata"]["generation"], 2)


def test_depth(s):
    """What was stored can be read again, with all that lists, tables and managedFields put around it."""
    path = "/apis/example.org/v1/namespaces/default/things"
    for opening, closing in (('{"a":', "}"), ("[", "]")):
        codes = set()
        for depth in range(100, 130):
            body = '{"kind":"Thing","apiVersion":"example.org/v1","metadata":{"name":"deep"},"spec":%s1%s}' % (opening * depth, closing * depth)
            codes.add(s.request("POST", path, body, headers={"Content-Type": "application/json"}).status)
            codes.add(s.patch(path + "/deep?fieldManager=f&force=true", body, kind="apply").status)
            for query, accept in (("?pretty=true", ""), ("?labelSelector=a", ""), ("", "application/yaml"), ("", "application/json;as=Table;v=v1;g=meta.k8s.io")):
                codes.add(s.get(path + query, headers={"Accept": accept or "application/json"}).status)
            s.delete(path + "/deep")
        tap.eq("deep objects are refused or served", codes, {200, 201, 400})


TESTS = [test_versions, test_node_ports, test_addresses, test_quota, test_deletes_at_once, test_many_writers, test_grace, test_lists, test_generation, test_depth]

if __name__ == "__main__":
    with Server() as server:
        tap.run(TESTS, server)
    tap.done()
