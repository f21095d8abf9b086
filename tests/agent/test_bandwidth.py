#!/usr/bin/env python3
"""Bandwidth of a real node: capacity, shares that are in force, traffic that is counted, pods that wait for it and say so.

How near traffic comes to its limit is the business of bench/bench_bandwidth.py; here a limit is never passed, whatever the machine's speed."""
import json
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, tap, wait_for  # noqa: E402
from lib.node import Cluster, condition, isolate, pod  # noqa: E402

MBIT = 1000000


def tc(what, device):
    return subprocess.run(["tc", what, "show", "dev", device], capture_output=True, text=True).stdout


def ceil_of(device, minor):
    m = re.search(rf"class htb {minor} .* rate (\S+) ceil (\S+)", tc("class", device))
    return m.groups() if m else None


def minor_of(p):
    """Number of the pod's class: its place in the node's range (src/net/shape.c)."""
    return f"1:{int(p['status']['podIP'].split('.')[3]) << 4:x}"


def sized(name, amounts, script="sleep 1000", annotations=None, **kw):
    p = pod(name, script, **kw)
    if amounts:
        p["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
    if annotations:
        p["metadata"]["annotations"] = annotations
    return p


def capacity_is_shown(c):
    node = c.wait_node()
    have, left = node["status"]["capacity"], node["status"]["allocatable"]
    tap.eq("both ends in bits", (have["cox.io/egress-bandwidth"], have["cox.io/ingress-bandwidth"]), ("200M", "1G"))
    tap.eq("and the lesser in Mbit/s", have["kuscia.io/bandwidth"], "200")
    tap.eq("less the system's part", (left["cox.io/egress-bandwidth"], left["kuscia.io/bandwidth"]), ("150M", "150"))
    for words, want in ((["bandwidth=fast"], "is no bandwidth"), (["egress=0"], "it is zero"), (["bandwidth=10MBps"], "B are bytes"), (["kuscia.io/bandwidth=5Gi"], "no number of Mbit/s")):
        done = subprocess.run([COX, "server", "--data-dir", c.path("never"), "--node-capacity", *words], capture_output=True, text=True, timeout=PATIENCE)
        tap.ok(f"{words[0]} is refused with a sentence", done.returncode and want in done.stderr, done)


def shares_are_in_force(c):
    c.create(sized("limited", None, annotations={"kubernetes.io/egress-bandwidth": "8M", "kubernetes.io/ingress-bandwidth": "16M"}))
    c.create(sized("promised", {"kuscia.io/bandwidth": "40"}, annotations={"kubernetes.io/egress-bandwidth": "1G", "kubernetes.io/ingress-bandwidth": "1G"}))
    c.create(pod("sink", "while true; do busybox nc -l -p 9000 | wc -c; done"))
    limited, promised = c.wait_running("limited"), c.wait_running("promised")
    tap.eq("the limit is there before the first container", (ceil_of("cox0-out", minor_of(limited))[1], ceil_of("cox0-in", minor_of(limited))[1]), ("8Mbit", "16Mbit"))
    tap.eq("the request is a rate, the annotation the ceiling", ceil_of("cox0-out", minor_of(promised)), ("40Mbit", "1Gbit"))
    tap.ok("the node's own class has what pods have", "class htb 1:1 root rate 150Mbit" in tc("class", "cox0-out"), tc("class", "cox0-out"))


def a_limit_is_not_passed(c):
    sink = c.wait_running("sink")["status"]["podIP"]
    size = 3 << 20
    c.create(sized("sender", None, f"until bash -c 'exec 3<>/dev/tcp/{sink}/9000 && head -c {size} /dev/zero >&3'; do sleep 0.1; done; sleep 1000", {"kubernetes.io/egress-bandwidth": "8M"}))
    start = time.monotonic()
    c.wait(lambda: str(size) in c.logs("sink").split(), "the transfer")
    tap.ok("3 MiB at 8 Mbit/s are not there before their time", time.monotonic() - start > (size - (256 << 10)) * 8 / (8 * MBIT), time.monotonic() - start)

    def counted():
        text = c.get(f"/api/v1/nodes/{c.node}/proxy/stats/summary").json
        return [p for p in text.get("pods", []) if p["podRef"]["name"] == "sender" and p.get("network", {}).get("txBytes", 0) >= size]
    tap.ok("its bytes are counted", wait_for(counted), c.get(f"/api/v1/nodes/{c.node}/proxy/stats/summary"))


def an_annotation_may_change(c):
    p = c.read("limited")
    c.patch(c.url("Pod", "limited"), {"metadata": {"annotations": {"kubernetes.io/egress-bandwidth": "12Mbps", "cox.io/bandwidth-limits": "10.99.0.0/16=2M"}}})
    tap.ok("the share follows", wait_for(lambda: ceil_of("cox0-out", minor_of(p))[1] == "12Mbit"), tc("class", "cox0-out"))
    dest = "1:%x" % (int(minor_of(p).split(":")[1], 16) + 2)
    tap.ok("a destination has a class of its own", wait_for(lambda: (ceil_of("cox0-out", dest) or [0, 0])[1] == "2Mbit"), tc("class", "cox0-out"))


def a_domain_is_a_destination(c):
    """Kuscia's bandwidthLimits: the domain's nodes are known by their label, and followed as they come and go."""
    p = c.read("limited")
    c.patch(c.url("Pod", "limited"), {"metadata": {"annotations": {"kuscia.secretflow/bandwidth-limit-bob": "100", "cox.io/bandwidth-limits": None}}})
    dest = "1:%x" % (int(minor_of(p).split(":")[1], 16) + 2)
    tap.ok("100 KiB/s", wait_for(lambda: (ceil_of("cox0-out", dest) or [0, 0])[1] == "819200bit"), tc("class", "cox0-out"))
    filters = lambda: subprocess.run(["tc", "-pretty", "filter", "show", "dev", "cox0-out"], capture_output=True, text=True).stdout
    tap.ok("no address of it is known yet", "10.42.200." not in filters(), filters())
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "bob-0", "labels": {"kuscia.secretflow/namespace": "bob"}}, "spec": {"podCIDR": "10.42.200.0/24"},
            "status": {"addresses": [{"type": "InternalIP", "address": "192.0.2.7"}]}}
    assert c.post("/api/v1/nodes", node).status == 201
    node = {**node, "metadata": {**node["metadata"], "name": "bob-6"}, "spec": {"podCIDR": "fd00:6::/64"}, "status": {"addresses": [{"type": "InternalIP", "address": "fd00::7"}]}}
    assert c.post("/api/v1/nodes", node).status == 201
    tap.ok("a node of the domain is one of its places", wait_for(lambda: re.search(r"10\.42\.200\.0/24", filters())), filters())
    tap.ok("and so is its own address", wait_for(lambda: "192.0.2.7/32" in filters()), filters())
    c.delete("/api/v1/nodes/bob-6")
    c.delete("/api/v1/nodes/bob-0")
    tap.ok("until it goes", wait_for(lambda: "10.42.200." not in filters() and "192.0.2.7" not in filters()), filters())


