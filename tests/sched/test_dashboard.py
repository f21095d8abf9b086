#!/usr/bin/env python3
"""deploy/grafana/batch.json against a real Prometheus that scrapes a server with queues: every expression is understood, and those about queues find what they ask for."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, ROOT, Server, tap, wait_for  # noqa: E402
from test_batch import add_node, add_pod, add_queue, comes_to  # noqa: E402

DASHBOARD = ROOT / "deploy/grafana/batch.json"
CONFIG = """\
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
scrape_configs:
  - job_name: cox
    scheme: https
    tls_config: {{ca_file: {dir}/ca.pem, cert_file: {dir}/admin.pem, key_file: {dir}/admin.key}}
    static_configs: [{{targets: ['127.0.0.1:{port}']}}]
"""
NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Prometheus:
    """With a port and a folder of its own; nothing of the machine's service is touched."""

    def __init__(self, server):
        self.dir = tempfile.mkdtemp(prefix="cox-prometheus-")
        self.process = None
        pathlib.Path(self.dir, "prometheus.yml").write_text(CONFIG.format(dir=server.dir, port=server.port))

    def start(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        with open(os.path.join(self.dir, "log"), "w") as log:
            self.process = subprocess.Popen(["prometheus", f"--config.file={self.dir}/prometheus.yml", f"--storage.tsdb.path={self.dir}/data", f"--web.listen-address=127.0.0.1:{port}",
                                             "--storage.tsdb.retention.time=1h", "--log.level=warn"], stdout=log, stderr=log, cwd=self.dir)
        return wait_for(self.is_ready, PATIENCE, 0.1)

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError("prometheus ended: " + self.log())
        try:
            return NO_PROXY.open(self.url + "/-/ready", timeout=5).status == 200
        except OSError:
            return False

    def log(self):
        return pathlib.Path(self.dir, "log").read_text(errors="replace")[-2000:]

    def query(self, expression):
        """(series, what was wrong with the expression)"""
        try:
            with NO_PROXY.open(self.url + "/api/v1/query?" + urllib.parse.urlencode({"query": expression}), timeout=PATIENCE) as r:
                return json.load(r)["data"]["result"], None
        except urllib.error.HTTPError as e:
            return [], e.read().decode()

    def targets(self):
        with NO_PROXY.open(self.url + "/api/v1/targets", timeout=PATIENCE) as r:
            return [(t["health"], t["lastError"]) for t in json.load(r)["data"]["activeTargets"]]

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)
        shutil.rmtree(self.dir, ignore_errors=True)


def expressions():
    """[(panel, expression)] as Prometheus gets them: Grafana fills in its variables."""
    board = json.loads(DASHBOARD.read_text())
    found = []
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            found.append((panel["title"], target["expr"].replace("$__rate_interval", "1m").replace("$queue", ".*")))
    return found


def form(_server, _prometheus):
    board = json.loads(DASHBOARD.read_text())
    ids = [p["id"] for p in board["panels"]]
    tap.eq("panels have ids of their own", len(ids), len(set(ids)))
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in board["panels"]]
    tap.eq("and places of their own", len(places), len(set(places)))
    names = {v["name"] for v in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z_]+)", json.dumps(board))) - {"__rate_interval", "__all"}
    tap.eq("every variable is declared, and used", used, names)


def metrics_exist(server, _prometheus):
    """Also those that have no series yet: names are in HELP from the beginning."""
    text = server.get("/metrics").text
    for name in sorted(set(re.findall(r"\b(?:kai|scheduler|cox)_[a-z0-9_]+", " ".join(e for _, e in expressions())))):
        plain = re.sub(r"_(bucket|sum|count)$", "", name)
        tap.ok(f"the server has {name}", f"# TYPE {plain} " in text)


def scraped(_server, prometheus):
    tap.ok("Prometheus reads the server's metrics", wait_for(lambda: [h for h, _ in prometheus.targets()] == ["up"], PATIENCE, 0.1), (prometheus.targets(), prometheus.log()))


def understood(_server, prometheus):
    for panel, expression in expressions():
        _, wrong = prometheus.query(expression)
        tap.ok(f"{panel}: {expression}", wrong is None, wrong)


def queues_have_series(_server, prometheus):
    for panel, expression in expressions():
        if "queue_name" not in expression:
            continue
        want = {"lab", "one", "two"} - ({"two"} if " / " in expression else set())  # nothing waits or runs in it: no share, no saturation

        def names(expression=expression):
            return {s["metric"]["queue_name"] for s in prometheus.query(expression)[0]}
        tap.ok(f"{panel}: a series for each queue", wait_for(lambda w=want, n=names: w <= n(), PATIENCE, 0.2), names())

    def value(expression):
        result = prometheus.query(expression)[0]
        return float(result[0]["value"][1]) if len(result) == 1 else None
    for expression, number in (('kai_queue_allocated_gpus{queue_name="one"}', 3), ('kai_queue_deserved_gpus{queue_name="one"}', 2), ('kai_queue_fair_share_gpu{queue_name="one"}', 3),
                               ('sum(kai_podgroups_scheduled_by_action{action="allocate"}) >= bool 3', 1), ('kai_pod_group_evicted_pods_total{action="reclaim"}', 0)):
        tap.ok(f"{expression} is {number}", wait_for(lambda e=expression, n=number: value(e) == n, PATIENCE, 0.2), value(expression))


def main():
    if not shutil.which("prometheus"):
        tap.skip("the dashboard", "no prometheus here")
        tap.done()
        return
    with Server(scheduler=True) as server:
        add_node(server, "n0", gpus=4)
        add_queue(server, "lab", gpu=4)
        add_queue(server, "one", "lab", gpu=2)
        add_queue(server, "two", "lab", gpu=2)
        for i in range(3):
            add_pod(server, f"p{i}", "one", priority="train")
        tap.ok("three pods run in a queue", comes_to(server, "p", 3))
        prometheus = Prometheus(server)
        try:
            tap.ok("Prometheus starts", prometheus.start(), prometheus.log())
            tap.run([form, metrics_exist, scraped, understood, queues_have_series], server, prometheus)
        finally:
            prometheus.stop()
    tap.done()


if __name__ == "__main__":
    main()
