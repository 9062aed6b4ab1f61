"""Coverage by test as text: a line for each test, those first that cover most of what nothing else does; then tests
that add nothing, and lines that failing tests ran."""

from __future__ import annotations

from collections.abc import Iterator

from classhook.base.names import numbered, printable, several, them, time_label
from classhook.base.row_names import NamePart, RowName
from classhook.reports.coverage import Wishes
from classhook.reports.coverage.by_test import FAILED, TEST, ByTest, Test
from classhook.reports.text_table import TextTable

NAMES_SHOWN = 5  # of tests that add nothing


def lines(found: ByTest, wishes: Wishes) -> Iterator[str]:
    """The lines of the report below its first one."""
    noun = "test" if found.by == TEST else "context"
    tests = sorted(found.tests, key=lambda one: (-one.only_lines, -one.only_branches, -one.lines, one.name))
    covered = {source: 0 for source in found.lines}
    for test in tests:
        for source, one in test.files.items():
            covered[source] |= one.lines
    of_all, of_outside = (
        sum(map(int.bit_count, covered.values())),
        sum([one.lines.bit_count() for one in found.outside.values()]),
    )
    total = sum(map(int.bit_count, found.lines.values()))
    yield (
        f"{numbered(len(tests), f'{noun}s')} covered {of_all:,} of {several(total, 'line')}; outside of {noun}s,"
        f" {of_outside:,} were covered"
    )
    yield from _table(tests if wishes.all or not wishes.top else tests[: wishes.top], noun)
    if (more := len(tests) - wishes.top) > 0 and not wishes.all and wishes.top:
        yield f"{several(more, f'more {noun}')}; --top N or --top 0 shows {them(more)}"
    if found.superfluous and (wishes.all or len(found.superfluous) <= NAMES_SHOWN):
        yield f"{_adding_nothing(found, noun)}:"
        yield from (f"  {printable(one.name)}" for one in found.superfluous)
    elif found.superfluous:
        yield f"{_adding_nothing(found, noun)}; --all lists them"
    yield from _suspects(found, wishes)


def _table(tests: list[Test], noun: str) -> Iterator[str]:
    known = any(one.status for one in tests)
    times = any(one.duration_ns is not None for one in tests)
    table = TextTable(
        ["lines", "only it", "branches", "only it", *(["time"] if times else []), *(["status"] if known else [])], noun
    )
    for one in tests:
        numbers = [f"{n:,}" for n in (one.lines, one.only_lines, one.branches, one.only_branches)]
        numbers += [time_label(one.duration_ns) if one.duration_ns is not None else "-"] if times else []
        table.add_row(
            [*numbers, *([one.status or "-"] if known else [])], RowName((NamePart("", printable(one.name)),))
        )
    if tests:
        yield from table.lines()


def _adding_nothing(found: ByTest, noun: str) -> str:
    n = len(found.superfluous)
    together = "" if n == 1 else ", all of them together"
    return (
        f"{several(n, noun)} {'adds' if n == 1 else 'add'} nothing to what the others cover{together} (found greedily);"
        f" {'it' if n == 1 else 'they'} may still check what no other one does"
    )


def _suspects(found: ByTest, wishes: Wishes) -> Iterator[str]:
    suspects = found.suspects
    if not suspects:
        return
    failing = sum(one.status == FAILED for one in found.tests)
    alone = [one for one in suspects if not one.passing]
    shown = suspects if wishes.all or not wishes.top else suspects[: wishes.top]
    yield (
        f"{several(failing, 'test')} failed; {several(len(alone), 'line')} ran in no test that passed. Most suspicious,"
        " by Ochiai's coefficient:"
    )
    table = TextTable(["score", "failed", "passed"], "line")
    for one in shown:
        table.add_row(
            [f"{one.score:.2f}", f"{one.failing:,}", f"{one.passing:,}"],
            RowName((NamePart("", printable(f"{one.source}:{one.line}")),)),
        )
    yield from table.lines()
    if len(suspects) > len(shown):
        more = len(suspects) - len(shown)
        yield f"{several(more, 'more line')} that failing tests ran; --top N or --top 0 shows {them(more)}"
