"""Reads the data of `count calls`, into rows that it shares with `time calls`: for each method, line and called
method."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.measures.alloc.reader_types import SitesReader
from classhook.measures.calls import COUNT_CALLS
from classhook.measures.methods.reader import MethodRow
from classhook.model.class_reader import ClassReader
from classhook.model.rows import RowKind
from classhook.native._slots import CH_COUNT_CALLS
from classhook.probes.records import CallRecord


@dataclass(init=False)
class CallRow(MethodRow):
    """Calls of one method in a line of another. `unfit`: a rule asks for their times, but some of them can only be
    counted."""

    unfit: bool = False


CALL_SITES = RowKind(
    name="call_sites",
    row=CallRow,
    ran=lambda row: row.calls > 0,
    key={"line": "integer", "called_class": "string", "called_method": "string", "called_descriptor": "string"},
    add=CallRow.add,
    finish=CallRow.finish,
    counted=lambda row: row.calls,
)


class CallReader(SitesReader[CallRecord]):
    kinds = COUNT_CALLS.kinds
    rows = (CALL_SITES,)
    site_record = CallRecord

    def asked(self, site: CallRecord) -> tuple[str, tuple[str, str, str]]:
        return site.owner, (site.owner, site.called, site.called_descriptor)

    def row(self, reader: ClassReader, site: CallRecord) -> CallRow:
        row: CallRow = reader.row(CALL_SITES, site, site.line, site.owner, site.called, site.called_descriptor)
        return row

    def add(self, reader: ClassReader, site: CallRecord) -> None:
        self.row(reader, site).count(reader.total(site.slot + CH_COUNT_CALLS))


READER = CallReader
