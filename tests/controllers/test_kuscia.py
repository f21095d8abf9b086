#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of several institutions on one control plane: what is made for a task, all parties placed at once or none, phases and ends, commands, clean-up.  Nodes are simulated; the script ends pods itself."""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import COX, ROOT, Server, Watch, tap, wait_for  # noqa: E402
from lib.kuscia import API, GROUPS, JOBS, K, TASKS, Domains, cpu_free, end_task, finish, image, job, make, party, phase, pods, stage, status, task, task_phase, tasks_of  # noqa: E402

DOMAINS = ("alice", "bob", "carol")


# --- bandwidth as it is asked for -----------------------------------------------------------------------------------------------------

def amounts(pod):
    """Bandwidth of each container, requests and limits."""
    return [tuple({k: v for k, v in c.get("resources", {}).get(which, {}).items() if "bandwidth" in k} for which in ("requests", "limits")) for c in pod["spec"]["containers"]]


def test_bandwidth(s):
    """However a party writes it, its pods ask for it under the names that scheduler and agent read; what cannot be is refused and leaves nothing behind."""
    image(s, "two", replicas=2)
    both = lambda bits: {"cox.io/egress-bandwidth": bits, "cox.io/ingress-bandwidth": bits}  # noqa: E731
    job(s, "asks", task("only", party("alice", bandwidthRequest="20Mbps"), party("bob", resources={"requests": {"bandwidth": "40M"}, "limits": {"bandwidth": "60M"}}),
                        party("carol", bandwidthRequest="egress=5M", bandwidthLimits=[{"destinationID": "bob", "limitKBps": 100}]), app="two", id="asks-1"))
    tap.ok("the task runs", wait_for(lambda: task_phase(s, "asks", "only") == "Running"), s.get(TASKS).text[-2500:])
    found = {f"{p['metadata']['namespace']}/{p['metadata']['name']}": p for p in pods(s, "asks-1")}
    tap.eq("bandwidthRequest is for each pod", [amounts(found[f"alice/asks-1-{n}"]) for n in (0, 1)], [[(both("20M"), both("20M"))]] * 2)
    tap.eq("resources of a job are for all its pods, as Kuscia has them", amounts(found["bob/asks-1-1"]), [(both("20M"), both("20M"))])
    tap.eq("the higher limit is the pod's", {k: v for k, v in found["bob/asks-1-1"]["metadata"]["annotations"].items() if k.startswith("kubernetes.io")}, {"kubernetes.io/egress-bandwidth": "30000000", "kubernetes.io/ingress-bandwidth": "30000000"})
    tap.eq("one end alone", amounts(found["carol/asks-1-0"]), [({"cox.io/egress-bandwidth": "5M"}, {"cox.io/egress-bandwidth": "5M"})])
    tap.eq("a limit to a destination", found["carol/asks-1-1"]["metadata"]["annotations"]["kuscia.secretflow/bandwidth-limit-bob"], "100")
    end_task(s, "asks", "only")
    bad = lambda **p: s.post(JOBS, {"apiVersion": API, "kind": "KusciaJob", "metadata": {"name": "bad"}, "spec": {"initiator": "alice", "tasks": [task("t", party("alice", **p))]}})  # noqa: E731
    for text in ("0", "-5M", "10MBps", "fast", "1e40", "500", "egress=1G,egress=2G"):
        r = bad(bandwidthRequest=text)
        tap.ok(f"bandwidthRequest {text}", r.status == 422 and "bandwidthRequest" in r.json["message"], r.text)
    for amount in ("0", "-1", "2P", "1.5"):
        r = bad(resources={"requests": {"bandwidth": amount}})
        tap.ok(f"bandwidth {amount}", r.status == 422 and "[bandwidth]" in r.json["message"], r.text)
    for rate in (0, -1, 2 ** 62):
        tap.eq(f"limitKBps {rate}", bad(bandwidthLimits=[{"destinationID": "bob", "limitKBps": rate}]).status, 422)
    tap.eq("nothing is left of them", s.get(f"{JOBS}/bad").status, 404)


def test_bandwidth_of_all_parties(s):
    """A task's list has one amount for each party, in their order, as numbers or quantities; one that fits nobody changes nothing."""
    image(s, "each")
    spec = {"initiator": "alice", "taskInputConfig": "{}", "parties": [party(d, appImageRef="each") for d in DOMAINS]}
    make(s, TASKS, "KusciaTask", "each-1", {**spec, "bandwidthRequest": [30000000, 0, "5M"]})
    tap.ok("it runs", wait_for(lambda: status(s, f"{TASKS}/each-1").get("phase") == "Running"), s.get(TASKS).text[-2500:])
    tap.eq("to each its own", {p["metadata"]["namespace"]: amounts(p)[0][0] for p in pods(s, "each-1")},
           {"alice": {"cox.io/egress-bandwidth": "30M", "cox.io/ingress-bandwidth": "30M"}, "bob": {}, "carol": {"cox.io/egress-bandwidth": "5M", "cox.io/ingress-bandwidth": "5M"}})
    for wrong, why in (([1000, 1000], "for 3 parties"), (["-5M"], "greater than or equal to 0"), (["fast"], "quantities must match"), ("5M", "bandwidthRequest"), ([{}], "quantities must match")):
        r = s.post(TASKS, {"apiVersion": API, "kind": "KusciaTask", "metadata": {"name": "each-2"}, "spec": {**spec, "bandwidthRequest": wrong}})
        tap.ok(f"refused: {wrong}", r.status in (400, 422) and why in r.json["message"], r.text)
    tap.eq("nothing is left of them", s.get(f"{TASKS}/each-2").status, 404)
    s.delete(f"{TASKS}/each-1")


def test_loans(s):
    """A job that accepts what is lent says so once; its pods wait for what nodes lend, not for promises."""
    image(s, "lent")
    spec = {"initiator": "alice", "tasks": [task("only", party("alice", bandwidthRequest="80Mbps"), party("bob", bandwidthRequest="80Mbps"), app="lent")]}
    make(s, JOBS, "KusciaJob", "loans", spec, annotations={"cox.io/bandwidth-lend": "accept"})
    mine = lambda: [p for t in tasks_of(s, "loans").values() for p in pods(s, t["metadata"]["name"])]  # noqa: E731
    said = lambda: " ".join(c.get("message", "") for p in mine() for c in p["status"].get("conditions", []))  # noqa: E731
    tap.ok("it waits where nothing is lent", wait_for(lambda: "bandwidth to borrow" in said()), s.get("/api/v1/pods").text[-3000:])
    tap.eq("each pod accepts it", [p["metadata"]["annotations"].get("cox.io/bandwidth-lend") for p in mine()], ["accept"] * 2)
    for domain in ("alice", "bob"):
        s.patch(f"/api/v1/nodes/{domain}-0/status", {"status": {"allocatable": {"cox.io/lent-egress-bandwidth": "90M", "cox.io/lent-ingress-bandwidth": "90M"}}})
    tap.ok("and runs where something is", wait_for(lambda: task_phase(s, "loans", "only") == "Running"), said())
    end_task(s, "loans", "only")


