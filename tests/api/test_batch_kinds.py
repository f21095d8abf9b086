"""Queues, pod groups, topologies and the other objects of KAI, Gödel and co-scheduling: served as they are, refused where they can never work, warned about where they do not work yet."""
import json
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "clients"))
import kubectls  # noqa: E402
from lib.cox import ROOT, Server, pod, tap, wait_for  # noqa: E402

QUEUES = "/apis/scheduling.run.ai/v2/queues"
GROUPS = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups"
PODS = "/api/v1/namespaces/default/pods"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SHARE = {"quota": 0, "overQuotaWeight": 1, "limit": -1}


def queue(name, parent=None, gpu=0, annotations=None, **spec):
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name, **({"annotations": annotations} if annotations else {})},
            "spec": {**({"parentQueue": parent} if parent else {}), "resources": {"gpu": {"quota": gpu, "overQuotaWeight": 1, "limit": -1}}, **spec}}


def group(name, **spec):
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": name}, "spec": spec}


def queued(name, of, annotations=None, **spec):
    made = pod(name, labels={"kai.scheduler/queue": of} if of else None, **spec)
    if annotations:
        made["metadata"]["annotations"] = annotations
    return made


def warnings(r):
    return " | ".join(r.headers.get_all("Warning") or [])


def refused(name, r, status, *parts):
    tap.ok(name, r.status == status and all(p in r.json["message"] for p in parts), r)


def warned(name, r, *parts):
    text = warnings(r)
    tap.ok(name, r.status in (200, 201) and (all(p in text for p in parts) if parts else not text), f"{r}\n{text}")


def clear(s):
    for path in (PODS, GROUPS):
        for item in s.get(path).json["items"]:
            s.delete(f"{path}/{item['metadata']['name']}", {"gracePeriodSeconds": 0})
    names = [q["metadata"]["name"] for q in s.get(QUEUES).json["items"] if not q["metadata"]["name"].startswith("default-")]
    while names:
        left = [n for n in names if s.delete(f"{QUEUES}/{n}").status != 200]
        if len(left) == len(names):
            raise RuntimeError(f"queues that stay: {left}")
        names = left


# --- what is there -------------------------------------------------------------------------------------------------------------------

def test_first_objects(s):
    have = {q["metadata"]["name"]: q["spec"] for q in s.get(QUEUES).json["items"]}
    share = {"cpu": SHARE, "gpu": SHARE, "memory": SHARE}
    tap.eq("the two first queues", have, {"default-parent-queue": {"resources": share}, "default-queue": {"parentQueue": "default-parent-queue", "resources": share}})
    classes = {c["metadata"]["name"]: c["value"] for c in s.get("/apis/scheduling.k8s.io/v1/priorityclasses").json["items"]}
    tap.eq("KAI's priority classes", {n: classes.get(n) for n in ("train", "build-preemptible", "build", "inference")}, {"train": 50, "build-preemptible": 75, "build": 100, "inference": 125})


def test_restart(s):
    before = s.get(QUEUES).json
    s.stop()
    s.start()
    after = s.get(QUEUES).json
    versions = lambda l: [(q["metadata"]["uid"], q["metadata"]["resourceVersion"]) for q in l["items"]]  # noqa: E731
    tap.eq("a restart changes nothing", versions(after), versions(before))


KINDS = [("scheduling.run.ai/v2", "queues", "Queue", False), ("scheduling.run.ai/v2alpha2", "podgroups", "PodGroup", True), ("scheduling.run.ai/v1alpha2", "bindrequests", "BindRequest", True),
         ("kai.scheduler/v1alpha1", "topologies", "Topology", False), ("kai.scheduler/v1", "schedulingshards", "SchedulingShard", False), ("kai.scheduler/v1", "configs", "Config", False),
         ("scheduling.godel.kubewharf.io/v1alpha1", "podgroups", "PodGroup", True), ("scheduling.godel.kubewharf.io/v1alpha1", "reservations", "Reservation", True),
         ("scheduling.godel.kubewharf.io/v1alpha1", "movements", "Movement", False), ("scheduling.godel.kubewharf.io/v1alpha1", "schedulers", "Scheduler", False),
         ("scheduling.x-k8s.io/v1alpha1", "podgroups", "PodGroup", True)]


def test_discovery(s):
    for gv, plural, kind, namespaced in KINDS:
        entries = {r["name"]: r for r in s.get(f"/apis/{gv}").json["resources"]}
        tap.eq(f"{kind} of {gv}", (entries[plural]["kind"], entries[plural]["namespaced"], f"{plural}/status" in entries), (kind, namespaced, plural != "topologies"))
    groups = [g["name"] for g in s.get("/apis").json["groups"]]
    tap.eq("groups that share a kind, in the order in which clients take them", [g for g in groups if g in ("scheduling.run.ai", "scheduling.x-k8s.io", "scheduling.godel.kubewharf.io")],
           ["scheduling.run.ai", "scheduling.x-k8s.io", "scheduling.godel.kubewharf.io"])
    tap.eq("each group once", len(groups), len(set(groups)))


