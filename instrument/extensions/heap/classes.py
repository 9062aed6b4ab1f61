"""The classes of a dump: their fields, static fields and what they refer to."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from classhook.extensions.heap.dump import Dump
from classhook.extensions.heap.record_batches import Batch, Column

REFERENCE = 2
#: Basic types -> name and bytes.
PRIMITIVE = {
    4: ("boolean", 1),
    5: ("char", 2),
    6: ("float", 4),
    7: ("double", 8),
    8: ("byte", 1),
    9: ("short", 2),
    10: ("int", 4),
    11: ("long", 8),
}
#: Their references don't keep an object alive; a SoftReference's does, until memory is short.
WEAK = ("java.lang.ref.WeakReference", "java.lang.ref.PhantomReference")


@dataclass(slots=True)
class Class:
    """A class. `superclass`, `loader`: ids; `refs`: ids that it refers to, with names; `fields`: (name, basic type) of
    its own; `statics`: (name, basic type, value); `known`: it has a record CLASS DUMP; `least_size`: as the dump
    says."""

    id: int
    name: str
    superclass: int = 0
    loader: int = 0
    known: bool = False
    least_size: int = 0
    refs: list[tuple[str, int]] = field(default_factory=list)
    fields: list[tuple[str, int]] = field(default_factory=list)
    statics: list[tuple[str, int, int]] = field(default_factory=list)


def width(type_: int, id_size: int) -> int:
    return id_size if type_ == REFERENCE else PRIMITIVE[type_][1]


def parse(dump: Dump, id_: int, at: int) -> Class:
    """Reads a CLASS DUMP, whose bounds `records` has checked."""
    size = dump.id_size
    made = Class(id_, dump.class_name(id_), known=True)
    superclass, loader, signers, domain = (dump.id_at(at + 4 + i * size) for i in range(4))
    made.superclass, made.loader = superclass, loader
    made.refs = [
        ("superclass", superclass),
        ("class loader", loader),
        ("signers", signers),
        ("protection domain", domain),
    ]
    at += 4 + 6 * size
    made.least_size, constants = struct.unpack_from(">IH", dump.data, at)
    at += 6
    for _ in range(constants):
        type_ = dump.data[at + 2]
        if type_ == REFERENCE:
            made.refs.append(("constant", dump.id_at(at + 3)))
        at += 3 + width(type_, size)
    count = int.from_bytes(dump.data[at : at + 2], "big")
    at += 2
    for _ in range(count):
        name, type_ = dump.name(dump.id_at(at)), dump.data[at + size]
        at += size + 1
        value = int.from_bytes(dump.data[at : at + width(type_, size)], "big")
        at += width(type_, size)
        made.statics.append((name, type_, value))
        if type_ == REFERENCE:
            made.refs.append((name, value))
    count = int.from_bytes(dump.data[at : at + 2], "big")
    at += 2
    for _ in range(count):
        made.fields.append((dump.name(dump.id_at(at)), dump.data[at + size]))
        at += size + 1
    return made


class Classes:
    """All classes by number: those of the dump in the order of ids, then one for each element type without a class of
    its own, then those that are only referred to."""

    def __init__(self, dump: Dump, found: Iterable[Class]) -> None:
        self.dump = dump
        self.all = sorted({one.id: one for one in found}.values(), key=lambda one: one.id)
        self.sorted_ids = np.array([one.id for one in self.all], np.uint64)
        self.numbers = {one.id: number for number, one in enumerate(self.all)}
        by_name: dict[str, int] = {}
        for number, one in enumerate(self.all):
            by_name.setdefault(one.name, number)
        self.arrays = np.zeros(16, np.uint32)  # by element type
        for type_, (name, _) in PRIMITIVE.items():
            if f"{name}[]" not in by_name:
                by_name[f"{name}[]"] = len(self.all)
                self.all.append(Class(0, f"{name}[]"))
            self.arrays[type_] = by_name[f"{name}[]"]
        self.by_name = by_name
        self._places: dict[int, list[tuple[str, int, int]]] = {}

    def __len__(self) -> int:
        return len(self.all)

    def numbered(self, ids: Column) -> Column:
        """The numbers of classes with these ids; unknown ones are added."""
        at = np.searchsorted(self.sorted_ids, ids).clip(0, max(len(self.sorted_ids) - 1, 0))
        numbers = at.astype(np.uint32)
        known = self.sorted_ids[at] == ids if len(self.sorted_ids) else np.zeros(len(ids), bool)
        if not known.all():
            for i in np.flatnonzero(~known):
                id_ = int(ids[i])
                if id_ not in self.numbers:
                    self.numbers[id_] = len(self.all)
                    self.all.append(Class(id_, self.dump.class_name(id_)))
                numbers[i] = self.numbers[id_]
        return numbers

    def of_arrays(self, types: Column) -> Column:
        """The numbers of the classes of arrays with these element types."""
        return self.arrays[types]

    def line(self, one: Class) -> Iterator[Class]:
        """The class and its superclasses; a hostile dump may have a cycle."""
        seen = set()
        current: Class | None = one
        while current is not None and current.id not in seen:
            yield current
            seen.add(current.id)
            number = self.numbers.get(current.superclass)
            current = self.all[number] if number is not None and current.superclass else None

    def layout(self, one: Class) -> Iterator[tuple[str, int, int, Class]]:
        """The fields of an instance's record: name, basic type, position, the class that declares it. A class's own
        come first."""
        at = 0
        for declaring in self.line(one):
            for name, type_ in declaring.fields:
                yield name, type_, at, declaring
                at += width(type_, self.dump.id_size)

    def places(self, one: Class) -> list[tuple[str, int, int]]:
        """The same, without the class; kept, for who asks often."""
        if one.id not in self._places:
            self._places[one.id] = [(name, type_, at) for name, type_, at, _ in self.layout(one)]
        return self._places[one.id]

    def references(self, one: Class) -> Iterator[tuple[str, int]]:
        """Name and position of fields that keep something alive."""
        weak = any(above.name in WEAK for above in self.line(one))
        for name, type_, at, declaring in self.layout(one):
            if type_ == REFERENCE and not (weak and name == "referent" and declaring.name == "java.lang.ref.Reference"):
                yield name, at

    @cached_property
    def string(self) -> Class | None:
        number = self.by_name.get("java.lang.String")
        return self.all[number] if number is not None else None


def found(dump: Dump, batch: Batch) -> list[Class]:
    """The classes of a batch."""
    return [parse(dump, int(id_), int(at)) for id_, at in zip(batch.id, batch.at, strict=True)]
