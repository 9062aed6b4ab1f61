"""The tables of all measures, and what they tell of a process beside their rows."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from classhook.measures.every import NAMES
from classhook.model.snapshot import Process
from classhook.tables.about_process import AboutProcess
from classhook.tables.table import Table

#: By name, in the order of the measures; several may have rows in the same one.
TABLES: dict[str, Table] = {}
ABOUT: list[AboutProcess] = []


def add(table: Table) -> None:
    """Makes a table known to reports."""
    TABLES.setdefault(table.name, table)


def tables() -> list[Table]:
    """The tables, each once."""
    return [*TABLES.values()]


def about_processes() -> list[AboutProcess]:
    """The facts about processes from measures, in the order of the text."""
    return ABOUT


def warnings_of(process: Process) -> list[str]:
    """Warnings to read before the figures of a process."""
    return [warning for one in ABOUT for warning in one.warnings(process)]


for name in dict.fromkeys(
    f"classhook.measures.{folder}.{module}"
    for word, folder in NAMES.items()
    for module in ("table", f"table_{word.rpartition(' ')[2]}")
):
    if find_spec(name) is not None:
        module = import_module(name)
        for each in module.TABLES:
            add(each)
        ABOUT += getattr(module, "ABOUT", ())
ABOUT.sort(key=lambda one: one.rank)
