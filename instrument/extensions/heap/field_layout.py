"""The sizes of instances and flattened values in HotSpot, computed from their fields: FieldLayoutBuilder of JDK 15
and later.

1. Superclasses come first. In each class follow the fields from the widest on, flattened values among them, and then
   references; each is put in the tightest gap that it fits in, else at the end.
2. In a value class, references come before fields of less than 8 bytes. Then there is a byte that says of a flattened
   value whether it is null.
3. A flattened value is read and written in one piece, so it has a power of two of bytes, at most 8, and lies
   accordingly, as it also does in an object of its own. Inside another value it has the bytes that it needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from classhook.extensions.heap.classes import PRIMITIVE, REFERENCE, Class, Classes
from classhook.extensions.heap.flattened import Flattened

WORD = 8
MARKER = (1, 1)  # of null
OWN_STATICS = 2  # references that HotSpot adds to a value class's object


class Contents(NamedTuple):
    """The fields of a value, laid out from 0 on: where the last one ends, and the byte after it; the alignment; whether
    a superclass has fields."""

    bare: int
    end: int
    alignment: int
    inherited: bool


class FieldLayout:
    """Sizes of what the classes of a dump describe. `reference`: bytes of one; `elements`: by the id of an array's
    class, the bytes of an element that is flattened."""

    def __init__(self, classes: Classes, flattened: Flattened, reference: int) -> None:
        self._classes, self.flattened, self._reference = classes, flattened, reference
        self._values: dict[tuple[int, bool], tuple[int, int]] = {}
        values = {(f"{one.name}[]", one.loader): one.id for one in classes.all if one.id in flattened.classes}
        ids = {one.id: values[one.name, one.loader] for one in classes.all if (one.name, one.loader) in values}
        widths = {array: self.of_value(id_, inside=False)[0] for array, id_ in ids.items()}
        self.elements = {array: width for array, width in widths.items() if width <= WORD}

    def of_instance(self, one: Class, header: int) -> int:
        """The end of an instance's last field."""
        if one.id not in self.flattened.classes:
            places = _Places(header)
            for declaring in reversed([*self._classes.line(one)]):
                others, references = self._fields(declaring, inside=False)
                places.put(others + references)
            return places.end
        found = self._contents(one)
        alignment = WORD if found.inherited else max(found.alignment, _at_once(found.bare), _at_once(found.end))
        return -(-header // alignment) * alignment + found.end

    def of_value(self, id_: int, inside: bool) -> tuple[int, int]:
        """Bytes and alignment of a flattened value of a class, inside of another value or not."""
        if (id_, inside) not in self._values:
            self._values[id_, inside] = (self._reference, self._reference)  # a hostile dump may have a cycle
            found = self._contents(self._classes.all[self._classes.numbers[id_]])
            at_once = 0 if inside else _at_once(found.end)
            self._values[id_, inside] = (at_once, at_once) if at_once else (found.end, found.alignment)
        return self._values[id_, inside]

    def of_class(self, one: Class) -> int:
        """Bytes of the static fields of a class."""
        own = [type_ for name, type_, _ in one.statics if not name.startswith("<")]  # the JVM's own are not in it
        own += [REFERENCE] * OWN_STATICS * (one.id in self.flattened.classes)
        return sum(self._bytes_of(type_) for type_ in own)

    def _bytes_of(self, type_: int) -> int:
        return self._reference if type_ == REFERENCE else PRIMITIVE[type_][1]

    def _fields(self, declaring: Class, inside: bool) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Bytes and alignments of a class's own fields from the widest on, and those of its references. `inside`: it is
        a value's."""
        others: list[tuple[int, int]] = []
        references: list[tuple[int, int]] = []
        for i, (_, type_) in enumerate(declaring.fields):
            flat = self.flattened.fields.get((declaring.id, i)) if type_ == REFERENCE else None
            if flat is not None:
                others.append(self.of_value(flat, inside))
            else:
                (references if type_ == REFERENCE else others).append((self._bytes_of(type_),) * 2)
        return sorted(others, key=lambda field: -field[0]), references

    def _contents(self, one: Class) -> Contents:
        """The contents of a value class."""
        places, widest, inherited = _Places(0), 1, False
        for declaring in reversed([*self._classes.line(one)]):
            others, references = self._fields(declaring, inside=True)
            widest = max([widest, *(alignment for _, alignment in others + references)])
            inherited |= declaring is not one and bool(declaring.fields)
            places.put(field for field in others if field[0] >= WORD)
            places.put(references)
            places.put(field for field in others if field[0] < WORD)
        bare = places.end
        places.put([MARKER])
        return Contents(bare, places.end, widest, inherited)


def _at_once(size: int) -> int:
    """The number of bytes in which a value is read and written in one piece; 0: it cannot be."""
    found = 1 << max(size - 1, 0).bit_length()
    return found if found <= WORD else 0


class _Places:
    """The bytes that are taken in an instance: up to `end`, but for some gaps."""

    def __init__(self, header: int) -> None:
        self.end = header
        self._gaps: list[tuple[int, int]] = []

    def put(self, fields: Iterable[tuple[int, int]]) -> None:
        """Adds fields, in this order: bytes and alignment."""
        for size, alignment in fields:
            fitting = [gap for gap in self._gaps if -(-gap[0] // alignment) * alignment + size <= gap[1]]
            if fitting:
                gap = min(fitting, key=lambda gap: gap[1] - gap[0])
                self._gaps.remove(gap)
                at = -(-gap[0] // alignment) * alignment
                self._gaps += [piece for piece in ((gap[0], at), (at + size, gap[1])) if piece[0] < piece[1]]
                continue
            at = -(-self.end // alignment) * alignment
            if at > self.end:
                self._gaps.append((self.end, at))
            self.end = at + size
