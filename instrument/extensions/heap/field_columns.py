"""Values of many objects at once, read from the dump as columns of numbers."""

from __future__ import annotations

import numpy as np

from classhook.extensions.heap.object_columns import Objects, Parts
from classhook.extensions.heap.record_batches import Column

PIECE = 1 << 17
#: Basic types of signed numbers and of fractions -> how their bytes are to be taken.
SIGNED = {8: np.int8, 9: np.int16, 10: np.int32, 11: np.int64}
REAL = {6: np.float32, 7: np.float64}


def unsigned(all_: Objects, instances: Column, offset: int, width: int, parts: Parts | None = None) -> Column:
    """The unsigned numbers of `width` bytes at an offset in instances, or in flattened values; 0 where one is
    shorter."""
    rows = parts or all_
    found = np.zeros(len(instances), np.uint64)
    for start in range(0, len(instances), PIECE):
        some = instances[start : start + PIECE]
        whole = rows.length[some] >= offset + width
        found[start : start + PIECE][whole] = at_places(all_, rows.at[some][whole] + np.uint64(offset), width)
    return found


def at_places(all_: Objects, at: Column, width: int) -> Column:
    """The unsigned numbers of `width` bytes at these places of the dump, which has been checked to have them."""
    data = np.frombuffer(all_.heap.dump.data, np.uint8)
    value = np.zeros(len(at), np.uint64)
    for i in range(width):
        value = value << np.uint64(8) | data[at + np.uint64(i)]
    return value


def integers(numbers: Column, type_: int, width: int) -> Column:
    """The numbers as Java has them: signed, except booleans and chars."""
    kind = SIGNED.get(type_)
    return numbers.astype(np.int64) if kind is None else numbers.astype(f"u{width}").view(kind).astype(np.int64)


def reals(numbers: Column, type_: int, width: int) -> Column:
    """The numbers as fractions."""
    return numbers.astype(f"u{width}").view(REAL[type_]).astype(np.float64)