def metrics_tell(c):
    def values():
        text = c.get(f"/api/v1/nodes/{c.node}/proxy/metrics").text
        return {m[0] + m[1]: int(m[2]) for m in re.findall(r'^((?:node|pod)_bandwidth_\w+)\{(.*)\} (\d+)$', text, re.M)}
    v = wait_for(lambda: values() if any("used" in k for k in values()) else None)
    at = f'node="{c.node}",direction="egress"'
    tap.eq("total, system and promised", [v.get(f"node_bandwidth_{k}_bits{at}") for k in ("total", "system", "reserved")], [200 * MBIT, 50 * MBIT, 40 * MBIT])
    tap.eq("available is what is left", v.get(f"node_bandwidth_available_bits{at}"), 110 * MBIT)
    mine = f'namespace="default",pod="promised",node="{c.node}",direction="ingress"'
    tap.eq("a pod's request and limit", (v.get("pod_bandwidth_request_bits" + mine), v.get("pod_bandwidth_limit_bits" + mine)), (40 * MBIT, 1000 * MBIT))
    tap.ok("and its use", "pod_bandwidth_used_bits" + mine in v, v)
    for path in ("metrics", "metrics/resource"):
        text = c.get(f"/api/v1/nodes/{c.node}/proxy/{path}").text
        shown, told = set(re.findall(r"^(\w+)", text, re.M)), [set(re.findall(rf"^# {word} (\w+) .", text, re.M)) for word in ("HELP", "TYPE")]
        tap.eq(f"{path}: each has its help and its type", [shown - t for t in told], [set(), set()])


