"""Two sides compared, before and after: for each row and column both values, their difference, and whether it is more
than noise.

1. A side is one run or several alike, each of one process or several. Runs of the same program are repetitions of each
   other (instrument/store/runs.py): a number that adds up is the sum over the programs of the mean of their
   repetitions. One that does not, such as a percentile, is that of all of them together.
2. The standard error of a side's value is from its repetitions, or from samples, whichever says more. Numbers of calls
   and bytes of one run are exact; of the times of one run, nobody knows how much another one would differ.
3. A difference counts if it is larger than `CONFIDENCE` allows by chance, by Student's distribution with Welch's
   degrees of freedom. Times of several runs are compared by their logarithms: a run on a busy machine is slow by a
   factor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, log, sqrt
from typing import Any, NamedTuple

from classhook.measures.tables import tables
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.tables.columns import TIME, Column
from classhook.tables.table import Section, Table

CONFIDENCE = 0.99
#: Degrees of freedom, and how many standard errors a difference may have by chance, two-sided.
STUDENT = (
    (1, 63.66),
    (2, 9.92),
    (3, 5.84),
    (4, 4.60),
    (5, 4.03),
    (6, 3.71),
    (7, 3.50),
    (8, 3.36),
    (10, 3.17),
    (15, 2.95),
    (30, 2.75),
    (inf, 2.58),
)
NEW, GONE, CHANGED, SAME, UNKNOWN = "new", "gone", "changed", "same", "unknown"


class Figure(NamedTuple):
    """A side's value. `error`: its standard error, None if it is not known; `freedom`: the degrees of freedom of the
    error; `logarithm`: of times of several runs the mean of their logarithms, with its error."""

    value: float
    error: float | None = 0
    freedom: float = inf
    logarithm: tuple[float, float] | None = None


class Difference(NamedTuple):
    """The difference of two figures. `significant`: None if it is unknown."""

    before: Figure
    after: Figure

    @property
    def value(self) -> float:
        return self.after.value - self.before.value

    @property
    def error(self) -> float | None:
        if self.before.error is None or self.after.error is None:
            return None
        return sqrt(self.before.error**2 + self.after.error**2)

    @property
    def significant(self) -> bool | None:
        error, one, other = self.error, self.before.logarithm, self.after.logarithm
        if not self.value:
            return False
        if one and other:
            return _beyond_chance(other[0] - one[0], [(one[1], self.before.freedom), (other[1], self.after.freedom)])
        return (
            None
            if error is None
            else _beyond_chance(self.value, [(figure.error or 0, figure.freedom) for figure in self])
        )

    @property
    def percent(self) -> float | None:
        """The change in percent of the value before; None if that was 0."""
        return 100 * self.value / self.before.value if self.before.value else None


def _beyond_chance(value: float, errors: list[tuple[float, float]]) -> bool:
    """True if a difference is larger than chance explains. `errors`: of both sides, with their degrees of freedom."""
    error = sqrt(sum(one**2 for one, _ in errors))
    parts = sum(one**4 / freedom for one, freedom in errors)
    freedom = error**4 / parts if parts else inf
    return abs(value) > error * by_chance(freedom)


def by_chance(freedom: float) -> float:
    """Student's quantile. Between the table's rows, its logarithm is nearly linear in 1/freedom."""
    at = 1 / max(1, freedom)
    for (fewer, most), (more, least) in pairwise(STUDENT):
        if freedom <= more:
            part = (1 / fewer - at) / (1 / fewer - 1 / more)
            return float(most * (least / most) ** part)
    return STUDENT[-1][1]


@dataclass(slots=True)
class Side:
    """One side of a comparison: all its files together, and each run on its own, by program."""

    names: list[str]
    whole: Snapshot
    runs: dict[str, list[Snapshot]] = field(default_factory=dict)

    @property
    def processes(self) -> int:
        return len(self.whole.processes)

    @property
    def repetitions(self) -> int:
        """The number of runs of the program that ran least often."""
        return min(map(len, self.runs.values()), default=0)


@dataclass(slots=True)
class Change:
    """A row. `status`: one of the words above, by the column that rows are sorted by."""

    key: Key
    row: Any  # of the side that has it, of both the one after
    status: str
    differences: dict[str, Difference]  # by the column's name


@dataclass(slots=True)
class Compared:
    """A section. `sort`: the column by whose change its rows are in order; `whole`: the sum of that column, if it adds
    up."""

    table: Table
    section: Section
    sort: Column
    rows: list[Change]
    whole: Difference | None

    def having(self, status: str) -> int:
        return sum(row.status == status for row in self.rows)


def compared(before: Side, after: Side, sort: str) -> list[Compared]:
    """All sections with rows on either side."""
    found = []
    for table in tables():
        if table.events:
            continue
        sides = [_by_section(table, side.whole) for side in (before, after)]
        for section in table.sections:
            old, new = (side.get(section.kind, {}) for side in sides)
            column = section.column(sort)
            rows = [_change(table, section, column, key, (before, old), (after, new)) for key in {**old, **new}]
            if rows:
                rows.sort(key=lambda row: (row.status == SAME, -abs(row.differences[column.name].value), row.key))
                found.append(Compared(table, section, column, rows, _whole(table, section, column, before, after)))
    return found


def _by_section(table: Table, snapshot: Snapshot) -> dict[str, dict[Key, Any]]:
    found: dict[str, dict[Key, Any]] = {}
    for key, row in snapshot.tables[table.name].items():
        if table.ran(row):
            found.setdefault(table.section(row).kind, {})[key] = row
    return found


def _change(table: Table, section: Section, sort: Column, key: Key, *sides: tuple[Side, dict[Key, Any]]) -> Change:
    rows = [rows.get(key) for _, rows in sides]
    differences = {}
    for column in section.by_name.values():
        values = [_figure(side, table, section, column, key, row) for (side, _), row in zip(sides, rows, strict=True)]
        differences[column.name] = Difference(*values)
    status = NEW if rows[0] is None else GONE if rows[1] is None else STATUS[differences[sort.name].significant]
    return Change(key, rows[0] if rows[1] is None else rows[1], status, differences)


STATUS = {True: CHANGED, False: SAME, None: UNKNOWN}


def _figure(side: Side, table: Table, section: Section, column: Column, key: Key, row: Any) -> Figure:
    """A side's value of a row and column; 0, exactly, if it has no such row."""
    if row is None:
        return Figure(0)
    groups = []
    for runs in side.runs.values():
        rows = [snapshot.tables[table.name].get(key) for snapshot in runs]
        there = [one for one in rows if one is not None and section.belongs(one)]
        values = [_number(column, one) for one in there]
        if column.adds:  # where it did not run, it took nothing
            values += [0.0] * (len(rows) - len(there))
        if there:
            groups.append((values, [column.error(one) if column.error else 0.0 for one in there]))
    figure = _sum([_mean(column, values, errors) for values, errors in groups])
    return (
        figure if column.adds else figure._replace(value=_number(column, row), error=_of_one(figure.error, len(groups)))
    )


