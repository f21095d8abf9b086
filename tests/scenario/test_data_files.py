#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What happens to the data files: torn ends are cut off, damage is refused with a sentence that says what to do, and `cox store` looks after them."""
import contextlib
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, Server, configmap, tap  # noqa: E402

PATH = "/api/v1/namespaces/default/configmaps"
OBJECTS = 40
SEED = int(os.environ.get("COX_SEED", str(random.SystemRandom().randrange(1 << 32))))
WHAT_TO_DO = "cox store check"  # the sentence names a next step


def cox(*args):
    done = subprocess.run([COX, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout


def store_files(folder, prefix):
    return sorted(pathlib.Path(folder, "store").glob(prefix + "*"))


def wal_records(path):
    """(offset, end) of each record: a header of 64 bytes, then records of 24 bytes and a payload, rounded up to 8."""
    data, at, records = path.read_bytes(), 64, []
    magic = data[at:at + 4]
    while data[at:at + 4] == magic and at + 24 <= len(data):
        end = at + (24 + struct.unpack_from("<I", data, at + 4)[0] + 7) // 8 * 8
        records.append((at, end))
        at = end
    return records


def flip(path, offset, bit=0x10):
    with open(path, "r+b") as f:
        f.seek(offset)
        byte = f.read(1)[0]
        f.seek(offset)
        f.write(bytes([byte ^ bit]))


@contextlib.contextmanager
def copy_of(folder):
    """The data of a server in a folder of its own: store and keys, no sockets."""
    new = tempfile.mkdtemp(prefix="cox-test-")
    for name in ("store", "pki"):
        shutil.copytree(os.path.join(folder, name), os.path.join(new, name))
    yield new
    shutil.rmtree(new, ignore_errors=True)


def make_data(clean):
    """A data folder with OBJECTS objects, closed with SIGTERM or with kill -9."""
    folder = tempfile.mkdtemp(prefix="cox-test-")
    server = Server(data_dir=folder, args=["--controllers=false"])  # the last record shall be ours
    conn = server.connect()
    for i in range(OBJECTS):
        server.post(PATH, configmap(f"o{i}", data={"n": str(i)}), conn=conn)
    conn.close()
    server.stop() if clean else server.kill()
    return folder


def names(server):
    return {i["metadata"]["name"] for i in server.get(PATH).json["items"]} & {f"o{i}" for i in range(OBJECTS)}


def start(folder):
    """(server, None) when it starts, (None, what it said) when it does not."""
    server = Server(data_dir=folder, start=False)
    try:
        server.start()
        return server, None
    except RuntimeError:
        ended = server.process.poll()
        server.kill()
        return None, server.log() if ended is not None else "it hangs"


# --- damage -------------------------------------------------------------------------------------------------------------


def refuses(name, folder, *parts):
    server, said = start(folder)
    if server:
        server.kill()
    tap.ok(f"{name}: the server does not start", server is None and said != "it hangs", said)
    for part in parts:
        tap.has(f"{name}: it says {part!r}", said or "", part)


def torn_tails():
    folder = make_data(clean=False)
    wal = store_files(folder, "wal-")[-1]
    records = wal_records(wal)
    start_of_last, end_of_last = records[-1]
    rng = random.Random(SEED)
    cuts = {"cut before the last record": start_of_last, "cut in its header": start_of_last + rng.randrange(1, 24),
            "cut in its payload": rng.randrange(start_of_last + 25, end_of_last - 8)}
    for name, cut in cuts.items():
        with copy_of(folder) as copy:
            os.truncate(store_files(copy, "wal-")[-1], cut)
            one_torn(name, copy, cut != start_of_last)
    for name, at in {"last byte flipped": end_of_last - 9, "a byte of its header flipped": start_of_last + rng.randrange(1, 24)}.items():
        with copy_of(folder) as copy:
            flip(store_files(copy, "wal-")[-1], at)
            one_torn(f"{name} at {at}", copy, True)
    with copy_of(folder) as copy:
        with open(store_files(copy, "wal-")[-1], "r+b") as f:
            f.seek(end_of_last)
            f.write(rng.randbytes(500))
        one_torn("garbage after the last record", copy, True, lost=0)
    with copy_of(folder) as copy:
        one_torn("nothing torn", copy, False, lost=0)
    shutil.rmtree(folder)


def one_torn(name, folder, logged, lost=1):
    server, said = start(folder)
    if not tap.ok(f"torn end, {name} (COX_SEED={SEED}): the server starts", server is not None, said):
        return
    with server:
        have = names(server)
        tap.eq(f"torn end, {name}: all but the torn write is there", have, {f"o{i}" for i in range(OBJECTS - lost)})
        tap.ok(f"torn end, {name}: the log tells", ("cut off" in server.log()) == logged, server.log())
        r = server.post(PATH, configmap("after", data={"n": "1"}))
        tap.eq(f"torn end, {name}: it can be written", r.status, 201)
        server.kill()
        server.start()
        tap.eq(f"torn end, {name}: and what was written stays", server.get(PATH + "/after").status, 200)


def flips_in_the_middle():
    rng = random.Random(SEED)
    for clean in (False, True):
        folder = make_data(clean)
        records = wal_records(store_files(folder, "wal-")[0])
        # a store that was closed has a record after the last write: damage to that write can not pass for a torn end
        first, last = rng.choice(records[:-2]), records[-2] if clean else rng.choice(records[1:-2])
        for begin, end in (first, last):
            at = rng.randrange(begin + 24, end - 8)
            with copy_of(folder) as copy:
                flip(store_files(copy, "wal-")[0], at)
                refuses(f"byte {at} of the log flipped, closed {'cleanly' if clean else 'by kill -9'} (COX_SEED={SEED})", copy, "wal-0000000000000001.log", WHAT_TO_DO)
                code, out = cox("store", "check", "--data-dir", copy)
                tap.ok("cox store check finds it", code != 0 and "DAMAGED" in out, f"{code} {out}")
        shutil.rmtree(folder)


def damaged_snapshot_and_header():
    folder = make_data(clean=True)
    tap.eq("compact makes a snapshot", cox("store", "compact", "--data-dir", folder)[0], 0)
    rng = random.Random(SEED)
    snap = store_files(folder, "snap-")[-1]
    for at in (8 + rng.randrange(8), 64 + rng.randrange(snap.stat().st_size - 64), snap.stat().st_size - 1):
        with copy_of(folder) as copy:
            flip(store_files(copy, "snap-")[-1], at)
            refuses(f"byte {at} of the snapshot flipped (COX_SEED={SEED})", copy, "snap-", "cox ")
    with copy_of(folder) as copy:
        os.truncate(store_files(copy, "snap-")[-1], snap.stat().st_size // 2)
        refuses("half a snapshot", copy, "snap-", WHAT_TO_DO)
    with copy_of(folder) as copy:
        os.unlink(store_files(copy, "snap-")[-1])
        refuses("the snapshot is gone", copy, "missing", WHAT_TO_DO)
    with copy_of(folder) as copy:
        for path in store_files(copy, "snap-") + store_files(copy, "wal-"):
            os.unlink(path)
        refuses("all is gone but the folder", copy, "are gone")
    with copy_of(folder) as copy:
        with open(store_files(copy, "wal-")[-1], "r+b") as f:
            f.seek(8)
            f.write(struct.pack("<I", 2))
        refuses("a later format", copy, "later version")
    with copy_of(folder) as copy:
        other = make_data(clean=True)
        shutil.copy(store_files(other, "wal-")[-1], pathlib.Path(copy, "store", "wal-0000000000000009.log"))
        refuses("a file of another store", copy, "another store")
        shutil.rmtree(other)
    with copy_of(folder) as copy:
        pathlib.Path(copy, "store", "snap-0000000000000fff.snap.tmp").write_bytes(b"half")
        server, said = start(copy)
        tap.ok("an unfinished temporary file does no harm", server is not None and not store_files(copy, "snap-0000000000000fff"), said)
        if server:
            server.stop()
    shutil.rmtree(folder)


# --- cox store ------------------------------------------------------------------------------------------------------------


def store_verbs():
    folder = make_data(clean=True)
    before = {p.name: p.read_bytes() for p in store_files(folder, "wal-")}
    code, out = cox("store", "check", "--data-dir", folder)
    tap.ok("check says what is there", code == 0 and "sound" in out and "wal-" in out, f"{code} {out}")
    tap.eq("check changes nothing", {p.name: p.read_bytes() for p in store_files(folder, "wal-")}, before)
    saved = os.path.join(folder, "saved.snap")
    code, out = cox("store", "snapshot", saved, "--data-dir", folder)
    tap.ok("snapshot saves to a file", code == 0 and os.path.getsize(saved) > 1000, f"{code} {out}")
    code, out = cox("store", "compact", "--data-dir", folder)
    tap.ok("compact", code == 0 and len(store_files(folder, "snap-")) == 1, f"{code} {out}")
    with Server(data_dir=folder) as server:
        tap.eq("nothing is lost by it", len(names(server)), OBJECTS)
        revision = int(server.get(PATH).json["metadata"]["resourceVersion"])
        server.post(PATH, configmap("late"))
        for verb in ("check", "compact"):
            code, out = cox("store", verb, "--data-dir", folder)
            tap.ok(f"{verb} while a server runs: says who has it", code != 0 and f"process {server.process.pid}" in out, f"{code} {out}")
    new = tempfile.mkdtemp(prefix="cox-test-")
    code, out = cox("store", "restore", saved, "--data-dir", new)
    tap.ok("restore", code == 0, out)
    with Server(data_dir=new) as server:
        tap.eq("the restored store has what was saved", len(names(server)), OBJECTS)
        tap.eq("... and not what came later", server.get(PATH + "/late").status, 404)
        now = int(server.get(PATH).json["metadata"]["resourceVersion"])
        tap.ok("... and its revisions do not go back", now >= revision - 2, f"{now} after {revision}")
    code, out = cox("store", "restore", saved, "--data-dir", folder)
    tap.ok("restore over a store is refused", code != 0 and len(store_files(folder, "wal-")) > 0, f"{code} {out}")
    flip(saved, os.path.getsize(saved) // 2)
    with tempfile.TemporaryDirectory(prefix="cox-test-") as empty:
        code, out = cox("store", "restore", saved, "--data-dir", empty)
        tap.ok("a damaged snapshot file is not restored", code != 0 and "damaged" in out, f"{code} {out}")
        tap.ok("... and leaves no half store", not store_files(empty, "wal-"), store_files(empty, ""))
    code, out = cox("store", "restore", os.path.join(folder, "nothing.snap"), "--data-dir", os.path.join(new, "sub"))
    tap.ok("a missing snapshot file", code != 0 and re.search("nothing.snap", out), f"{code} {out}")
    shutil.rmtree(new)
    shutil.rmtree(folder)


def second_server():
    with Server() as first:
        pki = pathlib.Path(first.dir, "pki", "ca.crt").read_bytes()
        config = os.path.join(first.dir, "second.kubeconfig")
        code, out = cox("server", "--data-dir", first.dir, "--listen", "127.0.0.1:0", "--write-kubeconfig", config, "--agent=false")
        tap.ok("a second server on the same folder is refused", code != 0 and f"process {first.process.pid}" in out, f"{code} {out}")
        tap.eq("... the first goes on", first.post(PATH, configmap("still")).status, 201)
        tap.ok("... its socket is still there", os.path.exists(first.path("cox.sock")))
        tap.ok("... and the keys are untouched", pathlib.Path(first.dir, "pki", "ca.crt").read_bytes() == pki and not os.path.exists(config))
        first.kill()
        first.start()
        tap.eq("after kill -9 the lock is free again", first.get(PATH + "/still").status, 200)


if __name__ == "__main__":
    print(f"# COX_SEED={SEED}", flush=True)
    tap.run([torn_tails, flips_in_the_middle, damaged_snapshot_and_header, store_verbs, second_server])
    tap.done()