def who_lacks_it_waits_and_says_so(c):
    c.create(sized("large", {"cox.io/egress-bandwidth": "120M"}))
    p = c.wait(lambda: (lambda p: p if condition(p, "PodScheduled") == "False" else None)(c.read("large")), "the condition")
    text = [k for k in p["status"]["conditions"] if k["type"] == "PodScheduled"][0]
    tap.eq("autoscalers see the usual reason", text["reason"], "Unschedulable")
    tap.has("people see the amounts", text["message"], "bandwidth (needs 120 Mbit/s; best free: 110 on node-1)")
    events = lambda: [e for e in c.get("/api/v1/namespaces/default/events").json["items"] if e["reason"] == "BandwidthInsufficient"]
    tap.ok("the Event's reason is its own", wait_for(events), c.describe())
    why = subprocess.run([COX, "why", "pod/large", "--kubeconfig", c.path("kubeconfig")], capture_output=True, text=True)
    tap.has("cox why", why.stdout + why.stderr, "120 Mbit/s")
    c.delete(c.url("Pod", "promised") + "?gracePeriodSeconds=0")
    c.wait_running("large")
    tap.ok("it starts when there is room", True)
    now = lambda: c.get(f"/api/v1/nodes/{c.node}/proxy/stats/summary").json["node"]["bandwidth"]["egress"]["requestedBits"]  # noqa: E731
    tap.ok("the node counts it, and the other one no more once it is torn down", wait_for(lambda: now() == 120 * MBIT), now())
    direct = sized("straight", {"cox.io/egress-bandwidth": "60M"})
    direct["spec"]["nodeName"] = c.node
    c.create(direct)
    p = c.wait_phase("straight", "Failed")
    tap.eq("one that names the node itself is refused by the node", p["status"]["reason"], "OutOfkuscia.io/bandwidth")
    tap.has("with the amounts", p["status"]["message"], "egress bandwidth, requested: 60 Mbit/s, used: 120 Mbit/s, capacity: 150 Mbit/s")


def one_after_another(c):
    """What waits is bound in the moment in which the one before is Succeeded: the node has its room by then, too, though it still tears it down."""
    c.kill()
    c.env["COX_FAILPOINTS"] = "agent.teardown=sleep(4000)"
    c.start()
    c.wait_node()
    names = [f"turn-{i}" for i in range(2)]
    for name in names:
        c.create(sized(name, {"cox.io/ingress-bandwidth": "600M"}, "sleep 2", restartPolicy="Never"))
    ended = c.wait(lambda: (lambda pods: pods if all(p["status"]["phase"] in ("Succeeded", "Failed") for p in pods) else None)([c.read(n) for n in names]), "the end of all")
    tap.eq("each gets its turn", [p["status"].get("message", p["status"]["phase"]) for p in ended], ["Succeeded"] * len(names))
    for name in names:
        c.delete(c.url("Pod", name) + "?gracePeriodSeconds=0")
    c.env.clear()


def nonsense_is_told(c):
    r = c.post(c.url("Pod"), sized("odd", None, annotations={"kubernetes.io/egress-bandwidth": "10MBps"}))
    tap.ok("an annotation that is no bandwidth is refused", r.status == 422 and "B are bytes" in r.text and c.read("odd") is None, r)


def a_restart_keeps_it(c):
    p = c.read("limited")
    before = tc("class", "cox0-out")
    c.kill()
    c.start()
    c.wait_node()
    tap.eq("nothing changed while nobody looked", tc("class", "cox0-out"), before)
    c.patch(c.url("Pod", "limited"), {"metadata": {"annotations": {"kubernetes.io/egress-bandwidth": "9M"}}})
    tap.ok("and the next agent goes on", wait_for(lambda: ceil_of("cox0-out", minor_of(p))[1] == "9Mbit"), tc("class", "cox0-out"))


