#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that are killed after, and before, each single write of their controllers while a service of several domains is made, changed and deleted, data is granted, and a domain is made: it ends as without a
kill."""
import base64
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import rests, tap, wait_for  # noqa: E402
from lib.kuscia import K, KDS, Domains, all_parts, image, is_available, make, numbers, parts, party, service, status  # noqa: E402
from test_domain_kills import asked, through  # noqa: E402

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


def test_tokens(s):
    """A domain's token lets machines in: there is none but those that the status shows."""
    secrets = lambda d: s.get(f"/api/v1/namespaces/kube-system/secrets?labelSelector=kuscia.secretflow/domain-name%3D{d}").json["items"]  # noqa: E731
    plain = lambda secret, key: base64.b64decode(secret["data"][key]).decode()  # noqa: E731
    there = lambda d: sorted(f"{plain(x, 'token-id')}.{plain(x, 'token-secret')}" for x in secrets(d))  # noqa: E731
    shown = lambda d: sorted(t["token"] for t in status(s, f"{K}/domains/{d}").get("deployTokenStatuses", []))  # noqa: E731
    for how, points in KILLS.items():
        name = f"new-{how}"
        make(s, f"{K}/domains", "Domain", name, {})
        lives = through(s, points, lambda: bool(shown(name)))
        tap.ok(f"killed {how} each write: the domain has a token, in {lives} lives of the server", wait_for(lambda: shown(name)))
        tap.eq(f"killed {how} each write: and no other", there(name), shown(name))
    bad = []
    for n in range(12):
        name = f"cut-{n}"
        s.stop()
        s.env["COX_FAILPOINTS"] = f"controllers.write.after={n}+panic"
        if asked(s.start):
            asked(lambda: make(s, f"{K}/domains", "Domain", name, {}))
            wait_for(lambda: s.process.poll() is not None or asked(lambda: shown(name)))
        s.kill()
        s.env["COX_FAILPOINTS"] = ""
        s.start()
        if s.get(f"{K}/domains/{name}").status == 200:
            wait_for(lambda: shown(name))
            if there(name) != shown(name):
                bad.append(f"after {n} writes: {len(there(name))} tokens, {len(shown(name))} shown")
    tap.ok("killed after 0 to 11 writes: a token that was made and not shown is the next one", not bad, "\n".join(bad))


if __name__ == "__main__":
    with Domains(("alice", "bob")) as server:
        image(server, "files", cpu="100m", files={"a.conf": "{{.SERVING_ID}} {{.INPUT_CONFIG}}"})
        tap.run([test_services, test_grants, test_tokens], server)
    tap.done()
