#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Amounts of bandwidth, counts and seconds that cannot be, wherever somebody may write them: refused with a sentence, nothing is changed, and the server goes on.  What is very large and can be waits and says so."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, tap, wait_for  # noqa: E402
from lib.kuscia import Domains, ask, end_task, image, job, make, party, phase, status, task  # noqa: E402
from lib.tasks import API, GROUPS, JOBS, K, TASKS, TaskInvariants  # noqa: E402

PODS, NODES = "/api/v1/namespaces/default/pods", "/api/v1/nodes"
NO_QUANTITY = ["", "much", "%s%n%999d", "-1", "-1Mi", "1.5", "10MBps", "NaN", "inf", "1_000", "0x10", " ", "1 2", "5m", "1e400", "999999999999999999999999", -1, 1.5, True, [], {}]
NO_BANDWIDTH = [v for v in NO_QUANTITY if v != ""] + ["0", "0Mbps", "-5Gbps", "2000Tbps", "1e30", "9223372036854775808", "18446744073709551616"]
NO_COUNT = ["", "1", "much", -1, 1.5, 2**31, 2**63, 10**30, -2**63 - 1, True, [], {}]
NO_COUNT_ABOVE_ZERO = [*NO_COUNT, 0]
NO_RATE = [v for v in NO_COUNT_ABOVE_ZERO if v != 2**31] + [2**63 - 1]  # KiB/s have 64 bits


def of_job(where, **spec):
    """A job with a part that where() puts into the party or task."""
    a = {"domainID": "alice"}
    t = {"alias": "a", "appImage": "small", "taskInputConfig": "{}", "parties": [a, {"domainID": "bob"}]}
    where(a, t)
    return {"apiVersion": API, "kind": "KusciaJob", "metadata": {"name": "odd"}, "spec": {"initiator": "alice", "tasks": [t], **spec}}


def of_task(**more):
    return {"apiVersion": API, "kind": "KusciaTask", "metadata": {"name": "odd"}, "spec": {"initiator": "alice", "taskInputConfig": "{}", "parties": [{"domainID": "alice", "appImageRef": "small", **more}]}}


def of_app(**template):
    container = {"name": "c", **template.pop("container", {})}
    return {"apiVersion": API, "kind": "AppImage", "metadata": {"name": "odd"}, "spec": {"image": {"name": "i", "tag": "1"}, "deployTemplates": [{"name": "x", "spec": {"containers": [container]}, **template}]}}


def of_route(kind, v):
    return {"apiVersion": API, "kind": kind, "metadata": {"name": "odd"}, "spec": {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": v}}


def of_pod(limits=None, notes=None):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "odd", "annotations": notes or {}}, "spec": {"containers": [{"name": "c", "image": "i", **({"resources": {"limits": limits}} if limits else {})}]}}


