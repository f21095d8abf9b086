#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments under load, and at every failpoint of the store: nothing that was acknowledged is lost.

COX_ROUNDS: rounds of random kills, 200 when not set.  COX_SEED: repeats a run."""
import os
import pathlib
import random
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, ROOT, Server, configmap, tap, wait_for  # noqa: E402
from scenario.checker import PATH, Load  # noqa: E402

ROUNDS = int(os.environ.get("COX_ROUNDS", "200"))
SEED = int(os.environ.get("COX_SEED", str(random.SystemRandom().randrange(1 << 32))))


def random_kills():
    rng = random.Random(SEED)
    with Server() as server:
        load = Load(server, SEED)
        load.start()
        failed = 0
        for i in range(ROUNDS):
            done = load.history.totals["acknowledged"]
            time.sleep(rng.uniform(0.02, 0.25))
            wait_for(lambda: load.history.totals["acknowledged"] > done + 5)  # a slow machine has only just begun
            server.kill()
            load.pause()
            server.start()
            bad = load.audit()
            if bad:
                failed += 1
                tap.ok(f"kill -9, round {i} (COX_SEED={SEED})", False, "\n".join(bad[:20]))
                if failed > 3:
                    break
            load.resume()
        load.pause()
        bad = load.audit()
        load.stop()
        print("#", load.summary(), f"seed {SEED}", flush=True)
        tap.ok(f"{ROUNDS} rounds of kill -9 under load lose nothing", not failed and not bad, "\n".join(bad[:20]))
        tap.ok("the load did something", load.history.totals["acknowledged"] > 5 * ROUNDS, load.summary())
        tap.ok("the log reached back to the last audit", load.expired <= 1 + ROUNDS // 20, load.summary())
        tap.ok("watches went on after each restart", all(f.resumed > ROUNDS * 3 // 4 for f in load.followers), load.summary())
        tap.eq("SIGTERM ends it cleanly", server.stop(), 0)


def graceful_stops():
    """SIGTERM under load: what was taken in is finished, and nothing is lost either."""
    rng = random.Random(SEED)
    with Server() as server:
        load = Load(server, SEED)
        load.start()
        codes, bad = [], []
        for _ in range(8):
            time.sleep(rng.uniform(0.05, 0.2))
            codes.append(server.stop())
            load.pause()
            server.start()
            bad += load.audit()
            load.resume()
        load.pause()
        load.stop()
        tap.eq("SIGTERM under load ends it cleanly", codes, [0] * len(codes))
        tap.ok(f"... and loses nothing (COX_SEED={SEED})", not bad, "\n".join(bad[:20]))
        print("#", load.summary(), flush=True)


# --- failpoints -----------------------------------------------------------------------------------------------------


def source_failpoints():
    names = set()
    for path in (ROOT / "src").rglob("*.c"):
        if not path.name.endswith("_test.c"):
            names.update(re.findall(r'FAILPOINT(?:_ERRNO)?\("(store\.[a-z_.]+)"\)', path.read_text()))
    return sorted(names)


def bulk(server):
    """Writes until the log is long enough to be turned into a snapshot, or the server died."""
    conn, text = server.connect(), "y" * 1000000
    for i in range(400):
        try:
            server.put("/api/v1/namespaces/default/configmaps/bulk", configmap("bulk", data={"n": str(i), "text": text}), conn=conn)
        except Exception:  # noqa: BLE001  it died
            return


def sigterm(server):
    server.process.send_signal(signal.SIGTERM)


def again(server):
    """The failpoint is in the start itself."""


# How each place is reached, where ordinary load does not: (what to set besides, hits to let pass, what to do)
SPECIAL = {
    "store.wal.mid_write": ("store.wal.split_write=error(1);", 20, None),
    "store.wal.split_write": ("", 20, None),
    "store.close.before_marker": ("", 0, sigterm),
    "store.recover.before_truncate": ("", 0, again),
    "store.recover.after_truncate": ("", 0, again),
}
SNAPSHOT = re.compile(r"store\.(snap|wal\.segment)\.")
# Not on any path of a running server; store_crash_test kills there.
UNREACHED = {"store.compact"}


def prepare(server):
    """Some data, the bulk object and a log that was not closed."""
    server.put("/api/v1/namespaces/default/configmaps/bulk", configmap("bulk"))
    if server.get("/api/v1/namespaces/default/configmaps/bulk").status == 404:
        server.post("/api/v1/namespaces/default/configmaps", configmap("bulk"))


def kill_at(server, load, name, rng):
    before, skip, act = SPECIAL.get(name, ("", rng.randrange(5, 60), None))
    if SNAPSHOT.match(name):
        skip, act = 0, bulk
    server.kill()
    server.env["COX_FAILPOINTS"] = f"{before}{name}={skip}+1*panic" if skip else f"{before}{name}=1*panic"
    server.start(wait=False)
    if act is not again:
        try:
            server.wait_ready()
        except RuntimeError as e:
            if server.process.poll() is None:
                raise e
    load.resume()
    if act and server.process.poll() is None:
        act(server)
    died = wait_for(lambda: server.process.poll() is not None)
    code = server.process.poll()
    server.kill()
    load.pause()
    del server.env["COX_FAILPOINTS"]
    server.start()
    return died, code, load.audit()


def failpoints():
    names = source_failpoints()
    tap.ok("the store has failpoints", len(names) > 20, names)
    rng = random.Random(SEED)
    with Server() as server:
        prepare(server)
        load = Load(server, SEED, writers=4)
        load.start()
        load.pause()
        for name in names:
            if name in UNREACHED:
                tap.skip(f"killed at {name}", "not on a path of a running server")
                continue
            died, code, bad = kill_at(server, load, name, rng)
            tap.ok(f"killed at {name}", died and code == -signal.SIGKILL and not bad, f"COX_SEED={SEED} exit {code}\n" + "\n".join(bad[:20]))
        load.stop()
        print("#", load.summary(), flush=True)


def bad_failpoints():
    server = Server(start=False, env={"COX_FAILPOINTS": "store.wal.sync=explode"})
    server.start(wait=False)
    code = server.process.wait(PATIENCE)
    tap.ok("a wrong COX_FAILPOINTS is an error that names it", code > 0 and "explode" in server.log(), f"{code} {server.log()}")
    server.remove()


if __name__ == "__main__":
    print(f"# COX_SEED={SEED} COX_ROUNDS={ROUNDS}", flush=True)
    tap.run([random_kills, graceful_stops, failpoints, bad_failpoints])
    tap.done()
