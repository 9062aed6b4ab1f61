"""Calls of Kotlin's suspend functions that wait: what probes know of each, until it goes on
(instrument/probes/carried.py).

``CALLS`` has tables, each four times as large as the one before it, which are made when they are needed. An element
stays in the place where it was put: one of WAYS neighbours, by the identity hash code of the function's own
continuation, in the first table that has a free one. A place is free if its call has ended, or if nobody has the
continuation any more: such a call never goes on. The element holds the continuation weakly. Nothing is locked; if all
tables are full, what is known of the call is lost.
"""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.names import NAME, OBJECT, OBJECTS, UNSAFE, WEAK, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

TABLES, FIRST_SHIFT, WAYS = 7, 8, 8  # the last table has 1 << 20 places
CALLS = f"[[L{NAME};"


def add(t: Tracker) -> None:
    """``callWaits(Object own, Object[] kept, int woven)`` returns the element, or null; ``callGoesOn(Object own, int
    woven)`` finds it, and ``callEnds(Object element)`` gives it up. `woven` is a number of the woven code: what other
    code has kept means something else. ``keptInt`` and the like return what is in the array, and something else without
    an element."""
    t.declare("kept", OBJECTS, static=False, final=False)
    waits(t)
    goes_on(t)
    none = Label("none")
    code: Code = [*element(t, 0, none), ("aconst_null",), kept(t, "putfield"), none, ("return",)]
    t.method("callEnds", f"({OBJECT})V", code, stack=2, local=1)
    values(t)
    arrays(t)


def kept(t: Tracker, op: str = "getfield") -> tuple[object, ...]:
    return t.field("kept", OBJECTS, op)


def places(t: Tracker, own: int, table: int, at: int) -> Code:
    """Stores the first of an object's places in a table, and the one behind the last."""
    return [
        ("aload", own), ("invokestatic", t.ref("identityHashCode", f"({OBJECT})I", "java/lang/System")),
        ("dup",), ("bipush", 16), ("iushr",), ("ixor",),
        ("bipush", WAYS), ("imul",), ("aload", table), ("arraylength",), ("bipush", WAYS), ("isub",), ("iand",), ("dup",), ("istore", at),
        ("bipush", WAYS), ("iadd",), ("istore", at + 1),
    ]  # fmt: skip


def waits(t: Tracker) -> None:
    unsafe, cas = t.get("U", f"L{UNSAFE};"), t.call("compareAndSetReference", f"({OBJECT}J{OBJECT}{OBJECT})Z", UNSAFE)
    level, table, at, behind, old, made = 3, 4, 5, 6, 7, 8
    following, there, following_place, free, busy, further, none = (
        Label(name) for name in ("next table", "there", "next place", "free", "busy", "further", "none")
    )

    def address(index: int) -> Code:
        return [t.get("BASE_arrayRef", "J"), ("iload", index), t.get("REF", "I"), ("ishl",), ("i2l",), ("ladd",)]

    size: Code = [
        ("iconst_1",),
        ("bipush", FIRST_SHIFT),
        ("iload", level),
        ("iconst_1",),
        ("ishl",),
        ("iadd",),
        ("ishl",),
    ]
    load_table: Code = [t.get("CALLS", CALLS), ("iload", level), ("aaload",), ("astore", table)]
    code: Code = [
        ("new", t.type(NAME)), ("dup",), ("aload", 0), ("iload", 2), ("iconst_0",), ("invokespecial", t.ref("<init>", f"({OBJECT}II)V")),
        ("astore", made), ("aload", made), ("aload", 1), kept(t, "putfield"),
        ("iconst_0",), ("istore", level),
        following, ("iload", level), ("bipush", TABLES), ("if_icmpge", none), *load_table, ("aload", table), ("ifnonnull", there),
        unsafe, t.get("CALLS", CALLS), *address(level), ("aconst_null",), *size, ("anewarray", t.type(NAME)), cas, ("pop",), *load_table,
        there, *places(t, 0, table, at),
        following_place, ("iload", at), ("iload", behind), ("if_icmpge", further), ("aload", table), ("iload", at), ("aaload",), ("astore", old),
        ("aload", old), ("ifnull", free), ("aload", old), kept(t), ("ifnull", free),
        ("aload", old), t.call("get", f"(){OBJECT}", WEAK), ("ifnonnull", busy),
        free, unsafe, ("aload", table), *address(at), ("aload", old), ("aload", made), cas, ("ifeq", busy), ("aload", made), ("areturn",),
        busy, ("iinc", at, 1), ("goto", following_place),
        further, ("iinc", level, 1), ("goto", following),
        none, ("aconst_null",), ("areturn",), ("pop",), ("aconst_null",), ("areturn",),
    ]  # fmt: skip
    t.method("callWaits", f"({OBJECT}{OBJECTS}I){OBJECT}", code, stack=9, local=9, caught=3)


