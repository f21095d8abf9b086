#!/usr/bin/env python3
"""Bandwidth by measure, on a real node: idle promises are lent to pods that accept it, traffic that is no pod's counts, and a card that goes away and comes back confuses nobody.

The node's card is one end of a veth pair of this script's own, so that what passes it is the test's alone."""
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, tap, wait_for  # noqa: E402
from lib.node import Cluster, condition, isolate  # noqa: E402
from test_bandwidth import MBIT, ceil_of, minor_of, sized  # noqa: E402

ADDRESS, NOBODY = "10.77.0.1", "10.77.0.2"
ACCEPT = {"cox.io/bandwidth-lend": "accept"}
LENT = "cox.io/lent-egress-bandwidth"
SLOWLY = 3 * PATIENCE  # what was busy counts half after thirty seconds: more is shown late on purpose


def card():
    for words in ("link add wire type veth peer name far", f"addr add {ADDRESS}/24 dev wire", "link set wire up", "link set far up", f"neigh add {NOBODY} lladdr 02:00:00:00:00:02 dev wire"):
        subprocess.run(["ip", *words.split()], check=True)


class Traffic:
    """What the machine itself sends over the wire, as long as the block lasts."""

    def __enter__(self):
        self.ended = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            while not self.ended:
                try:
                    s.sendto(bytes(60000), (NOBODY, 9))
                except OSError:
                    pass
                time.sleep(0.003)

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()


def bits(text):
    units = {"": 1, "k": 1000, "M": MBIT, "G": 1000 * MBIT}
    m = re.fullmatch(r"(\d+)([kMG]?)", text)
    return int(m[1]) * units[m[2]]


def allocatable(c, name="cox.io/egress-bandwidth"):
    amount = c.get(f"/api/v1/nodes/{c.node}").json["status"]["allocatable"].get(name)
    return None if amount is None else bits(amount)


def gauges(c, direction="egress"):
    text = c.get(f"/api/v1/nodes/{c.node}/proxy/metrics").text
    return {m[0]: int(m[1]) for m in re.findall(r'^node_bandwidth_(\w+)_bits\{[^}]*direction="' + direction + r'"\} (-?\d+)$', text, re.M)}


def waiting(c, name):
    def look():
        p = c.read(name)
        return [k["message"] for k in p.get("status", {}).get("conditions", []) if k["type"] == "PodScheduled" and k["status"] == "False"]
    found = c.wait(look, f"{name} to wait")
    return found[0]


def annotate(c, value):
    r = c.patch(f"/api/v1/nodes/{c.node}", {"metadata": {"annotations": {"cox.io/bandwidth-lending": value}}})
    assert r.status == 200, r


def nothing_is_lent_unasked(c):
    tap.eq("a node lends nothing by itself", allocatable(c, LENT), None)
    annotate(c, "true")
    tap.ok("with the annotation all that is idle is lent", wait_for(lambda: allocatable(c, LENT) == 150 * MBIT), c.get(f"/api/v1/nodes/{c.node}"))
    tap.eq("in both directions", allocatable(c, "cox.io/lent-ingress-bandwidth"), 150 * MBIT)
    tap.eq("what can be promised is as before", allocatable(c), 150 * MBIT)


def a_promise_counts_until_it_was_seen_idle(c):
    c.create(sized("owner", {"kuscia.io/bandwidth": "100"}))
    c.wait_running("owner")
    tap.ok("a new promise is not lent", wait_for(lambda: allocatable(c, LENT) <= 50 * MBIT), c.describe())
    tap.eq("it takes nothing of what others are promised but its own", allocatable(c), 150 * MBIT)
    tap.ok("after a while of silence it is", wait_for(lambda: allocatable(c, LENT) >= 100 * MBIT, SLOWLY), gauges(c))


def who_accepts_borrows(c):
    c.create(sized("proud", {"kuscia.io/bandwidth": "90"}))
    tap.has("one that wants a promise waits", waiting(c, "proud"), "needs 90 Mbit/s; best free: 50 on node-1")
    c.create(sized("borrower", {"kuscia.io/bandwidth": "90"}, annotations=ACCEPT))
    p = c.wait_running("borrower")
    tap.eq("one that accepts what is lent runs: no rate of its own, its limit as ceiling", ceil_of("cox0-out", minor_of(p)), ("64Kbit", "90Mbit"))
    tap.eq("the owner has its rate", ceil_of("cox0-out", minor_of(c.read("owner")))[0], "100Mbit")
    c.create(sized("greedy", {LENT: "140M"}))
    tap.has("what can be lent is counted, too", waiting(c, "greedy"), "lacks egress bandwidth to borrow (needs 140 Mbit/s")
    why = subprocess.run([COX, "why", "pod/greedy", "--kubeconfig", c.path("kubeconfig")], capture_output=True, text=True)
    tap.has("cox why says so", why.stdout + why.stderr, "bandwidth to borrow")
    events = lambda: [e for e in c.get("/api/v1/namespaces/default/events").json["items"] if e["reason"] == "BandwidthInsufficient" and "borrow" in (e.get("message") or e.get("note") or "")]
    tap.ok("and the Event's reason is the usual one", wait_for(events), c.describe())
    for name in ("proud", "greedy"):
        c.delete(c.url("Pod", name) + "?gracePeriodSeconds=0")


