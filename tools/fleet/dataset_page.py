"""The lists of docs/reference/dataset.md, made from the columns of datasets. They stand between two comments in the page;
the text around them is written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from classhook.extensions.fleet.dataset.columns import Column, DatasetTable
from classhook.extensions.fleet.dataset.tables import TABLES
from tools.json_page import ROOT, filled, item, with_lists

PAGE = ROOT / "docs" / "reference" / "dataset.md"
#: A column that so many tables have is described once.
SEVERAL = 2
#: The type of a column whose type is not said, as most columns have it.
USUAL = "integer"
#: Columns that stand together in many tables, and what the page calls them.
GROUPS = {
    "the method": ("class", "method", "descriptor", "readable"),
    "calls and times": (
        *("calls", "exceptions", "completed", "total_ns", "self_ns", "min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns"),
        "estimated",
    ),
    "costs": (*("cpu_ns", "timed_self_ns", "method_calls", "bytecodes", "allocated_bytes", "blocked_ns", "waited_ns"),),
}


def page() -> str:
    """The text of the page: first the columns that several tables have, then each table with its own."""
    seen = Counter(column for one in TABLES for column in one.columns)
    shared = [column for column, times in seen.items() if times >= SEVERAL]
    several = of_columns([one for one in shared if one.name != "run_id"])
    groups = "\n".join(item([f"*{name}*"], "", listed(columns)) for name, columns in GROUPS.items())
    before = f"## Columns of several tables\n\n{several}\n\nTables name some of these together:\n\n{groups}"
    return with_lists(PAGE, "\n\n".join([before, *(of_dataset(one, shared) for one in TABLES)]))


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def together(names: list[str]) -> str:
    """The names of columns, with those of a group by its name."""
    left, found = list(names), []
    for group, columns in GROUPS.items():
        if {*columns} <= {*left}:
            found.append(f"*{group}*")
            left = [name for name in left if name not in columns]
    return ", ".join(filter(None, (*found, listed(left))))


def of_dataset(one: DatasetTable, shared: list[Column]) -> str:
    """The section about a table. Each table begins with the run's id."""
    about_table = one.about[:1].upper() + one.about[1:] + "."
    common = together([column.name for column in one.columns[1:] if column in shared])
    said = [f"## {one.name}", filled(f"{about_table} Of the columns above: {common}." if common else about_table)]
    return "\n\n".join([*said, of_columns([column for column in one.columns if column not in shared])])


def of_columns(columns: list[Column]) -> str:
    """A list. Columns in a row that say the same share an item."""
    rows: list[tuple[list[str], str, str]] = []
    for column in columns:
        about = "the label of this name" if column.about == f"the label `{column.name}`" else column.about
        if rows and rows[-1][1:] == (column.type, about):
            rows[-1][0].append(column.name)
        else:
            rows.append(([column.name], column.type, about))
    return "\n".join(item(names, "" if type_ == USUAL else type_, about) for names, type_, about in rows)
