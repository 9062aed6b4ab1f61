"""Reads the data of `context`: the contexts, by name, how often each was entered, and how long that took."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.base.names import shortened
from classhook.measures.context import BEGINS, CONTEXT
from classhook.measures.methods.reader import MethodRow
from classhook.model.class_reader import ClassReader
from classhook.model.costs import Costs
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.model.time_histogram import Histogram
from classhook.native._layout import lib
from classhook.native._slots import CH_CONTEXT_REFUSED
from classhook.probes.records import ProbeRecord


@dataclass(slots=True)
class ContextRow(Costs):
    """The number of times that a context was entered; if a report asks for it, what it cost. `times`: of the times
    that have ended, from begin to end; None: none has, or they are not known, as of tests."""

    entered: int = 0
    rule: str = ""
    times: MethodRow | None = None

    def add(self, other: ContextRow) -> None:
        self.entered += other.entered
        if other.times is not None:
            self.times = self.times or MethodRow()
            self.times.add(other.times)
        self.add_costs(other)

    @property
    def histogram(self) -> Histogram | None:
        return None if self.times is None else self.times.histogram

    @property
    def ran(self) -> bool:
        return self.entered > 0 or self.any_cost


CONTEXTS = RowKind(
    name="contexts",
    first=("context",),
    row=ContextRow,
    ran=lambda row: row.ran,
    add=ContextRow.add,
    counted=lambda row: row.entered,
)


class ContextReader(Reader):
    kinds = CONTEXT.kinds
    rows = (CONTEXTS,)
    records = (lib.CH_META_CONTEXT,)

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.refused = self.entered = 0

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        if probe.kind == BEGINS:
            self.refused += reader.shared(probe.slot + CH_CONTEXT_REFUSED)

    def record(self, kind: int, number: int, more: int, text: bytes) -> None:
        name = shortened(text.decode("utf-8", "replace"))
        self.reading.contexts.setdefault(name, set()).add(number)
        if not name:  # what is in no context
            return
        rows = self.reading.snapshot.tables[CONTEXTS.name]
        row = rows.setdefault((name, "", ""), ContextRow())
        entered = self.reading.file.sums(number, 1)[0]
        row.entered += entered
        self.entered += entered
        for block, position in self.reading.file.holding(more) if more else ():
            row.times = row.times or MethodRow()
            row.times.add_record(block, position, self.reading.file.ns_per_tick)

    def finish(self) -> int:
        if self.refused:
            self.reading.process.notes.append(
                f"{self.refused:,} activations of contexts were not told apart: there was no room for their counters"
            )
        return self.entered


READER = ContextReader
