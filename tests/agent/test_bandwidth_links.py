#!/usr/bin/env python3
"""What passes on the links between domains: two nodes of two domains, real traffic, and the gauges of both ends."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.node import Fleet, isolate, pod  # noqa: E402

MBIT = 1000000
LIMIT = 8 * MBIT


def gauges(f, node):
    text = f.get(f"/api/v1/nodes/{node}/proxy/metrics").text
    return {(m[0], m[1], m[2]): int(m[3]) for m in re.findall(rf'^link_bandwidth_used_bits\{{source="(.*)",destination="(.*)",node="{node}",direction="(.*)"\}} (\d+)$', text, re.M)}


def table(node):
    return node.run("nft", "list", "table", "ip", "cox-links").stdout


def on(node, p):
    p["spec"]["nodeName"] = node
    return p


def label(f, node, domain):
    f.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {"kuscia.secretflow/namespace": domain}}})


def nothing_without_domains(f):
    f.add(1)
    f.add(2)
    f.wait_nodes()
    f.create(on("node-2", pod("sink", "while true; do busybox nc -l -p 9000 > /dev/null; done")))
    to = f.wait_running("sink")["status"]["podIP"]
    p = on("node-1", pod("sender", f"while true; do bash -c 'cat /dev/zero > /dev/tcp/{to}/9000'; sleep 0.1; done"))
    p["metadata"]["annotations"] = {"kubernetes.io/egress-bandwidth": str(LIMIT)}
    f.create(p)
    f.wait_running("sender")
    used = lambda: [int(v) for v in re.findall(r'pod_bandwidth_used_bits\{namespace="default",pod="sender",.*direction="egress"\} (\d+)', f.get("/api/v1/nodes/node-1/proxy/metrics").text) if int(v)]  # noqa: E731
    tap.ok("traffic passes", wait_for(used), f.describe())
    tap.ok("and is of no link: there are no domains", not gauges(f, "node-1") and not table(f.nodes[0]), table(f.nodes[0]))
    label(f, "node-1", "alice")
    label(f, "node-2", "alice")


def each_end_counts(f):
    label(f, "node-2", "Not.a_Domain")
    f.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "odd", "labels": {"kuscia.secretflow/namespace": "carol"}}, "spec": {"podCIDR": "fd00:1::/64"},
                             "status": {"addresses": [{"type": "InternalIP", "address": "fd00::7"}]}})
    label(f, "node-2", "bob")
    there = ("alice", "bob", "egress")
    here = ("alice", "bob", "ingress")
    back = ("bob", "alice", "ingress")
    got = wait_for(lambda: (lambda g: g if g.get(there) else None)(gauges(f, "node-1")))
    tap.ok("what alice's node sends to bob's", got, (gauges(f, "node-1"), f.nodes[0].log()[-1500:]))
    tap.ok("at most what the pod may send", got and got[there] <= LIMIT * 2, got)
    tap.ok("what comes back is the link of the other direction", got and back in got and got[back] < got[there], got)
    tap.ok("nothing else passes on a link", got and {k for k, v in got.items() if v} <= {there, back}, got)
    tap.ok("bob's node counts the same at its end", wait_for(lambda: gauges(f, "node-2").get(here)), (gauges(f, "node-2"), f.nodes[1].log()[-1500:]))


def somebody_flushes_the_rules(f):
    f.nodes[0].run("nft", "delete", "table", "ip", "cox-links")
    tap.ok("it is counted again", wait_for(lambda: "to-bob" in table(f.nodes[0])), f.nodes[0].log()[-1500:])
    tap.ok("and shown", wait_for(lambda: gauges(f, "node-1").get(("alice", "bob", "egress"))), gauges(f, "node-1"))


def it_goes_with_the_domain(f):
    f.nodes[0].kill()
    f.nodes[0].start()
    tap.ok("the next agent goes on", wait_for(lambda: gauges(f, "node-1").get(("alice", "bob", "egress"))), gauges(f, "node-1"))
    f.delete("/api/v1/nodes/odd")
    label(f, "node-2", "alice")
    tap.ok("one domain has no links", wait_for(lambda: not gauges(f, "node-1") and not table(f.nodes[0])), table(f.nodes[0]))


if __name__ == "__main__":
    isolate()
    with Fleet() as fleet:
        tap.run([nothing_without_domains, each_end_counts, somebody_flushes_the_rules, it_goes_with_the_domain], fleet)
    tap.done()
