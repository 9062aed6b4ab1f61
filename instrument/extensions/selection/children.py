"""Attributes the work of JVMs that tests started to these tests.

1. It belongs to the test that started the JVM; if a container did, such as what is set up for a class, to each test in
   it. Where a JVM that a test started has started another one, that belongs to both, as far as the first one runs tests
   itself.
2. A JVM that ran on after its test had ended, or that was killed, so that its end is unknown, may have served other
   tests: it also belongs to all that ran, or were in a container that ran, meanwhile.
3. If it is not known which test that was, it may belong to any.
"""

from __future__ import annotations

from collections.abc import Iterator

from classhook.extensions.selection.observed import Child, Observed, around, name_of
from classhook.model.test_runs import TestRun


class Starts:
    """The JVMs that tests started."""

    def __init__(self, found: Observed) -> None:
        self.children: dict[int, list[Child]] = {}
        self.runs: dict[tuple[int, str], list[TestRun]] = {}  # a test may run again
        for child in found.children:
            self.children.setdefault(child.pid, []).append(child)
        parents: dict[int, dict[str, str]] = {}
        for run in found.runs:
            self.runs.setdefault((run.pid, run.context), []).append(run)
            parents.setdefault(run.pid, {})[run.context] = run.parent
        self.tests = [(name_of(run), [*around(run, parents[run.pid])], run.pid) for run in found.runs if run.is_test]

    def owners(self, child: Child) -> set[str]:
        """The names of the tests to which it belongs; empty: they are unknown."""
        found, todo, seen = set[str](), [child], set[int]()
        while todo:
            one = todo.pop()
            if id(one) not in seen:
                seen.add(id(one))
                found.update(self._started(one))
                todo += self.children.get(one.starter.pid, [])
        return found

    def _started(self, child: Child) -> Iterator[str]:
        """The tests that started it, and those that ran while it did, if it ran on after them."""
        pid, context = child.starter
        runs = self.runs.get(child.starter, [])
        if not runs:
            return
        yield from (name for name, contexts, of in self.tests if of == pid and context in contexts)
        if child.end_ns is None or not any(_within(child, run) for run in runs):
            yield from (
                name
                for name, contexts, of in self.tests
                if any(_overlap(child, run) for one in contexts for run in self.runs.get((of, one), ()))
            )


def _within(child: Child, run: TestRun) -> bool:
    return (
        child.end_ns is not None
        and run.started_unix_ns <= child.start_ns
        and child.end_ns <= run.started_unix_ns + run.duration_ns
    )


def _overlap(child: Child, run: TestRun) -> bool:
    return run.started_unix_ns + run.duration_ns >= child.start_ns and (
        child.end_ns is None or run.started_unix_ns <= child.end_ns
    )


def give(found: Observed) -> None:
    """Gives tests what ran in the JVMs that they started. Tests of which that is not known any more are taken out."""
    starts = Starts(found)
    lost = set[str]()
    for child in found.children:
        owners = starts.owners(child)
        if not owners:
            found.outside |= child.ran
            found.opened_outside |= child.opened
        for test in map(found.tests.__getitem__, owners):
            test.ran |= child.ran
            test.opened |= child.opened
            test.is_seen &= child.is_seen
        if child.is_lost:
            lost |= owners
    for name in lost:
        del found.tests[name]
