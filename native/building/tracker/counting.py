"""Counts of calls and of allocated objects: a load and a store in the block of the carrier thread."""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.names import OBJECT, OBJECTS, THREAD, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

#: Methods for arrays: method -> (array class with this layout, log2 of an element's size, or None for the size of a reference).
ARRAYS = {"array1": ("[B", 0), "array2": ("[S", 1), "array4": ("[I", 2), "array8": ("[J", 3), "arrayRef": (OBJECTS, None)}


def add(t: Tracker) -> None:
    counting(t, "count", "countSlowly")
    counting(t, "allocated", "allocatedSlowly", slowly_at_zero=True)
    for name, (_, shift) in ARRAYS.items():
        array(t, name, shift)
    multi(t)


def counting(t: Tracker, name: str, native: str, slowly_at_zero: bool = False) -> None:
    """``name(int slot)``: adds one to the slot."""
    def code(found: Code, slow: Label) -> Code:
        first: Code = [*t.load(("lload_1",)), ("lconst_0",), ("lcmp",), ("ifeq", slow)] if slowly_at_zero else []
        return [*found, *t.slot(0, 1), ("lstore_1",), *first, *t.add(1, [("lconst_1",)]), ("return",)]

    t.probe(name, "(I)V", code, native, [("iload_0",)], at=1, stack=8, local=3)


def array(t: Tracker, name: str, shift: int | None) -> None:
    """``name(int length, int slot)``: adds one to the slot and the array's bytes to the next one."""
    bits: Code = [t.get("REF", "I")] if shift is None else [(f"iconst_{shift}",)]
    size: Code = [
        ("iload_0",), ("i2l",), *bits, ("lshl",), t.get(f"BASE_{name}", "J"), ("ladd",),
        t.get("ALIGN", "J"), ("ladd",), ("lconst_1",), ("lsub",), t.get("ALIGN", "J"), ("lneg",), ("land",), ("lstore", 4),
    ]

    def code(found: Code, slow: Label) -> Code:
        return [
            *size, *found, *t.slot(1, 2), ("lstore_2",),
            *t.add(2, [("lconst_1",)]),
            ("lload_2",), t.further("CH_ALLOC_COUNT", "CH_ALLOC_BYTES"), ("ladd",), ("lstore_2",),
            *t.add(2, [("lload", 4)]), ("return",),
        ]

    t.probe(name, "(II)V", code, "arraySlowly", [("lload", 4), ("iload_1",)], at=2, stack=10, local=6)


def multi(t: Tracker) -> None:
    code = [("aload_0",), ("iload_1",), t.current(), t.native("multiArray"), ("return",)]
    t.method("arrays", "(Ljava/lang/Object;I)V", code, stack=3, local=2)


def initialise(t: Tracker) -> Code:
    """Where the elements of arrays begin."""
    return [part for name, (array, _) in ARRAYS.items() for part in
            (("ldc_w", t.type(array)), t.native("arrayBase"), t.put(f"BASE_{name}", "J"))]


def link(t: Tracker) -> Code:
    slot, thread = ("iload_0",), t.current()
    return [
        slot, thread, t.native("countSlowly"), slot, thread, t.native("allocatedSlowly"),
        ("lconst_0",), slot, thread, t.native("arraySlowly"), ("aconst_null",), slot, thread, t.native("multiArray"),
    ]


PART = Part(
    add,
    natives={
        "arrayBase": "(Ljava/lang/Class;)J",
        "countSlowly": f"(IL{THREAD};)V",
        "allocatedSlowly": f"(IL{THREAD};)V",
        "arraySlowly": f"(JIL{THREAD};)V",
        "multiArray": f"({OBJECT}IL{THREAD};)V",
    },
    public=("count", "allocated", *ARRAYS, "arrays"),
    fields={f"BASE_{name}": "J" for name in ARRAYS},
    initialise=initialise,
    link=link,
)
