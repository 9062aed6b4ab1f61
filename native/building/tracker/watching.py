"""Calls, lines and writes that are watched one by one (`watch`, `slowest`; native/watch/)."""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.coverage import number_of_part, place_in_part
from classhook.native.building.tracker.names import BOXES, OBJECT, OBJECTS, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    calls(t)
    lines(t)
    writes(t)


def calls(t: Tracker) -> None:
    """``watching(int length, int slot)``: an array for an activation; null, if none is watched any more: SEEN says so.
    ``begun`` returns it with the time when the activation began as its last element; null if it is not to be watched.
    The others take it where the activation ends; ``onlyIf(int holds, array)`` returns it, or null if nothing holds.
    """
    objects = "[Ljava/lang/Object;"
    over, go_on, none = Label("over"), Label("go on"), Label("none")
    made = ("anewarray", t.type("java/lang/Object"))
    nothing: Code = [("aconst_null",), ("areturn",), ("pop",), ("aconst_null",), ("areturn",)]
    code: Code = [
        t.get("SEEN", "[[B"),
        *number_of_part(t, 1),
        ("aaload",),
        ("astore_2",),
        ("aload_2",),
        ("ifnull", go_on),
        ("aload_2",),
        *place_in_part(1),
        ("baload",),
        ("ifne", over),
        go_on,
        ("iload_0",),
        made,
        ("areturn",),
        over,
        *nothing,
    ]
    t.method("watching", f"(II){objects}", code, stack=3, local=3, caught=3)
    boxed = ("invokestatic", t.ref("valueOf", "(J)Ljava/lang/Long;", "java/lang/Long"))
    code = [
        ("aload_0",),
        ("iload_1",),
        t.native("watchBegins"),
        ("lstore_2",),
        ("lload_2",),
        ("lconst_0",),
        ("lcmp",),
        ("ifgt", go_on),
        ("lload_2",),
        ("lconst_0",),
        ("lcmp",),
        ("ifeq", none),
        ("iload_1",),
        t.call("seen", "(I)V"),
        ("goto", none),
        go_on,
        ("aload_0",),
        ("dup",),
        ("arraylength",),
        ("iconst_1",),
        ("isub",),
        ("lload_2",),
        boxed,
        ("aastore",),
        ("aload_0",),
        ("areturn",),
        none,
        *nothing,
    ]
    t.method("begun", f"({objects}I){objects}", code, stack=5, local=4, caught=3)
    released(t)
    code = [("aload_0",), ("ifnull", none), ("aload_0",), ("iconst_0",), ("aload_1",), ("aastore",), none, ("return",)]
    t.method("constructed", f"({objects}Ljava/lang/Object;)V", code, stack=3, local=2)
    code = [("iload_0",), ("ifeq", none), ("aload_1",), ("areturn",), none, ("aconst_null",), ("areturn",)]
    t.method("onlyIf", f"(I{objects}){objects}", code, stack=1, local=2)
    long = t.type("java/lang/Long")

    def ends(at: int) -> Code:  # with the array in this local
        begun: Code = [
            ("aload", at),
            ("dup",),
            ("arraylength",),
            ("iconst_1",),
            ("isub",),
            ("aaload",),
            ("checkcast", long),
        ]
        return [*begun, t.call("longValue", "()J", "java/lang/Long"), t.native("watchEnds")]

    for name, threw in (("watched", "iconst_0"), ("watchedThrown", "iconst_1")):
        code = [
            ("aload_1",),
            ("ifnull", none),
            ("aload_0",),
            ("aload_1",),
            ("iload_2",),
            (threw,),
            *ends(1),
            none,
            ("return",),
        ]
        t.method(name, f"(Ljava/lang/Object;{objects}I)V", code, stack=7, local=3)
    for name, (letter, _) in BOXES.items():
        at = 2 if letter in "JD" else 1
        load = {"J": "lload_0", "F": "fload_0", "D": "dload_0"}.get(letter, "iload_0")
        code = [
            ("aload", at),
            ("ifnull", none),
            (load,),
            t.call(name, f"({letter})Ljava/lang/Object;"),
            ("aload", at),
            ("iload", at + 1),
            ("iconst_0",),
            *ends(at),
            none,
            ("return",),
        ]
        t.method(f"watched{letter}", f"({letter}{objects}I)V", code, stack=7, local=at + 2)


