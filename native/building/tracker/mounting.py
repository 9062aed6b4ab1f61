"""What VirtualThread.mount and unmount call (native/counting/virtual_threads.c)."""

from __future__ import annotations

from classhook.native.building.tracker.names import THREAD, UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    """``mounted(Thread)`` and ``unmounting()``: woven into VirtualThread.mount and unmount."""
    code = [
        t.get("U", f"L{UNSAFE};"), ("aload_0",), t.get("TID", "J"), t.call("getLong", "(Ljava/lang/Object;J)J", UNSAFE),
        t.current(), t.native("mountedOn"), ("return",),
    ]
    t.method("mounted", f"(L{THREAD};)V", code, stack=4, local=1)
    code = [t.current(), t.native("unmountingFrom"), ("return",)]
    t.method("unmounting", "()V", code, stack=1)


def initialise(t: Tracker) -> Code:
    return t.offset("TID", THREAD, "tid")


def link(t: Tracker) -> Code:
    thread = t.current()
    return [("lconst_0",), thread, t.native("mountedOn"), thread, t.native("unmountingFrom")]


PART = Part(
    add,
    natives={"mountedOn": f"(JL{THREAD};)V", "unmountingFrom": f"(L{THREAD};)V"},
    package=("mounted", "unmounting"),
    fields={"TID": "J"},
    initialise=initialise,
    link=link,
)
