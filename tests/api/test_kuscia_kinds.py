"""Kuscia's objects: served as they are, with its columns and short names, refused where they can never work; its definitions can be installed beside them."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import ROOT, Server, tap, wait_for  # noqa: E402

GROUP = "/apis/kuscia.secretflow/v1alpha1"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
API = "kuscia.secretflow/v1alpha1"
# plural: kind, short names, namespaced, status apart
KINDS = {
    "appimages": ("AppImage", ["aimg"], False, False), "clusterdomainroutes": ("ClusterDomainRoute", ["cdr"], False, True), "domainappimages": ("DomainAppImage", ["daimg"], True, False),
    "domaindatagrants": ("DomainDataGrant", ["ddg"], True, True), "domaindatas": ("DomainData", ["kdd"], True, True), "domaindatasources": ("DomainDataSource", ["dds"], True, True),
    "domainroutes": ("DomainRoute", ["dr"], True, True), "domains": ("Domain", None, False, True), "gateways": ("Gateway", ["gw"], True, True), "interopconfigs": ("InteropConfig", ["interop"], False, False),
    "kusciadeployments": ("KusciaDeployment", ["kd"], True, True), "kusciadeploymentsummaries": ("KusciaDeploymentSummary", ["kds"], True, False), "kusciajobs": ("KusciaJob", ["kj"], True, True),
    "kusciajobsummaries": ("KusciaJobSummary", ["kjs"], True, False), "kusciatasks": ("KusciaTask", ["kt"], True, True), "kusciatasksummaries": ("KusciaTaskSummary", ["kts"], True, False),
    "taskresourcegroups": ("TaskResourceGroup", ["trg"], False, True), "taskresources": ("TaskResource", ["tr"], True, False),
}
COLUMNS = {
    "kusciajobs": ["Name", "StartTime", "CompletionTime", "LastReconcileTime", "Phase"], "kusciatasks": ["Name", "StartTime", "CompletionTime", "LastReconcileTime", "Phase"],
    "taskresourcegroups": ["Name", "MinReservedMembers", "Phase", "StartTime", "CompletionTime", "LastTransitionTime"],
    "taskresources": ["Name", "MinReservedPods", "Phase", "StartTime", "CompletionTime", "LastTransitionTime"],
    "kusciadeployments": ["Name", "TotalParties", "AvailableParties", "Phase", "Age"], "kusciatasksummaries": ["Name", "JobID", "TaskAlias", "Phase"],
    "clusterdomainroutes": ["Name", "Source", "Destination", "Host", "Authentication", "Ready"], "domainroutes": ["Name", "Source", "Destination", "Host", "Authentication"],
    "gateways": ["Name", "CreationTime", "UpTime", "HeartbeatTime", "Address", "Version"],
}


def place(plural, ns="alice"):
    return f"{GROUP}/namespaces/{ns}/{plural}" if KINDS[plural][2] else f"{GROUP}/{plural}"


def obj(plural, name, spec=None, **more):
    made = {"apiVersion": API, "kind": KINDS[plural][0], "metadata": {"name": name}, **more}
    if spec is not None:
        made["spec"] = spec
    return made


PARTIES = [{"domainID": "alice"}, {"domainID": "bob"}]
CONTAINER = {"name": "c", "command": ["run"], "args": ["-x"], "workingDir": "/w", "configVolumeMounts": [{"mountPath": "/w/a.conf", "subPath": "a.conf"}], "imagePullPolicy": "Never",
             "ports": [{"name": "spu", "port": 54509, "protocol": "GRPC", "scope": "Cluster"}], "env": [{"name": "A", "value": "b"}], "envFrom": [{"prefix": "P", "configMapRef": {"name": "m"}}],
             "resources": {"requests": {"cpu": "1"}, "limits": {"kuscia.io/bandwidth": "10"}}, "livenessProbe": {"httpGet": {"path": "/", "port": "spu"}}, "metricProbe": {"path": "/m", "port": "spu"},
             "securityContext": {"privileged": True}}
ASKS_NOTHING = {**CONTAINER, "resources": {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}}   # beside a task's own list of bandwidth
EVERY = {
    "appimages": {"image": {"name": "n", "tag": "t", "id": "sha256:1", "sign": "s"}, "configTemplates": {"a.conf": "{{.TASK_ID}}"},
                  "deployTemplates": [{"name": "d", "role": "host,guest", "replicas": 2, "networkPolicy": {"ingresses": [{"from": {"roles": ["guest"]}, "ports": [{"port": "spu"}]}]},
                                       "spec": {"restartPolicy": "Never", "containers": [CONTAINER], "affinity": {}}}]},
    "clusterdomainroutes": {"source": "alice", "destination": "bob", "interConnProtocol": "kuscia", "endpoint": {"host": "10.0.0.1", "ports": [{"name": "http", "protocol": "HTTP", "isTLS": True, "port": 1080}]},
                            "authenticationType": "Token", "tokenConfig": {"rollingUpdatePeriod": 300, "tokenGenMethod": "RSA-GEN"}, "bodyEncryption": {"algorithm": "AES"}, "bandwidth": "100Mbps",
                            "requestHeadersToAdd": {"a": "b"}, "transit": {"transitMethod": "THIRD-DOMAIN", "domain": {"domainID": "carol"}}},
    "domainappimages": {"images": [{"tag": "t", "id": "i", "sign": ""}]},
    "domaindatagrants": {"author": "alice", "domainDataID": "d", "grantDomain": "bob", "limit": {"expirationTime": "2030-01-01T00:00:00Z", "useCount": 3, "grantMode": ["metadata"], "components": ["c"]}},
    "domaindatas": {"relativeURI": "a.csv", "author": "alice", "name": "a", "type": "table", "dataSource": "default-data-source", "attributes": {"k": "v"}, "vendor": "manual", "fileFormat": "csv",
                    "columns": [{"name": "id", "type": "str", "notNullable": True}], "partitions": {"type": "path", "fields": [{"name": "p", "type": "str"}]}},
    "domaindatasources": {"name": "d", "type": "localfs", "uri": "var", "data": {"encryptedInfo": "x"}, "accessDirectly": True},
    "domainroutes": {"source": "alice", "destination": "bob", "authenticationType": "MTLS", "mTLSConfig": {"tlsCA": "x", "sourceClientCert": "y", "sourceClientPrivateKey": "z"}},
    "domains": {"role": "partner", "master": "other", "interConnProtocols": ["kuscia"], "cert": "x", "authCenter": {"authenticationType": "Token", "tokenGenMethod": "UID-RSA-GEN"}, "resourceQuota": {"podMaxCount": 0}},
    "gateways": None,
    "interopconfigs": {"host": "alice", "members": ["bob"]},
    "kusciadeployments": {"initiator": "alice", "inputConfig": "{}", "parties": [{"domainID": "alice", "appImageRef": "a", "role": "r", "serviceNamePrefix": "s",
                          "template": {"replicas": 2, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}}, "spec": {"containers": [CONTAINER]}}}]},
    "kusciadeploymentsummaries": None,
    "kusciajobs": {"flowID": "f", "initiator": "alice", "scheduleMode": "BestEffort", "maxParallelism": 2,
                   "tasks": [{"alias": "a", "taskID": "t-1", "tolerable": True, "appImage": "i", "taskInputConfig": "{}", "priority": 100,
                              "scheduleConfig": {"minReservedMembers": 2, "resourceReservedSeconds": 10, "lifecycleSeconds": 60, "retryIntervalSeconds": 5},
                              "parties": [{"domainID": "alice", "role": "host", "resources": {"requests": {"cpu": "1", "kuscia.io/bandwidth": "10"}},
                                           "bandwidthLimits": [{"destinationID": "bob", "limitKBps": 100}]}, {"domainID": "bob", "bandwidthRequest": "20Mbps"}]},
                             {"alias": "b", "dependencies": ["a"], "tolerable": False, "appImage": "i", "taskInputConfig": "", "parties": PARTIES}]},
    "kusciajobsummaries": {"stage": "Start", "stageTrigger": "alice"},
    "kusciatasks": {"initiator": "alice", "taskInputConfig": "{}", "bandwidthRequest": ["20M"], "scheduleConfig": {"minReservedMembers": 1},
                    "parties": [{"domainID": "alice", "appImageRef": "i", "role": "r", "minReservedPods": 1, "template": {"replicas": 2, "spec": {"restartPolicy": "Never", "containers": [ASKS_NOTHING]}},
                                 "bandwidthLimits": [{"destinationID": "bob", "limitKBps": 1}]}]},
    "kusciatasksummaries": {"alias": "a", "jobID": "j"},
    "taskresourcegroups": {"minReservedMembers": 1, "resourceReservedSeconds": 1, "retryIntervalSeconds": 1, "lifecycleSeconds": 1, "initiator": "alice",
                           "parties": [{"role": "r", "domainID": "alice", "minReservedPods": 1, "pods": [{"name": "p"}], "taskResourceName": "t"}], "outOfControlledParties": [{"domainID": "far"}]},
    "taskresources": {"role": "r", "minReservedPods": 1, "resourceReservedSeconds": 1, "initiator": "alice", "pods": [{"name": "p", "resources": {"requests": {"cpu": "1"}}}]},
}


def test_discovery(s):
    entries = {r["name"]: r for r in s.get(GROUP).json["resources"]}
    have = {p: (e["kind"], e.get("shortNames"), e["namespaced"], f"{p}/status" in entries) for p, e in entries.items() if "/" not in p}
    tap.eq("all kinds", have, KINDS)


def test_every_field_is_kept(s):
    for plural, spec in EVERY.items():
        made = obj(plural, "full", spec)
        r = s.post(place(plural) + "?fieldValidation=Strict", made)
        tap.ok(f"{plural}: kept as it was written", r.status == 201 and (spec is None or covers(r.json["spec"], spec)), r)
        s.delete(f"{place(plural)}/full")


def covers(have, want):
    """Everything of want is in have; have may hold defaults besides."""
    if isinstance(want, dict):
        return isinstance(have, dict) and all(k in have and covers(have[k], v) for k, v in want.items())
    if isinstance(want, list):
        return isinstance(have, list) and len(have) == len(want) and all(covers(h, w) for h, w in zip(have, want))
    return have == want


def test_defaults(s):
    job = s.post(place("kusciajobs"), obj("kusciajobs", "d", {"initiator": "alice", "tasks": [{"alias": "a", "appImage": "i", "taskInputConfig": "", "parties": PARTIES}]})).json["spec"]
    tap.eq("of a job", (job["scheduleMode"], job["maxParallelism"], job["tasks"][0]["tolerable"]), ("Strict", 1, False))
    image = s.post(place("appimages"), obj("appimages", "d", {"image": {"name": "n", "tag": "t"}, "deployTemplates": [{"name": "d", "spec": {"containers": [{"name": "c", "ports": [{"name": "p"}]}]}}]})).json["spec"]
    port = image["deployTemplates"][0]["spec"]["containers"][0]["ports"][0]
    tap.eq("of a port", (port["protocol"], port["scope"]), ("HTTP", "Local"))


def test_status(s):
    """Status is written apart where Kuscia has it apart, with the rest where it has not."""
    s.post(place("kusciatasks"), obj("kusciatasks", "st", EVERY["kusciatasks"]))
    status = {"phase": "Running", "progress": 0.5, "partyTaskStatus": [{"domainID": "alice", "role": "r", "phase": "Running"}], "startTime": "2026-01-01T00:00:00Z",
              "podStatuses": {"alice/st-0": {"podName": "st-0", "podPhase": "Running", "namespace": "alice"}}, "allocatedPorts": [{"domainID": "alice", "namedPort": {"st-0/spu": 20001}}],
              "serviceStatuses": {"alice/st-0-spu": {"namespace": "alice", "serviceName": "st-0-spu", "portName": "spu", "portNumber": 20001, "scope": "Cluster"}},
              "conditions": [{"type": "PortsAllocated", "status": "True"}]}
    r = s.patch(f"{place('kusciatasks')}/st", {"status": status})
    tap.ok("a write of the object leaves it alone", "phase" not in r.json.get("status", {}), r)
    r = s.patch(f"{place('kusciatasks')}/st/status", {"status": status})
    tap.ok("a write of the status", r.status == 200 and covers(r.json["status"], status), r)
    s.post(place("taskresources"), obj("taskresources", "st", EVERY["taskresources"]))
    r = s.patch(f"{place('taskresources')}/st", {"status": {"phase": "Reserved", "conditions": [{"type": "TaskResourcesReserved", "status": "True", "reason": "x"}]}})
    tap.ok("a task resource has it in the object", r.status == 200 and r.json["status"]["phase"] == "Reserved", r)
    s.patch(f"{place('domaindatagrants')}/none/status", {})
    s.post(place("domaindatagrants"), obj("domaindatagrants", "st", EVERY["domaindatagrants"]))
    tap.eq("a grant says nothing more", s.patch(f"{place('domaindatagrants')}/st/status", {"status": {"phase": "Ready", "message": ""}}).status, 200)


def test_columns(s):
    for plural, want in COLUMNS.items():
        table = s.get(place(plural), headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
        tap.eq(f"columns of {plural}", [c["name"] for c in table["columnDefinitions"] if c["priority"] == 0], want)
    s.post(place("clusterdomainroutes"), obj("clusterdomainroutes", "alice-bob", EVERY["clusterdomainroutes"]))
    s.patch(f"{place('clusterdomainroutes')}/alice-bob/status", {"status": {"conditions": [{"type": "Pending", "status": "False"}, {"type": "Ready", "status": "True"}]}})
    tap.eq("whether a route is ready", kubectl(s, "get", "cdr", "--no-headers").stdout.split(), ["alice-bob", "alice", "bob", "10.0.0.1", "Token", "True"])



def kubectl(s, *args):
    return s.kubectl(*args, binary=str(ROOT / "build" / "cox"))


def test_refused(s):
    r = s.post(place("kusciajobs"), obj("kusciajobs", "bad", {"initiator": "alice", "tasks": [
        {"alias": "a", "dependencies": ["c"], "appImage": "i", "taskInputConfig": "", "parties": PARTIES}, {"alias": "b", "dependencies": ["a", "z"], "appImage": "i", "taskInputConfig": "", "parties": PARTIES},
        {"alias": "c", "dependencies": ["b"], "appImage": "i", "taskInputConfig": "", "parties": PARTIES}]}))
    tap.ok("a circle is named", r.status == 422 and "a > c > b > a" in r.json["message"] and '"z": no task of the job has this alias' in r.json["message"], r)
    r = s.post(place("domains"), obj("domains", "master", {}))
    tap.ok("a name with another meaning", r.status == 422 and "this name has another meaning" in r.json["message"], r)
    r = s.post(place("appimages"), obj("appimages", "bad", {k: v for k, v in EVERY["appimages"].items() if k != "image"}))
    tap.ok("an AppImage without an image", r.status == 422 and "spec.image: Required value" in r.json["message"], r)
    r = s.post(place("domainroutes"), obj("domainroutes", "bad", {**EVERY["domainroutes"], "endpoint": {"host": "h", "ports": [{"name": "http", "protocol": "HTTP"}]}}))
    for names, why in ((("x", "x"), 'spec.parties[1].taskResourceName: Duplicate value: "x"'), (("x", "Y_"), "spec.parties[1].taskResourceName: Invalid value")):
        parties = [{"domainID": "alice", "role": f"r{i}", "pods": [{"name": f"p{i}"}], "taskResourceName": n} for i, n in enumerate(names)]
        r2 = s.post(place("taskresourcegroups"), obj("taskresourcegroups", "bad", {"minReservedMembers": 1, "initiator": "alice", "parties": parties}))
        tap.ok(f"names of TaskResources: {why}", r2.status == 422 and why in r2.json["message"], r2)
    tap.ok("a port without a number", r.status == 422 and "spec.endpoint.ports[0].port: Required value" in r.json["message"], r)


def test_warnings(s):
    typo = {"requests": {"kuscia.io/bandwidth": "100M"}, "limits": {"kuscia.io/bandwidth": "100M"}}
    files = {"default": "nothing will be done for it in the namespace", "cross-domain": "\"100M\" is 100 Tbit/s"}
    for ns, text in files.items():
        made = obj("kusciajobs", "odd", {"initiator": "alice", "tasks": [{"alias": "a", "appImage": "i", "parties": [{"domainID": "alice", "resources": typo}]}]})
        done = s.kubectl("apply", "-n", ns, "-f", "-", stdin=json.dumps(made))
        tap.ok(f"kubectl shows them: {ns}", done.returncode == 0 and "Warning: " in done.stderr and text in done.stderr, done.stderr)
        done = s.kubectl("label", "kj", "odd", "-n", ns, "a=b")
        tap.eq("what was there is not spoken of again", done.stderr, "")
        s.delete(f"{GROUP}/namespaces/{ns}/kusciajobs/odd")
    pod = s.post("/api/v1/namespaces/default/pods", {"metadata": {"name": "odd"}, "spec": {"containers": [{"name": "c", "image": "i", "resources": typo}]}})
    tap.ok("of a pod", pod.status == 201 and "100 Tbit/s" in (pod.headers.get("Warning") or ""), pod.headers)
    s.delete("/api/v1/namespaces/default/pods/odd")


def test_definitions_beside(s):
    """Kuscia's installer brings its definitions: accepted, established, of no effect."""
    for plural, (kind, short, namespaced, _) in KINDS.items():
        d = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.kuscia.secretflow"},
             "spec": {"group": "kuscia.secretflow", "scope": "Namespaced" if namespaced else "Cluster", "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List", **({"shortNames": short} if short else {})},
                      "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
        r = s.post(CRDS, d)
        up = lambda n=f"{CRDS}/{plural}.kuscia.secretflow": any(c["type"] == "Established" and c["status"] == "True" for c in s.get(n).json.get("status", {}).get("conditions", []))  # noqa: E731
        tap.ok(f"definition of {plural}", r.status == 201 and wait_for(up), r)
    r = s.post(place("kusciajobs"), obj("kusciajobs", "still", {"initiator": "alice", "tasks": []}))
    tap.eq("what is built in goes on to be served", r.status, 422)


def test_example(s):
    done = kubectl(s, "apply", "-f", str(ROOT / "examples" / "kuscia" / "meeting.yaml"))
    tap.ok("the example applies", done.returncode == 0, done.stderr)
    at = lambda: [s.get(f"{place(*of)}/{name}").json["metadata"]["resourceVersion"] for of, name in ((("appimages",), "meeting"), (("kusciajobs", "cross-domain"), "meeting"))]  # noqa: E731
    before = at()
    done = kubectl(s, "apply", "-f", str(ROOT / "examples" / "kuscia" / "meeting.yaml"))
    tap.ok("applied again it changes nothing", done.returncode == 0 and at() == before, f"{done.stdout}{done.stderr}")


def main():
    with Server(["--controllers=false"]) as s:
        for ns in ("alice", "cross-domain"):
            s.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
        tap.run([test_discovery, test_every_field_is_kept, test_defaults, test_status, test_columns, test_refused, test_warnings, test_definitions_beside, test_example], s)
    tap.done()


main()
