#!/usr/bin/env python3
"""The scheduler inside `cox server`: binds, conditions, Events, pods/NAME/explain, metrics; the server killed in the middle of binding."""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, ROOT, Server, pod, tap, wait_for  # noqa: E402
from test_live import (PATIENCE, PODS, add_node, add_pod, all_pods, clear, count_bound, events_of, get_pod, node_of, over_capacity, says,  # noqa: E402
                       scheduled_condition, wait_bound)

PROFILES = str(ROOT / "examples" / "scheduler-profiles.yaml")


def explain(s, name):
    return s.get(f"{PODS}/{name}/explain")


def why(s, *args):
    return subprocess.run([COX, "--kubeconfig", s.kubeconfig, "why", *args], capture_output=True, text=True, timeout=PATIENCE)


def test_binds(s):
    for i in range(2):
        add_node(s, f"n{i}")
    add_pod(s, "a", 3)
    tap.ok("a pod is bound", wait_bound(s, "a"))
    tap.eq("PodScheduled is true", scheduled_condition(s, "a").get("status"), "True")
    tap.ok("an Event tells of it", wait_for(lambda: events_of(s, "a", "Scheduled"), PATIENCE))
    tap.eq("by the scheduler", events_of(s, "a", "Scheduled")[0]["source"].get("component") or events_of(s, "a", "Scheduled")[0].get("reportingComponent"), "default-scheduler")
    manifest = json.dumps(pod("by-kubectl"))
    done = s.kubectl("create", "-f", "-", stdin=manifest, timeout=PATIENCE)
    tap.ok("one made by kubectl", done.returncode == 0 and wait_bound(s, "by-kubectl"), done.stderr)
    add_pod(s, "theirs", 1, schedulerName="somebody-else")
    add_pod(s, "gated", 1, schedulingGates=[{"name": "wait"}])
    add_pod(s, "big", 9)
    tap.ok("a pod that fits nowhere is told so", says(s, "big", ""))
    tap.ok("with what it lacks", says(s, "big", "0/2 nodes fit: 2 lack cpu (needs 9; best free: "), scheduled_condition(s, "big"))
    tap.ok("and by an Event", wait_for(lambda: events_of(s, "big", "FailedScheduling"), PATIENCE))
    tap.eq("pods of others are left alone", (node_of(s, "theirs"), scheduled_condition(s, "theirs")), ("", {}))
    tap.ok("and those with gates", wait_for(lambda: (node_of(s, "gated"), scheduled_condition(s, "gated").get("reason")) == ("", "SchedulingGated")), get_pod(s, "gated"))
    s.patch(f"{PODS}/gated", {"spec": {"schedulingGates": None}})
    tap.ok("until the gates are gone", wait_bound(s, "gated"))
    add_node(s, "large", 16)
    tap.ok("a new node helps", wait_for(lambda: node_of(s, "big") == "large", PATIENCE))
    clear(s)


def test_explain(s):
    add_node(s, "n0", 4)
    add_node(s, "n1", 8)
    add_pod(s, "placed", 1)
    add_pod(s, "big", 9)
    add_pod(s, "theirs", 1, schedulerName="somebody-else")
    add_pod(s, "gated", 1, schedulingGates=[{"name": "wait"}])
    wait_bound(s, "placed")
    says(s, "big", "2 lack cpu")
    r = wait_for(lambda: explain(s, "big").status == 200 and explain(s, "big"), PATIENCE)
    record = r.json
    tap.eq("why a pod waits", (record["result"], record["nodes"], record["fitting"], record["reasons"][0]["need"], record["nearest"]["node"]), ("Rejected", 2, 0, 9000, "n1"))
    tap.has("in a sentence", record["message"], "0/2 nodes fit: 2 lack cpu")
    tap.eq("why one is where it is", (explain(s, "placed").json["result"], explain(s, "placed").json["node"] != ""), ("Placed", True))
    tap.ok("why one is held", wait_for(lambda: explain(s, "gated").status == 200 and explain(s, "gated").json["result"] == "Gated", PATIENCE))
    r = explain(s, "theirs")
    tap.eq("a pod of another scheduler", (r.status, r.json["message"]), (400, 'pod "theirs" waits for the scheduler "somebody-else", which does not run in this server'))
    tap.eq("one that is not there", explain(s, "none").status, 404)
    s.patch(f"{PODS}/placed/status", {"status": {"phase": "Succeeded"}})
    r = explain(s, "placed")
    tap.eq("one that has ended", (r.status, r.json["reason"]), (400, "BadRequest"))
    tap.eq("it is only read", s.post(f"{PODS}/big/explain", {}).status, 405)
    tap.eq("and stands in discovery", [x["verbs"] for x in s.get("/api/v1").json["resources"] if x["name"] == "pods/explain"], [["get"]])
    tap.has("kubectl gets it raw", s.kubectl("get", "--raw", f"{PODS}/big/explain", timeout=PATIENCE).stdout, '"Rejected"')
    clear(s)


