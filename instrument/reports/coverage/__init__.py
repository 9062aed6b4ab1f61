"""Reports of coverage. A new form is a module here and a line in instrument/reports/forms.py.

A form has two functions: `piece(part, wishes)` makes what the report says of a package, in the process that analysed
it, and `report(whole, wishes, out)` puts the pieces together. `WORDS`: it also wants the missed branches in words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from classhook.coverage.counters import KINDS, Counters, nothing
from classhook.coverage.execfile import Session
from classhook.model.snapshot import Snapshot

if TYPE_CHECKING:
    from classhook.coverage.bundle import Package
    from classhook.coverage.counters import ClassCoverage
    from classhook.reports.coverage.by_test import ByTest
    from classhook.reports.coverage.changes import ChangedFile, Changes
    from classhook.reports.coverage.class_version import Version
    from classhook.reports.coverage.context_coverage import FileContexts
    from classhook.reports.coverage.sources import Sources
    from classhook.reports.filters import Matches


@dataclass(slots=True)
class Wishes:
    """The user's options. `top`: rows of the text, 0 for all; `commits`: a range of commits, as the user wrote it, and
    `changes`: the lines that they changed; `matches`: the methods that count, None for all; `by`: "test" or "context",
    if what each covered is wanted, too; `contexts`: then their names, by number."""

    title: str = ""
    all: bool = False
    top: int = 30
    terminal: bool = False
    strict: bool = False
    sources: Sources | None = None
    changes: Changes | None = None
    commits: str = ""
    matches: Matches | None = None
    by: str = ""
    contexts: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The report's name, for forms that need one."""
        return self.title or "classhook"


@dataclass(slots=True)
class AnalysedPackage:
    """A package, or what of it is in a group, as it was analysed. `others`: further versions of its classes, which
    count nowhere; `told`: what contexts covered, by source file, if that is wanted."""

    package: Package
    versions: dict[str, Version]
    others: list[tuple[ClassCoverage, Version]] = field(default_factory=list)
    group: str = ""
    told: dict[str, FileContexts] = field(default_factory=dict)


@dataclass(slots=True)
class Summary:
    """The result of analysing a package: its name, counters, the form's piece, changed lines. One without a piece has
    the notes of a process: classes that were left out, sources that are missing, and those that do not match."""

    name: str
    counters: Counters
    piece: Any
    changed: list[ChangedFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    group: str = ""
    told: list[FileContexts] = field(default_factory=list)


@dataclass(slots=True)
class Whole:
    """All packages, by group and name. `complete`: nothing that ran is missing; `snapshot` and `files` (JaCoCo's): the
    data that the coverage is from; `by_test`: what each test or context covered, if that is wanted."""

    packages: list[Summary]
    sessions: list[Session] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    counters: Counters = field(default_factory=nothing)
    complete: bool = True
    snapshot: Snapshot = field(default_factory=Snapshot)
    files: list[str] = field(default_factory=list)
    by_test: ByTest | None = None

    @property
    def groups(self) -> dict[str, list[Summary]]:
        """Packages by group; without groups, all in the one without a name."""
        found: dict[str, list[Summary]] = {}
        for one in self.packages:
            found.setdefault(one.group, []).append(one)
        return found

    @property
    def changed(self) -> list[ChangedFile]:
        """The files that the changes are in, if they have code."""
        return [one for summary in self.packages for one in summary.changed]


class Format(Protocol):
    """The module of a format."""

    WORDS: bool

    def piece(self, part: AnalysedPackage, wishes: Wishes) -> Any: ...
    def report(self, whole: Whole, wishes: Wishes, out: TextIO) -> None: ...


def share(counters: Counters, kind: int) -> float:
    """The covered share of a counter, from 0 to 1; 1 of nothing."""
    total = counters[kind] + counters[kind + 1]
    return counters[kind + 1] / total if total else 1.0


def percentage(counters: Counters, kind: int) -> str:
    """`71.2 %`, rounded down so that 100 % means all; `-` of nothing."""
    total = counters[kind] + counters[kind + 1]
    return f"{counters[kind + 1] * 1000 // total / 10:.1f} %" if total else "-"


def ranges(lines: list[int]) -> list[tuple[int, int]]:
    """First and last of each stretch of numbers that follow each other; `lines` ascend."""
    found: list[tuple[int, int]] = []
    for line in lines:
        if found and found[-1][1] == line - 1:
            found[-1] = found[-1][0], line
        else:
            found.append((line, line))
    return found


def ranges_label(lines: list[int]) -> str:
    """`3-5, 9`."""
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges(lines))


__all__ = [
    "KINDS",
    "AnalysedPackage",
    "Format",
    "Summary",
    "Whole",
    "Wishes",
    "percentage",
    "ranges",
    "ranges_label",
    "share",
]