def test_every_object(s):
    """One of each kind with every field that a person writes: kept as it was written, and its status is written apart."""
    objects = [
        queue("full", displayName="", priority=0, preemptMinRuntime="10m", reclaimMinRuntime="0s", maxRuntime="24h",
              resources={"gpu": {"quota": 0.5, "overQuotaWeight": 0, "limit": -1}, "nvidia.com/gpu-h100": {"quota": 2}, "network.cox/egress": {"limit": 10}}),
        group("full", minMember=2, queue="default-queue", priorityClassName="train", preemptibility="preemptible", markUnschedulable=False, schedulingBackoff=1, parallelism=2, completions=2, backoffLimit=0, preemptionDelay="5m", stalenessGracePeriod="-1s",
              topologyConstraint={"topology": "t", "requiredTopologyLevel": "rack", "preferredTopologyLevel": "host"}, subGroups=[{"name": "a", "minMember": 0}, {"name": "b", "parent": "a"}]),
        {"apiVersion": "scheduling.run.ai/v1alpha2", "kind": "BindRequest", "metadata": {"name": "full"},
         "spec": {"podName": "p", "selectedNode": "n", "receivedResourceType": "Fraction", "receivedGPU": {"count": 1, "portion": "0.50"}, "selectedGPUGroups": ["g"], "backoffLimit": 0,
                  "resourceClaimAllocations": [{"name": "c", "allocation": {"devices": {"results": [{"request": "r", "pool": "p", "device": "d", "driver": "x"}]}}}]}},
        {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "full"}, "spec": {"levels": [{"nodeLabel": "example.com/block", "alias": "block"}, {"nodeLabel": "kubernetes.io/hostname"}]}},
        {"apiVersion": "kai.scheduler/v1", "kind": "SchedulingShard", "metadata": {"name": "full"},
         "spec": {"partitionLabelValue": "", "placementStrategy": {"gpu": "binpack", "cpu": "spread"}, "args": {"v": "3"}, "queueDepthPerAction": {"allocate": 5}, "kValue": 0.5,
                  "minRuntime": {"preemptMinRuntime": "1m"}, "usageDBConfig": {"clientType": "prometheus", "usageParams": {"halfLifePeriod": "10m", "newer": 1}},
                  "plugins": {"gpupack": {"enabled": False, "arguments": {"a": "b"}}}, "actions": {"reclaim": {"priority": 7}}, "unknownToUs": {"a": [1]}}},
        {"apiVersion": "kai.scheduler/v1", "kind": "Config", "metadata": {"name": "kai-config"},
         "spec": {"namespace": "kai-scheduler", "global": {"schedulerName": "kai-scheduler", "tolerations": [{"operator": "Exists"}]}, "binder": {"resourceReservation": {"namespace": "r"}},
                  "prometheus": {"enabled": False}}},
        {"apiVersion": "scheduling.godel.kubewharf.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "full"},
         "spec": {"minMember": 0, "priorityClassName": "train", "scheduleTimeoutSeconds": 0, "application": "a",
                  "affinity": {"podGroupAffinity": {"required": [{"topologyKey": "rack"}], "sortRules": [{"resource": "GPU", "dimension": "Capacity", "order": "Ascending"}],
                                                    "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]}},
                               "podGroupAntiAffinity": {"preferred": [{"topologyKey": "host"}]}}}},
        {"apiVersion": "scheduling.godel.kubewharf.io/v1alpha1", "kind": "Reservation", "metadata": {"name": "full"},
         "spec": {"nodename": "n", "ttl": 60, "template": {"spec": {"schedulerName": "godel", "nodeSelector": {"a": "b"}, "tolerations": [{"operator": "Exists"}]}}}},
        {"apiVersion": "scheduling.godel.kubewharf.io/v1alpha1", "kind": "Movement", "metadata": {"name": "full"},
         "spec": {"creator": "me", "generation": 1, "deletedTasks": [{"name": "p", "namespace": "n", "uid": "u", "node": "x"}]}},
        {"apiVersion": "scheduling.godel.kubewharf.io/v1alpha1", "kind": "Scheduler", "metadata": {"name": "full"}, "spec": {}},
        {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "full"}, "spec": {"minMember": 2, "minResources": {"cpu": "2"}, "scheduleTimeoutSeconds": 10}},
    ]
    for obj, (gv, plural, kind, namespaced) in zip(objects, [k for o in objects for k in KINDS if (k[0], k[2]) == (o["apiVersion"], o["kind"])]):
        path = f"/apis/{gv}/{'namespaces/default/' if namespaced else ''}{plural}"
        what, name = f"{kind} of {gv}", obj["metadata"]["name"]
        r = s.post(f"{path}?fieldValidation=Strict", {**obj, "status": {"phase": "given"}} if kind == "Reservation" else obj)
        tap.ok(f"{what}: created", r.status == 201, r)
        tap.eq(f"{what}: as it was written", r.json.get("spec"), obj["spec"])
        if plural != "topologies":
            tap.ok(f"{what}: without a status", not {k: v for k, v in r.json.get("status", {}).items() if v}, r.json.get("status"))
            # a condition is the one thing that most have in their status
            status = {"phase": "Pending"} if kind in ("BindRequest", "Reservation", "Scheduler") or "godel" in gv and kind == "PodGroup" else {"notifiedSchedulers": ["a"]} if kind == "Movement" else \
                {"runningUnits": 0, "fairShare": {"gpu": "1500m"}, "usage": {"gpu": 0.25}, "units": [{"name": "a", "namespace": "n", "position": 1, "state": "Pending"}]} if kind == "Queue" else \
                {"running": 1} if kind == "PodGroup" else {"conditions": [{"type": "Ready", "status": "True", "reason": "Fine", "message": "", "lastTransitionTime": "2027-01-01T00:00:00Z"}]}
            r = s.patch(f"{path}/{name}/status", {"status": status, "spec": {"ignored": True}})
            tap.ok(f"{what}: its status is written apart", r.status == 200 and {k: r.json["status"].get(k) for k in status} == status and r.json["spec"] == obj["spec"], r)
        generation = r.json["metadata"]["generation"]
        r = s.request("PUT", f"{path}/{name}", {**s.get(f"{path}/{name}").json, "spec": {"nonsense": 1}})
        tap.ok(f"{what}: the generation is 1 after all of that", generation == 1, generation)
        tap.eq(f"{what}: deleted", s.delete(f"{path}/{name}").status, 200)
    r = s.post(f"{GROUPS}?fieldValidation=Strict", group("typo", minmember=2))
    refused("a typo in a pod group is found", r, 400, 'unknown field "spec.minmember"')


