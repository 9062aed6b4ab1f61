"""Filters for code that kotlinc adds to classes and methods as a whole."""

from __future__ import annotations

from classhook.classfile.opcodes import ALOAD, ARETURN, ILOAD, INVOKEINTERFACE, INVOKESTATIC, INVOKEVIRTUAL, RETURN
from classhook.coverage.class_info import INVISIBLE, NO_LINE, VISIBLE, parameters
from classhook.coverage.code_marks import FRAME, LABEL, LINE
from classhook.coverage.filters.base import ACC_STATIC, ACC_SYNTHETIC, ENUM, begins
from classhook.coverage.pattern import NOWHERE, Match, Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body

MARKER: Final[bytes] = b"Lkotlin/jvm/internal/DefaultConstructorMarker;"
DEFAULTS: Final = Pattern("invokestatic *.*$default")
CONSTRUCTOR: Final = Pattern("invokespecial *.*")
COMPANION: Final = Pattern("getstatic THIS.Companion")
DEFAULT_IMPLS: Final = Pattern("aload this ; invokestatic *$DefaultImpls.*")
SUPER_CALL: Final = Pattern(
    "any ; ifnull ; new java/lang/UnsupportedOperationException ; dup"
    ' ; ldc "Super calls with default arguments not supported in this target'
    " ; invokespecial java/lang/UnsupportedOperationException.<init>(Ljava/lang/String;)V ; athrow"
)
MASK_TEST: Final = Pattern("iload m ; any ; iand ; ifeq")


def no_lines(body: Body, effects: Effects) -> None:
    if b"SourceFile" in body.cls.attributes:
        effects.ignore(0, body.first_line_mark())


def accessors(body: Body, effects: Effects) -> None:
    if body.method.access & ACC_SYNTHETIC and body.method.name.startswith(b"access$"):
        effects.ignore_all()


def enum_entries(body: Body, effects: Effects) -> None:
    method = body.method
    if (
        body.cls.super_name == ENUM
        and method.name == b"getEntries"
        and method.descriptor == b"()Lkotlin/enums/EnumEntries;"
    ):
        effects.ignore_all()


def jvm_overloads(body: Body, effects: Effects) -> None:
    last = body.count - 1
    if last < 1 or body.ops[last] != RETURN or body.marks[last] != LABEL | LINE or list(body.line_marks) != [last]:
        return
    if len(body.line_marks[last]) != 1 or body.marks[last - 1] & FRAME:
        return
    if Match(body).at(last - 1, DEFAULTS) != NOWHERE or (
        Match(body).at(last - 1, CONSTRUCTOR) != NOWHERE and body.member(last - 1)[2].endswith(MARKER + b")V")
    ):
        effects.ignore_all()


def jvm_static(body: Body, effects: Effects) -> None:
    if (
        body.method.access & ACC_STATIC
        and body.method.has_note(VISIBLE, b"Lkotlin/jvm/JvmStatic;")
        and not body.marks[0]
        and begins(body, COMPANION)
    ):
        effects.ignore_all()


def value_class(body: Body, effects: Effects) -> None:
    if b"Lkotlin/jvm/JvmInline;" in body.cls.notes.get(VISIBLE, []) and not body.method.access & ACC_STATIC:
        effects.ignore_all()


def expose_boxed(body: Body, effects: Effects) -> None:
    if not body.method.has_note(INVISIBLE, b"Lkotlin/jvm/JvmExposeBoxed;"):
        return
    for i in range(body.count):
        if body.ops[i] not in (INVOKEVIRTUAL, INVOKESTATIC):
            continue
        _, name, _ = body.member(i)
        if body.ops[i] == INVOKEVIRTUAL:
            made = name == b"unbox-impl" and i > 0 and body.ops[i - 1] == ALOAD and not body.marks[i]
        else:
            made = name == b"box-impl" and body.ops[i + 1] == ARETURN and not body.marks[i + 1]
        if made:
            effects.ignore_all()
            return


def default_arguments(body: Body, effects: Effects) -> None:
    method = body.method
    if not method.access & ACC_SYNTHETIC:
        return
    types = parameters(method.descriptor)
    constructor = method.name == b"<init>" and len(types) >= 2 and types[-1] == MARKER
    if not (constructor or method.name.endswith(b"$default")):
        return
    at = Match(body).at(0, SUPER_CALL)
    if at == NOWHERE:
        at = 0
    else:
        effects.ignore(0, at)
    mask = _first_mask(types, constructor)
    tests: list[int] = []
    while at < body.count and body.ops[at] == ILOAD and body.slot(at) >= mask:
        end = Match(body).at(at, MASK_TEST)
        if end == NOWHERE:
            return
        tests.append(end - 1)
        at = body.targets[end - 1]
    for i in tests:
        effects.ignore(i, i + 1)


def _first_mask(types: list[bytes], constructor: bool) -> int:
    """The slot of the first bit mask: one mask for each 32 parameters, then the marker or the super object."""
    count = len(types)
    first = count - 1 - ((count - 2) // 33 + 1)
    return int(constructor) + sum([2 if one in (b"J", b"D") else 1 for one in types[:first]])


def inlined(body: Body, effects: Effects) -> None:
    first = body.cls.first_inlined
    if first < NO_LINE:
        lines = body.lines
        for i in range(len(lines)):
            if lines[i] >= first:
                effects.ignore(i, i + 1)


def default_impls(body: Body, effects: Effects) -> None:
    if begins(body, DEFAULT_IMPLS) and body.slot(0) == 0:
        effects.ignore_all()
    elif body.cls.name.endswith(b"$DefaultImpls"):
        for i in range(body.count):
            if INVOKEVIRTUAL <= body.ops[i] <= INVOKEINTERFACE:
                name = body.member(i)[1]
                if name.startswith(b"access$") and name.endswith(b"$jd"):
                    effects.ignore_all()
                    return
