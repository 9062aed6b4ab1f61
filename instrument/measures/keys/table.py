"""The table of keys: the calls of a method by the values that a rule names. Only reports import this."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from classhook.base.names import printable
from classhook.base.readable import Readable
from classhook.base.row_names import RowName
from classhook.measures.keys.reader import KEYS
from classhook.measures.methods import table_counted, table_timed
from classhook.model.rows import Key
from classhook.tables.columns import NUMBER, detail, flag
from classhook.tables.table import Legend, Section, Table

LATE = Legend(
    "\u2264 at most this many more calls: they came before the key was known to be one of the most frequent, and are"
    " counted with the others. `top` in the rule sets how many keys have rows",
    lambda row: row.before > 0,
)
#: The columns of methods that users do not choose, and that keys have, too.
SAME = ("left", "mostly_probes", "total_is_bound", "calls_is_bound")
OTHERS = flag("others", lambda row: row.others, about="whether it is the row of all keys that have no row of their own")
#: Further columns of both sections.
MORE = (
    OTHERS,
    detail(
        "calls_before",
        lambda row: row.before,
        NUMBER,
        about=("how many further calls, at most, are in the row of the others: the key became frequent only later"),
    ),
)


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    class_name, name, descriptor, _, value = key
    found = names.method(class_name, name, descriptor, detail)
    return RowName(found.parts, f" [{printable(value)}]" if value else " (all other keys)")


def late(row: Any) -> str:
    return f" (\u2264{row.before:,} more)" if row.before else ""


def section(of: Section, word: str) -> Section:
    """A section of methods, by key."""
    return replace(
        of,
        kind=f"{of.kind}_by_key",
        what="keys",
        nouns=f"{word} keys",
        last="method [key]",
        row_name=row_name,
        divided_by=KEYS.names.index("by"),
        columns=(*(column for column in of.columns if column.name or column.key in SAME), *MORE),
        marks=lambda row: of.marks(row) + late(row),
        legends=(*of.legends, LATE),
    )


TABLE = Table.from_rows(KEYS, section(table_timed.TIMED, "timed"), section(table_counted.COUNTED, "counted"))
TABLES = (TABLE,)