def test_never(s):
    """What no node, link or quota could ever hold fails at once, with names and numbers, and nothing is made for it; what is only taken, or not there yet, is waited for."""
    def failed(name):
        found = wait_for(lambda: (lambda t: t if t.get("status", {}).get("completionTime") else None)(tasks_of(s, name).get("only", {})))
        st = found["status"] if found else {}
        return (st.get("phase"), st.get("reason"), st.get("message")), s.get(f"{GROUPS}/{found['metadata']['name']}").status if found else 0
    rows = [("cpu", party("bob", resources={"requests": {"cpu": "64"}}), "party bob: a pod needs 64 cpu, and the largest node of the domain, bob-0, has 4 cpu"),
            ("gpus", party("bob", resources={"limits": {"nvidia.com/gpu": "2"}}), "party bob: a pod needs 2 nvidia.com/gpu, and the largest node of the domain, bob-0, has 0 nvidia.com/gpu"),
            ("band", party("bob", bandwidthRequest="1Gbps"), "party bob: a pod needs 1 Gbit/s egress bandwidth, and the largest node of the domain, bob-0, has 100 Mbit/s egress bandwidth")]
    for name, asks, why in rows:
        job(s, f"never-{name}", task("only", party("alice"), asks))
        tap.eq(f"never: {name}", failed(f"never-{name}"), (("Failed", "Unsatisfiable", why), 404))
    make(s, f"{K}/clusterdomainroutes", "ClusterDomainRoute", "alice-carol", {"source": "alice", "destination": "carol", "authenticationType": "None", "bandwidth": "50Mbps"})
    job(s, "never-link", task("only", party("alice", bandwidthRequest="egress=60Mbps"), party("carol")))
    tap.eq("never: link", failed("never-link"), (("Failed", "Unsatisfiable", "the link alice->carol carries 50 Mbit/s, and the task needs 60 Mbit/s"), 404))
    s.delete(f"{K}/clusterdomainroutes/alice-carol")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "1"}}}
    used = lambda: status(s, "/api/v1/namespaces/carol/resourcequotas/few").get("used", {}).get("pods")  # noqa: E731
    wait_for(lambda: all(p["status"].get("phase") in ("Succeeded", "Failed") for p in s.get("/api/v1/namespaces/carol/pods").json["items"]))   # these stay for their logs
    s.post("/api/v1/namespaces/carol/resourcequotas", quota)
    wait_for(lambda: used() == "0")
    job(s, "never-quota", task("only", party("alice"), party("carol"), app="two"))
    tap.eq("never: quota", failed("never-quota"), (("Failed", "Unsatisfiable", "party carol: its pods need 2 pods, and its quota carol/few allows 1 pods"), 404))
    job(s, "quota-1", task("only", party("alice"), party("carol")))
    wait_for(lambda: task_phase(s, "quota-1", "only") == "Running")
    before = s.get("/api/v1/namespaces/alice/pods").json["metadata"]["resourceVersion"]
    job(s, "quota-2", task("only", party("alice"), party("carol"), id="quota-2-1", scheduleConfig={"minReservedMembers": 1}))
    says = lambda: tasks_of(s, "quota-2").get("only", {}).get("status", {})  # noqa: E731
    tap.ok("a quota that others fill is waited for", wait_for(lambda: says().get("reason") == "QuotaExceeded" and "exceeded quota: few" in says()["message"]) and says()["phase"] == "Pending", says())
    w = Watch(s, f"/api/v1/namespaces/alice/pods?watch=true&resourceVersion={before}&timeoutSeconds=3")
    w.wait(lambda events: False)  # to its end
    tap.eq("and nobody's pods come and go meanwhile", [e["type"] for e in w.events if "quota-2" in e["object"]["metadata"]["name"]], [])
    end_task(s, "quota-1", "only")
    s.delete(f"{JOBS}/quota-1")
    tap.ok("and then it runs", wait_for(lambda: task_phase(s, "quota-2", "only") == "Running"), says())
    end_task(s, "quota-2", "only")
    s.delete("/api/v1/namespaces/carol/resourcequotas/few")
    make(s, f"{K}/domains", "Domain", "dave", {})
    wait_for(lambda: s.get("/api/v1/namespaces/dave/serviceaccounts/default").status == 200)
    job(s, "absent", task("only", party("alice"), party("dave", resources={"requests": {"cpu": "64"}}), id="absent-1"))
    parties = lambda: {p["domainID"]: p.get("message", "") for p in status(s, f"{TASKS}/absent-1").get("partyTaskStatus", [])}  # noqa: E731
    tap.ok("a domain without nodes is waited for, and said to be", wait_for(lambda: parties().get("dave") == "domain dave has no nodes; a machine joins with cox join --domain dave"), parties())
    s.delete(f"{JOBS}/absent")


# --- what a task is made of -----------------------------------------------------------------------------------------------------------

def test_no_port_number(s):
    """All numbers of a domain are taken: the task waits and says so, and starts when some are free.  What is chosen for one task is seen by the next before any status says it."""
    image(s, "talks")
    make(s, JOBS, "KusciaJob", "hog", {"initiator": "alice", "tasks": [task("only", party("bob"), app="talks", id="hog-1")]})
    tap.ok("a task runs", wait_for(lambda: task_phase(s, "hog", "only") == "Running"), s.get(TASKS).text[-2000:])
    own = status(s, f"{TASKS}/hog-1")["allocatedPorts"]
    every = [{"domainID": "bob", "namedPort": {**own[0]["namedPort"], **{f"p/{n}": n for n in range(20000, 20000 + 12767)}}}]
    tap.eq("it has all numbers now", s.patch(f"{TASKS}/hog-1/status", {"status": {"allocatedPorts": every}}).status, 200)
    make(s, JOBS, "KusciaJob", "late", {"initiator": "alice", "tasks": [task("only", party("bob"), app="talks", id="late-1")]})
    says = lambda: status(s, f"{TASKS}/late-1")  # noqa: E731
    tap.ok("the next one waits for a number", wait_for(lambda: says().get("reason") == "PortsExhausted") and says()["phase"] == "Pending" and "domain bob has no free port number" in says()["message"], says())
    tap.eq("and nothing is made of it", (s.get(f"{GROUPS}/late-1").status, pods(s, "late-1")), (404, []))
    end_task(s, "hog", "only")
    tap.ok("it starts when they are free", wait_for(lambda: task_phase(s, "late", "only") == "Running"), s.get(TASKS).text[-2000:])
    end_task(s, "late", "only")


