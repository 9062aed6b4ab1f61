"""Sampled objects: the rows of a data file (native/objects/sampled_objects.c), summed up by type and stack.

Objects that the JVM makes where no instruction does, for a class that it loads or a constant string, have a frame of
their own. In methods of the JDK, of which it replaces many by its own code, they have not.

Each sampled object stands for as many as its chance to be sampled says; sums over these are estimates without bias (D.
G. Horvitz and D. J. Thompson, 1952), whose variances are sums, too. With `every 0` each object is sampled, and nothing
is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, sqrt
from typing import Any

from classhook.model.added_fields import AddedField, none
from classhook.model.region_rows import Chosen, Rows, every
from classhook.model.rows import RowKind
from classhook.model.stacks import OF_THE_JDK, Frame, Names, Stacks, type_name
from classhook.native._layout import ffi, lib
from classhook.store.region import Region

BY_THE_JVM = Frame("", "[JVM]", "")
OfRows = dict[int, tuple[int, tuple[Frame, ...]]]
KNOWN_BY = {lib.CH_LAST_COLLECTION: "last collection", lib.CH_COLLECTED: "collected", lib.CH_REACHED: "reached"}
HEAD_BYTES = ffi.sizeof("struct ch_object_head")
ROW_BYTES: int = ffi.sizeof("struct ch_objects")


@dataclass(slots=True)
class Objects:
    """The sampling of a process's objects. `every`: bytes between two samples, in the mean; `live`: how it is known
    which live on, None if nobody asked; `refused` had no room for a row of their own."""

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
    """Objects of a type, allocated with a stack. `allocated` is what probes counted, as far as they did
    (instrument/measures/alloc/table_objects.py); `live`: what is not known to be dead; `known`: whether that was asked;
    `stack`: its frames, the innermost first; `threads`: by pid and number, where threads are told apart, what was
    sampled of each: allocated, and live; `values`: of the sampled ones, value objects, of which nobody knows whether
    they are live."""

    rule: str = ""
    sampled: int = 0
    kept: int = 0
    allocated: Estimate = field(default_factory=Estimate)
    live: Estimate = field(default_factory=Estimate)
    known: bool = False
    stack: tuple[Frame, ...] = ()
    threads: dict[tuple[int, int], tuple[Estimate, Estimate]] = field(default_factory=dict)
    values: int = 0

    @property
    def may_live(self) -> bool:
        """True if `live` means something: not all of them are value objects."""
        return self.values < self.sampled or not self.values

    def add(self, other: ObjectRow) -> None:
        for thread, estimates in other.threads.items():
            mine = self.threads.setdefault(thread, (Estimate(), Estimate()))
            for one, more in zip(mine, estimates, strict=True):
                one.add(more)
        self.sampled += other.sampled
        self.kept += other.kept
        self.values += other.values
        self.allocated.add(other.allocated)
        self.live.add(other.live)
        self.known |= other.known


def add_rows(
    rows: dict[Any, Any],
    region: Region,
    tree: Region,
    names: Names,
    by_row: OfRows,
    pid: int,
    chosen: Chosen = every,
) -> Objects | None:
    """Adds a file's rows, each by its stack, which its measure will make a text of; None where it has none. `by_row`:
    for the stacks of the rows; `chosen`: which rows are to be added."""
    data = region.whole(0, HEAD_BYTES)
    if data is None:
        return None
    head = ffi.from_buffer("struct ch_object_head *", data)
    found = Objects(head.every, KNOWN_BY.get(head.known_by) if head.keeps else None, refused=head.refused)
    end = region.pieces[-1][0] + len(region.pieces[-1][1])
    stacks = Stacks(tree, names.frames)
    raws = Rows(region, "struct ch_objects", HEAD_BYTES)
    for i in chosen(min(head.rows, (end - HEAD_BYTES) // ROW_BYTES), lambda i: stacks.key(raws.field(i, "stack"))):
        raw = raws.row(i)
        if raw is None or (not raw.sampled and not raw.kept):
            continue
        found.sampled += raw.sampled
        stack = stacks.frames_of(raw.stack)
        if not stack[0].allocates and not stack[0].cls.startswith(OF_THE_JDK):
            stack = (BY_THE_JVM, *stack)
        top = stack[0]
        number = stacks.thread(raw.stack)
        thread = 0 if number in names.thread_slots else number
        by_row[i] = thread, stack
        key = (
            top.cls,
            top.method,
            top.descriptor,
            max(top.line, 0),
            type_name(names.names.get(raw.type & ~lib.CH_OF_VALUES, "[unknown]")),
            stack,
        )
        row = rows.setdefault(key, ObjectRow(stack=stack))
        made = ObjectRow(
            "", raw.sampled, raw.kept, _estimate(raw.allocated), _estimate(raw.live), found.live is not None
        )
        made.values = raw.sampled if raw.type & lib.CH_OF_VALUES else 0
        if thread:
            made.threads[pid, thread] = _estimate(raw.allocated), _estimate(raw.live)
        row.add(made)
    return found


def _estimate(raw: Any) -> Estimate:
    """Damaged files may hold any numbers."""
    numbers = (raw.objects, raw.bytes, raw.objects_variance, raw.bytes_variance)
    return Estimate(*(one if isfinite(one) and 0 <= one < 1e30 else 0 for one in numbers))


OBJECTS = RowKind(
    name="objects",
    row=ObjectRow,
    ran=lambda row: bool(row.sampled or row.kept),
    key={"line": "integer", "type": "string", "stack": "string"},
    add=ObjectRow.add,
)
#: Parts of a process: how its objects were sampled; and the threads and stacks that allocated them, by row.
SAMPLED_OBJECTS: AddedField[Objects | None] = AddedField(none)
OBJECT_STACKS: AddedField[OfRows] = AddedField(dict)
