#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects of several domains in which one part at a time is null, empty, of another kind, very large or negative, and states that somebody wrote who is not the one to: what is taken is worked on by controllers and
scheduler, none of it ends the server, and tasks of others run as before.

COX_SEED: which of the values go into which place, 1 when not set."""
import copy
import json
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.kuscia import KDS, LONG, Domains, end_task, image, job, party, pods, service, status, task  # noqa: E402
from lib.tasks import API, GROUPS, JOBS, K, RESOURCES, TASKS  # noqa: E402

SEED = int(os.environ.get("COX_SEED", "1"))
ODD = [None, [], {}, "", "x" * 5000, "%s%n", "-1", "1e30", "\x00", "../..", -1, 0, 2**31, 2**63 - 1, 2**63, 1e308, 0.5, True, [None], [{}], [[]], [""], {"": None}, {"a": {}}]
EACH = 6  # values a place

APP = {"image": {"name": "i", "tag": "1", "id": "x", "sign": "s"}, "configTemplates": {"a.conf": "{{.TASK_ID}} {{{.TASK_CLUSTER_DEFINE.parties[0].name}}}"},
       "deployTemplates": [{"name": "t", "role": "host", "replicas": 1, "networkPolicy": {"ingresses": [{"from": {"roles": ["host"]}, "ports": [{"port": "data"}]}]},
                            "spec": {"restartPolicy": "Never", "affinity": {"podAntiAffinity": {}}, "containers": [
                                {"name": "main", "command": ["a"], "args": ["b"], "workingDir": "/w", "env": [{"name": "A", "value": "b"}], "envFrom": [{"configMapRef": {"name": "c"}}], "ports": [{"name": "data", "scope": "Cluster", "protocol": "HTTP"}],
                                 "configVolumeMounts": [{"mountPath": "/w/a.conf", "subPath": "a.conf"}], "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
                                 "livenessProbe": {"httpGet": {"path": "/", "port": "data"}}, "metricProbe": {"path": "/m", "port": "data"}, "securityContext": {"privileged": True}, "imagePullPolicy": "Always"}]}}]}
PARTY = {"domainID": "alice", "role": "host", "appImageRef": "odd", "minReservedPods": 1, "bandwidthRequest": "1Mbps", "bandwidthLimits": [{"destinationID": "bob", "limitKBps": 100}], "serviceNamePrefix": "pre",
         "template": {"replicas": 1, "restartPolicy": "Never", "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "command": ["x"], "env": [{"name": "B", "value": "c"}], "resources": {"requests": {"cpu": "1"}}}]}}}
SCHEDULE = {"minReservedMembers": 1, "resourceReservedSeconds": 30, "lifecycleSeconds": 300, "retryIntervalSeconds": 15}
SPECS = {
    "appimages": ("AppImage", f"{K}/appimages", APP),
    "kusciajobs": ("KusciaJob", JOBS, {"initiator": "alice", "maxParallelism": 2, "scheduleMode": "BestEffort", "flowID": "f", "tasks": [
        {"alias": "a", "taskID": "", "appImage": "good", "taskInputConfig": "{}", "priority": 1, "tolerable": True, "dependencies": [], "scheduleConfig": SCHEDULE,
         "parties": [{"domainID": "alice", "role": "host", "resources": {"requests": {"cpu": "1"}}, "bandwidthLimits": [{"destinationID": "bob", "limitKBps": 5}]}]}]}),
    "kusciatasks": ("KusciaTask", TASKS, {"initiator": "alice", "taskInputConfig": '{"a": [1]}', "scheduleConfig": SCHEDULE, "parties": [{**PARTY, "appImageRef": "good"}]}),
    "taskresourcegroups": ("TaskResourceGroup", GROUPS, {"initiator": "alice", **SCHEDULE, "parties": [{"domainID": "alice", "role": "host", "minReservedPods": 1, "pods": [{"name": "p"}]}]}),
    "taskresources": ("TaskResource", f"{K}/namespaces/alice/taskresources", {"initiator": "alice", "role": "host", "minReservedPods": 1, "resourceReservedSeconds": 3, "pods": [{"name": "p", "resources": {"requests": {"cpu": "1"}}}]}),
    "kusciadeployments": ("KusciaDeployment", KDS, {"initiator": "alice", "inputConfig": "{}", "parties": [
        {"domainID": "alice", "role": "host", "appImageRef": "good", "serviceNamePrefix": "pre", "bandwidthLimits": [{"destinationID": "bob", "limitKBps": 5}],
         "template": {"replicas": 1, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%"}}, "spec": {"affinity": {}, "containers": [{"name": "main", "command": ["x"]}]}}}]}),
    "domains": ("Domain", f"{K}/domains", {"role": "partner", "cert": "eA==", "masterDomain": "m", "interConnProtocols": ["kuscia"], "authCenter": {"authenticationType": "Token", "tokenGenMethod": "UID-RSA-GEN"}, "resourceQuota": {"podMaxCount": 3}}),
    "clusterdomainroutes": ("ClusterDomainRoute", f"{K}/clusterdomainroutes", {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "1G", "endpoint": {"host": "h", "ports": [{"name": "p", "port": 1, "protocol": "HTTP"}]}}),
    "domainroutes": ("DomainRoute", f"{K}/namespaces/alice/domainroutes", {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "1G", "endpoint": {"host": "h", "ports": [{"name": "p", "port": 1, "protocol": "HTTP"}]}}),
    "domaindatas": ("DomainData", f"{K}/namespaces/alice/domaindatas", {"name": "n", "type": "table", "author": "alice", "dataSource": "default-data-source", "relativeURI": "a.csv", "attributes": {"a": "b"}, "vendor": "v", "columns": [{"name": "c", "type": "str"}],
                                                                        "partition": {"type": "path", "fields": [{"name": "c", "type": "str"}]}}),
    "domaindatasources": ("DomainDataSource", f"{K}/namespaces/alice/domaindatasources", {"name": "n", "type": "localfs", "uri": "u", "data": {"encryptedInfo": "x"}}),
    "domaindatagrants": ("DomainDataGrant", f"{K}/namespaces/alice/domaindatagrants", {"author": "alice", "domainDataID": "d", "grantDomain": "bob", "signature": "eA==", "description": {"a": "b"}, "limit": {
        "expirationTime": "2100-01-01T00:00:00Z", "useCount": 3, "flowID": "f", "components": ["c"], "initiator": "alice", "inputConfig": "i"}}),
}


def places(v, path=()):
    """Every place in it."""
    yield path
    for k, sub in v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else ():
        yield from places(sub, (*path, k))


def put_in(v, path, odd):
    if not path:
        return odd
    out = copy.deepcopy(v)
    at = out
    for k in path[:-1]:
        at = at[k]
    at[path[-1]] = odd
    return out


def odd_ones(rng, v, each=EACH):
    for path in places(v):
        for odd in (None, *rng.sample(ODD[1:], each)):
            yield put_in(v, path, odd)


def is_there(s):
    return s.process.poll() is None and s.get("/readyz").status == 200


def test_specs(s):
    rng, many, taken, n = random.Random(SEED), 0, 0, 0
    conn = s.connect()
    strange = []
    for plural, (kind, path, spec) in SPECS.items():
        for body in odd_ones(rng, spec):
            n += 1
            name = f"odd-{n}"
            r = s.request("POST", path, {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": body}, conn=conn)
            many += 1
            if r.status not in (201, 400, 403, 404, 409, 413, 422):
                strange.append(f"{kind} {body!r}: {r}")
            if r.status == 201:
                taken += 1
                if taken % 3:  # some are worked on for a while
                    s.request("DELETE", f"{path}/{name}", conn=conn)
        tap.ok(f"{kind}: the server is there", is_there(s), s.log()[-2000:])
    tap.ok(f"{many} specs, {taken} of them taken: each is taken or refused", not strange and taken > many / 10, "\n".join(strange[:10]))
    conn.close()


def test_states(s):
    """Of objects that live: controllers and scheduler read what others wrote there."""
    rng = random.Random(SEED)
    conn = s.connect()
    job(s, "live", task("a", party("alice"), party("bob"), id="live-a", scheduleConfig=LONG))
    service(s, "kd", party("alice", appImageRef="good"), party("bob", appImageRef="good"))
    wait_for(lambda: len([p for p in pods(s, "live-a") if p["status"].get("phase") == "Running"]) == 2)
    wait_for(lambda: status(s, f"{KDS}/kd").get("phase"))
    s.post(f"{K}/namespaces/carol/kusciatasks", {"apiVersion": API, "kind": "KusciaTask", "metadata": {"name": "live-a"}, "spec": SPECS["kusciatasks"][2]})
    answers = [s.get(f"{K}/namespaces/{ns}/kusciatasks/live-a/explain") for ns in ("cross-domain", "carol")]
    tap.ok("a task of the same name elsewhere shows nothing of another's", [r.status for r in answers] == [200, 400] and "alice" not in answers[1].text, answers[1])
    for path in (f"{JOBS}/live", f"{TASKS}/live-a", f"{GROUPS}/live-a", f"{KDS}/kd", f"{K}/domains/alice", "/api/v1/nodes/alice-0", "/api/v1/namespaces/alice/pods/live-a-0", "/api/v1/namespaces/alice/resourcequotas/resource-limitation"):
        strange = []
        for body in odd_ones(rng, status(s, path), 3):
            r = s.request("PATCH", path + "/status", json.dumps({"status": body}), {"Content-Type": "application/merge-patch+json"}, conn=conn)
            if r.status not in (200, 400, 404, 409, 413, 422):
                strange.append(f"{body!r}: {r}")
        tap.ok(f"state of {path.rsplit('/', 2)[1]}: each is taken or refused, and the server is there", not strange and is_there(s), "\n".join(strange[:5]) + s.log()[-2000:])
    conn.close()


def test_others(s):
    for path in (JOBS, TASKS, GROUPS, KDS):
        s.delete(path)
    wait_for(lambda: not s.get(TASKS).json["items"] and not [p for p in s.get("/api/v1/pods").json["items"] if p["metadata"]["namespace"] in ("bob", "carol")])
    job(s, "after", task("a", party("bob"), party("carol"), id="after-a", scheduleConfig=LONG))
    tap.ok("tasks of others run", end_task(s, "after", "a"), status(s, f"{TASKS}/after-a"))


if __name__ == "__main__":
    with Domains(("alice", "bob", "carol"), quota=500) as server:
        image(server, "small")
        image(server, "good", files={"a.conf": "{{.TASK_ID}}"})
        tap.run([test_specs, test_states, test_others], server)
    tap.done()
