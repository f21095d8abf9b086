# SPDX-License-Identifier: Apache-2.0
"""Load on one server, and a checker that compares everything clients were told with the server's log.

    history   every write that was sent: what, when, and the answer (acknowledged with its resourceVersion, refused, unknown)
    lists     every list that came back, with its resourceVersion
    streams   every event a watcher got, resumed over restarts from the last resourceVersion it saw
    log       the changes since the last audit, from a fresh watch that starts where the last audit ended

An audit reads the log up to a write of its own (the fence) and checks, see verify():
    no acknowledged write is missing, no refused one is there, none twice; an unknown one may be there or not
    revisions grow, one write has one of them, and they respect real time: sent after an acknowledgement means later in the log
    a conditional write replaced exactly the version it named
    each list is the replay of the log up to its resourceVersion, none older than what was acknowledged before it was asked for
    each stream is the log, without gaps or repeats
When the server says that part of the log is gone (410, legal after a snapshot), an audit falls back to verify_final(): what is there now must be
explained by what was written, and nothing acknowledged may be missing from it.

Each write carries a number of its own in data.n, so that a version says which write made it; deletes name the uid.
Everything random comes from one seed; times in the records are this process's monotonic clock.
"""
import http.client
import json
import random
import threading
import time

from lib.cox import PATIENCE

NS = "load"
PATH = f"/api/v1/namespaces/{NS}/configmaps"
PREFIX = "w-"  # our objects: a controller may put others into the namespace
FENCE = "w-fence"
ACKED, REFUSED, UNKNOWN, SENT = "acknowledged", "refused", "unknown", "sent"


class Write:
    """One write.  kind: create, update, patch or delete.  base: the resourceVersion it was made conditional on, or None."""
    __slots__ = ("kind", "key", "n", "base", "uid", "sent", "answered", "state", "rv", "status")

    def __init__(self, kind, key, n, base=None, uid=None):
        self.kind, self.key, self.n, self.base, self.uid = kind, key, n, base, uid
        self.sent, self.answered, self.state, self.rv, self.status = time.monotonic(), None, SENT, None, None

    def __repr__(self):
        return f"{self.kind} {self.key} n={self.n} base={self.base} {self.state} rv={self.rv} status={self.status}"


class Event:
    __slots__ = ("rv", "type", "key", "n", "uid")

    def __init__(self, kind, obj):
        meta = obj["metadata"]
        self.type, self.key, self.uid = kind, meta["name"], meta["uid"]
        self.rv, self.n = int(meta["resourceVersion"]), int(obj.get("data", {}).get("n", -1))

    def same(self, other):
        return (self.rv, self.type, self.key, self.n, self.uid) == (other.rv, other.type, other.key, other.n, other.uid)

    def __repr__(self):
        return f"{self.type}@{self.rv} {self.key} n={self.n}"


def parse_event(line):
    """An event of ours, or None for bookmarks and objects of others."""
    raw = json.loads(line)
    if raw["type"] == "ERROR":
        raise Expired(raw["object"].get("message", ""))
    if raw["type"] == "BOOKMARK" or not raw["object"]["metadata"]["name"].startswith(PREFIX):
        return None
    return Event(raw["type"], raw["object"])


class Expired(Exception):
    """410: the watch can not go on from there."""


class Listed:
    def __init__(self, sent, at_least, body):
        self.sent, self.at_least, self.rv = sent, at_least, int(body["metadata"]["resourceVersion"])
        self.items = {i["metadata"]["name"]: (int(i["metadata"]["resourceVersion"]), int(i["data"]["n"]))
                      for i in body["items"] if i["metadata"]["name"].startswith(PREFIX)}


