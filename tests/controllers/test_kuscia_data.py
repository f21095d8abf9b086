#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Data of domains and leave to use it: copies in the other domain, signatures, the end by time and by use, and nothing left when the grant goes."""
import base64
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import Server, rests, tap, wait_for  # noqa: E402

API = "kuscia.secretflow/v1alpha1"
K = f"/apis/{API}"
L = "kuscia.secretflow/"


def path(plural, ns, name=""):
    return f"{K}/namespaces/{ns}/{plural}" + (f"/{name}" if name else "")


def make(s, where, kind, name, spec, **meta):
    r = s.post(where, {"apiVersion": API, "kind": kind, "metadata": {"name": name, **meta}, "spec": spec})
    if r.status != 201:
        raise RuntimeError(f"{kind} {name}: {r}")
    return r.json


def data(s, name, ns="alice", source="default-data-source", **more):
    return make(s, path("domaindatas", ns), "DomainData", name, {"relativeURI": f"{name}.csv", "author": ns, "name": name, "type": "table", "dataSource": source, "vendor": "manual",
                                                                 "columns": [{"name": "id", "type": "str"}], **more})


def grant(s, name, what, to="bob", ns="alice", **more):
    return make(s, path("domaindatagrants", ns), "DomainDataGrant", name, {"author": ns, "domainDataID": what, "grantDomain": to, **more})


def status(s, plural, ns, name):
    r = s.get(path(plural, ns, name))
    return r.json.get("status", {}) if r.status == 200 else None


def is_(s, ns, name, phase, part=""):
    """The grant has the phase, and its message the part."""
    st = status(s, "domaindatagrants", ns, name) or {}
    return st.get("phase") == phase and part in st.get("message", "")


def both(s, name, phase, part="", to="bob"):
    return wait_for(lambda: is_(s, "alice", name, phase, part) and is_(s, to, name, phase, part))


def gone(s, plural, ns, name):
    return wait_for(lambda: s.get(path(plural, ns, name)).status == 404)


def shown(s, name, to="bob"):
    return [status(s, "domaindatagrants", ns, name) for ns in ("alice", to)]


# ---------------------------------------------------------------------------------------------------------------------------------------

def test_default_source(s):
    tap.ok("a domain has a source", wait_for(lambda: s.get(path("domaindatasources", "alice", "default-data-source")).status == 200))
    tap.eq("for files", {k: s.get(path("domaindatasources", "alice", "default-data-source")).json["spec"][k] for k in ("name", "type", "uri")},
           {"name": "default-data-source", "type": "localfs", "uri": "var/storage/data"})


def test_sources(s):
    data(s, "sheet", source="shelf")
    st = lambda: status(s, "domaindatas", "alice", "sheet")  # noqa: E731
    tap.ok("data without its source", wait_for(lambda: st().get("phase") == "Unavailable"), st())
    tap.eq("says so", [(c["status"], c["reason"], c["message"]) for c in st()["conditions"]], [("False", "DataSourceMissing", 'there is no DomainDataSource "shelf" in domain alice')])
    make(s, path("domaindatasources", "alice"), "DomainDataSource", "shelf", {"name": "shelf", "type": "localfs", "uri": "/shelf"})
    tap.ok("with it", wait_for(lambda: st().get("phase") == "Available"), st())
    s.delete(path("domaindatasources", "alice", "shelf"))
    tap.ok("and without again", wait_for(lambda: st().get("phase") == "Unavailable"), st())
    s.delete(path("domaindatas", "alice", "sheet"))


