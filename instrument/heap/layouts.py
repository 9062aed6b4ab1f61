"""Sizes of objects in the JVM, which a dump does not say: it has their contents, with all references as wide as ids.

1. Objects lie one after the other, so the distance from one id to the next is at least a size, and mostly is it.
2. Arrays have known lengths: of the layouts that JVMs use (LAYOUTS), the one that fits most distances is that of the dump.
3. An instance's size is the least distance that several instances of its class have; else it follows from the fields (`field_layout.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from classhook.heap.classes import PRIMITIVE, Class, Classes
from classhook.heap.field_layout import FieldLayout
from classhook.heap.flattened import Flattened
from classhook.heap.record_batches import Batch, Column
from classhook.heap.tags import INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY

FARTHEST = 1 << 20  # a longer distance says nothing
AGREEING = 3  # instances with the same least distance
ELEMENT_BYTES = np.zeros(16, np.uint64)
for _type, (_, _bytes) in PRIMITIVE.items():
    ELEMENT_BYTES[_type] = _bytes


class Layout(NamedTuple):
    """Bytes before the fields, before an array's elements of up to 4 and of 8 bytes, and of a reference."""

    name: str
    header: int
    elements: int
    long_elements: int
    reference: int


#: The first that fits is taken, and the first of an id size where nothing is known.
LAYOUTS = {
    8: (
        Layout("compressed references", 12, 16, 16, 4),
        Layout("full references, compressed class pointers", 12, 16, 16, 8),
        Layout("compressed references, compact headers", 8, 12, 16, 4),
        Layout("full references, compact headers", 8, 12, 16, 8),
        Layout("full references", 16, 24, 24, 8),
        Layout("full references", 16, 20, 24, 8),
        Layout("compressed references, full class pointers", 16, 24, 24, 4),
        Layout("compressed references, full class pointers", 16, 20, 24, 4),
    ),
    4: (Layout("32-bit", 8, 12, 16, 4),),
}


@dataclass(slots=True)
class Sizes:
    """How large objects are. `measured`: by a class's id, from distances; `fields`: what follows from fields; `known`: by a class's id, once
    asked for."""

    layout: Layout
    alignment: int
    measured: dict[int, int]
    fields: FieldLayout
    known: dict[int, int] = field(default_factory=dict)

    def aligned(self, size: int) -> int:
        return (size + self.alignment - 1) // self.alignment * self.alignment

    def of_arrays(self, batch: Batch) -> Column:
        """Sizes of arrays, of either kind."""
        width = np.where(batch.tag == OBJECT_ARRAY, np.uint64(self.layout.reference), ELEMENT_BYTES[batch.of & np.uint64(15)])
        sizes = array_sizes(self.layout, self.alignment, width, batch.length)
        elements = self.fields.elements
        if elements:
            flat = self.fields.flattened.arrays(batch, elements)
            width = np.array([elements[of] for of in batch.of[flat].tolist()], np.uint64)
            sizes[flat] = aligned_sizes(self.layout.long_elements + width * batch.length[flat], self.alignment)
        return sizes

    def of_instance(self, classes: Classes, one: Class) -> int:
        """The size of an instance of a class."""
        if one.id in self.measured:
            return self.measured[one.id]
        if one.id not in self.known:
            self.known[one.id] = self.aligned(self.fields.of_instance(one, self.layout.header))
        return self.known[one.id]

    def of_class(self, classes: Classes, one: Class) -> int:
        """The size of a class's object: an instance of java.lang.Class with the static fields."""
        number = classes.by_name.get("java.lang.Class")
        plain = self.of_instance(classes, classes.all[number]) if number is not None else self.layout.header
        return self.aligned(plain + self.fields.of_class(one))


def array_sizes(layout: Layout, alignment: int, width: Column, length: Column) -> Column:
    before = np.where(width == 8, np.uint64(layout.long_elements), np.uint64(layout.elements))
    return aligned_sizes(before + width * length.astype(np.uint64), alignment)


def aligned_sizes(sizes: Column, alignment: int) -> Column:
    raw: Column = sizes + np.uint64(alignment - 1)
    raw -= raw % np.uint64(alignment)
    return raw


class Evidence:
    """Distances between objects, collected from batches of a dump."""

    def __init__(self, id_size: int) -> None:
        self.candidates = LAYOUTS[id_size]
        self.bits = 0  # of all ids
        self.objects = 0
        self.arrays: list[tuple[Column, Column, Column, Column]] = []  # whether of objects, element types, lengths, distances
        self.instances: list[tuple[Column, Column]] = []  # ids of classes, distances

    def add(self, batch: Batch, parts: Column | None) -> None:
        """`parts`: which rows are flattened values; arrays that hold some say nothing of the layout."""
        chosen = np.isin(batch.tag, (INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY))
        holds = np.zeros(len(batch), bool)
        if parts is not None:
            chosen &= ~parts
            holds[:-1] = parts[1:]
        objects, holds = batch.where(chosen), holds[chosen]
        if len(objects) < 2:
            return
        self.bits |= int(np.bitwise_or.reduce(objects.id))
        self.objects += len(objects)
        distance = objects.id[1:].astype(np.int64) - objects.id[:-1].astype(np.int64)
        near = (distance > 0) & (distance < FARTHEST)
        first = objects.where(slice(0, -1))  # type: ignore[arg-type]
        arrays = near & (first.tag != INSTANCE) & ~holds[:-1]
        self.arrays.append((first.tag[arrays] == OBJECT_ARRAY, first.of[arrays], first.length[arrays], distance[arrays]))
        instances = near & (first.tag == INSTANCE)
        self.instances.append((first.of[instances], distance[instances]))

    def sizes(self, classes: Classes, flattened: Flattened) -> Sizes:
        """What fits best."""
        lowest = self.bits & -self.bits
        alignment = min(lowest, 256) if self.objects > 1000 and lowest >= 8 else 8
        layout = max(self.candidates, key=lambda one: self._fit(one, alignment))
        return Sizes(layout, alignment, self._measured(alignment), FieldLayout(classes, flattened, layout.reference))

    def _fit(self, layout: Layout, alignment: int) -> int:
        """How many distances are as this layout has them; an object that would reach into the next one speaks against it."""
        fit = 0
        for of_objects, types, length, distance in self.arrays:
            width = np.where(of_objects, np.uint64(layout.reference), ELEMENT_BYTES[types & np.uint64(15)])
            size = array_sizes(layout, alignment, width, length).astype(np.int64)
            fit += int((size == distance).sum()) - 10 * int((size > distance).sum())
        return fit

    def _measured(self, alignment: int) -> dict[int, int]:
        if not self.instances:
            return {}
        of = np.concatenate([of for of, _ in self.instances])
        distance = np.concatenate([distance for _, distance in self.instances])
        order = np.lexsort((distance, of))
        of, distance = of[order], distance[order]
        if not len(of):
            return {}
        new = np.flatnonzero(np.r_[True, (of[1:] != of[:-1]) | (distance[1:] != distance[:-1])])
        counts = np.diff(np.r_[new, len(of)])
        least = np.r_[True, of[new][1:] != of[new][:-1]]  # the first distance of each class
        chosen = least & (counts >= AGREEING)
        return {int(id_): int(size) for id_, size in zip(of[new][chosen], distance[new][chosen], strict=True) if size % alignment == 0}
