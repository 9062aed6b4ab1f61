"""Pieces of code that read fields of objects, which are in locals (fields.py says how; comparisons.py compares what
they have)."""

from __future__ import annotations

from typing import Any

from jawa.assemble import Label

from classhook.native.building import header
from classhook.native.building.tracker.coverage import SEEN_SHIFT, number_of_part
from classhook.native.building.tracker.names import NAME, OBJECT, UNSAFE, Code
from classhook.native.building.tracker.thread_slots import Tracker

STRING, ELEMENT = "Ljava/lang/String;", f"L{NAME};"
CHAINS = f"[[{ELEMENT}"
#: Static fields of the tracker, and fields of an element beside its `slot` and `key`.
FIELDS = {"FIELDS": CHAINS, "UNSURE": ELEMENT, "NOTHING": ELEMENT, "NEXT": "J"}
PLACE = {"at": "J", "next": ELEMENT}
SMALL = ("java/lang/Integer", "java/lang/Long", "java/lang/Short", "java/lang/Byte")


def place(name: str) -> int:
    """The number of one of enum ch_place."""
    return header.constant(f"CH_PLACE_{name}")


class FieldCode:
    """Pieces of code; objects and elements are in locals."""

    def __init__(self, t: Tracker) -> None:
        self.t = t
        self.labels = 0
        self.asked = header.constant("CH_ASKED_PLACE")

    def label(self) -> Label:
        """A new one; jawa takes labels of one name for one."""
        self.labels += 1
        return Label(f"label {self.labels}")

    def static(self, name: str) -> Any:
        return self.t.get(name, FIELDS[name])

    def made(self, referent: Code, kind: Code, key: Code) -> Code:
        """Pushes a new element."""
        return [
            ("new", self.t.type(NAME)),
            ("dup",),
            *referent,
            *kind,
            *key,
            ("invokespecial", self.t.ref("<init>", f"({OBJECT}II)V")),
        ]

    def chain(self, slot: int) -> tuple[Code, Code]:
        """Pushes the chains of a part of all slots; pushes the place of a slot's chain there."""
        within: Code = [
            ("iload", slot),
            self.t.get("MASK", "I"),
            ("iand",),
            ("sipush", (1 << SEEN_SHIFT) - 1),
            ("iand",),
        ]
        return [self.static("FIELDS"), *number_of_part(self.t, slot), ("aaload",)], within

    def found(self, asked: int, element: int, kind: int, slot: int, null: Label) -> Code:
        """Jumps if the object in local 0 is null. Else stores the element for it, and what is there."""
        return [
            ("aload", 0),
            ("ifnull", null),
            ("aload", 0),
            ("iload", slot),
            ("iload", asked),
            self.t.call("fieldOf", f"({OBJECT}II){ELEMENT}"),
            ("astore", element),
            ("aload", element),
            self.t.field("slot", "I"),
            ("bipush", 15),
            ("iand",),
            ("istore", kind),
        ]

    def read(self, method: str, letter: str, element: int) -> Code:
        """Pushes what the field has."""
        what = OBJECT if letter == "L" else letter
        return [
            self.t.get("U", f"L{UNSAFE};"),
            ("aload", 0),
            ("aload", element),
            self.t.field("at", "J"),
            self.t.call(method, f"({OBJECT}J){what}", UNSAFE),
        ]

    def unless(self, kind: int, name: str, label: Label) -> Code:
        return [("iload", kind), ("bipush", place(name)), ("if_icmpne", label)]

    def when(self, kind: int, name: str, label: Label) -> Code:
        return [("iload", kind), ("bipush", place(name)), ("if_icmpeq", label)]

    def answer(self, asked: int, outcome: str | Code) -> Code:
        """Returns whether the comparison may hold with this outcome."""
        number: Code = [("bipush", header.constant(f"CH_IS_{outcome}"))] if isinstance(outcome, str) else outcome
        shift = header.constant("CH_ASKED_OUTCOMES")
        return [
            ("iload", asked),
            ("bipush", shift),
            ("iushr",),
            *number,
            ("iushr",),
            ("iconst_1",),
            ("iand",),
            ("ireturn",),
        ]

    def rest(self, kind: int, asked: int, nothing: Label, unsure: Label) -> Code:
        """Answers for what this comparison cannot read, and for what it knows nothing of."""
        return [
            *self.when(kind, "UNSURE", unsure),
            *self.when(kind, "WRAPPED", unsure),
            nothing,
            *self.answer(asked, "NOTHING"),
            unsure,
            *self.answer(asked, "UNSURE"),
        ]

    def text(self, object_: int, text: int, asked: int) -> Code:
        """Answers for a string or null."""
        other = self.label()
        return [
            ("aload", text),
            ("aload", object_),
            self.t.call("equals", f"({OBJECT})Z", "java/lang/String"),
            ("ifeq", other),
            *self.answer(asked, "EQUAL"),
            other,
            *self.answer(asked, "OTHER"),
        ]

    def boxed(self, object_: int, unsure: Label) -> Code:
        """Pushes the number of one of the wrapper classes of whole numbers."""
        code: Code = []
        found = Label("found")
        for name in SMALL:
            code += [("aload", object_), ("instanceof", self.t.type(name)), ("ifne", found)]
        return [
            *code,
            ("goto", unsure),
            found,
            ("aload", object_),
            ("checkcast", self.t.type("java/lang/Number")),
            self.t.call("longValue", "()J", "java/lang/Number"),
        ]
