#!/usr/bin/env python3
"""cox scheduler and cox why against a server: binds, conditions, Events, preemption, gangs, metrics; killed, doubled, and with a server that goes away."""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, ROOT, Server, Watch, pod, tap, wait_for  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"


class Scheduler:
    """A `cox scheduler` of the server; its log in the server's folder."""

    def __init__(self, server, *args, failpoints=""):
        self.log_path = server.path(f"scheduler-{os.urandom(4).hex()}.log")
        self.process = subprocess.Popen([COX, "scheduler", "--kubeconfig", server.kubeconfig, *args], stderr=open(self.log_path, "wb"), env={**os.environ, "COX_FAILPOINTS": failpoints})

    def log(self):
        return open(self.log_path, errors="replace").read()

    def end(self, signo=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(signo)
        return self.process.wait(timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        code = self.end()
        if kind is None and code not in (0, -9):
            tap.ok("the scheduler ends cleanly", False, f"exit {code}\n{self.log()[-3000:]}")


def add_node(s, name, cpu=4, conn=None, **meta):
    """A node that is ready, as its agent would make it."""
    s.request("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, **meta}}, conn=conn)
    amounts = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
    status = {"status": {"allocatable": amounts, "capacity": amounts, "conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": ""}]}}
    patch = {"Content-Type": "application/merge-patch+json"}
    s.request("PATCH", f"/api/v1/nodes/{name}/status", json.dumps(status), headers=patch, conn=conn)
    return s.request("PATCH", f"/api/v1/nodes/{name}", json.dumps({"spec": {"taints": None}}), headers=patch, conn=conn)


def add_pod(s, name, cpu=1, conn=None, labels=None, annotations=None, **spec):
    one = pod(name, labels=labels, **spec)
    if annotations:
        one["metadata"]["annotations"] = annotations
    one["spec"]["containers"][0]["resources"] = {"requests": {"cpu": str(cpu)}}
    return s.request("POST", PODS, one, conn=conn)


def get_pod(s, name):
    r = s.get(f"{PODS}/{name}")
    return r.json if r.status == 200 else {}


def node_of(s, name):
    return get_pod(s, name).get("spec", {}).get("nodeName", "")


def wait_bound(s, *names):
    return wait_for(lambda: all(node_of(s, n) for n in names), PATIENCE)


def all_pods(s):
    items, token = [], ""
    while True:
        page = s.get(f"{PODS}?limit=500" + (f"&continue={token}" if token else "")).json
        items += page["items"]
        token = page["metadata"].get("continue", "")
        if not token:
            return items


def scheduled_condition(s, name):
    for c in get_pod(s, name).get("status", {}).get("conditions", []):
        if c["type"] == "PodScheduled":
            return c
    return {}


def says(s, name, part):
    """Whether the pod's condition comes to say so: the first words may still be about nodes that were just made."""
    return wait_for(lambda: (lambda c: c.get("reason") == "Unschedulable" and part in c["message"])(scheduled_condition(s, name)))


def events_of(s, name, reason):
    found = s.get("/api/v1/namespaces/default/events").json["items"]
    return [e for e in found if e["involvedObject"]["name"] == name and e["reason"] == reason]


def clear(s):
    for p in all_pods(s):
        s.delete(f"{PODS}/{p['metadata']['name']}", {"gracePeriodSeconds": 0})
    wait_for(lambda: not all_pods(s), PATIENCE)
    for n in s.get("/api/v1/nodes").json["items"]:
        s.delete(f"/api/v1/nodes/{n['metadata']['name']}")


def test_binds_and_explains(s):
    for i in range(3):
        add_node(s, f"n{i}")
    add_pod(s, "before", 3)
    add_pod(s, "theirs", 1, schedulerName="somebody-else")
    add_pod(s, "gated", 1, schedulingGates=[{"name": "wait"}])
    with Scheduler(s):
        tap.ok("a pod that was there before is bound", wait_bound(s, "before"))
        add_pod(s, "later", 3)
        tap.ok("and one that came later, elsewhere", wait_bound(s, "later") and node_of(s, "later") != node_of(s, "before"))
        tap.eq("PodScheduled is true", scheduled_condition(s, "later").get("status"), "True")
        tap.ok("an Event tells of it", wait_for(lambda: events_of(s, "later", "Scheduled"), PATIENCE))
        tap.has("in the usual words", events_of(s, "later", "Scheduled")[0]["message"], f"Successfully assigned default/later to {node_of(s, 'later')}")
        add_pod(s, "big", 9)
        tap.ok("a pod that fits nowhere is told so", says(s, "big", ""))
        tap.ok("with what it lacks", says(s, "big", "0/3 nodes fit: 3 lack cpu (needs 9; best free: 4 on n2)"), scheduled_condition(s, "big"))
        tap.ok("and by an Event", wait_for(lambda: events_of(s, "big", "FailedScheduling"), PATIENCE))
        tap.has("that kubectl shows", s.kubectl("describe", "pod", "big").stdout, "FailedScheduling")
        tap.eq("pods of others are left alone", (node_of(s, "theirs"), scheduled_condition(s, "theirs")), ("", {}))
        tap.eq("and those with gates", node_of(s, "gated"), "")
        s.patch(f"{PODS}/gated", {"spec": {"schedulingGates": None}})
        tap.ok("until the gates are gone", wait_bound(s, "gated"))
        add_node(s, "large", 16)
        tap.ok("a new node helps", wait_for(lambda: node_of(s, "big") == "large", PATIENCE))
    clear(s)


def test_why(s):
    add_node(s, "n0", 4)
    add_node(s, "n1", 8)
    add_pod(s, "placed", 1)
    add_pod(s, "big", 9)
    cox = lambda *a: subprocess.run([COX, "--kubeconfig", s.kubeconfig, "why", *a], capture_output=True, text=True)
    with Scheduler(s):
        wait_bound(s, "placed")
        text = cox("pod/placed").stdout
        tap.has("why a pod is where it is", text, f"on {node_of(s, 'placed')}")
        tap.has("by scores", text, "NodeResourcesFit")
        wait_for(lambda: scheduled_condition(s, "big").get("reason"), PATIENCE)
    text = cox("pod/big").stdout
    tap.has("why a pod waits", text, "0/2 nodes fit: 2 lack cpu (needs 9; best free: 7 on n1)")
    tap.ok("as a table", re.search(r"^2 +NodeResourcesFit +Insufficient cpu +9 +7 on n1$", text, re.M), text)
    tap.has("with the nearest miss", text, "2 more cpu on n1")
    tap.ok("and not twice", "Last said:" not in text, text)
    record = json.loads(cox("big", "-o", "json").stdout)
    tap.has("and what the scheduler said", record["lastSaid"], "0/2 nodes fit")
    tap.eq("as JSON", (record["result"], record["reasons"][0]["need"], record["nearest"]["node"]), ("Rejected", 9000, "n1"))
    add_pod(s, "fits", 1)
    tap.has("a pod without a scheduler that would fit", cox("pod/fits").stdout, "waits, and fits now")
    missing = cox("pod/none")
    tap.eq("a pod that is not there", (missing.returncode, missing.stderr.strip()), (1, 'Error from server (NotFound): pods "none" not found'))
    tap.eq("what is no pod", cox("deployment/x").returncode, 1)
    clear(s)


def test_preempts(s):
    add_node(s, "n0", 4)
    for name, value in (("low", 1), ("high", 1000)):
        s.post("/apis/scheduling.k8s.io/v1/priorityclasses", {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})
    with Scheduler(s):
        add_pod(s, "victim", 3, priorityClassName="low")
        tap.ok("the victim runs", wait_bound(s, "victim"))
        add_pod(s, "king", 3, priorityClassName="high")
        tap.ok("it is deleted", wait_for(lambda: get_pod(s, "victim").get("metadata", {}).get("deletionTimestamp"), PATIENCE))
        reasons = lambda: {c["type"]: c.get("reason") for c in get_pod(s, "victim")["status"]["conditions"]}
        tap.ok("and marked", wait_for(lambda: reasons().get("DisruptionTarget") == "PreemptionByScheduler"), reasons())
        tap.ok("the preemptor is nominated", wait_for(lambda: get_pod(s, "king")["status"].get("nominatedNodeName") == "n0", PATIENCE))
        tap.ok("an Event tells the victim's owner", wait_for(lambda: events_of(s, "victim", "Preempted"), PATIENCE))
        tap.eq("it waits for the victim to go", node_of(s, "king"), "")
        s.delete(f"{PODS}/victim", {"gracePeriodSeconds": 0})
        tap.ok("and is bound then", wait_bound(s, "king"))
    clear(s)


CRD = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "podgroups.scheduling.sigs.k8s.io",
       "annotations": {"api-approved.kubernetes.io": "https://example.com/1"}},
       "spec": {"group": "scheduling.sigs.k8s.io", "scope": "Namespaced", "names": {"plural": "podgroups", "singular": "podgroup", "kind": "PodGroup", "listKind": "PodGroupList"},
                "versions": [{"name": "v1alpha1", "served": True, "storage": True,
                              "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


def test_gangs(s):
    add_node(s, "n0", 4)
    label = {"scheduling.x-k8s.io/pod-group": "gang"}
    groups = "/apis/scheduling.sigs.k8s.io/v1alpha1/namespaces/default/podgroups"
    with Scheduler(s):
        add_pod(s, "m0", 2, labels=label)
        add_pod(s, "m1", 2, labels=label)
        tap.ok("members wait for their group", wait_for(lambda: "group itself" in scheduled_condition(s, "m0").get("message", ""), PATIENCE))
        tap.eq("the kind is made while the scheduler runs", s.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD).status, 201)
        group = {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "gang"}, "spec": {"minMember": 3}}
        tap.ok("and a group", wait_for(lambda: s.post(groups, group).status in (201, 409), PATIENCE))
        tap.ok("that is seen", wait_for(lambda: "2 of at least 3" in scheduled_condition(s, "m0").get("message", ""), PATIENCE))
        add_pod(s, "m2", 2, labels=label)
        tap.ok("complete, but too large", wait_for(lambda: "nodes fit" in scheduled_condition(s, "m2").get("message", ""), PATIENCE))
        tap.eq("none of it is bound", [n for n in ("m0", "m1", "m2") if node_of(s, n)], [])
        add_node(s, "n1", 4)
        tap.ok("room for all binds all", wait_bound(s, "m0", "m1", "m2"))
    s.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podgroups.scheduling.sigs.k8s.io")
    clear(s)


def test_built_in_gangs(s):
    """A gang of each API that the server has built in."""
    apis = (("scheduling.run.ai/v2alpha2", {"annotations": {"pod-group-name": "gang"}}, {"minMember": 2}, {}),
            ("scheduling.godel.kubewharf.io/v1alpha1", {"annotations": {"godel.bytedance.com/pod-group-name": "gang"}}, {"minMember": 2}, {}),
            ("scheduling.x-k8s.io/v1alpha1", {}, {"minMember": 2}, {"scheduling.x-k8s.io/pod-group": "gang"}))
    add_node(s, "n0", 4)
    with Scheduler(s):
        for version, meta, spec, labels in apis:
            groups = f"/apis/{version}/namespaces/default/podgroups"
            tap.eq(f"{version}: a group", s.post(groups, {"apiVersion": version, "kind": "PodGroup", "metadata": {"name": "gang"}, "spec": spec}).status, 201)
            add_pod(s, "m0", 1, labels=labels, **meta)
            tap.ok(f"{version}: one waits for the other", wait_for(lambda: "1 of at least 2" in scheduled_condition(s, "m0").get("message", ""), PATIENCE), scheduled_condition(s, "m0"))
            add_pod(s, "m1", 1, labels=labels, **meta)
            tap.ok(f"{version}: both are placed", wait_bound(s, "m0", "m1"))
            for name in ("m0", "m1"):
                s.delete(f"{PODS}/{name}", {"gracePeriodSeconds": 0})
            s.delete(f"{groups}/gang")
    clear(s)


def bound_once(watch, total):
    """Names of pods whose node changed after it was set, from the events of a watch."""
    nodes, wrong = {}, set()
    for e in list(watch.events):
        meta, node = e["object"]["metadata"], e["object"]["spec"].get("nodeName", "")
        was = nodes.get(meta["uid"], "")
        if was and node != was:
            wrong.add(meta["name"])
        nodes[meta["uid"]] = node
    return sum(1 for n in nodes.values() if n) == total and not wrong


def over_capacity(s, cpu):
    used = collections.Counter(p["spec"].get("nodeName") for p in all_pods(s))
    return {n: c for n, c in used.items() if c > cpu}


def make_load(s, nodes, pods, cpu):
    conn = s.connect(timeout=PATIENCE)
    for i in range(nodes):
        add_node(s, f"node-{i:03}", cpu, conn=conn)
    for i in range(pods):
        add_pod(s, f"p{i:04}", 1, conn=conn)
    conn.close()


def count_bound(s):
    return sum(1 for p in all_pods(s) if p["spec"].get("nodeName"))


def test_killed_on_the_way(s):
    nodes, pods, cpu = 200, 2000, 11
    watch = Watch(s, f"{PODS}?watch=true")
    make_load(s, nodes, pods, cpu)
    ends, reached = [], []
    for i in range(5):
        # the fifth is killed from outside, wherever it is; for the others we say where, so that they are hit on the way however slow we are
        place = ("sched.bind.before_post", "sched.bind.after_post")[i % 2]
        one = Scheduler(s, "--bind-window", "2", "--events=false", failpoints=f"{place}={20 + 7 * i}+1*panic" if i < 4 else "")
        wait_for(lambda: one.process.poll() is not None or (i == 4 and count_bound(s) > reached[-1]))
        ends.append(one.end(signal.SIGKILL))
        reached.append(count_bound(s))
    tap.eq("five schedulers were killed", ends, [-9] * 5)
    tap.ok("on the way", reached == sorted(reached) and 0 < reached[3] < min(pods, reached[4]), reached)
    with Scheduler(s, "--workers", "2"):
        tap.ok("all 2,000 pods are bound", wait_for(lambda: count_bound(s) == pods, PATIENCE, 0.1), f"{count_bound(s)} are")
    tap.eq("no node has more than it holds", over_capacity(s, cpu), {})
    watch.wait(lambda events: bound_once(watch, pods), PATIENCE)
    tap.ok("each exactly once", bound_once(watch, pods))
    watch.close()
    clear(s)


def test_two_at_once(s):
    watch = Watch(s, f"{PODS}?watch=true")
    nodes, pods, cpu = 20, 400, 40
    with Scheduler(s), Scheduler(s, "--seed", "7"):
        make_load(s, nodes, pods, cpu)
        tap.ok("two schedulers of one name bind every pod", wait_for(lambda: count_bound(s) == pods, PATIENCE, 0.1))
        watch.wait(lambda events: bound_once(watch, pods), PATIENCE)
        tap.ok("once", bound_once(watch, pods))
    watch.close()
    clear(s)


def test_one_leads(s):
    add_node(s, "n0", 64)
    args = ("--leader-elect", "--leader-elect-lease-duration", "3s", "--leader-elect-resource-name", "test")
    first = Scheduler(s, *args)
    try:
        tap.ok("the first leads", wait_for(lambda: "INFO leads" in first.log(), PATIENCE))
        with Scheduler(s, *args) as second:
            wait_for(lambda: "has listed everything" in second.log(), PATIENCE)
            add_pod(s, "a", 1)
            tap.ok("and binds", wait_bound(s, "a"))
            tap.ok("the second waits", "INFO leads" not in second.log())
            first.end(signal.SIGKILL)
            tap.ok("until the first is dead", wait_for(lambda: "INFO leads" in second.log(), PATIENCE))
            add_pod(s, "b", 1)
            tap.ok("and binds then", wait_bound(s, "b"))
            with Scheduler(s, *args) as third:
                tap.eq("one that ends well lets go", second.end(), 0)
                tap.ok("the next one leads", wait_for(lambda: "INFO leads" in third.log(), PATIENCE))
    finally:
        first.end(signal.SIGKILL)
    clear(s)


def test_server_goes_away(s):
    add_node(s, "n0", 64)
    with Scheduler(s) as one:
        add_pod(s, "first", 1)
        wait_bound(s, "first")
        s.kill()
        tap.ok("the scheduler notices", wait_for(lambda: "cannot reach the API server" in one.log(), PATIENCE))
        s.start()
        for i in range(20):
            add_pod(s, f"after{i}", 1)
        tap.ok("and goes on when the server is back", wait_bound(s, *(f"after{i}" for i in range(20))))
        tap.eq("the same process", one.process.poll(), None)
    clear(s)


def test_metrics(s):
    add_node(s, "n0", 4)
    add_pod(s, "a", 1)
    add_pod(s, "b", 9)
    with Scheduler(s, "--metrics-bind", "127.0.0.1:0") as one:
        found = wait_for(lambda: re.search(r'metrics port="(\d+)"', one.log()), PATIENCE)
        get = lambda path: urllib.request.urlopen(f"http://127.0.0.1:{found.group(1)}{path}", timeout=PATIENCE).read().decode()
        value = lambda name: float(re.search("^" + re.escape(name) + r" (\S+)$", get("/metrics"), re.M).group(1))
        tap.eq("healthz", get("/healthz"), "ok")
        attempts = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="%s"}'
        tap.ok("attempts are counted", wait_for(lambda: value(attempts % "scheduled") == 1 and value(attempts % "unschedulable") >= 1, PATIENCE), get("/metrics"))
        tap.eq("readyz", get("/readyz"), "ok")
        tap.ok("pods that wait", wait_for(lambda: value('scheduler_pending_pods{queue="unschedulable"}') == 1, PATIENCE))
        tap.ok("time until bound", wait_for(lambda: value("scheduler_pod_scheduling_sli_duration_seconds_count") == 1, PATIENCE))
    clear(s)


def test_wrong_use(s):
    run = lambda *a: subprocess.run([COX, "scheduler", "--kubeconfig", s.kubeconfig, *a], capture_output=True, text=True, timeout=PATIENCE)
    tap.has("a profile that is not there", run("--profile", "nothing").stderr, 'there is no profile "nothing"')
    profiles = str(ROOT / "examples" / "scheduler-profiles.yaml")
    tap.has("a name beside several profiles", run("--config", profiles, "--scheduler-name", "x").stderr, "--scheduler-name does not go with several profiles")
    tap.has("two files", run("--config", profiles, "--profile", profiles).stderr, "--config and --profile are the same; give one of them")
    tap.has("too many workers", run("--workers", "65").stderr, "--workers is a number from 1 to 64")
    tap.eq("an argument", run("x").returncode, 1)


if __name__ == "__main__":
    with Server() as server:
        tap.run([test_binds_and_explains, test_why, test_preempts, test_gangs, test_built_in_gangs, test_killed_on_the_way, test_two_at_once, test_one_leads, test_server_goes_away, test_metrics, test_wrong_use], server)
    tap.done()
