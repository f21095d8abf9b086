#!/usr/bin/env python3
"""`cox controllers` beside a server without any: the same work over HTTPS, one of several by election, killed and started again."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Controllers, Server, tap, wait_for  # noqa: E402

APPS = "/apis/apps/v1/namespaces/default/deployments"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cox-controllers"
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}


def pods(s):
    return [p for p in s.get("/api/v1/namespaces/default/pods").json["items"] if not p["metadata"].get("deletionTimestamp")]


def scale(s, n):
    return s.patch(f"{APPS}/web", {"spec": {"replicas": n}})


def alone(s):
    s.post(APPS, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}})
    tap.eq("without controllers nothing happens", pods(s), [])
    c = Controllers(s, "first")
    tap.ok("with them a deployment has its pods", wait_for(lambda: len(pods(s)) == 3, PATIENCE))
    tap.ok("a namespace has its service account and CA", wait_for(lambda: s.get("/api/v1/namespaces/default/configmaps/kube-root-ca.crt").status == 200 and
                                                                  s.get("/api/v1/namespaces/default/serviceaccounts/default").status == 200, PATIENCE))
    tap.eq("they are healthy", c.get("/healthz"), "ok")
    tap.has("and say that they act", c.get("/metrics"), "cox_controllers_active 1")
    c.end(hard=True)
    scale(s, 5)
    c = Controllers(s, "second")
    tap.ok("killed, the next ones go on", wait_for(lambda: len(pods(s)) == 5, PATIENCE))
    tap.eq("SIGTERM ends them cleanly", c.end(), 0)


def election(s):
    both = [Controllers(s, f"elected-{i}", "--leader-elect", "--leader-elect-lease-duration", "3s") for i in range(2)]
    holder = wait_for(lambda: s.get(LEASE).json.get("spec", {}).get("holderIdentity"), PATIENCE) or ""
    tap.ok("of two one acts", wait_for(lambda: [c.leads() for c in both].count(True) == 1, PATIENCE), holder)
    first = next(c for c in both if c.leads())
    other = both[1 - both.index(first)]
    scale(s, 2)
    tap.ok("it works", wait_for(lambda: len(pods(s)) == 2, PATIENCE))
    first.end(hard=True)
    tap.ok("when it dies the other acts", wait_for(other.leads, PATIENCE))
    scale(s, 4)
    tap.ok("and works", wait_for(lambda: len(pods(s)) == 4, PATIENCE))
    other.end()


def mistakes(s):
    run = lambda *words: subprocess.run([COX, "controllers", *words], capture_output=True, text=True, timeout=PATIENCE)
    done = run("--kubeconfig", s.kubeconfig, "--cluster-signing-key-file", "x")
    tap.ok("half of a signing pair is refused", done.returncode != 0 and "belong together" in done.stderr, done.stderr)
    done = run("--kubeconfig", s.kubeconfig, "extra")
    tap.ok("so are words", done.returncode != 0 and "only options" in done.stderr, done.stderr)


if __name__ == "__main__":
    with Server(args=["--controllers=false"]) as server:
        tap.run([alone, election, mistakes], server)
    tap.done()
