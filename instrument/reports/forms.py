"""The forms of reports: one list for all commands and the Python interface.
A new form is a module and a line in FORMS, or in the record of its extension.

The module's functions depend on what the form shows:
- tables and call trees: `report(snapshot, options, out)`
- coverage: `piece(part, wishes)` and `report(whole, wishes, out)` (instrument/reports/coverage)
- changes: `report(sides, sections, broken, options, out)` (instrument/reports/comparison/)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from classhook.extensions import EXTENSIONS

TABLES = "tables"
TREES = "call trees"
COVERAGE = "coverage"
CHANGES = "changes"


class Form(NamedTuple):
    """`name`: the word after -f; `module`: imported when the form is used; `binary`: its output is not text."""

    name: str
    shows: str
    module: str
    binary: bool = False

    def load(self) -> Any:
        """The form's module."""
        return import_module(f"classhook.{self.module}")


FORMS = (
    Form("text", TABLES, "reports.text"),
    Form("json", TABLES, "reports.json"),
    Form("jsonl", TABLES, "reports.jsonl"),
    Form("csv", TABLES, "reports.csv"),
    Form("html", TABLES, "reports.html"),
    Form("openmetrics", TABLES, "reports.openmetrics"),
    Form("parquet", TABLES, "reports.parquet", binary=True),
    Form("jfr", TABLES, "reports.jfr", binary=True),
    Form("perfetto", TABLES, "reports.perfetto", binary=True),
    Form("tree", TREES, "reports.tree"),
    Form("collapsed", TREES, "reports.collapsed"),
    Form("flamegraph", TREES, "reports.flamegraph"),
    Form("speedscope", TREES, "reports.speedscope"),
    Form("pprof", TREES, "reports.pprof", binary=True),
    Form("otlp", TREES, "reports.otlp", binary=True),
    Form("otlp-metrics", TABLES, "reports.otlp_metrics", binary=True),
    Form("text", COVERAGE, "reports.coverage.text"),
    Form("json", COVERAGE, "reports.coverage.json"),
    Form("csv", COVERAGE, "reports.coverage.csv"),
    Form("html", COVERAGE, "reports.coverage.html"),
    Form("circleci", COVERAGE, "reports.coverage.circleci"),
    Form("cobertura", COVERAGE, "reports.coverage.cobertura"),
    Form("github", COVERAGE, "reports.coverage.github"),
    Form("jacoco-exec", COVERAGE, "reports.coverage.jacoco_exec", binary=True),
    Form("jacoco-xml", COVERAGE, "reports.coverage.jacoco_xml"),
    Form("lcov", COVERAGE, "reports.coverage.lcov"),
    Form("testwise", COVERAGE, "reports.coverage.testwise"),
    Form("text", CHANGES, "reports.comparison.text"),
    Form("json", CHANGES, "reports.comparison.json"),
    Form("html", CHANGES, "reports.comparison.html"),
    Form("flamegraph", CHANGES, "reports.comparison.flamegraph"),
    *(Form(*form) for extension in EXTENSIONS for form in extension.forms),
)


def forms(*shows: str) -> dict[str, Form]:
    """The forms that show one of these, by name."""
    return {form.name: form for form in FORMS if form.shows in shows}


#: The forms of `classhook report`.
TABLES_AND_TREES = forms(TABLES, TREES)
