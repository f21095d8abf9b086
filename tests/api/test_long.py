"""Lists and watches that are longer than what is sent at once: streamed, paged, slow readers, and nothing lost while objects change."""
import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import PATIENCE, Server, configmap, tap, wait_for  # noqa: E402

NS = "/api/v1/namespaces/long/configmaps"
COUNT = 1500


def fill(s):
    s.post("/api/v1/namespaces", {"metadata": {"name": "long"}})

    def some(part):
        conn = s.connect()
        for i in range(part, COUNT, 4):
            body = configmap(f"c-{i:05}", ns="long", data={"text": "x" * 3000})
            body["metadata"]["labels"] = {"odd": str(i % 2)}
            s.request("POST", NS, body, conn=conn)
    threads = [threading.Thread(target=some, args=(part,)) for part in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def names(items):
    return [i["metadata"]["name"] for i in items if i["metadata"]["name"].startswith("c-")]


def test_streamed(s):
    r = s.get(NS)
    all_names = names(r.json["items"])
    tap.ok("a long list comes in order and complete", len(all_names) == COUNT and all_names == sorted(all_names), len(all_names))
    tap.eq("in chunks", r.headers.get("Transfer-Encoding"), "chunked")
    tap.eq("the same for a browser", names(s.get(NS, headers={"User-Agent": "curl/8"}).json["items"]), all_names)
    r = s.get(NS + "?labelSelector=odd%3D1")
    tap.eq("half of it", names(r.json["items"]), all_names[1::2])
    tap.eq("none of it", s.get(NS + "?labelSelector=odd%3D7").json["items"], [])
    r = s.get(NS, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
    tap.eq("as a table", len(r.json["rows"]), len(s.get(NS).json["items"]))
    r = s.get(NS, headers={"Accept": "application/yaml"})
    tap.eq("not as YAML", (r.status, r.json["reason"]), (406, "NotAcceptable"))
    tap.eq("but in pages", s.get(NS + "?limit=5", headers={"Accept": "application/yaml"}).status, 200)


def test_pages(s):
    for limit, query in ((400, ""), (9999999, ""), (10, "&labelSelector=odd%3D1")):
        got, token, pages = [], "", 0
        while True:
            r = s.get(f"{NS}?limit={limit}{query}&continue={token}").json
            got += names(r["items"])
            token, pages = r["metadata"].get("continue", ""), pages + 1
            if not token:
                break
        tap.eq(f"pages of {limit}{query}", len(got), COUNT // 2 if query else COUNT)
        tap.ok("each object once", len(set(got)) == len(got), pages)


def test_left_alone(s):
    """Clients that go away in the middle."""
    for path in (NS, NS + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", NS + "?labelSelector=odd%3D7"):
        for _ in range(5):
            conn = s.connect()
            conn.request("GET", path)
            conn.getresponse().read(1000) if "7" not in path else None
            conn.sock.close()
            conn.close()
    ok = wait_for(lambda: 'apiserver_current_inflight_requests{request_kind="readOnly"} 0' in s.get("/metrics").text)
    tap.ok("leave nothing behind", ok and s.get("/readyz").status == 200)


def read_watch(s, path, state, slow, done):
    conn = s.connect()
    conn.request("GET", path)
    r = conn.getresponse()
    last = 0
    for n, line in enumerate(r):
        ev = json.loads(line)
        rv = int(ev["object"]["metadata"]["resourceVersion"])
        if ev["type"] == "BOOKMARK":
            state["ended"] = state.get("ended") or "initial-events-end" in str(ev["object"]["metadata"].get("annotations"))
            continue
        if state.get("ended") and rv < last:
            state["disorder"] = (last, rv)
        last = rv
        name = ev["object"]["metadata"]["name"]
        if ev["type"] == "DELETED":
            state["objects"].pop(name, None)
        else:
            state["objects"][name] = rv
        if slow and n % 200 == 0:
            time.sleep(0.05)
        if name == done and ev["type"] == "ADDED":
            break
    conn.close()


def test_state_and_changes(s):
    """A watch that begins with the state, read slowly while objects change, ends with what a list says."""
    path = NS + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    states = [{"objects": {}} for _ in range(4)]
    readers = [threading.Thread(target=read_watch, args=(s, path + ("&labelSelector=odd" if i == 3 else ""), states[i], i % 2, "z-done")) for i in range(4)]
    for t in readers:
        t.start()
    conn = s.connect()
    for i in range(300):
        k = i * 37 % COUNT
        s.request("PATCH", f"{NS}/c-{k:05}", json.dumps({"data": {"n": str(i)}}), headers={"Content-Type": "application/merge-patch+json"}, conn=conn)
        if i % 10 == 0:
            s.request("DELETE", f"{NS}/c-{i:05}", conn=conn)
    body = configmap("z-done", ns="long")
    body["metadata"]["labels"] = {"odd": "done"}
    s.request("POST", NS, body, conn=conn)
    for t in readers:
        t.join(PATIENCE)
    want = {i["metadata"]["name"]: int(i["metadata"]["resourceVersion"]) for i in s.get(NS).json["items"]}
    for i, state in enumerate(states):
        have = {k: v for k, v in state["objects"].items()}
        mine = {k: v for k, v in want.items() if k != "kube-root-ca.crt"} if i == 3 else want
        tap.ok(f"watch {i} has the state of the list", have == mine, f"{len(have)} {len(mine)} {set(have.items()) ^ set(mine.items())}")
        tap.ok("in order, with the end of the first state marked", state.get("ended") and "disorder" not in state, state.get("disorder"))


TESTS = [test_streamed, test_pages, test_left_alone, test_state_and_changes]

if __name__ == "__main__":
    with Server() as server:
        fill(server)
        tap.run(TESTS, server)
    tap.done()