# --- clients ---------------------------------------------------------------------------------------------------------------------------

def test_kubectl(s):
    found = kubectls.find()
    if not found:
        tap.skip("kubectl", "none on this machine")
    examples = ROOT / "examples" / "batch"
    both = ("-f", str(examples / "gang.yaml"), "-f", str(examples / "queues.yaml"))
    for program, version in found:
        do = lambda *a: s.kubectl(*a, binary=program)  # noqa: E731,B023
        out = lambda *a: (lambda d: d.stdout + d.stderr)(do(*a))  # noqa: E731,B023
        first = do("apply", "-f", str(examples / "gang.yaml"))
        tap.ok(f"{version}: work before its queue", first.returncode == 0 and 'queue "vision" does not exist' in first.stderr, first.stdout + first.stderr)
        tap.ok(f"{version}: queues", do("apply", "-f", str(examples / "queues.yaml")).stdout.count("created") == 3)
        again = do("apply", *both)
        tap.ok(f"{version}: both again change nothing", again.returncode == 0 and again.stdout.count("unchanged") == 7 and "configured" not in again.stdout, again.stdout + again.stderr)
        side = do("apply", "--server-side", "--force-conflicts", *both)
        tap.ok(f"{version}: and on the server's side", side.returncode == 0, side.stderr)
        tap.eq(f"{version}: pg is KAI's", do("get", "pg", "-o", "jsonpath={.items[*].apiVersion}").stdout, "scheduling.run.ai/v2alpha2")
        tap.eq(f"{version}: and so is podgroup", do("get", "podgroup", "-o", "jsonpath={.items[*].apiVersion}").stdout, "scheduling.run.ai/v2alpha2")
        for name in ("podgroups.scheduling.run.ai", "podgroups.scheduling.x-k8s.io", "podgroups.v1alpha1.scheduling.godel.kubewharf.io", "pgs"):
            tap.ok(f"{version}: {name}", do("get", name).returncode == 0)
        table = out("get", "queues", "vision", "speech").splitlines()
        tap.eq(f"{version}: columns of queues", [line.split() for line in table], [["NAME", "PRIORITY", "PARENT", "CHILDREN", "DISPLAYNAME"], ["vision", "110", "research"], ["speech", "research"]])
        tap.eq(f"{version}: columns of pod groups", out("get", "pg").splitlines()[0].split(), ["NAME", "QUEUE", "MINMEMBER", "RUNNING", "AGE"])
        tap.has(f"{version}: levels of a topology", out("get", "topologies"), "example.com/block,example.com/rack,kubernetes.io/hostname")
        tap.has(f"{version}: explain", out("explain", "queues.spec.resources"), "quota")
        tap.ok(f"{version}: patched", do("patch", "queue", "speech", "--type=merge", "-p", '{"spec":{"resources":{"gpu":{"limit":5}}}}').returncode == 0)
        tap.ok(f"{version}: refused with the field", "spec.parentQueue" in out("patch", "queue", "research", "--type=merge", "-p", '{"spec":{"parentQueue":"speech"}}'))
        tap.has(f"{version}: a queue with work stays", out("delete", "queue", "vision"), "there is work in it (pod groups default/train)")
        gone = do("delete", "--grace-period=0", "--force", "-f", str(examples / "gang.yaml"))
        tap.ok(f"{version}: the work goes", gone.returncode == 0, gone.stderr)
        tap.ok(f"{version}: then the queues", do("delete", "queue", "vision", "speech").returncode == 0 and do("delete", "queue", "research").returncode == 0)


