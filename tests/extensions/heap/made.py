"""Makes small heap dumps: records as bytes, with ids of 4 or 8 bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

OBJECT, BOOLEAN, CHAR, FLOAT, DOUBLE, BYTE, SHORT, INT, LONG = 2, 4, 5, 6, 7, 8, 9, 10, 11
FORMS = {BOOLEAN: "B", CHAR: "H", FLOAT: "f", DOUBLE: "d", BYTE: "b", SHORT: "h", INT: "i", LONG: "q"}


@dataclass
class Maker:
    """Collects records. Ids of names are 1, 2, ...; other ids are the test's."""

    id_size: int = 8
    version: bytes = b"JAVA PROFILE 1.0.2"
    records: bytearray = field(default_factory=bytearray)
    objects: bytearray = field(default_factory=bytearray)
    names: dict[str, int] = field(default_factory=dict)
    classes: int = 0

    def id(self, *ids: int) -> bytes:
        return b"".join(id_.to_bytes(self.id_size, "big") for id_ in ids)

    def record(self, tag: int, body: bytes) -> None:
        self.records += struct.pack(">BII", tag, 0, len(body)) + body

    def name(self, text: str) -> int:
        if text not in self.names:
            self.names[text] = len(self.names) + 1
            self.record(0x01, self.id(self.names[text]) + text.encode())
        return self.names[text]

    def value(self, type_: int, value: float) -> bytes:
        return self.id(int(value)) if type_ == OBJECT else struct.pack(">" + FORMS[type_], value)

    def load_class(self, id_: int, name: str) -> None:
        self.classes += 1
        name_id = self.name(name)
        self.record(0x02, struct.pack(">I", self.classes) + self.id(id_) + struct.pack(">I", 0) + self.id(name_id))

    def class_dump(
        self,
        id_: int,
        name: str,
        superclass: int = 0,
        fields: tuple[tuple[str, int], ...] = (),
        statics: tuple[tuple[str, int, float], ...] = (),
        constants: tuple[tuple[int, float], ...] = (),
    ) -> None:
        self.load_class(id_, name)
        self.objects += (
            b"\x20" + self.id(id_) + struct.pack(">I", 0) + self.id(superclass, 0, 0, 0, 0, 0) + struct.pack(">I", 0)
        )
        self.objects += struct.pack(">H", len(constants))
        for type_, constant in constants:
            self.objects += struct.pack(">HB", 1, type_) + self.value(type_, constant)
        self.objects += struct.pack(">H", len(statics))
        for field_name, type_, value in statics:
            self.objects += self.id(self.name(field_name)) + bytes([type_]) + self.value(type_, value)
        self.objects += struct.pack(">H", len(fields))
        for field_name, type_ in fields:
            self.objects += self.id(self.name(field_name)) + bytes([type_])

    def instance(self, id_: int, cls: int, *values: tuple[int, float]) -> None:
        body = b"".join(self.value(type_, value) for type_, value in values)
        self.objects += (
            b"\x21" + self.id(id_) + struct.pack(">I", 0) + self.id(cls) + struct.pack(">I", len(body)) + body
        )

    def array(self, id_: int, cls: int, *elements: int) -> None:
        self.objects += (
            b"\x22" + self.id(id_) + struct.pack(">II", 0, len(elements)) + self.id(cls) + self.id(*elements)
        )

    def primitives(self, id_: int, type_: int, *values: float) -> None:
        body = b"".join(self.value(type_, value) for value in values)
        self.objects += b"\x23" + self.id(id_) + struct.pack(">IIB", 0, len(values), type_) + body

    def root(self, tag: int, id_: int, more: bytes = b"") -> None:
        self.objects += bytes([tag]) + self.id(id_) + more

    def thread(self, id_: int, serial: int, trace: int) -> None:
        self.root(0x08, id_, struct.pack(">II", serial, trace))

    def frame(self, id_: int, method: str, source: str, class_serial: int, line: int) -> None:
        ids = self.id(id_, self.name(method), self.name("()V"), self.name(source))
        self.record(0x04, ids + struct.pack(">Ii", class_serial, line))

    def trace(self, serial: int, thread: int, *frames: int) -> None:
        self.record(0x05, struct.pack(">III", serial, thread, len(frames)) + self.id(*frames))

    def segment(self, missing: int = 0) -> None:
        """Writes the collected objects as a segment, whose length in its head is too small by `missing` bytes."""
        self.records += struct.pack(">BII", 0x1C, 0, len(self.objects) - missing) + self.objects
        self.objects.clear()

    def header(self) -> bytes:
        return self.version + b"\0" + struct.pack(">IQ", self.id_size, 1_700_000_000_000)

    def done(self) -> bytes:
        if self.objects:
            self.segment()
        self.record(0x2C, b"")
        return self.header() + bytes(self.records)


