"""Coverage by test for programs: the object `coverage_by_test` of the report as JSON."""

from __future__ import annotations

from typing import Any

from classhook.reports.coverage import ranges
from classhook.reports.coverage.by_test import ByTest, Files, Test
from classhook.reports.coverage.context_coverage import numbers


def as_dict(found: ByTest) -> dict[str, Any]:
    """The object."""
    return {
        "by": found.by,
        "tests": [_test(one) for one in found.tests],
        "outside": {
            "lines": sum(one.lines.bit_count() for one in found.outside.values()),
            "files": _files(found.outside, {}),
        },
        "suspects": [
            {
                "source": one.source,
                "line": one.line,
                "failing": one.failing,
                "passing": one.passing,
                "score": round(one.score, 4),
            }
            for one in found.suspects
        ],
    }


def _test(one: Test) -> dict[str, Any]:
    return {
        "test": one.name,
        "status": one.status or None,
        "duration_ns": one.duration_ns,
        "lines": one.lines,
        "only_lines": one.only_lines,
        "branches": one.branches,
        "only_branches": one.only_branches,
        "adds": one.adds,
        "files": _files(one.files, one.only),
    }


def _files(files: Files, only: Files) -> list[dict[str, Any]]:
    return [
        {
            "source": source,
            "lines": ranges(numbers(one.lines)),
            "only": ranges(numbers(only[source].lines)) if source in only else [],
        }
        for source, one in sorted(files.items())
        if one.lines or one.branches
    ]
