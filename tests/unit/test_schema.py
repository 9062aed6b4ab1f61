"""The tests' schema is the one described in docs/report.md, and reports of any rows follow it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from instrument.data.calls import Sampled
from instrument.data.rows import RuleRow, Snapshot
from instrument.measures.methods import MethodRow
from instrument.reports import Options
from instrument.reports.json import as_dict
from tests.schema import SCHEMA, check

PAGE = Path(__file__).parent.parent.parent / "docs" / "report.md"


def documented() -> dict[str, list[str]]:
    """Key -> the keys below it, from the page's table of the JSON form."""
    found: dict[str, list[str]] = {}
    table = PAGE.read_text().partition("\n| key | value |\n")[2].partition("\n\n")[0]
    for line in table.splitlines()[1:]:
        for dot, key in re.findall(r"`(\. )?(\w+)`", line.split(" | ")[0]):
            found[list(found)[-1] if dot else key] = [*found[list(found)[-1]], key] if dot else []
    return found


def test_the_page_names_all_keys() -> None:
    def keys(schema: Any) -> list[str]:
        if isinstance(schema, list):
            return keys(schema[0]) if schema else []
        return sorted(key.rstrip("?") for key in schema) if isinstance(schema, dict) else []

    assert {key: sorted(below) for key, below in documented().items()} == {key: keys(schema) for key, schema in SCHEMA.items()}


ROWS: dict[str, tuple[MethodRow, set[str]]] = {
    "counted": (MethodRow(calls=3), set()),
    "too short": (MethodRow(calls=3, profiled=True, over_budget=True, not_timed=3), {"cpu_self_ns", "over_budget", "not_timed"}),
    "found so by an earlier run": (
        MethodRow(calls=3, profiled=True, over_budget=True, earlier=True, not_timed=3, only_counted=3),
        {"cpu_self_ns", "over_budget", "earlier_run", "not_timed", "only_counted"},
    ),
    "timed": (MethodRow(calls=3, timed=True, completed=3), {"completed"}),
    "sampled": (MethodRow(calls=3, timed=True, completed=3, sample=2, estimated=True), {"completed", "estimated", "sample"}),
    "profiled": (MethodRow(calls=3, profiled=True, sampled=Sampled(cpu_self=1)), {"cpu_self_ns"}),
    "profiled, but short": (MethodRow(calls=3, short=True), {"short"}),
    "timed by some": (
        MethodRow(calls=3, timed=True, completed=2, over_budget=True, not_timed=1), {"completed", "over_budget", "not_timed"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("which", ROWS)
def test_methods_have_the_keys_that_are_theirs(which: str) -> None:
    row, wanted = ROWS[which]
    snapshot = Snapshot(rules={"a rule": RuleRow(unknown=True, nearest="a.B")})
    snapshot.tables["methods"]["a.B", "c", "()V"] = row
    report = as_dict(snapshot, Options())
    check(report)
    (found,) = report["methods"]
    marks = {"completed", "cpu_self_ns", "short", "estimated", "sample", "over_budget", "earlier_run", "not_timed", "only_counted"}
    assert found.keys() & marks == wanted
    assert report["rules"] == [{"rule": "a rule", "matched_classes": 0, "matched_methods": 0, "nearest": "a.B", "unknown": True}]
