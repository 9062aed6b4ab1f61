"""The lists of docs/reference/dataset.md, made from the columns of datasets. They stand between two comments in the page;
the text around them is written by hand."""

from __future__ import annotations

from collections import Counter

from classhook.extensions.fleet.dataset.columns import Column, DatasetTable
from classhook.extensions.fleet.dataset.tables import TABLES
from tools.json_page import ROOT, filled, item, with_lists

PAGE = ROOT / "docs" / "reference" / "dataset.md"
#: A column that so many tables have is described once.
SEVERAL = 2


def page() -> str:
    """The text of the page: first the columns that several tables have, then each table with its own."""
    seen = Counter(column for one in TABLES for column in one.columns)
    shared = [column for column, times in seen.items() if times >= SEVERAL]
    several = f"## Columns of several tables\n\n{of_columns([one for one in shared if one.name != 'run_id'])}"
    return with_lists(PAGE, "\n\n".join([several, *(of_dataset(one, shared) for one in TABLES)]))


def of_dataset(one: DatasetTable, shared: list[Column]) -> str:
    """What stands about a table. Each begins with the run's id."""
    about_table = one.about[:1].upper() + one.about[1:] + "."
    common = ", ".join(f"`{column.name}`" for column in one.columns[1:] if column in shared)
    said = [f"## {one.name}", filled(f"{about_table} Of the columns above: {common}." if common else about_table)]
    return "\n\n".join([*said, of_columns([column for column in one.columns if column not in shared])])


def of_columns(columns: list[Column]) -> str:
    """A list. Columns in a row that say the same share an item."""
    rows: list[tuple[list[str], str, str]] = []
    for column in columns:
        if rows and rows[-1][1:] == (column.type, column.about):
            rows[-1][0].append(column.name)
        else:
            rows.append(([column.name], column.type, column.about))
    return "\n".join(item(*row) for row in rows)
