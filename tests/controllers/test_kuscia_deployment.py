#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Services of several institutions on one control plane: what is made for a KusciaDeployment, how changes roll out, which party lacks what, clean-up, and a server that is killed on the way.  Nodes are simulated."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import COX, ROOT, rests, tap, wait_for  # noqa: E402
from lib.kuscia import API, K, KDS, TASKS, Domains, all_parts, is_available, make, numbers, parts, service  # noqa: E402
from lib.kuscia import status as status_of  # noqa: E402

DOMAINS = ("alice", "bob", "carol")
L = "kuscia.secretflow/"
FILE = '{"id": "{{.SERVING_ID}}", "input": {{{.INPUT_CONFIG}}}, "me": "{{.KUSCIA_DOMAIN_ID}}", "self": {{{.CLUSTER_DEFINE.selfPartyIdx}}}, "ports": {{{.ALLOCATED_PORTS}}},' \
       ' "peer": "{{{.CLUSTER_DEFINE.parties[name=bob].services[portName=service].endpoints[0]}}}"}'


def image(s, name, *templates, tag="1", files=None):
    """templates: (role, replicas); one without role when none is given."""
    container = {"name": "serving", "command": ["serve"], "workingDir": "/w", "resources": {"requests": {"cpu": "500m"}}, "env": [{"name": "OWN", "value": "x"}],
                 "ports": [{"name": "service", "scope": "Domain"}, {"name": "communication", "scope": "Cluster"}, {"name": "internal"}], "readinessProbe": {"httpGet": {"path": "/h", "port": "service"}}}
    if files:
        container["configVolumeMounts"] = [{"mountPath": f"/w/{f}", "subPath": f} for f in files]
    make(s, f"{K}/appimages", "AppImage", name, {"image": {"name": "serving", "tag": tag, "id": "sha256:1"}, "configTemplates": files or {},
         "deployTemplates": [{"name": f"t{i}", "replicas": n, **({"role": role} if role else {}), "spec": {"restartPolicy": "Never", "containers": [container]}} for i, (role, n) in enumerate(templates or [("", 1)])]})


def party(domain, app="serving", **more):
    return {"domainID": domain, "appImageRef": app, **more}


def status(s, name):
    return status_of(s, f"{KDS}/{name}")


def comes(s, name, phase="Available"):
    return wait_for(lambda: status(s, name).get("phase") == phase)


def deployments(s, name):
    return parts(s, "deployments", name, group="/apis/apps/v1")


def pods(s, name, ns=None):
    return [p for p in parts(s, "pods", name, ns).values() if not p["metadata"].get("deletionTimestamp")]


def env(pod):
    return {e["name"]: e.get("value") for e in pod["spec"]["containers"][0]["env"]}


def remove(s, *names):
    for n in names:
        s.delete(f"{KDS}/{n}")
    return wait_for(lambda: not any(all_parts(s, n) for n in names) and all(s.get(f"{KDS}/{n}").status == 404 for n in names))


# --- what a service is made of ------------------------------------------------------------------------------------------------------------

