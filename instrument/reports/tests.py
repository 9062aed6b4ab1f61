"""Tests in reports: which took longest, which did not pass, and where the time of the suite went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from classhook.base.errors import UsageError
from classhook.base.names import printable, several, time_label
from classhook.base.row_names import plain
from classhook.base.test_words import FAILED, PASSED
from classhook.model.retried_tests import RetriedTests, retried_tests
from classhook.model.snapshot import Snapshot
from classhook.model.suite_times import initialisers, own_times, suite_times, with_set_ups
from classhook.model.test_runs import SET_UPS, STATUSES, UNFINISHED, TestRun
from classhook.reports import Options
from classhook.reports.text_table import TextTable
from classhook.tables.columns import share

BAD = (FAILED, UNFINISHED)


def rows(snapshot: Snapshot) -> list[dict[str, Any]]:
    """The rows for JSON, in the order in which they began."""
    runs = sorted(with_set_ups(snapshot), key=lambda run: (run.started_unix_ns, run.pid))
    own, tries = own_times(runs), retried_tests(snapshot.tests)
    return [
        {
            "context": run.context,
            "class": run.class_name or None,
            "method": run.method or None,
            "display": run.display,
            "kind": run.kind,
            "status": run.status,
            "started_unix_ns": run.started_unix_ns,
            "duration_ns": run.duration_ns,
            "own_ns": own[id(run)],
            "initialisers_ns": run.initialisers_ns,
            "parent": run.parent or None,
            "attempt": run.attempt,
            "retried": tries.is_retried(run),
            "flaky": tries.is_flaky(run),
            "thread": run.thread,
            "source": run.source,
            "exception": run.exception or None,
            "pid": run.pid,
        }
        for run in runs
    ]


def counted(snapshot: Snapshot) -> str:
    """`12 tests: 10 passed (1 flaky), 1 failed, 1 skipped`. If a test was run again after it failed, the last attempt
    counts."""
    tries = retried_tests(snapshot.tests)
    tests = [run for run in snapshot.tests if run.is_test and not tries.is_retried(run)]
    flaky = f" ({len(tries.flaky):,} flaky)" if tries.flaky else ""
    by_status = Counter(run.status for run in tests)
    parts = [
        f"{by_status[status]:,} {status}{flaky if status == PASSED else ''}" for status in STATUSES if by_status[status]
    ]
    return f"{several(len(tests), 'test')}: {', '.join(parts) or 'none ran'}"


def went(snapshot: Snapshot) -> Iterator[tuple[int, str]]:
    """Divides the time of the JVMs with tests: how much, in ns, and for what."""
    times = suite_times(snapshot)
    containers = sum(not run.is_test for run in snapshot.tests)
    yield times.tests, "tests"
    if set_ups := SET_UPS.get(snapshot):
        yield times.set_ups, f"{several(len(set_ups), 'set-up')} for several tests, in the first of them"
    yield times.containers, f"set-up, tear-down and framework in {several(containers, 'container')} of tests"
    yield (
        times.before,
        "start of the JVM, until the first test"
        if times.jvms == 1
        else "start of the JVMs, until the first test of each",
    )
    yield times.between, "between them"
    yield times.after, "after the last test"


def listed(snapshot: Snapshot, options: Options) -> list[TestRun]:
    """The tests that the text report names: those that took longest, and those that did not pass."""
    own = own_times(with_set_ups(snapshot))
    tests = sorted((run for run in snapshot.tests if run.is_test), key=lambda run: (-own[id(run)], run.context))
    shown, tries = tests[: options.top] if options.top else tests, retried_tests(tests)
    return [*shown, *(run for run in tests[len(shown) :] if run.status in BAD or tries.is_flaky(run))]


def lines(snapshot: Snapshot, options: Options) -> Iterator[tuple[str, str]]:
    """Lines of the text report, each with its style."""
    tests, own = [run for run in snapshot.tests if run.is_test], own_times(with_set_ups(snapshot))
    yield counted(snapshot), "bold"
    whole, static = sum(own[id(run)] for run in tests), _static(snapshot)
    shown, tries = listed(snapshot, options), retried_tests(snapshot.tests)
    table = TextTable(["time", "", "status"], "test", frozenset({0}), options.width)
    for run in shown:
        ns = own[id(run)]
        cells = [time_label(ns).strip(), share(ns, whole), shown_status(run, tries)]
        table.add_row(cells, plain(run.context), marks(run) + _of_it(static.get(id(run), 0), ns))
    head, *body = table.lines()
    yield head, "dim"
    for line in body:
        yield line, ""
    if len(tests) > len(shown):
        yield f"  {len(tests) - len(shown):,} more; --top N or --top 0 shows them", "dim"
    if snapshot.each_context is not None:  # it is about all tests
        yield "", ""
        yield from _suite(snapshot)


def shown_status(run: TestRun, tries: RetriedTests) -> str:
    """Empty: it passed at once."""
    if tries.is_retried(run):
        return f"{run.status}, run again"
    return ("flaky" if tries.is_flaky(run) else "") if run.status == PASSED else run.status


def summary(snapshot: Snapshot) -> Iterator[str]:
    """Says in few words what ran, and where the time went."""
    whole = suite_times(snapshot).whole
    yield counted(snapshot)
    parts = [f"{time_label(ns).strip()} {what}" for ns, what in went(snapshot) if ns >= whole / 100]
    yield f"{time_label(whole).strip()} in {several(suite_times(snapshot).jvms, 'JVM')} with tests: {'; '.join(parts)}"


def marks(run: TestRun) -> str:
    """The text after the name: the name that the framework shows, where it says more."""
    name = run.display.removesuffix("()")
    return (
        ""
        if not name or name.partition("(")[0] in (run.method, run.context) or name in run.context
        else f"  {printable(run.display)!r}"
    )


def _static(snapshot: Snapshot) -> dict[int, int]:
    """The time of static initialisers in each run and set-up, by its id()."""
    return initialisers(with_set_ups(snapshot))


def _of_it(static: int, ns: int) -> str:
    """Says that static initialisers took a good part of a test's time."""
    return f"  ({time_label(static).strip()} of it in static initialisers)" if static * 10 > ns else ""


