"""The records of dumps, each with its form in the specification's buffers: `pack()`. Numbers there are big-endian, ids
and addresses have 8 bytes."""

from __future__ import annotations

import sys
from struct import calcsize, pack, unpack_from

from classhook.extensions.jvmpi import constants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    #: The value of a field: its name, its type, and a number, or the id of an object.
    Value = tuple[str, int, Any]

REFERENCE = constants.CLASS
FORMATS = {REFERENCE: "Q", 4: "B", 5: "H", 6: "f", 7: "d", 8: "b", 9: "h", 10: "i", 11: "q"}
WITH_THREAD = (
    constants.GC_ROOT_JNI_LOCAL,
    constants.GC_ROOT_JAVA_FRAME,
    constants.GC_ROOT_NATIVE_STACK,
    constants.GC_ROOT_THREAD_BLOCK,
)
WITH_FRAME = WITH_THREAD[:2]
JNI_GLOBAL = constants.GC_ROOT_JNI_GLOBAL


def values(fields: Sequence[Value]) -> bytes:
    return b"".join(pack(">" + FORMATS[type_], value) for _, type_, value in fields)


def ids(numbers: Sequence[int]) -> bytes:
    return pack(f">I{len(numbers)}Q", len(numbers), *numbers)


class ObjectRecord:
    """Level 0: an object. `type`: CLASS for an array of objects, the type of other arrays' elements, else
    NORMAL_OBJECT."""

    __slots__ = ("class_id", "obj_id", "type")

    def __init__(self, type_: int, obj_id: int, class_id: int) -> None:
        self.type = type_
        self.obj_id = obj_id
        self.class_id = class_id  # which the specification's record has not

    def pack(self) -> bytes:
        return pack(">BQ", self.type, self.obj_id)


class Root:
    """A root. `ref_id`: of a JNI global reference; `env_id`: its thread; `frame`: in the thread's stack, -1: none."""

    __slots__ = ("env_id", "frame", "obj_id", "record_type", "ref_id")

    def __init__(self, record_type: int, obj_id: int, ref_id: int = 0, env_id: int = 0, frame: int = -1) -> None:
        self.record_type = record_type
        self.obj_id = obj_id
        self.ref_id = ref_id
        self.env_id = env_id
        self.frame = frame

    def pack(self) -> bytes:
        more = b""
        if self.record_type == JNI_GLOBAL:
            more = pack(">Q", self.ref_id)
        elif self.record_type in WITH_THREAD:
            more = pack(">Q", self.env_id) + (pack(">i", self.frame) if self.record_type in WITH_FRAME else b"")
        return pack(">BQ", self.record_type, self.obj_id) + more


class ClassDump:
    """A class. `statics`: its static fields; `class_name`, which the specification's record has not."""

    __slots__ = (
        "class_id",
        "class_name",
        "domain_id",
        "instance_size",
        "interfaces",
        "loader_id",
        "name_id",
        "signers_id",
        "statics",
        "super_id",
    )
    record_type = constants.GC_CLASS_DUMP

    def __init__(
        self, class_id: int, super_id: int, loader_id: int, statics: list[Value], class_name: str = "", name_id: int = 0
    ) -> None:
        self.class_id = class_id
        self.super_id = super_id
        self.loader_id = loader_id
        self.signers_id = self.domain_id = self.instance_size = 0
        self.name_id = name_id
        self.interfaces: list[int] = []
        self.statics = statics
        self.class_name = class_name

    def pack(self) -> bytes:
        """Packs the record; CLASS_LOAD has the numbers of interfaces and static fields."""
        named = (self.class_id, self.super_id, self.loader_id, self.signers_id, self.domain_id, self.name_id, 0)
        known = pack(">B7QI", self.record_type, *named, self.instance_size)
        return known + pack(f">{len(self.interfaces)}Q", *self.interfaces) + pack(">H", 0) + values(self.statics)


