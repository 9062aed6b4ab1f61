"""How a thread moves to another block of counters: the agent says where to, and the tracker stores the address in the
Thread object, which takes the agent itself ten times as long (native/threads/moved_threads.c).

``slotsIn(Object holder)`` reads the field before the agent is called. ``moved(long to, Object holder, long before)``
stores the new address, unless something else was stored meanwhile (ch_threads_look, a probe's slow path): then nothing
is there, and the next probe asks the agent. It returns the number that came along. The JIT does not look into it, so no
compiled loop keeps the old address.

The stack may end where ``moved`` is called, when the agent has given the old block to others already. So ``moved`` is
called without effect before the agent is: if the stack is too short, nothing has happened. If it is too short only then
(the JIT may have replaced code meanwhile), the agent stores the address itself: ``settle`` needs no more of the stack
than the native before.
"""

from __future__ import annotations

from collections.abc import Sequence

from jawa.assemble import Label

from classhook.native.building.tracker.names import OBJECT, THREAD, UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

#: Blocks begin at multiples of a page, below 2^48 (aarch64 uses all of these bits): in the other bits is a number, its
#: lower bits first.
PAGE_BITS, ADDRESS_BITS = 12, 48
IN_PAGE, ADDRESS = (1 << PAGE_BITS) - 1, (1 << ADDRESS_BITS) - (1 << PAGE_BITS)


def constant(t: Tracker, value: int) -> tuple[object, ...]:
    return "ldc2_w", t.cf.constants.create_long(value)


def number(t: Tracker, at: int) -> Code:
    """Pushes the number in the long in local `at`."""
    return [
        ("lload", at), constant(t, IN_PAGE), ("land",),
        ("lload", at), ("bipush", ADDRESS_BITS), ("lushr",), ("bipush", PAGE_BITS), ("lshl",), ("lor",), ("l2i",),
    ]  # fmt: skip


def method(
    t: Tracker,
    name: str,
    descriptor: str,
    native: str,
    arguments: Code,
    free: int,
    unless: Sequence[tuple[str, ...]] = (),
) -> None:
    """A method that calls a native which may move this thread, and returns its number, unless it returns nothing. Six
    locals are used, from `free` on. `unless`: pushes an int; if that is 0, nothing is done."""
    thread, holder, before, to = free, free + 1, free + 2, free + 4
    back: Code = [("pop",), ("return",)] if descriptor.endswith("V") else [("ireturn",)]
    none = Label("none")
    set_up: Code = [("lconst_0",), ("lstore", to), t.current(), ("astore", thread)]
    found: Code = [("aload", thread)]
    if t.carriers:
        found = [
            t.get("U", f"L{UNSAFE};"),
            *found,
            t.get("HOLDER", "J"),
            t.call("getReference", f"({OBJECT}J){OBJECT}", UNSAFE),
        ]
    move: Code = [("lload", to), ("aload", holder), ("lload", before), t.call("moved", f"(J{OBJECT}J)I")]
    code: Code = [
        *set_up, *unless, *([("ifeq", none)] if unless else []),
        *found, ("astore", holder), ("aload", holder), t.call("slotsIn", f"({OBJECT})J"), ("lstore", before),
        *move, ("pop",),
        *arguments, ("aload", thread), t.native(native), ("lstore", to),
        *move, *back,
        *([none, ("return",)] if unless else []),
    ]  # fmt: skip
    too_deep: Code = [("pop",), ("aload", thread), t.native("settle"), *number(t, to), *back]
    t.method(
        name, descriptor, [*code, *too_deep], stack=7, local=free + 6,
        caught=t.size_of(too_deep), uncaught=t.size_of(set_up), error="java/lang/VirtualMachineError",
    )  # fmt: skip


def add(t: Tracker) -> None:
    unsafe, place, none, done, stays = (
        t.get("U", f"L{UNSAFE};"),
        t.get("SLOTS", "J"),
        Label("none"),
        Label("done"),
        Label("stays"),
    )
    code: Code = [
        ("aload", 0), ("ifnull", none), unsafe, ("aload", 0), place, t.call("getLong", f"({OBJECT}J)J", UNSAFE), ("lreturn",),
        none, ("lconst_0",), ("lreturn",),
    ]  # fmt: skip
    t.method("slotsIn", f"({OBJECT})J", code, stack=4, local=1)
    code = [
        ("aload", 2), ("ifnull", done),
        ("lload", 0), constant(t, ADDRESS), ("land",), ("lneg",), ("lstore", 5),
        ("lload", 5), ("lconst_0",), ("lcmp",), ("ifne", stays), ("lload", 3), ("lstore", 5),
        stays, unsafe, ("aload", 2), place, ("lload", 3), ("lload", 5), t.call("compareAndSetLong", f"({OBJECT}JJJ)Z", UNSAFE), ("ifne", done),
        unsafe, ("aload", 2), place, ("lconst_0",), t.call("putLong", f"({OBJECT}JJ)V", UNSAFE),
        done, *number(t, 0), ("ireturn",),
    ]  # fmt: skip
    t.method("moved", f"(J{OBJECT}J)I", code, stack=8, local=7)


def link(t: Tracker) -> Code:
    return [t.current(), t.native("settle")]


PART = Part(add, natives={"settle": f"(L{THREAD};)V"}, not_inlined=("moved",), link=link)
