"""What handlers are called with: an array for arguments, objects for numbers. The natives are in native/events/."""

from __future__ import annotations

from classhook.native.building.tracker.names import BOXES, OBJECT, OBJECTS, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    """What `event` weaves beside its natives: an array for arguments, objects for numbers."""
    array = [("iload_0",), ("anewarray", t.type("java/lang/Object")), ("areturn",)]
    t.method("array", "(I)[Ljava/lang/Object;", array, stack=1, local=1)
    for name, (letter, box) in BOXES.items():
        load = {"J": "lload_0", "F": "fload_0", "D": "dload_0"}.get(letter, "iload_0")
        boxed = ("invokestatic", t.ref("valueOf", f"({letter})Ljava/lang/{box};", f"java/lang/{box}"))
        code = [(load,), boxed, ("areturn",), ("pop",), ("aconst_null",), ("areturn",)]  # without memory for it, the program goes on
        t.method(name, f"({letter})Ljava/lang/Object;", code, stack=2, local=2, caught=3)


def link(t: Tracker) -> Code:
    slot, zero, nothing = ("iload_0",), ("lconst_0",), ("aconst_null",)
    return [
        t.native("now"), ("pop2",), slot, nothing, nothing, t.native("entered"),
        *(part for name in ("left", "threw") for part in (nothing, slot, zero, nothing, nothing, t.native(name))),
    ]


NATIVES = {
    "now": "()J",
    "entered": f"(I{OBJECT}{OBJECTS})V",
    "left": f"({OBJECT}IJ{OBJECT}{OBJECTS})V",
    "threw": f"({OBJECT}IJ{OBJECT}{OBJECTS})V",
}
PART = Part(add, natives=NATIVES, public=(*NATIVES, "array", *BOXES), link=link)
