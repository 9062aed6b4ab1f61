"""A region of a sparse data file: pieces at their positions, and holes between them, which read as zeros.

A block consists of two regions: slots, in which one thread at a time counts, and the records that the slots of timed
methods point to.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from classhook.native._layout import ffi, lib

RECORD_BYTES = ffi.sizeof("struct ch_record")
OCTAVE_BYTES = 8 * lib.CH_OCTAVE_STEPS
#: The fields of struct ch_record and struct ch_spread that are sums.
SUMS = (
    "calls",
    "completed",
    "left",
    "exceptions",
    "total",
    "callees",
    "probes",
    "below",
    "nested",
    "nested_ticks",
    "sampled_nested",
)
SPREAD = ("n", "w", "ww", "wt", "wwt", "wwtt", "ws", "wws", "wwss")
PAGE = 512  # slots that are looked up together


def numbers(data: memoryview) -> memoryview:
    """The 64-bit values in these bytes."""
    return data.cast("B").cast("Q")


class Region:
    """Pieces by position, none of them empty; of overlapping ones only the first is kept."""

    __slots__ = ("pieces", "starts")

    def __init__(self, pieces: Iterable[tuple[int, memoryview]] = ()) -> None:
        self.pieces: list[tuple[int, memoryview]] = []
        end = 0
        for first, piece in sorted(pieces, key=lambda piece: piece[0]):
            if first >= end:
                self.pieces.append((first, piece))
                end = first + len(piece)
        self.starts = [first for first, _ in self.pieces]

    def _parts(self, at: int, size: int) -> Iterator[tuple[int, memoryview]]:
        """(position, bytes) of the pieces in `size` bytes from position `at` on."""
        for i in range(max(0, bisect_right(self.starts, at) - 1), len(self.pieces)):
            first, piece = self.pieces[i]
            if first >= at + size:
                return
            if part := piece[max(0, at - first) : at + size - first]:
                yield max(first, at), part

    def read(self, at: int, size: int) -> memoryview | None:
        """The bytes from position `at` on, with zeros for holes; None if there is only a hole."""
        i = bisect_right(self.starts, at) - 1
        if i >= 0:  # most lie within a piece
            first, piece = self.pieces[i]
            if at + size <= first + len(piece):
                return piece[at - first : at - first + size]
        filled = bytearray()
        for first, part in self._parts(at, size):
            filled += bytes(first - at - len(filled))
            filled += part
        return memoryview(filled.ljust(size, b"\0")) if filled else None

    def whole(self, at: int, size: int) -> bytes | None:
        """The bytes from position `at` on; None if some are missing."""
        i = bisect_right(self.starts, at) - 1
        if i >= 0:  # most lie within a piece
            first, piece = self.pieces[i]
            if at + size <= first + len(piece):
                return bytes(piece[at - first : at - first + size])
        parts = [part for _, part in self._parts(at, size)]
        return b"".join(parts) if sum(map(len, parts)) == size else None

    def pages(self, most: int) -> dict[int, memoryview]:
        """The first `most` 64-bit values, by pages of PAGE."""
        size = 8 * PAGE
        numbers = (range(first // size, -(-min(first + len(piece), 8 * most) // size)) for first, piece in self.pieces)
        found = {number: self.read(number * size, size) for number in chain.from_iterable(numbers)}
        return {number: page.cast("Q") for number, page in found.items() if page is not None}


class SharedRecord(ValueError):
    """Two methods count in one record: threads have counted in a block that was not theirs alone."""


@dataclass(slots=True, eq=False)
class Block:
    """The counters of one thread at a time: pages of slots, and the records.

    context: the slot of the context in which they counted; 0: outside of all
    thread: the thread's number; 0: threads are not told apart
    lineage: stays the same when the content moves (sealed_parts.py); 0: it never does
    """

    pages: Mapping[int, Sequence[int]]
    records: Region
    index: int = 0
    context: int = 0
    thread: int = 0
    lineage: int = 0
    before: Block | None = None  # an earlier state, to be taken off: see baseline.py
    _taken: set[int] = field(default_factory=set)

    def slot(self, number: int) -> int:
        """A slot's value; 0 if the file does not have it."""
        page = self.pages.get(number // PAGE)
        value: int = page[number % PAGE] if page is not None else 0
        return value

    def words(self) -> Iterator[tuple[int, int]]:
        """The slots that are not 0, in ascending order, with their values."""
        for number in sorted(self.pages):
            page = self.pages[number]
            if any(page):
                yield from ((number * PAGE + i, value) for i, value in enumerate(page) if value)

    def record(self, at: int) -> Any:
        """The struct ch_record at a position; None if the file does not have it."""
        data = self.records.read(at, RECORD_BYTES)
        if data is None:
            return None
        record = ffi.from_buffer("struct ch_record *", data)
        before = self.before.record(at) if self.before is not None else None
        return record if before is None else self._since(record, before)

    def octave(self, unit: int) -> memoryview | None:
        """The steps of a histogram's octave at a position, in units of CH_UNIT; None if the file does not have it."""
        at = unit * lib.CH_UNIT
        steps = self.records.read(at, OCTAVE_BYTES)
        due = self._due()
        if steps is not None and at <= due < at + OCTAVE_BYTES and not due % 8:
            steps = memoryview(bytearray(steps))
            numbers(steps)[(due - at) // 8] += 1
        before = self.before.octave(unit) if self.before is not None else None
        if steps is None or before is None:
            return steps
        return memoryview(
            array("Q", [max(0, a - b) for a, b in zip(numbers(steps), numbers(before), strict=True)])
        ).cast("B")

    def _due(self) -> int:
        """The position of the step that the block's last call has yet to be counted in
        (native/timing/timing_records.h); 0: there is none."""
        first = self.records.read(0, 8)
        return numbers(first)[0] if first is not None else 0

    def _since(self, now: Any, before: Any) -> Any:
        """The counts of a record since the earlier state."""
        record = ffi.new("struct ch_record *", now[0])
        for name in SUMS:
            setattr(record, name, (getattr(now, name) - getattr(before, name)) % (1 << 64))
        for name in SPREAD:
            setattr(record.sampled, name, getattr(now.sampled, name) - getattr(before.sampled, name))
        record.callee_squares = now.callee_squares - before.callee_squares
        seen = list(self._steps_seen(now))
        record.min = min(seen) if seen else (1 << 64) - 1
        record.max = now.max if now.max > before.max else max(seen, default=0)
        return record

    def _steps_seen(self, record: Any) -> Iterator[int]:
        """The smallest times of the histogram's steps that counted since then."""
        for octave, unit in enumerate(list(record.octaves)):
            steps = self.octave(unit) if unit else None
            for step, n in enumerate(numbers(steps) if steps is not None else ()):
                if n:
                    yield (lib.CH_OCTAVE_STEPS + step) << (octave - 1) if octave else step

    def take(self, at: int) -> None:
        """Marks the record or octave at this position as used. Raises SharedRecord if another method has used it."""
        if at in self._taken:
            raise SharedRecord(f"a record of two methods: {at}")
        self._taken.add(at)
