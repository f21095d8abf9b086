#!/usr/bin/env python3
"""Metrics and autoscaling against a real server: the test plays agents that report usage, programs that push metrics, the scheduler and the kubelet."""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "clients"))
import kubectls  # noqa: E402
from lib.cox import PATIENCE, Server, pod, tap, wait_for  # noqa: E402
from player import Player, now  # noqa: E402

CORE = "/api/v1/namespaces/default"
METRICS = "/apis/metrics.k8s.io/v1beta1"
CUSTOM = "/apis/custom.metrics.k8s.io/v1beta2"
EXTERNAL = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default"


def until(name, condition):
    return tap.ok(name, wait_for(condition, PATIENCE, 0.05), "waited in vain")


def items(response):
    return response.json.get("items") or []


def report(s, node, pods=(), cpu="1500m", memory="2Gi"):
    """pods: (name, cpu, memory)"""
    body = {"kind": "NodeMetrics", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {"name": node}, "timestamp": now(), "window": "15s", "usage": {"cpu": cpu, "memory": memory},
            "pods": [{"metadata": {"namespace": "default", "name": name}, "containers": [{"name": "c", "usage": {"cpu": c, "memory": m}}]} for name, c, m in pods]}
    return s.put(f"{METRICS}/nodes/{node}", body)


def report_pods(s, pods):
    """Each by the node that it is on: what others say of a pod does not count."""
    where = {p["metadata"]["name"]: p["spec"].get("nodeName") for p in items(s.get(f"{CORE}/pods"))}
    for node in set(where.values()) - {None}:
        report(s, node, [p for p in pods if where.get(p[0]) == node])


# --- metrics.k8s.io -------------------------------------------------------------------------------------------------------------------

