#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A full disk and a disk that fails: writes are refused or never acknowledged, reads and watches go on, and space that returns is used."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import Server, Watch, configmap, tap, wait_for  # noqa: E402
from scenario.checker import Load  # noqa: E402

PATH = "/api/v1/namespaces/default/configmaps"
SEED = int(os.environ.get("COX_SEED", str(random.SystemRandom().randrange(1 << 32))))


class Tmpfs:
    """A small file system of its own; None where mounting is not allowed."""

    def __init__(self, megabytes):
        self.path = tempfile.mkdtemp(prefix="cox-test-disk-")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "tmpfs", self.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.mounted = done.returncode == 0

    def fill(self):
        with open(os.path.join(self.path, "ballast"), "ab", buffering=0) as f:
            try:
                while True:
                    f.write(b"\0" * 4096)
            except OSError:
                pass

    def free(self):
        os.unlink(os.path.join(self.path, "ballast"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.mounted:
            subprocess.run(["umount", "-l", self.path], check=False)
        shutil.rmtree(self.path, ignore_errors=True)


def is_ready(server):
    return server.get("/readyz").status == 200


def write_until_refused(server, count=400):
    """Space that the log had allocated ahead is used first."""
    conn = server.connect()
    for i in range(count):
        r = server.post(PATH, configmap(f"fill-{time.monotonic_ns()}", data={"text": "z" * 60000}), conn=conn)
        if r.status != 201:
            return r
    return r


def check_refusal(name, r):
    body = r.json
    tap.ok(f"{name}: refused with 507 or 500", r.status in (500, 507), r)
    tap.ok(f"{name}: a Status with a reason and a sentence", body["kind"] == "Status" and body["status"] == "Failure" and body.get("reason") and body.get("message")
           and body["code"] == r.status, r)
    tap.ok(f"{name}: the sentence says what is wrong", "full" in body["message"] or "space" in body["message"], r)


def disk_full():
    with Tmpfs(24) as disk:
        if not disk.mounted:
            tap.skip("disk full", "needs the right to mount a tmpfs")
            return
        with Server(data_dir=disk.path) as server:
            load = Load(server, SEED, writers=3)
            load.start()
            server.post(PATH, configmap("before", data={"n": "1"}))
            watch = Watch(server, PATH + "?watch=1")
            for turn in ("first", "second"):
                disk.fill()
                refused = write_until_refused(server)
                check_refusal(f"disk full, {turn} time", refused)
                tap.ok("readyz fails", wait_for(lambda: not is_ready(server)), server.get("/readyz?verbose"))
                tap.ok("livez does not ask for a restart that would not help", server.get("/livez").status == 200)
                tap.eq("reads go on", server.get(PATH + "/before").status, 200)
                tap.eq("lists go on", server.get(PATH).status, 200)
                other = Watch(server, PATH + "?watch=1")
                tap.ok("new watches get the state", other.wait(lambda ev: any(e["object"]["metadata"]["name"] == "before" for e in ev)))
                other.close()
                disk.free()
                tap.ok("when space returns, writes go on by themselves", wait_for(lambda: server.post(PATH, configmap(f"after-{turn}")).status == 201), server.log()[-2000:])
                tap.ok("and readyz is good again", wait_for(lambda: is_ready(server)), server.get("/readyz?verbose"))
            tap.ok("the watch lived through it", watch.wait(lambda ev: any(e["object"]["metadata"]["name"] == "after-second" for e in ev)) and not watch.ended)
            watch.close()
            load.pause()
            bad = load.audit()
            tap.ok(f"what was told to clients holds (COX_SEED={SEED})", not bad, "\n".join(bad[:20]))
            server.kill()
            server.start()
            tap.eq("... after a restart, too", load.audit(), [])
            load.stop()
            print("#", load.summary(), flush=True)
            tap.ok("writes were refused under load", load.answers.get(507, 0) + load.answers.get(500, 0) > 0, load.summary())
            ready_by_itself(server, disk)


def ready_by_itself(server, disk):
    """Nobody may write while a server is not ready: it must find out by itself that there is space again."""
    disk.fill()
    write_until_refused(server)
    tap.ok("full again: readyz fails", wait_for(lambda: not is_ready(server)))
    disk.free()
    tap.ok("readyz recovers without a write", wait_for(lambda: is_ready(server)), server.get("/readyz?verbose"))


def start_on_a_full_disk():
    with Tmpfs(16) as disk:
        if not disk.mounted:
            tap.skip("start on a full disk", "needs the right to mount a tmpfs")
            return
        server = Server(data_dir=disk.path)
        server.post(PATH, configmap("before"))
        server.kill()
        disk.fill()
        server.log_path = os.devnull
        try:
            server.start()
            tap.eq("a server starts on a full disk and can be read", server.get(PATH + "/before").status, 200)
        except RuntimeError:
            tap.ok("a server that can not start on a full disk ends with an error", server.process.poll() not in (None, 0) and server.process.poll() > 0, server.process.poll())
        server.kill()
        disk.free()
        server.start()
        tap.eq("with space it starts, nothing lost", server.get(PATH + "/before").status, 200)
        tap.eq("... and writes", server.post(PATH, configmap("again")).status, 201)
        server.stop()


def failing_disk():
    for place in ("store.wal.sync", "store.wal.write"):
        with Server() as server:
            server.post(PATH, configmap("before"))
            load = Load(server, SEED, writers=3)
            load.start()
            server.stop()
            load.pause()
            server.env["COX_FAILPOINTS"] = f"{place}=80+error(EIO)"
            server.start()
            watch = Watch(server, PATH + "?watch=1")
            load.resume()
            tap.ok(f"{place} fails: readyz says so", wait_for(lambda: not is_ready(server)), server.get("/readyz?verbose"))
            load.pause()
            answers = [server.post(PATH, configmap(f"never-{i}")) for i in range(5)]
            tap.ok(f"{place} fails: nothing is acknowledged any more", all(r.status in (500, 503) for r in answers), answers)
            tap.ok("... with a Status", all(r.json["kind"] == "Status" and r.json.get("message") for r in answers), answers)
            tap.eq("... reads go on", server.get(PATH + "/before").status, 200)
            tap.eq("... lists go on", server.get(PATH).status, 200)
            tap.ok("... the watch lives", not watch.ended and not any(e["object"]["metadata"]["name"].startswith("never") for e in watch.events))
            tap.ok("... livez fails, too: a restart helps", server.get("/livez").status == 500)
            watch.close()
            server.kill()
            del server.env["COX_FAILPOINTS"]
            server.start()
            bad = load.audit()
            tap.ok(f"{place} failed: after a restart all that was acknowledged is there (COX_SEED={SEED})", not bad, "\n".join(bad[:20]))
            tap.eq("... and nothing that was refused", [i["metadata"]["name"] for i in server.get(PATH).json["items"] if i["metadata"]["name"].startswith("never")], [])
            load.stop()
            print("#", load.summary(), flush=True)


if __name__ == "__main__":
    print(f"# COX_SEED={SEED}", flush=True)
    tap.run([disk_full, start_on_a_full_disk, failing_disk])
    tap.done()
