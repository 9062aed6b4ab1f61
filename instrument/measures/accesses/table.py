"""The table of accesses of fields. Only reports import this."""

from __future__ import annotations

from classhook.base.names import printable, several
from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName
from classhook.measures.accesses.reader import ACCESSES
from classhook.model.rows import Key
from classhook.tables.columns import NUMBER, Column
from classhook.tables.table import Entry, Section, Table


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    """`Order.state written  <- Orders.place:30`"""
    class_name, name, descriptor, line, owner, field, access = key
    package, _, simple = owner.rpartition(".")
    *before, at = names.method(class_name, name, descriptor, detail).parts
    done = {"write": "written", "read": "read"}.get(access, access)
    where = at._replace(after=at.after + (f":{line}" if line else ""))
    return RowName((NamePart(package, printable(f"{simple}.{field}"), None, f" {done}  <- "), *before, where))


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number}: {several(sum(row.accesses for _, row in rows), 'access')}"


TABLE = Table.from_rows(
    ACCESSES,
    Section(
        kind="access",
        what="accesses",
        nouns="field access sites",
        columns=(Column("accesses", "accesses", lambda row: row.accesses, NUMBER, about="how often"),),
        shown=("accesses",),
        title=title,
        last="field <- method:line",
        row_name=row_name,
    ),
)
TABLES = (TABLE,)