def test_usage(s):
    s.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"disk": "fast"}}, "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "10"},
                                                                                                                                    "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}})
    s.post(f"{CORE}/pods", pod("a", labels={"app": "a"}, nodeName="n1"))
    s.post(f"{CORE}/pods", pod("b", labels={"app": "b"}, nodeName="n1"))
    s.post(f"{CORE}/pods", pod("elsewhere", labels={"app": "e"}, nodeName="n2"))
    tap.eq("nothing is known at first", (s.get(f"{METRICS}/nodes/n1").status, items(s.get(f"{METRICS}/nodes"))), (404, []))
    tap.eq("an unknown node cannot report", report(s, "nowhere").status, 404)
    r = report(s, "n1", [("a", "250m", "64Mi"), ("b", "100m", "32Mi"), ("gone", "1", "1Gi"), ("elsewhere", "1", "1Gi")])
    tap.eq("a report is taken", r.status, 200)
    node = s.get(f"{METRICS}/nodes/n1").json
    tap.eq("a node's usage", (node["kind"], node["usage"], node["window"], node["metadata"]["labels"]), ("NodeMetrics", {"cpu": "1500000000n", "memory": "2097152Ki"}, "15s", {"disk": "fast"}))
    one = s.get(f"{METRICS}/namespaces/default/pods/a").json
    tap.eq("a pod's usage", (one["kind"], one["containers"]), ("PodMetrics", [{"name": "c", "usage": {"cpu": "250000000n", "memory": "65536Ki"}}]))
    listed = s.get(f"{METRICS}/pods").json
    tap.eq("a list has the pods that exist and are there", (listed["kind"], [i["metadata"]["name"] for i in listed["items"]]), ("PodMetricsList", ["a", "b"]))
    s.delete(f"{CORE}/pods/elsewhere", {"gracePeriodSeconds": 0})
    tap.eq("selected by the labels of the pod", [i["metadata"]["name"] for i in items(s.get(f"{METRICS}/namespaces/default/pods?labelSelector=app%3Db"))], ["b"])
    tap.eq("and of the node", [i["metadata"]["name"] for i in items(s.get(f"{METRICS}/nodes?labelSelector=disk%3Dslow"))], [])
    tap.eq("other namespaces have none", items(s.get(f"{METRICS}/namespaces/kube-system/pods")), [])
    table = s.get(f"{METRICS}/pods", headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
    tap.eq("a table", ([c["name"] for c in table["columnDefinitions"]], table["rows"][0]["cells"]), (["Name", "cpu", "memory", "Window"], ["a", "250m", "64Mi", "15s"]))
    tap.eq("a wrong name is refused", s.put(f"{METRICS}/nodes/n1", {"kind": "NodeMetrics", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {"name": "n2"}, "usage": {}}).status, 400)
    tap.eq("a wrong quantity is refused", report(s, "n1", cpu="much").status, 400)
    tap.eq("nobody else may report", s.put(f"{METRICS}/nodes/n1", {}, cert=False).status in (401, 403), True)
    groups = [g["name"] for g in s.get("/apis").json["groups"]]
    tap.ok("discovery has the groups", all(f"{g}metrics.k8s.io" in groups for g in ("", "custom.", "external.")), groups)
    names = sorted(r["name"] for r in s.get(METRICS).json["resources"])
    tap.eq("and the resources", names, ["nodes", "pods"])


def test_kubectl_top(s):
    found = kubectls.find()
    if not found:
        tap.skip("kubectl top", "no kubectl here")
    for program, version in found:
        def run(*args):
            report(s, "n1", [("a", "250m", "64Mi"), ("b", "100m", "32Mi")])  # each time: reports grow old
            done = s.kubectl(*args, binary=program)
            return done, [line.split() for line in done.stdout.splitlines()[1:]]
        done, rows = run("top", "nodes")
        tap.ok(f"kubectl {version} top nodes", rows == [["n1", "1500m", "37%", "2048Mi", "25%"]], (done.stdout, done.stderr))
        done, rows = run("top", "pods")
        tap.ok(f"kubectl {version} top pods", rows == [["a", "250m", "64Mi"], ["b", "100m", "32Mi"]], (done.stdout, done.stderr))
        done, rows = run("top", "pods", "-l", "app=b", "--containers")
        tap.ok(f"kubectl {version} top pods -l --containers", rows == [["b", "c", "100m", "32Mi"]], (done.stdout, done.stderr))
        done, _ = run("get", "--raw", f"{METRICS}/nodes")
        tap.ok(f"kubectl {version} get --raw", done.returncode == 0 and json.loads(done.stdout)["kind"] == "NodeMetricsList", (done.stdout, done.stderr))
        done, rows = run("get", "pods.metrics.k8s.io")
        tap.ok(f"kubectl {version} get pods.metrics.k8s.io", done.stdout.split()[:4] == ["NAME", "CPU", "MEMORY", "WINDOW"] and len(rows) == 2, (done.stdout, done.stderr))
        done, _ = run("get", "pods", "-o", "name")
        tap.ok(f"kubectl {version} get pods still means pods", done.stdout.split() == ["pod/a", "pod/b"], (done.stdout, done.stderr))


def value(v, **more):
    return {"apiVersion": "custom.metrics.k8s.io/v1beta2", "kind": "MetricValue", "value": v, **more}


def test_values(s):
    path = f"{CUSTOM}/namespaces/default/pods"
    tap.eq("a metric that nobody wrote", s.get(f"{path}/*/hits").status, 404)
    tap.eq("a value is written", s.put(f"{path}/a/hits", value("10")).status, 200)
    tap.eq("another", s.put(f"{path}/b/hits", value("20500m")).status, 200)
    s.put(f"{path}/gone/hits", value("1"))
    got = s.get(f"{path}/a/hits").json
    tap.eq("and read", (got["kind"], got["items"][0]["value"], got["items"][0]["describedObject"]["name"], got["items"][0]["metric"]["name"]), ("MetricValueList", "10", "a", "hits"))
    tap.eq("all of the pods that exist", sorted(i["value"] for i in items(s.get(f"{path}/*/hits"))), ["10", "20500m"])
    tap.eq("by the pods' labels", [i["value"] for i in items(s.get(f"{path}/*/hits?labelSelector=app%3Db"))], ["20500m"])
    both = {"apiVersion": "custom.metrics.k8s.io/v1beta2", "kind": "MetricValueList", "metadata": {}, "items": [
        {"describedObject": {"name": "a"}, "metric": {"name": "hits", "selector": {"matchLabels": {"verb": "GET"}}}, "value": "1"},
        {"describedObject": {"name": "a"}, "metric": {"name": "hits", "selector": {"matchLabels": {"verb": "PUT"}}}, "value": "2"}]}
    tap.eq("many at once replace what was there", s.put(f"{path}/*/hits", both).status, 200)
    tap.eq("by the labels of the series", [i["value"] for i in items(s.get(f"{path}/*/hits?metricLabelSelector=verb%3DPUT"))], ["2"])
    tap.eq("the other one is gone", s.get(f"{path}/b/hits").status, 404)
    tap.eq("a metric of a namespace", (s.put(f"{CUSTOM}/namespaces/default/metrics/load", value("3")).status, items(s.get(f"{CUSTOM}/namespaces/default/metrics/load"))[0]["value"]), (200, "3"))
    tap.eq("a metric of a node", (s.put(f"{CUSTOM}/nodes/n1/heat", value("70")).status, items(s.get(f"{CUSTOM}/nodes/n1/heat"))[0]["describedObject"]["kind"]), (200, "Node"))
    outside = {"apiVersion": "external.metrics.k8s.io/v1beta1", "kind": "ExternalMetricValueList", "metadata": {}, "items": [
        {"metricLabels": {"queue": "a"}, "value": "5"}, {"metricLabels": {"queue": "b"}, "value": "7"}]}
    tap.eq("external values", s.put(f"{EXTERNAL}/queue_length", outside).status, 200)
    tap.eq("by labels", [(i["metricName"], i["value"]) for i in items(s.get(f"{EXTERNAL}/queue_length?labelSelector=queue%3Db"))], [("queue_length", "7")])
    tap.eq("an external metric that nobody wrote is an empty list", items(s.get(f"{EXTERNAL}/nothing")), [])
    tap.eq("a wrong body is refused", s.put(f"{EXTERNAL}/queue_length", {"kind": "Pod"}).status, 400)
    tap.eq("other verbs are refused", s.delete(f"{EXTERNAL}/queue_length").status, 405)


# --- HorizontalPodAutoscaler ----------------------------------------------------------------------------------------------------------

HPA = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
APPS = "/apis/apps/v1/namespaces/default"


def deployment(name, replicas):
    container = {"name": "c", "image": "img:1", "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}}}


def hpa(name, metrics, target=None, low=1, high=10, **spec):
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name},
            "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target or name}, "minReplicas": low, "maxReplicas": high, "metrics": metrics, **spec}}


def conditions(s, name):
    return {c["type"]: (c["status"], c["reason"]) for c in s.get(f"{HPA}/{name}").json.get("status", {}).get("conditions", [])}


def replicas(s, name):
    return s.get(f"{APPS}/deployments/{name}").json["spec"]["replicas"]


def ready_pods(s, app, n):
    """Their names, once so many are ready."""
    def look():
        found = [p for p in items(s.get(f"{CORE}/pods?labelSelector=app%3D{app}")) if not p["metadata"].get("deletionTimestamp") and
                 any(c["type"] == "Ready" and c["status"] == "True" for c in p["status"].get("conditions", []))]
        return sorted(p["metadata"]["name"] for p in found) if len(found) == n else None
    return wait_for(look, PATIENCE, 0.05)


def pods_metric(name, average):
    return {"type": "Pods", "pods": {"metric": {"name": name}, "target": {"type": "AverageValue", "averageValue": average}}}


AT_ONCE = {"scaleDown": {"stabilizationWindowSeconds": 0}, "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [{"type": "Pods", "value": 100, "periodSeconds": 1}]}}


def test_hpa_resource(s, p):
    s.post(f"{APPS}/deployments", deployment("web", 2))
    tap.ok("two pods run", ready_pods(s, "web", 2))
    memory = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "32Mi"}}}
    s.post(HPA, hpa("web", [memory]))
    until("without metrics nothing is scaled, and it says why", lambda: conditions(s, "web").get("ScalingActive") == ("False", "FailedGetResourceMetric"))
    tap.eq("and the count stays", replicas(s, "web"), 2)

    def push(use):
        report_pods(s, [(name["metadata"]["name"], "50m", use) for name in items(s.get(f"{CORE}/pods?labelSelector=app%3Dweb"))])
        return True
    until("twice the memory is twice the pods", lambda: push("64Mi") and replicas(s, "web") >= 4)
    until("its status shows what it saw", lambda: push("32Mi") and conditions(s, "web").get("ScalingActive") == ("True", "ValidMetricFound") and
          any(m["resource"]["name"] == "memory" and m["resource"]["current"].get("averageValue") for m in s.get(f"{HPA}/web").json["status"].get("currentMetrics") or []))
    until("an Event tells", lambda: any(e["reason"] == "SuccessfulRescale" and "New size" in e["message"] for e in items(s.get(f"{CORE}/events"))))
    status = s.get(f"{HPA}/web").json["status"]
    tap.ok("and when", status.get("lastScaleTime"), status)
    s.delete(f"{HPA}/web")
    s.delete(f"{APPS}/deployments/web?propagationPolicy=Background")


