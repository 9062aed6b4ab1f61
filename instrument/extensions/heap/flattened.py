"""Flattened values: HotSpot puts what is of a value class (JEP 401) into the fields and elements that hold it, so it is
a part of another object.

1. HotSpot writes such a value as an INSTANCE DUMP of its own, after the object that holds it, and nested ones after
   that. A field or element names it by a number that counts up; multiples of the alignment of objects are left out, so
   no address is the same.
2. So an instance whose id is not aligned is a part of the last object before it in the file, if the ids of all arrays
   and classes are aligned. Else ids are no addresses (HPROF's own dumps up to JDK 8), and nothing is flattened.
3. An array of a value class has its elements in it or refers to them; the JDK has both. The first element that is not
   null tells. If all are null, the elements are in it, as in the arrays of programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import TypeVar

import numpy as np

from classhook.extensions.heap.classes import REFERENCE, Class, Classes, width
from classhook.extensions.heap.dump import Dump
from classhook.extensions.heap.library import data, lib, u32, u64
from classhook.extensions.heap.record_batches import OBJECT_TAGS, Batch, Column, batches
from classhook.extensions.heap.tags import INSTANCE, OBJECT_ARRAY

Row = TypeVar("Row", bound=tuple[int, ...])
LEAST, MOST = 8, 256  # HotSpot's ObjectAlignmentInBytes
ENOUGH = 1000  # arrays and classes, which tell the alignment
LOOKED_AT = (
    16  # instances of a class in a batch, and batches with a class: their fields tell which of them are flattened
)


@dataclass(slots=True)
class Flattened:
    """`mask`: bits of an instance's id which only flattened values have, 0 if there are none; `count`: how many there
    are; `classes`: ids of their classes; `fields`: by the id of a class and the position among its own fields, the id
    of the value's class."""

    dump: Dump
    mask: int = 0
    count: int = 0
    classes: set[int] = field(default_factory=set)
    fields: dict[tuple[int, int], int] = field(default_factory=dict)
    _arrays: int = 0  # all bits of their ids, and of those of classes
    _seen: int = 0  # how many

    def add(self, batch: Batch) -> Column | None:
        """Looks at a batch, the next one of the dump; returns which rows are flattened values, None if none is."""
        if not self._seen or int(np.bitwise_or.reduce(batch.id)) % LEAST:
            of_arrays = batch.id[np.isin(batch.tag, OBJECT_TAGS) & (batch.tag != INSTANCE)]
            self._arrays |= int(np.bitwise_or.reduce(of_arrays))
            self._seen += len(of_arrays)
            some = batch.id[batch.tag == INSTANCE]
            if int(np.bitwise_or.reduce(some)) % LEAST or self.mask:
                lowest = self._arrays & -self._arrays
                self.mask = min(lowest, MOST) - 1 if self._seen > ENOUGH else LEAST - 1
            if self._arrays % LEAST:
                self.mask = self.count = 0
                self.classes.clear()
        parts = self.parts(batch)
        if parts is not None:
            self.count += int(parts.sum())
            of = batch.of[parts]
            self.classes.update(of[np.r_[True, of[1:] != of[:-1]]].tolist())
        return parts

    def parts(self, batch: Batch) -> Column | None:
        """The rows that are flattened values, None if none is."""
        if not self.mask:
            return None
        found: Column = (batch.tag == INSTANCE) & (batch.id & np.uint64(self.mask) != 0)
        return found if found.any() else None

    def objects(self, batch: Batch) -> Batch:
        """A batch without flattened values."""
        parts = self.parts(batch)
        return batch if parts is None else batch.where(~parts)

    def find_fields(self, classes: Classes) -> None:
        """Looks through the dump for fields that hold flattened values."""
        left = dict.fromkeys((one.id for one in classes.all), LOOKED_AT)
        for batch in batches(self.dump) if self.mask else ():
            parts = self.parts(batch)
            if parts is None:
                continue
            order = np.flatnonzero(parts)
            order = order[np.argsort(batch.id[order], kind="stable")]
            ids = batch.id[order]
            holders = np.flatnonzero((batch.tag == INSTANCE) & (parts | np.r_[parts[1:], False]))
            for of in np.unique(batch.of[holders]).tolist():
                if left.get(of):
                    left[of] -= 1
                    some = batch.where(holders[batch.of[holders] == of][:LOOKED_AT])
                    self._look_at(classes, classes.all[classes.numbers[of]], some, ids, batch.of[order])

    def _look_at(self, classes: Classes, one: Class, some: Batch, ids: Column, of: Column) -> None:
        """Reads the references of instances of a class; `ids`, `of`: the flattened values of the batch, and their
        classes."""
        size = self.dump.id_size
        for declaring, i, place in _places(classes, one, size):
            if (declaring, i) in self.fields:
                continue
            for at in some.at[some.length >= place + size].tolist():
                id_ = self.dump.id_at(at + place)
                row = int(np.searchsorted(ids, np.uint64(id_)))
                if id_ & self.mask and row < len(ids) and ids[row] == id_:
                    self.fields[declaring, i] = int(of[row])
                    break

    def arrays(self, batch: Batch, ids: Iterable[int]) -> Column:
        """The arrays that contain their elements; `ids`: of the classes whose arrays may."""
        found = np.zeros(len(batch), bool)
        rows = np.flatnonzero((batch.tag == OBJECT_ARRAY) & np.isin(batch.of, np.array([*ids], np.uint64)))
        first, some = np.zeros(len(rows), np.uint64), batch.where(rows)
        view = data(self.dump.data)
        lib.ch_heap_first_elements(
            view, len(self.dump.data), self.dump.id_size, u64(some.at), u32(some.length), len(rows), u64(first)
        )
        found[rows] = (first == 0) | (first & np.uint64(self.mask) != 0)
        return found

    def with_parts(self, rows: Iterable[Row]) -> Iterator[tuple[Row, list[Row]]]:
        """Rows, which begin with the tag and the id, each with the flattened values that follow it."""
        return self._gathered(rows) if self.mask else zip(rows, repeat([]))

    def _gathered(self, rows: Iterable[Row]) -> Iterator[tuple[Row, list[Row]]]:
        before: Row | None = None
        parts: list[Row] = []
        for row in rows:
            if row[0] == INSTANCE and row[1] & self.mask and before is not None:
                parts.append(row)
                continue
            if before is not None:
                yield before, parts
            before, parts = row, []
        if before is not None:
            yield before, parts


def _places(classes: Classes, one: Class, id_size: int) -> Iterator[tuple[int, int, int]]:
    """The references of an instance: for each, the class that declares it, its position among that one's fields, and
    its place."""
    at = 0
    for declaring in classes.line(one):
        for i, (_, type_) in enumerate(declaring.fields):
            if type_ == REFERENCE:
                yield declaring.id, i, at
            at += width(type_, id_size)