PLACES = {
    "job: resources of a party": (JOBS, NO_QUANTITY, lambda v: of_job(lambda a, t: a.update(resources={"requests": {"kuscia.io/bandwidth": v}}))),
    "job: limits of a party": (JOBS, NO_QUANTITY, lambda v: of_job(lambda a, t: a.update(resources={"limits": {"cox.io/egress-bandwidth": v}}))),
    "job: limitKBps": (JOBS, NO_RATE, lambda v: of_job(lambda a, t: a.update(bandwidthLimits=[{"destinationID": "bob", "limitKBps": v}]))),
    "job: minReservedMembers": (JOBS, NO_COUNT_ABOVE_ZERO + [3], lambda v: of_job(lambda a, t: t.update(scheduleConfig={"minReservedMembers": v}))),
    "job: lifecycleSeconds": (JOBS, NO_COUNT, lambda v: of_job(lambda a, t: t.update(scheduleConfig={"lifecycleSeconds": v}))),
    "job: retryIntervalSeconds": (JOBS, NO_COUNT, lambda v: of_job(lambda a, t: t.update(scheduleConfig={"retryIntervalSeconds": v}))),
    "job: resourceReservedSeconds": (JOBS, NO_COUNT, lambda v: of_job(lambda a, t: t.update(scheduleConfig={"resourceReservedSeconds": v}))),
    "job: maxParallelism": (JOBS, NO_COUNT_ABOVE_ZERO, lambda v: of_job(lambda a, t: None, maxParallelism=v)),
    "task: resources": (TASKS, NO_QUANTITY, lambda v: of_task(template={"spec": {"containers": [{"name": "main", "resources": {"requests": {"kuscia.io/bandwidth": v}}}]}})),
    "task: replicas": (TASKS, NO_COUNT, lambda v: of_task(template={"replicas": v, "spec": {}})),
    "task: minReservedPods": (TASKS, NO_COUNT, lambda v: of_task(minReservedPods=v)),
    "task: limitKBps": (TASKS, NO_RATE, lambda v: of_task(bandwidthLimits=[{"destinationID": "bob", "limitKBps": v}])),
    "group: lifecycleSeconds": (GROUPS, NO_COUNT, lambda v: {"apiVersion": API, "kind": "TaskResourceGroup", "metadata": {"name": "odd"}, "spec": {"initiator": "alice", "lifecycleSeconds": v, "parties": [{"domainID": "alice", "pods": [{"name": "x"}]}]}}),
    "program: replicas": (f"{K}/appimages", NO_COUNT, lambda v: of_app(replicas=v)),
    "program: resources": (f"{K}/appimages", NO_QUANTITY, lambda v: of_app(container={"resources": {"requests": {"kuscia.io/bandwidth": v}}})),
    "route of the cluster": (f"{K}/clusterdomainroutes", NO_BANDWIDTH, lambda v: of_route("ClusterDomainRoute", v)),
    "route of a domain": (f"{K}/namespaces/alice/domainroutes", NO_BANDWIDTH, lambda v: of_route("DomainRoute", v)),
    "domain: podMaxCount": (f"{K}/domains", NO_COUNT, lambda v: {"apiVersion": API, "kind": "Domain", "metadata": {"name": "odd"}, "spec": {"resourceQuota": {"podMaxCount": v}}}),
    "pod: limits": (PODS, NO_QUANTITY, lambda v: of_pod({"kuscia.io/bandwidth": v})),
    "pod: limits of one end": (PODS, NO_QUANTITY, lambda v: of_pod({"cox.io/ingress-bandwidth": v})),
    "pod: annotation of an end": (PODS, NO_BANDWIDTH + [""], lambda v: of_pod(notes={"kubernetes.io/egress-bandwidth": v})),
    "pod: annotation of destinations": (PODS, [f"bob={v}" for v in NO_BANDWIDTH if isinstance(v, str) and v != "1 2"] + ["bob", "=1M", "bob=1M,carol"], lambda v: of_pod(notes={"cox.io/bandwidth-limits": v})),
    "pod: annotation of Kuscia": (PODS, ["", "much", "0", "-1", "1.5", "9223372036854775807", "99999999999999999999", 5], lambda v: of_pod(notes={"kuscia.secretflow/bandwidth-limit-bob": v})),
    "node: what it has": (NODES, ["much", "-1", "-1Mi", True, [], {}, -1], lambda v: {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "odd"}, "status": {"allocatable": {"kuscia.io/bandwidth": v}}}),
}


def test_refused(s, w):
    for name, (path, values, body) in PLACES.items():
        before, wrong = s.get(path).json["items"], []
        for v in values:
            r = s.post(path, body(v))
            said = r.json.get("message", "") if r.status in (400, 422) else ""
            if len(said) < 20:
                wrong.append((v, r.status, r.text[:200]))
                s.delete(f"{path}/odd")
        tap.eq(f"{name}: {len(values)} amounts that cannot be", wrong, [])
        now = s.get(path).json["items"]
        tap.eq(f"{name}: nothing is changed", [o["metadata"]["name"] for o in now], [o["metadata"]["name"] for o in before])