def top_shows_it(c):
    def look():
        return subprocess.run([COX, "top", "nodes", "--bandwidth", "--kubeconfig", c.path("kubeconfig")], capture_output=True, text=True).stdout
    tap.ok("cox top nodes --bandwidth", wait_for(lambda: re.search(r"node-1\s+200 Mbit/s\s+120 Mbit/s\s+\S+ \w*bit/s\s+-\s+1 Gbit/s\s+0 bit/s", look())), look())


def it_goes_with_the_pods(c):
    for p in c.pods():
        c.delete(c.url("Pod", p["metadata"]["name"]) + "?gracePeriodSeconds=0")
    c.wait(lambda: not c.pods(), "no pods")
    tap.ok("no classes are left, nor devices", wait_for(lambda: "Cannot find device" in subprocess.run(["tc", "qdisc", "show", "dev", "cox0-out"], capture_output=True, text=True).stderr), tc("class", "cox0-out"))


def capacity_through_the_api(c):
    """An annotation of the Node is what it has from then on; the agent's own reports say the same."""
    node = f"/api/v1/nodes/{c.node}"
    note = lambda text: c.patch(node, {"metadata": {"annotations": {"cox.io/bandwidth-capacity": text}}})  # noqa: E731
    shown = lambda: {k: (v["cox.io/egress-bandwidth"], v["cox.io/ingress-bandwidth"]) for k, v in c.get(node).json["status"].items() if k in ("capacity", "allocatable")}  # noqa: E731
    rate = lambda: re.search(r"class htb 1:1 root rate (\S+)", tc("class", "cox0-out")).group(1)  # noqa: E731
    r = note("10MBps")
    tap.ok("what is no bandwidth is refused", r.status == 422 and "B are bytes" in r.json["message"], r)
    tap.eq("and changes nothing", "cox.io/bandwidth-capacity" in c.get(node).json["metadata"].get("annotations", {}), False)
    note("egress=400Mbps")
    tap.ok("the node reports it, less the system's part", wait_for(lambda: shown() == {"capacity": ("400M", "1G"), "allocatable": ("350M", "950M")}), shown())
    tap.ok("and shares follow", wait_for(lambda: rate() == "350Mbit"), tc("class", "cox0-out"))
    c.create(sized("more", {"cox.io/egress-bandwidth": "200M"}))
    tap.ok("pods are placed by it", c.wait_running("more"))
    note("egress=100Mbps")
    tap.ok("less than is promised: nobody is put out", wait_for(lambda: rate() == "50Mbit") and c.read("more")["status"]["phase"] == "Running", c.read("more")["status"])
    c.create(sized("none", {"cox.io/egress-bandwidth": "1M"}))
    tap.ok("and nobody is let in", wait_for(lambda: condition(c.read("none"), "PodScheduled") == "False"), c.read("none")["status"])
    note(None)
    tap.ok("without it the node has what it had", wait_for(lambda: shown()["capacity"] == ("200M", "1G") and rate() == "150Mbit"), shown())
    for name in ("more", "none"):
        c.delete(c.url("Pod", name) + "?gracePeriodSeconds=0")
        c.wait_gone(name)