def test_cox(s):
    s.post(GROUPS, group("g", minMember=2, queue="default-queue"))
    run = lambda *a: s.kubectl(*a, binary=os.environ.get("COX", str(ROOT / "build" / "cox")))  # noqa: E731
    tap.has("cox get pg", run("get", "pg").stdout, "default-queue")
    tap.eq("cox get podgroups", run("get", "podgroups", "-o", "jsonpath={.items[*].apiVersion}").stdout, "scheduling.run.ai/v2alpha2")
    clear(s)


# --- queues ----------------------------------------------------------------------------------------------------------------------------

def test_tree(s):
    warned("a parent that is not there yet", s.post(QUEUES, queue("child", "top")), 'queue \\"top\\" does not exist')
    warned("a top", s.post(QUEUES, queue("top")))
    warned("a grandchild", s.post(QUEUES, queue("grand", "child")))
    refused("no circle of one", s.post(QUEUES, queue("self", "self")), 422, "spec.parentQueue", "cannot be its own parent")
    refused("no circle of three", s.patch(f"{QUEUES}/top", {"spec": {"parentQueue": "grand"}}), 422, "spec.parentQueue", "top > grand > child > top")
    causes = s.patch(f"{QUEUES}/top", {"spec": {"parentQueue": "grand"}}).json["details"]
    tap.eq("programs are told the field", (causes["kind"], [(c["field"], c["reason"]) for c in causes["causes"]]), ("Queue", [("spec.parentQueue", "FieldValueInvalid")]))
    s.post(QUEUES, queue("ring-a", "ring-b"))
    refused("nor one that a new queue closes", s.post(QUEUES, queue("ring-b", "ring-a")), 422, "ring-b > ring-a > ring-b")
    tap.eq("another parent is fine", s.patch(f"{QUEUES}/grand", {"spec": {"parentQueue": "top"}}).status, 200)
    up = "top"
    last = None
    for i in range(40):
        last = s.post(QUEUES, queue(f"deep-{i:02}", up))
        up = f"deep-{i:02}"
        if last.status != 201:
            break
    refused("the tree has a bottom", last, 422, "more than 32 queues above each other")
    chain = [f"chain-{i:02}" for i in range(10)]
    for i, name in enumerate(chain):
        s.post(QUEUES, queue(name, chain[i - 1] if i else None))
    refused("nor deeper with all that moves along", s.patch(f"{QUEUES}/{chain[0]}", {"spec": {"parentQueue": "deep-24"}}), 422, "more than 32 queues above each other", "those below this one counted")
    tap.eq("where there is room it may move", s.patch(f"{QUEUES}/{chain[0]}", {"spec": {"parentQueue": "deep-10"}}).status, 200)
    refused("a queue with queues below it stays", s.delete(f"{QUEUES}/top"), 403, "there are queues below it (child, deep-00, grand)", "delete them first")
    refused("without resources it is none", s.post(QUEUES, {**queue("bare"), "spec": {}}), 422, "spec.resources: Required value")
    many = {f"example.com/r{i}": {"quota": 1} for i in range(13)}
    tap.eq("thirteen resources beside the three", s.post(QUEUES, {**queue("many"), "spec": {"resources": many}}).status, 201)
    one_more = {**queue("more"), "spec": {"resources": {"gpu": {"quota": 1}, "example.com/last": {"quota": 1}}}}
    refused("no more than sixteen", s.post(QUEUES, one_more), 422, "spec.resources[example.com/last]", "17 resources together, and 16 are possible")
    refused("nor by a change", s.patch(f"{QUEUES}/top", {"spec": {"resources": {"example.com/last": {"quota": 1}}}}), 422, "16 are possible")
    tap.eq("those that are there may change", s.patch(f"{QUEUES}/many", {"spec": {"resources": {"example.com/r1": {"quota": 2}}}}).status, 200)
    s.patch(f"{QUEUES}/many", {"spec": {"resources": {"example.com/r0": None}}})
    tap.eq("one less makes room for another", s.post(QUEUES, one_more).status, 201)
    refused("gpu has two names", s.post(QUEUES, {**queue("two"), "spec": {"resources": {"gpu": {}, "nvidia.com/gpu": {}}}}), 422, "gpu is the same resource")
    refused("amounts are amounts", s.post(QUEUES, queue("less", gpu=-2)), 422, "spec.resources[gpu].quota: Invalid value: -2")
    clear(s)


