#!/usr/bin/env python3
"""Limits and promises with real traffic while agents die, annotations change, capacities shrink and cards say nonsense.

A slow machine makes traffic slower, never faster: what the kernel counted between two looks is at most what may pass in the time around both of them, and what was promised is a rate of a class."""
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.node import Cluster, isolate, pod  # noqa: E402

MBIT = 1000000
BURST = 512 << 10  # bytes that may be on their way, and what classes may send at once
FAKE = "/sys/class/net/up0/speed"
PUMP = "import socket, sys\ns = socket.create_connection((sys.argv[1], 9000))\nwhile True: s.sendall(bytes(1 << 16))"
SINK = """import socket, threading
l = socket.create_server(("", 9000))
def drain(c):
    while c.recv(1 << 20): pass
while True: threading.Thread(target=drain, args=(l.accept()[0],), daemon=True).start()"""
children = []


def start(*words):
    children.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return children[-1]


def speed(text):
    pathlib.Path(FAKE).write_text(text)


def outside():
    """A machine behind up0, which has the default route; a speed of up0 that the test writes (the fake lies over the folder that has none of this namespace's devices anyway)."""
    os.makedirs("/run/netns", exist_ok=True)
    for words in ("mount -t tmpfs none /run/netns", "mount -t tmpfs none /sys/class/net", "ip netns add far", "ip link add up0 type veth peer name up1 netns far", "ip addr add 192.0.2.1/24 dev up0", "ip link set up0 up",
                  "ip -n far addr add 192.0.2.2/24 dev up1", "ip -n far link set up1 up", "ip -n far link set lo up", "ip -n far route add 10.0.0.0/8 via 192.0.2.1", "ip route add default via 192.0.2.2"):
        subprocess.run(words.split(), check=True)
    os.mkdir(os.path.dirname(FAKE))
    start("nsenter", "--net=/run/netns/far", sys.executable, "-c", SINK)


def total(c):
    return c.get(f"/api/v1/nodes/{c.node}").json["status"]["capacity"]["cox.io/egress-bandwidth"]


def cards_that_say_nonsense(c):
    tap.eq("what can be no speed is none: 1000 Mbit/s are assumed", total(c), "1G")
    speed("2500\n")
    tap.ok("a card that says its speed later", wait_for(lambda: total(c) == "2500M"), total(c))
    for text in ("-1\n", "fast\n"):
        speed(text)
        c.kill()
        c.start()
        c.wait_node()
        tap.ok(f"{text!r} at the start", wait_for(lambda: total(c) == "1G"), total(c))
        speed("2500\n")
        tap.ok("and then one", wait_for(lambda: total(c) == "2500M"), total(c))
    speed("-1\n")
    c.patch(f"/api/v1/nodes/{c.node}", {"metadata": {"annotations": {"cox.io/bandwidth-capacity": "ingress=3G"}}})
    tap.ok("a cable that is pulled out changes nothing", wait_for(lambda: c.get(f"/api/v1/nodes/{c.node}").json["status"]["capacity"]["cox.io/ingress-bandwidth"] == "3G") and total(c) == "2500M", total(c))
    speed("100\n")
    tap.ok("a card that settles on less", wait_for(lambda: total(c) == "100M"), total(c))
    c.patch(f"/api/v1/nodes/{c.node}", {"metadata": {"annotations": {"cox.io/bandwidth-capacity": None}}})


def classes():
    """{minor: (bytes, rate, ceil)}, and the times before and after."""
    before = time.monotonic()
    text = subprocess.run(["tc", "-s", "class", "show", "dev", "cox0-out"], capture_output=True, text=True).stdout
    return before, {m[0]: (int(m[3]), m[1], m[2]) for m in re.findall(r"class htb (\S+) .*rate (\S+) ceil (\S+) .*\n Sent (\d+) ", text)}, time.monotonic()


def within(what, minor, limit):
    """Some traffic passes, and not more than may."""
    since, first, _ = classes()
    wait_for(lambda: classes()[1].get(minor, (0,))[0] > first[minor][0] + 2 * BURST)
    _, last, until = classes()
    passed = last[minor][0] - first[minor][0]
    tap.ok(f"{what}: some passes, and at most {limit // MBIT} Mbit/s", 2 * BURST < passed <= limit / 8 * (until - since) + BURST, (passed, until - since, last.get(minor)))


def rate(minor):
    return classes()[1].get(minor, (0, "", ""))[1:]


