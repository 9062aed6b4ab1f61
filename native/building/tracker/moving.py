"""How a thread moves to another block of counters: the agent says where to, and the tracker stores the address in the Thread object, which takes the
agent itself ten times as long (native/counting/moved_threads.c).

``slotsIn(Object holder)`` reads the field before the agent is called. ``moved(long to, Object holder, long before)`` stores the new address, unless
another thread has taken the one from before out meanwhile (ch_threads_look): then the next probe asks the agent. It returns the number that came
along. The JIT does not look into it, so no compiled loop keeps the old address.
"""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.names import OBJECT, UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

#: Blocks begin at multiples of a page, below 2^47: in the other bits is a number, its lower bits first.
PAGE_BITS, ADDRESS_BITS = 12, 47
IN_PAGE, ADDRESS = (1 << PAGE_BITS) - 1, (1 << ADDRESS_BITS) - (1 << PAGE_BITS)


def around(t: Tracker, native: str, arguments: Code, free: int) -> Code:
    """Calls a native that may move this thread, and pushes its number. Four locals are used, from `free` on."""
    thread, holder, before = free, free + 1, free + 2
    found: Code = [t.current(), ("dup",), ("astore", thread)]
    if t.carriers:
        found = [t.get("U", f"L{UNSAFE};"), *found, t.get("HOLDER", "J"), t.call("getReference", f"({OBJECT}J){OBJECT}", UNSAFE)]
    return [
        *found, ("astore", holder), ("aload", holder), t.call("slotsIn", f"({OBJECT})J"), ("lstore", before),
        *arguments, ("aload", thread), t.native(native), ("aload", holder), ("lload", before), t.call("moved", f"(J{OBJECT}J)I"),
    ]  # fmt: skip


def add(t: Tracker) -> None:
    unsafe, place, none, done = t.get("U", f"L{UNSAFE};"), t.get("SLOTS", "J"), Label("none"), Label("done")
    code: Code = [
        ("aload", 0), ("ifnull", none), unsafe, ("aload", 0), place, t.call("getLong", f"({OBJECT}J)J", UNSAFE), ("lreturn",),
        none, ("lconst_0",), ("lreturn",),
    ]  # fmt: skip
    t.method("slotsIn", f"({OBJECT})J", code, stack=4, local=1)

    def constant(value: int) -> tuple[object, ...]:
        return "ldc2_w", t.cf.constants.create_long(value)

    code = [
        ("lload", 0), constant(ADDRESS), ("land",), ("lstore", 5), ("lload", 5), ("lconst_0",), ("lcmp",), ("ifeq", done),
        ("aload", 2), ("ifnull", done),
        unsafe, ("aload", 2), place, ("lload", 3), ("lload", 5), ("lneg",), t.call("compareAndSetLong", f"({OBJECT}JJJ)Z", UNSAFE), ("pop",),
        done, ("lload", 0), constant(IN_PAGE), ("land",),
        ("lload", 0), ("bipush", ADDRESS_BITS), ("lushr",), ("bipush", PAGE_BITS), ("lshl",), ("lor",), ("l2i",), ("ireturn",),
    ]  # fmt: skip
    t.method("moved", f"(J{OBJECT}J)I", code, stack=8, local=7)


PART = Part(add, not_inlined=("moved",))
