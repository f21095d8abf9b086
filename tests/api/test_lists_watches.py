"""Lists with limit and continue, selectors, resourceVersion rules; watches without gaps or repeats; tables and metadata-only output."""
import json
import os
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import Server, Watch, configmap, tap, wait_for  # noqa: E402

CM = "/api/v1/namespaces/default/configmaps"
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}


def labelled(name, **labels):
    return {**configmap(name), "metadata": {"name": name, "labels": labels}}


def names(r):
    return [i["metadata"]["name"] for i in r.json["items"] if i["metadata"]["name"] != "kube-root-ca.crt"]


def test_lists(s):
    for i in range(25):
        s.post(CM, labelled(f"l{i:02}", mod=str(i % 5), kind="x"))
    r = s.get(CM + "?labelSelector=kind%3Dx")
    tap.eq("a list in order", names(r), [f"l{i:02}" for i in range(25)])
    tap.eq("kind and version stand at the list", (r.json["kind"], r.json["apiVersion"], "kind" in r.json["items"][0]), ("ConfigMapList", "v1", False))
    for selector, count in (("mod=1", 5), ("mod in (1,2)", 10), ("mod notin (1),kind", 20), ("!mod", None), ("mod!=3,kind=x", 20), ("mod>2", 10)):
        r = s.get(CM + "?labelSelector=" + urllib.parse.quote(selector))
        if count is not None:
            tap.eq(f"selector {selector}", len(names(r)), count)
    tap.eq("bad selector", s.get(CM + "?labelSelector=" + urllib.parse.quote("a==b,,")).status, 400)
    tap.eq("field selector by name", names(s.get(CM + "?fieldSelector=metadata.name%3Dl03")), ["l03"])
    r = s.get(CM + "?fieldSelector=spec.foo%3Dx")
    tap.eq("unknown field label", (r.status, r.json["reason"]), (400, "BadRequest"))


def test_continue(s):
    first = s.get(CM + "?limit=10").json
    token, seen = first["metadata"]["continue"], [i["metadata"]["name"] for i in first["items"]]
    tap.ok("remainingItemCount", first["metadata"]["remainingItemCount"] >= 15, first["metadata"])
    s.post(CM, configmap("zz-late"))
    s.delete(CM + "/l20")
    while token:
        page = s.get(CM + "?limit=10&continue=" + urllib.parse.quote(token)).json
        seen += [i["metadata"]["name"] for i in page["items"]]
        tap.eq("pages read the snapshot of the first", page["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"])
        token = page["metadata"].get("continue", "")
    tap.ok("which still has l20 and has no zz-late", "l20" in seen and "zz-late" not in seen, seen)
    tap.eq("nothing twice", len(seen), len(set(seen)))
    tap.eq("a token that is none", s.get(CM + "?limit=1&continue=bm9wZQ").status, 400)


def test_versions(s):
    rv = int(s.get(CM).json["metadata"]["resourceVersion"])
    s.post(CM, configmap("newer"))
    r = s.get(f"{CM}?resourceVersion={rv}&resourceVersionMatch=Exact")
    tap.ok("Exact gives the past", "newer" not in names(r) and r.json["metadata"]["resourceVersion"] == str(rv), r.json["metadata"])
    tap.ok("NotOlderThan gives the present", "newer" in names(s.get(f"{CM}?resourceVersion={rv}&resourceVersionMatch=NotOlderThan")))
    tap.ok("0 gives the present, too", "newer" in names(s.get(CM + "?resourceVersion=0")))
    r = s.get(f"{CM}?resourceVersion={rv + 100000}")
    tap.eq("the future is 504", (r.status, r.json["details"]["causes"][0]["reason"]), (504, "ResourceVersionTooLarge"))
    tap.eq("Match without a version is 422", s.get(CM + "?resourceVersionMatch=Exact").status, 422)
    tap.eq("Exact 0 is 422", s.get(CM + "?resourceVersion=0&resourceVersionMatch=Exact").status, 422)


def test_watch(s):
    rv = s.get(CM).json["metadata"]["resourceVersion"]
    w = Watch(s, f"{CM}?watch=true&resourceVersion={rv}")
    made = s.post(CM, configmap("w1", data={"a": "1"})).json
    s.patch(CM + "/w1", {"data": {"a": "2"}})
    s.delete(CM + "/w1")
    w.wait(lambda e: len(e) >= 3)
    tap.eq("create, change, delete", [e["type"] for e in w.events], ["ADDED", "MODIFIED", "DELETED"])
    tap.eq("the first event is the object", w.events[0]["object"], made)
    versions = [int(e["object"]["metadata"]["resourceVersion"]) for e in w.events]
    tap.ok("revisions grow, the delete has its own", versions == sorted(set(versions)), versions)
    w.close()
    again = Watch(s, f"{CM}?watch=true&resourceVersion={versions[0]}")
    again.wait(lambda e: len(e) >= 2)
    tap.eq("resume gives exactly the rest", again.events[:2], w.events[1:])
    again.close()


