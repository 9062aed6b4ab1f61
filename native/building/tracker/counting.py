"""Counts of calls and of allocated objects: a load and a store in the block of the carrier thread.

Where the JVM has value objects, arrays of them may be flat: an element's size follows from the class, which the site
names. LAYOUTS has a word for each site (native/objects/allocation_sites.c): where the elements begin, above the size of
one; 0 if nothing was allocated there yet.
"""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.names import OBJECT, OBJECTS, THREAD, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

#: Methods for arrays: method -> (array class with this layout, log2 of an element's size, or None for the size of a
#: reference).
ARRAYS = {
    "array1": ("[B", 0),
    "array2": ("[S", 1),
    "array4": ("[I", 2),
    "array8": ("[J", 3),
    "arrayRef": (OBJECTS, None),
}


def add(t: Tracker) -> None:
    counting(t, "count", "countSlowly")
    counting(t, "allocated", "allocatedSlowly", slowly_at_zero=True)
    for name, (_, shift) in ARRAYS.items():
        if shift is None and t.values:
            array_by_site(t, name)
        else:
            array(t, name, size_of(t, name, shift))
    multi(t)


def counting(t: Tracker, name: str, native: str, slowly_at_zero: bool = False) -> None:
    """``name(int slot)``: adds one to the slot."""

    def code(found: Code, slow: Label) -> Code:
        first: Code = [*t.load(("lload_1",)), ("lconst_0",), ("lcmp",), ("ifeq", slow)] if slowly_at_zero else []
        return [*found, *t.slot(0, 1), ("lstore_1",), *first, *t.add(1, [("lconst_1",)]), ("return",)]

    t.probe(name, "(I)V", code, native, [("iload_0",)], at=1, stack=8, local=3)


def size_of(t: Tracker, name: str, shift: int | None) -> Code:
    """Stores the bytes of an array into local 4."""
    bits: Code = [t.get("REF", "I")] if shift is None else [(f"iconst_{shift}",)]
    return [("iload_0",), ("i2l",), *bits, ("lshl",), t.get(f"BASE_{name}", "J"), ("ladd",), *aligned(t), ("lstore", 4)]


def aligned(t: Tracker) -> Code:
    return [t.get("ALIGN", "J"), ("ladd",), ("lconst_1",), ("lsub",), t.get("ALIGN", "J"), ("lneg",), ("land",)]


def array(t: Tracker, name: str, size: Code, unknown: Code | None = None) -> None:
    """``name(int length, int slot)``: adds one to the slot and the array's bytes to the next one. `size` stores these
    into local 4; `unknown` is at the end, and for `size` to go to."""

    def code(found: Code, slow: Label) -> Code:
        return [
            *size,
            *found,
            *t.slot(1, 2),
            ("lstore_2",),
            *t.add(2, [("lconst_1",)]),
            ("lload_2",),
            t.further("CH_ALLOC_COUNT", "CH_ALLOC_BYTES"),
            ("ladd",),
            ("lstore_2",),
            *t.add(2, [("lload", 4)]),
            ("return",),
            *(unknown or ()),
        ]

    t.probe(name, "(II)V", code, "arraySlowly", [("lload", 4), ("iload_1",)], at=2, stack=10, local=6)


def array_by_site(t: Tracker, name: str) -> None:
    """As `array`, by what LAYOUTS has of the site."""
    layouts, unknown = t.get("LAYOUTS", "J"), Label("unknown")
    size: Code = [
        layouts,
        ("lconst_0",),
        ("lcmp",),
        ("ifeq", unknown),
        *t.load(*t.word(1, layouts)),
        ("lstore", 4),
        ("lload", 4),
        ("lconst_0",),
        ("lcmp",),
        ("ifeq", unknown),
        ("iload_0",),
        ("i2l",),
        ("lload", 4),
        ("l2i",),
        ("i2l",),
        ("lmul",),
        ("lload", 4),
        ("bipush", 32),
        ("lushr",),
        ("ladd",),
        *aligned(t),
        ("lstore", 4),
    ]
    array(t, name, size, [unknown, ("iload_0",), ("iload_1",), t.current(), t.native("arrayAtSite"), ("return",)])


def multi(t: Tracker) -> None:
    code = [("aload_0",), ("iload_1",), t.current(), t.native("multiArray"), ("return",)]
    t.method("arrays", "(Ljava/lang/Object;I)V", code, stack=3, local=2)


def initialise(t: Tracker) -> Code:
    """Where the elements of arrays begin."""
    return [
        *((t.native("arrayLayouts"), t.put("LAYOUTS", "J")) if t.values else ()),
        *(
            part
            for name, (array, _) in ARRAYS.items()
            for part in (("ldc_w", t.type(array)), t.native("arrayBase"), t.put(f"BASE_{name}", "J"))
        ),
    ]


def link(t: Tracker) -> Code:
    slot, thread = ("iload_0",), t.current()
    return [
        slot,
        thread,
        t.native("countSlowly"),
        slot,
        thread,
        t.native("allocatedSlowly"),
        ("lconst_0",),
        slot,
        thread,
        t.native("arraySlowly"),
        ("aconst_null",),
        slot,
        thread,
        t.native("multiArray"),
        *((("iconst_0",), slot, thread, t.native("arrayAtSite")) if t.values else ()),
    ]


PART = Part(
    add,
    natives={
        "arrayBase": "(Ljava/lang/Class;)J",
        "countSlowly": f"(IL{THREAD};)V",
        "allocatedSlowly": f"(IL{THREAD};)V",
        "arraySlowly": f"(JIL{THREAD};)V",
        "arrayLayouts": "()J",
        "arrayAtSite": f"(IIL{THREAD};)V",
        "multiArray": f"({OBJECT}IL{THREAD};)V",
    },
    public=("count", "allocated", *ARRAYS, "arrays"),
    fields={f"BASE_{name}": "J" for name in ARRAYS} | {"LAYOUTS": "J"},
    initialise=initialise,
    link=link,
)
