#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wall clock jumps an hour forth and back while tasks of several domains wait and run: nobody's time is over before it is, nobody waits for an hour that never was."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.kuscia import LONG, Domains, ask, end_task, image, job, party, phase, pods, status, task, task_phase  # noqa: E402
from lib.tasks import GROUPS, TASKS, TaskInvariants  # noqa: E402
from scenario.test_clock import HOUR, LIBRARY, Clock  # noqa: E402


def pair(s, name, cpu="1", **config):
    job(s, name, task("a", party("alice", resources=ask(cpu)), party("bob", resources=ask(cpu)), id=f"{name}-a", scheduleConfig={**LONG, **config}))


def group(s, name):
    return status(s, f"{GROUPS}/{name}-a")


def looked_at(s, name, number):
    """The controller looks at the group and at all that came before."""
    s.patch(f"{GROUPS}/{name}-a", {"metadata": {"annotations": {"test": str(number)}}})
    pair(s, f"{name}-look-{number}")
    return end_task(s, f"{name}-look-{number}", "a")


def test_waiting(s, clock, w):
    pair(s, "blocks", cpu="3")
    wait_for(lambda: task_phase(s, "blocks", "a") == "Running")
    pair(s, "waits", cpu="2", lifecycleSeconds=1800, resourceReservedSeconds=1200)
    wait_for(lambda: "cpu" in status(s, f"{TASKS}/waits-a").get("message", ""))
    for i, offset in enumerate((HOUR, -HOUR, 2 * HOUR, 0)):
        clock.set(offset)
        tap.ok(f"clock at {offset:+d} s: others start and end", looked_at(s, "waits", i))
        tap.eq(f"clock at {offset:+d} s: who waits still does", (group(s, "waits").get("phase"), status(s, f"{TASKS}/waits-a").get("phase")), ("Reserving", "Pending"))
        tap.eq(f"clock at {offset:+d} s: who runs still does", [p["status"]["phase"] for p in pods(s, "blocks-a")], ["Running", "Running"])
    clock.set(-HOUR)
    end_task(s, "blocks", "a")
    tap.ok("when there is room it runs", end_task(s, "waits", "a"), status(s, f"{TASKS}/waits-a"))
    clock.set(0)
    w.holds("waiting through jumps")


def test_times_that_end(s, clock, w):
    pair(s, "fills", cpu="3")
    wait_for(lambda: task_phase(s, "fills", "a") == "Running")
    pair(s, "brief", cpu="2", lifecycleSeconds=4)
    wait_for(lambda: group(s, "brief").get("phase"))
    clock.set(-HOUR)
    tap.ok("lifecycleSeconds end though the clock went back an hour", wait_for(lambda: phase(s, "brief") == "Failed") and "within 4 seconds" in status(s, f"{TASKS}/brief-a")["message"], status(s, f"{TASKS}/brief-a"))
    clock.set(0)
    pair(s, "tries", cpu="2", resourceReservedSeconds=1, retryIntervalSeconds=1)
    tap.ok("what finds no room for its time is ReserveFailed", wait_for(lambda: group(s, "tries").get("phase") == "ReserveFailed"), group(s, "tries"))
    clock.set(-HOUR)
    tap.ok("and tries again though the clock went back", wait_for(lambda: group(s, "tries").get("retryCount", 0) >= 2), group(s, "tries"))
    clock.set(HOUR)
    tap.ok("and again", wait_for(lambda: group(s, "tries").get("retryCount", 0) >= 4), group(s, "tries"))
    clock.set(0)
    end_task(s, "fills", "a")
    tap.ok("and runs in the end", end_task(s, "tries", "a"), status(s, f"{TASKS}/tries-a"))
    w.holds("times that end")


def test_restart(s, clock, w):
    """The server is killed and comes back an hour earlier: what waits has its time again, and no more."""
    pair(s, "holds", cpu="3")
    wait_for(lambda: task_phase(s, "holds", "a") == "Running")
    pair(s, "over", cpu="2", lifecycleSeconds=5)
    wait_for(lambda: group(s, "over").get("phase") == "Reserving")
    s.kill()
    clock.set(-HOUR)
    s.start()
    tap.ok("its time ends", wait_for(lambda: phase(s, "over") == "Failed"), group(s, "over"))
    clock.set(0)
    tap.ok("what ran ends, too", end_task(s, "holds", "a"), status(s, f"{TASKS}/holds-a"))
    w.holds("restart in the past")


if __name__ == "__main__":
    if not LIBRARY:
        tap.skip("clock jumps", "needs libfaketime")
        tap.done()
    with tempfile.TemporaryDirectory() as folder:
        hands = Clock(folder)
        with Domains(("alice", "bob"), env=hands.env()) as server, TaskInvariants(server) as watch:
            image(server, "small")
            tap.run([test_waiting, test_times_that_end, test_restart], server, hands, watch)
    tap.done()