def _of_one(error: float | None, groups: int) -> float | None:
    """The error of a value that is no sum, from that of the sum of several."""
    return None if error is None else error / (groups or 1)


def _number(column: Column, row: Any) -> float:
    value = column.value(row)
    return float(value) if isinstance(value, (int, float)) else 0.0


def _mean(column: Column, values: list[float], errors: Iterable[float]) -> Figure:
    """The mean of repetitions."""
    n = len(values)
    mean = sum(values) / n
    sampled = sqrt(sum(error**2 for error in errors)) / n
    if n == 1:
        return Figure(mean, sampled or (None if column.unit is TIME else 0))
    between = _error(values)
    if between < sampled:
        return Figure(mean, sampled)
    if column.unit is not TIME or min(values) <= 0:
        return Figure(mean, between, n - 1)
    logarithms = [log(value) for value in values]
    return Figure(mean, between, n - 1, (sum(logarithms) / n, _error(logarithms)))


def _error(values: list[float]) -> float:
    """The standard error of the mean."""
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def _sum(figures: list[Figure]) -> Figure:
    if len(figures) == 1:
        return figures[0]
    value = sum(figure.value for figure in figures)
    if any(figure.error is None for figure in figures):
        return Figure(value, None)
    error = sqrt(sum((figure.error or 0) ** 2 for figure in figures))
    return Figure(value, error, min((figure.freedom for figure in figures), default=inf))


def _whole(table: Table, section: Section, column: Column, *sides: Side) -> Difference | None:
    """The sum of a column over all rows."""
    if not column.adds:
        return None
    found = []
    for side in sides:
        figures = []
        for runs in side.runs.values():
            rows = [
                [entry for entry in snapshot.tables[table.name].items() if section.belongs(entry[1])]
                for snapshot in runs
            ]
            values = [section.added((key, _number(column, row)) for key, row in one) for one in rows]
            errors = [sqrt(sum(column.error(row) ** 2 for _, row in one)) if column.error else 0.0 for one in rows]
            figures.append(_mean(column, values, errors))
        found.append(_sum(figures))
    return Difference(*found)
