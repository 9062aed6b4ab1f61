"""The table of allocation sites. Only reports import this."""

from __future__ import annotations

from dataclasses import dataclass

from instrument.labels import Label, method, type_part
from instrument.measures.columns import BYTES, Column, share_of
from instrument.measures.table import Entry, Key, Section, Table
from instrument.names import quantity, several


@dataclass(slots=True)
class SiteRow:
    """An allocation site's counts; `bytes` by the JVM's own object sizes."""

    rule: str = ""
    count: int = 0
    bytes: int = 0

    def add(self, other: SiteRow) -> None:
        self.count += other.count
        self.bytes += other.bytes


def title(rows: list[Entry], sort: str, whole: int) -> str:
    return f"Allocation sites: {len(rows):,}, {several(sum(row.count for _, row in rows), 'object')}, {quantity(sum(row.bytes for _, row in rows))}"


def label(key: Key, detail: int) -> Label:
    """`type  method:line`; where that does not tell sites apart, the index of the instruction, too."""
    class_name, name, descriptor, line, bci, type_name = key
    *_, at = method(class_name, name, descriptor, detail).parts
    place = f":{line}" if line else f" bci {bci}"
    more = f" bci {bci}" if line and detail else ""
    return Label((type_part(type_name)._replace(after="  "), at._replace(after=at.after + place + more)))


TABLE = Table(
    name="allocations",
    row=SiteRow,
    ran=lambda row: row.count > 0,
    counted=lambda row: row.count,
    sections=(
        Section(
            kind="allocation",
            what="sites",
            columns=(
                Column("objects", "count", lambda row: row.count),
                Column("bytes", "bytes", lambda row: row.bytes, BYTES),
                share_of(lambda row: row.bytes),
                Column("mean", "", lambda row: row.bytes // row.count if row.count else None, BYTES, adds=False),
            ),
            shown=("bytes", "share", "objects"),
            answer=(("objects", "objects"), ("bytes", "")),
            title=title,
            last="type and site",
            label=label,
        ),
    ),
    key={"line": "integer", "bci": "integer", "type": "string"},
    add=SiteRow.add,
)
