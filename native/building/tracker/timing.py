"""Times of calls: natives read the clock (native/timing/timing.c); Java code decides which calls of a paced method are
timed."""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building import header
from classhook.native.building.tracker.names import THREAD, UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    """``due(int slot)`` counts in the slot. It returns the slot if the count has reached the number in the next slot
    (pacing.c) and the activation is to be timed, else 0. ``exitPaced`` is passed the result of `enterDue`, or that 0;
    so is ``thrownPaced``, and the slot that counts exceptions. ``thrownCall`` is passed what `enter` returned for a
    call that is timed, or 0."""
    untimed = Label("untimed")

    def ask(found: Code, slow: Label) -> Code:
        due = Label("due")
        return [
            *found,
            *t.slot(0, 1),
            ("lstore", 1),
            *t.load(("lload", 1)),
            ("lstore", 3),
            t.get("U", f"L{UNSAFE};"),
            ("aconst_null",),
            ("lload", 1),
            ("lload", 3),
            ("lconst_1",),
            ("ladd",),
            t.call("putLong", "(Ljava/lang/Object;JJ)V", UNSAFE),
            ("lload", 3),
            *t.load(("lload", 1), t.further("CH_PACED_CALLS", "CH_PACED_NEXT"), ("ladd",)),
            ("lcmp",),
            ("ifge", due),
            ("iconst_0",),
            ("ireturn",),
            due,
            ("iload", 0),
            ("ireturn",),
        ]

    t.probe("due", "(I)I", ask, "dueSlowly", [("iload", 0)], at=1, stack=8, local=5)
    code: Code = [("iload_0",), ("ifeq", untimed), ("iload_0",), t.call("exit", "(I)V"), untimed, ("return",)]
    t.method("exitPaced", "(I)V", code, stack=1, local=1)
    thrown: Code = [
        ("iload_1",),
        t.call("count", "(I)V"),
        ("iload_0",),
        ("ifeq", untimed),
        ("iload_0",),
        t.call("thrown", "(I)V"),
    ]
    t.method("thrownPaced", "(II)V", [*thrown, untimed, ("return",)], stack=1, local=2)
    call: Code = [("iload_0",), ("ifeq", untimed), ("iload_0",), t.call("thrown", "(I)V"), untimed, ("return",)]
    t.method("thrownCall", "(I)V", call, stack=1, local=1)


def link(t: Tracker) -> Code:
    timed, thread = ("iload_1",), t.current()
    slots = header.slots()
    record, calls = (
        slots["CH_ALLOC_SLOTS"] + slots["CH_PACED_RECORD"],
        slots["CH_ALLOC_SLOTS"] + slots["CH_PACED_CALLS"],
    )
    return [
        ("iload_0",),
        ("bipush", record),
        ("iadd",),
        ("istore_1",),
        timed,
        t.native("enter"),
        t.native("exit"),
        timed,
        t.native("enter"),
        t.native("thrown"),
        timed,
        t.native("enterTree"),
        ("dup",),
        t.native("caught"),
        t.native("exit"),
        ("iinc", 1, calls - record),
        timed,
        t.native("enterDue"),
        t.native("exit"),
        timed,
        thread,
        t.native("dueSlowly"),
        ("pop",),
    ]


#: Natives that woven classes call themselves.
OF_PROBES = {
    "enter": "(I)I",
    "enterTree": "(I)I",
    "caught": "(I)V",
    "exit": "(I)V",
    "thrown": "(I)V",
    "enterDue": "(I)I",
    "regionBegins": "(I)I",
    "regionEnds": "(I)V",
    "countBelow": "(I)V",
    "enterBelow": "(I)I",
}
PART = Part(
    add,
    natives=OF_PROBES | {"dueSlowly": f"(IL{THREAD};)I"},
    public=(*OF_PROBES, "due", "exitPaced", "thrownPaced", "thrownCall"),
    not_inlined=("thrownPaced", "thrownCall"),
    link=link,
)
