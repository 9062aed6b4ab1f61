"""Tests on the page of coverage: which of them ran each line, a row for each, and the part that opens from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from classhook.base.names import printable
from classhook.reports.coverage import Summary, ranges
from classhook.reports.coverage.by_test import ByTest
from classhook.reports.coverage.context_coverage import FileContexts, numbers


def by_line(told: FileContexts) -> tuple[dict[int, int], list[list[int]]]:
    """The tests of each line, as a place in the list, which has the numbers of their contexts. Most lines of a method
    have the same."""
    of_lines: dict[int, list[int]] = {}
    for context, covers in sorted(told.contexts.items()):
        for line in numbers(covers.lines):
            of_lines.setdefault(line, []).append(context)
    places: dict[tuple[int, ...], int] = {}
    found = {line: places.setdefault(tuple(contexts), len(places)) for line, contexts in sorted(of_lines.items())}
    return found, [list(contexts) for contexts in places]


class Tests:
    """`data`: what the page has at once: what to call tests, all names by number, and a row for each test (number,
    lines, lines that only it covered, branches, likewise, time in ms, status, whether it adds anything); `contents`:
    what each test opens: the numbers of package and file, and stretches of lines, all and those that only it
    covered."""

    __test__ = False  # pytest does not take it for one of its own

    def __init__(self, found: ByTest, contexts: Sequence[str], packages: Sequence[Summary]) -> None:
        places: dict[str, tuple[int, int]] = {}
        for i, package in enumerate(packages):
            named = {file.row[0]: j for j, file in reversed(list(enumerate(package.piece))) if not file.row[4]}
            for told in package.told:
                name = told.source.rpartition("/")[2]
                if (j := named.get(printable(name), named.get(printable(name.replace("$", "."))))) is not None:
                    places[told.source] = i, j
        tests = sorted(found.tests, key=lambda one: (-one.only_lines, -one.only_branches, -one.lines, one.name))
        rows: list[list[Any]] = []
        self.contents: list[list[Any]] = []
        for one in tests:
            took = None if one.duration_ns is None else round(one.duration_ns / 1e6, 3)
            rows.append(
                [one.number, one.lines, one.only_lines, one.branches, one.only_branches, took, one.status, one.adds]
            )
            files = []
            for source, covers in sorted(one.files.items()):
                if source in places and covers.lines:
                    only = one.only[source].lines if source in one.only else 0
                    files.append([*places[source], ranges(numbers(covers.lines)), ranges(numbers(only))])
            self.contents.append(files)
        self.data = {"what": found.by, "names": [printable(name) for name in contexts], "rows": rows}