def test_rights(s):
    add_node(s, "n0", 4)
    add_pod(s, "p", 1)
    wait_bound(s, "p")
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "asks"}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}
    roles, ask = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", lambda: s.get(f"{PODS}/p/explain", headers={"Impersonate-User": "eve"}).status
    s.post(roles, role)
    s.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "asks"},
           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "asks"}, "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "eve"}]})
    tap.eq("a right to pods is none to explain", ask(), 403)
    role["rules"][0]["resources"] = ["pods/explain"]
    s.put(f"{roles}/asks", role)
    tap.ok("one to pods/explain is", wait_for(lambda: ask() == 200, PATIENCE))
    clear(s)


def test_why(s):
    add_node(s, "n0", 4)
    add_node(s, "n1", 8)
    add_pod(s, "placed", 1)
    add_pod(s, "big", 9)
    add_pod(s, "theirs", 1, schedulerName="somebody-else")
    wait_bound(s, "placed")
    says(s, "big", "2 lack cpu")
    text = why(s, "pod/big").stdout
    tap.ok("cox why asks the scheduler", re.search(r"^Queue: +tried again when something changes that can help$", text, re.M), text)
    tap.ok("its reasons as a table", re.search(r"^2 +NodeResourcesFit +Insufficient cpu +9 +\d on n\d$", text, re.M), text)
    tap.has("the nearest miss", text, "more cpu on n1")
    text = why(s, "pod/big", "--profile", "binpack").stdout
    tap.has("with another profile it finds out itself", text, "its scheduler alone knows the place")
    text = why(s, "pod/theirs").stdout
    tap.has("as for a pod of another scheduler", text, "waits, and fits now")
    tap.has("why one is where it is", why(s, "pod/placed").stdout, f"on {node_of(s, 'placed')}")
    record = json.loads(why(s, "pod/big", "-o", "json").stdout)
    tap.eq("as JSON", (record["result"], record["scheduler"], record["reasons"][0]["needText"]), ("Rejected", "default-scheduler", "9"))
    clear(s)


def test_metrics(s):
    value = lambda name: float((re.search("^" + re.escape(name) + r" (\S+)$", s.get("/metrics").text, re.M) or [0, -1])[1])
    attempts = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"}'
    before = value(attempts)
    add_node(s, "n0", 4)
    add_pod(s, "a", 1)
    tap.ok("attempts are counted", wait_for(lambda: value(attempts) == before + 1, PATIENCE), s.get("/metrics").text[-3000:])
    tap.has("beside those of the API server", s.get("/metrics").text, "apiserver_request_total")
    tap.eq("no name twice", [n for n, c in counted(s.get("/metrics").text).items() if c > 1], [])
    clear(s)


def counted(text):
    names = {}
    for name in re.findall(r"^# TYPE (\S+)", text, re.M):
        names[name] = names.get(name, 0) + 1
    return names


def test_killed_in_the_middle():
    nodes, pods, cpu = 50, 1500, 31
    with Server(scheduler=True) as s:
        seen, moved, cut = {}, set(), []

        def look():
            for p in all_pods(s):
                uid, node = p["metadata"]["uid"], p["spec"].get("nodeName", "")
                if seen.get(uid) and seen[uid] != node:
                    moved.add(p["metadata"]["name"])
                seen[uid] = node
            return sum(1 for n in seen.values() if n)

        conn = s.connect(timeout=PATIENCE)
        for i in range(pods):
            add_pod(s, f"p{i:04}", 1, conn=conn)
        conn.close()
        # the pods wait for nodes: what comes is filled at once, and that is cut off
        for part in range(3):
            conn = s.connect(timeout=PATIENCE)
            for i in range(nodes)[part::3]:
                add_node(s, f"node-{i:03}", cpu, conn=conn)
            conn.close()
            s.kill()
            s.start(timeout=PATIENCE)
            cut.append(look())
        tap.ok("the server was killed three times under load", len(cut) == 3 and max(cut) <= pods, cut)
        tap.ok("every pod is bound", wait_for(lambda: count_bound(s) == pods, PATIENCE, 0.1), f"{count_bound(s)} are")
        look()
        tap.eq("none has moved", sorted(moved), [])
        tap.eq("no node has more than it holds", over_capacity(s, cpu), {})


def test_without():
    with Server() as s:
        add_node(s, "n0", 4)
        add_pod(s, "p", 1)
        r = explain(s, "p")
        tap.eq("a server without a scheduler says so", (r.status, r.json["reason"]), (503, "ServiceUnavailable"))
        tap.has("in a sentence", r.json["message"], "no scheduler runs in this server")
        tap.eq("a pod that is not there is still a 404", explain(s, "none").status, 404)
        tap.ok("has no metrics of one", "scheduler_" not in s.get("/metrics").text)
        tap.has("cox why answers all the same", why(s, "pod/p").stdout, "waits, and fits now")
        tap.eq("and nothing is bound", node_of(s, "p"), "")


