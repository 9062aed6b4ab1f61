"""Comparisons of what a field has with a constant, for conditions. Each returns 1 if `asked` has the bit of the outcome
(native/classhook.h)."""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building import header
from classhook.native.building.tracker.field_code import ELEMENT, STRING, FieldCode, place
from classhook.native.building.tracker.names import OBJECT, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    p = FieldCode(t)
    is_null(p)
    is_true(p)
    is_text(p)
    is_number(p)
    is_real(p)


def is_null(p: FieldCode) -> None:
    null, primitive, nothing, unsure = (Label(name) for name in ("null", "primitive", "nothing", "unsure"))
    code: Code = [
        *p.found(2, 3, 4, 1, null),
        ("iload", 4),
        ("bipush", place("ARRAY")),
        ("if_icmpgt", primitive),
        ("iload", 4),
        ("bipush", place("OBJECT")),
        ("if_icmplt", nothing),
        *p.read("getReference", "L", 3),
        ("ifnull", null),
        *p.answer(2, "OTHER"),
        null,
        *p.answer(2, "EQUAL"),
        primitive,
        *p.when(4, "WRAPPED", unsure),
        *p.answer(2, "OTHER"),
        nothing,
        *p.when(4, "UNSURE", unsure),
        *p.answer(2, "NOTHING"),
        unsure,
        *p.answer(2, "UNSURE"),
    ]
    p.t.method("isNull", f"({OBJECT}II)I", code, stack=4, local=5)


def is_true(p: FieldCode) -> None:
    null, other, boxed, nothing, unsure, true = (
        Label(name) for name in ("null", "other", "boxed", "nothing", "unsure", "true")
    )
    boolean = "java/lang/Boolean"
    code: Code = [
        *p.found(2, 3, 4, 1, null),
        *p.unless(4, "BOOLEAN", other),
        *p.read("getBoolean", "Z", 3),
        ("ifne", true),
        *p.answer(2, "LESS"),
        other,
        ("iload", 4),
        ("bipush", place("ARRAY")),
        ("if_icmpgt", nothing),
        ("iload", 4),
        ("bipush", place("OBJECT")),
        ("if_icmplt", nothing),
        *p.read("getReference", "L", 3),
        ("astore", 5),
        ("aload", 5),
        ("ifnull", null),
        *p.when(4, "OBJECT", boxed),
        *p.answer(2, "NOTHING"),
        boxed,
        ("aload", 5),
        ("instanceof", p.t.type(boolean)),
        ("ifeq", unsure),
        ("aload", 5),
        ("checkcast", p.t.type(boolean)),
        p.t.call("booleanValue", "()Z", boolean),
        ("ifne", true),
        *p.answer(2, "LESS"),
        true,
        *p.answer(2, "EQUAL"),
        null,
        *p.answer(2, "OTHER"),
        nothing,
        *p.rest(4, 2, Label("really nothing"), unsure),
    ]
    p.t.method("isTrue", f"({OBJECT}II)I", code, stack=4, local=6)


def is_text(p: FieldCode) -> None:
    """``isText(object, text, slot, asked)``; a constant of an enum by its name, a char as a text of one."""
    names = ("null", "not a string", "not an object", "char", "enum", "nothing", "unsure")
    null, other, no_object, char, enum, nothing, unsure = (Label(name) for name in names)
    unequal, text = Label("unequal"), "java/lang/String"
    code: Code = [
        *p.found(3, 4, 5, 2, null),
        *p.when(5, "CHAR", char),
        ("iload", 5),
        ("bipush", place("ARRAY")),
        ("if_icmpgt", no_object),
        ("iload", 5),
        ("bipush", place("OBJECT")),
        ("if_icmplt", no_object),
        *p.read("getReference", "L", 4),
        ("astore", 6),
        ("aload", 6),
        ("ifnull", null),
        *p.unless(5, "STRING", other),
        *p.text(6, 1, 3),
        other,
        *p.when(5, "ARRAY", nothing),
        ("aload", 6),
        ("instanceof", p.t.type(text)),
        ("ifeq", enum),
        *p.text(6, 1, 3),
        enum,
        ("aload", 6),
        ("instanceof", p.t.type("java/lang/Enum")),
        ("ifeq", unsure),
        ("aload", 6),
        ("checkcast", p.t.type("java/lang/Enum")),
        p.t.call("name", f"(){STRING}", "java/lang/Enum"),
        ("astore", 6),
        *p.text(6, 1, 3),
        char,
        ("aload", 1),
        p.t.call("length", "()I", text),
        ("iconst_1",),
        ("if_icmpne", unequal),
        ("aload", 1),
        ("iconst_0",),
        p.t.call("charAt", "(I)C", text),
        *p.read("getChar", "C", 4),
        ("if_icmpne", unequal),
        *p.answer(3, "EQUAL"),
        unequal,
        null,
        *p.answer(3, "OTHER"),
        no_object,
        *p.rest(5, 3, nothing, unsure),
    ]
    p.t.method("isText", f"({OBJECT}{STRING}II)I", code, stack=5, local=7)


