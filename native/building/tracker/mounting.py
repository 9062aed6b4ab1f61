"""What VirtualThread.mount and unmount call (native/counting/virtual_threads.c)."""

from __future__ import annotations

from classhook.native.building.tracker.moving import around
from classhook.native.building.tracker.names import THREAD, UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    """``mounted(Thread)`` and ``unmounting()``: woven into VirtualThread.mount and unmount."""
    number = [t.get("U", f"L{UNSAFE};"), ("aload_0",), t.get("TID", "J"), t.call("getLong", "(Ljava/lang/Object;J)J", UNSAFE)]
    t.method("mounted", f"(L{THREAD};)V", [*around(t, "mountedOn", number, 1), ("pop",), ("return",)], stack=5, local=5)
    t.method("unmounting", "()V", [*around(t, "unmountingFrom", [], 0), ("pop",), ("return",)], stack=5, local=4)


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
