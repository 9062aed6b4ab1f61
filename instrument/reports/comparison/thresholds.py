"""`--fail-if`: which changes a build does not accept.

    self > +10%        calls > +0        p99 > +5ms        bytes < -1MiB, calls > +0

A column, `>` or `<`, and a change with its sign: in percent of what was before, or in the column's unit. A change
within the noise breaks nothing, nor does a change whose noise is unknown; a new row has no percentage.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from classhook.reports.column_words import columns, suggested
from classhook.reports.column_words import words as column_words
from classhook.reports.comparison import GONE, NEW, Change, Compared, Difference
from classhook.rules.errors import RuleError
from classhook.tables.columns import Column
from classhook.tables.table import Section, Table

ORIGIN = "--fail-if"
PERCENT = "%"
EXAMPLE = "`self > +10%`, `calls > +0` or `p99 > +5ms`"
#: In order, what an expression consists of: a pattern, and what it is.
PARTS = (
    (r"[\w-]+(?: +[a-zA-Z][\w-]*)*", "a column"),
    (r"[<>]", "`>` or `<`"),
    (r"[+-]", "a change with its sign, `+` or `-`"),
    (r"\d+(\.\d+)?([eE][+-]?\d+)?", "a number"),
    (r"%|\w*", "a unit"),
)


@dataclass(frozen=True, slots=True)
class Threshold:
    """`column` `sign`1 * value > `sign`1 * `limit`, in `unit`: `%`, or one of the column's own."""

    text: str
    column: str
    above: bool
    limit: float
    unit: str

    def is_about(self, section: Section) -> bool:
        """True if its rows have such a column, in such a unit."""
        column = section.chosen(self.column)
        return column is not None and self.unit in (PERCENT, *column.unit.suffixes)

    def exceeded_by(self, column: Column, difference: Difference) -> bool:
        """True if a change is beyond it, be it noise or not."""
        value = difference.percent if self.unit == PERCENT else difference.value / column.unit.suffixes[self.unit]
        return value is not None and (value > self.limit if self.above else value < self.limit)


@dataclass(frozen=True, slots=True)
class Broken:
    """A row that is beyond a threshold."""

    expression: str
    table: Table
    section: Section
    column: Column
    change: Change


def parse(text: str) -> list[Threshold]:
    """The thresholds of an expression, which commas divide. Raises RuleError."""
    found = []
    at = 0
    for part in text.split(","):
        found.append(_one(text, part, at))
        at += len(part) + 1
    return found


def _one(text: str, part: str, start: int) -> Threshold:
    words: list[str] = []
    at = 0
    for pattern, what in PARTS:
        at += len(part) - at - len(part[at:].lstrip())
        word = re.match(pattern, part[at:])
        if word is None:
            raise RuleError(f"expected {what}", ORIGIN, 1, start + at + 1, text, EXAMPLE)
        if what == "a column" and not columns(word.group()):
            near = suggested(word.group())
            raise RuleError(
                f"there is no column `{word.group()}`{near}", ORIGIN, 1, start + at + 1, text, ", ".join(column_words())
            )
        if what == "a unit" and word.group() != PERCENT and word.group() not in (suffixes := _suffixes(words[0])):
            units = [f"`{word}`" for word in ("%", *suffixes) if word]
            raise RuleError(
                f"a change of `{words[0]}` has another unit", ORIGIN, 1, start + at + 1, text, ", ".join(units)
            )
        words.append(word.group())
        at += word.end()
    if part[at:].strip():
        at += len(part[at:]) - len(part[at:].lstrip())
        raise RuleError(
            "the expression ends here",
            ORIGIN,
            1,
            start + at + 1,
            text,
            f"one change, or several divided by commas: {EXAMPLE}",
        )
    column, compare, sign, number, unit = words
    return Threshold(part.strip(), column, compare == ">", float(sign + number), unit)


def _suffixes(column: str) -> list[str]:
    """The units in which users can write a column's changes."""
    return list(dict.fromkeys(suffix for one in columns(column) for suffix in one.unit.suffixes))


def broken(sections: list[Compared], thresholds: list[Threshold]) -> list[Broken]:
    """All rows that are certainly beyond one; of each, those that changed most first."""
    return _beyond(sections, thresholds, True)


def uncertain(sections: list[Compared], thresholds: list[Threshold]) -> list[Broken]:
    """The rows that are beyond a percentage by so much as may be noise."""
    return _beyond(sections, [one for one in thresholds if one.unit == PERCENT], False)


def unknown(sections: list[Compared], thresholds: list[Threshold]) -> list[Broken]:
    """The rows that are beyond one, but whose noise from run to run is unknown."""
    return _beyond(sections, thresholds, None)


def without_rows(sections: list[Compared], thresholds: list[Threshold]) -> list[Threshold]:
    """The limits that apply to no row: nothing that was recorded has such a column."""
    return [threshold for threshold in thresholds if not any(threshold.is_about(one.section) for one in sections)]


def _is_certain(change: Change, column: Column) -> bool | None:
    """True if a difference is more than noise; None if that is unknown. A row that only one side has is certainly
    different."""
    significant = change.differences[column.name].significant
    return True if significant is None and change.status in (NEW, GONE) else significant


def _beyond(sections: list[Compared], thresholds: list[Threshold], certain: bool | None) -> list[Broken]:
    found = [
        Broken(threshold.text, one.table, one.section, column, row)
        for threshold in thresholds
        for one in sections
        if threshold.is_about(one.section)
        for column in (one.section.column(threshold.column),)
        for row in one.rows
        if threshold.exceeded_by(column, row.differences[column.name])
        if _is_certain(row, column) is certain
    ]
    order = [threshold.text for threshold in thresholds]
    return sorted(
        found, key=lambda one: (order.index(one.expression), -abs(one.change.differences[one.column.name].value))
    )