def test_no_circle_in_a_race(s):
    s.post(QUEUES, queue("x"))
    s.post(QUEUES, queue("y"))
    bad = []
    for _ in range(40):
        threads = [threading.Thread(target=s.patch, args=(f"{QUEUES}/{a}", {"spec": {"parentQueue": b}})) for a, b in (("x", "y"), ("y", "x"))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        parents = {q["metadata"]["name"]: q["spec"].get("parentQueue") for q in s.get(QUEUES).json["items"]}
        if parents["x"] and parents["y"]:
            bad.append(parents)
        for name in ("x", "y"):
            s.patch(f"{QUEUES}/{name}", {"spec": {"parentQueue": None}})
    tap.eq("two changes at once close no circle", bad, [])
    clear(s)


def test_quotas(s):
    s.post(QUEUES, queue("dept", gpu=8))
    warned("within what the parent is owed", s.post(QUEUES, queue("one", "dept", gpu=5)))
    warned("beyond it", s.post(QUEUES, queue("two", "dept", gpu=5)), 'queues below \\"dept\\" are owed 10 gpu together, and the parent itself 8')
    warned("a parent that shrinks", s.patch(f"{QUEUES}/dept", {"spec": {"resources": {"gpu": {"quota": 4}}}}), "owed 10 gpu together, and the parent itself 4")
    warned("all that it asks for", s.post(QUEUES, queue("all", "dept", gpu=-1)), "is owed all the gpu that it asks for")
    warned("a parent without limit", s.patch(f"{QUEUES}/dept", {"spec": {"resources": {"gpu": {"quota": -1}}}}))
    s.delete(f"{QUEUES}/all")
    warned("a label changes nothing of that", s.patch(f"{QUEUES}/dept", {"metadata": {"labels": {"a": "b"}}}))
    s.patch(f"{QUEUES}/dept", {"spec": {"resources": {"gpu": {"quota": 10}}}})
    warned("strict", s.patch(f"{QUEUES}/dept", {"metadata": {"annotations": {"scheduling.cox/strict-quota": "true"}}}))
    refused("then it is an error", s.post(QUEUES, queue("three", "dept", gpu=1)), 422, "spec.resources: Forbidden", "owed 11 gpu together", "scheduling.cox/strict-quota")
    refused("of the parent, too", s.patch(f"{QUEUES}/dept", {"spec": {"resources": {"gpu": {"quota": 9}}}}), 422, "spec.resources: Forbidden")
    clear(s)


def test_leaving(s):
    s.post(QUEUES, queue("busy"))
    s.post(GROUPS, group("work", queue="busy"))
    refused("a queue with a pod group stays", s.delete(f"{QUEUES}/busy"), 403, "there is work in it (pod groups default/work)")
    s.delete(f"{GROUPS}/work")
    for i in range(5):
        one = queued(f"p{i}", "busy")
        one["metadata"]["annotations"] = {"pod-group-name": "none"}  # else it gets a group of its own, which is work as well
        s.post(PODS, one)
    refused("and with pods", s.delete(f"{QUEUES}/busy"), 403, "pods default/p0, default/p1, default/p2 and 2 more")
    for i in range(4):
        s.delete(f"{PODS}/p{i}", {"gracePeriodSeconds": 0})
    s.patch(f"{PODS}/p4/status", {"status": {"phase": "Succeeded"}})
    tap.eq("pods that have ended do not hold it", s.delete(f"{QUEUES}/busy").status, 200)
    clear(s)


# --- work ------------------------------------------------------------------------------------------------------------------------------

def test_groups(s):
    warned("a queue that is not there", s.post(GROUPS, group("early", queue="later", minMember=1)), 'queue \\"later\\" does not exist: the work waits until it does')
    s.post(QUEUES, queue("later"))
    warned("it is not said again", s.patch(f"{GROUPS}/early", {"metadata": {"labels": {"a": "b"}}}))
    s.patch(f"{QUEUES}/later/status", {"status": {"childQueues": ["x"]}})
    warned("a queue that has queues below it", s.post(GROUPS, group("high", queue="later")), "only those at the end of the tree take work")
    warned("sub-groups hold the pods", s.post(GROUPS, group("idle", subGroups=[{"name": "a", "minMember": 3}, {"name": "b", "parent": "a"}])), "spec.subGroups[0].minMember: has no effect")
    refused("a gang of less than none", s.post(GROUPS, group("none", minMember=-1)), 422, "spec.minMember: Invalid value: -1: must be at least 0")
    refused("names twice", s.post(GROUPS, group("twice", subGroups=[{"name": "a"}, {"name": "a"}])), 422, "spec.subGroups[1].name: Duplicate value")
    refused("unknown parents", s.post(GROUPS, group("lost", subGroups=[{"name": "a", "parent": "b"}])), 422, "spec.subGroups[0].parent: Invalid value")
    refused("circles", s.post(GROUPS, group("round", subGroups=[{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}])), 422, "lead back to itself")
    refused("more sub-groups than there are", s.post(GROUPS, group("many", minSubGroup=2, subGroups=[{"name": "a"}])), 422, "spec.minSubGroup: Invalid value: 2")
    causes = s.post(GROUPS, group("none", minMember=-1)).json["details"]["causes"]
    tap.eq("programs are told the field", [c["field"] for c in causes], ["spec.minMember"])
    warned("a pod", s.post(PODS, queued("p", "nowhere")), 'queue \\"nowhere\\" does not exist')
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"},
           "spec": {"suspend": True, "template": {"metadata": {"labels": {"kai.scheduler/queue": "nowhere"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}
    warned("and what makes pods", s.post("/apis/batch/v1/namespaces/default/jobs", job), 'queue \\"nowhere\\" does not exist')
    s.delete("/apis/batch/v1/namespaces/default/jobs/j", {"propagationPolicy": "Background"})
    clear(s)


def test_parts_of_gpus(s):
    whole = [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    tap.eq("half a GPU", s.post(PODS, queued("half", None, {"gpu-fraction": "0.5", "gpu-fraction-num-devices": "2"})).status, 201)
    tap.eq("some memory of one", s.post(PODS, queued("some", None, {"gpu-memory": "2000"})).status, 201)
    for name, annotations, spec, part in (("more", {"gpu-fraction": "1.5"}, {}, "metadata.annotations[gpu-fraction]: Invalid value"),
                                          ("word", {"gpu-memory": "2Gi"}, {}, "metadata.annotations[gpu-memory]: Invalid value"),
                                          ("both", {"gpu-fraction": "0.5", "gpu-memory": "2000"}, {}, "may not be given together with gpu-memory"),
                                          ("whole", {"gpu-fraction": "0.5"}, {"containers": whole}, "together with whole ones"),
                                          ("count", {"gpu-fraction-num-devices": "2"}, {}, "needs gpu-fraction or gpu-memory")):
        refused(f"not {name}", s.post(PODS, queued(name, None, annotations, **spec)), 422, part)
    clear(s)


def test_topologies(s):
    path = "/apis/kai.scheduler/v1alpha1/topologies"
    make = lambda *labels: {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "t"}, "spec": {"levels": [{"nodeLabel": l} for l in labels]}}  # noqa: E731
    refused("hosts come last", s.post(path, make("kubernetes.io/hostname", "rack")), 422, "spec.levels[0].nodeLabel")
    refused("each once", s.post(path, make("rack", "rack")), 422, "Duplicate value")
    refused("at most 16", s.post(path, make(*[f"l{i}" for i in range(17)])), 422, "spec.levels")
    refused("at least one", s.post(path, make()), 422, "spec.levels")
    tap.eq("a topology", s.post(path, make("rack", "kubernetes.io/hostname")).status, 201)
    refused("it stays as it is", s.patch(f"{path}/t", {"spec": {"levels": [{"nodeLabel": "rack"}]}}), 422, "field is immutable")
    s.delete(f"{path}/t")


# --- who may use a queue -----------------------------------------------------------------------------------------------------------------

def test_use(s):
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    api = "rbac.authorization.k8s.io"
    s.post(QUEUES, queue("gold", annotations={"scheduling.cox/restricted": "true"}))
    for name in ("anna", "ben"):
        s.post(f"{rbac}/namespaces/default/rolebindings", {"apiVersion": f"{api}/v1", "kind": "RoleBinding", "metadata": {"name": name}, "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": "edit"},
                                                           "subjects": [{"apiGroup": api, "kind": "User", "name": name}]})
    s.post(f"{rbac}/clusterroles", {"apiVersion": f"{api}/v1", "kind": "ClusterRole", "metadata": {"name": "gold-users"},
                                    "rules": [{"apiGroups": ["scheduling.run.ai"], "resources": ["queues"], "resourceNames": ["gold"], "verbs": ["use"]}]})
    s.post(f"{rbac}/namespaces/default/rolebindings", {"apiVersion": f"{api}/v1", "kind": "RoleBinding", "metadata": {"name": "gold"}, "subjects": [{"apiGroup": api, "kind": "User", "name": "anna"}],
                                                       "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": "gold-users"}})
    anna, ben = {"Impersonate-User": "anna"}, {"Impersonate-User": "ben"}
    may = lambda user: s.post(GROUPS, group("probe", queue="gold"), headers=user).status  # noqa: E731
    tap.ok("whoever has the verb use may", wait_for(lambda: may(anna) in (201, 409)))
    sentence = 'queue "gold" is restricted, and user "ben" does not have the verb "use" on queues.scheduling.run.ai "gold"'
    refused("others may not", s.post(GROUPS, group("g", queue="gold"), headers=ben), 403, 'podgroups.scheduling.run.ai "g" is forbidden', sentence)
    refused("also not with a pod", s.post(PODS, queued("p", "gold"), headers=ben), 403, sentence)
    template = {"metadata": {"labels": {"a": "b", "kai.scheduler/queue": "gold"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}}
    cron = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"},
            "spec": {"schedule": "@yearly", "jobTemplate": {"spec": {"template": {**template, "spec": {**template["spec"], "restartPolicy": "Never"}}}}}}
    refused("nor through a deployment", s.post("/apis/apps/v1/namespaces/default/deployments", deployment, headers=ben), 403, sentence)
    refused("or a cron job", s.post("/apis/batch/v1/namespaces/default/cronjobs", cron, headers=ben), 403, sentence)
    labelled = {**deployment, "metadata": {"name": "d", "labels": {"kai.scheduler/queue": "gold"}}}
    refused("or by a label on the owner", s.post("/apis/apps/v1/namespaces/default/deployments", labelled, headers=ben), 403, sentence)
    tap.eq("a group elsewhere", s.post(GROUPS, group("mine", queue="default-queue"), headers=ben).status, 201)
    refused("cannot move in", s.patch(f"{GROUPS}/mine", {"spec": {"queue": "gold"}}, headers=ben), 403, sentence)
    tap.eq("what is in can be changed otherwise", s.patch(f"{GROUPS}/probe", {"spec": {"minMember": 2}}, headers=ben).status, 200)
    tap.eq("a deployment of somebody who may", s.post("/apis/apps/v1/namespaces/default/deployments", deployment, headers=anna).status, 201)
    tap.ok("gets its pods", wait_for(lambda: s.get(f"{PODS}?labelSelector=kai.scheduler/queue%3Dgold").json["items"]))
    refused("editors do not open queues", s.patch(f"{QUEUES}/gold", {"metadata": {"annotations": {"scheduling.cox/restricted": None}}}, headers=ben), 403, "cannot patch")
    for user, what, path, want in (("ben", "list pod groups", GROUPS, 200), ("ben", "list queues", QUEUES, 403)):
        tap.eq(f"an editor of a namespace may {what}: {want}", s.get(path, headers={"Impersonate-User": user}).status, want)
    s.delete("/apis/apps/v1/namespaces/default/deployments/d", {"propagationPolicy": "Foreground"})
    wait_for(lambda: s.get("/apis/apps/v1/namespaces/default/deployments/d").status == 404)
    wait_for(lambda: not s.get(f"{PODS}?labelSelector=kai.scheduler/queue%3Dgold").json["items"])
    clear(s)


# --- definitions of what is built in ----------------------------------------------------------------------------------------------------------

def definition(plural, group_name, kind, version, scope="Namespaced", **names):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.{group_name}", "annotations": {"api-approved.kubernetes.io": "https://example.com/1"}},
            "spec": {"group": group_name, "scope": scope, "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": kind + "List", **names},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


def test_definitions(s):
    s.post(GROUPS, group("kept", minMember=2))
    r = s.post(CRDS, definition("podgroups", "scheduling.run.ai", "PodGroup", "v2alpha2", shortNames=["pg"]))
    warned("KAI's own definition is accepted", r, "built in")
    conditions = {c["type"]: (c["status"], c["reason"]) for c in r.json["status"]["conditions"]}
    tap.eq("and established, so that installers go on", conditions, {"NamesAccepted": ("True", "BuiltIn"), "Established": ("True", "InitialNamesAccepted")})
    refused("what is built in is served", s.post(GROUPS, group("none", minMember=-1)), 422, "spec.minMember")
    tap.eq("once", [r["name"] for r in s.get("/apis/scheduling.run.ai/v2alpha2").json["resources"]], ["podgroups", "podgroups/status"])
    tap.eq("applied again", s.patch(f"{CRDS}/podgroups.scheduling.run.ai", {"metadata": {"labels": {"a": "b"}}}).status, 200)
    tap.eq("it can go", s.delete(f"{CRDS}/podgroups.scheduling.run.ai").status, 200)
    tap.ok("alone", wait_for(lambda: s.get(f"{CRDS}/podgroups.scheduling.run.ai").status == 404) and s.get(f"{GROUPS}/kept").status == 200)
    tap.eq("a definition for all of KAI", [s.post(CRDS, definition(plural, gv.split("/")[0], kind, gv.split("/")[1], "Namespaced" if ns else "Cluster")).status for gv, plural, kind, ns in KINDS[:6]], [201] * 6)
    s.stop()
    s.start()
    tap.eq("after a restart", (s.get(f"{GROUPS}/kept").status, s.get(QUEUES).status), (200, 200))
    for gv, plural, _, _ in KINDS[:6]:
        s.delete(f"{CRDS}/{plural}.{gv.split('/')[0]}")
    # with a finalizer, as definitions of earlier versions have it
    s.post(CRDS, {**definition("podgroups", "scheduling.run.ai", "PodGroup", "v2alpha2")})
    s.patch(f"{CRDS}/podgroups.scheduling.run.ai", {"metadata": {"finalizers": ["customresourcecleanup.apiextensions.k8s.io"]}})
    s.delete(f"{CRDS}/podgroups.scheduling.run.ai")
    tap.ok("one with a finalizer goes", wait_for(lambda: s.get(f"{CRDS}/podgroups.scheduling.run.ai").status == 404))
    tap.eq("and its objects stay", s.get(f"{GROUPS}/kept").status, 200)
    # others of a group that is built in
    tap.eq("another kind of the group", s.post(CRDS, definition("elasticquotas", "scheduling.x-k8s.io", "ElasticQuota", "v1alpha1", shortNames=["eq"])).status, 201)
    quotas = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/elasticquotas"
    tap.eq("is served beside", s.post(quotas, {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota", "metadata": {"name": "e"}, "spec": {"max": {"cpu": "1"}}}).status, 201)
    names = [r["name"] for r in s.get("/apis/scheduling.x-k8s.io/v1alpha1").json["resources"]]
    tap.eq("with what is built in", sorted(names), ["elasticquotas", "podgroups", "podgroups/status"])
    groups = [g["name"] for g in s.get("/apis").json["groups"]]
    tap.eq("in one group", groups.count("scheduling.x-k8s.io"), 1)
    schemas = s.get("/openapi/v3/apis/scheduling.x-k8s.io/v1alpha1").json["components"]["schemas"]
    tap.ok("that is described whole", any(n.endswith(".ElasticQuota") for n in schemas) and any(n.endswith(".PodGroup") for n in schemas), list(schemas))
    s.delete(f"{CRDS}/elasticquotas.scheduling.x-k8s.io")
    r = s.post(CRDS, definition("crews", "scheduling.run.ai", "Queue", "v2", "Cluster"))
    accepted = {c["type"]: c["status"] for c in r.json["status"]["conditions"]}
    tap.eq("a kind under another name is a clash", (r.status, accepted["NamesAccepted"]), (201, "False"))
    s.delete(f"{CRDS}/crews.scheduling.run.ai")
    clear(s)


def test_openapi(s):
    doc = s.get("/openapi/v2").json["definitions"]
    tap.eq("clients that check with version 2 let open types pass", {k: v for k, v in doc["scheduler.kai.v1.ConfigSpec"].items() if k != "description"}, {"x-kubernetes-preserve-unknown-fields": True})
    schemas = s.get("/openapi/v3/apis/scheduling.run.ai/v2").json["components"]["schemas"]
    tap.eq("resources are a map", json.dumps(schemas["ai.run.scheduling.v2.QueueSpec"]["properties"]["resources"]["additionalProperties"]).count("QueueResource"), 1)


if __name__ == "__main__":
    with Server() as main_server:
        tap.run([test_first_objects, test_restart, test_discovery, test_every_object, test_kubectl, test_cox, test_tree, test_no_circle_in_a_race, test_quotas, test_leaving, test_groups, test_parts_of_gpus,
                 test_topologies, test_use, test_definitions, test_openapi], main_server)
    tap.done()