def test_changes_refused(s, w):
    """The same on objects that are there."""
    make(s, f"{K}/clusterdomainroutes", "ClusterDomainRoute", "alice-bob", {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "70Mbps"})
    s.post(PODS, of_pod(notes={"kubernetes.io/egress-bandwidth": "1M"}))
    stored = lambda path: json.dumps(s.get(path).json, sort_keys=True)  # noqa: E731
    for path, patch in ((f"{K}/clusterdomainroutes/alice-bob", lambda v: {"spec": {"bandwidth": v}}), (f"{PODS}/odd", lambda v: {"metadata": {"annotations": {"kubernetes.io/egress-bandwidth": v}}})):
        before = stored(path)
        tap.eq(f"{path}: refused", {s.patch(path, patch(v)).status for v in NO_BANDWIDTH} - {400, 422}, set())
        tap.eq(f"{path}: as it was", stored(path), before)
    before = s.get("/api/v1/nodes/bob-0").json["status"]["allocatable"]
    tap.eq("a node's status", {s.patch("/api/v1/nodes/bob-0/status", {"status": {"allocatable": {"kuscia.io/bandwidth": v}}}).status for v in ("-1", "much", -5, True)} - {400, 422}, set())
    tap.eq("as it was", s.get("/api/v1/nodes/bob-0").json["status"]["allocatable"], before)
    s.delete(f"{K}/clusterdomainroutes/alice-bob")
    s.delete(f"{PODS}/odd")


def test_options_of_agents(s, w):
    for words in (["--node-capacity", "bandwidth=much"], ["--node-capacity", "egress=0"], ["--node-capacity", "ingress=-1"], ["--node-capacity", "bandwidth=10MBps"], ["--node-capacity", "kuscia.io/bandwidth=5Gi"],
                  ["--node-capacity", "kuscia.io/bandwidth=99999999999999999999"], ["--node-capacity", "bandwidth=2000Tbps"]):
        done = subprocess.run([COX, "agent", "--kubeconfig", s.kubeconfig, "--simulate", "1", "--simulate-prefix", "odd-", *words], capture_output=True, text=True, timeout=60)
        tap.ok(f"agent {words[1]}: refused with a sentence", done.returncode not in (0, -6, -11) and "error" in done.stderr, (done.returncode, done.stderr[-300:]))
    tap.eq("no node of it", [n["metadata"]["name"] for n in s.get(NODES).json["items"] if n["metadata"]["name"].startswith("odd")], [])


def test_very_large(s, w):
    """Amounts that can be written and that nobody has: refused, or the job ends or waits with the reason; sums do not wrap."""
    for i, amount in enumerate(("9223372036854775807", "1Ei", "1000000000000")):
        r = s.post(JOBS, {**of_job(lambda a, t, v=amount: (a.update(resources={"requests": {"kuscia.io/bandwidth": v}}), t.update(taskID=f"large-{i}-a"))), "metadata": {"name": f"large-{i}"}})
        if r.status in (400, 422):
            tap.ok(f"{amount} Mbit/s are refused with a sentence", len(r.json["message"]) > 20, r)
            continue
        told = lambda: status(s, f"{TASKS}/large-{i}-a").get("message", "") + status(s, f"{JOBS}/large-{i}").get("message", "")  # noqa: E731
        tap.ok(f"{amount} Mbit/s: the task says that nobody has them", wait_for(lambda: "bandwidth" in told()), told())
        s.delete(f"{JOBS}/large-{i}")
    job(s, "plain", task("a", *[party(d, resources=ask("4", "100")) for d in ("alice", "bob")], id="plain-a"))
    tap.ok("and the whole of the nodes is there for others", end_task(s, "plain", "a") and wait_for(lambda: phase(s, "plain") == "Succeeded"), status(s, f"{TASKS}/plain-a"))
    w.holds("very large amounts")


if __name__ == "__main__":
    with Domains(("alice", "bob")) as server, TaskInvariants(server) as watch:
        image(server, "small")
        tap.run([test_refused, test_changes_refused, test_options_of_agents, test_very_large], server, watch)
    tap.done()
