"""Tests whose state a test may have seen: those that ran before it and may have changed a static field that it reads.

A test that fails in the suite, and passes alone, is a victim of another one that ran before it; one that passes in the
suite only, and fails alone, needs another one. In both cases, the candidates are those that ran before it, in the run
with more tests. They are ranked by the product of

1. how surely a method that ran in them changes the field (traces.py);
2. how much the field concerns the test: more, if a method that reads it did something else than in the last good run;
   less, if the test sets it itself;
3. how few of the tests before it change the field as surely. Of those that set it, the last one counts: others' values
   are gone;
4. whether they also ran before the test when it passed;
5. whether they made objects of a class whose methods ran in the test where it did something else, though it made none.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from math import sqrt

from classhook.extensions.selection import settings
from classhook.extensions.selection.blame.runs import TestsOfRun
from classhook.extensions.selection.blame.traces import OF_SOME_OBJECT, How, Trace, Traces
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.hierarchy import MethodName
from classhook.extensions.selection.static_state import Field
from classhook.model.test_runs import TestRun

INIT = "<init>"
DIFFERS = 2.0  # how much more a field counts that is read where the test did something else
ITSELF = 0.4  # ... and one that the test sets itself
EARLIER = 0.5  # a test that set the field, if another one did so after it
HARMLESS = 0.3  # a test that also ran before when the test passed
ELSEWHERE = 0.4  # a method that changes objects of the field's class, in a test that does not read the field
MADE = 2.0  # a test that made objects which the test concerned only uses
UNNAMED = 0.4  # system properties whose names nobody knows
SHOWN = 3  # traces of a candidate that are kept


@dataclass(slots=True)
class Candidate:
    """A test, or what was set up for a class. `traces`: the likeliest first, each with its score and the methods of the
    test concerned that read the field; `verdict`: what verifying it showed; None: nothing yet."""

    test: TestRun
    score: float
    traces: list[tuple[float, Trace, list[MethodName]]] = field(default_factory=list)
    verdict: bool | None = None


@dataclass(slots=True)
class Order:
    """`is_victim`: the test fails after others; else it needs one of them."""

    is_victim: bool
    candidates: list[Candidate] = field(default_factory=list)
    before: int = 0  # tests and containers that ran before it


def ranked(
    classes: dict[str, ClassFacts],
    test: TestRun,
    bad: TestsOfRun,
    good: TestsOfRun | None,
    differing: Collection[MethodName] = (),
) -> Order:
    """The candidates, the likeliest first. `differing`: methods that did something else in the good run."""
    passed = good.of(test.context) if good is not None else None
    before_bad = {run.context for run in bad.before(test)}
    if good is None or passed is None:
        return Ranking(classes, bad, test, (), differing).order(is_victim=True)
    before_good = {run.context for run in good.before(passed)}
    if before_bad - before_good or not before_good - before_bad:
        return Ranking(classes, bad, test, before_good, differing).order(is_victim=True)
    return Ranking(classes, good, passed, before_bad, differing).order(is_victim=False)


class Ranking:
    """The candidates of one test in one run. `harmless`: contexts that the other run also had before it."""

    def __init__(
        self,
        classes: dict[str, ClassFacts],
        run: TestsOfRun,
        test: TestRun,
        harmless: Collection[str],
        differing: Collection[MethodName],
    ) -> None:
        self.traces = Traces(classes, {name for done in run.done.values() for name in done.ran})
        self.run, self.test, self.harmless, self.differing = run, test, harmless, {*differing}
        own = run.ran(test).ran
        self.reads = self.traces.reads(own)
        self.itself = set[Field]().union(*(self.traces.sets(name) for name in own))
        self.before = run.before(test)
        self.ran = {one.context: run.done[one.context].ran for one in self.before if one.context in run.done}
        self.candidates: dict[str, Candidate] = {}
        made = {owner for owner, member in own if member.startswith(INIT)}
        self.strangers = {owner for owner, _ in self.differing & own} - made

    def order(self, is_victim: bool) -> Order:
        for one, readers in self.reads.items():
            self._field(one, readers)
        self._defaults()
        for candidate in self.candidates.values():
            ran = self.ran.get(candidate.test.context, ())
            if any(owner in self.strangers and member.startswith(INIT) for owner, member in ran):
                candidate.score *= MADE
        found = sorted(
            self.candidates.values(), key=lambda one: (-one.score, -one.test.started_unix_ns, one.test.context)
        )
        for candidate in found:
            candidate.traces.sort(key=lambda trace: -trace[0])
            del candidate.traces[SHOWN:]
        return Order(is_victim, found, len(self.before))

    def _field(self, one: Field, readers: list[MethodName]) -> None:
        changing = self.traces.of(one)
        read = {*readers} | {name for name in changing if self.traces.reads_field(name, one)}
        found = list[tuple[TestRun, Trace, float]]()
        for test in self.before:
            ran = self.ran.get(test.context, set())
            best = max(
                ((self._surely(changing[name], ran, read), name) for name in ran & changing.keys()), default=None
            )
            if best is not None:
                surely, name = best
                texts = self.traces.properties(name, readers) if one == settings.PROPERTIES else ()
                unnamed = one == settings.PROPERTIES and not texts
                found.append((test, Trace(one, name, changing[name], texts), surely * (UNNAMED if unnamed else 1)))
        self._add(found, one, readers)

    def _surely(self, how: How, ran: Collection[MethodName], read: set[MethodName]) -> float:
        return how.weight * (ELSEWHERE if how in OF_SOME_OBJECT and read.isdisjoint(ran) else 1)

    def _defaults(self) -> None:
        by_field: dict[Field, list[tuple[TestRun, Trace, float]]] = {}
        for test in self.before:
            for name in sorted(self.ran.get(test.context, ())):
                for one in self.traces.defaults(name):
                    by_field.setdefault(one, []).append((test, Trace(one, name, How.DEFAULT), How.DEFAULT.weight))
        for one, found in by_field.items():
            self._add(found, one, [])

    def _add(self, found: list[tuple[TestRun, Trace, float]], one: Field, readers: list[MethodName]) -> None:
        """Adds candidates that may have changed one field."""
        concerns = DIFFERS if not self.differing.isdisjoint(readers) else 1.0
        if one in self.itself:
            concerns *= ITSELF
        last = max((test.started_unix_ns for test, trace, _ in found if trace.how == How.SETS), default=0)
        for test, trace, surely in found:
            as_sure = sum(other >= surely for _, _, other in found)
            score = surely * concerns / sqrt(as_sure)
            if trace.how == How.SETS and test.started_unix_ns < last:
                score *= EARLIER
            if test.context in self.harmless:
                score *= HARMLESS
            candidate = self.candidates.setdefault(test.context, Candidate(test, 0.0))
            candidate.traces.append((score, trace, readers))
            candidate.score = max(candidate.score, score)
