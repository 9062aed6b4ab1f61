"""Columns: a measure's data in a row, once for all forms of report. Only reports import this.

A column has a heading, which users write to choose it (`--columns`, `--sort`, `--fail-if`), a key, under which JSON,
CSV and the like have it, or both. Its name, where that is not the heading, chooses it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from classhook.base import units
from classhook.base.names import printable, quantity, time_label

Value = int | float | bool | str | None


class Unit(NamedTuple):
    """The unit of a column's numbers. `label`: a number as people read it; `type`: in files; `base`: the unit of
    OpenMetrics, and how many of them one is; `suffixes`: how users write it, and how many of the column's units that
    is."""

    name: str
    label: Callable[[Any], str]
    type: str
    base: tuple[str, float] = ("", 1)
    suffixes: dict[str, float] = {}  # noqa: RUF012  # never changed


NUMBER = Unit("number", lambda number: f"{number:,}", "integer", suffixes={"": 1})
REAL = Unit("real", lambda number: f"{number:,.1f}", "number", suffixes={"": 1})
TIME = Unit(
    "time",
    time_label,
    "integer",
    ("seconds", 1e-9),
    {unit: units.NANOSECONDS[unit] for unit in ("ns", "us", "µs", "ms", "s")},
)
BYTES = Unit(
    "bytes", quantity, "integer", ("bytes", 1), {unit: units.BYTES[unit] for unit in ("", "B", "KiB", "MiB", "GiB")}
)
TEXT = Unit("text", printable, "string")
JSON = Unit("json", printable, "string")  # a value is its text; forms that can have the value itself
FLAG = Unit("flag", lambda flag: "yes" if flag else "", "boolean")


@dataclass(frozen=True)
class Column:
    """One column.

    name: for users; empty if only files have it
    key: in files; empty if only people see it
    value: of a row; None where it has none
    title: in the text's head, if not the name
    cell: of a row, given the sum of the section's main column: the text, if not the value's label
    adds: the values of several rows add up
    error: a value's standard error, if it may be an estimate
    ascending: rows are sorted by it with the smallest first
    sparse: it is shown by default only if some row has a value
    falls: the value may become smaller while the program runs
    about: what files have under the key, in words
    null: some rows have no value
    shape: of values in JSON that are more than the unit says, as a JSON schema has it
    """

    name: str
    key: str
    value: Callable[[Any], Value]
    unit: Unit = NUMBER
    title: str | None = None
    cell: Callable[[Any, int], str] | None = None
    adds: bool = True
    error: Callable[[Any], float] | None = None
    ascending: bool = False
    sparse: bool = False
    falls: bool = False
    about: str = ""
    null: bool = False
    shape: Mapping[str, object] | None = None

    def text(self, row: Any, whole: int) -> str:
        """A row's cell."""
        if self.cell is not None:
            return self.cell(row, whole)
        value = self.value(row)
        return "" if value is None else self.unit.label(value)

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of the column."""
        type_ = [self.unit.type, "null"] if self.null else self.unit.type
        typed: dict[str, object] = {} if self.unit is JSON else {"type": type_}
        return {**typed, **(self.shape or {}), "description": self.about}

    @property
    def head(self) -> str:
        return self.name if self.title is None else self.title

    @property
    def word(self) -> str:
        """The column's name on a command line: its heading, if it has one, with hyphens."""
        return spelled(self.head or self.name)


def spelled(word: str) -> str:
    """One spelling for all that users may write: `Wall total`, `wall_total` and `wall-total` are the same."""
    return "-".join(word.lower().replace("_", " ").replace("-", " ").split())


def flag(key: str, value: Callable[[Any], bool], about: str) -> Column:
    """A mark that only files have as a column."""
    return Column("", key, value, FLAG, adds=False, about=about)


def detail(key: str, value: Callable[[Any], Value], unit: Unit = TIME, *, about: str, null: bool = False) -> Column:
    """A number that only files have."""
    return Column("", key, value, unit, about=about, null=null)


def share_of(value: Callable[[Any], int]) -> Column:
    """A row's part of the whole, which only people see."""
    return Column("share", "", lambda row: None, title="", cell=lambda row, whole: share(value(row), whole), adds=False)


def share(part: int, whole: int) -> str:
    """A part of a whole in percent."""
    return f"{100 * part / whole:.1f}%" if whole else "-"