def graph(edges: list[list[int]], roots: list[int], id_size: int = 8, distance: int = 8) -> bytes:
    """Arrays of objects that refer to each other: object i has the id 1000 + distance * i."""
    made = Maker(id_size)
    made.class_dump(900, "[Ljava/lang/Object;")
    for i, targets in enumerate(edges):
        made.array(1000 + distance * i, 900, *(1000 + distance * target for target in targets))
    made.root(0x05, 900)
    for root in roots:
        made.root(0xFF, 1000 + distance * root)
    return made.done()


def zoo(id_size: int = 8) -> bytes:
    """A dump with every kind of record and sub-record, in two segments."""
    made = Maker(id_size)
    made.class_dump(100, "java/lang/Object")
    made.class_dump(101, "java/lang/Class", 100)
    made.class_dump(102, "java/lang/String", 100, fields=(("value", OBJECT), ("hash", INT), ("coder", BYTE)))
    made.class_dump(103, "java/lang/Thread", 100, fields=(("name", OBJECT), ("daemon", BOOLEAN)))
    made.class_dump(104, "a/Parent", 100, fields=(("number", INT), ("other", OBJECT), ("wide", LONG)))
    made.class_dump(
        105,
        "a/Child",
        104,
        fields=(("letter", CHAR), ("held", OBJECT), ("real", DOUBLE)),
        statics=(("COUNT", INT, 7), ("ONE", OBJECT, 3016), ("F", FLOAT, 0.5), ("S", SHORT, -2)),
        constants=((OBJECT, 3000), (INT, 4)),
    )
    made.class_dump(106, "[La/Parent;", 100)
    made.class_dump(107, "java/lang/ref/Reference", 100, fields=(("referent", OBJECT), ("next", OBJECT)))
    made.class_dump(108, "java/lang/ref/WeakReference", 107)
    made.class_dump(109, "[B", 100)
    made.segment()
    text = b"hello\x1b"
    made.instance(3000, 102, (OBJECT, 3100), (INT, 0), (BYTE, 0))
    made.instance(3008, 102, (OBJECT, 3108), (INT, 0), (BYTE, 0))
    made.instance(3032, 102, (OBJECT, 3100), (INT, 0), (BYTE, 0))
    made.primitives(3100, BYTE, *text)
    made.primitives(3108, BYTE, *text)
    made.instance(3016, 105, (CHAR, 65), (OBJECT, 3200), (DOUBLE, 1.5), (INT, -3), (OBJECT, 0), (LONG, 1 << 40))
    made.instance(3024, 104, (INT, 3), (OBJECT, 3016), (LONG, 2))
    made.array(3200, 106, 3024, 0, 3016, 99999)
    made.instance(3300, 108, (OBJECT, 3400), (OBJECT, 0))
    made.primitives(3400, LONG, 1, 2, 3)
    made.primitives(3408, BOOLEAN, 1, 0)
    made.objects += b"\xc3" + made.id(3416) + struct.pack(">IIB", 0, 50, BYTE)
    made.objects += b"\xfe" + struct.pack(">I", 1) + made.id(1)
    made.instance(3500, 103, (OBJECT, 3000), (BOOLEAN, 1))
    made.frame(7001, "run", "Child.java", 6, 17)
    made.frame(7002, "main", "Child.java", 6, -3)
    made.trace(1, 0)
    made.trace(2, 5, 7001, 7002)
    made.thread(3500, 5, 2)
    made.root(0x03, 3024, struct.pack(">II", 5, 0))
    made.root(0x02, 3300, struct.pack(">II", 5, 1))
    made.root(0x01, 3008, made.id(1))
    made.root(0x04, 3032, struct.pack(">I", 5))
    made.root(0x06, 3032, struct.pack(">I", 5))
    made.root(0x8E, 3032, struct.pack(">II", 5, 0))
    for tag in (0x05, 0x07, 0xFF, 0x89, 0x8A, 0x8B, 0x8C, 0x8D):
        made.root(tag, 100)
    made.root(0x90, 3400)
    made.segment()
    made.record(0x03, struct.pack(">I", 4))
    made.record(0x06, struct.pack(">HfIIQQI", 0, 0.5, 1, 1, 1, 1, 0))
    made.record(0x07, struct.pack(">IIQQ", 1, 1, 1, 1))
    made.record(0x0A, struct.pack(">I", 5) + made.id(3500) + struct.pack(">I", 2) + made.id(1, 1, 1))
    made.record(0x0B, struct.pack(">I", 5))
    made.record(0x0D, struct.pack(">II", 0, 0))
    made.record(0x0E, struct.pack(">IH", 3, 4))
    return made.done()
