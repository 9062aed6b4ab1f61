"""The rows of `source_files` in the report as JSON: one for each source file, and for each class without one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TextIO

from classhook.coverage.counters import KINDS
from classhook.measures.tables import tables
from classhook.reports import Options
from classhook.reports import json as as_json
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes, tests_json
from classhook.reports.coverage.text import piece as text_piece

WORDS = True
NAMES = [f"{kind.lower()}_{side}" for kind in KINDS for side in ("missed", "covered")]


def piece(part: AnalysedPackage, wishes: Wishes) -> list[dict[str, Any]]:
    """The package's rows."""
    return [
        {
            "source": name,
            **dict(zip(NAMES, counters, strict=True)),
            "missed_lines": missed,
            "missed_branches": [{"line": line, "text": text} for line, text in words],
        }
        for name, counters, missed, words in text_piece(part, wishes)
    ]


def source_files(whole: Whole) -> list[dict[str, Any]]:
    """All rows."""
    return [row for package in whole.packages for row in package.piece]


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the same object as `classhook report -f json`, whose other tables are empty."""
    shown: dict[str, dict[Any, Any]] = {table.name: {} for table in tables()} | {
        "coverage": whole.snapshot.tables["coverage"]
    }
    snapshot = replace(whole.snapshot, tables=shown, source_files=source_files(whole))
    snapshot.coverage_by_test = tests_json.as_dict(whole.by_test) if whole.by_test else None
    as_json.report(snapshot, Options(all=wishes.all), out)
