"""Reads from data files how often lines were executed."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.measures.lines import COUNT_LINE
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.native._slots import CH_COUNT_CALLS
from classhook.probes.records import LineRecord, ProbeRecord


@dataclass(slots=True)
class LineRow:
    """A line of a method; `executions`: how often control came to its code."""

    rule: str = ""
    executions: int = 0

    def add(self, other: LineRow) -> None:
        self.executions += other.executions


COUNTED_LINES = RowKind(
    name="lines",
    row=LineRow,
    ran=lambda row: row.executions > 0,
    key={"line": "integer"},
    add=LineRow.add,
    counted=lambda row: row.executions,
)


class LineReader(Reader):
    kinds = COUNT_LINE.kinds
    rows = (COUNTED_LINES,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, LineRecord)
        reader.row(COUNTED_LINES, probe, probe.line).executions += reader.total(probe.slot + CH_COUNT_CALLS)


READER = LineReader
