"""What handlers are called with: an array for arguments, objects for numbers. The natives are in native/events/.

``SILENT`` has a byte for each slot, which is set once a native has found that no handler of the slot is on: then the
native is not called, and what is left of the probe costs next to nothing in compiled code. When a handler is turned on,
there is another array. The field is volatile: compiled loops look at it again.
"""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.names import BOXES, OBJECT, OBJECTS, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    """What `event` weaves: methods before its natives, an array for arguments, objects for numbers."""
    t.declare("SILENT", "[B", final=False, volatile=True)
    for name, (native, loads, slot, at) in TOLD.items():
        call, done = Label("call"), Label("done")
        code = [
            t.get("SILENT", "[B"), ("astore", at), ("aload", at), ("ifnull", call),
            slot, ("iflt", call), slot, ("aload", at), ("arraylength",), ("if_icmpge", call),
            ("aload", at), slot, ("baload",), ("ifne", done), call, *loads, t.native(native), done, ("return",),
        ]
        t.method(name, NATIVES[native], code, stack=6, local=at + 1)
    array = [("iload_0",), ("anewarray", t.type("java/lang/Object")), ("areturn",)]
    t.method("array", "(I)[Ljava/lang/Object;", array, stack=1, local=1)
    for name, (letter, box) in BOXES.items():
        load = {"J": "lload_0", "F": "fload_0", "D": "dload_0"}.get(letter, "iload_0")
        boxed = ("invokestatic", t.ref("valueOf", f"({letter})Ljava/lang/{box};", f"java/lang/{box}"))
        # without memory for it, the program goes on
        code = [(load,), boxed, ("areturn",), ("pop",), ("aconst_null",), ("areturn",)]
        t.method(name, f"({letter})Ljava/lang/Object;", code, stack=2, local=2, caught=3)


def link(t: Tracker) -> Code:
    slot, zero, nothing = ("iload_0",), ("lconst_0",), ("aconst_null",)
    return [
        t.native("now"), ("pop2",), slot, nothing, nothing, t.native("entered0"),
        *(part for name in ("left0", "threw0") for part in (nothing, slot, zero, nothing, nothing, t.native(name))),
    ]


NATIVES = {
    "now": "()J",
    "entered0": f"(I{OBJECT}{OBJECTS})V",
    "left0": f"({OBJECT}IJ{OBJECT}{OBJECTS})V",
    "threw0": f"({OBJECT}IJ{OBJECT}{OBJECTS})V",
}
ENDS = [("aload", 0), ("iload", 1), ("lload", 2), ("aload", 4), ("aload", 5)]
#: What woven code calls: the native, what it is passed, the slot, the first local that is free.
TOLD = {
    "entered": ("entered0", [("iload", 0), ("aload", 1), ("aload", 2)], ("iload_0",), 3),
    "left": ("left0", ENDS, ("iload_1",), 6),
    "threw": ("threw0", ENDS, ("iload_1",), 6),
}
PART = Part(add, natives=NATIVES, public=("now", *TOLD, "array", *BOXES), link=link)