def test_objects(s):
    image(s, "full", role="host,guest", files={"task.json": '{"id": "{{.TASK_ID}}", "input": "{{.TASK_INPUT_CONFIG}}", "self": {{{.TASK_CLUSTER_DEFINE.selfPartyIdx}}}, "me": "{{.KUSCIA_DOMAIN_ID}}",'
          ' "ports": {{{.ALLOCATED_PORTS}}}, "peer": "{{{.TASK_CLUSTER_DEFINE.parties[name=bob].services[portName=data].endpoints[0]}}}"}'}, replicas=2)
    job(s, "parts", task("only", party("alice", role="host", resources={"requests": {"cpu": "2", "kuscia.io/bandwidth": "10"}}, bandwidthLimits=[{"destinationID": "bob", "limitKBps": 100}]),
                         party("bob", role="guest"), app="full", id="t-1", config='{"say": "hi"}'))
    tap.ok("the task runs", wait_for(lambda: task_phase(s, "parts", "only") == "Running"), s.get(TASKS).text[-2500:])
    notes = lambda: s.get(f"{JOBS}/parts").json["metadata"].get("annotations", {})  # noqa: E731
    tap.ok("the job says who takes part", wait_for(lambda: notes().get("kuscia.secretflow/interconn-self-parties") == "alice_bob") and notes()["kuscia.secretflow/initiator"] == "alice", notes())
    found = {f"{p['metadata']['namespace']}/{p['metadata']['name']}": p for p in pods(s, "t-1")}
    tap.eq("pods by role and number", sorted(found), ["alice/t-1-host-0", "alice/t-1-host-1", "bob/t-1-guest-0", "bob/t-1-guest-1"])
    a = found["alice/t-1-host-1"]
    tap.eq("on nodes of their domain", {p["metadata"]["namespace"] for p in found.values() if p["spec"]["nodeName"].split("-")[0] != p["metadata"]["namespace"]}, set())
    meta, spec = a["metadata"], a["spec"]
    tap.eq("labels", {k.split("/")[1]: meta["labels"][k] for k in ("kuscia.secretflow/controller", "kuscia.secretflow/pod-role", "kuscia.secretflow/communication-role-server")},
           {"controller": "kusciatask", "pod-role": "host", "communication-role-server": "true"})
    tap.eq("annotations", {k.split("/")[1]: meta["annotations"][k] for k in ("kuscia.secretflow/initiator", "kuscia.secretflow/task-id", "kuscia.secretflow/task-resource-group", "kuscia.secretflow/bandwidth-limit-bob")},
           {"initiator": "alice", "task-id": "t-1", "task-resource-group": "t-1", "bandwidth-limit-bob": "100"})
    c = spec["containers"][0]
    tap.eq("the party's amounts are for all its pods", (c["resources"]["requests"], c["resources"]["limits"]), ({"cpu": "1", "kuscia.io/bandwidth": "5"}, {"kuscia.io/bandwidth": "5"}))
    env = {e["name"]: e.get("value") for e in c["env"]}
    ports = {p["domainID"]: p["namedPort"] for p in wait_for(lambda: status(s, f"{TASKS}/t-1").get("allocatedPorts"))}
    tap.eq("environment", (env["TASK_ID"], env["KUSCIA_DOMAIN_ID"], env["KUSCIA_PORT_DATA_NUMBER"]), ("t-1", "alice", str(ports["alice"]["t-1-host-1/data"])))
    numbers = [n for named in ports.values() for n in named.values()]
    tap.ok("a number for each port of each pod", len(numbers) == 12 == len(set(numbers)) and all(20000 <= n <= 32766 for n in numbers), ports)
    tap.ok("never again, no token, only where domains' work may go", spec["restartPolicy"] == "Never" and spec["automountServiceAccountToken"] is False and spec["nodeSelector"] == {"kuscia.secretflow/namespace": "alice"} and
           any(t.get("key") == "kuscia.secretflow/agent" for t in spec["tolerations"]), spec)
    file = json.loads(s.get("/api/v1/namespaces/bob/configmaps/t-1-guest-0-config").json["data"]["task.json"])
    tap.eq("files have their variables", (file["id"], file["input"], file["self"], file["me"], file["peer"]), ("t-1", '{"say": "hi"}', 1, "bob", f"t-1-guest-0-data.bob.svc:{ports['bob']['t-1-guest-0/data']}"))
    second = json.loads(s.get("/api/v1/namespaces/bob/configmaps/t-1-guest-1-config").json["data"]["task.json"])
    tap.eq("each pod its own", {p["name"]: p["port"] for p in second["ports"]["ports"]}["data"], ports["bob"]["t-1-guest-1/data"])
    tap.eq("mounted where the program looks", [(m["mountPath"], m["subPath"]) for m in c["volumeMounts"]], [("/w/task.json", "task.json")])
    services = {x["metadata"]["name"]: x for x in s.get("/api/v1/namespaces/alice/services").json["items"]}
    tap.eq("a service for each port that others may reach", sorted(services), ["t-1-host-0-data", "t-1-host-0-own", "t-1-host-1-data", "t-1-host-1-own"])
    data = services["t-1-host-0-data"]
    tap.ok("headless, with its scope and who may call", data["spec"]["clusterIP"] == "None" and data["metadata"]["labels"]["kuscia.secretflow/port-scope"] == "Cluster" and
           data["metadata"]["labels"]["kuscia.secretflow/loadbalancer"] == "domainroute" and data["metadata"]["annotations"]["kuscia.secretflow/access-domain"] == "alice,bob" and
           "kuscia.secretflow/loadbalancer" not in services["t-1-host-0-own"]["metadata"]["labels"], data)
    st = status(s, f"{TASKS}/t-1")
    tap.eq("conditions", {c["type"]: c["status"] for c in st["conditions"]}, {"PortsAllocated": "True", "ResourceCreated": "True", "Running": "True"})
    tap.ok("pods and services in the status", set(st["podStatuses"]) == set(found) and "alice/t-1-host-0-data" in st["serviceStatuses"] and st["podStatuses"]["alice/t-1-host-0"]["nodeName"].startswith("alice-"), st)
    trg = s.get(f"{GROUPS}/t-1").json
    tap.ok("the group: all had room", wait_for(lambda: status(s, f"{GROUPS}/t-1").get("phase") == "Reserved"), trg)
    tap.eq("and its parties", [(p["domainID"], p["role"], p["minReservedPods"], len(p["pods"])) for p in trg["spec"]["parties"]], [("alice", "host", 2, 2), ("bob", "guest", 2, 2)])
    phases = lambda: [tr["status"]["phase"] for ns in ("alice", "bob") for tr in s.get(f"{K}/namespaces/{ns}/taskresources").json["items"]]  # noqa: E731
    tap.ok("a task resource each", wait_for(lambda: phases() == ["Schedulable", "Schedulable"]), phases())
    tr = s.get(f"{K}/namespaces/alice/taskresources").json["items"][0]
    tap.eq("which the group names, too", tr["metadata"]["name"], trg["spec"]["parties"][0]["taskResourceName"])
    tap.ok("which the pods name, and which says how it came there", tr["metadata"]["name"] == meta["annotations"]["kuscia.secretflow/task-resource"] and tr["status"]["completionTime"] and
           {c["type"]: c["status"] for c in tr["status"]["conditions"]}.get("Schedulable") == "True", tr)
    finish(s, found["alice/t-1-host-0"], "Failed", 3, "no such table")
    tap.ok("a party that fails fails the task", wait_for(lambda: task_phase(s, "parts", "only") == "Failed"))
    done = lambda: status(s, f"{TASKS}/t-1")  # noqa: E731
    tap.ok("with who and why", wait_for(lambda: done().get("completionTime")) and "alice-host" in done()["message"] and "no such table" in done()["message"], done().get("message"))
    tap.ok("the job, too", wait_for(lambda: phase(s, "parts") == "Failed"), status(s, f"{JOBS}/parts"))
    left = lambda: sorted(p["metadata"]["name"] for p in pods(s, "t-1"))  # noqa: E731
    tap.ok("what ran is ended, what failed stays for its logs", wait_for(lambda: left() == ["t-1-host-0"]), left())
    tap.ok("services and files are gone", wait_for(lambda: not s.get("/api/v1/namespaces/alice/services").json["items"] and s.get("/api/v1/namespaces/bob/configmaps/t-1-guest-0-config").status == 404))
    s.delete(f"{JOBS}/parts")
    tap.ok("with the job everything goes", wait_for(lambda: not pods(s, "t-1") and s.get(f"{GROUPS}/t-1").status == 404 and s.get(f"{TASKS}/t-1").status == 404 and not phases()), s.get(f"{TASKS}/t-1"))


def test_files_as_engines_read_them(s):
    """The forms that Kuscia's own AppImages and its tutorial use, and what its agent makes of them."""
    make(s, f"{K}/appimages", "AppImage", "engine", {"image": {"name": "busybox", "tag": "1"}, "configTemplates": {
        "task-config.conf": '{"task_id": "{{.TASK_ID}}", "task_input_config": "{{.TASK_INPUT_CONFIG}}", "task_cluster_def": "{{.TASK_CLUSTER_DEFINE}}", "allocated_ports": "{{.ALLOCATED_PORTS}}"}',
        "more.conf": "{{{.TASK_CLUSTER_DEFINE.parties[.TASK_CLUSTER_DEFINE.selfPartyIdx].services[0].endpoints[0]}}}|{{{.TASK_CLUSTER_DEFINE.parties[name=bob].role}}}|"
                     "{{{.ALLOCATED_PORTS.ports[name=node-manager].port}}}|{{.KUSCIA_PORT_NODE_MANAGER_NUMBER}}|{{.OWN_SETTING}}|{{{.DB.hosts[0]}}}|{{.OF_NOBODY}}"},
        "deployTemplates": [{"name": "engine", "replicas": 1, "spec": {"containers": [{"name": "main", "workingDir": "/w", "env": [{"name": "own_setting", "value": "say \"x\""}, {"name": "DB", "value": '{"hosts": ["h1"]}'}],
                             "configVolumeMounts": [{"mountPath": f"/w/{f}", "subPath": f} for f in ("task-config.conf", "more.conf")],
                             "ports": [{"name": "spu", "protocol": "GRPC", "scope": "Cluster"}, {"name": "node-manager", "protocol": "GRPC"}]}]}}]})
    given = json.dumps({"nested": {"text": 'a "quoted" word', "line": "one\ntwo"}, "umlaut": "\u00e4"}, ensure_ascii=False)
    job(s, "engine", task("a", id="engine", app="engine", config=given))
    found = wait_for(lambda: s.get("/api/v1/namespaces/alice/configmaps/engine-0-config").json.get("data"))
    ports = {p["domainID"]: p["namedPort"] for p in wait_for(lambda: status(s, f"{TASKS}/engine").get("allocatedPorts"))}
    file = json.loads(found["task-config.conf"])
    tap.eq("the input is what was given", json.loads(file["task_input_config"]), json.loads(given))
    endpoint = f"engine-0-spu.alice.svc:{ports['alice']['engine-0/spu']}"
    tap.eq("all fields are there, also those that are empty", json.loads(file["task_cluster_def"]), {"parties": [
        {"name": "alice", "role": "", "services": [{"portName": "spu", "endpoints": [endpoint]}]},
        {"name": "bob", "role": "", "services": [{"portName": "spu", "endpoints": [f"engine-0-spu.bob.svc:{ports['bob']['engine-0/spu']}"]}]}], "selfPartyIdx": 0, "selfEndpointIdx": 0})
    number = ports["alice"]["engine-0/node-manager"]
    tap.eq("ports with scope and protocol", json.loads(file["allocated_ports"]), {"ports": [{"name": "spu", "port": ports["alice"]["engine-0/spu"], "scope": "Cluster", "protocol": "GRPC"},
                                                                                           {"name": "node-manager", "port": number, "scope": "Local", "protocol": "GRPC"}]})
    tap.eq("parts, ports by name, and the container's own variables in capitals", found["more.conf"], f'{endpoint}||{number}|{number}|say \\"x\\"|h1|')
    tap.ok("it runs to its end", end_task(s, "engine", "a"))


