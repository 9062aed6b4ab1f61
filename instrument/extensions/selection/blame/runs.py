"""The runs of tests in data: the last one, and the last one in which a test passed.

A run is what one `classhook run` recorded, in all of its JVMs. A directory has several if it was used again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from classhook.base.test_words import FAILED, PASSED
from classhook.extensions.selection.blame.done import Done, add_lines, each_done
from classhook.model.reading.files import read
from classhook.model.retried_tests import retried_tests
from classhook.model.snapshot import Snapshot
from classhook.model.test_runs import CLASS_FILES, UNFINISHED, TestRun
from classhook.store.runs import repetitions

BAD = (FAILED, UNFINISHED)


@dataclass(slots=True)
class TestsOfRun:
    """A run. `tests`: in the order in which they began, the last attempt of each; classes whose set-up failed are
    among them."""

    __test__ = False  # pytest does not take it for one of its own

    files: list[Path]
    begin_unix_ns: int
    snapshot: Snapshot
    tests: list[TestRun]
    _done: dict[str, Done] = field(default_factory=dict)
    _by_name: dict[str, TestRun] = field(default_factory=dict)
    _parents: dict[int, dict[str, str]] = field(default_factory=dict)  # by JVM: of a context, the one that it is in

    @property
    def done(self) -> dict[str, Done]:
        """The counts of each context, by its name."""
        if not self._done:
            self._done = each_done(self.snapshot)
            add_lines(self._done, self.files, self.snapshot)
        return self._done

    @property
    def counted(self) -> bool:
        """True if it is known what tests ran."""
        return any(self.done[run.context].ran for run in self.tests if run.context in self.done)

    def of(self, context: str) -> TestRun | None:
        """The test of this name."""
        if not self._by_name:
            self._by_name = {run.context: run for run in reversed(self.tests)}
        return self._by_name.get(context)

    def within(self, context: str) -> list[TestRun]:
        """The test of this name, or the tests of this container."""
        return [run for run in self.tests if run.context == context or context in self.around(run)]

    def before(self, test: TestRun) -> list[TestRun]:
        """Tests and containers that began before this one in the same JVM; those that it is in are left out."""
        around = self.around(test)
        return [
            run
            for run in self.snapshot.tests
            if run.pid == test.pid and run.started_unix_ns < test.started_unix_ns and run.context not in around
        ]

    def around(self, test: TestRun) -> list[str]:
        """The contexts of a test and of the containers that it is in."""
        if not self._parents:
            for run in self.snapshot.tests:
                self._parents.setdefault(run.pid, {})[run.context] = run.parent
        parents = self._parents.get(test.pid, {})
        found = [test.context]
        while (parent := parents.get(found[-1], "")) and parent not in found:
            found.append(parent)
        return found

    def ran(self, test: TestRun) -> Done:
        """Returns the calls and probes of a test, with those of its set-up."""
        whole = Done()
        for context in self.around(test):
            one = self.done.get(context, Done())
            for name, calls in one.calls.items():
                whole.calls[name] = whole.calls.get(name, 0) + calls
            whole.probes.update(one.probes)
        return whole


def runs_of(files: Iterable[Path]) -> list[TestsOfRun]:
    """The runs with tests, in the order in which they began."""
    found = []
    for every in repetitions(files).values():
        for run in every:
            snapshot = read(run.files, suggest=False, exact_tree=False)
            tries = retried_tests(snapshot.tests)
            tests = [
                one
                for one in snapshot.tests
                if (one.is_test or one.status == FAILED) and not tries.is_retried(one)  # also a class's failed set-up
            ]
            if tests:
                found.append(TestsOfRun(run.files, run.begin, snapshot, tests))
    return sorted(found, key=lambda one: one.begin_unix_ns)


def last_good(context: str, runs: Iterable[TestsOfRun]) -> TestsOfRun | None:
    """The last of these runs in which a test passed."""
    good = [run for run in runs if (test := run.of(context)) and test.status == PASSED]
    return max(good, key=lambda run: run.begin_unix_ns, default=None)


def last_bad(context: str, runs: Sequence[TestsOfRun]) -> TestsOfRun | None:
    """The last of these runs in which a test, or one of a container, failed."""
    return next((run for run in reversed(runs) if any(one.status in BAD for one in run.within(context))), None)


def altered(before: TestsOfRun, after: TestsOfRun) -> set[str]:
    """The classes, by internal names, that were other ones before."""
    then, now = CLASS_FILES.get(before.snapshot), CLASS_FILES.get(after.snapshot)
    return {
        name
        for name in then.keys() & now.keys()
        if {(one.crc, one.size) for one in then[name]} != {(one.crc, one.size) for one in now[name]}
    }
