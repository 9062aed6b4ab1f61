"""Observations of methods in runs, added up."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from classhook.model.call_tree import MethodKey

FIRST, LAST = datetime.max, datetime.min


@dataclass(slots=True)
class Observation:
    """Some runs. Times are in UTC; `first`: when the first of them began; `last`: when the last ended; `hosts`,
    `versions`: as far as labels say."""

    runs: int = 0
    first: datetime = FIRST
    last: datetime = LAST
    hosts: set[str] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)

    def add(self, other: Observation) -> None:
        self.runs += other.runs
        self.first = min(self.first, other.first)
        self.last = max(self.last, other.last)
        self.hosts |= other.hosts
        self.versions |= other.versions

    @property
    def days(self) -> int:
        """Whole days from begin to end."""
        return max(0, (self.last - self.first).days) if self.runs else 0


@dataclass(slots=True)
class Use(Observation):
    """The runs that could have called a method. `calls`: 0 if it was only covered; `used`: in how many runs it ran;
    `last_used`: when the last of them ended, and `last_version`: that one's version."""

    calls: int = 0
    used: int = 0
    last_used: datetime = LAST
    last_version: str = ""

    def add(self, other: Observation) -> None:
        Observation.add(self, other)
        if isinstance(other, Use):
            self.calls += other.calls
            self.used += other.used
            if other.last_used > self.last_used:
                self.last_used, self.last_version = other.last_used, other.last_version


@dataclass(slots=True)
class About:
    """The facts of a method from the newest run that knows it. `flags` and `annotations` are None if its class file is
    unknown."""

    newest: datetime = LAST
    body: str | None = None
    readable: str | None = None
    source: str | None = None
    line: int | None = None
    flags: int | None = None
    annotations: tuple[str, ...] | None = None


@dataclass(slots=True)
class Known:
    """A method: what it is, and what is known of its use, in production (False) and tests (True), by the hash of its
    body."""

    about: About = field(default_factory=About)
    uses: dict[tuple[bool, str | None], Use] = field(default_factory=dict)

    def add(self, is_test: bool, about: About, use: Use) -> None:
        self.uses.setdefault((is_test, about.body), Use()).add(use)
        if about.newest >= self.about.newest or (self.about.body is None and about.body is not None):
            self.about = about


@dataclass(slots=True)
class Observed:
    """All runs, each once. `runs`: those of production (False) and of tests (True), by the texts of their rules; `ids`:
    of all; `test_classes`: those that have tests."""

    methods: dict[MethodKey, Known] = field(default_factory=dict)
    runs: dict[bool, dict[tuple[str, ...], Observation]] = field(default_factory=lambda: {False: {}, True: {}})
    ids: set[str] = field(default_factory=set)
    test_classes: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def add_run(self, is_test: bool, rules: tuple[str, ...], one: Observation) -> None:
        self.runs[is_test].setdefault(rules, Observation()).add(one)

    def all_runs(self, is_test: bool) -> Observation:
        found = Observation()
        for one in self.runs[is_test].values():
            found.add(one)
        return found
