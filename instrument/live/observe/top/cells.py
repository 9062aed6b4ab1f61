"""Numbers as the screen has them: columns, cells, sparklines."""

from __future__ import annotations

from collections.abc import Iterable

from classhook.base.names import quantity, time_label
from classhook.live.observe.top.numbers import Line
from classhook.tables.columns import BYTES, TIME, Column
from classhook.tables.table import Section

GRAPH = "~"  # the name of the column that shows the course of the main rate
BARS = " ▁▂▃▄▅▆▇█"


def number(value: float) -> str:
    """A number of events: whole, in short above a million."""
    for size, unit in ((1e12, "T"), (1e9, "G"), (1e7, "M")):
        if value >= size:
            return f"{value / (1e6 if unit == 'M' else size):,.1f}{unit}"
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def cell(section: Section, line: Line, name: str) -> str:
    """A column's text; a rate before the second look is none."""
    column: Column = section.by_name[name.removesuffix("/s")]
    if name.endswith("/s") and line.rates is None:
        return "-"
    value = line.value(name)
    if not value:
        return "0" if not name.endswith("/s") else "."
    if column.unit is TIME:
        return time_label(round(value)).strip()
    return quantity(round(value)) if column.unit is BYTES else number(value)


def titled(section: Section, name: str) -> str:
    """A column's name in the head; the course has none."""
    if name == GRAPH:
        return ""
    column, is_rate, _ = name.partition("/s")
    return (section.by_name[column].head or column) + is_rate


def course(rates: Iterable[float], columns: int) -> str:
    """A sparkline of the last looks."""
    shown = list(rates)[-columns:]
    most = max(shown, default=0)
    bars = "".join(BARS[0 if value <= 0 else 1 + min(7, int(8 * value / most))] for value in shown) if most > 0 else ""
    return bars.rjust(columns)