def test_watch_from_now(s):
    w = Watch(s, f"{CM}?watch=true&labelSelector=mod%3D4")
    w.wait(lambda e: len(e) >= 5)
    tap.eq("without a version the state comes first", {e["type"] for e in w.events[:5]}, {"ADDED"})
    count = len(w.events)
    s.patch(CM + "/l04", {"metadata": {"labels": {"mod": "9"}}})
    s.patch(CM + "/l00", {"metadata": {"labels": {"mod": "4"}}})
    s.patch(CM + "/l01", {"data": {"x": "y"}})
    w.wait(lambda e: len(e) >= count + 2)
    tap.eq("leaving the selector is DELETED, entering ADDED", [(e["type"], e["object"]["metadata"]["name"]) for e in w.events[count:]],
           [("DELETED", "l04"), ("ADDED", "l00")])
    w.close()


def test_watch_rules(s):
    w = Watch(s, f"{CM}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
    w.wait(lambda e: any(x["type"] == "BOOKMARK" for x in e))
    last = w.events[-1]
    tap.eq("the initial state ends with a bookmark", (last["type"], last["object"]["metadata"]["annotations"]), ("BOOKMARK", {"k8s.io/initial-events-end": "true"}))
    w.close()
    tap.eq("sendInitialEvents needs its match", s.get(CM + "?watch=true&sendInitialEvents=true").status, 422)
    w = Watch(s, f"{CM}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion={s.get(CM).json['metadata']['resourceVersion']}")
    tap.ok("timeoutSeconds ends it", wait_for(lambda: w.ended))
    tap.eq("with a bookmark", [e["type"] for e in w.events], ["BOOKMARK"])
    w = Watch(s, f"{CM}?watch=true&fieldSelector=metadata.name%3Dl05&resourceVersion=0")
    w.wait(lambda e: len(e) >= 1)
    tap.eq("one name", [e["object"]["metadata"]["name"] for e in w.events], ["l05"])
    w.close()


def test_output(s):
    r = s.get(CM + "/l05", headers=TABLE)
    t = r.json
    tap.eq("table", (t["kind"], [c["name"] for c in t["columnDefinitions"]], t["rows"][0]["cells"][:2]), ("Table", ["Name", "Data", "Age"], ["l05", 0]))
    tap.eq("rows carry metadata", t["rows"][0]["object"]["kind"], "PartialObjectMetadata")
    r = s.get(CM + "?limit=2&includeObject=None", headers=TABLE)
    tap.eq("list as table", (len(r.json["rows"]), "continue" in r.json["metadata"], r.json["rows"][0].get("object")), (2, True, None))
    r = s.get(CM, headers={"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"})
    tap.eq("metadata only", (r.json["kind"], sorted(r.json["items"][0])), ("PartialObjectMetadataList", ["metadata"]))
    r = s.get(CM + "/l05", headers={"Accept": "application/yaml"})
    tap.ok("YAML", r.text.startswith("apiVersion: v1\nkind: ConfigMap\n"), r.text)
    r = s.get(CM + "/l05?pretty=true")
    tap.ok("pretty", r.text.startswith('{\n  "'), r.text[:80])
    big = {"data": {f"k{i}": "x" * 1000 for i in range(200)}}
    s.patch(CM + "/l05", big)
    r = s.get(CM + "/l05", headers={"Accept-Encoding": "gzip"})
    tap.eq("gzip for large answers", (r.headers["Content-Encoding"], len(r.body) < 20000), ("gzip", True))


def test_watch_table(s):
    conn = s.connect()
    conn.request("GET", CM + "?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dl06", headers=TABLE)
    line = json.loads(conn.getresponse().readline())
    tap.eq("watch events as tables", (line["type"], line["object"]["kind"], line["object"]["rows"][0]["cells"][0]), ("ADDED", "Table", "l06"))
    conn.close()


def test_large_first_state(s):
    """A client that asks for the whole state and reads slowly costs the server a few pieces of it, and still gets every object and every later event."""
    ns = "/api/v1/namespaces/big"
    s.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "big"}})
    conn = s.connect()
    for i in range(300):
        s.post(ns + "/configmaps", configmap(f"b{i:03}", ns="big", data={"x": "y" * 100000}), conn=conn)
    before = s.rss()
    watching = s.connect()
    watching.request("GET", ns + "/configmaps?watch=true")
    response = watching.getresponse()
    s.post(ns + "/configmaps", configmap("later", ns="big"))
    tap.ok("unread state is not held in memory", s.rss() - before < 12 << 20, f"grew by {s.rss() - before}")
    names = []
    while not names or names[-1] != "later":
        names.append(json.loads(response.readline())["object"]["metadata"]["name"])
    tap.eq("all of it arrives, then what came later", names[-302:], [f"b{i:03}" for i in range(300)] + ["kube-root-ca.crt", "later"])
    watching.close()


def main():
    with Server() as s:
        tap.run((test_lists, test_continue, test_versions, test_watch, test_watch_from_now, test_watch_rules, test_output, test_watch_table, test_large_first_state), s)
    tap.done()


main()