def a_party_is_held_to_its_limits(c):
    """bandwidthLimits and bandwidthRequest of a KusciaTask are classes of its pod on the node."""
    api = "/apis/kuscia.secretflow/v1alpha1"
    def make(path, kind, name, spec, **meta):
        r = c.post(path, {"apiVersion": "kuscia.secretflow/v1alpha1", "kind": kind, "metadata": {"name": name, **meta}, "spec": spec})
        if r.status != 201:
            raise RuntimeError(f"{kind} {name}: {r}")
    c.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "far", "labels": {"kuscia.secretflow/namespace": "bob"}}, "spec": {"podCIDR": "10.77.0.0/24"}})
    c.patch("/api/v1/nodes/far/status", {"status": {"addresses": [{"type": "InternalIP", "address": "10.99.9.9"}]}})
    c.patch(f"/api/v1/nodes/{c.node}", {"metadata": {"labels": {"kuscia.secretflow/namespace": "alice"}}})
    for d in ("alice", "bob"):
        make(f"{api}/domains", "Domain", d, {})
    c.wait(lambda: c.get("/api/v1/namespaces/cross-domain").status == 200 and c.get("/api/v1/namespaces/alice/serviceaccounts/default").status == 200, "the domains")
    make(f"{api}/appimages", "AppImage", "sleeper", {"image": {"name": "cox/host", "tag": "latest"}, "deployTemplates": [{"name": "s", "spec": {"containers": [{"name": "c", "command": ["sleep", "1000"]}]}}]})
    make(f"{api}/namespaces/cross-domain/kusciatasks", "KusciaTask", "held", {"initiator": "alice", "taskInputConfig": "{}", "parties": [
        {"domainID": "alice", "appImageRef": "sleeper", "bandwidthRequest": "egress=20Mbps,ingress=10Mbps", "bandwidthLimits": [{"destinationID": "bob", "limitKBps": 100}]}]})
    def running():
        r = c.get("/api/v1/namespaces/alice/pods/held-0")
        return r.json if r.status == 200 and r.json["status"].get("phase") == "Running" else None
    mine = minor_of(c.wait(running, "the task's pod"))
    dest = "1:%x" % (int(mine.split(":")[1], 16) + 2)
    rates = lambda: tuple((ceil_of(d, mine) or [0])[0] for d in ("cox0-out", "cox0-in"))  # noqa: E731
    tap.ok("the request is its rate, each end its own", wait_for(lambda: rates() == ("20Mbit", "10Mbit")), rates())
    tap.ok("limitKBps is the ceiling of a class for that domain", wait_for(lambda: (ceil_of("cox0-out", dest) or [0, 0])[1] == "819200bit"), tc("class", "cox0-out"))
    c.delete(f"{api}/namespaces/cross-domain/kusciatasks/held")
    c.wait(lambda: c.get("/api/v1/namespaces/alice/pods/held-0").status == 404, "its end")
    c.delete("/api/v1/nodes/far")


def a_kernel_that_cannot(c):
    events = lambda: [e for e in c.get("/api/v1/namespaces/default/events").json["items"] if e["reason"] == "BandwidthNotEnforced"]
    tap.ok("nothing is told as long as nothing is wrong", not events(), events())
    c.kill()
    c.env["COX_FAILPOINTS"] = "net.shape.open=2*error(95)"  # EOPNOTSUPP
    c.start()
    c.wait_node()
    c.create(sized("unshaped", None, annotations={"kubernetes.io/egress-bandwidth": "8M"}))
    p = c.wait_running("unshaped")
    tap.ok("the pod runs all the same, and an Event says what is missing", wait_for(lambda: [e for e in events() if "no ifb device, htb or u32" in (e.get("message") or e.get("note") or "")]), events())
    tap.ok("when the kernel can, the limit comes", wait_for(lambda: ceil_of("cox0-out", minor_of(p)) == ("64Kbit", "8Mbit")), tc("class", "cox0-out"))
    c.env.clear()


def what_others_touch_is_repaired(c):
    """Somebody deletes a device, then a pod's discipline; the third time it cannot be made right at once."""
    node_events = lambda reason: [e for e in c.get("/api/v1/namespaces/default/events").json["items"] if e["reason"] == reason and e["involvedObject"]["kind"] == "Node"]  # noqa: E731
    c.kill()
    c.env["COX_FAILPOINTS"] = "net.shape.open=2+4*error(12)"  # ENOMEM; the first two are those of the start and of the first device
    c.start()
    c.wait_node()
    p = c.wait_running("unshaped")
    link = next(ln.split(":")[1].split("@")[0].strip() for ln in subprocess.run(["ip", "-o", "link"], capture_output=True, text=True).stdout.splitlines() if p["metadata"]["uid"] in ln)
    mine = lambda: ceil_of("cox0-out", minor_of(p)) == ("64Kbit", "9Mbit") and "mirred" in subprocess.run(["tc", "filter", "show", "dev", link, "ingress"], capture_output=True, text=True).stdout  # noqa: E731
    c.patch(c.url("Pod", "unshaped"), {"metadata": {"annotations": {"kubernetes.io/egress-bandwidth": "9M"}}})
    tap.ok("it is shaped, by this agent", wait_for(mine), tc("class", "cox0-out"))
    subprocess.run(["ip", "link", "del", "cox0-out"], check=True)
    tap.ok("a device that was deleted is there again", wait_for(mine), tc("class", "cox0-out"))
    tap.ok("an Event of the node says so", wait_for(lambda: node_events("BandwidthRepaired")), c.get("/api/v1/namespaces/default/events").text)
    subprocess.run(["tc", "qdisc", "del", "dev", link, "clsact"], check=True)
    tap.ok("a pod's link is led there again", wait_for(mine), tc("qdisc", link))
    subprocess.run(["ip", "link", "del", "cox0-in"], check=True)
    tap.ok("while it cannot be made right an Event says why", wait_for(lambda: [e for e in node_events("BandwidthNotEnforced") if "cannot set up the devices that shape traffic" in e["message"]]), node_events("BandwidthNotEnforced"))
    tap.ok("and another one when it is", wait_for(lambda: node_events("BandwidthEnforced") and mine()), node_events("BandwidthEnforced"))
    c.env.clear()


