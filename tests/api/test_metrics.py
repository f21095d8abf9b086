"""/metrics in Prometheus' text form, health checks, logs and the audit log."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import Server, configmap, tap  # noqa: E402

SAMPLE = re.compile(r'^([a-z_:][a-z0-9_:]*)(?:\{((?:[a-z_]+="[^"]*",?)*)\})? (\S+)$')


def test_metrics(s):
    s.post("/api/v1/namespaces/default/configmaps", configmap("m"))
    s.get("/api/v1/namespaces/default/configmaps/none")
    text = s.get("/metrics").text
    types, samples, bad = {}, {}, []
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            types[line.split()[2]] = line.split()[3]
        elif not line.startswith("#"):
            m = SAMPLE.match(line)
            if not m:
                bad.append(line)
                continue
            samples[m.group(1) + "{" + (m.group(2) or "") + "}"] = float(m.group(3))
    tap.eq("every line is a sample", bad[:3], [])
    names = {re.sub(r"_(bucket|sum|count)$", "", k.split("{")[0]) if k.split("{")[0] not in types else k.split("{")[0] for k in samples}
    tap.eq("every metric has a type", sorted(n for n in names if n not in types), [])
    created = [v for k, v in samples.items() if k.startswith("apiserver_request_total{") and 'verb="POST"' in k and 'resource="configmaps"' in k and 'code="201"' in k]
    tap.ok("requests are counted by verb, resource and code", created and created[0] >= 1, created)
    missing = [v for k, v in samples.items() if k.startswith("apiserver_request_total{") and 'resource="configmaps"' in k and 'code="404"' in k]
    tap.eq("failures, too", missing, [1.0])
    buckets = [(k, v) for k, v in samples.items() if k.startswith("apiserver_request_duration_seconds_bucket{") and 'verb="POST"' in k and 'resource="configmaps"' in k]
    tap.ok("histograms grow", buckets and [v for _, v in buckets] == sorted(v for _, v in buckets), buckets[:3])
    for name in ("apiserver_storage_objects", "apiserver_current_inflight_requests", "apiserver_longrunning_requests", "process_resident_memory_bytes"):
        tap.ok(name, any(k.startswith(name + "{") for k in samples))
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        tap.eq("promtool has nothing to say", (done.returncode, done.stdout), (0, ""))
    else:
        tap.skip("promtool", "it is not installed")


def test_health(s):
    for path in ("/healthz", "/livez", "/readyz"):
        r = s.get(path, cert=False)
        tap.eq(path, (r.status, r.text), (200, "ok"))
    r = s.get("/readyz?verbose&exclude=ping")
    tap.ok("verbose", "[+]ping excluded: ok" in r.text and r.text.endswith("readyz check passed\n"), r.text)
    tap.eq("an unknown check", s.get("/readyz/nope").status, 404)


def test_audit(s):
    lines = [json.loads(line) for line in open(s.path("audit.log"))]
    made = [e for e in lines if e["verb"] == "create" and e.get("objectRef", {}).get("resource") == "configmaps"]
    tap.ok("a create is in the audit log", made, lines[:2])
    if made:
        e = made[-1]
        tap.eq("with user, object and code", (e["kind"], e["apiVersion"], e["user"]["username"], e["objectRef"]["name"], e["responseStatus"]["code"]),
               ("Event", "audit.k8s.io/v1", "kubernetes-admin", "m", 201))
    tap.ok("health checks are not", not [e for e in lines if e["requestURI"].startswith("/healthz")])


def test_logs(s):
    first = json.loads(next(line for line in s.log().splitlines() if line.startswith("{")))
    tap.eq("JSON logs", (first["level"], first["msg"]), ("info", "ready"))


def main():
    with Server(args=["--log-format", "json"], start=False) as s:
        s.args += ["--audit-log", s.path("audit.log")]
        s.start()
        tap.run((test_metrics, test_health, test_audit, test_logs), s)
    tap.done()


main()
