"""Probes of coverage: a byte for each."""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.names import UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

#: log2 of the number of slots in a part of SEEN, and of FIELDS (fields.py).
SEEN_SHIFT = 14


def number_of_part(t: Tracker, slot: int) -> Code:
    """Pushes which part has a slot, whose number is in a local."""
    return [("iload", slot), t.get("MASK", "I"), ("iand",), ("bipush", SEEN_SHIFT), ("iushr",)]


def place_in_part(slot: int) -> Code:
    """Pushes where a slot is in its part."""
    return [("iload", slot), ("sipush", (1 << SEEN_SHIFT) - 1), ("iand",)]


def parts_of_slots(t: Tracker, type: str) -> Code:
    """Pushes an array of this type with an element for each part of all slots."""
    return [
        t.get("MASK", "I"),
        ("bipush", SEEN_SHIFT),
        ("iushr",),
        ("iconst_1",),
        ("iadd",),
        ("anewarray", t.type(type)),
    ]


def add(t: Tracker) -> None:
    """``covered(int slot)`` sets the slot's byte in the region CH_COVER.

    It looks into SEEN first, and comes to the region only for what is not set there: no two threads write to one cache
    line again and again. SEEN is @Stable: the JIT takes elements that are set for constants, so that a probe that was
    hit before its method is compiled leaves no code. It is made in parts, when their first slot is hit: one large array
    that lives from the start on makes G1 choose larger young generations (H2: +42 MB for 1 MB).
    """
    slow, done, known, there = Label("slow"), Label("done"), Label("known"), Label("there")
    unsafe = t.get("U", f"L{UNSAFE};")
    number = number_of_part(t, 0)
    part: Code = [t.get("SEEN", "[[B"), *number, ("aaload",)]
    inside = place_in_part(0)
    code: Code = [
        *part,
        ("astore_1",),
        ("aload_1",),
        ("ifnull", slow),
        ("aload_1",),
        *inside,
        ("baload",),
        ("ifne", done),
        slow,
        ("iload_0",),
        t.call("coveredFirst", "(I)V"),
        done,
        ("return",),
        *([("nop",)] * 4),
        ("return",),
    ]
    t.method("covered", "(I)V", code, stack=3, local=2)
    code = [  # the address is within the region, whatever the number is
        t.get("COVER", "J"),
        ("iload_0",),
        t.get("MASK", "I"),
        ("iand",),
        ("i2l",),
        ("ladd",),
        ("lstore_1",),
        unsafe,
        ("aconst_null",),
        ("lload_1",),
        t.call("getByte", "(Ljava/lang/Object;J)B", UNSAFE),
        ("ifne", known),
        unsafe,
        ("aconst_null",),
        ("lload_1",),
        ("iconst_1",),
        t.call("putByte", "(Ljava/lang/Object;JB)V", UNSAFE),
        known,
        ("iload_0",),
        t.call("seen", "(I)V"),
        ("return",),
    ]
    t.method("coveredFirst", "(I)V", code, stack=6, local=3)
    code = [
        *part,
        ("ifnonnull", there),
        unsafe,
        t.get("SEEN", "[[B"),
        t.get("BASE_arrayRef", "J"),
        *number,
        t.get("REF", "I"),
        ("ishl",),
        ("i2l",),
        ("ladd",),
        ("aconst_null",),
        ("sipush", 1 << SEEN_SHIFT),
        ("newarray", 8),
        t.call("compareAndSetReference", "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z", UNSAFE),
        ("pop",),
        there,
        *part,
        *inside,
        ("iconst_1",),
        ("bastore",),
        ("return",),
    ]
    # without memory for a part, the program goes on and comes here again
    t.method("seen", "(I)V", [*code, ("pop",), ("return",)], stack=8, local=1, caught=2)


def initialise(t: Tracker) -> Code:
    return [t.native("coverBase"), t.put("COVER", "J"), *parts_of_slots(t, "[B"), t.put("SEEN", "[[B")]


PART = Part(
    add,
    natives={"coverBase": "()J"},
    public=("covered",),
    not_inlined=("coveredFirst", "seen"),
    fields={"COVER": "J", "SEEN": "[[B"},
    stable=("SEEN",),
    initialise=initialise,
)