def released(t: Tracker) -> None:
    """``released(array, int read)``, behind ``begun``: the array without what it must not keep alive. An object of
    which only the class is shown becomes its class; one that is read at the end (bit i of `read`, the last bit for all
    further ones), or an array, becomes a weak reference. Values stay.
    """
    objects, object_, weak = "[Ljava/lang/Object;", "Ljava/lang/Object;", "java/lang/ref/WeakReference"
    next_, end, same, weakly = Label("next"), Label("end"), Label("same"), Label("weakly")
    code: Code = [
        ("aload_0",),
        ("ifnull", end),
        ("iconst_0",),
        ("istore_2",),
        next_,
        ("iload_2",),
        ("aload_0",),
        ("arraylength",),
        ("iconst_1",),
        ("isub",),
        ("if_icmpge", end),
        ("aload_0",),
        ("iload_2",),
        ("aload_0",),
        ("iload_2",),
        ("aaload",),
        ("iload_1",),
        ("iconst_1",),
        ("iand",),
        t.call("lighter", f"({object_}I){object_}"),
        ("aastore",),
        ("iload_1",),
        ("iconst_1",),
        ("ishr",),
        ("istore_1",),
        ("iinc", 2, 1),
        ("goto", next_),
        end,
        ("aload_0",),
        ("areturn",),
    ]
    t.method("released", f"({objects}I){objects}", code, stack=5, local=3)
    shown = [
        ("java/lang/String", same),
        *((f"java/lang/{name}", same) for name in ("Integer", "Long", "Boolean", "Double", "Enum")),
    ]
    shown += [(f"java/lang/{name}", same) for name in ("Character", "Float", "Short", "Byte")]
    tests: Code = [one for name, to in shown for one in (("aload_0",), ("instanceof", t.type(name)), ("ifne", to))]
    # a value object, to which there are no references; no memory
    refused: Code = [("pop",), ("aload_0",), ("areturn",)]
    code = [
        ("aload_0",),
        ("ifnull", same),
        *tests,
        ("iload_1",),
        ("ifne", weakly),
        ("aload_0",),
        t.call("getClass", "()Ljava/lang/Class;", "java/lang/Object"),
        ("astore_2",),
        ("aload_2",),
        t.call("isArray", "()Z", "java/lang/Class"),
        ("ifne", weakly),
        ("aload_2",),
        ("areturn",),
        weakly,
        ("new", t.type(weak)),
        ("dup",),
        ("aload_0",),
        ("invokespecial", t.ref("<init>", f"({object_})V", weak)),
        ("areturn",),
        same,
        ("aload_0",),
        ("areturn",),
        *refused,
    ]
    t.method("lighter", f"({object_}I){object_}", code, stack=3, local=3, caught=t.size_of(refused))


