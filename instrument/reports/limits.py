"""`report --fail-if`: what a test, a context, or all that was recorded may not exceed.

    calls of java.sql.**::execute* > 10 by test        self of com.acme.** > 2s        bytes of com.acme.**::* > 10MiB by context

A column, methods (or what else rows are about), and a number in the column's unit. The values of all rows that match add up; of columns that do not
add up, such as `max`, the largest one counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from classhook.errors import Failure, UsageError
from classhook.measures.tables import tables
from classhook.model.snapshot import Snapshot
from classhook.names import printable
from classhook.reports.column_words import columns, no_column
from classhook.reports.contexts import each
from classhook.reports.filters import Matches, by_either_name, matcher
from classhook.tables.columns import Column

FORM = re.compile(r"\s*([\w-]+(?: +[\w-]+)*?)\s+of\s+(\S.*?)\s*([<>])\s*(\d+(?:\.\d+)?)\s*([^\s\d]*)(?:\s+by\s+(\w+))?\s*")
BY = ("", "test", "context")
EXAMPLE = "'calls of java.sql.**::execute* > 10 by test'"


class Limit(NamedTuple):
    """`text`: as it was written; `by`: of what each is limited, empty: all together."""

    text: str
    column: str
    pattern: str
    matches: Matches
    above: bool
    number: float
    unit: str
    by: str


def parse(text: str) -> Limit:
    """Raises UsageError, RuleError."""
    found = FORM.fullmatch(text)
    if found is None:
        raise UsageError(f"--fail-if {text!r}: expected a column, `of` and a pattern, `>` or `<`, and a number: {EXAMPLE}")
    column, pattern, sign, number, unit, by = found.groups(default="")
    if not columns(column):
        raise UsageError(f"--fail-if {text!r}: {no_column(column)}")
    if by not in BY:
        raise UsageError(f"--fail-if {text!r}: `by {by}`: expected `by test` or `by context`")
    return Limit(text, column, pattern, matcher([pattern]), sign == ">", float(number), unit, by)


def broken(snapshot: Snapshot, limits: Iterable[Limit]) -> list[str]:
    """A line for each limit and each test that is beyond it. Raises UsageError for a wrong unit, Failure if a limit is about nothing."""
    return [line for limit in limits for line in _broken(snapshot, limit)]


def _broken(snapshot: Snapshot, limit: Limit) -> Iterator[str]:
    if _value(snapshot, limit) is None:
        raise Failure(f"--fail-if {limit.text!r}: no row that has {limit.column!r} matches {limit.pattern}; `classhook report --all` lists all rows")
    for name, found in _parts(snapshot, limit.by):
        measured = _value(found, limit)
        value, label = measured or (0.0, "0")
        if value > limit.number if limit.above else value < limit.number:
            what = f"{printable(name)}: " if name else ""
            yield f"{what}{label} {limit.column} of {limit.pattern}, {'more' if limit.above else 'less'} than {limit.number:g}{limit.unit}"


def _parts(snapshot: Snapshot, by: str) -> Iterable[tuple[str, Snapshot]]:
    if not by:
        return [("", snapshot)]
    if by == "context":
        return each(snapshot, [*snapshot.entered])
    tests = [name for name in dict.fromkeys(run.context for run in snapshot.tests if run.is_test) if name in snapshot.entered]
    if not tests:
        raise Failure("--fail-if ... by test: there are no tests in this data: record them with `classhook run --tests`")
    return each(snapshot, tests)


def _value(snapshot: Snapshot, limit: Limit) -> tuple[float, str] | None:
    """In the limit's unit, and as people read it; None: no row has it."""
    values: list[Any] = []
    column: Column | None = None
    matches = by_either_name(limit.matches, snapshot.readable)
    for table in tables():
        for key, row in snapshot.tables[table.name].items():
            own = table.section(row).chosen(limit.column)
            if own is not None and matches((*key, "", "")[: max(3, len(key))]) and isinstance(value := own.value(row), (int, float)):
                column = column or own
                values.append(value)
    if column is None:
        return None
    if limit.unit not in column.unit.suffixes:
        units = ", ".join(filter(None, column.unit.suffixes))
        raise UsageError(f"--fail-if {limit.text!r}: {limit.column} has no unit {limit.unit!r}" + (f"; it has {units}" if units else ""))
    value = sum(values) if column.adds else max(values)
    return value / column.unit.suffixes[limit.unit], column.unit.label(value).strip()
