#!/usr/bin/env python3
"""deploy/grafana/bandwidth.json against a real Prometheus that scrapes a node through the API server: every expression is understood, and finds what it asks for."""
import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "sched")]
from lib.cox import PATIENCE, tap, wait_for  # noqa: E402
from lib.node import Cluster, isolate, pod  # noqa: E402
import test_dashboard  # noqa: E402

DASHBOARD = ROOT.parent / "deploy/grafana/bandwidth.json"
CONFIG = """\
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
scrape_configs:
  - job_name: nodes
    scheme: https
    metrics_path: /api/v1/nodes/node-1/proxy/metrics
    tls_config: {{ca_file: {dir}/ca.pem, cert_file: {dir}/admin.pem, key_file: {dir}/admin.key}}
    static_configs: [{{targets: ['127.0.0.1:{port}']}}]
  - job_name: server
    scheme: https
    tls_config: {{ca_file: {dir}/ca.pem, cert_file: {dir}/admin.pem, key_file: {dir}/admin.key}}
    static_configs: [{{targets: ['127.0.0.1:{port}']}}]
"""


def expressions():
    board = json.loads(DASHBOARD.read_text())
    return [(p["title"], t["expr"].replace("$node", ".*")) for p in board["panels"] for t in p.get("targets", [])]


def form(_c, _prometheus):
    board = json.loads(DASHBOARD.read_text())
    ids = [p["id"] for p in board["panels"]]
    tap.eq("panels have ids of their own", len(ids), len(set(ids)))
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in board["panels"]]
    tap.eq("and places of their own", len(places), len(set(places)))
    used = set(re.findall(r"\$\{?([a-z_]+)", json.dumps(board))) - {"__all"}
    tap.eq("every variable is declared, and used", used, {v["name"] for v in board["templating"]["list"]})


def link_to_bob(c):
    """This node is alice's, another one bob's, and a route between them says what it can carry."""
    domain = lambda name: {"metadata": {"labels": {"kuscia.secretflow/namespace": name}}}  # noqa: E731
    c.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "far", **domain("bob")["metadata"]}, "spec": {"podCIDR": "10.77.0.0/24"},
                             "status": {"addresses": [{"type": "InternalIP", "address": "10.99.9.9"}]}})
    c.patch(f"/api/v1/nodes/{c.node}", domain("alice"))
    for name in ("alice", "bob"):
        c.post("/apis/kuscia.secretflow/v1alpha1/domains", {"apiVersion": "kuscia.secretflow/v1alpha1", "kind": "Domain", "metadata": {"name": name}, "spec": {}})
    r = c.post("/apis/kuscia.secretflow/v1alpha1/clusterdomainroutes", {"apiVersion": "kuscia.secretflow/v1alpha1", "kind": "ClusterDomainRoute", "metadata": {"name": "alice-bob"},
                                                                      "spec": {"source": "alice", "destination": "bob", "authenticationType": "None", "bandwidth": "100Mbps"}})
    assert r.status == 201, r


def series_are_found(c, prometheus):
    amounts = {"kuscia.io/bandwidth": "20"}
    p = pod("busy", "sleep 1000")
    p["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
    c.create(p)
    c.wait_running("busy")
    c.patch(f"/api/v1/nodes/{c.node}", {"metadata": {"annotations": {"cox.io/bandwidth-lending": "true"}}})
    link_to_bob(c)
    tap.ok("Prometheus reads the metrics of node and server", wait_for(lambda: [h for h, _ in prometheus.targets()] == ["up", "up"], PATIENCE, 0.1), (prometheus.targets(), prometheus.log()))
    for panel, expression in expressions():
        found = wait_for(lambda e=expression: prometheus.query(e)[0] or prometheus.query(e)[1], PATIENCE, 0.2)
        tap.ok(f"{panel}: {expression}", isinstance(found, list) and found, found)
    for name, want in (("total", 100e6), ("system", 10e6), ("reserved", 20e6), ("available", 70e6)):
        got = prometheus.query(f'node_bandwidth_{name}_bits{{direction="egress"}}')[0]
        tap.eq(f"the node's {name}", float(got[0]["value"][1]) if got else None, want)


if __name__ == "__main__":
    isolate()
    if not shutil.which("prometheus"):
        tap.skip("the dashboard", "no prometheus here")
        tap.done()
    test_dashboard.CONFIG = CONFIG
    with Cluster(args=["--node-capacity", "bandwidth=100M"]) as cluster:
        cluster.wait_node()
        prom = test_dashboard.Prometheus(cluster)
        try:
            prom.start()
            tap.run([form, series_are_found], cluster, prom)
        finally:
            prom.stop()
    tap.done()
