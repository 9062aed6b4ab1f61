"""Sampled objects: the rows of a data file (native/objects/objects.c), summed up by type and stack.

Objects that the JVM makes where no instruction does, for a class that it loads or a constant string, have a frame of their own. In methods of the
JDK, of which it replaces many by its own code, they have not.

Each sampled object stands for as many as its chance to be sampled says; sums over these are estimates without bias (D. G. Horvitz and D. J. Thompson,
1952), whose variances are sums, too. With `every 0` each object is sampled, and nothing is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, sqrt
from typing import Any

from instrument.data.region import Region
from instrument.data.traces import OF_THE_JDK, Frame, Names, Stacks, type_name
from native._layout import ffi

lib = ffi.dlopen(None)  # the header's constants

BY_THE_JVM = Frame("", "[JVM]", "")
KNOWN_BY = {lib.CH_LAST_COLLECTION: "last collection", lib.CH_COLLECTED: "collected", lib.CH_REACHED: "reached"}
HEAD_BYTES = ffi.sizeof("struct ch_object_head")
ROW_BYTES = ffi.sizeof("struct ch_objects")


@dataclass(slots=True)
class Objects:
    """How a process's objects were sampled. `every`: bytes between two samples, in the mean; `live`: how it is known which live on, None if nobody
    asked; `refused` found no room for a row of their own."""

    every: int = 0
    live: str | None = None
    sampled: int = 0
    refused: int = 0


@dataclass(slots=True)
class Estimate:
    """Numbers of objects and bytes, and their variances."""

    objects: float = 0
    bytes: float = 0
    objects_variance: float = 0
    bytes_variance: float = 0

    def add(self, other: Estimate) -> None:
        self.objects += other.objects
        self.bytes += other.bytes
        self.objects_variance += other.objects_variance
        self.bytes_variance += other.bytes_variance

    @property
    def objects_error(self) -> float:
        return sqrt(max(self.objects_variance, 0))

    @property
    def bytes_error(self) -> float:
        return sqrt(max(self.bytes_variance, 0))


@dataclass(slots=True)
class ObjectRow:
    """Objects of a type, allocated with a stack. `allocated` is what probes counted, as far as they did (instrument/measures/objects.py);
    `live`: what is not known to be dead; `known`: whether that was asked; `stack`: its frames, the innermost first."""

    rule: str = ""
    sampled: int = 0
    kept: int = 0
    allocated: Estimate = field(default_factory=Estimate)
    live: Estimate = field(default_factory=Estimate)
    known: bool = False
    stack: tuple[Frame, ...] = ()

    def add(self, other: ObjectRow) -> None:
        self.sampled += other.sampled
        self.kept += other.kept
        self.allocated.add(other.allocated)
        self.live.add(other.live)
        self.known |= other.known


def add_rows(rows: dict[Any, Any], region: Region, tree: Region, names: Names) -> Objects | None:
    """Adds a file's rows, each by its stack, which its measure will make a text of; None where it has none."""
    data = region.whole(0, HEAD_BYTES)
    if data is None:
        return None
    head = ffi.from_buffer("struct ch_object_head *", data)
    found = Objects(head.every, KNOWN_BY.get(head.known_by) if head.keeps else None, refused=head.refused)
    end = region.pieces[-1][0] + len(region.pieces[-1][1])
    stacks = Stacks(tree, names.frames)
    for i in range(min(head.rows, (end - HEAD_BYTES) // ROW_BYTES)):
        piece = region.read(HEAD_BYTES + i * ROW_BYTES, ROW_BYTES)
        raw = None if piece is None else ffi.from_buffer("struct ch_objects *", piece)
        if raw is None or (not raw.sampled and not raw.kept):
            continue
        found.sampled += raw.sampled
        stack = stacks.of(raw.stack)
        if not stack[0].allocates and not stack[0].cls.startswith(OF_THE_JDK):
            stack = (BY_THE_JVM, *stack)
        top = stack[0]
        key = (top.cls, top.method, top.descriptor, top.line, type_name(names.names.get(raw.type, "[unknown]")), stack)
        row = rows.setdefault(key, ObjectRow(stack=stack))
        row.add(ObjectRow("", raw.sampled, raw.kept, _estimate(raw.allocated), _estimate(raw.live), found.live is not None))
    return found


def _estimate(raw: Any) -> Estimate:
    """Damaged files may hold any numbers."""
    numbers = (raw.objects, raw.bytes, raw.objects_variance, raw.bytes_variance)
    return Estimate(*(one if isfinite(one) and 0 <= one < 1e30 else 0 for one in numbers))