def test_copies(s):
    data(s, "people")
    grant(s, "g-people", "people", description={"why": "psi"})
    tap.ok("it holds on both sides", both(s, "g-people", "Ready"), shown(s, "g-people"))
    copy, mine = s.get(path("domaindatas", "bob", "people")).json, s.get(path("domaindatas", "alice", "people")).json
    tap.eq("the data is there, as granted", (copy["spec"], copy["metadata"]["labels"]),
           ({**mine["spec"], "vendor": "grant"}, {L + "owner-references": "people", L + "domaindata-vendor": "grant"}))
    tap.eq("and can be used", wait_for(lambda: (status(s, "domaindatas", "bob", "people") or {}).get("phase") == "Available"), True)
    copied = s.get(path("domaindatagrants", "bob", "g-people")).json
    tap.ok("the grant, too", copied["spec"] == s.get(path("domaindatagrants", "alice", "g-people")).json["spec"] and copied["metadata"]["labels"] == {L + "owner-references": "g-people", L + "domaindataid": "people"}, copied)
    s.patch(path("domaindatas", "alice", "people"), {"spec": {"relativeURI": "new.csv"}})
    tap.ok("what the author changes", wait_for(lambda: s.get(path("domaindatas", "bob", "people")).json["spec"]["relativeURI"] == "new.csv" and s.get(path("domaindatas", "bob", "people")).json["spec"]["vendor"] == "grant"))
    s.patch(path("domaindatas", "bob", "people"), {"spec": {"relativeURI": "mine.csv"}})
    tap.ok("what the other changes", wait_for(lambda: s.get(path("domaindatas", "bob", "people")).json["spec"]["relativeURI"] == "new.csv"))
    s.delete(path("domaindatas", "bob", "people"))
    s.delete(path("domaindatagrants", "bob", "g-people"))
    tap.ok("or deletes", wait_for(lambda: s.get(path("domaindatas", "bob", "people")).status == 200 and is_(s, "bob", "g-people", "Ready")))
    grant(s, "g-again", "people")
    both(s, "g-again", "Ready")
    s.delete(path("domaindatagrants", "alice", "g-people"))
    tap.ok("one of two goes", gone(s, "domaindatagrants", "bob", "g-people"))
    tap.ok("the data stays for the other", is_(s, "bob", "g-again", "Ready") and s.get(path("domaindatas", "bob", "people")).status == 200)
    s.patch(path("domaindatagrants", "alice", "g-again"), {"spec": {"grantDomain": "carol"}})
    tap.ok("for somebody else now", both(s, "g-again", "Ready", to="carol") and s.get(path("domaindatas", "carol", "people")).status == 200, shown(s, "g-again", "carol"))
    tap.ok("and not for the first any more", gone(s, "domaindatagrants", "bob", "g-again") and gone(s, "domaindatas", "bob", "people"))
    s.delete(path("domaindatas", "alice", "people"))
    tap.ok("the data goes: no copy, and the grant says why", gone(s, "domaindatas", "carol", "people") and both(s, "g-again", "Unavailable", 'there is no DomainData "people" in domain alice', to="carol"), shown(s, "g-again", "carol"))
    s.delete(path("domaindatagrants", "alice", "g-again"))
    tap.ok("nothing is left", gone(s, "domaindatagrants", "carol", "g-again"))


