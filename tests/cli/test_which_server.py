#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which server a command means: what $KUBECONFIG names, and never another one in its place."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]
from lib.cox import COX, Server, tap  # noqa: E402


def run(home, *words, **env):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("KUBE", "COX"))}
    return subprocess.run([COX, *words], capture_output=True, text=True, env={**kept, "HOME": home, **env})


def test_server_on_this_machine(s, home):
    here = {"COX_DATA_DIR": s.dir}
    done = run(home, "get", "namespace", "default", "-o", "name", **here)
    tap.eq("without a kubeconfig it is the server on this machine", (done.returncode, done.stdout), (0, "namespace/default\n"))
    done = run(home, "get", "namespace", "default", KUBECONFIG=f"{home}/later", **here)
    tap.ok("a file that is not there yet means no other server", done.returncode == 1 and f"{home}/later" in done.stderr, done)
    done = run(home, "--kubeconfig", f"{home}/later", "get", "namespace", "default", **here)
    tap.ok("nor does one that an option names", done.returncode == 1 and f"{home}/later" in done.stderr, done)
    done = run(home, "get", "pods", COX_DATA_DIR=f"{home}/none")
    tap.ok("where there is no cluster at all, it is told how to get one", done.returncode == 1 and f"There is no {home}/.kube/config" in done.stderr and "cox server" in done.stderr, done)
    done = run(home, "get", "namespace", "default", "-o", "name", KUBECONFIG="", **here)
    tap.eq("an empty variable is none", (done.returncode, done.stdout), (0, "namespace/default\n"))


def main():
    with Server() as s, tempfile.TemporaryDirectory(prefix="cox-home-") as home:
        test_server_on_this_machine(s, home)
    tap.done()


main()
