#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that are killed after, and before, each single write of their controllers while a service of several domains is made, changed and deleted, and data is granted: it ends as without a kill."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import rests, tap, wait_for  # noqa: E402
from lib.kuscia import K, KDS, Domains, all_parts, image, is_available, make, numbers, parts, party, service  # noqa: E402
from test_domain_kills import through  # noqa: E402

# What clears up asks for everything again in each life, and what starts tries some writes in vain: lives are longer than that.
KILLS = {"after": lambda n: f"controllers.write.after={n % 9}+panic", "before": lambda n: f"controllers.write.before={7 + n % 16}+panic"}


def inputs(s, name):
    """What the pods of the service were started with."""
    return sorted(e["value"] for p in parts(s, "pods", name).values() if not p["metadata"].get("deletionTimestamp") for e in p["spec"]["containers"][0]["env"] if e["name"] == "INPUT_CONFIG")


def is_settled(s, name, config):
    return is_available(s, name) and inputs(s, name) == [config] * 3


def what(s, name):
    """What there is of it, without what differs between any two runs."""
    return sorted(p.replace(name, "SERVICE") for p in all_parts(s, name) if p.split()[0] in ("deployments", "services", "configmaps"))


def test_services(s):
    both = [party("alice", appImageRef="files", template={"replicas": 2}), party("bob", appImageRef="files")]
    service(s, "calm", *both, config="1")
    tap.ok("without a kill", wait_for(lambda: is_settled(s, "calm", "1")), s.get(KDS).text[:2000])
    want = what(s, "calm")
    rests(s.process.pid)  # what other controllers make of its pods comes a moment later
    s.stop()
    s.env["COX_FAILPOINTS"] = "controllers.write.after=panic"
    s.start()
    tap.ok("one that has what it wants is not written", rests(s.process.pid) and s.process.poll() is None)
    for how, points in KILLS.items():
        name = f"kill-{how}"
        service(s, name, *both, config="1")
        lives = through(s, points, lambda: is_settled(s, name, "1"))
        tap.ok(f"killed {how} each write: it is made, in {lives} lives of the server", wait_for(lambda: is_settled(s, name, "1")), s.get(f"{KDS}/{name}"))
        tap.eq(f"killed {how} each write: as without", what(s, name), want)
        tap.ok(f"killed {how} each write: no port number twice", all(len(n) == len(set(n)) for n in numbers(s).values()), numbers(s))
        given = numbers(s)
        s.patch(f"{KDS}/{name}", {"spec": {"inputConfig": "2"}})
        lives = through(s, points, lambda: is_settled(s, name, "2"))
        tap.ok(f"killed {how} each write: it is changed, in {lives} lives of the server", wait_for(lambda: is_settled(s, name, "2")), s.get(f"{KDS}/{name}"))
        tap.eq(f"killed {how} each write: with the numbers it had", numbers(s), given)
        s.delete(f"{KDS}/{name}")
        gone = lambda: s.get(f"{KDS}/{name}").status == 404 and not all_parts(s, name)  # noqa: E731
        lives = through(s, points, gone)
        tap.ok(f"killed {how} each write: it is deleted, in {lives} lives of the server", wait_for(gone), all_parts(s, name))
    tap.ok("the other was not touched", is_settled(s, "calm", "1") and what(s, "calm") == want, what(s, "calm"))


def test_grants(s):
    data, grants = f"{K}/namespaces/%s/domaindatas", f"{K}/namespaces/%s/domaindatagrants"
    for how, points in KILLS.items():
        name = f"leave-{how}"
        make(s, data % "alice", "DomainData", name, {"relativeURI": "x", "author": "alice", "name": name, "type": "table", "dataSource": "default-data-source"})
        make(s, grants % "alice", "DomainDataGrant", name, {"author": "alice", "domainDataID": name, "grantDomain": "bob"})
        holds = lambda: all(s.get(f"{grants % d}/{name}").json.get("status", {}).get("phase") == "Ready" for d in ("alice", "bob")) and s.get(f"{data % 'bob'}/{name}").json.get("status", {}).get("phase") == "Available"  # noqa: E731
        lives = through(s, points, holds)
        tap.ok(f"killed {how} each write: the grant holds, in {lives} lives of the server", wait_for(holds), s.get(grants % "bob"))
        s.delete(f"{grants % 'alice'}/{name}")
        gone = lambda: s.get(f"{grants % 'bob'}/{name}").status == 404 and s.get(f"{data % 'bob'}/{name}").status == 404  # noqa: E731
        lives = through(s, points, gone)
        tap.ok(f"killed {how} each write: and is gone, in {lives} lives of the server", wait_for(gone), s.get(data % "bob"))


if __name__ == "__main__":
    with Domains(("alice", "bob")) as server:
        image(server, "files", cpu="100m", files={"a.conf": "{{.SERVING_ID}} {{.INPUT_CONFIG}}"})
        tap.run([test_services, test_grants], server)
    tap.done()
