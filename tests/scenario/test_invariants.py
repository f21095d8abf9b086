#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The invariants of lib/invariants.py themselves: they accept what may happen and find each kind of lie."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap  # noqa: E402
from lib.invariants import PodRules, amount, request, verify_books, verify_samples, verify_state  # noqa: E402


def version(rv, node=None, restarts=None, uid="u", name="p", cpu=None, **status):
    p = {"metadata": {"namespace": "default", "name": name, "uid": uid, "resourceVersion": str(rv)}, "status": dict(status),
         "spec": {"containers": [{"name": "c", **({"resources": {"requests": {"cpu": cpu}}} if cpu else {})}], **({"nodeName": node} if node else {})}}
    if restarts is not None:
        p["status"]["containerStatuses"] = [{"name": "c", "restartCount": restarts}]
    return p


def rules(*versions):
    r = PodRules()
    for v in versions:
        r.see(v)
    return r.bad


def finds(name, bad, part):
    tap.ok(f"finds {name}", any(part in b for b in bad), f"wanted {part!r} in {bad}")


def node(name, **room):
    return {"metadata": {"name": name}, "status": {"allocatable": room}}


tap.eq("a pod's life", rules(version(1), version(2, "a", 0), version(3, "a", 1), version(4, uid="v")), [])
finds("a pod that moved", rules(version(1, "a"), version(2, "b")), "was bound to a")
finds("a pod that was unbound", rules(version(1, "a"), version(2)), "was bound to a")
finds("restarts that go back", rules(version(1, "a", 2), version(2, "a", 1)), "went from 2 to 1")
finds("revisions that go back", rules(version(5), version(4, uid="v")), "revision 4 after 5")

NAMES, NODES = {"u": ("default", "p"), "v": ("default", "p"), "w": ("default", "q")}, {"u": "a", "v": "b", "w": "b"}
tap.eq("one after another", verify_samples([{("u", "a"), ("w", "b")}, {("v", "b")}, set()], NAMES, NODES), [])
finds("a pod on two nodes", verify_samples([{("x", "a"), ("x", "b")}], NAMES, NODES), "two nodes at once")
finds("two pods of one name", verify_samples([{("u", "a"), ("v", "b")}], NAMES, NODES), "two pods of one name")
finds("a pod on the wrong node", verify_samples([{("w", "a")}], NAMES, NODES), "the API says b")

ROOM = [node("a", cpu="1", memory="1Gi", pods="2")]
tap.eq("a node that is full", verify_state(ROOM, [version(1, "a", cpu="600m"), version(1, "a", cpu="400m", uid="v")]), [])
finds("a node over its cores", verify_state(ROOM, [version(1, "a", cpu="600m"), version(1, "a", cpu="401m", uid="v")]), "over its cpu")
finds("too many pods", verify_state(ROOM, [version(1, "a", uid=str(i)) for i in range(3)]), "over its pods")
tap.eq("ended pods take no room", verify_state(ROOM, [version(1, "a", uid=str(i), phase="Succeeded") for i in range(3)]), [])
finds("a node that is not there", verify_state(ROOM, [version(1, "z")]), "which is not there")

tap.eq("what was deleted may be gone", verify_books({"u": "p", "v": "q"}, {"v"}, [version(1)]), [])
finds("what was lost", verify_books({"u": "p", "v": "q"}, set(), [version(1)]), "lost: q")
tap.eq("amounts", [amount(t) for t in ("250m", "2", "1Ki", "3G")], [0.25, 2, 1024, 3e9])
SIDE = version(1)
SIDE["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "2"}}
SIDE["spec"]["initContainers"] = [{"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}, {"name": "i", "resources": {"requests": {"cpu": "4"}}}]
tap.eq("init containers and sidecars count", request(SIDE, "cpu"), 5)
tap.done()
