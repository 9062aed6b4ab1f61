"""Sizes of objects in the JVM, which a dump does not say: it has their contents, with all references as wide as ids.

1. Objects lie one after the other, so the distance from one id to the next is at least a size, and mostly is it.
2. Arrays have known lengths: of the layouts that JVMs use (LAYOUTS), the one that fits most distances is that of the dump.
3. An instance's size is the least distance that several instances of its class have; else it follows from the fields, as HotSpot lays them out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from classhook.heap.classes import PRIMITIVE, REFERENCE, Class, Classes
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
    """How large objects are. `measured`: by a class's id, from distances; `instances`: by a class's id, once asked for."""

    layout: Layout
    alignment: int = 8
    measured: dict[int, int] = field(default_factory=dict)
    known: dict[int, int] = field(default_factory=dict)

    def aligned(self, size: int) -> int:
        return (size + self.alignment - 1) // self.alignment * self.alignment

    def of_arrays(self, batch: Batch) -> Column:
        """Sizes of arrays, of either kind."""
        width = np.where(batch.tag == OBJECT_ARRAY, np.uint64(self.layout.reference), ELEMENT_BYTES[batch.of & np.uint64(15)])
        return array_sizes(self.layout, self.alignment, width, batch.length)

    def of_instance(self, classes: Classes, one: Class) -> int:
        """The size of an instance of a class."""
        if one.id in self.measured:
            return self.measured[one.id]
        if one.id not in self.known:
            self.known[one.id] = self.aligned(laid_out(classes, one, self.layout))
        return self.known[one.id]

    def of_class(self, classes: Classes, one: Class) -> int:
        """The size of a class's object: an instance of java.lang.Class with the static fields."""
        number = classes.by_name.get("java.lang.Class")
        plain = self.of_instance(classes, classes.all[number]) if number is not None else self.layout.header
        own = [(name, type_) for name, type_, _ in one.statics if not name.startswith("<")]  # the JVM's own are not in it
        return self.aligned(plain + sum(bytes_of(type_, self.layout) for _, type_ in own))


def array_sizes(layout: Layout, alignment: int, width: Column, length: Column) -> Column:
    before = np.where(width == 8, np.uint64(layout.long_elements), np.uint64(layout.elements))
    raw: Column = before + width * length.astype(np.uint64) + np.uint64(alignment - 1)
    raw -= raw % np.uint64(alignment)
    return raw


def bytes_of(type_: int, layout: Layout) -> int:
    return layout.reference if type_ == REFERENCE else PRIMITIVE[type_][1]


def laid_out(classes: Classes, one: Class, layout: Layout) -> int:
    """Where the last field of an instance ends, as HotSpot's FieldLayoutBuilder does it since JDK 15: superclasses first; in each class
    primitive fields from the widest on, then references; each in the tightest gap that it fits in, else at the end."""
    end = layout.header
    gaps: list[tuple[int, int]] = []
    for declaring in reversed([*classes.line(one)]):
        widths = sorted((bytes_of(type_, layout) for _, type_ in declaring.fields if type_ != REFERENCE), reverse=True)
        for width in widths + [layout.reference for _, type_ in declaring.fields if type_ == REFERENCE]:
            fitting = [gap for gap in gaps if -(-gap[0] // width) * width + width <= gap[1]]
            if fitting:
                gap = min(fitting, key=lambda gap: gap[1] - gap[0])
                gaps.remove(gap)
                at = -(-gap[0] // width) * width
                gaps += [piece for piece in ((gap[0], at), (at + width, gap[1])) if piece[0] < piece[1]]
                continue
            at = -(-end // width) * width
            if at > end:
                gaps.append((end, at))
            end = at + width
    return end


class Evidence:
    """Distances between objects, collected from batches of a dump."""

    def __init__(self, id_size: int) -> None:
        self.candidates = LAYOUTS[id_size]
        self.bits = 0  # of all ids
        self.objects = 0
        self.arrays: list[tuple[Column, Column, Column, Column]] = []  # whether of objects, element types, lengths, distances
        self.instances: list[tuple[Column, Column]] = []  # ids of classes, distances

    def add(self, batch: Batch) -> None:
        objects = batch.where(np.isin(batch.tag, (INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY)))
        if len(objects) < 2:
            return
        self.bits |= int(np.bitwise_or.reduce(objects.id))
        self.objects += len(objects)
        distance = objects.id[1:].astype(np.int64) - objects.id[:-1].astype(np.int64)
        near = (distance > 0) & (distance < FARTHEST)
        first = objects.where(slice(0, -1))  # type: ignore[arg-type]
        arrays = near & (first.tag != INSTANCE)
        self.arrays.append((first.tag[arrays] == OBJECT_ARRAY, first.of[arrays], first.length[arrays], distance[arrays]))
        instances = near & (first.tag == INSTANCE)
        self.instances.append((first.of[instances], distance[instances]))

    def sizes(self) -> Sizes:
        """What fits best."""
        lowest = self.bits & -self.bits
        alignment = min(lowest, 256) if self.objects > 1000 and lowest >= 8 else 8
        found = Sizes(max(self.candidates, key=lambda one: self._fit(one, alignment)), alignment)
        found.measured = self._measured(alignment)
        return found

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