class Taken:
    """Most of bob's node, for a while."""

    def __init__(self, s):
        self.s = s

    def __enter__(self):
        self.s.post("/api/v1/namespaces/bob/pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "taken"}, "spec": {"nodeName": "bob-0", "tolerations": [{"operator": "Exists"}], "containers": [
            {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2", "kuscia.io/bandwidth": "70"}, "limits": {"kuscia.io/bandwidth": "70"}}}]}})
        wait_for(lambda: status(self.s, "/api/v1/namespaces/bob/pods/taken").get("phase") == "Running")

    def __exit__(self, *_):
        self.s.delete("/api/v1/namespaces/bob/pods/taken?gracePeriodSeconds=0")
        wait_for(lambda: self.s.get("/api/v1/namespaces/bob/pods/taken").status == 404)


def test_who_lacks_bandwidth(s):
    """One party lacks bandwidth: every object of the task says who and how much, and no party is told of another's nodes."""
    make(s, f"{K}/clusterdomainroutes", "ClusterDomainRoute", "alice-bob", {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "1Gbps"})
    with Taken(s):
        job(s, "short", task("a", party("alice", bandwidthRequest="50Mbps"), party("bob", bandwidthRequest="50Mbps"), id="short-a"))
        st = lambda: status(s, f"{TASKS}/short-a")  # noqa: E731
        parties = lambda: {p["domainID"]: p.get("message", "") for p in st().get("partyTaskStatus", [])}  # noqa: E731
        tap.ok("the task's reason", wait_for(lambda: st().get("reason") == "BandwidthInsufficient") and st()["phase"] == "Pending", st())
        tap.ok("the party that lacks it: amounts, node, who holds it", "needs 50 Mbit/s; best free: 30 on bob-0" in parties()["bob"] and "on bob-0 held by taken (70 Mbit/s)" in parties()["bob"], parties())
        tap.ok("the other waits for it, and is told of no node", parties()["alice"].startswith("waits for party bob, which lacks") and "needs 50 Mbit/s" in parties()["alice"] and "bob-0" not in parties()["alice"], parties())
        found = {p["metadata"]["namespace"]: [c for c in p["status"]["conditions"] if c["type"] == "PodScheduled"][0] for p in pods(s, "short-a")}
        tap.eq("conditions of the pods", {d: c["reason"] for d, c in found.items()}, {"alice": "BandwidthInsufficient", "bob": "BandwidthInsufficient"})
        tap.ok("the Events", wait_for(lambda: {e["metadata"]["namespace"] for e in s.get("/api/v1/events").json["items"] if e["reason"] == "BandwidthInsufficient"} >= {"alice", "bob"}))
        group = lambda: {c["type"]: c for c in status(s, f"{GROUPS}/short-a").get("conditions", [])}.get("TaskResourcesReserved", {})  # noqa: E731
        tap.ok("the group", wait_for(lambda: group().get("status") == "False" and group()["reason"].startswith("BandwidthInsufficient: ") and "bob-0" in group()["reason"]), group())
        mine = lambda d: [c for tr in s.get(f"{K}/namespaces/{d}/taskresources").json["items"] if tr["metadata"]["name"].startswith("short-a-") for c in tr["status"].get("conditions", [])]  # noqa: E731
        tap.ok("the room of each party", wait_for(lambda: "best free: 30 on bob-0" in str(mine("bob")) and "waits for party bob" in str(mine("alice"))) and "bob-0" not in str(mine("alice")), mine("alice"))
        x = s.get(f"{TASKS}/short-a/explain")
        by = {p["domain"]: p for p in x.json.get("parties", [])} if x.status == 200 else {}
        tap.ok("the scheduling result of a task that waits", x.status == 200 and x.json["reason"] == "BandwidthInsufficient" and set(by) == {"alice", "bob"}, x.text)
        tap.eq("what was considered", [{k: n[k] for k in ("node", "fits", "egressBits", "egressFreeBits", "ingressFreeBits")} for n in by.get("bob", {}).get("considered", [])],
               [{"node": "bob-0", "fits": False, "egressBits": 100000000, "egressFreeBits": 30000000, "ingressFreeBits": 30000000}])
        tap.eq("and links", x.json.get("links"), [{"source": "alice", "destination": "bob", "bits": 1000000000, "freeBits": 1000000000}])
        tap.eq("the same of the group", s.get(f"{GROUPS}/short-a/explain").json.get("parties"), x.json.get("parties"))
        seen = s.kubectl("why", "kt/short-a", "-n", "cross-domain", binary=COX)
        tap.ok("cox why", seen.returncode == 0 and "BandwidthInsufficient" in seen.stdout and "bob-0" in seen.stdout and "30 Mbit/s" in seen.stdout, seen.stdout + seen.stderr)
        names = ("kj/short", "trg/short-a", "kusciatask.kuscia.secretflow/short-a", "taskresourcegroups.v1alpha1.kuscia.secretflow/short-a")
        tap.eq("also of the job, and of the group, and as kubectl names them", [s.kubectl("why", what, binary=COX).stdout for what in names], [seen.stdout] * 4)
        own = s.get("/api/v1/namespaces/alice/pods/short-a-0/explain")
        tap.ok("a party's own pod shows its own nodes alone", own.status == 200 and "bob-0" not in own.text and [n["node"] for n in own.json["considered"]] == ["alice-0"], own.text)
        watched = s.kubectl("job", "watch", "short", "--once", binary=COX)
        tap.ok("cox job watch", "needs 50 Mbit/s" in watched.stdout, watched.stdout)
    tap.ok("it runs when there is room", wait_for(lambda: task_phase(s, "short", "a") == "Running"), st())
    x = s.get(f"{TASKS}/short-a/explain").json
    tap.eq("the choice", {p["domain"]: [(n["node"], n.get("chosen")) for n in p["considered"]] for p in x["parties"]}, {"alice": [("alice-0", True)], "bob": [("bob-0", True)]})
    tap.eq("and what the link has left", x["links"][0]["freeBits"], 950000000)
    tap.eq("nobody may ask who has no right to", [s.get(f"{TASKS}/short-a/explain", headers={"Impersonate-User": "u", "Impersonate-Group": "kuscia:domain:alice"}).status,
                                                  s.get("/api/v1/namespaces/bob/pods/short-a-0/explain", headers={"Impersonate-User": "u", "Impersonate-Group": "kuscia:domain:alice"}).status,
                                                  s.get("/api/v1/namespaces/alice/pods/short-a-0/explain", headers={"Impersonate-User": "u", "Impersonate-Group": "kuscia:domain:alice"}).status], [403, 403, 200])
    tap.eq("of what is not there", s.get(f"{TASKS}/nobody/explain").status, 404)
    end_task(s, "short", "a")
    s.delete(f"{K}/clusterdomainroutes/alice-bob")


def test_another_program_meanwhile(s):
    """A task that runs is what it was made of, whatever becomes of the AppImage."""
    image(s, "moving")
    job(s, "moving", task("only", app="moving", id="moving-1"))
    tap.ok("the task runs", wait_for(lambda: task_phase(s, "moving", "only") == "Running"), status(s, f"{TASKS}/moving-1"))
    app = s.get(f"{K}/appimages/moving").json
    app["spec"]["deployTemplates"][0]["replicas"] = 2
    tap.eq("the program changes", s.put(f"{K}/appimages/moving", app).status, 200)
    first = [p for p in pods(s, "moving-1") if p["metadata"]["namespace"] == "alice"]
    finish(s, first[0])
    ended = lambda: {p["domainID"]: p["phase"] for p in status(s, f"{TASKS}/moving-1").get("partyTaskStatus", [])}  # noqa: E731
    tap.ok("one party ends", wait_for(lambda: ended() == {"alice": "Succeeded", "bob": "Running"}), status(s, f"{TASKS}/moving-1"))
    s.delete(f"{K}/appimages/moving")
    for p in pods(s, "moving-1"):
        if p["metadata"]["namespace"] == "bob":
            finish(s, p)
    tap.ok("without the program the other one, and the task succeeded", wait_for(lambda: task_phase(s, "moving", "only") == "Succeeded"), status(s, f"{TASKS}/moving-1"))


def test_group_taken_away(s):
    """Its TaskResourceGroup goes, and what it owned is left behind: the task ends, and all of it goes with the end or with the task."""
    orphan = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Orphan"}
    job(s, "bare", task("only", id="bare-1"))
    tap.ok("the task runs", wait_for(lambda: task_phase(s, "bare", "only") == "Running"), status(s, f"{TASKS}/bare-1"))
    finish(s, [p for p in pods(s, "bare-1") if p["metadata"]["namespace"] == "alice"][0])
    wait_for(lambda: status(s, f"{TASKS}/bare-1")["partyTaskStatus"][0]["phase"] == "Succeeded")
    s.delete(f"{GROUPS}/bare-1", orphan)
    tap.ok("without its group it ends", wait_for(lambda: status(s, f"{TASKS}/bare-1").get("completionTime")) and status(s, f"{TASKS}/bare-1")["reason"] == "TaskResourceGroupGone", status(s, f"{TASKS}/bare-1"))
    left = lambda: [(p["metadata"]["namespace"], p["status"]["phase"]) for p in pods(s, "bare-1")]  # noqa: E731
    tap.ok("and so do its pods; one that had ended keeps its logs", wait_for(lambda: left() == [("alice", "Succeeded")]), left())
    tap.has("nobody's part is named for it", status(s, f"{JOBS}/bare")["message"], "TaskResourceGroupGone)")
    s.delete(f"{JOBS}/bare")
    tap.ok("until the task goes", wait_for(lambda: s.get(f"{TASKS}/bare-1").status == 404 and not left()), left())
    job(s, "bare", task("only", id="bare-1"))
    wait_for(lambda: task_phase(s, "bare", "only") == "Running")
    end_task(s, "bare", "only")
    s.delete(f"{GROUPS}/bare-1", orphan)
    s.delete(f"{JOBS}/bare")
    tap.ok("of one that was over, too", wait_for(lambda: s.get(f"{TASKS}/bare-1").status == 404 and not left()), left())


def test_finalizer_taken_away(s):
    """A task that goes at once, because somebody took its finalizer away: what it had goes all the same."""
    job(s, "forced", task("only", id="forced-1"))
    wait_for(lambda: task_phase(s, "forced", "only") == "Running")
    s.delete(f"{JOBS}/forced", {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Orphan"})
    wait_for(lambda: s.get(f"{JOBS}/forced").status == 404 and not s.get(f"{TASKS}/forced-1").json["metadata"].get("ownerReferences"))
    s.patch(f"{TASKS}/forced-1", {"metadata": {"finalizers": None}})
    tap.eq("the task goes at once", (s.delete(f"{TASKS}/forced-1").status, s.get(f"{TASKS}/forced-1").status), (200, 404))
    tap.ok("and its group and pods after it", wait_for(lambda: s.get(f"{GROUPS}/forced-1").status == 404 and not pods(s, "forced-1")), pods(s, "forced-1"))


# --- together or not at all -------------------------------------------------------------------------------------------------------------

def test_one_decision(s):
    """Bob has room for one task, alice for four: nothing of the second task is on alice's node while it waits for bob's."""
    job(s, "first", task("a", party("alice"), party("bob", resources={"requests": {"cpu": "3"}})))
    tap.ok("the first starts", wait_for(lambda: task_phase(s, "first", "a") == "Running"))
    job(s, "second", task("a", party("alice"), party("bob", resources={"requests": {"cpu": "3"}}), id="second-a"))
    waits = lambda: status(s, f"{TASKS}/second-a").get("message", "")  # noqa: E731
    tap.ok("the second says which party lacks what", wait_for(lambda: "bob" in waits() and "cpu" in waits()), waits())
    tap.eq("and holds nothing anywhere", [p["spec"].get("nodeName") for p in pods(s, "second-a")], [None, None])
    tap.eq("phases", (task_phase(s, "second", "a"), status(s, f"{GROUPS}/second-a")["phase"]), ("Pending", "Reserving"))
    end_task(s, "first", "a")
    tap.ok("when there is room both have it", wait_for(lambda: task_phase(s, "second", "a") == "Running"), waits())
    end_task(s, "second", "a")
    tap.ok("jobs succeed", wait_for(lambda: phase(s, "first") == "Succeeded" and phase(s, "second") == "Succeeded"))


def test_stopped_while_it_waits(s):
    with Taken(s):
        stop_it(s)


def stop_it(s):
    job(s, "idle", task("a", party("alice"), party("bob", resources={"requests": {"cpu": "3"}}), id="idle-a"))
    tap.ok("it waits", wait_for(lambda: status(s, f"{GROUPS}/idle-a").get("phase") == "Reserving" and len(pods(s, "idle-a")) == 2))
    stage(s, "idle", "Cancel")
    tap.ok("cancelled: nobody waits any more", wait_for(lambda: phase(s, "idle") == "Cancelled" and not pods(s, "idle-a") and status(s, f"{GROUPS}/idle-a").get("phase") == "Failed"), s.get(f"{GROUPS}/idle-a"))


def test_expiry(s):
    with Taken(s):
        job(s, "huge", task("a", party("alice"), party("bob", resources={"requests": {"cpu": "3"}}), id="huge-a", scheduleConfig={"lifecycleSeconds": 2, "resourceReservedSeconds": 1}))
        wait_for(lambda: phase(s, "huge") == "Failed")
    tap.ok("what finds no room within its time fails", wait_for(lambda: phase(s, "huge") == "Failed"), status(s, f"{JOBS}/huge"))
    st = status(s, f"{TASKS}/huge-a")
    tap.ok("and says so", st["reason"] == "TaskResourceGroupPhaseFailed" and "within 2 seconds" in st["message"] and "bob" in st["message"], st)
    tap.eq("its resources", {tr["status"]["phase"] for tr in s.get(f"{K}/namespaces/bob/taskresources").json["items"] if tr["metadata"]["name"].startswith("huge-a-")}, {"Failed"})
    tap.ok("nothing is left of it", wait_for(lambda: not pods(s, "huge-a")))


def test_thresholds(s):
    job(s, "some", task("a", party("alice"), party("bob"), party("carol"), id="some-a", scheduleConfig={"minReservedMembers": 2}))
    tap.ok("runs", wait_for(lambda: len([p for p in pods(s, "some-a") if p["status"].get("phase") == "Running"]) == 3))
    mine = {p["metadata"]["namespace"]: p for p in pods(s, "some-a")}
    finish(s, mine["carol"], "Failed", 1)
    finish(s, mine["alice"])
    finish(s, mine["bob"])
    tap.ok("two of three are enough", wait_for(lambda: phase(s, "some") == "Succeeded"), status(s, f"{TASKS}/some-a"))
    tap.eq("each party's own end", {p["domainID"]: p["phase"] for p in status(s, f"{TASKS}/some-a")["partyTaskStatus"]}, {"alice": "Succeeded", "bob": "Succeeded", "carol": "Failed"})


# --- jobs ---------------------------------------------------------------------------------------------------------------------------------

def test_graph(s):
    job(s, "dag", task("a"), task("b", after=["a"]), task("c", after=["a"]), task("d", after=["b", "c"]), maxParallelism=2)
    tap.ok("first what depends on nothing", wait_for(lambda: set(tasks_of(s, "dag")) == {"a"}))
    end_task(s, "dag", "a")
    tap.ok("then both", wait_for(lambda: set(tasks_of(s, "dag")) == {"a", "b", "c"}), tasks_of(s, "dag").keys())
    end_task(s, "dag", "b")
    tap.eq("the last waits for the other", set(tasks_of(s, "dag")), {"a", "b", "c"})
    end_task(s, "dag", "c")
    tap.ok("the last", end_task(s, "dag", "d"))
    tap.ok("succeeded", wait_for(lambda: phase(s, "dag") == "Succeeded"), status(s, f"{JOBS}/dag"))
    st = status(s, f"{JOBS}/dag")
    tap.ok("times, tasks, parties", st["startTime"] and st["completionTime"] and sorted(st["taskStatus"].values()) == ["Succeeded"] * 4 and st["approveStatus"] == {"alice": "JobAccepted", "bob": "JobAccepted"}, st)


def test_commands(s):
    job(s, "cmd", task("a"), task("b", after=["a"]))
    end_task(s, "cmd", "a")
    wait_for(lambda: task_phase(s, "cmd", "b") == "Running")
    stage(s, "cmd", "Suspend")
    tap.ok("suspended, and its tasks end", wait_for(lambda: phase(s, "cmd") == "Suspended" and task_phase(s, "cmd", "b") == "Failed" and cpu_free(s)), status(s, f"{JOBS}/cmd"))
    stage(s, "cmd", "Restart")
    tap.ok("restarted: what succeeded stays", wait_for(lambda: phase(s, "cmd") == "Running" and task_phase(s, "cmd", "b") == "Running" and task_phase(s, "cmd", "a") == "Succeeded"), s.get(TASKS).text[-1500:])
    tap.eq("the stage is Start again", s.get(f"{JOBS}/cmd").json["metadata"]["labels"]["kuscia.secretflow/job-stage"], "Start")
    stage(s, "cmd", "Stop")
    tap.ok("stopped", wait_for(lambda: phase(s, "cmd") == "Failed" and cpu_free(s)), status(s, f"{JOBS}/cmd"))
    b = tasks_of(s, "cmd")["b"]["metadata"]["name"]
    ended = lambda: status(s, f"{TASKS}/{b}")  # noqa: E731
    tap.ok("with the task its parties and pods have ended", wait_for(lambda: ended().get("completionTime")) and [p["phase"] for p in ended()["partyTaskStatus"]] == ["Failed"] * 2 and
           {p["podPhase"] for p in ended()["podStatuses"].values()} == {"Failed"} and {c["type"]: c["status"] for c in ended()["conditions"]}.get("Success") == "False", ended())
    tap.has("which is not called their failure", s.kubectl("job", "watch", "cmd", "--once", binary=COX).stdout, "alice stopped, bob stopped")
    tap.ok("by whom", "bob" in status(s, f"{JOBS}/cmd")["message"] and status(s, f"{JOBS}/cmd")["stageStatus"]["alice"] == "JobStopStageSucceeded", status(s, f"{JOBS}/cmd"))
    stage(s, "cmd", "Cancel")
    tap.ok("cancelled, for good", wait_for(lambda: phase(s, "cmd") == "Cancelled"))
    r = stage(s, "cmd", "Restart")
    tap.ok("a command that does nothing is warned of", r.status == 200 and '\\"Restart\\" does nothing now: the job is Cancelled; restart has an effect on one that is Failed or Suspended' in r.headers.get("Warning", ""), r.headers)
    tap.eq("and not spoken of again", s.patch(f"{JOBS}/cmd", {"metadata": {"labels": {"a": "b"}}}).headers.get("Warning"), None)
    job(s, "after", task("a"))
    end_task(s, "after", "a")  # the controller has looked at both by now
    tap.eq("no restart", phase(s, "cmd"), "Cancelled")


def test_commands_of_the_cli(s):
    def say(*words):
        return s.kubectl("job", *words, binary=COX)
    job(s, "told", task("a"), task("b", after=["a"]))
    end_task(s, "told", "a")
    wait_for(lambda: task_phase(s, "told", "b") == "Running")
    r = say("restart", "told")
    tap.ok("what has no effect now is refused", r.returncode == 1 and "the job is Running; restart has an effect on one that is Failed or Suspended" in r.stderr, r)
    r = say("suspend", "told", "--domain", "bob")
    tap.ok("suspend", r.returncode == 0 and "kusciajob.kuscia.secretflow/told is told to suspend" in r.stdout and wait_for(lambda: phase(s, "told") == "Suspended"), r)
    tap.eq("and whose word it was", s.get(f"{JOBS}/told").json["metadata"]["labels"]["kuscia.secretflow/job-stage-trigger"], "bob")
    tap.ok("restart", say("restart", "told").returncode == 0 and wait_for(lambda: task_phase(s, "told", "b") == "Running"), status(s, f"{JOBS}/told"))
    tap.ok("stop", say("stop", "told").returncode == 0 and wait_for(lambda: phase(s, "told") == "Failed" and cpu_free(s)), status(s, f"{JOBS}/told"))
    tap.ok("cancel", say("cancel", "told").returncode == 0 and wait_for(lambda: phase(s, "told") == "Cancelled"), status(s, f"{JOBS}/told"))
    r = say("stop", "nobody")
    tap.ok("of a job that is not there", r.returncode == 1 and "not found" in r.stderr, r)
    s.patch(f"{K}/domains/bob", {"metadata": {"annotations": {"kuscia.secretflow/job-approval": "manual"}}})
    job(s, "asked", task("a"))
    wait_for(lambda: phase(s, "asked") == "AwaitingApproval")
    r = say("approve", "asked", "--domain", "boob")
    tap.ok("who takes no part has no say", r.returncode == 1 and 'domain "boob" does not take part in the job' in r.stderr, r)
    tap.ok("an answer is somebody's", "--domain" in say("approve", "asked").stderr)
    tap.ok("approve", say("approve", "asked", "--domain", "bob").returncode == 0 and end_task(s, "asked", "a"), status(s, f"{JOBS}/asked"))
    s.patch(f"{K}/domains/bob", {"metadata": {"annotations": {"kuscia.secretflow/job-approval": None}}})


def test_watched(s):
    """A graph of seven: one, then three, then two, then one; one of the middle fails and may."""
    job(s, "seven", task("a"), task("b", after=["a"]), task("c", after=["a"], tolerable=True), task("d", after=["a"]), task("e", after=["b"]), task("f", after=["d"]), task("g", after=["e", "f"]), maxParallelism=2)
    shown = open(s.path("watch.txt"), "w+")
    watch = subprocess.Popen([COX, "job", "watch", "seven", "--kubeconfig", s.kubeconfig], stdout=shown)
    read = lambda: open(s.path("watch.txt")).read()  # noqa: E731
    end_task(s, "seven", "a")
    tap.ok("what has no place says so", wait_for(lambda: "waits for a place: maxParallelism is 2" in read()), read())
    end_task(s, "seven", "b")
    end_task(s, "seven", "c", "Failed", code=1, said="no such column")
    tap.ok("what failed says why", wait_for(lambda: "no such column" in read()), read())
    for alias in "defg":
        end_task(s, "seven", alias)
    tap.eq("it ends with the job", (watch.wait(), phase(s, "seven")), (0, "Succeeded"))
    text = read()
    lines = text.splitlines()
    last = text[text.rindex("TASK"):].splitlines()[1:]
    tap.eq("the whole at the end, each below what it depends on", [w for w in (line.split()[0] for line in last) if w in list("abcdefg")], list("abcdefg"))
    tap.ok("and why", any("waits for e, f" in line for line in lines) and "no such column" in "".join(last), text)
    tap.eq("in between what changed, not all of it again", len([line for line in lines if "TASK" in line]), 2)


def test_order_of_files(s):
    job(s, "early", task("a", app="later"))
    tap.ok("what is not there is waited for", wait_for(lambda: "AppImage \"later\"" in status(s, f"{JOBS}/early").get("message", "")), status(s, f"{JOBS}/early"))
    image(s, "later")
    tap.ok("and the job goes on", end_task(s, "early", "a") and wait_for(lambda: phase(s, "early") == "Succeeded"), status(s, f"{JOBS}/early"))


def test_edited_while_it_runs(s):
    job(s, "edited.job", task("a", config="x"), task("b", id="edited-b"), maxParallelism=2)
    tap.ok("a name with dots, and both run", wait_for(lambda: [task_phase(s, "edited.job", n) for n in "ab"] == ["Running"] * 2), tasks_of(s, "edited.job"))
    name = tasks_of(s, "edited.job")["a"]["metadata"]["name"]
    spec = s.get(f"{JOBS}/edited.job").json["spec"]
    s.patch(f"{JOBS}/edited.job", {"spec": {"tasks": [t for t in spec["tasks"] if t["alias"] == "b"]}})
    tap.ok("a task that is taken out ends", wait_for(lambda: status(s, f"{TASKS}/{name}").get("phase") == "Failed") and "taken out of its job" in status(s, f"{TASKS}/{name}")["message"] and
           wait_for(lambda: not [p for p in pods(s, name) if p["status"]["phase"] in ("Pending", "Running")]), status(s, f"{TASKS}/{name}"))
    tap.ok("the job goes on without it", end_task(s, "edited.job", "b") and wait_for(lambda: phase(s, "edited.job") == "Succeeded"), status(s, f"{JOBS}/edited.job"))
    tap.eq("and forgets it", status(s, f"{JOBS}/edited.job")["taskStatus"], {"edited-b": "Succeeded"})
    s.delete(f"{JOBS}/edited.job")
    tap.ok("with the job it goes, too", wait_for(lambda: s.get(f"{TASKS}/{name}").status == 404))


def test_a_name_that_is_still_taken(s):
    """A job that is restarted, or deleted and applied again, meets pods of before that are still ending."""
    s.post("/api/v1/namespaces/bob/pods", {"metadata": {"name": "again-0", "labels": {"kuscia.secretflow/task-uid": "of-before"}}, "spec": {"containers": [{"name": "c", "image": "busybox"}]}})
    job(s, "again", task("a", id="again"))
    said = lambda: status(s, f"{TASKS}/again").get("message", "")  # noqa: E731
    tap.ok("the pod of another is not taken for its own", wait_for(lambda: "waits for bob/again-0 of an earlier task to go" in said()), status(s, f"{TASKS}/again"))
    s.delete("/api/v1/namespaces/bob/pods/again-0?gracePeriodSeconds=0")
    tap.ok("when it has gone the task starts", end_task(s, "again", "a") and wait_for(lambda: phase(s, "again") == "Succeeded"), status(s, f"{TASKS}/again"))
    s.post("/api/v1/namespaces/bob/pods", {"metadata": {"name": "never-0"}, "spec": {"containers": [{"name": "c", "image": "busybox"}]}})
    job(s, "never", task("a", id="never", scheduleConfig={"lifecycleSeconds": 2, "resourceReservedSeconds": 1}))
    tap.ok("one that does not go is not waited for for ever", wait_for(lambda: phase(s, "never") == "Failed"), status(s, f"{TASKS}/never"))
    s.delete("/api/v1/namespaces/bob/pods/never-0?gracePeriodSeconds=0")


def test_room_of_an_earlier_group(s):
    """A pod that has the name, a node, and belongs to another group is no room of this one."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "earlier-0", "labels": {"kuscia.secretflow/task-resource-group-uid": "another"}, "annotations": {"kuscia.secretflow/task-resource-group": "earlier"}},
           "spec": {"nodeName": "elsewhere", "containers": [{"name": "main", "image": "i"}]}}
    s.post("/api/v1/namespaces/alice/pods", pod)
    make(s, GROUPS, "TaskResourceGroup", "earlier", {"minReservedMembers": 1, "initiator": "alice", "lifecycleSeconds": 3000, "parties": [{"domainID": "alice", "minReservedPods": 1, "pods": [{"name": "earlier-0"}]},
                                                         {"domainID": "bob", "role": "guest", "minReservedPods": 1, "taskResourceName": "room-of-bob"}]})
    resources = lambda: [r["status"]["phase"] for r in s.get(f"{K}/namespaces/alice/taskresources").json["items"] if r["metadata"]["labels"].get("kuscia.secretflow/task-resource-group") == "earlier"]  # noqa: E731
    tap.ok("its part is made", wait_for(resources), resources())
    settled = lambda: status(s, f"{GROUPS}/earlier").get("phase") not in (None, "Creating")  # noqa: E731
    named = lambda: [p.get("taskResourceName") for p in s.get(f"{GROUPS}/earlier").json["spec"]["parties"]]  # noqa: E731
    mine = s.get(f"{K}/namespaces/alice/taskresources").json["items"]
    tap.ok("parts have the names that were given, or get one", named()[1] == "room-of-bob" and wait_for(lambda: s.get(f"{K}/namespaces/bob/taskresources/room-of-bob").status == 200) and named()[0] in [r["metadata"]["name"] for r in mine], named())
    tap.eq("and has no room", (wait_for(settled), status(s, f"{GROUPS}/earlier").get("phase"), resources()), (True, "Reserving", ["Reserving"]))
    seen = s.kubectl("why", "trg/earlier", binary=COX)
    tap.ok("which can be asked about, though no task has its name", seen.returncode == 0 and "Task:" in seen.stdout, seen.stdout + seen.stderr)
    s.delete(f"{GROUPS}/earlier")
    s.delete("/api/v1/namespaces/alice/pods/earlier-0", {"gracePeriodSeconds": 0})


def test_what_cannot_run(s):
    make(s, f"{K}/domains", "Domain", "far", {"role": "partner"})
    job(s, "far", task("a", party("alice"), party("far")))
    tap.ok("a partner of another control plane", wait_for(lambda: phase(s, "far") == "Failed") and 'domain "far" is a partner' in status(s, f"{JOBS}/far")["message"], status(s, f"{JOBS}/far"))
    make(s, TASKS, "KusciaTask", "far-1", {"initiator": "alice", "taskInputConfig": "", "parties": [party(d, appImageRef="small") for d in ("alice", "far")]})
    tap.ok("in a task without a job, too", wait_for(lambda: status(s, f"{TASKS}/far-1").get("phase") == "Failed") and "party far: the domain is a partner" in status(s, f"{TASKS}/far-1")["message"] and not pods(s, "far-1"), status(s, f"{TASKS}/far-1"))
    s.delete(f"{TASKS}/far-1")
    job(s, "mine", task("a", id="shared-id"))
    wait_for(lambda: task_phase(s, "mine", "a"))
    job(s, "yours", task("a", id="shared-id"))
    tap.ok("an id that is another job's", wait_for(lambda: phase(s, "yours") == "Failed") and "another job's" in status(s, f"{JOBS}/yours")["message"], status(s, f"{JOBS}/yours"))
    stage(s, "yours", "Cancel")
    tap.ok("even when that one is cancelled", wait_for(lambda: phase(s, "yours") == "Cancelled") and task_phase(s, "mine", "a") in ("Pending", "Running"), task_phase(s, "mine", "a"))
    tap.ok("whose task goes on", end_task(s, "mine", "a"))


def test_bad_files(s):
    image(s, "broken", files={"x.conf": "{{range .X}}"})
    job(s, "broken", task("a", app="broken"))
    tap.ok("a file that cannot be filled in", wait_for(lambda: phase(s, "broken") == "Failed"), status(s, f"{JOBS}/broken"))
    said = tasks_of(s, "broken")["a"]["status"]["message"]
    tap.has("says which and where", said, 'file "x.conf" of AppImage "broken": line 1')
    tap.has("and the job where to read on", status(s, f"{JOBS}/broken")["message"], f"failed: a (KusciaTask {tasks_of(s, 'broken')['a']['metadata']['name']}: ConfigInvalid")
    seen = s.kubectl("why", f"kt/{tasks_of(s, 'broken')['a']['metadata']['name']}", binary=COX)
    tap.ok("cox why of a task that has no pods any more", seen.returncode == 0 and "Failed" in seen.stdout and said in seen.stdout, seen.stdout + seen.stderr)
    job(s, "said", task("a"))
    end_task(s, "said", "a", "Failed", code=1, said="there is no table\nof that name\n")
    seen = s.kubectl("why", f"kt/{tasks_of(s, 'said')['a']['metadata']['name']}", binary=COX)
    tap.ok("and of one whose program failed", seen.returncode == 0 and "Failed" in seen.stdout and "of that name)" in seen.stdout, seen.stdout + seen.stderr)
    seen = s.kubectl("why", "kt/nothing", binary=COX)
    tap.ok("a task that is not there", seen.returncode == 1 and 'kusciatasks.kuscia.secretflow "nothing" not found' in seen.stderr, seen.stderr)


def test_approval(s):
    s.patch(f"{K}/domains/bob", {"metadata": {"annotations": {"kuscia.secretflow/job-approval": "manual"}}})
    job(s, "ask", task("a"))
    tap.ok("bob wants to be asked", wait_for(lambda: phase(s, "ask") == "AwaitingApproval"), status(s, f"{JOBS}/ask"))
    s.patch(f"{JOBS}/ask/status", {"status": {"approveStatus": {"bob": "JobAccepted"}}})
    tap.ok("and said yes", end_task(s, "ask", "a"))
    job(s, "ask2", task("a"))
    wait_for(lambda: phase(s, "ask2") == "AwaitingApproval")
    s.patch(f"{JOBS}/ask2/status", {"status": {"approveStatus": {"bob": "JobRejected"}}})
    tap.ok("and no", wait_for(lambda: phase(s, "ask2") == "ApprovalReject"), status(s, f"{JOBS}/ask2"))
    s.patch(f"{K}/domains/bob", {"metadata": {"annotations": {"kuscia.secretflow/job-approval": None}}})


# --- many at once --------------------------------------------------------------------------------------------------------------------------

def test_never_in_each_others_way(s):
    """Tasks of two and three parties on domains with room for two pods each, all handed in at once: all complete, and at no look is a part of a task on a node while another part waits."""
    rng = random.Random(6)
    names = [f"many-{i}" for i in range(24)]
    for n in names:
        picked = rng.sample(DOMAINS, rng.choice((2, 3)))
        job(s, n, task("a", *[party(d, resources={"requests": {"cpu": "2"}}) for d in picked], id=f"{n}-a", scheduleConfig={"lifecycleSeconds": 3000}))
    torn = []

    def step():
        of = {}
        for p in s.get("/api/v1/pods").json["items"]:  # one moment
            of.setdefault(p["metadata"]["annotations"].get("kuscia.secretflow/task-id"), []).append(p)
        for n in names:
            mine = of.get(f"{n}-a", [])
            bound = [p for p in mine if p["spec"].get("nodeName")]
            # bindings are written one after the other: a look may come between two, but not for long
            if bound and len(bound) < len(mine) and not wait_for(lambda n=n, m=mine: len([p for p in pods(s, f"{n}-a") if p["spec"].get("nodeName")]) == len(m), 20):
                torn.append(n)
            if bound and len(bound) == len(mine) and all(p["status"].get("phase") == "Running" for p in bound) and rng.random() < 0.8:  # the node has said so: it says no more
                for p in bound:
                    finish(s, p)
        phases = {j["metadata"]["name"]: j.get("status", {}).get("phase") for j in s.get(JOBS).json["items"]}
        return all(phases[n] == "Succeeded" for n in names)
    tap.ok("all complete", wait_for(step), {n: (phase(s, n), status(s, f"{TASKS}/{n}-a").get("message")) for n in names if phase(s, n) != "Succeeded"})
    tap.eq("none was torn", torn, [])


def test_restart_of_the_server(s):
    job(s, "kept", task("a"), task("b", after=["a"]))
    wait_for(lambda: task_phase(s, "kept", "a") == "Running")
    s.stop()
    s.start()
    end_task(s, "kept", "a")
    tap.ok("a job goes on behind a restart", end_task(s, "kept", "b") and wait_for(lambda: phase(s, "kept") == "Succeeded"), status(s, f"{JOBS}/kept"))


def test_example(s):
    done = s.kubectl("apply", "-f", str(ROOT / "examples" / "kuscia" / "meeting.yaml"), binary=COX)
    picture = lambda: s.kubectl("job", "watch", "meeting", "--once", binary=COX)  # noqa: E731
    tap.ok("a job as a graph", wait_for(lambda: "greet" in picture().stdout and "    count" in picture().stdout), picture().stderr)
    tap.ok("of a job that is not there", s.kubectl("job", "watch", "nobody", "--once", binary=COX).returncode == 1)
    tap.ok("the example", done.returncode == 0 and end_task(s, "meeting", "greet") and end_task(s, "meeting", "count") and wait_for(lambda: phase(s, "meeting") == "Succeeded"), done.stderr)
    seen = s.kubectl("job", "watch", "meeting", binary=COX)
    tap.ok("watched to its end", seen.returncode == 0 and "Succeeded, 2 of 2 tasks done" in seen.stdout and "alice ok, bob ok" in seen.stdout, seen.stdout + seen.stderr)


def test_old_jobs_go():
    with Server(args=["--kuscia-job-ttl=1s"]) as s:
        wait_for(lambda: s.post("/api/v1/namespaces", {"metadata": {"name": "cross-domain"}}).status in (201, 409))
        job(s, "old", task("a"), labels={"kuscia.secretflow/job-stage": "Cancel"})
        job(s, "open", task("a"))
        tap.ok("a job that has ended goes after its time", wait_for(lambda: s.get(f"{JOBS}/old").status == 404), s.get(f"{JOBS}/old"))
        tap.eq("one that has not stays", s.get(f"{JOBS}/open").status, 200)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in "test_old_jobs_go":
        test_old_jobs_go()
    with Domains(DOMAINS) as s:
        image(s, "small")
        tap.run([
            test_objects,
            test_files_as_engines_read_them,
            test_another_program_meanwhile,
            test_group_taken_away, test_finalizer_taken_away,
            test_bandwidth,
            test_bandwidth_of_all_parties,
            test_loans,
            test_never,
            test_no_port_number,
            test_who_lacks_bandwidth,
            test_one_decision,
            test_stopped_while_it_waits,
            test_expiry,
            test_thresholds,
            test_graph,
            test_commands,
            test_commands_of_the_cli,
            test_watched,
            test_order_of_files,
            test_edited_while_it_runs,
            test_a_name_that_is_still_taken,
            test_room_of_an_earlier_group, test_what_cannot_run,
            test_bad_files,
            test_approval,
            test_never_in_each_others_way,
            test_restart_of_the_server,
            test_example,
        ], s)
    tap.done()


main()