def the_machines_own_network(c):
    """It is not shaped: the pod runs, somebody is told, and no gauge says that it had a limit."""
    c.create(sized("host", None, annotations={"kubernetes.io/egress-bandwidth": "8M"}, hostNetwork=True))
    c.wait_running("host")
    told = lambda: [e for e in c.get("/api/v1/namespaces/default/events").json["items"] if e["reason"] == "BandwidthNotEnforced" and e["involvedObject"]["name"] == "host"]  # noqa: E731
    tap.ok("an Event says that the limit does not hold", wait_for(lambda: [e for e in told() if "the machine's own network" in e["message"]]), told())
    text = c.get(f"/api/v1/nodes/{c.node}/proxy/metrics").text
    tap.ok("others have theirs, it has none", 'limit_bits{namespace="default",pod="unshaped"' in text and 'limit_bits{namespace="default",pod="host"' not in text, text)
    c.delete(c.url("Pod", "host") + "?gracePeriodSeconds=0")


def links_that_others_delete(c):
    """The pods' own links and the bridge: nobody starts pods anew, and somebody is told."""
    p = c.wait_running("unshaped")
    ports = lambda: [ln for ln in subprocess.run(["ip", "-o", "link", "show", "master", "cox0"], capture_output=True, text=True).stdout.splitlines() if p["metadata"]["uid"] in ln]  # noqa: E731
    link = ports()[0].split(":")[1].split("@")[0].strip()
    shaped = lambda: "mirred" in subprocess.run(["tc", "filter", "show", "dev", link, "ingress"], capture_output=True, text=True).stdout  # noqa: E731
    for words in (f"ip link del {link}", "ip link del cox0"):
        subprocess.run(words.split(), check=True)
        tap.ok(f"{words}: the pod is connected again, with its limit", wait_for(lambda: ports() and shaped()), ports())
    told = lambda: [e for e in c.get("/api/v1/namespaces/default/events").json["items"] if e["reason"] == "NetworkRepaired" and e["involvedObject"]["kind"] == "Node"]  # noqa: E731
    tap.ok("an Event of the node says so", wait_for(told), c.get("/api/v1/namespaces/default/events").text)
    tap.eq("no container was started again", c.read("unshaped")["status"]["containerStatuses"][0]["restartCount"], 0)
    c.create(pod("later", "sleep 1000"))
    tap.ok("the next pod finds a network", c.wait_running("later"))


TESTS = [
    capacity_is_shown,
    shares_are_in_force,
    a_limit_is_not_passed,
    an_annotation_may_change,
    a_domain_is_a_destination,
    metrics_tell,
    who_lacks_it_waits_and_says_so,
    nonsense_is_told,
    top_shows_it,
    a_restart_keeps_it,
    capacity_through_the_api,
    a_party_is_held_to_its_limits,
    it_goes_with_the_pods,
    one_after_another,
    a_kernel_that_cannot,
    what_others_touch_is_repaired,
    links_that_others_delete,
    the_machines_own_network,
    it_goes_with_the_pods,
]

if __name__ == "__main__":
    isolate()
    with Cluster(args=["--node-capacity", "egress=200Mbps", "--node-capacity", "ingress=1G", "--node-reserved", "bandwidth=50M"]) as cluster:
        cluster.wait_node()
        tap.run(TESTS, cluster)
    tap.done()
