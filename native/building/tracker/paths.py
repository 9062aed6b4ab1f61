"""The path of a profiled thread: which methods it is in (`profile`; native/timing/paths.c, shadow_stacks.c)."""

from __future__ import annotations

from functools import partial
from typing import Any

from jawa.assemble import Label

from classhook.native.building import header
from classhook.native.building.tracker.names import THREAD, UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    """``push(int slot)`` counts in the slot, puts it on the thread's path, and returns the frame's depth (paths.c),
    which ``pop`` takes to end it; -1 where there is no path. ``restore`` ends the frames above it: those that an
    exception left.

    Of two plain stores to the depth with only arithmetic between them, a loop perhaps, the JIT keeps the second, and
    the sampler would never see what the first belongs to. So methods with loops use ``pushOpaque`` and ``popOpaque``.
    Elsewhere that would cost much: it ends the JIT's knowledge of all memory, the thread's block included.
    """
    unsafe, base = t.get("U", f"L{UNSAFE};"), 4
    path: Code = [t.get("PATH", "J"), ("lload", 2), ("ladd",), ("lstore", base)]
    plainly, opaquely = (t.call(name, "(Ljava/lang/Object;JI)V", UNSAFE) for name in ("putInt", "putIntOpaque"))
    last = ("sipush", header.constant("CH_PATH_FRAMES") - 1)
    # It shows the JIT that the depth is not negative. Less than CH_UNNUMBERED, which would make this class look like
    # one whose probes nobody numbered.
    positive = ("ldc_w", t.cf.constants.create_integer(0x3FFFFFFF))
    # The frame's place: (depth | (last - depth) >> 31) & last, without a branch. Of more frames than there is room for,
    # the one called last is in the last place.
    at: Code = [
        ("iload_1",),
        last,
        ("iload_1",),
        ("isub",),
        ("bipush", 31),
        ("ishr",),
        ("ior",),
        last,
        ("iand",),
        ("i2l",),
        ("iconst_2",),
        ("lshl",),
    ]
    # the depth into local 1, and a frame for the slot in local 0
    frame: Code = [
        unsafe,
        ("aconst_null",),
        ("lload", base),
        t.call("getInt", "(Ljava/lang/Object;J)I", UNSAFE),
        positive,
        ("iand",),
        ("istore_1",),
        unsafe,
        ("aconst_null",),
        ("lload", base),
        ("ldc2_w", t.cf.constants.create_long(header.constant("CH_PATH_AT"))),
        ("ladd",),
        *at,
        ("ladd",),
        ("iload_0",),
        plainly,
        unsafe,
        ("aconst_null",),
        ("lload", base),
        ("iload_1",),
        ("iconst_1",),
        ("iadd",),
    ]

    def push(found: Code, slow: Label, *, set_depth: Any) -> Code:
        return [
            *found,
            *path,
            *t.slot(0, 2),
            ("lstore_2",),
            *t.add(2, [("lconst_1",)]),
            *frame,
            set_depth,
            ("iload_1",),
            ("ireturn",),
        ]

    def pop(found: Code, slow: Label, *, set_depth: Any, above: Code) -> Code:
        return [
            ("iload_0",),
            ("iflt", slow),
            *found,
            unsafe,
            ("aconst_null",),
            *path[:3],
            ("iload_0",),
            *above,
            set_depth,
            ("return",),
        ]

    for kind, set_depth in (("", plainly), ("Opaque", opaquely)):
        t.probe(
            f"push{kind}",
            "(I)I",
            partial(push, set_depth=set_depth),
            "pushSlowly",
            [("iload_0",)],
            at=2,
            stack=8,
            local=8,
        )
        t.probe(f"pop{kind}", "(I)V", partial(pop, set_depth=set_depth, above=[]), "", [], at=2, stack=8, local=6)
    t.probe(
        "restore",
        "(I)V",
        partial(pop, set_depth=opaquely, above=[("iconst_1",), ("iadd",)]),
        "",
        [],
        at=2,
        stack=8,
        local=6,
    )
    popped: Code = [("iload_0",), t.call("pop", "(I)V"), ("iload_1",), t.call("count", "(I)V"), ("return",)]
    t.method("popThrown", "(II)V", popped, stack=1, local=2)


def initialise(t: Tracker) -> Code:
    return [t.native("pathAt"), ("i2l",), t.put("PATH", "J")]


def link(t: Tracker) -> Code:
    return [("iload_0",), t.current(), t.native("pushSlowly"), t.call("pop", "(I)V")]


PART = Part(
    add,
    natives={"pathAt": "()I", "pushSlowly": f"(IL{THREAD};)I"},
    public=("push", "pushOpaque", "pop", "popOpaque", "popThrown", "restore"),
    not_inlined=("popThrown", "restore"),
    fields={"PATH": "J"},
    initialise=initialise,
    link=link,
)
