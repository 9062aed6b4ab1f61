"""The answer as JSON."""

from __future__ import annotations

import json
from typing import Any

from classhook.extensions.selection.blame.answer import Answer, Blamed
from classhook.extensions.selection.blame.names import method
from classhook.extensions.selection.blame.polluters import Candidate
from classhook.extensions.selection.blame.traces import label
from classhook.extensions.selection.hierarchy import MethodName
from classhook.model.snapshot import Snapshot
from classhook.reports.coverage.context_coverage import numbers


def as_json(answer: Answer) -> str:
    content = {"failed": answer.failed, "tests": [_test(answer.snapshot, one) for one in answer.blamed]}
    return json.dumps(content, indent=1) + "\n"


def _test(snapshot: Snapshot, one: Blamed) -> dict[str, Any]:
    def counts(some: dict[MethodName, int]) -> list[dict[str, Any]]:
        return [{"method": method(snapshot, name), "calls": n or None} for name, n in some.items()]

    def changes(some: dict[MethodName, tuple[int, int]]) -> list[dict[str, Any]]:
        return [{"method": method(snapshot, name), "before": a, "after": b} for name, (a, b) in some.items()]

    def lines(some: dict[str, int]) -> dict[str, list[int]]:
        return {source: numbers(bits) for source, bits in some.items()}

    found = one.differences
    return {
        "test": one.test.context,
        "status": one.test.status,
        "exception": one.test.exception or None,
        "good_unix_ns": one.good.begin_unix_ns if one.good is not None else None,
        "differences": None
        if found is None
        else {
            "compiled_anew": [name.replace("/", ".") for name in found.altered],
            "threw_newly": changes(found.thrown),
            "called_newly": counts(found.newly),
            "called_no_more": counts(found.no_more),
            "calls_changed": changes(found.changed),
            "other_branches": [method(snapshot, name) for name in found.branches],
            "lines_newly": lines(found.lines_newly),
            "lines_no_more": lines(found.lines_no_more),
        },
        "methods": [
            {
                "method": method(snapshot, (row.what[0], str(row.what[1]))),
                "score": round(row.score, 4),
                "failing": row.failing,
                "passing": row.passing,
                "threw": row.threw,
            }
            for row in one.methods
        ],
        "lines": [
            {
                "source": row.what[0],
                "line": row.what[1],
                "score": round(row.score, 4),
                "failing": row.failing,
                "passing": row.passing,
            }
            for row in one.lines
        ],
        "fails_alone": one.alone,
        "order": None
        if one.order is None
        else {
            "fails": "after other tests" if one.order.is_victim else "without other tests",
            "before": one.order.before,
            "candidates": [_candidate(snapshot, candidate) for candidate in one.order.candidates],
        },
    }


def _candidate(snapshot: Snapshot, one: Candidate) -> dict[str, Any]:
    return {
        "test": one.test.context,
        "score": round(one.score, 4),
        "verified": one.verdict,
        "state": [
            {
                "name": label(trace.field),
                "texts": list(trace.texts),
                "score": round(score, 4),
                "how": trace.how.name.lower(),
                "by": method(snapshot, trace.by),
                "read_by": [method(snapshot, name) for name in readers],
            }
            for score, trace, readers in one.traces
        ],
    }
