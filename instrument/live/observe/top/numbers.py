"""Changes between two readings of running programs: rates per second, sums since a reset, and their course.

1. A look is a snapshot and its time. The columns of each row that add up are compared.
2. A rate is the difference to the look before, by the seconds between. If a number of events went back, the counters
   were reset: all is new.
3. A sum is the difference to the look at which `reset` was called, to nothing before that.
4. Groups are sums of rows. A group has no times that contain others (`total`), and no percentiles.
5. Percentiles and the longest time are those since the start of the data: they do not add up.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from classhook.base.row_names import RowName, plain
from classhook.measures.tables import tables
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.reports.filters import by_either_name
from classhook.reports.groups import GROUPS
from classhook.reports.section_view import row_names
from classhook.tables.columns import NUMBER, Column
from classhook.tables.table import Section

COURSE = 60  # rates that are kept
EVENTS = ("calls", "objects", "times")
NESTED = ("total", "wall")  # columns that groups do not have
LEVELS = ("p50", "p99", "max")  # ... and those that are no sums
Numbers = dict[str, float]
Place = tuple[str, Key]  # a section's kind, and a row of it


@dataclass(frozen=True, slots=True)
class Look:
    """`at`: seconds of a clock; `numbers`: by place; `uncertain`: the rows whose section says so."""

    at: float
    snapshot: Snapshot
    numbers: dict[Place, Numbers]
    uncertain: set[Place]


def no_level(name: str) -> float:
    """`level` of groups."""
    return 0


@dataclass(slots=True)
class Line:
    """A row, or a group: `rates` a second since the look before (None: there was none), `sums` since the reset, by the
    columns' names; `course`: the main column's rates, the last one last; `uncertain`: below all others, where rows are
    sorted by the main column; `level`: the value of one of LEVELS."""

    key: Key
    name: RowName
    rates: Numbers | None
    sums: Numbers
    course: list[float] = field(default_factory=list)
    uncertain: bool = False
    level: Callable[[str], float] = no_level

    def value(self, column: str) -> float:
        """`calls/s` or `calls`, or a level."""
        if column in LEVELS:
            return self.level(column)
        name, is_rate, _ = column.partition("/s")
        return ((self.rates or {}) if is_rate else self.sums).get(name, 0)


def adding(section: Section) -> list[Column]:
    """The columns that are compared: those that people see, numbers of events first."""
    found = [section.by_name[name] for name in section.shown if section.by_name[name].adds]
    return sorted(found, key=lambda column: column.name not in EVENTS)


def sections() -> Iterator[Section]:
    for table in tables():
        yield from table.sections


def looked(at: float, snapshot: Snapshot) -> Look:
    """A look at a snapshot that was just made."""
    found: dict[Place, Numbers] = {}
    uncertain: set[Place] = set()
    for table in tables():
        columns = {section.kind: adding(section) for section in table.sections}
        for key, row in snapshot.tables[table.name].items():
            if table.ran(row):
                section = table.section(row)
                place = section.kind, key
                found[place] = {column.name: _number(column.value(row)) for column in columns[section.kind]}
                if section.uncertain(row):
                    uncertain.add(place)
    return Look(at, snapshot, found, uncertain)


def _number(value: Any) -> float:
    return value if isinstance(value, (int, float)) else 0


@dataclass(slots=True)
class Watch:
    """The last looks. `raw`: methods have the names of the JVM."""

    now: Look | None = None
    before: Look | None = None
    base: Look | None = None
    course: dict[Place, deque[float]] = field(default_factory=dict)
    looks: int = 0
    raw: bool = False
    _kinds: dict[str, int] = field(default_factory=dict)

    def look(self, at: float, snapshot: Snapshot) -> None:
        """Adds a look."""
        snapshot.raw = self.raw
        self.before, self.now = self.now, looked(at, snapshot)
        self.looks += 1
        of = Counter(kind for kind, _ in self.now.numbers)
        self._kinds = {section.kind: of[section.kind] for section in sections() if of[section.kind]}
        if self.before is None:
            return
        main = {section.kind: section.main.name for section in sections()}
        for place in self.now.numbers:
            rates = self._rates(place)
            course = self.course.setdefault(place, deque([0.0] * min(self.looks - 2, COURSE), maxlen=COURSE))
            course.append(rates.get(main[place[0]], 0) if rates else 0)

    def reset(self) -> None:
        """Makes sums begin at zero."""
        self.base = self.now

    def kinds(self) -> dict[str, int]:
        """The kinds of rows that there are, with their numbers."""
        return self._kinds

    def with_values(self, section: Section) -> list[Column]:
        """The columns that are compared, without those that no row has a value for though they may."""
        rows = [numbers for (kind, _), numbers in self.now.numbers.items() if kind == section.kind] if self.now else []
        return [
            column for column in adding(section) if not column.sparse or any(numbers[column.name] for numbers in rows)
        ]

    def levels(self, section: Section) -> list[str]:
        """The columns that do not add up: of sections whose rows have times."""
        timed = any(column.name == "total" for column in self.with_values(section))
        return [name for name in section.shown if name in LEVELS] if timed else []

    def lines(self, section: Section, matches: Callable[[Key], bool] | None = None, group: str = "") -> list[Line]:
        """The rows of a section, in no order."""
        if self.now is None:
            return []
        snapshot = self.now.snapshot
        if matches is not None:
            matches = by_either_name(matches, snapshot.readable)
        keys = [key for kind, key in self.now.numbers if kind == section.kind and (matches is None or matches(key))]
        names = row_names(snapshot, section, keys) if not group else {}
        found = [self._line(section.kind, key, names.get(key)) for key in keys]
        rows = {
            key: row
            for table in tables()
            if section in table.sections
            for key, row in snapshot.tables[table.name].items()
        }
        if not group:
            for line in found:
                line.level = partial(level, section, rows[line.key])
            return found
        groups: dict[str, Line] = {}
        for line in found:
            name = GROUPS[group](snapshot, line.key, rows[line.key])
            known = groups.get(name)
            groups[name] = _added(known, line) if known else Line((name,), plain(name), *_own(line), line.course)
        return list(groups.values())

    def _line(self, kind: str, key: Key, name: RowName | None) -> Line:
        assert self.now is not None
        place = (kind, key)
        course = self.course.get(place)
        return Line(
            key,
            name or plain(""),
            self._rates(place),
            self._since(place, self.base),
            list(course or ()),
            place in self.now.uncertain,
        )

    def _rates(self, place: Place) -> Numbers | None:
        if self.now is None or self.before is None:
            return None
        seconds = max(self.now.at - self.before.at, 1e-9)
        return {name: value / seconds for name, value in self._since(place, self.before).items()}

    def _since(self, place: Place, before: Look | None) -> Numbers:
        assert self.now is not None
        numbers = self.now.numbers[place]
        old = before.numbers.get(place) if before is not None else None
        if old is None or any(numbers[name] < old[name] for name in _events(place[0]) if name in numbers):
            return dict(numbers)
        return {name: max(value - old[name], 0) for name, value in numbers.items()}


@cache
def _events(kind: str) -> list[str]:
    """The columns that count, and so never go back; those of coverage may."""
    if kind == "covered":
        return []
    return [
        column.name
        for section in sections()
        if section.kind == kind
        for column in adding(section)
        if column.unit is NUMBER
    ]


def level(section: Section, row: Any, name: str) -> float:
    """A row's value of a column that does not add up."""
    return _number(section.by_name[name].value(row))


def _own(line: Line) -> tuple[Numbers | None, Numbers]:
    """The numbers that a group has of a line."""
    rates = None if line.rates is None else {name: value for name, value in line.rates.items() if name not in NESTED}
    return rates, {name: value for name, value in line.sums.items() if name not in NESTED}


def _added(one: Line, other: Line) -> Line:
    rates, sums = _own(other)
    course = [a + b for a, b in zip(_padded(one.course, other.course), _padded(other.course, one.course), strict=True)]
    both = None if one.rates is None or rates is None else {name: one.rates[name] + rates[name] for name in one.rates}
    return Line(one.key, one.name, both, {name: one.sums[name] + sums[name] for name in one.sums}, course)


def _padded(course: list[float], other: list[float]) -> list[float]:
    return [0.0] * (len(other) - len(course)) + course