class InstanceDump:
    """An object. `values`: of its class's fields, then of the superclasses'; `layout`: their names and types."""

    __slots__ = ("class_id", "layout", "obj_id", "values")
    record_type = constants.GC_INSTANCE_DUMP

    def __init__(self, obj_id: int, class_id: int, layout: Sequence[tuple[str, int]], values: Sequence[Any]) -> None:
        self.obj_id = obj_id
        self.class_id = class_id
        self.layout = layout
        self.values = values

    @property
    def fields(self) -> list[Value]:
        return [(name, type_, value) for (name, type_), value in zip(self.layout, self.values, strict=True)]

    @property
    def references(self) -> list[int]:
        """Ids of the objects that it refers to."""
        return [
            value for (_, type_), value in zip(self.layout, self.values, strict=True) if type_ == REFERENCE and value
        ]

    def pack(self) -> bytes:
        data = values(self.fields)
        return pack(">BQQI", self.record_type, self.obj_id, self.class_id, len(data)) + data


class ObjArrayDump:
    """An array of objects. `class_id`: of its elements."""

    __slots__ = ("class_id", "elements", "obj_id")
    record_type = constants.GC_OBJ_ARRAY_DUMP

    def __init__(self, obj_id: int, class_id: int, elements: Sequence[int]) -> None:
        self.obj_id = obj_id
        self.class_id = class_id
        self.elements = elements

    @property
    def references(self) -> list[int]:
        return [id_ for id_ in self.elements if id_]

    def pack(self) -> bytes:
        return pack(
            f">BQIQ{len(self.elements)}Q",
            self.record_type,
            self.obj_id,
            len(self.elements),
            self.class_id,
            *self.elements,
        )


class PrimArrayDump:
    """An array of numbers. `data`: its elements' bytes, big-endian; None at level 1."""

    __slots__ = ("data", "num_elements", "obj_id", "type")
    record_type = constants.GC_PRIM_ARRAY_DUMP

    def __init__(self, obj_id: int, type_: int, num_elements: int, data: bytes | None) -> None:
        self.obj_id = obj_id
        self.type = type_
        self.num_elements = num_elements
        self.data = data

    @property
    def elements(self) -> tuple[Any, ...]:
        return unpack_from(f">{self.num_elements}{FORMATS[self.type]}", self.data) if self.data is not None else ()

    def pack(self) -> bytes:
        return pack(">BQIB", self.record_type, self.obj_id, self.num_elements, self.type) + (self.data or b"")


class MonitorJava:
    """A monitor of an object; `waiting_to_enter` and `waiting_to_be_notified`: threads."""

    __slots__ = ("entry_count", "object", "owner", "waiting_to_be_notified", "waiting_to_enter")
    record_type = constants.MONITOR_JAVA

    def __init__(self, object_: int, owner: int, entry_count: int, entering: list[int], waiting: list[int]) -> None:
        self.object = object_
        self.owner = owner
        self.entry_count = entry_count
        self.waiting_to_enter = entering
        self.waiting_to_be_notified = waiting

    def pack(self) -> bytes:
        waiting = ids(self.waiting_to_enter) + ids(self.waiting_to_be_notified)
        return pack(">BQQI", self.record_type, self.object, self.owner, self.entry_count) + waiting


class MonitorRaw(MonitorJava):
    """A raw monitor, of those that RawMonitorCreate made."""

    __slots__ = ("id", "name")
    record_type = constants.MONITOR_RAW

    def __init__(
        self, name: str, id_: int, owner: int, entry_count: int, entering: list[int], waiting: list[int]
    ) -> None:
        super().__init__(0, owner, entry_count, entering, waiting)
        self.name = name
        self.id = id_

    def pack(self) -> bytes:
        """Instead of a pointer to its name, the name, ended by a zero."""
        waiting = ids(self.waiting_to_enter) + ids(self.waiting_to_be_notified)
        return (
            pack(">B", self.record_type)
            + self.name.encode()
            + b"\0"
            + pack(">QQI", self.id, self.owner, self.entry_count)
            + waiting
        )


def big_endian(type_: int, data: bytes) -> bytes:
    """Elements as the machine has them."""
    size = calcsize(">" + FORMATS[type_])
    if size == 1 or sys.byteorder == "big":
        return data
    turned = bytearray(data)
    for i in range(size):
        turned[i::size] = data[size - 1 - i :: size]
    return bytes(turned)
