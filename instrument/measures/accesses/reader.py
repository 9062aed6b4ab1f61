"""Reads from data files how often fields were written and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from classhook.measures.accesses import COUNT_READS, COUNT_WRITES
from classhook.measures.calls.reader import CallReader
from classhook.model.class_reader import ClassReader
from classhook.model.rows import RowKind
from classhook.native._slots import CH_COUNT_CALLS
from classhook.probes.records import CallRecord


@dataclass(slots=True)
class AccessRow:
    """Accesses of one field in a line of a method."""

    rule: str = ""
    accesses: int = 0

    def add(self, other: AccessRow) -> None:
        self.accesses += other.accesses


ACCESSES = RowKind(
    name="accesses",
    row=AccessRow,
    ran=lambda row: row.accesses > 0,
    key={"line": "integer", "field_class": "string", "field": "string", "access": "string"},
    add=AccessRow.add,
    counted=lambda row: row.accesses,
)


class AccessReader(CallReader):
    kinds = COUNT_WRITES.kinds | COUNT_READS.kinds
    rows = (ACCESSES,)

    def row(self, reader: ClassReader, site: CallRecord) -> Any:
        return reader.row(ACCESSES, site, site.line, site.owner, site.called, site.kind)

    def add(self, reader: ClassReader, site: CallRecord) -> None:
        self.row(reader, site).accesses += reader.total(site.slot + CH_COUNT_CALLS)


READER = AccessReader