def test_hpa_utilization(s, p):
    """A container's cpu in percent of its request; the pods count as ready for long."""
    s.post(f"{APPS}/deployments", deployment("cpu", 1))
    name = ready_pods(s, "cpu", 1)[0]
    path = f"{CORE}/pods/{name}/status"
    old = "2020-01-01T00:00:00Z"
    s.patch(path, {"status": {"startTime": old, "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": old}]}})
    metric = {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "c", "target": {"type": "Utilization", "averageUtilization": 50}}}
    report_pods(s, [(name, "150m", "1Mi")])
    s.post(HPA, hpa("cpu", [metric], high=3))
    until("150 % of 50 % is three pods", lambda: (report_pods(s, [(name, "150m", "1Mi")]), replicas(s, "cpu"))[1] == 3)
    s.delete(f"{HPA}/cpu")
    s.delete(f"{APPS}/deployments/cpu?propagationPolicy=Background")


def test_hpa_values(s, p):
    s.post(f"{APPS}/deployments", deployment("val", 2))
    tap.ok("two pods", ready_pods(s, "val", 2))
    external = lambda n: s.put(f"{EXTERNAL}/jobs_waiting", {"apiVersion": "external.metrics.k8s.io/v1beta1", "kind": "ExternalMetricValueList", "metadata": {}, "items": [
        {"metricLabels": {"queue": "main"}, "value": str(n)}, {"metricLabels": {"queue": "other"}, "value": "1000"}]})
    metric = {"type": "External", "external": {"metric": {"name": "jobs_waiting", "selector": {"matchLabels": {"queue": "main"}}}, "target": {"type": "AverageValue", "averageValue": "10"}}}
    external(60)
    s.post(HPA, hpa("val", [metric], behavior=AT_ONCE))
    until("ten jobs a pod", lambda: external(60) and replicas(s, "val") == 6)
    until("a long queue hits the bound", lambda: external(900) and replicas(s, "val") == 10 and conditions(s, "val").get("ScalingLimited") == ("True", "TooManyReplicas"))
    until("an empty one goes to the minimum, never to nothing", lambda: external(0) and replicas(s, "val") == 1)
    s.patch(f"{HPA}/val", {"spec": {"behavior": {**AT_ONCE, "scaleUp": {"selectPolicy": "Disabled"}}}})
    until("a direction can be forbidden", lambda: external(60) and conditions(s, "val").get("ScalingLimited") == ("True", "ScaleUpLimit"))
    tap.eq("and stays forbidden", replicas(s, "val"), 1)
    s.patch(f"{HPA}/val", {"spec": {"behavior": AT_ONCE, "metrics": [pods_metric("hits", "10")]}})
    hits = lambda n: [s.put(f"{CUSTOM}/namespaces/default/pods/{i['metadata']['name']}/hits", value(str(n))) for i in items(s.get(f"{CORE}/pods?labelSelector=app%3Dval"))]
    until("a metric of each pod", lambda: hits(40) and replicas(s, "val") >= 4)
    s.put(f"{CUSTOM}/namespaces/default/services/front/load", value("5"))
    s.post(f"{CORE}/services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "front"}, "spec": {"ports": [{"port": 80}]}})
    of_object = {"type": "Object", "object": {"describedObject": {"apiVersion": "v1", "kind": "Service", "name": "front"}, "metric": {"name": "load"},
                                              "target": {"type": "AverageValue", "averageValue": "1"}}}
    s.patch(f"{HPA}/val", {"spec": {"metrics": [of_object]}})
    until("a metric of another object", lambda: s.put(f"{CUSTOM}/namespaces/default/services/front/load", value("5")).status == 200 and replicas(s, "val") == 5)
    s.patch(f"{HPA}/val", {"spec": {"minReplicas": 7}})
    until("below the minimum it goes up at once", lambda: replicas(s, "val") == 7)
    s.patch(f"{APPS}/deployments/val/scale", {"spec": {"replicas": 0}})
    until("a target of nothing is left alone", lambda: conditions(s, "val").get("ScalingActive") == ("False", "ScalingDisabled"))
    tap.eq("and stays nothing", replicas(s, "val"), 0)
    s.post(HPA, hpa("lost", [of_object], target="nowhere"))
    until("a target that is not there", lambda: conditions(s, "lost").get("AbleToScale") == ("False", "FailedGetScale"))
    for name in ("val", "lost"):
        s.delete(f"{HPA}/{name}")


def test_many(s):
    """More than one turn of the server's loop makes."""
    names = [f"many-{i:04}" for i in range(1200)]
    for name in names:
        s.post(f"{CORE}/pods", pod(name, labels={"app": "many"}, nodeName="n1"))
    tap.eq("a long report is taken", report(s, "n1", [(name, "10m", "1Mi") for name in names]).status, 200)
    path = f"{METRICS}/namespaces/default/pods?labelSelector=app%3Dmany"
    tap.eq("a long list is whole and in order", [i["metadata"]["name"] for i in items(s.get(path))], names)
    table = s.get(path, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
    tap.eq("as a table, too", [r["cells"][0] for r in table["rows"]], names)
    for _ in range(20): # whoever asks and does not wait
        c = s.connect()
        c.request("GET", path)
        c.close()
    tap.eq("and those who have gone leave nothing behind", len(items(s.get(path))), 1200)


def main():
    with Server(args=["--scheduler=false"]) as s:
        tap.run([test_usage, test_kubectl_top, test_values, test_many], s)
    with Server(args=["--scheduler=false", "--horizontal-pod-autoscaler-sync-period", "1s"]) as s, Player(s) as p:
        tap.run([test_hpa_resource, test_hpa_utilization, test_hpa_values], s, p)
    tap.done()


main()
