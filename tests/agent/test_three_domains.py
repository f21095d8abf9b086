#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/domains.md, "Three domains on one laptop in five minutes": typed as it stands there, in one shell.  The machine is as before when it is over."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]
from docs.test_docs import BLOCK, matches  # noqa: E402
from lib.cox import COX, PATIENCE, ROOT, tap  # noqa: E402
from lib.node import cgroups, isolate  # noqa: E402

PAGE, HEAD = ROOT / "docs" / "domains.md", "## Three domains on one laptop in five minutes\n"
SCRIPT, LAB = "examples/kuscia/three-domains.sh", "/var/tmp/cox-three-domains"
LIMIT_KIB = 1024


def steps():
    """[[commands, what they print]] of the section."""
    found = []
    for m in BLOCK.finditer(PAGE.read_text().split(HEAD, 1)[1].split("\n## ", 1)[0]):
        if m.group("info").startswith("sh"):
            found.append([m.group("body"), None])
        else:
            found[-1][1] = m.group("body")
    return found


def folder():
    """As a checkout after make."""
    place = tempfile.mkdtemp(prefix="cox-three-")
    os.symlink(ROOT / "examples", f"{place}/examples")
    os.mkdir(f"{place}/build")
    os.symlink(COX, f"{place}/build/cox")
    if not shutil.which("kubectl"):
        os.symlink(COX, f"{place}/build/kubectl")
    return place


def run(place, *words):
    return subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=4 * PATIENCE, env={k: v for k, v in os.environ.items() if not k.startswith(("KUBE", "COX"))})


def machine():
    def text(*words):
        return subprocess.run(words, capture_output=True, text=True).stdout.splitlines()

    def names_lab(pid):
        try:
            return LAB.encode() in open(f"/proc/{pid}/cmdline", "rb").read()
        except OSError:
            return False
    return {"links": [re.sub("^[0-9]+: ", "", line) for line in text("ip", "-o", "link")], "addresses": text("ip", "-o", "addr"), "routes": text("ip", "route", "show", "table", "all"),
            "mounts": [line.split()[1] for line in open("/proc/mounts")], "cgroups": [c for d in ("alice", "bob", "carol") for c in cgroups(f"cox-{d}-[0-9]*")],
            "processes": [pid for pid in os.listdir("/proc") if pid.isdigit() and names_lab(pid)], "files": sorted(os.listdir("/var/tmp")), "run": sorted(os.listdir("/run"))}


def test_page(place):
    todo = steps()
    before = machine()
    done = run(place, "bash", "-euo", "pipefail", "-c", "exec 2>&1\n" + "".join(f"{commands}echo '=== {i}'\n" for i, (commands, _) in enumerate(todo)))
    said = re.split(r"^=== \d+\n", done.stdout, flags=re.M)
    tap.ok("every command of the page", done.returncode == 0 and len(said) == len(todo) + 1, done.stdout)
    for (commands, expected), out in zip(todo, said):
        if expected is not None:
            tap.ok(f"prints what the page shows: {commands.splitlines()[-1]}", matches(expected, out), f"have:\n{out}\nwant:\n{expected}")
    rate = re.search(r"alice read 4096 KiB: (\d+) KiB a second", done.stdout)
    tap.ok("the limit is never passed", rate and int(rate.group(1)) <= LIMIT_KIB * 1.05, done.stdout)  # a twentieth for what may be sent at once in the beginning
    now = machine()
    tap.eq("nothing is left behind", {k: v for k, v in now.items() if v != before[k]}, {k: v for k, v in before.items() if v != now[k]})


def test_mistakes(place):
    done = run(place, SCRIPT)
    tap.ok("without a word it says what there is", done.returncode == 2 and "three-domains.sh down" in done.stdout, done)
    done = run(place, "env", "COX=/nowhere/cox", SCRIPT, "up")
    tap.ok("without a program it says what to type", done.returncode == 1 and "make" in done.stderr, done)
    before = machine()
    done = run(place, "env", "LAB_NET=300.1.1", SCRIPT, "up")
    tap.ok("what fails on the way is undone", done.returncode != 0 and machine() == before, (done, machine()))
    subprocess.run(["ip", "link", "add", "cox-lab", "type", "bridge"], check=True)
    before = machine()
    done = run(place, "env", "LAB=/var/tmp/cox-second", SCRIPT, "up")
    tap.ok("a second one leaves the first alone", done.returncode == 1 and "one such laboratory at a time" in done.stderr and machine() == before, (done, machine()))
    subprocess.run(["ip", "link", "del", "cox-lab"], check=True)
    tap.eq("down when nothing is up", run(place, SCRIPT, "down").returncode, 0)


def main():
    isolate()
    if not shutil.which("ip"):
        tap.skip("three domains", "there is no ip")
        tap.done()
    # The page names the folder, and another laboratory may live there: this one gets a /var/tmp of its own.
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/var/tmp"], check=True)
    place = folder()
    try:
        test_mistakes(place)
        test_page(place)
    finally:
        run(place, SCRIPT, "down")
        shutil.rmtree(place)
    tap.done()


main()
