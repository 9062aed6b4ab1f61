"""The table of keys: the calls of a method by the values that a rule names. Only reports import this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from classhook.base.names import printable
from classhook.base.readable import Readable
from classhook.base.row_names import RowName
from classhook.measures.keys.reader import KEYS
from classhook.measures.methods import table_counted, table_timed
from classhook.model.rows import Key
from classhook.tables.columns import NUMBER, detail, flag
from classhook.tables.table import Entry, Legend, Section, Table

LATE = Legend(
    "\u2264 at most this many more calls: they came before the key was known to be one of the most frequent, and are"
    " counted with the others. `top` in the rule sets how many keys have rows",
    lambda row: row.before > 0,
)
#: The columns of methods that users do not choose, and that keys have, too.
SAME = ("left", "mostly_probes", "total_is_bound", "calls_is_bound")
OTHERS = flag("others", lambda row: row.others, about="whether it is the row of all keys that have no row of their own")
#: The columns of calls whose self time is not known.
CHOSEN = (
    "total_ns", "calls", "completed", "exceptions", "mean_ns", "min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns",
)  # fmt: skip
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


#: So many rows of a rule are worth a warning.
MANY = 1000


def too_many(counts: Counter[str], of: str, instead: str) -> list[str]:
    """Warnings of rows that are too many to tell anything. `counts`: by what they are `of`; `instead`: what to do."""
    return [
        f"{found:,} {of} {printable(name)}: each takes memory in the program, and so many rows answer no question."
        f" {instead}"
        for name, found in counts.items()
        if found >= MANY
    ]


def many(by: int) -> Callable[[list[Entry]], list[str]]:
    """Warns of many keys. `by`: the place of the key's values in keys of rows, which those of groups do not have."""

    def warnings(rows: list[Entry]) -> list[str]:
        return too_many(
            Counter(row.rule for key, row in rows if len(key) > by and key[by]),
            "keys of the rule",
            "Choose a key with fewer values, or add `top 100` to keep the most frequent ones",
        )

    return warnings


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
        warnings=many(KEYS.names.index("by")),
    )


def chosen(of: Section) -> Section:
    """The section of chosen calls, and of intervals: only the time of each from begin to end is known."""
    columns = tuple([column for column in of.columns if column.key in CHOSEN])
    return replace(
        of,
        kind="chosen_by_key",
        nouns="chosen keys",
        belongs=lambda row: row.self_unknown,
        columns=columns,
        shown=tuple([name for name in of.shown if name in [column.name for column in columns]]),
        legends=(),
    )


TIMED = replace(section(table_timed.TIMED, "timed"), belongs=lambda row: row.timed and not row.self_unknown)
TABLE = Table.from_rows(KEYS, chosen(TIMED), TIMED, section(table_counted.COUNTED, "counted"))
TABLES = (TABLE,)