def test_objects(s):
    image(s, "roles", ("host", 2), ("guest,third", 1), files={"serving.json": FILE})
    service(s, "glm", party("alice", "roles", role="host"), party("bob", "roles", role="guest", serviceNamePrefix="front"), labels={L + "app-type": "serving"})
    tap.ok("it is available", comes(s, "glm"), status(s, "glm"))
    st = status(s, "glm")
    tap.eq("parties", (st["totalParties"], st["availableParties"], st.get("reason"), st.get("message")), (2, 2, None, None))
    mine = st["partyDeploymentStatuses"]["alice"]["glm-host"]
    tap.eq("each party's own", {k: mine[k] for k in ("phase", "role", "replicas", "updatedReplicas", "availableReplicas", "unavailableReplicas")},
           {"phase": "Available", "role": "host", "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2, "unavailableReplicas": 0})
    tap.ok("with conditions and when it was made", {c["type"] for c in mine["conditions"]} >= {"Available", "Progressing"} and mine["creationTimestamp"], mine)
    found = deployments(s, "glm")
    tap.eq("a Deployment each, by role", sorted(found), ["alice/glm-host", "bob/glm-guest"])
    d = found["alice/glm-host"]
    uid = s.get(f"{KDS}/glm").json["metadata"]["uid"]
    tap.eq("labels", {k[len(L):]: v for k, v in d["metadata"]["labels"].items()},
           {"controller": "KusciaDeployment", "kd-uid": uid, "kd-name": "glm", "owner_namespace": "cross-domain", "deployment-name": "glm-host", "app-type": "serving"})
    template = d["spec"]["template"]
    spec, c = template["spec"], template["spec"]["containers"][0]
    tap.ok("pods: the same, and that they talk", template["metadata"]["labels"][L + "deployment-name"] == "glm-host" and template["metadata"]["labels"][L + "communication-role-server"] == "true" and
           template["metadata"]["annotations"][L + "image-id"] == "sha256:1" and template["metadata"]["annotations"][L + "initiator"] == "alice", template["metadata"])
    tap.ok("where domains' work may go, always again, no token", spec["nodeSelector"] == {L + "namespace": "alice"} and any(t.get("key") == L + "agent" for t in spec["tolerations"]) and
           spec["restartPolicy"] == "Always" and spec["automountServiceAccountToken"] is False and spec["schedulerName"] == "kuscia-scheduler", spec)
    tap.eq("on nodes of their domain", {p["metadata"]["namespace"] for p in pods(s, "glm") if p["spec"]["nodeName"].split("-")[0] != p["metadata"]["namespace"]}, set())
    tap.eq("what the Deployment wants", (d["spec"]["replicas"], d["spec"]["strategy"], c["image"]), (2, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}, "serving:1"))
    ports = {p["domainID"]: p["namedPort"] for p in st["allocatedPorts"]}
    e = env(template)
    tap.eq("environment", (e["KUSCIA_DOMAIN_ID"], e["SERVING_ID"], e["INPUT_CONFIG"], e["KUSCIA_PORT_SERVICE_NUMBER"], e["OWN"]), ("alice", "glm", '{"model": 1}', str(ports["alice"]["glm-host/service"]), "x"))
    tap.eq("the others, as programs read it", [p["name"] + "-" + p["role"] for p in json.loads(e["CLUSTER_DEFINE"])["parties"]], ["alice-host", "bob-guest"])
    tap.eq("probes have the number", c["readinessProbe"]["httpGet"]["port"], ports["alice"]["glm-host/service"])
    tap.ok("numbers: one a port, whatever the replicas", sorted(len(p) for p in ports.values()) == [3, 3] and all(20000 <= n <= 32766 for p in ports.values() for n in p.values()), ports)
    maps = parts(s, "configmaps", "glm")
    tap.eq("files", sorted(maps), ["alice/glm-host-configtemplate", "bob/glm-guest-configtemplate"])
    file = json.loads(maps["bob/glm-guest-configtemplate"]["data"]["serving.json"])
    tap.eq("with their variables", (file["id"], file["input"], file["me"], file["self"], file["peer"], len(file["ports"]["ports"])),
           ("glm", {"model": 1}, "bob", 1, f"front-service.bob.svc:{ports['bob']['glm-guest/service']}", 3))
    tap.eq("mounted where the program looks", [(m["mountPath"], m["subPath"]) for m in c["volumeMounts"]], [("/w/serving.json", "serving.json")])
    services = parts(s, "services", "glm")
    tap.eq("a service for each port that others may reach, by prefix", sorted(services), ["alice/glm-host-communication", "alice/glm-host-service", "bob/front-communication", "bob/front-service"])
    talk, own = services["bob/front-communication"], services["bob/front-service"]
    tap.ok("headless, for pods that are ready, with scope and who may call", talk["spec"]["clusterIP"] == "None" and not talk["spec"].get("publishNotReadyAddresses") and
           talk["spec"]["selector"] == {L + "deployment-name": "glm-guest"} and talk["metadata"]["labels"][L + "port-scope"] == "Cluster" and talk["metadata"]["labels"][L + "loadbalancer"] == "domainroute" and
           talk["metadata"]["annotations"][L + "access-domain"] == "alice,bob" and L + "loadbalancer" not in own["metadata"]["labels"], talk)
    ends = lambda: [a["ip"] for x in s.get("/api/v1/namespaces/alice/endpoints/glm-host-service").json.get("subsets", []) for a in x.get("addresses", [])]  # noqa: E731
    tap.ok("with both pods behind it", wait_for(lambda: len(ends()) == 2), ends())
    table = s.kubectl("get", "kd", "-n", "cross-domain", "glm", binary=COX).stdout.split()
    tap.ok("columns", table[:5] == ["NAME", "TOTALPARTIES", "AVAILABLEPARTIES", "PHASE", "AGE"] and table[5:9] == ["glm", "2", "2", "Available"], table)
    tap.ok("deleted: nothing is left", remove(s, "glm"), all_parts(s, "glm"))


def test_affinity(s):
    image(s, "plain")
    own = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "kubernetes.io/hostname"}]}}
    for name, notes, template in (("apart", {}, {}), ("alone", {L + "affinity-mode": "none"}, {}), ("near", {L + "affinity-mode": "affinity"}, {}), ("own", {}, {"spec": {"affinity": own, "containers": []}})):
        service(s, "aff-" + name, party("alice", "plain", template=template), annotations=notes)
        tap.ok(f"{name}: available", comes(s, "aff-" + name), status(s, "aff-" + name))
    have = {n: deployments(s, "aff-" + n)[f"alice/aff-{n}"]["spec"]["template"]["spec"].get("affinity") for n in ("apart", "alone", "near", "own")}
    prefer = lambda n: {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname",
                        "labelSelector": {"matchLabels": {L + "deployment-name": f"aff-{n}"}}}}]}  # noqa: E731
    tap.eq("pods keep apart", have["apart"], {"podAntiAffinity": prefer("apart")})
    tap.eq("unless nobody cares", have["alone"], None)
    tap.eq("or together", have["near"], {"podAffinity": prefer("near")})
    tap.eq("or as the party says, about its own pods", have["own"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"],
           [{"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {L + "deployment-name": "aff-own"}}}])
    s.patch(f"{KDS}/aff-apart", {"metadata": {"annotations": {L + "affinity-mode": "none"}}})
    tap.ok("a mode that changes", wait_for(lambda: "affinity" not in deployments(s, "aff-apart")["alice/aff-apart"]["spec"]["template"]["spec"]))
    tap.ok("gone", remove(s, "aff-apart", "aff-alone", "aff-near", "aff-own"))


# --- changes --------------------------------------------------------------------------------------------------------------------------------

def test_rolling(s):
    image(s, "rolls", files={"f.json": FILE})
    service(s, "roll", party("alice", "rolls", template={"replicas": 3, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}), party("bob", "rolls"))
    tap.ok("it is available", comes(s, "roll"), status(s, "roll"))
    first = {o: v["metadata"]["resourceVersion"] for o, v in parts(s, "services", "roll").items()}
    before = {p["metadata"]["uid"] for p in pods(s, "roll")}
    fewest = [3]

    def rolled(test):
        def look():
            ready = [p for p in pods(s, "roll", "alice") if any(c["type"] == "Ready" and c["status"] == "True" for c in p["status"].get("conditions", []))]
            fewest[0] = min(fewest[0], len(ready))
            return status(s, "roll").get("phase") == "Available" and len(ready) == 3 and all(test(p) for p in pods(s, "roll"))
        return wait_for(look)
    s.patch(f"{KDS}/roll", {"spec": {"inputConfig": '{"model": 2}'}})
    tap.ok("another input: other pods", rolled(lambda p: env(p)["INPUT_CONFIG"] == '{"model": 2}') and not before & {p["metadata"]["uid"] for p in pods(s, "roll")}, status(s, "roll"))
    tap.eq("and files", json.loads(parts(s, "configmaps", "roll")["bob/roll-configtemplate"]["data"]["f.json"])["input"], {"model": 2})
    spec = s.get(f"{K}/appimages/rolls").json["spec"]
    s.patch(f"{K}/appimages/rolls", {"spec": {"image": {**spec["image"], "tag": "2"}}})
    tap.ok("another image", rolled(lambda p: p["spec"]["containers"][0]["image"] == "serving:2"), status(s, "roll"))
    uids = {p["metadata"]["uid"] for p in pods(s, "roll")}
    s.patch(f"{K}/appimages/rolls", {"spec": {"configTemplates": {"f.json": FILE.replace('"me"', '"my-name"')}}})
    tap.ok("other files", rolled(lambda p: p["metadata"]["uid"] not in uids), status(s, "roll"))
    parties = s.get(f"{KDS}/roll").json["spec"]["parties"]
    parties[0]["template"]["spec"] = {"containers": [{"name": "serving", "resources": {"requests": {"cpu": "250m"}, "limits": {"cpu": "1"}}}]}
    s.patch(f"{KDS}/roll", {"spec": {"parties": parties}})
    tap.ok("other amounts, of one party", rolled(lambda p: p["metadata"]["namespace"] == "bob" or p["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "250m"}, "limits": {"cpu": "1"}}), status(s, "roll"))
    tap.eq("there were always as many as the strategy wants", fewest[0], 3)
    uids = {p["metadata"]["uid"] for p in pods(s, "roll")}
    parties[0]["template"]["replicas"] = 5
    s.patch(f"{KDS}/roll", {"spec": {"parties": parties}})
    tap.ok("more replicas", wait_for(lambda: status(s, "roll").get("phase") == "Available" and len(pods(s, "roll", "alice")) == 5), status(s, "roll"))
    tap.ok("beside those that are there", uids <= {p["metadata"]["uid"] for p in pods(s, "roll")})
    tap.eq("services were never touched", {o: v["metadata"]["resourceVersion"] for o, v in parts(s, "services", "roll").items()}, first)
    parties[0]["template"].update(replicas=1, strategy={"type": "Recreate"})
    s.patch(f"{KDS}/roll", {"spec": {"parties": parties}})
    tap.ok("another strategy", wait_for(lambda: deployments(s, "roll")["alice/roll"]["spec"]["strategy"] == {"type": "Recreate"} and len(pods(s, "roll", "alice")) == 1))
    tap.ok("gone", remove(s, "roll"))


def test_what_others_change(s):
    """Whatever is changed or deleted behind the service's back comes back; what others noted stays."""
    image(s, "steady", files={"f.json": FILE})
    service(s, "firm", party("alice", "steady"), party("bob", "steady"))
    comes(s, "firm")
    d = "/apis/apps/v1/namespaces/alice/deployments/firm"
    s.patch(d, {"metadata": {"annotations": {"team": "a"}}, "spec": {"replicas": 4}})
    tap.ok("replicas", wait_for(lambda: s.get(d).json["spec"]["replicas"] == 1 and comes(s, "firm")))
    tap.eq("what others noted stays", s.get(d).json["metadata"]["annotations"].get("team"), "a")
    s.delete("/api/v1/namespaces/bob/services/firm-service")
    tap.ok("a service", wait_for(lambda: s.get("/api/v1/namespaces/bob/services/firm-service").status == 200))
    s.patch("/api/v1/namespaces/bob/services/firm-communication", {"metadata": {"annotations": {L + "access-domain": "carol"}}})
    tap.ok("who may call", wait_for(lambda: s.get("/api/v1/namespaces/bob/services/firm-communication").json["metadata"]["annotations"][L + "access-domain"] == "alice,bob"))
    s.patch("/api/v1/namespaces/bob/configmaps/firm-configtemplate", {"data": {"f.json": "{}"}})
    tap.ok("files", wait_for(lambda: len(s.get("/api/v1/namespaces/bob/configmaps/firm-configtemplate").json["data"]["f.json"]) > 2))
    s.delete(d)
    tap.ok("a Deployment", wait_for(lambda: s.get(d).status == 200 and comes(s, "firm")), status(s, "firm"))
    made = s.post("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "firm-other"}}).status
    said = s.get(f"{KDS}/firm").json["status"]["allocatedPorts"] + [{"domainID": d} for d in ("default/configmaps?x=", "..", "a\x00b", "")]
    s.patch(f"{KDS}/firm/status", {"status": {"allocatedPorts": said}})
    tap.ok("gone, whatever somebody wrote into its status", remove(s, "firm"))
    tap.eq("nor is anything else", (made, s.get("/api/v1/namespaces/default/configmaps/firm-other").status), (201, 200))


def test_parties_come_and_go(s):
    image(s, "serving")
    service(s, "club", party("alice"), party("bob"))
    comes(s, "club")
    had = {p["domainID"]: p["namedPort"] for p in status(s, "club")["allocatedPorts"]}
    s.patch(f"{KDS}/club", {"spec": {"parties": [party("alice"), party("carol")]}})
    tap.ok("another party", wait_for(lambda: sorted(deployments(s, "club")) == ["alice/club", "carol/club"] and comes(s, "club")), status(s, "club"))
    tap.ok("nothing is left in the domain that left", wait_for(lambda: not parts(s, "services", "club", "bob") and not pods(s, "club", "bob")), all_parts(s, "club"))
    now = lambda: {p["domainID"]: p["namedPort"] for p in status(s, "club")["allocatedPorts"]}  # noqa: E731
    tap.ok("its numbers are free, those of the others stay", wait_for(lambda: sorted(now()) == ["alice", "carol"]) and now()["alice"] == had["alice"], now())
    spec = s.get(f"{K}/appimages/serving").json["spec"]
    ports = spec["deployTemplates"][0]["spec"]["containers"][0]["ports"]
    spec["deployTemplates"][0]["spec"]["containers"][0]["ports"] = [p for p in ports if p["name"] != "communication"] + [{"name": "more", "scope": "Domain"}]
    s.patch(f"{K}/appimages/serving", {"spec": {"deployTemplates": spec["deployTemplates"]}})
    tap.ok("other ports, other services", wait_for(lambda: sorted(parts(s, "services", "club", "alice")) == ["alice/club-more", "alice/club-service"] and comes(s, "club")), sorted(parts(s, "services", "club")))
    tap.ok("with what they had", now()["alice"]["club/service"] == had["alice"]["club/service"] and "club/communication" not in now()["alice"], now())
    spec["deployTemplates"][0]["spec"]["containers"][0]["ports"] = ports
    s.patch(f"{K}/appimages/serving", {"spec": {"deployTemplates": spec["deployTemplates"]}})
    tap.ok("gone", remove(s, "club"))


# --- what it lacks ------------------------------------------------------------------------------------------------------------------------------

def test_no_room(s):
    big = {"containers": [{"name": "serving", "resources": {"requests": {"cpu": "3"}}}]}
    service(s, "wide", party("alice"), party("bob", template={"replicas": 2, "spec": big}))
    said = lambda: status(s, "wide").get("message", "")  # noqa: E731
    tap.ok("all take part, one not with all", wait_for(lambda: status(s, "wide").get("phase") == "PartialAvailable" and "cpu" in said()), status(s, "wide"))
    st = status(s, "wide")
    tap.ok("who, how many, what", said().startswith("waiting: bob (1 of 2 pods are available: pod wide-") and st["reason"] == "Unschedulable" and st["availableParties"] == 2, st)
    s.patch(f"{KDS}/wide", {"spec": {"parties": [party("alice"), party("bob", template={"replicas": 1, "spec": {"containers": [{"name": "serving", "resources": {"requests": {"cpu": "30"}}}]}})]}})
    tap.ok("what cannot be placed does not replace what runs", wait_for(lambda: "30" in said() and status(s, "wide")["phase"] == "PartialAvailable"), status(s, "wide"))
    s.patch(f"{KDS}/wide", {"spec": {"parties": [party("alice"), party("bob", template={"replicas": 1})]}})
    tap.ok("with less it is there", comes(s, "wide") and not said(), status(s, "wide"))
    tap.ok("gone", remove(s, "wide"))


def test_a_party_that_fails(s):
    service(s, "ill", party("alice"), party("bob"))
    comes(s, "ill")
    p = pods(s, "ill", "bob")[0]
    bad = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z"}, {"type": "PodScheduled", "status": "True"}],
           "containerStatuses": [{"name": "serving", "image": "i", "imageID": "", "ready": False, "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s"}},
                                  "lastState": {"terminated": {"exitCode": 3, "message": "no such model", "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z"}}}]}
    s.patch(f"/api/v1/namespaces/bob/pods/{p['metadata']['name']}/status", {"status": bad})
    tap.ok("it is not available any more", wait_for(lambda: status(s, "ill").get("phase") == "Progressing" and "no such model" in status(s, "ill").get("message", "")), status(s, "ill"))
    st = status(s, "ill")
    tap.eq("and says who and why", (st["message"], st["reason"], st["availableParties"]),
           (f"waiting: bob (0 of 1 pods are available: pod {p['metadata']['name']}: back-off 40s; it ended with 3: no such model)", "CrashLoopBackOff", 1))
    s.delete(f"/api/v1/namespaces/bob/pods/{p['metadata']['name']}")
    tap.ok("with another pod it is", comes(s, "ill"), status(s, "ill"))
    tap.ok("gone", remove(s, "ill"))


def test_quota(s):
    s.patch(f"{K}/domains/carol", {"spec": {"resourceQuota": {"podMaxCount": 1}}})
    wait_for(lambda: s.get("/api/v1/namespaces/carol/resourcequotas/resource-limitation").json.get("spec", {}).get("hard", {}).get("pods") == "1")
    service(s, "many", party("alice"), party("carol", template={"replicas": 2}))
    said = lambda: status(s, "many").get("message", "")  # noqa: E731
    tap.ok("a domain whose quota is used up says so", wait_for(lambda: "carol (1 of 2 pods are available" in said() and "quota" in said()), status(s, "many"))
    s.patch(f"{K}/domains/carol", {"spec": {"resourceQuota": None}})
    tap.ok("gone", remove(s, "many"))


def test_what_cannot_be(s):
    def failed(name, *parts_of_it):
        return wait_for(lambda: status(s, name).get("phase") == "Failed" and all(p in status(s, name).get("message", "") for p in parts_of_it))
    service(s, "none", party("alice", "nowhere"))
    tap.ok("a program that is not there", failed("none", 'there is no AppImage "nowhere", which party alice runs') and status(s, "none")["reason"] == "ValidateFailed", status(s, "none"))
    image(s, "nowhere")
    tap.ok("until it is", comes(s, "none"), status(s, "none"))
    service(s, "lost", party("alice"), party("zoe"))
    tap.ok("a domain that is not there", failed("lost", 'there is no domain "zoe", which takes part'), status(s, "lost"))
    service(s, "rolled", party("alice", "roles", role="nobody"))
    tap.ok("a role without template", failed("rolled", 'no template for the role "nobody"'), status(s, "rolled"))
    make(s, f"{K}/domains", "Domain", "far", {"role": "partner"})
    service(s, "away", party("alice"), party("far"))
    tap.ok("a partner of another control plane", failed("away", 'domain "far" is a partner'), status(s, "away"))
    image(s, "torn", files={"x.conf": "{{range .X}}"})
    service(s, "torn", party("alice", "torn"))
    tap.ok("a file that cannot be filled in", failed("torn", 'file "x.conf" of AppImage "torn": line 1'), status(s, "torn"))
    service(s, "twin", party("alice", "roles", role="host", serviceNamePrefix="same"), party("alice", "roles", role="guest", serviceNamePrefix="same"))
    tap.ok("two of one domain with the same services", failed("twin", 'services of the name "same-service"'), status(s, "twin"))
    s.post("/api/v1/namespaces/alice/services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "taken-service"}, "spec": {"ports": [{"port": 80}]}})
    service(s, "taken", party("alice"))
    tap.ok("a name that is taken", failed("taken", 'domain alice already has a Service "taken-service"'), status(s, "taken"))
    s.delete("/api/v1/namespaces/alice/services/taken-service")
    tap.ok("until it is free", comes(s, "taken"), status(s, "taken"))
    bad = lambda spec: s.post(KDS, {"apiVersion": API, "kind": "KusciaDeployment", "metadata": {"name": "bad"}, "spec": {"initiator": "alice", "inputConfig": "", **spec}})  # noqa: E731
    tap.has("refused where it is written: a prefix that is no name", bad({"parties": [party("alice", serviceNamePrefix="A_B")]}).text, "serviceNamePrefix")
    tap.has("or more pods than a service has", bad({"parties": [party("alice", template={"replicas": 5000})]}).text, "replicas")
    s.delete(f"{K}/appimages/nowhere")
    tap.ok("a program that goes", failed("none", 'there is no AppImage "nowhere"'), status(s, "none"))
    tap.ok("what runs goes on", len(pods(s, "none")) == 1)
    tap.ok("gone, whatever state", remove(s, "none", "lost", "rolled", "away", "torn", "twin", "taken"))


# --- beside tasks, and through restarts ---------------------------------------------------------------------------------------------------------

def test_numbers(s):
    """Tasks and services of one domain never have the same port."""
    image(s, "many-ports")
    for i in range(6):
        service(s, f"port-{i}", party("alice"), party("bob"))
        make(s, TASKS, "KusciaTask", f"ptask-{i}", {"initiator": "alice", "taskInputConfig": "", "parties": [{"domainID": d, "appImageRef": "many-ports"} for d in ("alice", "bob")]})
    tap.ok("all have their numbers", wait_for(lambda: {d: len(n) for d, n in numbers(s).items()} == {"alice": 36, "bob": 36}), numbers(s))
    tap.eq("each once", {d: len(set(n)) for d, n in numbers(s).items()}, {"alice": 36, "bob": 36})
    for i in range(6):
        s.delete(f"{TASKS}/ptask-{i}")
    tap.ok("gone", remove(s, *[f"port-{i}" for i in range(6)]))


def test_kills(s):
    """The server and its controllers are killed while services are made, changed and deleted: each ends as its spec says, with what it had, and nothing is left of those that were deleted."""
    names = [f"kill-{i}" for i in range(4)]
    image(s, "lives", files={"f.json": FILE})
    small = {"spec": {"containers": [{"name": "serving", "resources": {"requests": {"cpu": "100m"}}}]}}
    kills = 0
    for n in names:
        service(s, n, party("alice", "lives", template=small), party("bob", "lives", template=small))
        s.kill()
        s.start()
        kills += 1
    tap.ok("made", wait_for(lambda: all(is_available(s, n) for n in names)), {n: status(s, n) for n in names})
    given = numbers(s)
    tap.ok("no number twice", all(len(n) == len(set(n)) == 12 for n in given.values()), given)
    for n in names:
        s.patch(f"{KDS}/{n}", {"spec": {"inputConfig": '{"model": 7}'}})
        s.kill()
        s.start()
        kills += 1
    new = lambda n: is_available(s, n) and [env(p)["INPUT_CONFIG"] for p in pods(s, n)] == ['{"model": 7}'] * 2  # noqa: E731
    tap.ok("changed", wait_for(lambda: all(new(n) for n in names)), {n: status(s, n) for n in names})
    tap.eq("the numbers are the same", numbers(s), given)
    for n in names:
        s.delete(f"{KDS}/{n}")
        s.kill()
        s.start()
        kills += 1
    tap.ok(f"deleted, and nothing is left, after {kills} kills", remove(s, *names), [all_parts(s, n) for n in names])
    tap.eq("no number is held", numbers(s), {})


def test_example(s):
    done = s.kubectl("apply", "-f", str(ROOT / "examples" / "kuscia" / "serving.yaml"), binary=COX)
    tap.ok("then nobody does anything", rests(s.process.pid))
    tap.ok("the example", done.returncode == 0 and comes(s, "scoring"), done.stderr + str(status(s, "scoring")))
    tap.ok("gone", remove(s, "scoring"))


def main():
    with Domains(DOMAINS, capacity=("cpu=5",)) as s:
        tap.run([test_objects, test_affinity, test_rolling, test_what_others_change, test_parties_come_and_go, test_no_room, test_a_party_that_fails, test_quota, test_what_cannot_be, test_numbers, test_kills,
                 test_example], s)
    tap.done()


main()
