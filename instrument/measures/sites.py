"""The table of allocation sites. Only reports import this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from instrument.measures.table import Entry, Key, Section, Table, share
from instrument.names import method_label, quantity


@dataclass(slots=True)
class SiteRow:
    """An allocation site's counts; `bytes` by the JVM's own object sizes."""

    rule: str = ""
    count: int = 0
    bytes: int = 0


def counts(row: SiteRow) -> dict[str, Any]:
    return {"count": row.count, "bytes": row.bytes}


def title(rows: list[Entry], sort: str, whole: int) -> str:
    return f"Allocation sites: {len(rows):,}, {sum(row.count for _, row in rows):,} objects, {quantity(whole)}"


def cells(key: Key, row: SiteRow, whole: int, alias: str) -> tuple[str, ...]:
    class_name, method, descriptor, line, bci, type_name = key
    place = f":{line}" if line else f" bci {bci}"
    return quantity(row.bytes), share(row.bytes, whole), f"{row.count:,}", f"{type_name}  {method_label(class_name, method, descriptor)}{place}"


TABLE = Table(
    name="allocations",
    row=SiteRow,
    counts=counts,
    ran=lambda row: row.count > 0,
    sections=(
        Section(
            what="sites",
            belongs=lambda row: True,
            weight=lambda row, sort: row.bytes,
            title=title,
            whole=lambda row: row.bytes,
            columns=("bytes", "", "objects", "type and site"),
            cells=cells,
        ),
    ),
    key=("line", "bci", "type"),
)
