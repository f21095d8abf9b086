#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Too much of everything: a server that was stopped for seconds, many writers on one object, watchers that never read, lists while others write,
no descriptors left, more writes than may wait."""
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, Server, Watch, configmap, rests, tap, wait_for  # noqa: E402
from lib.raw import H2, dial  # noqa: E402
from scenario.checker import Client, Load  # noqa: E402

PATH = "/api/v1/namespaces/default/configmaps"
SEED = int(os.environ.get("COX_SEED", str(random.SystemRandom().randrange(1 << 32))))


def stopped_for_a_while():
    with Server() as server:
        load = Load(server, SEED)
        load.start()
        wait_for(lambda: load.history.totals["acknowledged"] > 50 and all(f.events for f in load.followers))
        before = [f.resumed for f in load.followers]
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(3)
        done = load.history.totals["acknowledged"]
        server.process.send_signal(signal.SIGCONT)
        tap.ok("after SIGCONT the writers go on", wait_for(lambda: load.history.totals["acknowledged"] > done + 100), load.summary())
        load.pause()
        bad = load.audit()
        tap.ok(f"SIGSTOP for 3 s under load (COX_SEED={SEED})", not bad, "\n".join(bad[:20]))
        tap.eq("no watch was dropped", [f.resumed for f in load.followers], before)
        tap.eq("no write is unknown", load.history.totals["unknown"], 0)
        load.stop()


def hundred_writers():
    writers, each = 100, 3
    with Server() as server:
        server.post(PATH, configmap("counter", data={"n": "0"}))
        context, conflicts, failures = server.ssl_context(), [0], []
        lock = threading.Lock()

        def work():
            client, done = Client(server, context), 0
            try:
                while done < each:
                    status, data = client.call("GET", PATH + "/counter")
                    obj = json.loads(data)
                    obj["data"]["n"] = str(int(obj["data"]["n"]) + 1)
                    status, data = client.call("PUT", PATH + "/counter", obj)
                    if status == 200:
                        done += 1
                    elif status == 409:
                        with lock:
                            conflicts[0] += 1
                        time.sleep(random.random() * 0.05)
                    else:
                        raise RuntimeError(f"{status} {data[:300]}")
            except Exception as e:  # noqa: BLE001
                failures.append(repr(e))
            client.close()
        threads = [threading.Thread(target=work) for _ in range(writers)]
        watch = Watch(server, PATH + "?watch=1&fieldSelector=metadata.name=counter")
        for t in threads:
            t.start()
        for t in threads:
            t.join(PATIENCE)
        tap.eq("100 writers: all done", failures, [])
        tap.eq(f"100 writers: the counter is exact ({conflicts[0]} conflicts)", server.get(PATH + "/counter").json["data"]["n"], str(writers * each))
        watch.wait(lambda ev: len(ev) >= writers * each + 1)
        tap.eq("100 writers: a watcher saw each step once", [e["object"]["data"]["n"] for e in watch.events], [str(i) for i in range(writers * each + 1)])
        watch.close()


# --- watchers that never read -------------------------------------------------------------------------------------------------


class Sleeper:
    """Asks for a watch and does not read."""

    def __init__(self, server, rv):
        self.rv = rv
        self.sock = dial(server, receive_buffer=16384, timeout=10)
        self.sock.sendall(f"GET {PATH}?watch=1&resourceVersion={rv} HTTP/1.1\r\nHost: h\r\n\r\n".encode())

    def wake(self):
        """Reads all there is: (revisions of the complete events, whether the server ended the stream)."""
        data, last = bytearray(), b"\r\n0\r\n\r\n"
        try:
            while not data.endswith(last):
                part = self.sock.recv(65536)
                if not part:
                    break
                data += part
            ended = True
        except TimeoutError:
            ended = False
        except OSError:
            ended = True
        self.sock.close()
        at, text = data.find(b"\r\n\r\n") + 4, bytearray()
        while (eol := data.find(b"\r\n", at)) >= 0:
            size = int(data[at:eol], 16)
            text += data[eol + 2:eol + 2 + size]
            at = eol + 2 + size + 2
        return [int(json.loads(line)["object"]["metadata"]["resourceVersion"]) for line in text.split(b"\n")[:-1]], ended


def revisions_of(server, rv, stop_at):
    """Revisions from rv up to stop_at, without keeping the objects, resuming where the server ended a stream; "expired" when told so."""
    seen, empty = [], 0
    while rv < stop_at and empty < 20:
        conn, before = server.connect(), rv
        conn.request("GET", f"{PATH}?watch=1&resourceVersion={rv}")
        r = conn.getresponse()
        try:
            if r.status == 410:
                return "expired"
            for line in r:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return "expired" if event["object"]["code"] == 410 else event
                rv = int(event["object"]["metadata"]["resourceVersion"])
                seen.append(rv)
                if rv >= stop_at:
                    break
        except (OSError, http.client.HTTPException, ValueError):
            pass
        finally:
            conn.close()
        empty = empty + 1 if rv == before else 0
    return seen


def never_reading_watchers():
    text, big = "e" * 1000000, 115
    with Server() as server:
        conn = server.connect()
        server.post(PATH, configmap("big"), conn=conn)
        for i in range(7):
            server.post(PATH, configmap(f"small-{i}"), conn=conn)
        page = server.get(PATH + "?limit=3").json

        def produce(count):
            revisions = []
            for i in range(count):
                r = server.put(PATH + "/big", configmap("big", data={"n": str(i), "text": text}), conn=conn)
                revisions.append(int(r.json["metadata"]["resourceVersion"]))
            return revisions
        first = produce(75)  # the history is full from here on: what grows later is the watchers'
        expired_list(server, page)
        start = first[-1]
        sleepers = [Sleeper(server, start) for _ in range(5)]
        got = []
        awake = threading.Thread(target=lambda: got.extend(revisions_of(server, start, start + big)))
        awake.start()
        time.sleep(0.2)
        before, peak = server.rss(), 0
        made = []
        for _ in range(big // 5):
            made += produce(5)
            peak = max(peak, server.rss())
        awake.join(PATIENCE)
        print(f"# {(peak - before) >> 20} MB more", flush=True)
        tap.ok("five watchers that never read: memory stays", peak - before < 50 << 20, f"{(peak - before) >> 20} MB more after {big} MB of events")
        tap.eq("... another watcher got every event", got, made)
        for i, s in enumerate(sleepers):
            seen, ended = s.wake()
            tap.ok(f"sleeper {i} got the beginning of the stream and then its end", ended and seen == made[:len(seen)] and len(seen) < big, f"{seen} of {made[:3]}...")
            again = revisions_of(server, seen[-1] if seen else s.rv, made[-1])
            tap.ok(f"sleeper {i} can resume, or is told to list again", again in ("expired", made[len(seen):]), again)
        tap.eq("the server goes on", server.get("/readyz").status, 200)


def expired_list(server, page):
    """A continue token from before what is kept."""
    r = server.get(PATH + "?limit=3&continue=" + page["metadata"]["continue"])
    tap.eq("an old continue token gives 410", (r.status, r.json.get("reason"), r.json.get("code")), (410, "Expired", 410))
    token = r.json["metadata"].get("continue")
    if tap.ok("... with a token to go on without consistency", token, r):
        r = server.get(PATH + "?limit=100&continue=" + token)
        names = [i["metadata"]["name"] for i in r.json.get("items", [])]
        tap.ok("... which gives the rest", r.status == 200 and names[-1] == "small-6" and page["items"][-1]["metadata"]["name"] not in names, f"{r.status} {names}")
    r = server.get(PATH + f"?resourceVersion={page['metadata']['resourceVersion']}&resourceVersionMatch=Exact")
    tap.eq("a list at a revision that is gone gives 410", r.status, 410)


def lists_while_writing():
    count = 600
    with Server() as server:
        conn = server.connect()
        for i in range(count):
            server.post(PATH, configmap(f"obj-{i:04}", data={"n": "0"}), conn=conn)
        stop, context = threading.Event(), server.ssl_context()

        def churn(index):
            client, rng = Client(server, context), random.Random(f"{SEED}/{index}")
            while not stop.is_set():
                name = f"obj-{rng.randrange(count):04}"
                if rng.random() < 0.3:
                    client.call("DELETE", f"{PATH}/{name}")
                    client.call("POST", PATH, configmap(name, data={"n": "1"}))
                else:
                    client.call("PATCH", f"{PATH}/{name}", {"data": {"n": str(rng.random())}}, "application/merge-patch+json")
        threads = [threading.Thread(target=churn, args=(i,), daemon=True) for i in range(4)]
        for t in threads:
            t.start()
        wrong, pages = [], 0
        for turn in range(5):
            items, token, rv, whole = [], "", None, None
            while True:
                body = server.get(f"{PATH}?limit=37{token}", conn=conn).json
                if rv is None:
                    rv = body["metadata"]["resourceVersion"]
                    whole = server.get(f"{PATH}?resourceVersion={rv}&resourceVersionMatch=Exact", conn=conn).json["items"]
                items += body["items"]
                pages += 1
                if body["metadata"]["resourceVersion"] != rv:
                    wrong.append(f"a page of {body['metadata']['resourceVersion']} in a list of {rv}")
                if not body["metadata"].get("continue"):
                    break
                remaining = body["metadata"].get("remainingItemCount")
                if remaining is not None and remaining != len(whole) - len(items):
                    wrong.append(f"{remaining} remain after {len(items)} of {len(whole)}")
                token = "&continue=" + body["metadata"]["continue"]
            if items != whole:
                wrong.append(f"turn {turn}: {len(items)} items in pages, {len(whole)} at once")
        stop.set()
        for t in threads:
            t.join(PATIENCE)
        tap.ok(f"{pages} pages while others write: each list is of one moment (COX_SEED={SEED})", not wrong, "\n".join(wrong))


# --- no descriptors left ----------------------------------------------------------------------------------------------------------


def no_descriptors():
    with Server(wrapper=("prlimit", "--nofile=120:120")) as server:
        load = Load(server, SEED, writers=3)
        load.start()
        watch = Watch(server, PATH + "?watch=1")
        wait_for(lambda: load.history.totals["acknowledged"] > 50)
        socks = []
        for _ in range(250):
            try:
                socks.append(socket.create_connection(("127.0.0.1", server.port), 2))
            except OSError:
                break
        fds = f"/proc/{server.process.pid}/fd"
        tap.ok("the server has no descriptors left", wait_for(lambda: len(os.listdir(fds)) >= 115), len(os.listdir(fds)))
        done = load.history.totals["acknowledged"]
        tap.ok("... connections that are there go on, writes included", wait_for(lambda: load.history.totals["acknowledged"] > done + 50), load.summary())
        load.pause()
        tap.ok("... and it does not spin", rests(server.process.pid))
        for sock in socks:
            sock.close()

        def answers():
            try:
                return server.get("/readyz", timeout=5).status == 200
            except OSError:
                return False
        tap.ok("when they come back it accepts again", wait_for(answers))
        server.post(PATH, configmap("afterwards"))
        tap.ok("the watch saw it all", watch.wait(lambda ev: any(e["object"]["metadata"]["name"] == "afterwards" for e in ev)))
        watch.close()
        bad = load.audit()
        tap.ok(f"what was told to clients holds (COX_SEED={SEED})", not bad, "\n".join(bad[:20]))
        load.stop()


# --- more writes than may wait ------------------------------------------------------------------------------------------------------


def too_many_writes():
    connections, streams = 3, 2400
    server = Server()
    server.kill()
    server.env["COX_FAILPOINTS"] = "store.wal.before_sync=sleep(1000)"
    server.start()
    with server:
        conns = [H2(server) for _ in range(connections)]
        for number, conn in enumerate(conns):
            data = b""
            for i in range(streams):
                body = json.dumps(configmap(f"many-{number}-{i}")).encode()
                data += conn.request("POST", PATH, body, [("content-type", "application/json")])[0]
            threading.Thread(target=conn.sock.sendall, args=(data,), daemon=True).start()
        time.sleep(0.3)
        refused = wait_for(lambda: next((r for r in [server.post(PATH, configmap(f"one-{time.monotonic_ns()}"))] if r.status != 201), None), 15)
        if refused:
            tap.eq("more writes than may wait give 429", (refused.status, refused.json["reason"], refused.json["details"].get("retryAfterSeconds")), (429, "TooManyRequests", 1))
            tap.eq("... with Retry-After", refused.headers["Retry-After"], "1")
        else:
            tap.skip("more writes than may wait, seen by another client", "the many were through before it came")
        tap.eq("... reads are served meanwhile", server.get("/api/v1/namespaces/default").status, 200)
        codes, waits = {}, set()
        for conn in conns:
            conn.wait(lambda c=conn: len(c.ended) + len(c.reset) >= streams)
            for stream in conn.ended:
                body = conn.json(stream)
                code = body.get("code") if body["kind"] == "Status" else 201
                codes[code] = codes.get(code, 0) + 1
                if code == 429:
                    waits.add(body["details"].get("retryAfterSeconds"))
            conn.close()
        tap.eq("each of the many got an answer", sum(codes.values()), connections * streams)
        tap.ok("... 201 or 429, nothing else", set(codes) <= {201, 429} and codes.get(429, 0) > 0, codes)
        tap.eq("... 429 says how long to wait", waits, {1})
        have = [i for i in server.get(PATH).json["items"] if i["metadata"]["name"].startswith("many-")]
        tap.eq("... and what was acknowledged is there, no more", len(have), codes.get(201))
        print("#", codes, flush=True)


if __name__ == "__main__":
    print(f"# COX_SEED={SEED}", flush=True)
    tap.run([stopped_for_a_while, hundred_writers, never_reading_watchers, lists_while_writing, no_descriptors, too_many_writes])
    tap.done()
