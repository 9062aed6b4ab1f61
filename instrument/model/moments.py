"""Moments: single events of a process that have a time (native/moments/moments.c). A file has sums of each kind, and
the longest ones of it.

Each kind has a reader that knows what its rows are about: MomentReader here, or a measure's. It makes a Moment of a row
when a timeline asks for it; most reports need only the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import Any, NamedTuple

from classhook.model.added_fields import AddedField
from classhook.model.reader import Reader
from classhook.model.rows import Key
from classhook.model.snapshot import Process
from classhook.native._layout import ffi, lib
from classhook.store.data_file import DataFile
from classhook.store.region import Region

HEAD_BYTES: int = ffi.sizeof("struct ch_moments_head")
ROW = Struct("=3Q2I")  # struct ch_moment
AT_ONCE = 128  # rows that are read together: of a truncated file, the others are there
LATEST_NS = 1 << 62  # what ends later is damaged
PAUSE, WEAVING = "gc", "weaving"


class Moment(NamedTuple):
    """`of`: the woven class, the monitor's class, or why garbage was collected; `heap_used`: bytes after that, 0 if
    unknown; `row`: the key of the row that a wait is counted in, in the table of monitors."""

    kind: str
    begin_unix_ns: int
    took_ns: int
    of: str = ""
    thread: str = ""
    stack: str = ""
    held_by: str = ""
    held_at: str = ""
    heap_used: int = 0
    row: Key | None = None


class Raw(NamedTuple):
    """struct ch_moment."""

    took_ns: int
    began_ns: int
    number: int
    about: int
    more: int


@dataclass(frozen=True, slots=True)
class Moments:
    """The moments of a kind: how many there were, their time, those that are kept, and the function that makes one."""

    kind: str
    count: int
    total_ns: int
    kept: list[Raw]
    read: Callable[[Raw], Moment]

    @property
    def longest_ns(self) -> int:
        return max((raw.took_ns for raw in self.kept), default=0)

    @property
    def shorter(self) -> int:
        """The number of moments that are not kept."""
        return max(0, self.count - len(self.kept))

    @property
    def shorter_ns(self) -> int:
        return max(0, self.total_ns - sum(raw.took_ns for raw in self.kept))

    def as_dict(self) -> dict[str, int]:
        """The sums, for JSON."""
        return {"count": self.count, "total_ns": self.total_ns, "longest_ns": self.longest_ns, "kept": len(self.kept)}


#: The moments of a process, each kind once.
MOMENTS: AddedField[list[Moments]] = AddedField(list)


def moments(process: Process) -> Iterator[Moment]:
    """All that are kept."""
    return (found.read(raw) for found in MOMENTS.get(process) for raw in found.kept)


def add(process: Process, file: DataFile, kinds: Mapping[int, tuple[str, Callable[[Raw], Moment]]]) -> None:
    """Adds each of these kinds, by name and by what makes a moment of a row, if there were any of it since the file's
    earlier state."""
    region = file.region(lib.CH_MOMENTS)
    now, earlier = _head(region), _head(file.base.region(lib.CH_MOMENTS)) if file.base is not None else None
    for kind, (name, read) in kinds.items():
        count, total_ns, kept = _sums(now, kind)
        before, before_ns, _ = _sums(earlier, kind)
        if count > before:
            rows = [raw for raw in _rows(region, kind, kept) if before < raw.number <= count]
            MOMENTS.get(process).append(Moments(name, count - before, max(0, total_ns - before_ns), rows, read))


def longest(file: DataFile, kinds: Iterable[int]) -> dict[int, int]:
    """The longest time of the kept moments of these kinds, by their subject, since the file's earlier state."""
    region = file.region(lib.CH_MOMENTS)
    now, earlier = _head(region), _head(file.base.region(lib.CH_MOMENTS)) if file.base is not None else None
    found: dict[int, int] = {}
    for kind in kinds:
        count, _, kept = _sums(now, kind)
        before, _, _ = _sums(earlier, kind)
        for raw in _rows(region, kind, kept):
            if before < raw.number <= count:
                found[raw.about] = max(found.get(raw.about, 0), raw.took_ns)
    return found


def _head(region: Region) -> Any:
    data = region.whole(0, HEAD_BYTES)
    return None if data is None else ffi.from_buffer("struct ch_moments_head *", data)


def _sums(head: Any, kind: int) -> tuple[int, int, int]:
    if head is None:
        return 0, 0, 0
    sums = head.kinds[kind]
    return sums.count, sums.total_ns, min(sums.kept, lib.CH_MOMENTS_MOST)


def _causes(region: Region) -> list[str]:
    """The causes of pauses; the first one stands for unknown causes."""
    head = _head(region)
    texts = head.causes if head is not None else ()
    return ["", *(bytes(ffi.buffer(text)).partition(b"\0")[0].decode("utf-8", "replace") for text in texts)]


def _rows(region: Region, kind: int, kept: int) -> Iterator[Raw]:
    first = HEAD_BYTES + kind * lib.CH_MOMENTS_MOST * ROW.size
    for at in range(0, kept, AT_ONCE):
        data = region.read(first + at * ROW.size, min(AT_ONCE, kept - at) * ROW.size)
        for raw in map(Raw._make, ROW.iter_unpack(data if data is not None else b"")):
            if raw.took_ns and raw.began_ns + raw.took_ns < LATEST_NS:
                yield raw


class MomentReader(Reader):
    """Pauses of the garbage collector, and weavings, which come whatever the rules are."""

    def finish(self) -> int:
        one = self.reading
        if one.part is None:
            add(
                one.process,
                one.file,
                {lib.CH_MOMENT_PAUSE: (PAUSE, self.pause), lib.CH_MOMENT_WEAVING: (WEAVING, self.weaving)},
            )
        return 0

    @cached_property
    def causes(self) -> list[str]:
        return _causes(self.reading.file.region(lib.CH_MOMENTS))

    def pause(self, raw: Raw) -> Moment:
        cause = self.causes[raw.about] if raw.about < len(self.causes) else ""
        return Moment(
            PAUSE, self.reading.file.header.start_unix_ns + raw.began_ns, raw.took_ns, cause, heap_used=raw.more << 10
        )

    def weaving(self, raw: Raw) -> Moment:
        name = self.reading.woven_names.get(raw.about, "[unknown]")
        return Moment(WEAVING, self.reading.file.header.start_unix_ns + raw.began_ns, raw.took_ns, name)
