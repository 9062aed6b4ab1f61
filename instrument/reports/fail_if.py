"""`report --fail-if`: limits for a test, a context, or all records.

    calls of java.sql.**::execute* > 10 by test        self of com.acme.** > 2s        bytes of com.acme.**::* > 10MiB
    by context

A column, methods (or what else rows are about), and a number in the column's unit. The values of all rows that match
add up, but for rows that are parts of others, such as those of keys: what they counted is in the method's row. For
columns that do not add up, such as `max`, the largest value counts, or the smallest, if the limit is a lower one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from classhook.base.errors import Failure, UsageError
from classhook.base.names import printable
from classhook.measures.tables import tables
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.reports.column_words import columns, no_column
from classhook.reports.contexts import each
from classhook.reports.filters import Matches, by_either_name, matcher
from classhook.tables.columns import Column

FORM = re.compile(
    r"\s*([\w-]+(?:"
    r" +[\w-]+)*?)\s+of\s+(\S.*?)\s*([<>])\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([^\s\d]*)(?:\s+by\s+(\w+))?\s*"
)
BY = ("", "test", "context")
BY_AT = -2  # the place, in keys of parts, of what divides them
EXAMPLE = "'calls of java.sql.**::execute* > 10 by test'"


class Limit(NamedTuple):
    """`text`, `number`: as they were written; `by`: of what each is limited, empty: all together."""

    text: str
    column: str
    pattern: str
    matches: Matches
    above: bool
    number: str
    unit: str
    by: str


def parse(text: str) -> Limit:
    """Raises UsageError, RuleError."""
    found = FORM.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--fail-if {text!r}: expected a column, `of` and a pattern, `>` or `<`, and a number: {EXAMPLE}"
        )
    column, pattern, sign, number, unit, by = found.groups(default="")
    if not columns(column):
        raise UsageError(f"--fail-if {text!r}: {no_column(column)}")
    if by not in BY:
        raise UsageError(f"--fail-if {text!r}: `by {by}`: expected `by test` or `by context`")
    return Limit(text, column, pattern, matcher([pattern]), sign == ">", number, unit, by)


def broken(snapshot: Snapshot, limits: Iterable[Limit]) -> list[str]:
    """A line for each limit and each test that is beyond it. Raises UsageError for a wrong unit, Failure if a limit is
    about nothing."""
    return [line for limit in limits for line in _broken(snapshot, limit)]


def _broken(snapshot: Snapshot, limit: Limit) -> Iterator[str]:
    if _value(snapshot, limit) is None:
        raise Failure(
            f"--fail-if {limit.text!r}: no row that has {limit.column!r} matches {limit.pattern}; `classhook report"
            " --all` lists all rows"
        )
    for name, found in _parts(snapshot, limit.by):
        measured = _value(found, limit)
        value, label = measured or (0.0, "0")
        if value > float(limit.number) if limit.above else value < float(limit.number):
            what = f"{printable(name)}: " if name else ""
            yield (
                f"{what}{label} {limit.column} of {limit.pattern}, {'more' if limit.above else 'less'} than"
                f" {limit.number}{limit.unit}"
            )


def _parts(snapshot: Snapshot, by: str) -> Iterable[tuple[str, Snapshot]]:
    if not by:
        return [("", snapshot)]
    if by == "context":
        return each(snapshot, [*snapshot.entered])
    tests = [
        name for name in dict.fromkeys(run.context for run in snapshot.tests if run.is_test) if name in snapshot.entered
    ]
    if not tests:
        raise Failure(
            "--fail-if ... by test: there are no tests in this data: record them with `classhook run --tests`"
        )
    return each(snapshot, tests)


def _value(snapshot: Snapshot, limit: Limit) -> tuple[float, str] | None:
    """The value in the limit's unit, and as people read it; None: no row has it."""
    found: dict[tuple[str, Key], float] = {}
    column: Column | None = None
    matches = by_either_name(limit.matches, snapshot.readable)
    for table in tables():
        for key, row in snapshot.tables[table.name].items():
            own = table.section(row).chosen(limit.column)
            if (
                own is not None
                and matches((*key, "", "")[: max(3, len(key))])
                and isinstance(value := own.value(row), (int, float))
            ):
                column = column or own
                found[table.name, key] = value
    if column is None:
        return None
    if limit.unit not in column.unit.suffixes:
        units = ", ".join(filter(None, column.unit.suffixes))
        raise UsageError(
            f"--fail-if {limit.text!r}: {limit.column} has no unit {limit.unit!r}"
            + (f"; it has {units}" if units else "")
        )
    value = _sum(found) if column.adds else (max if limit.above else min)(found.values())
    return value / column.unit.suffixes[limit.unit], column.unit.label(value).strip()


def _sum(found: dict[tuple[str, Key], float]) -> float:
    """The sum of the values of rows, by their tables and keys. Several rules may divide the same calls, each by another
    key: the rows of one are enough."""
    whole_of = {table.name: table.whole for table in tables()}
    sums: dict[tuple[str, Key], dict[object, float]] = {}
    for (name, key), value in found.items():
        whole = whole_of[name](key)
        if whole not in found:
            by = key[BY_AT] if whole else ""
            of_whole = sums.setdefault(whole or (name, key), {})
            of_whole[by] = of_whole.get(by, 0) + value
    return sum(max(of_whole.values()) for of_whole in sums.values())
