"""Rows of all tables as one table, for csv and parquet: a column for each key of a row in JSON; empty where rows of a
kind do not have it."""

from __future__ import annotations

from collections.abc import Iterator

from classhook.measures.tables import tables
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.row_fields import Fields, escaped
from classhook.reports.section_view import views
from classhook.tables.columns import Value

FIRST = ("kind", "group", "class", "method", "descriptor", "line", "bci", "type", "rule", "name")


def columns() -> dict[str, str]:
    """All that there may be: `string`, `integer` or `boolean`, as JSON calls it."""
    found = dict.fromkeys(FIRST, "string")
    for table in tables():
        found |= table.key
        for section in table.sections:
            found |= {column.key: column.unit.type for column in section.columns if column.key}
    return found | {"readable": "string"}


def rows(snapshot: Snapshot, options: Options) -> Iterator[dict[str, Value]]:
    """Each row, section by section, the largest first; control characters in names are escaped."""
    for view in views(snapshot, options):
        yield from map(escaped, Fields(snapshot, view.table, view.section).rows(view.rows))
