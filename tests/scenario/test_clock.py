#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wall clock jumps an hour forth and back under a running server: it keeps serving, waits by the monotonic clock, and judges dates by the wall clock."""
import calendar
import glob
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import Server, Watch, configmap, tap, wait_for  # noqa: E402
from scenario.checker import Load  # noqa: E402

NS = "/api/v1/namespaces/default"
SEED = int(os.environ.get("COX_SEED", str(random.SystemRandom().randrange(1 << 32))))
HOUR = 3600
LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") + glob.glob("/usr/lib/faketime/libfaketimeMT.so.1")), None)


class Clock:
    """The wall clock of a server, seconds from the true one."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "faketime")
        self.set(0)

    def set(self, seconds):
        with open(self.path + ".new", "w") as f:
            f.write(f"{seconds:+d}\n")
        os.rename(self.path + ".new", self.path)
        self.offset = seconds

    def env(self):
        return {"LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": self.path, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}

    def now(self):
        return time.time() + self.offset


def created(server, name):
    r = server.post(NS + "/configmaps", configmap(name))
    assert r.status == 201, r
    return calendar.timegm(time.strptime(r.json["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ"))


def near(a, b):
    return abs(a - b) < 600  # jumps are an hour


def token(server):
    r = server.post(NS + "/serviceaccounts/default/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 600}})
    return r.json["status"]["token"]


def token_status(server, value):
    return server.get(NS, headers={"Authorization": "Bearer " + value}, cert=False).status


def jumps(server, clock):
    load = Load(server, SEED, writers=3)
    load.start()
    watch = Watch(server, NS + "/configmaps?watch=1&timeoutSeconds=900&allowWatchBookmarks=true")
    for i, offset in enumerate((0, HOUR, 0, -HOUR, HOUR, 0)):
        clock.set(offset)
        name = f"jump-{i}"
        stamp = created(server, name)
        tap.ok(f"clock at {offset:+d} s: creationTimestamp follows it", near(stamp, clock.now()), f"{stamp} not near {clock.now()}")
        tap.ok(f"clock at {offset:+d} s: the watch lives and sees it", watch.wait(lambda ev, n=name: any(e["object"]["metadata"].get("name") == n for e in ev)) and not watch.ended)
        tap.eq(f"clock at {offset:+d} s: ready", server.get("/readyz").status, 200)
        before = load.history.totals["acknowledged"]
        tap.ok(f"clock at {offset:+d} s: writers go on", wait_for(lambda b=before: load.history.totals["acknowledged"] > b + 30), load.summary())
    watch.close()
    load.pause()
    bad = load.audit()
    tap.ok(f"what was told to clients holds (COX_SEED={SEED})", not bad, "\n".join(bad[:20]))
    tap.ok("no watch was dropped", all(f.resumed == 1 for f in load.followers), load.summary())
    load.stop()


def timers(server, clock):
    """A watch of two seconds ends by itself, wherever the wall clock goes meanwhile."""
    for jump in (HOUR, -HOUR):
        clock.set(0)
        begun = time.monotonic()
        watch = Watch(server, NS + "/configmaps?watch=1&timeoutSeconds=2")
        clock.set(jump)
        tap.ok(f"a jump of {jump:+d} s does not keep a watch from its end", wait_for(lambda w=watch: w.ended) and watch.error is None, watch.error)
        tap.ok(f"a jump of {jump:+d} s does not end a watch before its time", time.monotonic() - begun >= 2)
        watch.close()
    clock.set(0)


def tokens(server, clock):
    clock.set(0)
    value = token(server)
    wanted = token_status(server, value)  # 403: known, without rights
    tap.eq("a fresh token is known", wanted, 403)
    clock.set(HOUR)
    tap.ok("an hour later it has expired", wait_for(lambda: token_status(server, value) == 401), token_status(server, value))
    later = token(server)
    tap.eq("a new one is known", token_status(server, later), 403)
    clock.set(0)
    tap.ok("back in its time the first one is good again", wait_for(lambda: token_status(server, value) == 403), token_status(server, value))
    tap.ok("... and the one from the future is not", wait_for(lambda: token_status(server, later) == 401), token_status(server, later))
    clock.set(-HOUR)
    tap.eq("the admin's certificate is good an hour before it was made", server.get(NS).status, 200)
    tap.eq("a token from now is from the future an hour ago", token_status(server, value), 401)
    clock.set(0)


def restarts(server, clock):
    clock.set(HOUR)
    created(server, "from-the-future")
    revision = int(server.get(NS + "/configmaps").json["metadata"]["resourceVersion"])
    server.kill()
    clock.set(-HOUR)
    server.start()
    r = server.post(NS + "/configmaps", configmap("from-the-past"))
    tap.eq("a start in the past", r.status, 201)
    tap.ok("revisions do not go back", int(r.json["metadata"]["resourceVersion"]) > revision, r)
    table = server.get(NS + "/configmaps", headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
    ages = {row["cells"][0]: row["cells"][-1] for row in table["rows"]}
    tap.ok("an object from the future has an age that can be shown", "from-the-future" in ages and ages["from-the-future"], ages)
    clock.set(0)


if __name__ == "__main__":
    print(f"# COX_SEED={SEED}", flush=True)
    if not LIBRARY:
        tap.skip("clock jumps", "needs libfaketime")
        tap.done()
    with Server(start=False) as s:
        hands = Clock(s.dir)
        s.env.update(hands.env())
        s.start()
        tap.run([jumps, timers, tokens, restarts], s, hands)
    tap.done()