class History:
    """What clients did and saw since the last audit.  Threads: any."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0
        self.writes, self.lists = [], []
        self.newest = 0  # largest acknowledged resourceVersion
        self.totals = {ACKED: 0, REFUSED: 0, UNKNOWN: 0}

    def begin(self, kind, key, base=None, uid=None):
        with self.lock:
            self.count += 1
            w = Write(kind, key, self.count, base, uid)
            self.writes.append(w)
            return w

    def end(self, w, state, rv=None, status=None):
        with self.lock:
            w.answered, w.state, w.rv, w.status = time.monotonic(), state, rv, status
            self.totals[state] += 1
            self.newest = max(self.newest, rv or 0)

    def listed(self, sent, at_least, body):
        with self.lock:
            self.lists.append(Listed(sent, at_least, body))

    def take(self):
        with self.lock:
            taken, self.writes, self.lists = (self.writes, self.lists), [], []
            return taken


# --- the check --------------------------------------------------------------------------------------------------------


def apply_event(state, e):
    """state: key -> Event that made its current version.  Returns a complaint or None."""
    before = state.get(e.key)
    if e.type == "DELETED":
        state.pop(e.key, None)
        if not before:
            return f"{e}: deleted what was not there"
        return None if (before.n, before.uid) == (e.n, e.uid) else f"{e}: the deleted version was not the last one, {before}"
    state[e.key] = e
    if (e.type == "ADDED") != (before is None):
        return f"{e}: before it was {before}"
    return None if not before or before.uid == e.uid else f"{e}: another uid than {before}"


def verify_writes(writes, log, state, base_rv):
    """Every event explained by a write, every acknowledged write by an event.  Advances state.  Returns complaints."""
    bad = []
    by_n = {w.n: w for w in writes if w.kind != "delete"}
    deletes = {}
    for w in writes:
        if w.kind == "delete" and w.state != REFUSED:
            deletes.setdefault(w.uid, []).append(w)
    applied, rv, latest_sent = set(), base_rv, None
    for e in log:
        if e.rv <= rv:
            bad.append(f"{e}: not after revision {rv}")
        rv = e.rv
        before = state.get(e.key)
        complaint = apply_event(state, e)
        if complaint:
            bad.append(complaint)
        candidates = deletes.get(e.uid, []) if e.type == "DELETED" else [by_n[e.n]] if e.n in by_n else []
        w = next((c for c in candidates if c.state == ACKED), candidates[0] if candidates else None)
        if not w or w.key != e.key or (w.kind == "create") != (e.type == "ADDED"):
            bad.append(f"{e}: nobody wrote that ({w})")
            continue
        if w.n in applied:
            bad.append(f"{e}: applied twice")
        applied.add(w.n)
        if w.state == REFUSED:
            bad.append(f"{e}: the client was told no: {w}")
        if w.rv is not None and w.rv != e.rv:
            bad.append(f"{e}: acknowledged under another revision: {w}")
        if w.base is not None and (not before or before.rv != w.base):
            bad.append(f"{e}: written on top of {before}, not of revision {w.base}")
        if latest_sent and w.state == ACKED and latest_sent.sent > w.answered:
            bad.append(f"{e}: acknowledged before {latest_sent} was sent, but later in the log")
        if not latest_sent or w.sent > latest_sent.sent:
            latest_sent = w
    for w in writes:
        if w.state == SENT:
            bad.append(f"{w}: never answered")
        if w.state == ACKED and w.n not in applied:
            bad.append(f"lost: {w}")
    return bad


def verify_final(writes, now, before):
    """Without a log: now and before are state, key -> (rv, n), after and before the writes.  Returns complaints."""
    bad, by_key = [], {}
    for w in writes:
        if w.state != REFUSED:
            by_key.setdefault(w.key, []).append(w)
    for key in set(now) | set(before) | set(by_key):
        have, tried = now.get(key), by_key.get(key, [])
        last = max((w for w in tried if w.rv), key=lambda w: w.rv, default=None)
        newest = max(last.rv if last else 0, before.get(key, (0, 0))[0])
        if have is None:
            if newest and not any(w.kind == "delete" and (w.state == UNKNOWN or not last or w.answered > last.sent) for w in tried):
                bad.append(f"lost: {key} had revision {newest} and nobody deleted it")
        elif have[0] < newest:
            bad.append(f"lost: {key} is at revision {have[0]}, {newest} was acknowledged ({last})")
        elif have != before.get(key) and not any(w.n == have[1] and w.rv in (None, have[0]) for w in tried):
            bad.append(f"{key} is {have} and nobody wrote that")
    return bad


def verify_lists(lists, log, state_before, base_rv):
    bad = []
    state, at = dict(state_before), 0
    for listed in sorted(lists, key=lambda l: l.rv):
        if listed.rv < listed.at_least:
            bad.append(f"a list at {listed.rv} was asked for after revision {listed.at_least} was acknowledged")
        if listed.rv < base_rv:
            continue  # a view of the past from before the last audit
        while at < len(log) and log[at].rv <= listed.rv:
            apply_event(state, log[at])
            at += 1
        want = {k: (e.rv, e.n) for k, e in state.items()}
        if listed.items != want:
            wrong = {k: (listed.items.get(k), want.get(k)) for k in set(want) | set(listed.items) if listed.items.get(k) != want.get(k)}
            bad.append(f"the list at {listed.rv} is not the log up to there: (have, want) {dict(list(wrong.items())[:5])}")
    return bad


def verify_stream(name, events, log):
    for i, (have, want) in enumerate(zip(events, log)):
        if not have.same(want):
            return [f"{name}: event {i} is {have}, the log has {want}"]
    if len(events) != len(log):
        return [f"{name}: {len(events)} events, the log has {len(log)}; the first that differs: {(events + log)[min(len(events), len(log)):][:1]}"]
    return []


# --- clients ------------------------------------------------------------------------------------------------------------


class Client:
    """One connection that is made again when it broke.  What it raises says whether the request may have reached the server."""

    class NotSent(Exception):
        pass

    class Lost(Exception):
        pass

    def __init__(self, server, context, timeout=PATIENCE):
        self.server, self.context, self.timeout, self.conn = server, context, timeout, None

    def connect(self):
        if self.conn:
            return
        conn = http.client.HTTPSConnection("127.0.0.1", self.server.port, context=self.context, timeout=self.timeout)
        try:
            conn.connect()
        except OSError as e:
            raise Client.NotSent(str(e)) from e
        self.conn = conn

    def close(self):
        if self.conn:
            self.conn.close()
        self.conn = None

    def call(self, method, path, body=None, content_type="application/json"):
        self.connect()
        try:
            self.conn.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": content_type} if body is not None else {})
            r = self.conn.getresponse()
            data = r.read()
        except (OSError, http.client.HTTPException) as e:
            self.close()
            raise Client.Lost(repr(e)) from e
        if r.will_close:
            self.close()
        return r.status, data


class Worker(threading.Thread):
    """Base of the threads: runs step() while the load is on, parks between."""

    def __init__(self, load, name):
        super().__init__(name=name, daemon=True)
        self.load = load
        self.rng = random.Random(f"{load.seed}/{name}")
        self.client = Client(load.server, load.context)
        self.parked = threading.Event()
        self.failure = None

    def run(self):
        try:
            while not self.load.ended:
                if not self.load.on.is_set():
                    self.parked.set()
                    self.load.on.wait(0.2)
                    continue
                self.parked.clear()
                try:
                    self.step()
                except Client.NotSent:
                    time.sleep(0.003)
        except Exception as e:  # noqa: BLE001  a bug in the test must not look like silence
            self.failure = e
            self.parked.set()
            raise
        finally:
            self.client.close()


class Writer(Worker):
    """Creates, replaces, patches and deletes; half of the time objects that other writers use as well."""

    def __init__(self, load, index, own_keys=4):
        super().__init__(load, f"writer-{index}")
        self.keys = [f"{PREFIX}{index}-{i}" for i in range(own_keys)] + load.shared_keys
        self.known = {}  # key -> (rv, uid) or None when absent; no entry: not known
        self.pad = "x" * self.rng.randrange(600)

    def step(self):
        self.client.connect()  # before the write is on record: without a connection it is not sent
        key = self.rng.choice(self.keys)
        if key not in self.known:
            self.look(key)
        elif self.known[key] is None:
            self.write("create", key)
        else:
            self.write(self.rng.choice(("update", "update", "patch", "patch", "blind", "delete")), key)

    def look(self, key):
        try:
            status, data = self.client.call("GET", f"{PATH}/{key}")
        except Client.Lost:
            return
        if status == 404:
            self.known[key] = None
        elif status == 200:
            meta = json.loads(data)["metadata"]
            self.known[key] = (int(meta["resourceVersion"]), meta["uid"])

    def request(self, kind, key, w, rv):
        data = {"n": str(w.n), "pad": self.pad}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": key}, "data": data}
        if kind == "create":
            return self.client.call("POST", PATH, body)
        if kind == "delete":
            return self.client.call("DELETE", f"{PATH}/{key}", {"preconditions": {"uid": w.uid}})
        if kind == "patch":
            return self.client.call("PATCH", f"{PATH}/{key}", {"data": data}, "application/merge-patch+json")
        if kind == "update":
            body["metadata"]["resourceVersion"] = str(rv)
        return self.client.call("PUT", f"{PATH}/{key}", body)

    def write(self, kind, key):
        rv, uid = self.known.pop(key) or (None, None)
        w = self.load.history.begin("update" if kind == "blind" else kind, key, rv if kind == "update" else None, uid)
        try:
            status, data = self.request(kind, key, w, rv)
        except Client.Lost:
            self.load.history.end(w, UNKNOWN)
            return
        if status in (200, 201):
            body = json.loads(data)
            new = None if kind == "delete" else (int(body["metadata"]["resourceVersion"]), body["metadata"]["uid"])
            if kind == "blind" and status == 201:
                w.kind = "create"  # a PUT of an object that had gone
            self.known[key] = new
            self.load.history.end(w, ACKED, new and new[0], status)
        else:
            # 507: the disk is full and nothing happened.  Any other 5xx does not say what became of the write.
            self.load.history.end(w, REFUSED if status < 500 or status == 507 else UNKNOWN, None, status)
            if status >= 429:
                time.sleep(0.01)
        self.load.answers[status] = self.load.answers.get(status, 0) + 1


class Lister(Worker):
    """Lists: whole, in pages, and as of an older revision."""

    def __init__(self, load, index):
        super().__init__(load, f"lister-{index}")

    def step(self):
        sent, at_least = time.monotonic(), self.load.history.newest
        how = self.rng.choice(("whole", "pages", "exact"))
        query = ""
        if how == "exact":
            back = self.rng.randrange(50)
            query = f"?resourceVersion={max(at_least - back, self.load.base)}&resourceVersionMatch=Exact"
            at_least = 0
        elif how == "pages":
            query = f"?limit={self.rng.randrange(1, 9)}"
        body = self.fetch(query)
        if body:
            self.load.history.listed(sent, at_least, body)
        time.sleep(0.002)

    def fetch(self, query):
        whole, token = None, ""
        while True:
            try:
                status, data = self.client.call("GET", PATH + query + token)
            except Client.Lost:
                return None
            if status != 200:
                self.load.note(f"a list {query}{token} gave {status}: {data[:200]!r}")
                return None
            body = json.loads(data)
            if whole is None:
                whole = body
            else:
                whole["items"] += body["items"]
                if body["metadata"]["resourceVersion"] != whole["metadata"]["resourceVersion"]:
                    self.load.note(f"page of revision {body['metadata']['resourceVersion']} in a list of {whole['metadata']['resourceVersion']}")
            if not body["metadata"].get("continue"):
                return whole
            token = "&continue=" + body["metadata"]["continue"]


class Follower(threading.Thread):
    """A watch that goes on, whatever happens to the server, from the last resourceVersion it saw."""

    def __init__(self, load, name, rv):
        super().__init__(name=name, daemon=True)
        self.load, self.rv, self.events, self.resumed = load, rv, [], 0
        self.sock = self.expired = None

    def run(self):
        while not self.load.ended:
            conn = http.client.HTTPSConnection("127.0.0.1", self.load.server.port, context=self.load.context, timeout=PATIENCE)
            try:
                conn.request("GET", f"{PATH}?watch=1&allowWatchBookmarks=true&resourceVersion={self.rv}")
                self.sock = conn.sock
                r = conn.getresponse()
                if r.status != 200:
                    raise Expired(f"{r.status} {r.read()[:200]!r}")
                self.resumed += 1
                for line in r:
                    self.take(line)
            except Expired as e:
                self.expired = str(e)
                while self.expired and not self.load.ended:  # an audit says from where to go on
                    time.sleep(0.01)
            except (OSError, http.client.HTTPException, AttributeError):
                pass
            except ValueError:  # half a line: the server died while it wrote it
                pass
            finally:
                conn.close()
            time.sleep(0.005)

    def take(self, line):
        if not line.endswith(b"\n"):
            return
        e = parse_event(line)
        if e:
            self.rv = e.rv
            self.events.append(e)

    def take_until(self, rv, timeout=PATIENCE):
        """The events up to rv, once they are all here."""
        end = time.monotonic() + timeout
        while self.rv < rv and not self.expired and time.monotonic() < end:
            time.sleep(0.003)
        n = next((i for i, e in enumerate(self.events) if e.rv > rv), len(self.events))
        taken, self.events = self.events[:n], self.events[n:]
        return taken


    def restart(self, rv):
        self.rv, self.events, self.expired = rv, [], None


class Load:
    """Writers, listers and followers on one server.

        load = Load(server, seed); load.start(); ... server.kill(); load.pause(); server.start(); problems = load.audit(); load.resume()
    """

    def __init__(self, server, seed, writers=6, listers=1, followers=2):
        self.server, self.seed, self.context = server, seed, server.ssl_context()
        self.on, self.ended = threading.Event(), False
        self.history, self.notes, self.answers = History(), [], {}
        self.shared_keys = [f"{PREFIX}shared-{i}" for i in range(3)]
        self.fences = self.log_length = self.rounds = self.expired = 0
        server.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NS}})
        body = server.get(PATH).json
        self.base = int(body["metadata"]["resourceVersion"])
        self.state = {}
        assert not Listed(0, 0, body).items, "the load needs a namespace without objects of its own"
        self.workers = [Writer(self, i) for i in range(writers)] + [Lister(self, i) for i in range(listers)]
        self.followers = [Follower(self, f"follower-{i}", self.base) for i in range(followers)]

    def note(self, text):
        self.notes.append(text)

    def start(self):
        self.on.set()
        for t in self.workers + self.followers:
            t.start()

    def resume(self):
        for t in self.workers:
            t.parked.clear()
        self.on.set()

    def pause(self):
        """Returns when no request of ours is on its way any more."""
        self.on.clear()
        for t in self.workers:
            if not t.parked.wait(2 * PATIENCE):
                self.note(f"{t.name} did not stop: a request without an answer for {PATIENCE} s")

    def stop(self):
        self.ended = True
        self.on.set()
        for f in self.followers:
            try:
                f.sock.shutdown(2)
            except (OSError, AttributeError):
                pass
        for t in self.workers + self.followers:
            t.join(PATIENCE)

    # --- the audit; the load is paused

    def fence(self):
        """A write that marks the end of the log we look at."""
        self.fences += 1
        kind = "create" if FENCE not in self.state and self.fences == 1 else "patch"
        w = self.history.begin(kind, FENCE)
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": FENCE}, "data": {"n": str(w.n)}}
        r = self.server.post(PATH, body) if kind == "create" else self.server.patch(f"{PATH}/{FENCE}", {"data": body["data"]})
        if r.status not in (200, 201):
            self.history.end(w, REFUSED, None, r.status)
            raise RuntimeError(f"the fence was not written: {r}")
        self.history.end(w, ACKED, int(r.json["metadata"]["resourceVersion"]), r.status)
        return w.rv

    def read_log(self, upto):
        """The changes since the last audit.  A watch that lags far behind is ended by the server and goes on from where it was."""
        log, at, empty = [], self.base, 0
        client = Client(self.server, self.context)
        while at < upto and empty < 20:
            client.connect()
            client.conn.request("GET", f"{PATH}?watch=1&resourceVersion={at}")
            r = client.conn.getresponse()
            if r.status != 200:
                raise RuntimeError(f"the log from {at} can not be read: {r.status} {r.read()[:300]!r}")
            before = at
            for line in r:
                e = parse_event(line)
                if e:
                    log.append(e)
                    at = e.rv
                    if at >= upto:
                        break
            empty = empty + 1 if at == before else 0
            client.close()
        return log

    def audit(self):
        """Compares all that was seen since the last audit with the log; returns complaints."""
        upto = self.fence()
        body = self.server.get(PATH).json
        try:
            log = self.read_log(upto)
        except Expired:
            log = None
            self.expired += 1
        self.history.listed(time.monotonic(), upto, body)
        writes, lists = self.history.take()
        bad, self.notes = self.notes, []
        bad += self.audit_state(writes, body) if log is None else self.audit_log(writes, lists, log, upto)
        bad += [f"{t.name}: {t.failure!r}" for t in self.workers if t.failure]
        self.base = upto
        self.rounds += 1
        return bad

    def audit_log(self, writes, lists, log, upto):
        before = dict(self.state)
        bad = verify_writes(writes, log, self.state, self.base) + verify_lists(lists, log, before, self.base)
        for f in self.followers:
            bad += verify_stream(f.name, f.take_until(upto), log)
            if f.expired:
                bad.append(f"{f.name} could not go on from {f.rv} though the log goes back to {self.base}: {f.expired}")
                f.restart(upto)
        self.log_length += len(log)
        return bad

    def audit_state(self, writes, body):
        before = {k: (e.rv, e.n) for k, e in self.state.items()}
        self.state = {e.key: e for e in (Event("ADDED", i) for i in body["items"]) if e.key.startswith(PREFIX)}
        for f in self.followers:
            f.take_until(int(body["metadata"]["resourceVersion"]))
            f.restart(int(body["metadata"]["resourceVersion"]))
        return verify_final(writes, {k: (e.rv, e.n) for k, e in self.state.items()}, before)

    def summary(self):
        t = self.history.totals
        resumed = sum(f.resumed for f in self.followers)
        return (f"{self.rounds} audits, {self.expired} of them without a log; {self.log_length} changes; writes: {t[ACKED]} acknowledged, {t[REFUSED]} refused, {t[UNKNOWN]} unknown; "
                f"{resumed} watches; answers {dict(sorted(self.answers.items()))}")