def sender(c, name, amounts=None, **annotations):
    p = pod(name, "sleep 100000")
    p["metadata"]["annotations"] = {f"kubernetes.io/{k}-bandwidth": v for k, v in annotations.items()}
    if amounts:
        p["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
    c.create(p)
    p = c.wait_running(name)
    start("nsenter", f"--net={c.dir}/agent/pods/{p['metadata']['uid']}/netns", sys.executable, "-c", PUMP, "192.0.2.2")
    return "1:%x" % (int(p["status"]["podIP"].split(".")[3]) << 4)


def traffic_goes_on(c):
    a = sender(c, "a", egress="8M", ingress="8M")
    b = sender(c, "b", {"kuscia.io/bandwidth": "30"}, egress="1G", ingress="1G")
    sender(c, "n")
    within("a limit", a, 8 * MBIT)
    within("the node", "1:1", 90 * MBIT)
    c.kill()
    within("no agent", a, 8 * MBIT)
    within("no agent, the node", "1:1", 90 * MBIT)
    c.start()
    within("an agent that comes back", a, 8 * MBIT)
    c.wait_node()
    within("it is back", a, 8 * MBIT)
    within("it is back, the node", "1:1", 90 * MBIT)
    tap.eq("the promise is as it was", rate(b), ("30Mbit", "1Gbit"))
    c.patch(c.url("Pod", "a"), {"metadata": {"annotations": {"kubernetes.io/egress-bandwidth": "4M"}}})
    tap.ok("another limit", wait_for(lambda: rate(a)[1] == "4Mbit"), rate(a))
    within("another limit", a, 4 * MBIT)
    c.patch(f"/api/v1/nodes/{c.node}", {"metadata": {"annotations": {"cox.io/bandwidth-capacity": "20M"}}})
    tap.ok("less than is promised: the promise is cut to it", wait_for(lambda: rate(b)[0] == "18Mbit" and rate("1:1") == ("18Mbit", "18Mbit")), (rate(b), rate("1:1")))
    within("less than is promised", "1:1", 18 * MBIT)
    c.patch(f"/api/v1/nodes/{c.node}", {"metadata": {"annotations": {"cox.io/bandwidth-capacity": None}}})
    tap.ok("and back", wait_for(lambda: rate(b)[0] == "30Mbit" and rate("1:1")[1] == "90Mbit"), rate(b))


def pods_come_and_go(c):
    """Names and addresses that are used again, while the others send."""
    before = len(classes()[1])
    for turn in range(3):
        for i in range(8):
            p = pod(f"t{i}", "sleep 1000")
            p["metadata"]["annotations"] = {"kubernetes.io/egress-bandwidth": f"{turn + 1}M"}
            c.create(p)
        mine = {"1:%x" % (int(c.wait_running(f"t{i}")["status"]["podIP"].split(".")[3]) << 4) for i in range(8)}
        tap.ok(f"each has its limit, {turn}", wait_for(lambda: {rate(m)[1] for m in mine} == {f"{turn + 1}Mbit"}), [rate(m) for m in mine])
        for i in range(8):
            c.delete(c.url("Pod", f"t{i}") + "?gracePeriodSeconds=0")
        for i in range(8):
            c.wait_gone(f"t{i}")
    tap.ok("nothing of them is left", wait_for(lambda: len(classes()[1]) == before), classes()[1])


def nothing_was_repaired(c):
    """The agent's own changes, and those of links that come and go, are not taken for another program's."""
    told = [(e["reason"], e.get("message")) for e in c.get("/api/v1/namespaces/default/events").json["items"] if e["reason"].startswith("Bandwidth")]
    tap.eq("nobody touched anything", told, [])


def gauges_add_up(c):
    def values():
        text = c.get(f"/api/v1/nodes/{c.node}/proxy/metrics").text
        return {(m[0], m[1]): int(m[2]) for m in re.findall(r'^node_bandwidth_(\w+)_bits\{node="node-1",direction="(\w+)"\} (\d+)$', text, re.M)}
    for end in ("egress", "ingress"):
        v = wait_for(lambda: (lambda v: v if ("used", end) in v else None)(values()))
        tap.eq(f"{end}: total is available, reserved and system's", v["total", end], v["available", end] + v["reserved", end] + v["system", end])
        tap.eq(f"{end}: as they are", [v[k, end] for k in ("total", "system", "reserved")], [100 * MBIT, 10 * MBIT, 30 * MBIT])
    c.patch(f"/api/v1/nodes/{c.node}", {"metadata": {"annotations": {"cox.io/bandwidth-overcommit": "1.5"}}})
    tap.ok("an overcommit factor is in what can be promised", wait_for(lambda: values().get(("available", "egress")) == 105 * MBIT), values())


if __name__ == "__main__":
    isolate()
    outside()
    speed("4294967295\n")
    try:
        with Cluster(args=["--node-ip", "192.0.2.1", "--agent-listen", ":0"]) as cluster:
            cluster.wait_node()
            tap.run([cards_that_say_nonsense, traffic_goes_on, pods_come_and_go, nothing_was_repaired, gauges_add_up], cluster)
    finally:
        for child in children:
            child.kill()
            child.wait()
    tap.done()