def goes_on(t: Tracker) -> None:
    level, table, at, behind, found = 2, 3, 4, 5, 6
    following, following_place, other, further, none = (
        Label(name) for name in ("next table", "next place", "other", "further", "none")
    )
    code: Code = [
        ("iconst_0",), ("istore", level),
        following, ("iload", level), ("bipush", TABLES), ("if_icmpge", none),
        t.get("CALLS", CALLS), ("iload", level), ("aaload",), ("astore", table), ("aload", table), ("ifnull", none), *places(t, 0, table, at),
        following_place, ("iload", at), ("iload", behind), ("if_icmpge", further), ("aload", table), ("iload", at), ("aaload",), ("astore", found),
        ("aload", found), ("ifnull", other), ("aload", found), kept(t), ("ifnull", other),
        ("aload", found), t.call("get", f"(){OBJECT}", WEAK), ("aload", 0), ("if_acmpne", other),
        ("aload", found), t.field("slot", "I"), ("iload", 1), ("if_icmpne", none), ("aload", found), ("areturn",),
        other, ("iinc", at, 1), ("goto", following_place),
        further, ("iinc", level, 1), ("goto", following),
        none, ("aconst_null",), ("areturn",),
    ]  # fmt: skip
    t.method("callGoesOn", f"({OBJECT}I){OBJECT}", code, stack=3, local=7)


def element(t: Tracker, at: int, none: Label) -> Code:
    """Pushes the element in a local, or goes to `none`: the program itself may call these methods, with any object."""
    return [("aload", at), ("instanceof", t.type(NAME)), ("ifeq", none), ("aload", at), ("checkcast", t.type(NAME))]


def values(t: Tracker) -> None:
    none = Label("none")
    for name, letter, box, method in (("keptInt", "I", "Integer", "intValue"), ("keptLong", "J", "Long", "longValue")):
        load, back = (("lload", 2), ("lreturn",)) if letter == "J" else (("iload", 2), ("ireturn",))
        box = f"java/lang/{box}"
        code: Code = [
            *element(t, 0, none), kept(t), ("iload", 1), ("aaload",), ("checkcast", t.type(box)),
            t.call(method, f"(){letter}", box), back, none, load, back,
        ]  # fmt: skip
        t.method(name, f"({OBJECT}I{letter}){letter}", code, stack=2, local=4)
    code = [
        *element(t, 0, none), kept(t), ("iload", 1), ("aaload",), ("checkcast", t.type(OBJECTS)), ("areturn",),
        none, ("aconst_null",), ("areturn",),
    ]  # fmt: skip
    t.method("keptObjects", f"({OBJECT}I){OBJECTS}", code, stack=2, local=2)


def arrays(t: Tracker) -> None:
    """``lightened(array)``: a copy that keeps none of the program's objects alive; ``regained(array)``: a copy of that
    with the objects, as far as they are still there."""
    weak, same = ("checkcast", t.type(WEAK)), Label("same")
    heavy: Code = [("iconst_1",), t.call("lighter", f"({OBJECT}I){OBJECT}")]
    there: Code = [
        ("astore", 3), ("aload", 3), ("aload", 3), ("instanceof", t.type(WEAK)), ("ifeq", same), weak, t.call("get", f"(){OBJECT}", WEAK), same
    ]  # fmt: skip
    for name, each in (("lightened", heavy), ("regained", there)):
        following, end, none = Label("next"), Label("end"), Label("none")
        code: Code = [
            ("aload", 0), ("ifnull", none), ("aload", 0), ("arraylength",), ("anewarray", t.type("java/lang/Object")), ("astore", 1),
            ("iconst_0",), ("istore", 2),
            following, ("iload", 2), ("aload", 0), ("arraylength",), ("if_icmpge", end),
            ("aload", 1), ("iload", 2), ("aload", 0), ("iload", 2), ("aaload",), *each, ("aastore",), ("iinc", 2, 1), ("goto", following),
            end, ("aload", 1), ("areturn",), none, ("aconst_null",), ("areturn",), ("pop",), ("aconst_null",), ("areturn",),
        ]  # fmt: skip
        t.method(name, f"({OBJECTS}){OBJECTS}", code, stack=5, local=4, caught=3)


def initialise(t: Tracker) -> Code:
    return [("bipush", TABLES), ("anewarray", t.type(f"[L{NAME};")), t.put("CALLS", CALLS)]


PART = Part(
    add,
    public=("callWaits", "callGoesOn", "callEnds", "keptInt", "keptLong", "keptObjects", "lightened", "regained"),
    not_inlined=("callWaits",),
    fields={"CALLS": CALLS},
    initialise=initialise,
)
