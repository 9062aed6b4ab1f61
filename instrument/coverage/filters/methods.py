"""Whole methods that are not in the source: of enums, records, synthetic classes, generated code."""

from __future__ import annotations

from classhook.classfile.opcodes import ALOAD
from classhook.coverage.filters.base import ACC_BRIDGE, ACC_PRIVATE, ACC_SYNTHETIC, ENUM, begins
from classhook.coverage.pattern import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body

RECORD: Final = b"java/lang/Record"
OBJECT_METHODS: Final = b"java/lang/runtime/ObjectMethods.bootstrap"
SUPER_ONLY: Final = Pattern("aload ; invokespecial *.<init>()V ; return")
ENUM_SUPER: Final = Pattern(
    "aload ; aload ; iload ; invokespecial java/lang/Enum.<init>(Ljava/lang/String;I)V ; return"
)
FIELD: Final = Pattern("aload this ; getfield *.* ; xreturn")
# name and descriptor of a record's method -> its code; the third instruction is the invokedynamic
OF_RECORDS: Final = {
    (b"toString", b"()Ljava/lang/String;"): (Pattern("aload this ; invokedynamic ; areturn"), 1),
    (b"hashCode", b"()I"): (Pattern("aload this ; invokedynamic ; ireturn"), 1),
    (b"equals", b"(Ljava/lang/Object;)Z"): (Pattern("aload this ; aload other ; invokedynamic ; ireturn"), 2),
}


def synthetic_class(body: Body, effects: Effects) -> None:
    if body.cls.access & ACC_SYNTHETIC:
        effects.ignore_all()


def enum_methods(body: Body, effects: Effects) -> None:
    if body.cls.super_name == ENUM:
        this = b"L" + body.cls.name + b";"
        made = {(b"values", b"()[" + this), (b"valueOf", b"(Ljava/lang/String;)" + this)}
        if (body.method.name, body.method.descriptor) in made:
            effects.ignore_all()


def bridge(body: Body, effects: Effects) -> None:
    if body.method.access & ACC_BRIDGE:
        effects.ignore_all()


def private_constructor(body: Body, effects: Effects) -> None:
    method = body.method
    if (
        method.access & ACC_PRIVATE
        and method.name == b"<init>"
        and method.descriptor == b"()V"
        and _of_this(body)
        and begins(body, SUPER_ONLY)
    ):
        owner, _, _ = body.member(1)
        if owner == body.cls.super_name:
            effects.ignore_all()


def _of_this(body: Body) -> bool:
    """True if the first instruction is aload_0."""
    return body.ops[0] == ALOAD and body.slot(0) == 0


def enum_constructor(body: Body, effects: Effects) -> None:
    method = body.method
    if (
        body.cls.super_name == ENUM
        and method.name == b"<init>"
        and method.descriptor == b"(Ljava/lang/String;I)V"
        and begins(body, ENUM_SUPER)
    ):
        effects.ignore_all()


def record_methods(body: Body, effects: Effects) -> None:
    if body.cls.super_name != RECORD:
        return
    method = body.method
    known = OF_RECORDS.get((method.name, method.descriptor))
    if known is not None and _of_this(body) and begins(body, known[0]):
        dynamic = known[1]
        if body.cls.bootstrap(body.index(dynamic)) == OBJECT_METHODS and body.member(dynamic)[1] == method.name:
            effects.ignore_all()
    if (
        method.descriptor.startswith(b"()")
        and _of_this(body)
        and begins(body, FIELD)
        and body.member(1)[1] == method.name
    ):
        effects.ignore_all()


def generated(body: Body, effects: Effects) -> None:
    for notes in (body.cls.notes, body.method.notes):
        for names in notes.values():
            for name in names:
                if b"Generated" in name[max(name.rfind(b"/"), name.rfind(b"$")) + 1 :]:
                    effects.ignore_all()
                    return


def synthetic_method(body: Body, effects: Effects) -> None:
    method = body.method
    if not method.access & ACC_SYNTHETIC or method.name.startswith(b"lambda$"):
        return
    scala = b"ScalaSig" in body.cls.attributes or b"Scala" in body.cls.attributes
    if not (scala and method.name.startswith(b"$anonfun$")):
        effects.ignore_all()
