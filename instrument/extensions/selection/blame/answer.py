"""Why tests failed: what is known of each, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.extensions.selection.blame import suspects
from classhook.extensions.selection.blame.differences import Differences, compared
from classhook.extensions.selection.blame.polluters import Order, ranked
from classhook.extensions.selection.blame.runs import BAD, TestsOfRun, last_bad, last_good, runs_of
from classhook.extensions.selection.blame.suspects import Suspect
from classhook.extensions.selection.facts import ClassFacts
from classhook.model.snapshot import Snapshot
from classhook.model.test_runs import TestRun
from classhook.reports.tests import named

RECORD = "classhook run --tests -e 'count com.acme.**::*' -- mvn test"
NOTHING_COUNTED = (
    "nothing was counted in its tests, so only their names are known; a rule must count the program and its tests, such"
    " as -e 'count com.acme.**::*' or -e 'cover com.acme.** hits exact'"
)


@dataclass(slots=True)
class Blamed:
    """A failed test, in the run `bad`. `good`: the last run in which it passed; `differences`: from that; `order`:
    tests before it whose state it may have seen, if its classes are the same as then; `alone`: whether it failed alone,
    if that was tried."""

    test: TestRun
    bad: TestsOfRun
    good: TestsOfRun | None
    methods: list[Suspect]
    lines: list[Suspect]
    differences: Differences | None = None
    order: Order | None = None
    alone: bool | None = None


@dataclass(slots=True)
class Answer:
    """`run`: that of the tests; `failed`: how many tests of it failed; `asked`: the test that is meant, if it is one;
    `snapshot`: for the names of methods."""

    run: TestsOfRun
    failed: int
    asked: str = ""
    blamed: list[Blamed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def snapshot(self) -> Snapshot:
        return self.run.snapshot


def answer(files: Sequence[Path], since: Sequence[Path], classes: dict[str, ClassFacts], name: str = "") -> Answer:
    """Why the tests of the last run failed, or the one of this name when it failed last. `since`: data of earlier, good
    runs; `classes`: the program's, empty if they are not there. Raises UsageError."""
    runs, earlier = runs_of(files), runs_of(since) if since else []
    if not runs:
        raise UsageError(f"no tests were recorded: `{RECORD}` does")
    run, context = runs[-1], ""
    if name:
        context = next((known for one in reversed(runs) if (known := _known(one, name))), "") or named(
            run.snapshot, name
        )
        last = last_bad(context, runs) or next((one for one in reversed(runs) if one.within(context)), None)
        if last is None:
            raise UsageError(f"{name}: no test of {context} was recorded")
        run = last
    failed = [one for one in run.tests if one.status in BAD]
    found = Answer(run, len(failed), context)
    asked = [one.context for one in run.within(context)] if context else []
    wanted = [one for one in failed if not context or one.context in asked]
    if wanted and not run.counted:
        found.notes.append(NOTHING_COUNTED)
    for test in wanted:
        good = last_good(test.context, [*earlier, *(one for one in runs if one is not run)])
        found.blamed.append(_blamed(test, run, good, classes))
    used = {id(one): one for one in (run, *(blamed.good for blamed in found.blamed)) if one is not None}
    for one in used.values():
        found.notes += [*one.snapshot.notes, *(note for process in one.snapshot.processes for note in process.notes)]
    return found


def _known(run: TestsOfRun, name: str) -> str:
    try:
        return named(run.snapshot, name)
    except UsageError:
        return ""


def _blamed(test: TestRun, run: TestsOfRun, good: TestsOfRun | None, classes: dict[str, ClassFacts]) -> Blamed:
    if test.context not in run.done:
        return Blamed(test, run, good, [], [])
    one = Blamed(test, run, good, suspects.methods(run, [test]), suspects.lines(run, [test]))
    if good is not None:
        one.differences = compared(test.context, good, run)
    if classes and not (one.differences is not None and one.differences.altered):
        one.order = ranked(classes, test, run, good, one.differences.methods if one.differences else ())
    return one
