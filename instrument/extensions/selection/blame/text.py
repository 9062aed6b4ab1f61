"""The answer as text: a part for each failed test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from classhook.base.names import numbered, printable
from classhook.extensions.selection.blame.answer import Answer, Blamed
from classhook.extensions.selection.blame.differences import Differences
from classhook.extensions.selection.blame.names import method
from classhook.extensions.selection.blame.polluters import Candidate, Order
from classhook.extensions.selection.blame.runs import TestsOfRun
from classhook.extensions.selection.blame.suspects import Suspect
from classhook.extensions.selection.blame.traces import Trace, label
from classhook.extensions.selection.hierarchy import MethodName
from classhook.model.snapshot import Snapshot
from classhook.reports.coverage.context_coverage import numbers

LINES_SHOWN = 20  # numbers of one file


def text(answer: Answer, top: int) -> str:
    """The whole answer. `top`: rows of each list; 0: all."""
    said = _said(answer)
    parts = ["\n".join(Page(answer.snapshot, one, top).lines()) for one in answer.blamed]
    return "\n\n".join([said, *parts] if said else parts) + "\n"


def _said(answer: Answer) -> str:
    """Says how many tests failed; empty if just one test is asked for."""
    tests = len({one.context for one in answer.run.tests})
    if answer.asked and not answer.blamed:
        return f"{printable(answer.asked)} failed in no run of this data."
    if not answer.failed:
        return f"No test failed in the last run, of {when(answer.run)}: {numbered(tests, 'tests')}."
    return f"{answer.failed:,} of {numbered(tests, 'tests')} failed." if len(answer.blamed) > 1 else ""


def when(run: TestsOfRun) -> str:
    """The time of a run."""
    return datetime.fromtimestamp(run.begin_unix_ns / 1e9).strftime("%Y-%m-%d %H:%M:%S")


class Page:
    """The text about one test."""

    def __init__(self, snapshot: Snapshot, one: Blamed, top: int) -> None:
        self.snapshot, self.one, self.top = snapshot, one, top

    def lines(self) -> Iterator[str]:
        one = self.one
        yield f"{printable(one.test.context)} {one.test.status}"
        if one.test.exception:
            yield f"  {printable(one.test.exception)}"
        yield from self._differences()
        yield from self._suspects()
        if one.order is not None and one.order.before:
            yield from self._order(one.order)

    # ---- compared with the last good run

    def _differences(self) -> Iterator[str]:
        one = self.one
        if one.good is None:
            yield "It passed in no run of this data; --since DIR names the data of a good run."
            return
        found = one.differences
        if found is None or not found.some:
            yield f"It did the same as in its last good run, of {when(one.good)}, as far as was counted."
            return
        yield f"Compared with its last good run, of {when(one.good)}:"
        yield from self._changes(found)

    def _changes(self, found: Differences) -> Iterator[str]:
        rows: list[tuple[str, list[str]]] = [
            ("compiled anew", [name.replace("/", ".") for name in found.altered]),
            ("threw newly", [self._thrown(name, *two) for name, two in found.thrown.items()]),
            ("called newly", [self._called(name, n) for name, n in _most(found.newly)]),
            ("called no more", [self._called(name, n) for name, n in _most(found.no_more)]),
            (
                "calls changed",
                [f"{self._name(name)} ({then:,} -> {now:,})" for name, (then, now) in found.changed.items()],
            ),
            ("took other branches", [self._name(name) for name in found.branches]),
            ("lines newly covered", [_numbers(source, bits) for source, bits in found.lines_newly.items()]),
            ("lines no more covered", [_numbers(source, bits) for source, bits in found.lines_no_more.items()]),
        ]
        for title, entries in rows:
            if entries:
                yield f"  {title}:"
                yield from self._list(entries)

    def _called(self, name: MethodName, calls: int) -> str:
        return f"{self._name(name)} ({numbered(calls, 'calls')})" if calls else self._name(name)

    def _thrown(self, name: MethodName, then: int, now: int) -> str:
        return f"{self._name(name)} ({then:,} -> {now:,})" if then else self._name(name)

    # ---- suspicious code

    def _suspects(self) -> Iterator[str]:
        for found, noun in ((self.one.methods, "methods"), (self.one.lines, "lines")):
            if found:
                yield f"Suspicious {noun} (Ochiai's coefficient; tests that ran it: failed, passed):"
                yield from self._list([self._suspect(one) for one in found])

    def _suspect(self, one: Suspect) -> str:
        first, second = one.what
        name = f"{first}:{second}" if isinstance(second, int) else self._name((first, second))
        return f"{one.score:.2f} {one.failing:>4,} {one.passing:>4,}  {name}{'  threw' if one.threw else ''}"

    # ---- other tests

    def _order(self, order: Order) -> Iterator[str]:
        before = f"{order.before:,} ran before it"
        if self.one.alone is not None and self.one.alone == order.is_victim:
            yield f"It {'fails' if order.is_victim else 'passes'} alone, too: no other test is to blame."
            return
        if not order.candidates:
            yield f"No other test may have changed static state that it reads ({before})."
            return
        yield (
            f"Tests that may have changed static state that it reads, the likeliest first ({before}):"
            if order.is_victim
            else "It may need static state that one of these tests leaves, which ran before it when it passed; the"
            f" likeliest first ({before}):"
        )
        yield from self._list([self._candidate(one) for one in order.candidates])

    def _candidate(self, one: Candidate) -> str:
        said = {True: "verified: ", False: "not so, tried: ", None: ""}[one.verdict]
        _, trace, _ = one.traces[0]
        return f"{said}{printable(one.test.context)}: {self._trace(trace)}"

    def _trace(self, trace: Trace) -> str:
        named = f" ({', '.join(map(printable, trace.texts[:3]))})" if trace.texts else ""
        return f"{label(trace.field)}{named}: {self._name(trace.by)} {trace.how.text}"

    # ---- what these share

    def _name(self, name: MethodName) -> str:
        return method(self.snapshot, name)

    def _list(self, entries: list[str]) -> Iterator[str]:
        shown = entries[: self.top] if self.top else entries
        yield from (f"    {entry}" for entry in shown)
        if len(entries) > len(shown):
            yield f"    {len(entries) - len(shown):,} more; --top N or --top 0 shows them"


def _most(calls: dict[MethodName, int]) -> Iterable[tuple[MethodName, int]]:
    return sorted(calls.items(), key=lambda item: (-item[1], item[0]))


def _numbers(source: str, bits: int) -> str:
    found = numbers(bits)
    more = f", and {len(found) - LINES_SHOWN:,} more" if len(found) > LINES_SHOWN else ""
    return f"{printable(source)}: {', '.join(map(str, found[:LINES_SHOWN]))}{more}"