def lines(t: Tracker) -> None:
    """``watchingIf(int holds, int length, int slot)``: as ``watching``, but null if nothing holds. ``keep(array, index,
    value)`` puts a value into the array, and ``passed(array, slot)`` tells the agent of it; with null they do nothing.
    So the code at a line needs no jump.
    """
    objects = "[Ljava/lang/Object;"
    none = Label("none")
    nothing: Code = [("aconst_null",), ("areturn",)]
    code: Code = [
        ("iload_0",),
        ("ifeq", none),
        ("iload_1",),
        ("iload_2",),
        t.call("watching", f"(II){objects}"),
        ("areturn",),
        none,
        *nothing,
    ]
    t.method("watchingIf", f"(III){objects}", code, stack=2, local=3)
    code = [("aload_0",), ("ifnull", none), ("aload_0",), ("iload_1",), ("aload_2",), ("aastore",), none, ("return",)]
    t.method("keep", f"({objects}ILjava/lang/Object;)V", code, stack=3, local=3)
    for name, (letter, _) in BOXES.items():
        load = {"J": "lload_2", "F": "fload_2", "D": "dload_2"}.get(letter, "iload_2")
        boxed = t.call(name, f"({letter})Ljava/lang/Object;")
        code = [
            ("aload_0",),
            ("ifnull", none),
            ("aload_0",),
            ("iload_1",),
            (load,),
            boxed,
            ("aastore",),
            none,
            ("return",),
        ]
        t.method(f"keep{letter}", f"({objects}I{letter})V", code, stack=4, local=4)
    code = [
        ("aload_0",),
        ("ifnull", none),
        ("aload_0",),
        ("iload_1",),
        t.native("watchLine"),
        ("ifeq", none),
        ("iload_1",),
        t.call("seen", "(I)V"),
        none,
        ("return",),
    ]
    t.method("passed", f"({objects}I)V", code, stack=2, local=2)


def writes(t: Tracker) -> None:
    """``write(object, value, array, slot)`` puts both into the array and tells the agent; ``wrote(value, old, array,
    slot)`` does so where there is no object: the array's first element is the array itself then. With null they do
    nothing.
    """
    objects, object_ = "[Ljava/lang/Object;", "Ljava/lang/Object;"
    none = Label("none")
    for name, letter in [("", object_), *((name, letter) for name, (letter, _) in BOXES.items())]:
        load = {"J": "lload", "F": "fload", "D": "dload", object_: "aload"}.get(letter, "iload")
        boxed = [t.call(name, f"({letter}){object_}")] if name else []
        wide = letter in ("J", "D")
        suffix = letter if name else ""
        at = 3 if wide else 2
        told: Code = [
            ("aload", at),
            ("iload", at + 1),
            t.native("watchLine"),
            ("ifeq", none),
            ("iload", at + 1),
            t.call("seen", "(I)V"),
            none,
            ("return",),
        ]
        put: Code = [("aload", at), ("iconst_1",), (load, 1), *boxed, ("aastore",)]
        code = [
            ("aload", at),
            ("ifnull", none),
            ("aload", at),
            ("iconst_0",),
            ("aload_0",),
            ("aastore",),
            *put,
            *told,
        ]
        t.method(f"write{suffix}", f"({object_}{letter}{objects}I)V", code, stack=4, local=at + 2)
        put = [("aload", at), ("iconst_1",), (load, 0), *boxed, ("aastore",)]
        code = [
            ("aload", at),
            ("ifnull", none),
            ("aload", at),
            ("iconst_0",),
            ("aload", at),
            ("aastore",),
            *put,
            ("aload", at),
            ("iconst_2",),
            ("aload", at - 1),
            ("aastore",),
            *told,
        ]
        t.method(f"wrote{suffix}", f"({letter}{object_}{objects}I)V", code, stack=4, local=at + 2)


def link(t: Tracker) -> Code:
    slot, nothing = ("iload_0",), ("aconst_null",)
    return [
        nothing,
        slot,
        t.native("watchBegins"),
        ("pop2",),
        nothing,
        nothing,
        slot,
        ("iconst_0",),
        ("lconst_0",),
        t.native("watchEnds"),
        nothing,
        slot,
        t.native("watchLine"),
        ("pop",),
    ]


LETTERS = [letter for letter, _ in BOXES.values()]
PART = Part(
    add,
    natives={
        "watchBegins": f"({OBJECTS}I)J",
        "watchEnds": f"({OBJECT}{OBJECTS}IZJ)V",
        "watchLine": f"({OBJECTS}I)Z",
    },
    public=(
        "watching",
        "begun",
        "released",
        "constructed",
        "onlyIf",
        "watchingIf",
        "passed",
        "watchedThrown",
        *(f"{name}{letter}" for name in ("watched", "keep", "write", "wrote") for letter in ("", *LETTERS)),
    ),
    not_inlined=("begun",),
    link=link,
)
