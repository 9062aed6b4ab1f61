"""What VirtualThread.mount and unmount call (native/contexts/virtual_threads.c)."""

from __future__ import annotations

from classhook.native.building.tracker import moving
from classhook.native.building.tracker.names import THREAD, UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    """``mounted(Thread)`` and ``unmounting()``: woven into VirtualThread.mount and unmount."""
    number = [
        t.get("U", f"L{UNSAFE};"),
        ("aload_0",),
        t.get("TID", "J"),
        t.call("getLong", "(Ljava/lang/Object;J)J", UNSAFE),
    ]
    moving.method(t, "mounted", f"(L{THREAD};)V", "mountedOn", number, 1)
    moving.method(t, "unmounting", "()V", "unmountingFrom", [], 0)


def initialise(t: Tracker) -> Code:
    return t.offset("TID", THREAD, "tid")


def link(t: Tracker) -> Code:
    thread = t.current()
    return [("lconst_0",), thread, t.native("mountedOn"), ("pop2",), thread, t.native("unmountingFrom"), ("pop2",)]


PART = Part(
    add,
    natives={"mountedOn": f"(JL{THREAD};)J", "unmountingFrom": f"(L{THREAD};)J"},
    package=("mounted", "unmounting"),
    fields={"TID": "J"},
    initialise=initialise,
    link=link,
)
