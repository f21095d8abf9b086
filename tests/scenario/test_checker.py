#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker itself: it accepts what may happen and finds each kind of lie."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap  # noqa: E402
from scenario.checker import ACKED, REFUSED, UNKNOWN, Event, Listed, Write, verify_final, verify_lists, verify_stream, verify_writes  # noqa: E402


def event(kind, rv, key, n, uid="u"):
    return Event(kind, {"metadata": {"name": key, "uid": uid, "resourceVersion": str(rv)}, "data": {"n": str(n)}})


def write(kind, key, n, state=ACKED, rv=None, sent=0.0, answered=None, **more):
    w = Write(kind, key, n, **more)
    w.state, w.rv, w.sent, w.answered = state, rv, sent, sent + 0.5 if answered is None else answered
    return w


def story():
    """create, conditional update, delete, create again: all acknowledged, one after another."""
    writes = [write("create", "w-a", 1, rv=11, sent=1), write("update", "w-a", 2, rv=12, sent=2, base=11), write("delete", "w-a", 3, sent=3, uid="u"),
              write("create", "w-a", 4, rv=14, sent=4)]
    log = [event("ADDED", 11, "w-a", 1), event("MODIFIED", 12, "w-a", 2), event("DELETED", 13, "w-a", 2), event("ADDED", 14, "w-a", 4, "v")]
    return writes, log


def complaints(change=lambda writes, log: None, state=None):
    writes, log = story()
    change(writes, log)
    return verify_writes(writes, log, state if state is not None else {}, 10)


def finds(name, change, part):
    bad = complaints(change)
    tap.ok(f"finds {name}", any(part in b for b in bad), f"wanted {part!r} in {bad}")


def log_and_writes():
    tap.eq("a true story has no complaints", complaints(), [])

    def unknowns(writes, log):
        writes[1].state, writes[1].rv, writes[2].state = UNKNOWN, None, UNKNOWN
    tap.eq("unknown writes that were applied are fine", complaints(unknowns), [])

    def unknown_gone(writes, log):
        writes[3].state, writes[3].rv = UNKNOWN, None
        del log[3]
    tap.eq("unknown writes that were not applied are fine", complaints(unknown_gone), [])

    finds("a lost write", lambda w, log: log.pop(3), "lost: create w-a n=4")
    finds("a lost delete", lambda w, log: (log.pop(2), log.pop(2), w.pop(3)), "lost: delete w-a n=3")
    finds("a write nobody made", lambda w, log: log.append(event("MODIFIED", 15, "w-a", 99, "v")), "nobody wrote that")
    finds("a delete nobody made", lambda w, log: log.append(event("DELETED", 15, "w-a", 4, "v")), "nobody wrote that")
    finds("a write that was refused and applied", lambda w, log: setattr(w[3], "state", REFUSED), "was told no")
    finds("a write under another revision", lambda w, log: setattr(w[3], "rv", 15), "under another revision")
    finds("a write applied twice", lambda w, log: log.append(event("ADDED", 15, "w-a", 4, "v")), "applied twice")
    finds("revisions that go back", lambda w, log: setattr(log[1], "rv", 11), "not after revision")
    finds("a condition that was ignored", lambda w, log: setattr(w[1], "base", 7), "not of revision 7")
    finds("an update of what is not there", lambda w, log: setattr(log[3], "type", "MODIFIED"), "before it was None")
    finds("a delete of another version", lambda w, log: setattr(log[2], "n", 1), "was not the last one")
    finds("a write without an answer", lambda w, log: w.append(Write("patch", "w-a", 5)), "never answered")

    def late(writes, log):
        writes[0].sent, writes[0].answered = 3.8, 4.2  # first in the log, though sent after the second was acknowledged
    finds("a log against real time", late, "but later in the log")


def lists_and_streams():
    _, log = story()

    def listed(rv, n, at_least=0):
        items = [{"metadata": {"name": "w-a", "resourceVersion": str(rv)}, "data": {"n": str(n)}}] if n else []
        return Listed(0, at_least, {"metadata": {"resourceVersion": str(rv)}, "items": items})
    tap.eq("lists that agree with the log", verify_lists([listed(14, 4), listed(11, 1), listed(13, None), listed(12, 2)], log, {}, 10), [])
    tap.ok("finds a list without an object", verify_lists([listed(12, None)], log, {}, 10))
    tap.ok("finds a list with an old version", verify_lists([listed(12, 1)], log, {}, 10))
    tap.ok("finds a list older than what was acknowledged", verify_lists([listed(11, 1, at_least=12)], log, {}, 10))
    tap.eq("a stream that is the log", verify_stream("s", story()[1], log), [])
    tap.ok("finds a gap in a stream", verify_stream("s", log[:1] + log[2:], log))
    tap.ok("finds a repeat in a stream", verify_stream("s", log[:2] + log[1:], log))
    tap.ok("finds a stream that stops early", verify_stream("s", log[:3], log))
    tap.ok("finds a stream that knows more", verify_stream("s", log, log[:3]))


def without_log():
    writes, _ = story()
    tap.eq("what is there now, without a log", verify_final(writes, {"w-a": (14, 4), "w-b": (3, 7)}, {"w-b": (3, 7)}), [])
    tap.ok("finds an object that went", verify_final(writes, {"w-a": (14, 4)}, {"w-b": (3, 7)}))
    tap.ok("finds an older version", verify_final(writes, {"w-a": (12, 2)}, {}))
    tap.ok("finds a version of nobody", verify_final(writes, {"w-a": (15, 9)}, {}))
    tap.ok("finds a create that was lost after the delete", verify_final(writes, {}, {}))
    tap.eq("an unknown delete explains that it is gone", verify_final(writes + [write("delete", "w-a", 5, UNKNOWN, uid="v")], {}, {}), [])


if __name__ == "__main__":
    tap.run([log_and_writes, lists_and_streams, without_log])
    tap.done()