def test_several_profiles():
    with Server(scheduler=True, args=["--scheduler-profile", PROFILES]) as s:
        for i in range(4):
            add_node(s, f"n{i}", 16)
        add_pod(s, "first", 2)
        wait_bound(s, "first")
        for i in range(4):
            add_pod(s, f"wide-{i}", 1)
            add_pod(s, f"tight-{i}", 1, schedulerName="packer")
        done = s.kubectl("create", "-f", "-", stdin=json.dumps(pod("by-kubectl", schedulerName="packer")), timeout=PATIENCE)
        add_pod(s, "theirs", 1, schedulerName="somebody-else")
        tap.ok("pods of both names are bound", done.returncode == 0 and wait_bound(s, "by-kubectl", *[f"{kind}-{i}" for kind in ("wide", "tight") for i in range(4)]), done.stderr)
        tap.eq("packed ones on one node", len({node_of(s, f"tight-{i}") for i in range(4)}), 1)
        tap.eq("the others on all", len({node_of(s, f"wide-{i}") for i in range(4)} | {node_of(s, "first")}), 4)
        tap.eq("each Event says by whom", [events_of(s, n, "Scheduled")[0].get("reportingComponent") for n in ("tight-0", "wide-0") if wait_for(lambda n=n: events_of(s, n, "Scheduled"), PATIENCE)],
               ["packer", "default-scheduler"])
        scores = lambda name: {x["plugin"]: x["chosen"] for x in explain(s, name).json["scores"]}
        tap.eq("an explanation has the plugins of its profile", ("NodeResourcesBalancedAllocation" in scores("wide-0"), "NodeResourcesBalancedAllocation" in scores("tight-0")), (True, False))
        r = explain(s, "theirs")
        tap.eq("a pod of none of them is left alone", (node_of(s, "theirs"), scheduled_condition(s, "theirs"), r.status), ("", {}, 400))
        metrics = s.get("/metrics").text
        tap.ok("attempts are counted by profile", all(re.search(rf'^scheduler_schedule_attempts_total{{profile="{p}",result="scheduled"}} 5$', metrics, re.M) for p in ("packer", "default-scheduler")),
               [line for line in metrics.splitlines() if "attempts_total" in line])
        add_pod(s, "large", 99, schedulerName="packer")
        tap.ok("one that fits nowhere is told so", says(s, "large", "0/4 nodes fit: 4 lack cpu"))
        tap.has("cox why by the same file", why(s, "pod/large", "--profile", PROFILES).stdout, "0/4 nodes fit: 4 lack cpu")
        tap.has("which must have the pod's", why(s, "pod/theirs", "--profile", PROFILES).stderr, 'waits for the scheduler "somebody-else", and no profile in')
        # both at once, more than there is room for: 64 cpus, of which 10 are taken
        for i in range(60):
            add_pod(s, f"crowd-{i}", 1, schedulerName="packer" if i % 2 else "default-scheduler")
        used = collections.Counter()
        tap.ok("they fill the nodes together", wait_for(lambda: count_bound(s) == 64, PATIENCE), count_bound(s))
        for p in all_pods(s):
            used[p["spec"].get("nodeName")] += int(p["spec"]["containers"][0].get("resources", {}).get("requests", {}).get("cpu", 0))
        del used[None]
        tap.eq("and overfill none", used, {f"n{i}": 16 for i in range(4)})


def test_profiles():
    with tempfile.NamedTemporaryFile("w", prefix="cox-profile-", suffix=".yaml") as f:
        f.write("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: packer\n")
        f.flush()
        with Server(scheduler=True, args=["--scheduler-profile", f.name]) as s:
            add_node(s, "n0", 4)
            add_pod(s, "usual", 1)
            add_pod(s, "named", 1, schedulerName="packer")
            tap.ok("a profile's name is served, and the usual one", wait_bound(s, "usual", "named"))
    folder = tempfile.TemporaryDirectory(prefix="cox-test-")
    done = subprocess.run([COX, "server", "--data-dir", folder.name, "--listen", "127.0.0.1:0", "--write-kubeconfig", "none", "--scheduler-profile", "nothing", "--agent=false"], capture_output=True,
                          text=True, timeout=PATIENCE)
    folder.cleanup()
    tap.eq("a profile that is not there ends it", (done.returncode, 'there is no profile "nothing"' in done.stderr), (1, True))


if __name__ == "__main__":
    with Server(scheduler=True) as server:
        tap.run([test_binds, test_explain, test_rights, test_why, test_metrics], server)
    tap.run([test_killed_in_the_middle, test_without, test_profiles, test_several_profiles])
    tap.done()
