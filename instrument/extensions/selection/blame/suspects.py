"""Methods and lines that failing tests ran, the most suspicious first, by Ochiai's coefficient: failing / sqrt(all
failing * all that ran it). 1: all failing tests ran it, and no other one.

Of equally suspicious methods, those come first that ended by an exception in a failing test, then those that fewer
tests ran, then those that ran in the failing tests least often: what is called once is nearer to the failure than what
everything calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from classhook.base.test_words import PASSED
from classhook.extensions.selection.blame.runs import BAD, TestsOfRun
from classhook.extensions.selection.hierarchy import MethodName
from classhook.model.test_runs import TestRun
from classhook.reports.coverage.context_coverage import numbers


@dataclass(frozen=True, slots=True)
class Suspect:
    """A method, or a line of a source file. `failing`, `passing`: how many tests ran it; `threw`: it ended by an
    exception in a failing test."""

    what: MethodName | tuple[str, int]
    score: float
    failing: int
    passing: int
    threw: bool = False
    calls: int = 0


def methods(run: TestsOfRun, failed: Sequence[TestRun]) -> list[Suspect]:
    """The methods that these failing tests of a run ran."""
    bad, good = _numbers(run)
    every = [run.done[one.context] for one in failed if one.context in run.done]
    names = set[MethodName]().union(*(done.ran for done in every))
    failing, passing = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for contexts, counts in ((bad, failing), (good, passing)):
        for context in contexts:
            for name in run.done[context].ran & names:
                counts[name] += 1
    found = [
        Suspect(
            name,
            failing[name] / sqrt(len(bad) * (failing[name] + passing[name])),
            failing[name],
            passing[name],
            any(name in done.exceptions for done in every),
            sum(done.calls.get(name, 0) for done in every),
        )
        for name in names
    ]
    return sorted(found, key=lambda one: (-one.score, not one.threw, one.passing, one.calls, one.what))


def lines(run: TestsOfRun, failed: Sequence[TestRun]) -> list[Suspect]:
    """The lines that these failing tests ran, if a rule `cover` recorded them."""
    bad, good = _numbers(run)
    wanted: dict[str, int] = {}
    for one in failed:
        for source, bits in run.done[one.context].lines.items() if one.context in run.done else ():
            wanted[source] = wanted.get(source, 0) | bits
    failing, passing = dict[tuple[str, int], int](), dict[tuple[str, int], int]()
    for contexts, counts in ((bad, failing), (good, passing)):
        for context in contexts:
            for source, bits in run.done[context].lines.items():
                for line in numbers(bits & wanted.get(source, 0)):
                    counts[source, line] = counts.get((source, line), 0) + 1
    found = [
        Suspect(line, n / sqrt(len(bad) * (n + passing.get(line, 0))), n, passing.get(line, 0))
        for line, n in failing.items()
    ]
    return sorted(found, key=lambda one: (-one.score, one.what))


def _numbers(run: TestsOfRun) -> tuple[list[str], list[str]]:
    """The contexts of the tests that failed, and of those that passed."""
    known = [one for one in run.tests if one.context in run.done]
    return (
        list(dict.fromkeys(one.context for one in known if one.status in BAD)),
        list(dict.fromkeys(one.context for one in known if one.status == PASSED)),
    )