def _suite(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    times = suite_times(snapshot)
    yield f"where the time of {several(times.jvms, 'JVM')} with tests went: {time_label(times.whole).strip()}", "bold"
    for ns, what in went(snapshot):
        yield f"{time_label(ns):>8} {share(ns, times.whole):>6}  {what}", ""
    set_ups = SET_UPS.get(snapshot)
    own = own_times(with_set_ups(snapshot))
    for run in sorted(set_ups, key=lambda run: -own[id(run)])[:3]:
        within = f", in {printable(run.parent)}" if run.parent else ""
        yield f"  {printable(run.context)} {time_label(own[id(run)]).strip()}{within}", ""
    if static := sum(_static(snapshot).values()):
        yield f"  static initialisers took {time_label(static).strip()} of it, in whatever came first", ""
    containers = sorted((run for run in snapshot.tests if not run.is_test), key=lambda run: -own[id(run)])[:3]
    if containers:
        yield (
            "  the longest containers, without their tests: "
            + ", ".join(f"{printable(run.context)} {time_label(own[id(run)]).strip()}" for run in containers),
            "",
        )
    if times.others:
        yield f"  {several(times.others, 'other JVM')} without tests ran for {time_label(times.others_ns).strip()}", ""


def named(snapshot: Snapshot, name: str) -> str:
    """The context of the test of this name: whole, without the package, or as the framework shows it. Raises
    UsageError."""
    contexts = list(dict.fromkeys(run.context for run in snapshot.tests))
    if name in contexts:
        return name
    shown = {run.context for run in snapshot.tests if run.display == name}
    found = [one for one in contexts if one.endswith(("." + name, "::" + name)) or one in shown]
    if len(found) == 1:
        return found[0]
    if not contexts:
        raise UsageError("there are no tests in this data: record them with `classhook run --tests`")
    near = found or [one for one in contexts if name.lower() in one.lower()]
    there = ", ".join((near or contexts)[:10])
    raise UsageError(f"{'several tests are' if found else 'no test is'} named {name!r}; there are {there}")
