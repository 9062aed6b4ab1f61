"""The schema that ships is the one described in docs/reference/json.md, and reports of any rows follow it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from classhook.measures.methods.reader import MethodRow
from classhook.model.call_tree import Sampled
from classhook.model.snapshot import RuleRow, Snapshot
from classhook.reports import Options
from classhook.reports.json import as_dict
from tests.schema import SCHEMA, SCHEMA_FILE, check, keys_of
from tools.generated import schema

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "json.md"


def documented() -> dict[str, list[str]]:
    """Key -> the keys below it, from the page's table of the JSON form."""
    found: dict[str, list[str]] = {}
    table = PAGE.read_text().partition("\n| key | value |\n")[2].partition("\n\n")[0]
    for line in table.splitlines()[1:]:
        for dot, key in re.findall(r"`(\. )?(\w+)`", line.split(" | ")[0]):
            found[list(found)[-1] if dot else key] = [*found[list(found)[-1]], key] if dot else []
    return found


def test_the_page_names_all_keys() -> None:
    def keys(name: str) -> list[str]:
        schema = SCHEMA["properties"][name]
        return (
            sorted(keys_of(name))
            if "items" in schema and schema["items"] != {"type": "string"}
            else sorted(schema.get("properties", ()))
        )

    assert {key: sorted(below) for key, below in documented().items()} == {
        name: keys(name) for name in SCHEMA["properties"]
    }


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
