"""The schema that ships, and the lists of its page, are made of the columns, and reports of any rows follow it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from classhook.measures.methods.reader import MethodRow
from classhook.model.call_tree import Sampled
from classhook.model.snapshot import RuleRow, Snapshot
from classhook.reports import Options
from classhook.reports.json import as_dict
from tests.schema import SCHEMA_FILE, check
from tools import json_page
from tools.generated import schema


def test_the_lists_of_the_page_are_made_of_the_schema() -> None:
    assert json_page.PAGE.read_text() == json_page.page(), "python -m tools.generated"


def test_every_key_says_what_it_is() -> None:
    silent = re.findall(r"^- (?:`\w+`(?:, |$))+\n(?! )", json_page.PAGE.read_text(), re.MULTILINE)
    assert silent == []


def test_the_schema_is_made_of_the_columns_of_all_measures() -> None:
    assert SCHEMA_FILE.read_text() == schema(), "python -m tools.generated"


ROWS: dict[str, tuple[MethodRow, str]] = {
    "counted": (MethodRow(calls=3), "counted"),
    "timed": (MethodRow(calls=3, timed=True, completed=3), "timed"),
    "never ended": (MethodRow(calls=3, timed=True), "timed"),
    "timed, beside profiled ones": (MethodRow(calls=3, timed=True, completed=3, sampled=Sampled(cpu_self=1)), "timed"),
    "sampled": (MethodRow(calls=3, timed=True, completed=3, sample=2, estimated=True), "timed"),
    "profiled": (MethodRow(calls=3, profiled=True, sampled=Sampled(cpu_self=1)), "profiled"),
    "profiled, but short": (MethodRow(calls=3, short=True), "counted"),
    "timed by some": (MethodRow(calls=3, timed=True, completed=2, not_timed=1), "timed"),
}


def reported(*rows: MethodRow) -> dict[str, Any]:
    snapshot = Snapshot(rules={"a rule": RuleRow(unknown=True, nearest="a.B")})
    for number, row in enumerate(rows):
        snapshot.tables["methods"]["a.B", f"m{number}", "()V"] = row
    return as_dict(snapshot, Options())


@pytest.mark.parametrize("which", ROWS)
def test_a_method_is_of_one_kind(which: str) -> None:
    row, kind = ROWS[which]
    report = reported(row)
    check(report)
    (found,) = report["methods"]
    assert found["kind"] == kind
    assert ("self_ns" in found) == (kind == "timed")
    assert report["rules"] == [
        {"rule": "a rule", "name": None, "matched_classes": 0, "matched_methods": 0, "nearest": "a.B", "unknown": True}
    ]


def test_all_methods_of_a_kind_have_the_same_keys() -> None:
    report = reported(*(row for row, _ in ROWS.values()))
    check(report)
    for kind in ("timed", "profiled", "counted"):
        assert len({tuple(row) for row in report["methods"] if row["kind"] == kind}) == 1
