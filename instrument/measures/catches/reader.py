"""Reads from data files how often handlers caught exceptions."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.measures.alloc.reader_types import SitesReader
from classhook.measures.catches import COUNT_CATCHES
from classhook.model.class_reader import ClassReader
from classhook.model.rows import RowKind
from classhook.native._slots import CH_COUNT_CALLS
from classhook.probes.records import SiteRecord


@dataclass(slots=True)
class CatchRow:
    """Exceptions that a handler caught."""

    rule: str = ""
    caught: int = 0

    def add(self, other: CatchRow) -> None:
        self.caught += other.caught


CATCHES = RowKind(
    name="catches",
    row=CatchRow,
    ran=lambda row: row.caught > 0,
    key={"line": "integer", "bci": "integer", "type": "string"},
    add=CatchRow.add,
    counted=lambda row: row.caught,
)


class CatchReader(SitesReader[SiteRecord]):
    kinds = COUNT_CATCHES.kinds
    rows = (CATCHES,)
    site_record = SiteRecord

    def asked(self, site: SiteRecord) -> tuple[str, str]:
        return site.type, site.type

    def add(self, reader: ClassReader, site: SiteRecord) -> None:
        reader.row(CATCHES, site, site.line, site.pc, site.type).caught += reader.total(site.slot + CH_COUNT_CALLS)


READER = CatchReader
