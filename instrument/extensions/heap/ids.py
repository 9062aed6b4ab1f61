"""From ids to objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from classhook.extensions.heap.library import data, ffi, lib, u32, u64
from classhook.extensions.heap.record_batches import Column

SPARSE = 64  # places for each object: so many bits are less than a hash table needs
EVERY_BIT = (1 << 64) - 1


@dataclass(slots=True)
class Range:
    """The range of all ids: the least, the greatest, the bits that some id has, and those that all ids have."""

    lowest: int = EVERY_BIT
    highest: int = 0
    some: int = 0
    all: int = EVERY_BIT

    def add(self, ids: Column) -> None:
        if len(ids):
            self.lowest = min(self.lowest, int(ids.min()))
            self.highest = max(self.highest, int(ids.max()))
            self.some |= int(np.bitwise_or.reduce(ids))
            self.all &= int(np.bitwise_and.reduce(ids))

    @property
    def shift(self) -> int:
        """Bits at the end in which no two ids differ."""
        differing = self.some ^ self.all
        return max((differing & -differing).bit_length() - 1, 0)

    def places(self, count: int) -> int:
        """The places between the least and the greatest of `count` ids; 0 if they lie too far from each other."""
        places = (self.highest - self.lowest >> self.shift) + 1 if count else 1
        return places if 0 < places <= SPARSE * (count + 1024) else 0


class Index:
    """From ids to objects: a struct ch_index. `ids`: of all objects, if there are no places for them."""

    def __init__(self, bytes_: memoryview, id_size: int, columns: Any, range_: Range, ids: Column | None) -> None:
        """`columns`: the struct ch_objects."""
        count = columns.count
        self.places = range_.places(count)
        if self.places:
            slot, words = np.empty(count, np.uint32), self.places // 64 + 1
            bits, before = np.empty(words, np.uint64), np.empty(words, np.uint32)
            lowest = range_.lowest if count else 0
            more = {"bits": u64(bits), "before": u32(before), "lowest": lowest, "shift": range_.shift}
        else:
            assert ids is not None
            slot = np.empty(max(16, 1 << (2 * count).bit_length()), np.uint32)
            seed = int(np.random.default_rng().integers(1 << 62)) * 2 + 1
            more = {"id": u64(ids), "slots": len(slot), "seed": seed}
        self.pointer = ffi.new("struct ch_index *", {"slot": u32(slot), "places": self.places, **more})
        self._kept = more, slot  # cffi's pointers to arrays keep these alive
        lib.ch_heap_index(data(bytes_), id_size, columns, self.pointer)

    def found(self, ids: Column) -> Column:
        """The objects with these ids, NOBODY where there is none."""
        numbers = np.empty(len(ids), np.uint32)
        lib.ch_heap_find(self.pointer, u64(np.ascontiguousarray(ids)), len(ids), u32(numbers))
        return numbers