def test_ends(s):
    data(s, "short")
    until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3))
    grant(s, "g-time", "short", limit={"expirationTime": until})
    tap.ok("it ends by time", both(s, "g-time", "Unavailable", f"it was good until {until}"), shown(s, "g-time"))
    tap.ok("and not before", time.time() >= time.mktime(time.strptime(until, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone)
    tap.ok("the data with it", wait_for(lambda: (status(s, "domaindatas", "bob", "short") or {}).get("phase") == "Unavailable"), status(s, "domaindatas", "bob", "short"))
    s.patch(path("domaindatagrants", "alice", "g-time"), {"spec": {"limit": {"expirationTime": None}}})
    tap.ok("until the author says otherwise", both(s, "g-time", "Ready"), shown(s, "g-time"))
    grant(s, "g-uses", "short", limit={"useCount": 2})
    both(s, "g-uses", "Ready")
    use = {"use_time": "2026-01-01T00:00:00Z", "grant_domain": "bob"}
    s.patch(path("domaindatagrants", "bob", "g-uses") + "/status", {"status": {"use_records": [use]}})
    s.patch(path("domaindatagrants", "alice", "g-uses") + "/status", {"status": {"use_records": [use]}})
    tap.ok("or by use, wherever it is written down", both(s, "g-uses", "Unavailable", "it was good for 2 uses, and was used 2 times"), shown(s, "g-uses"))
    tap.eq("the records stay", len(status(s, "domaindatagrants", "bob", "g-uses")["use_records"]), 1)
    for g in ("g-time", "g-uses"):
        s.delete(path("domaindatagrants", "alice", g))
    tap.ok("nothing is left", gone(s, "domaindatas", "bob", "short") and gone(s, "domaindatagrants", "bob", "g-uses"))


def openssl(*args, stdin=b""):
    return subprocess.run(["openssl", *args], input=stdin, capture_output=True, check=True).stdout


def test_signatures(s):
    if not shutil.which("openssl"):
        tap.skip("signatures", "no openssl here")
        return
    key, other = s.path("alice.key"), s.path("other.key")
    for k in (key, other):
        openssl("genrsa", "-out", k, "2048")
    cert = openssl("req", "-x509", "-new", "-key", key, "-subj", "/CN=alice", "-days", "30")
    text = '{"author":"alice","domainDataID":"sealed","grantDomain":"bob","limit":{"expirationTime":"2099-01-01T00:00:00Z","useCount":5,"grantMode":["metadata"]},"description":{"a":"1","b":"x \\u0026 y"}}'
    spec = {"limit": {"grantMode": ["metadata"], "useCount": 5, "expirationTime": "2099-01-01T00:00:00Z"}, "description": {"b": "x & y", "a": "1"}}
    sign = lambda k: base64.b64encode(openssl("dgst", "-sha256", "-sign", k, stdin=text.encode())).decode()  # noqa: E731
    data(s, "sealed")
    grant(s, "g-sealed", "sealed", signature=sign(key), **spec)
    tap.ok("signed, and nothing to check it with", both(s, "g-sealed", "Unavailable", "has no certificate"), shown(s, "g-sealed"))
    s.patch(f"{K}/domains/alice", {"spec": {"cert": base64.b64encode(cert).decode()}})
    tap.ok("signed by the author", both(s, "g-sealed", "Ready"), shown(s, "g-sealed"))
    s.patch(path("domaindatagrants", "alice", "g-sealed"), {"spec": {"limit": {"useCount": 500}}})
    tap.ok("changed afterwards", both(s, "g-sealed", "Unavailable", "its signature is not that of domain alice"), shown(s, "g-sealed"))
    s.patch(path("domaindatagrants", "alice", "g-sealed"), {"spec": {"limit": {"useCount": 5}, "signature": sign(other)}})
    tap.ok("signed by somebody else", both(s, "g-sealed", "Unavailable", "its signature is not that of domain alice"), shown(s, "g-sealed"))
    s.patch(path("domaindatagrants", "alice", "g-sealed"), {"spec": {"signature": sign(key)}})
    tap.ok("and by the author again", both(s, "g-sealed", "Ready"), shown(s, "g-sealed"))
    s.delete(path("domaindatagrants", "alice", "g-sealed"))
    tap.ok("gone", gone(s, "domaindatas", "bob", "sealed"))


def test_what_cannot_be(s):
    says = lambda name, part, ns="alice": tap.ok(name, wait_for(lambda: is_(s, ns, name.replace(" ", "-"), "Unavailable", part)), status(s, "domaindatagrants", ns, name.replace(" ", "-")))  # noqa: E731
    data(s, "plain")
    grant(s, "to-nobody", "plain", to="zoe")
    says("to nobody", 'there is no domain "zoe"')
    make(s, f"{K}/domains", "Domain", "zoe", {})
    tap.ok("until there is", both(s, "to-nobody", "Ready", to="zoe"), shown(s, "to-nobody", "zoe"))
    make(s, f"{K}/domains", "Domain", "far", {"role": "partner"})
    grant(s, "to-a-partner", "plain", to="far")
    says("to a partner", "is a partner of another control plane")
    grant(s, "to-itself", "plain", to="alice")
    says("to itself", "a domain needs no leave for its own data")
    grant(s, "of-nothing", "nothing")
    says("of nothing", 'there is no DomainData "nothing" in domain alice')
    data(s, "twice", ns="alice")
    data(s, "twice", ns="bob")
    grant(s, "of-a-taken-name", "twice")
    says("of a taken name", 'domain bob has other data of the name "twice"')
    tap.eq("which stays as it is", s.get(path("domaindatas", "bob", "twice")).json["spec"]["author"], "bob")
    make(s, path("domaindatagrants", "bob"), "DomainDataGrant", "made-up", {"author": "alice", "domainDataID": "plain", "grantDomain": "bob"})
    says("made up", "domain alice has not given it", ns="bob")
    tap.eq("and brings nothing", s.get(path("domaindatas", "bob", "plain")).status, 404)
    secret = data(s, "secret")
    since = secret["metadata"]["resourceVersion"]
    forged = {"annotations": {L + "initiator": "alice"}}
    make(s, path("domaindatagrants", "bob"), "DomainDataGrant", "forged", {"author": "alice", "domainDataID": "secret", "grantDomain": "bob"}, labels={L + "owner-references": "forged", L + "domaindataid": "secret"}, **forged)
    make(s, path("domaindatas", "bob"), "DomainData", "secret", {"relativeURI": "", "author": "alice", "name": "", "type": "", "dataSource": ""}, labels={L + "owner-references": "secret"}, **forged)
    tap.ok("what looks like copies, and is none, goes", gone(s, "domaindatas", "bob", "secret") and gone(s, "domaindatagrants", "bob", "forged"))
    seen = s.get(f"{path('domaindatas', 'bob')}?watch=1&resourceVersion={since}&timeoutSeconds=1").text
    tap.ok("and never had what alice has", '"secret"' in seen and "secret.csv" not in seen, seen)
    for g in ("to-nobody", "to-a-partner", "to-itself", "of-nothing", "of-a-taken-name"):
        s.delete(path("domaindatagrants", "alice", g))


def test_while_nobody_looked(s):
    """What is made and deleted while the server is killed again and again is made good afterwards."""
    names = [f"k{i}" for i in range(4)]
    for n in names:
        data(s, n)
        grant(s, "g-" + n, n)
        s.kill()
        s.start()
    tap.ok("all copies are there", wait_for(lambda: all(is_(s, "bob", "g-" + n, "Ready") and s.get(path("domaindatas", "bob", n)).status == 200 for n in names)))
    for n in names:
        s.delete(path("domaindatagrants", "alice", "g-" + n))
        s.kill()
        s.start()
    tap.ok("none is left", wait_for(lambda: not any(s.get(path(p, "bob", x)).status == 200 for n in names for p, x in (("domaindatas", n), ("domaindatagrants", "g-" + n)))))
    tap.eq("the author's data is", [n for n in names if s.get(path("domaindatas", "alice", n)).status != 200], [])
    tap.ok("then nobody does anything", rests(s.process.pid))


def main():
    with Server() as s:
        for d in ("alice", "bob", "carol"):
            make(s, f"{K}/domains", "Domain", d, {})
        if not wait_for(lambda: all(s.get(path("domaindatasources", d, "default-data-source")).status == 200 for d in ("alice", "bob", "carol"))):
            raise RuntimeError("no domains: " + s.log()[-2000:])
        tap.run([test_default_source, test_sources, test_copies, test_ends, test_signatures, test_what_cannot_be, test_while_nobody_looked], s)
    tap.done()


main()
