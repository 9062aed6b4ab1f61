"""The tables of allocation sites and of sampled objects (table_objects.py). Only reports import this."""

from __future__ import annotations

from classhook.base.names import quantity, several
from classhook.base.readable import Readable
from classhook.base.row_names import RowName, type_part
from classhook.measures.alloc.reader import SITES
from classhook.measures.alloc.table_objects import ABOUT_OBJECTS, OBJECT_TABLE
from classhook.model.rows import Key
from classhook.tables.columns import BYTES, Column, share_of
from classhook.tables.table import Entry, Section, Table


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return (
        f"{number}: {several(sum(row.count for _, row in rows), 'object')},"
        f" {quantity(sum(row.bytes for _, row in rows))}"
    )


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    """`type  method:line`; where that does not tell sites apart, the index of the instruction, too."""
    class_name, name, descriptor, line, bci, type_name = key
    *before, at = names.method(class_name, name, descriptor, detail).parts
    place = f":{line}" if line else f" bci {bci}"
    more = f" bci {bci}" if line and detail else ""
    return RowName((type_part(type_name)._replace(after="  "), *before, at._replace(after=at.after + place + more)))


SITE_TABLE = Table.from_rows(
    SITES,
    Section(
        kind="allocation",
        what="sites",
        columns=(
            Column("objects", "count", lambda row: row.count, about="number of the objects"),
            Column("bytes", "bytes", lambda row: row.bytes, BYTES, about="their size in all"),
            share_of(lambda row: row.bytes),
            Column("mean", "", lambda row: row.bytes // row.count if row.count else None, BYTES, adds=False),
        ),
        shown=("bytes", "share", "objects"),
        answer=(("objects", "objects"), ("bytes", "")),
        title=title,
        last="type and site",
        row_name=row_name,
    ),
)
TABLES = (SITE_TABLE, OBJECT_TABLE)
ABOUT = (ABOUT_OBJECTS,)
