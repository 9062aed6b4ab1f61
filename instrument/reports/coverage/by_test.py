"""Coverage by test, or by any context: what each covered, what only it did, which tests add nothing, which lines
failing tests ran.

1. A line or branch is *only* a test's if no other test covered it, nor what ran outside of tests: in their containers'
   set-up, static initialisers that ran before the first one, threads that belong to none.
2. Tests that add nothing are found greedily: code that ran outside is covered; then the test that covers most of the
   rest comes next, until nothing is missing. The others could all be left out together, and coverage would be the same.
   There may be smaller sets, and other sets of this size.
3. Ochiai's coefficient says how suspicious lines are that failing tests ran: failing / sqrt(all failing * all that ran
   the line). 1: all failing tests ran it, and no other.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from classhook.model.snapshot import Snapshot
from classhook.reports.coverage.context_coverage import OUTSIDE, Covers, FileContexts, Method, numbers

FAILED = "failed"
PASSED = "passed"
DID_NOT_RUN = ("skipped", "aborted")  # nobody knows what such a test would add
TEST = "test"

Files = dict[str, Covers]  # by source


@dataclass(slots=True)
class Test:
    """A test, or context, and what it covered, by source file. `number`: of the context; `status` and `duration_ns`: as
    the framework has them, empty and None if that is not known; `only`: what nothing else covered; `adds`: whether it
    is among the tests that cover all together."""

    __test__ = False  # pytest does not take it for one of its own

    number: int
    name: str
    status: str = ""
    duration_ns: int | None = None
    files: Files = field(default_factory=dict)
    only: Files = field(default_factory=dict)
    adds: bool = True

    @property
    def lines(self) -> int:
        return _lines(self.files)

    @property
    def branches(self) -> int:
        return _branches(self.files)

    @property
    def only_lines(self) -> int:
        return _lines(self.only)

    @property
    def only_branches(self) -> int:
        return _branches(self.only)


@dataclass(slots=True)
class Suspect:
    """A line that failing tests ran. `failing` and `passing`: how many tests of each; `score`: Ochiai's coefficient."""

    source: str
    line: int
    failing: int
    passing: int
    score: float


@dataclass(slots=True)
class ByTest:
    """`by`: "test" or "context"; `tests`: in the order of their contexts; `outside`: what was covered outside of them;
    `methods`: of each source file, by their bits; `lines`: of each source file, those with code."""

    by: str
    tests: list[Test] = field(default_factory=list)
    outside: Files = field(default_factory=dict)
    methods: dict[str, list[Method]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    @property
    def superfluous(self) -> list[Test]:
        """Tests that add nothing to the others."""
        return [one for one in self.tests if not one.adds]

    @property
    def suspects(self) -> list[Suspect]:
        """Lines that failing tests ran, the most suspicious first."""
        failing = [one for one in self.tests if one.status == FAILED]
        passing = [one for one in self.tests if one.status == PASSED]
        found: list[Suspect] = []
        for source in sorted({source for one in failing for source in one.files}):
            by_line: dict[int, list[int]] = {}
            for one in failing:
                for line in numbers(one.files[source].lines) if source in one.files else ():
                    by_line.setdefault(line, [0, 0])[0] += 1
            suspicious = sum([1 << line for line in by_line])
            for one in passing:
                for line in numbers(one.files[source].lines & suspicious) if source in one.files else ():
                    by_line[line][1] += 1
            for line, (failed, passed) in by_line.items():
                found.append(Suspect(source, line, failed, passed, failed / sqrt(len(failing) * (failed + passed))))
        return sorted(found, key=lambda one: (-one.score, one.source, one.line))


def by_test(by: str, contexts: list[str], files: Iterable[FileContexts], snapshot: Snapshot) -> ByTest:
    """Puts together the coverage of all files. `contexts`: their names, by number. With `by` "test", contexts that
    are known to be no tests count as outside of them."""
    found = ByTest(by)
    runs = _runs(snapshot) if by == TEST else {}
    tests: dict[int, Test] = {}
    for number, name in enumerate(contexts):
        status, duration, is_test = runs.get(name, ("", None, not runs))
        if number != OUTSIDE and is_test:
            tests[number] = Test(number, name, status, duration)
    found.tests = list(tests.values())
    for file in files:
        found.methods[file.source] = file.methods
        found.lines[file.source] = file.lines
        once, more = Covers(), Covers()
        for number, covers in file.contexts.items():
            if number in tests:
                tests[number].files[file.source] = covers
                more.lines |= once.lines & covers.lines
                more.branches |= once.branches & covers.branches
                once.lines |= covers.lines
                once.branches |= covers.branches
            else:
                outside = found.outside.setdefault(file.source, Covers())
                outside.lines |= covers.lines
                outside.branches |= covers.branches
                outside.methods |= covers.methods
        if file.source in found.outside:
            more.lines |= found.outside[file.source].lines
            more.branches |= found.outside[file.source].branches
        for number in file.contexts.keys() & tests.keys():
            covers = file.contexts[number]
            only = Covers(covers.lines & ~more.lines, covers.branches & ~more.branches)
            if only.lines or only.branches:
                tests[number].only[file.source] = only
    _choose(found)
    return found


def _runs(snapshot: Snapshot) -> dict[str, tuple[str, int | None, bool]]:
    """The runs by context: how the test ended when it was run last, how long it took in all, and whether it is a
    test."""
    found: dict[str, tuple[str, int | None, bool]] = {}
    runs: list[Any] = sorted(snapshot.tests, key=lambda run: run.started_unix_ns)
    for run in runs:
        before = found.get(run.context, ("", 0, False))[1] or 0
        found[run.context] = run.status, before + run.duration_ns, run.kind == TEST
    return found


def _choose(found: ByTest) -> None:
    """Marks the tests that add nothing. How much a test adds only gets less, so those that looked best are looked at
    again first."""
    covered = {source: Covers(one.lines, one.branches) for source, one in found.outside.items()}
    waiting = [
        (-_missing(test.files, {}), place) for place, test in enumerate(found.tests) if test.status not in DID_NOT_RUN
    ]
    heapq.heapify(waiting)
    while waiting:
        _, place = heapq.heappop(waiting)
        test = found.tests[place]
        adds = _missing(test.files, covered)
        if waiting and adds and -adds > waiting[0][0]:
            heapq.heappush(waiting, (-adds, place))
            continue
        test.adds = adds > 0
        for source, one in test.files.items() if adds else ():
            known = covered.setdefault(source, Covers())
            known.lines |= one.lines
            known.branches |= one.branches


def _missing(files: Files, covered: Files) -> int:
    """The number of these lines and branches that are not covered."""
    found = 0
    for source, one in files.items():
        known = covered.get(source)
        lines, branches = (
            (one.lines & ~known.lines, one.branches & ~known.branches) if known else (one.lines, one.branches)
        )
        found += lines.bit_count() + branches.bit_count()
    return found


def _lines(files: Files) -> int:
    return sum([one.lines.bit_count() for one in files.values()])


def _branches(files: Files) -> int:
    return sum([one.branches.bit_count() for one in files.values()])
