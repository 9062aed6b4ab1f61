"""Numbers that never fall, in a few bits each; native/extensions/heap/heap.h says how."""

from __future__ import annotations

from typing import Any

import numpy as np

from classhook.extensions.heap.library import ffi, lib, u64
from classhook.extensions.heap.record_batches import Column

SAMPLED = 32


class Rising:
    """Room for `room` numbers of at most `most`. `pointer`: the struct ch_rising."""

    def __init__(self, room: int, most: int) -> None:
        width = max((most // max(room, 1)).bit_length() - 1, 0)
        self._low = np.zeros(room * width // 64 + 2, np.uint64)
        self._high = np.zeros((room + (most >> width)) // 64 + 2, np.uint64)
        self._samples = np.zeros(room // SAMPLED + 1, np.uint64)
        columns = {"low": u64(self._low), "high": u64(self._high), "samples": u64(self._samples)}
        self.pointer: Any = ffi.new("struct ch_rising *", {"width": width, **columns})

    def add(self, values: Column) -> None:
        """`values`: not less than those that are there."""
        lib.ch_heap_rising_add(self.pointer, u64(np.ascontiguousarray(values)), len(values))
