"""Differences between a test and its last good run: methods called newly or no more, calls that changed, exceptions
thrown newly, lines newly or no more covered, and classes that were compiled anew.

Static initialisers are left out: they run once, in whichever test comes first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from classhook.extensions.selection.blame.done import Done
from classhook.extensions.selection.blame.runs import TestsOfRun, altered
from classhook.extensions.selection.facts import CLINIT
from classhook.extensions.selection.hierarchy import MethodName

Lines = dict[str, int]  # by source file, a bit for each


@dataclass(slots=True)
class Differences:
    """`newly`, `no_more`: their calls; `changed`, `thrown`: calls, and those that ended by an exception, before and
    after; `branches`: methods in which other branches were taken; `altered`: classes that ran and are not the same as
    before: their branches and lines are not compared, for they may have moved."""

    newly: dict[MethodName, int] = field(default_factory=dict)
    no_more: dict[MethodName, int] = field(default_factory=dict)
    changed: dict[MethodName, tuple[int, int]] = field(default_factory=dict)
    thrown: dict[MethodName, tuple[int, int]] = field(default_factory=dict)
    branches: list[MethodName] = field(default_factory=list)
    lines_newly: Lines = field(default_factory=dict)
    lines_no_more: Lines = field(default_factory=dict)
    altered: list[str] = field(default_factory=list)

    @property
    def methods(self) -> set[MethodName]:
        """All methods that differ."""
        return {*self.newly, *self.no_more, *self.changed, *self.thrown, *self.branches}

    @property
    def some(self) -> bool:
        return bool(self.methods or self.lines_newly or self.lines_no_more or self.altered)


def compared(context: str, good: TestsOfRun, bad: TestsOfRun) -> Differences:
    """A test in both runs, as far as both counted."""
    before, after = good.done.get(context, Done()), bad.done.get(context, Done())
    found = Differences(altered=sorted(altered(good, bad) & {owner for owner, _ in before.ran | after.ran}))
    if before.calls and after.calls:
        _compare_calls(found, before, after)
    else:
        found.newly = dict.fromkeys(_own(after.probes.keys() - before.probes.keys() if before.probes else ()), 0)
        found.no_more = dict.fromkeys(_own(before.probes.keys() - after.probes.keys() if after.probes else ()), 0)
    unmoved = [name for name in _own(before.probes.keys() & after.probes.keys()) if name[0] not in found.altered]
    found.branches = [
        name for name in unmoved if name not in found.changed and before.probes[name] != after.probes[name]
    ]
    if before.lines and after.lines:
        _compare_lines(found, before.lines, after.lines)
    return found


def _own(names: Iterable[MethodName]) -> list[MethodName]:
    """The names without static initialisers."""
    return sorted(name for name in names if name[1] != CLINIT)


def _compare_calls(found: Differences, before: Done, after: Done) -> None:
    for name in _own(before.calls.keys() | after.calls.keys()):
        then, now = before.calls.get(name, 0), after.calls.get(name, 0)
        if not then:
            found.newly[name] = now
        elif not now:
            found.no_more[name] = then
        elif then != now:
            found.changed[name] = then, now
        fewer, more = before.exceptions.get(name, 0), after.exceptions.get(name, 0)
        if more > fewer and before.is_timed:
            found.thrown[name] = fewer, more


def _compare_lines(found: Differences, before: Lines, after: Lines) -> None:
    moved = {_source(name) for name in found.altered}
    for source in sorted(before.keys() | after.keys()):
        if _stem(source) not in moved:
            then, now = before.get(source, 0), after.get(source, 0)
            if now & ~then:
                found.lines_newly[source] = now & ~then
            if then & ~now:
                found.lines_no_more[source] = then & ~now


def _source(name: str) -> str:
    return name.partition("$")[0]


def _stem(source: str) -> str:
    """The class after which a source file is named."""
    return source.rpartition(".")[0] or source
