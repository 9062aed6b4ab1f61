"""Reads the data of `threads`: the names of threads, and how many threads had each.

A report by thread fills in the cost of each (instrument/reports/threads.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from classhook.base.names import shortened
from classhook.measures.threads import THREADS
from classhook.model.costs import COSTS, Costs
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.native._layout import lib

if TYPE_CHECKING:
    from classhook.model.file_reading import FileReading


@dataclass(slots=True)
class ThreadRow(Costs):
    """Threads of one name: how many there were; in a report by thread, what they cost."""

    threads: int = 0
    rule: str = ""

    def add(self, other: ThreadRow) -> None:
        self.threads += other.threads
        self.add_costs(other)

    @property
    def ran(self) -> bool:
        """True if it is worth a line: in a report by thread, if it cost anything."""
        return self.any_cost or (self.threads > 0 and all(getattr(self, name) is None for name in COSTS))


ROWS = RowKind(
    name="threads", first=("thread",), row=ThreadRow, ran=lambda row: row.ran, add=ThreadRow.add, counted=lambda row: 0
)


class ThreadReader(Reader):
    rows = (ROWS,)
    records = (lib.CH_META_THREAD_NAME,)

    def __init__(self, reading: FileReading) -> None:
        super().__init__(reading)
        self.names: list[tuple[str, int]] = []

    def record(self, kind: int, number: int, more: int, text: bytes) -> None:
        one, name = self.reading, shortened(text.decode("utf-8", "replace"))
        one.threads.setdefault(name, set()).add(number)
        one.names.thread_slots.add(number)
        self.names.append((name, number))

    def finish(self) -> int:
        """Adds the rows, whose rule is the only one; none if only an earlier session of the JVM had it."""
        one = self.reading
        rows, texts = (
            one.snapshot.tables[ROWS.name],
            [shortened(rule.text) for rule in one.rules if rule.kind == THREADS.word.text],
        )
        if not texts and one.file.header.session_meta:
            return 0
        for name, number in self.names:
            row = rows.setdefault((name, "", ""), ThreadRow(rule=texts[0] if texts else "?"))
            row.threads += one.file.shared.slot(number)  # also those that began before the counters were set back
        return 0


READER = ThreadReader
