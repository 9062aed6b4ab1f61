"""Reads the data of `alloc`: counts of allocation sites, and sampled objects (reader_objects.py)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from classhook.measures.alloc import ALLOC, CHOSEN, OBJECT
from classhook.measures.alloc import reader_attribution as attribution
from classhook.measures.alloc.reader_objects import OBJECT_STACKS, OBJECTS, SAMPLED_OBJECTS, add_rows
from classhook.measures.alloc.reader_types import SitesReader
from classhook.model.class_reader import ClassReader
from classhook.model.reader import AskedFor
from classhook.model.rows import RowKind
from classhook.model.snapshot import Snapshot
from classhook.native._layout import lib
from classhook.native._slots import CH_ALLOC_BYTES, CH_ALLOC_COUNT, CH_ALLOC_SIZE
from classhook.probes.records import SiteRecord


@dataclass(slots=True)
class SiteRow:
    """An allocation site's counts; `bytes` by the JVM's own object sizes."""

    rule: str = ""
    count: int = 0
    bytes: int = 0

    def add(self, other: SiteRow) -> None:
        self.count += other.count
        self.bytes += other.bytes


SITES = RowKind(
    name="allocations",
    row=SiteRow,
    ran=lambda row: row.count > 0,
    key={"line": "integer", "bci": "integer", "type": "string"},
    add=SiteRow.add,
    counted=lambda row: row.count,
)


class AllocReader(SitesReader[SiteRecord]):
    kinds = ALLOC.kinds
    rows = (SITES, OBJECTS)
    regions = {lib.CH_OBJECTS: AskedFor((ALLOC.word.text,), lambda rule: bool(rule.clauses))}  # noqa: RUF012  # never changed
    site_record = SiteRecord

    def asked(self, site: SiteRecord) -> tuple[str, str]:
        type_name = site.type.partition(CHOSEN)[0]
        return type_name.rstrip("[]"), type_name

    def add(self, reader: ClassReader, site: SiteRecord) -> None:
        row = reader.row(SITES, site, site.line, site.pc, site.type)
        count = reader.total(site.slot + CH_ALLOC_COUNT)
        row.count += count
        if site.kind == OBJECT:
            row.bytes += count * reader.shared(site.slot + CH_ALLOC_SIZE)
        else:
            row.bytes += reader.total(site.slot + CH_ALLOC_BYTES)

    def finish(self) -> int:
        one, found = self.reading, super().finish()
        rows = one.snapshot.tables[OBJECTS.name]
        regions = one.file.region(lib.CH_OBJECTS), one.file.region(lib.CH_TRACES)
        chosen = partial(one.chosen, lib.CH_OBJECTS)
        objects = add_rows(rows, *regions, one.names, OBJECT_STACKS.get(one.process), one.process.pid, chosen)
        SAMPLED_OBJECTS.set(one.process, objects)
        return found + (objects.sampled if objects else 0)

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        attribution.conclude(snapshot)


READER = AllocReader