def is_number(p: FieldCode) -> None:
    """``isNumber(object, number, slot, asked)``: exactly, whatever the field's type."""
    names = ("null", "an object", "real", "compared", "nothing", "unsure")
    null, an_object, real, compared, nothing, unsure = (Label(name) for name in names)
    outcome = header.constant("CH_IS_EQUAL")
    code: Code = [
        *p.found(4, 5, 6, 3, null),
        ("iload", 6),
        ("bipush", place("ARRAY")),
        ("if_icmple", an_object),
        *p.when(6, "WRAPPED", nothing),
        *p.when(6, "BOOLEAN", nothing),
        *p.when(6, "FLOAT", real),
        *p.when(6, "DOUBLE", real),
        ("aload", 0),
        ("aload", 5),
        ("iload", 6),
        p.t.call("whole", f"({OBJECT}{ELEMENT}I)J"),
        ("lstore", 7),
        compared,
        *p.answer(4, [("lload", 7), ("lload", 1), ("lcmp",), ("bipush", outcome), ("iadd",)]),
        real,
        ("lload", 1),
        ("l2d",),
        ("d2l",),
        ("lload", 1),
        ("lcmp",),
        ("ifne", unsure),
        ("aload", 0),
        ("aload", 5),
        ("iload", 6),
        # NaN
        p.t.call("real", f"({OBJECT}{ELEMENT}I)D"),
        ("dstore", 7),
        ("dload", 7),
        ("dload", 7),
        ("dcmpl",),
        ("ifne", null),
        *p.answer(4, [("dload", 7), ("lload", 1), ("l2d",), ("dcmpl",), ("bipush", outcome), ("iadd",)]),
        an_object,
        ("iload", 6),
        ("bipush", place("OBJECT")),
        ("if_icmplt", nothing),
        *p.read("getReference", "L", 5),
        ("astore", 9),
        ("aload", 9),
        ("ifnull", null),
        *p.unless(6, "OBJECT", nothing),
        *p.boxed(9, unsure),
        ("lstore", 7),
        ("goto", compared),
        null,
        *p.answer(4, "OTHER"),
        nothing,
        *p.rest(6, 4, Label("really nothing"), unsure),
    ]
    p.t.method("isNumber", f"({OBJECT}JII)I", code, stack=7, local=10)


def is_real(p: FieldCode) -> None:
    """``isReal(object, number, slot, asked)``."""
    names = ("null", "an object", "real", "compared", "nothing", "unsure")
    null, an_object, real, compared, nothing, unsure = (Label(name) for name in names)
    code: Code = [
        *p.found(4, 5, 6, 3, null),
        ("iload", 6),
        ("bipush", place("ARRAY")),
        ("if_icmple", an_object),
        *p.when(6, "WRAPPED", nothing),
        *p.when(6, "BOOLEAN", nothing),
        *p.when(6, "FLOAT", real),
        *p.when(6, "DOUBLE", real),
        *p.when(6, "LONG", unsure),  # a double may not have its value
        ("aload", 0),
        ("aload", 5),
        ("iload", 6),
        p.t.call("whole", f"({OBJECT}{ELEMENT}I)J"),
        ("l2d",),
        ("dstore", 7),
        ("goto", compared),
        real,
        ("aload", 0),
        ("aload", 5),
        ("iload", 6),
        p.t.call("real", f"({OBJECT}{ELEMENT}I)D"),
        ("dstore", 7),
        ("dload", 7),
        ("dload", 7),
        ("dcmpl",),
        ("ifne", null),  # NaN
        compared,
        *p.answer(4, [("dload", 7), ("dload", 1), ("dcmpl",), ("bipush", header.constant("CH_IS_EQUAL")), ("iadd",)]),
        an_object,
        ("iload", 6),
        ("bipush", place("OBJECT")),
        ("if_icmplt", nothing),
        *p.read("getReference", "L", 5),
        ("ifnull", null),
        *p.when(6, "OBJECT", unsure),
        *p.answer(4, "NOTHING"),
        null,
        *p.answer(4, "OTHER"),
        nothing,
        *p.rest(6, 4, Label("really nothing"), unsure),
    ]
    p.t.method("isReal", f"({OBJECT}DII)I", code, stack=7, local=9)


PART = Part(add, public=("isNull", "isTrue", "isText", "isNumber", "isReal"))