def it_is_shown(c):
    v = wait_for(lambda: (lambda v: v if v.get("lent") == 90 * MBIT else None)(gauges(c)))
    tap.ok("gauges: promised, lent, what can be lent", v and v["reserved"] == 100 * MBIT and v["lendable"] >= 100 * MBIT, gauges(c))
    tap.has("and of the pod", c.get(f"/api/v1/nodes/{c.node}/proxy/metrics").text, 'pod_bandwidth_lent_bits{namespace="default",pod="borrower"')
    look = lambda: subprocess.run([COX, "top", "nodes", "--bandwidth", "--kubeconfig", c.path("kubeconfig")], capture_output=True, text=True).stdout
    tap.ok("cox top nodes --bandwidth", wait_for(lambda: re.search(r"node-1\s+200 Mbit/s\s+100 Mbit/s\s+\S+ \w*bit/s\s+90 Mbit/s of 1\d\d.* Mbit/s\s", look())), look())


def traffic_outside_of_pods_counts(c):
    with Traffic():
        tap.ok("what the machine itself sends makes the node smaller", wait_for(lambda: allocatable(c) <= 110 * MBIT), gauges(c))
        tap.ok("and less is lent", wait_for(lambda: allocatable(c, LENT) <= 100 * MBIT), gauges(c))
        tap.ok("the other direction is as it was", allocatable(c, "cox.io/ingress-bandwidth") == 150 * MBIT, gauges(c, "ingress"))
        c.create(sized("late", {"kuscia.io/bandwidth": "45"}))
        tap.has("the next pod avoids the node", waiting(c, "late"), "lacks bandwidth (needs 45 Mbit/s")
        tap.eq("who is there stays", (condition(c.read("owner"), "Ready"), condition(c.read("borrower"), "Ready")), ("True", "True"))
        v = gauges(c)
        tap.ok("it is shown as nobody's", v["outside"] > 50 * MBIT and v["available"] <= 10 * MBIT, v)
    c.wait(lambda: condition(c.read("late"), "PodScheduled") == "True", "late after the traffic", SLOWLY)
    tap.ok("when it is quiet again the pod comes", True)


def the_card_goes_and_comes_back(c):
    seen = []

    def used():
        seen.append({d: gauges(c, d) for d in ("egress", "ingress")})
        return seen[-1]["egress"].get("used")
    tap.ok("it is measured", wait_for(lambda: used() is not None), seen[-1:])
    subprocess.run(["ip", "link", "del", "wire"], check=True)
    tap.ok("a card that is not there has no rate", wait_for(lambda: used() is None), seen[-1:])
    card()
    with Traffic():
        tap.ok("the new one is measured, its counters begin at zero", wait_for(lambda: (used() or 0) > MBIT), seen[-1:])
    tap.ok("it ends with the traffic", wait_for(lambda: used() == 0), seen[-1:])
    tap.ok("no value was ever negative or more than there can be", all(0 <= n < 100000 * MBIT for s in seen for v in s.values() for n in v.values()), seen)


def it_can_be_ended(c):
    annotate(c, "false")
    tap.ok("nothing is lent any more", wait_for(lambda: allocatable(c, LENT) == 0), c.get(f"/api/v1/nodes/{c.node}"))
    tap.eq("who borrowed stays", condition(c.read("borrower"), "Ready"), "True")


TESTS = [nothing_is_lent_unasked, a_promise_counts_until_it_was_seen_idle, who_accepts_borrows, it_is_shown, traffic_outside_of_pods_counts, the_card_goes_and_comes_back, it_can_be_ended]

if __name__ == "__main__":
    isolate()
    card()
    with Cluster(args=["--node-ip", ADDRESS, "--agent-listen", "0.0.0.0:0", "--node-capacity", "bandwidth=200Mbps", "--node-reserved", "bandwidth=50M"]) as cluster:
        cluster.wait_node()
        tap.run(TESTS, cluster)
    tap.done()
