"""The times of a suite of tests: each moment of a JVM belongs to tests, to their surroundings, or to neither."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from classhook.base.test_words import CONTAINER, SET_UP, TEST
from classhook.model.snapshot import Process, Snapshot
from classhook.model.test_runs import SET_UPS, TestRun

AT_ONCE = 1_000_000  # ns by which two clocks may differ


@dataclass(slots=True)
class SuiteTimes:
    """Times in ns, of all JVMs that ran tests.

    jvms: how many
    tests: at least one test ran
    set_ups: the tests that ran waited for what was set up for others, too
    containers: no test ran, but a class or another container was begun: set-up, tear-down, and the framework
    before: the JVM's start, until the first of both began
    between: neither was begun, but there were some before and after
    after: from the last one's end to that of the JVM
    others: JVMs that ran no tests, and how long they ran: each by itself, even if they ran at the same time
    """

    jvms: int = 0
    tests: int = 0
    set_ups: int = 0
    containers: int = 0
    before: int = 0
    between: int = 0
    after: int = 0
    others: int = 0
    others_ns: int = 0

    @property
    def whole(self) -> int:
        return self.tests + self.set_ups + self.containers + self.before + self.between + self.after


def with_set_ups(snapshot: Snapshot) -> list[TestRun]:
    """The tests and containers, and what was set up within them."""
    return [*snapshot.tests, *SET_UPS.get(snapshot)]


def suite_times(snapshot: Snapshot) -> SuiteTimes:
    """The times of all data files."""
    found = SuiteTimes()
    by_pid: dict[int, list[TestRun]] = {}
    for run in with_set_ups(snapshot):
        by_pid.setdefault(run.pid, []).append(run)
    for process in snapshot.processes:
        runs = by_pid.get(process.pid)
        if runs:
            _add(found, process, runs)
        else:
            found.others += 1
            found.others_ns += process.duration_ns
    return found


def _add(found: SuiteTimes, process: Process, runs: Iterable[TestRun]) -> None:
    begin, end = process.start_unix_ns, process.start_unix_ns + process.duration_ns
    changes: list[tuple[int, int, str]] = []
    for run in runs:
        started = max(begin, min(run.started_unix_ns, end))
        changes += [(started, 1, run.kind), (min(started + run.duration_ns, end), -1, run.kind)]
    changes.sort()
    open_ = dict.fromkeys((TEST, CONTAINER, SET_UP), 0)
    at = begin
    found.jvms += 1
    for time, change, kind in changes:
        passed, at = time - at, time
        if open_[SET_UP] and open_[SET_UP] >= open_[TEST]:
            found.set_ups += passed
        elif open_[TEST]:
            found.tests += passed
        elif open_[CONTAINER]:
            found.containers += passed
        elif time == changes[0][0]:
            found.before += passed
        else:
            found.between += passed
        open_[kind] += change
    found.after += end - at


def own_times(runs: Iterable[TestRun], of: Callable[[TestRun], int] = lambda run: run.duration_ns) -> dict[int, int]:
    """The time of each run, by its id(), without that of the runs that it contains, which may have run at the same
    time: not below zero. `of`: the time of a run."""
    runs = list(runs)
    inner: dict[tuple[int, str], int] = {}
    for run in runs:
        if run.parent:
            inner[run.pid, run.parent] = inner.get((run.pid, run.parent), 0) + of(run)
    return {id(run): max(0, of(run) - inner.get((run.pid, run.context), 0)) for run in runs}


def initialisers(runs: Iterable[TestRun]) -> dict[int, int]:
    """The time of static initialisers in each run, by its id(), without the runs that it contains. Of JVMs in which
    several tests ran at the same time, none: HotSpot counts all threads together."""
    runs = sorted(runs, key=lambda run: run.started_unix_ns)
    ended: dict[int, int] = {}  # by JVM, the last end of a test so far
    parallel: set[int] = set()
    for run in runs:
        if run.kind == TEST:
            if run.started_unix_ns + AT_ONCE < ended.get(run.pid, 0):
                parallel.add(run.pid)
            ended[run.pid] = max(ended.get(run.pid, 0), run.started_unix_ns + run.duration_ns)
    return own_times([run for run in runs if run.pid not in parallel], lambda run: run.initialisers_ns)
