"""Sealed parts: what blocks of counters had counted when they were emptied for others (native/classhook.h).

1. A part is read like a block: slots by their numbers, records by their positions. It has only the words that are not
   0, and costs as much to read.
2. Parts that belong together have a lineage. In the file of a JVM that has ended, each is in one place: numbers in the
   blocks' keys and in the part say where. While a JVM runs, it may move from a place that is still to be read to one
   that was read before, or the other way round. So keys are read together with the blocks, parts after them, and of
   several places with one lineage only one counts. The agent does not use a part's place again for some seconds.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import lt
from typing import Any, NamedTuple

from classhook.native._layout import ffi, lib
from classhook.store.region import Block, Region

KEY_BYTES = ffi.sizeof("struct ch_block_key")
HEAD_BYTES = ffi.sizeof("struct ch_sealed")
MOST_RECORDS_BYTES = 1 << 32
NONE = memoryview(array("I"))
HALF = 32  # bits


class BlockKey(NamedTuple):
    """struct ch_block_key."""

    context: int = 0
    seq: int = 0
    thread: int = 0
    lineage: int = 0

    @property
    def counts(self) -> bool:
        """True if the block's content counts."""
        return self.seq % 2 == 0


def key_of(data: bytes) -> BlockKey:
    """One of them."""
    return BlockKey(*memoryview(data.ljust(KEY_BYTES, b"\0")).cast("I"))


def keys_of(region: Region) -> dict[int, BlockKey]:
    """The keys of blocks, by their indices; the others are outside of contexts."""
    found = {}
    for first, piece in region.pieces:
        words = piece.cast("B")[: len(piece) // KEY_BYTES * KEY_BYTES].cast("I")
        for at in range(0, len(words), 4):
            if any(key := words[at : at + 4].tolist()):
                found[first // KEY_BYTES + at // 4] = BlockKey(*key)
    return found


def region_of(keys: dict[int, BlockKey]) -> Region:
    """The keys as they are in a file."""
    if not keys:
        return Region()
    words = array("I", bytes(KEY_BYTES * (max(keys) + 1)))
    for index, key in keys.items():
        words[4 * index : 4 * index + 4] = array("I", key)
    return Region([(0, memoryview(words).cast("B"))])


class SparseRegion(Region):
    """Records, of which only the words of 32 bits that are not 0 are known: their places, in ascending order, and their
    values."""

    __slots__ = ("places", "values")

    def __init__(self, places: Sequence[int], values: Sequence[int]) -> None:
        super().__init__()
        self.places = places
        self.values = values

    def read(self, at: int, size: int) -> memoryview | None:
        """The bytes from position `at` on; None if there are only zeros."""
        begin = bisect_left(self.places, at // 4)
        end = bisect_left(self.places, (at + size) // 4, begin)
        if begin == end:
            return None
        words = array("I", bytes(size))
        for place, value in zip(self.places[begin:end], self.values[begin:end], strict=True):
            words[place - at // 4] = value
        return memoryview(words).cast("B")

    def whole(self, at: int, size: int) -> bytes | None:
        found = self.read(at, size)
        return None if found is None else bytes(found)


class SealedPart(Block):
    """A sealed part. `low` and `high`: the places and values of the halves of its slots; few have an upper one."""

    __slots__ = ("has_records", "high", "low")

    def __init__(
        self, head: Any, low: tuple[memoryview, memoryview], high: tuple[memoryview, memoryview], records: SparseRegion
    ) -> None:
        super().__init__({}, records, 1 << 32, head.context, head.thread, head.lineage)
        self.has_records = bool(records.places)
        self.low = low
        self.high = high

    def begin(self) -> None:
        """Begins the reading for another snapshot: none of its records was used."""
        self._taken = set()

    def slot(self, number: int) -> int:
        return _find(*self.low, number) | _find(*self.high, number) << HALF

    def words(self) -> Iterator[tuple[int, int]]:
        if not self.high[0]:
            return zip(*self.low, strict=True)
        found = dict(zip(*self.low, strict=True))
        for slot, value in zip(*self.high, strict=True):
            found[slot] = found.get(slot, 0) | value << HALF
        return iter(sorted(found.items()))


def _find(places: memoryview, values: memoryview, wanted: int) -> int:
    at = bisect_left(places, wanted)
    return values[at] if at < len(places) and places[at] == wanted else 0


def parts_of(segments: Iterable[Region], keys: dict[int, BlockKey], slots: int) -> tuple[list[SealedPart], bool]:
    """The parts that count, of a file whose blocks have these keys, the latest first; and whether some are damaged.
    `slots`: how many there are."""
    found: list[tuple[int, SealedPart]] = []
    damaged = False
    for region in segments:
        at, end = 0, region.pieces[-1][0] + len(region.pieces[-1][1])
        while (data := region.read(at, HEAD_BYTES)) is not None:
            head = ffi.from_buffer("struct ch_sealed *", data)
            if not head.room:
                break
            size = HEAD_BYTES + 8 * (head.low + head.high + head.records)
            if head.room % lib.CH_UNIT or size > head.room or at + size > end:
                damaged = True
                break
            if head.id and _counts(head, keys):
                part = _part(region, at + HEAD_BYTES, head, slots)
                damaged |= part is None
                if part is not None:
                    found.append((head.id, part))
            at += head.room
    return [part for _, part in sorted(found, key=lambda one: -one[0])], damaged


def _counts(head: Any, keys: dict[int, BlockKey]) -> bool:
    came, went = keys.get(head.to, BlockKey()), keys.get(getattr(head, "from"), BlockKey())
    return went.seq > head.from_seq and not 0 < head.to_seq <= came.seq


def _part(region: Region, at: int, head: Any, slots: int) -> SealedPart | None:
    """None: it is damaged, or missing."""
    lists = []
    for n in (head.low, head.low, head.high, head.high, head.records, head.records):
        data = region.read(at, 4 * n) if n else None
        if n and data is None:
            return None
        lists.append(NONE if data is None else data.cast("B").cast("I"))
        at += 4 * n
    for places, most in ((lists[0], slots), (lists[2], slots), (lists[4], MOST_RECORDS_BYTES // 4)):
        if places and not (places[-1] < most and _ascends(places)):
            return None
    return SealedPart(head, (lists[0], lists[1]), (lists[2], lists[3]), SparseRegion(lists[4], lists[5]))


def _ascends(places: memoryview) -> bool:
    numbers = places.tolist()
    return all(map(lt, numbers, islice(numbers, 1, None)))


def once_each(
    blocks: Iterable[Block], parts: Iterable[SealedPart]
) -> tuple[list[Block], list[SealedPart], list[Block]]:
    """One place of each lineage; and the blocks that do not count."""
    seen: set[int] = set()
    kept: list[Block] = []
    left: list[Block] = []
    for block in blocks:
        (left if block.lineage and block.lineage in seen else kept).append(block)
        seen.add(block.lineage)
    own = []
    for part in parts:
        if part.lineage not in seen:
            own.append(part)
        seen.add(part.lineage)
    return kept, own, left
