"""Sizes of objects in the JVM, which a dump does not say: it has their contents, with all references as wide as ids.

1. `neighbours.py` finds the layout, of those that JVMs use (LAYOUTS), and the size of each class, that fit the
   distances between objects.
2. A class that it does not know has the size that follows from the fields (`field_layout.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from classhook.extensions.heap.classes import PRIMITIVE, Class, Classes
from classhook.extensions.heap.field_layout import FieldLayout
from classhook.extensions.heap.record_batches import Batch, Column
from classhook.extensions.heap.tags import OBJECT_ARRAY

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
    """The sizes of objects. `measured`: by a class's id, from distances; `fields`: computed from fields; `known`:
    by a class's id, once asked for."""

    layout: Layout
    alignment: int
    measured: dict[int, int]
    fields: FieldLayout
    known: dict[int, int] = field(default_factory=dict)

    def aligned(self, size: int) -> int:
        return (size + self.alignment - 1) // self.alignment * self.alignment

    def of_arrays(self, batch: Batch) -> Column:
        """Sizes of arrays, of either kind."""
        sizes = array_sizes(self.layout, self.alignment, batch)
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
            self.known[one.id] = self.by_fields(one)
        return self.known[one.id]

    def by_fields(self, one: Class) -> int:
        """The size computed from the fields in the dump."""
        return self.aligned(self.fields.of_instance(one, self.layout.header))

    def of_class(self, classes: Classes, one: Class) -> int:
        """The size of a class's object: an instance of java.lang.Class with the static fields."""
        number = classes.by_name.get("java.lang.Class")
        plain = self.of_instance(classes, classes.all[number]) if number is not None else self.layout.header
        return self.aligned(plain + self.fields.of_class(one))


def array_sizes(layout: Layout, alignment: int, batch: Batch) -> Column:
    """Sizes of arrays, of either kind, none of whose elements is flattened."""
    width = np.where(batch.tag == OBJECT_ARRAY, np.uint64(layout.reference), ELEMENT_BYTES[batch.of & np.uint64(15)])
    before = np.where(width == 8, np.uint64(layout.long_elements), np.uint64(layout.elements))
    return aligned_sizes(before + width * batch.length.astype(np.uint64), alignment)


def aligned_sizes(sizes: Column, alignment: int) -> Column:
    raw: Column = sizes + np.uint64(alignment - 1)
    raw -= raw % np.uint64(alignment)
    return raw
