"""Rows as JSON: one by one and column by column, they are what the standard library writes."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.measures.watch.table import TABLE as CALLS
from classhook.model.snapshot import Snapshot
from classhook.reports import Options, json_rows
from classhook.reports.json import as_dict, report
from classhook.reports.json_rows import JsonRows
from classhook.tables.columns import JSON, Column
from classhook.tables.table import Section, Table

NAMES = ("plain", "\u00fcmlaut", 'quo"te\\', "\x7f\x00\n", "\ud83d", "a, b", "%s %", "")
VALUES: tuple[Any, ...] = (0, 1 << 64, -3, None, True, False, 0.1, 1e300, float("inf"), "text, with a comma")


def snapshot(rows: int) -> Snapshot:
    """Timed and counted methods by turns."""
    found = Snapshot(rule_names={"r1": "named, %d"})
    for i in range(rows):
        key = (f"p.{NAMES[i % len(NAMES)]}{i}", NAMES[-1 - i % len(NAMES)], "(I)V")
        found.tables["methods"][key] = MethodRow(calls=i, timed=i // 30 % 2 == 0, completed=i, rule=f"r{i % 3}")
        found.class_sources[key[0]] = ("A.java", "a.kt", "")[i % 3]
    return found


def written(found: Snapshot) -> str:
    out = io.StringIO()
    report(found, Options(all=True), out)
    return out.getvalue()


def test_columns_say_what_single_rows_say(monkeypatch: pytest.MonkeyPatch) -> None:
    text = written(snapshot(200))
    assert as_dict(snapshot(200), Options(all=True)) == json.loads(text)
    assert [row["class"] for row in json.loads(text)["methods"]] == [key[0] for key in snapshot(200).tables["methods"]]
    monkeypatch.setattr(json_rows, "MANY", 1000)
    assert written(snapshot(200)) == text
    assert "\x7f" not in text


@pytest.mark.parametrize("rows", [1, 100])
def test_each_value_is_written_as_by_the_standard_library(rows: int) -> None:
    columns = (
        *(Column("", f"c{i}", lambda row, value=value: value) for i, value in enumerate(VALUES)),
        Column("", "mixed", lambda row: VALUES[row.calls]),
    )
    section = Section(kind="k, %", what="x", columns=columns, shown=(), title=lambda *_: "")
    table = Table.from_rows(METHODS, section)
    entries = [(("c", NAMES[i % len(NAMES)], "d"), MethodRow(calls=i % len(VALUES), rule="r")) for i in range(rows)]
    for text, (key, row) in zip(JsonRows(Snapshot()).texts(table, entries), entries, strict=True):
        values = {f"c{i}": value for i, value in enumerate(VALUES)} | {"mixed": VALUES[row.calls]}
        names = {"class": "c", "method": key[1], "descriptor": "d", "rule": "r", "name": None, "kind": "k, %"}
        assert text == json.dumps({**names, **values, "readable": None}).replace("\x7f", "\\u007f")


@pytest.mark.parametrize("rows", [1, 100])
def test_a_column_that_is_json_is_written_as_it_is(rows: int) -> None:
    assert any(column.unit is JSON for column in CALLS.sections[0].columns)
    column = Column("", "args", lambda row: row.rule or None, JSON)
    table = Table.from_rows(
        METHODS, Section(kind="call", what="calls", columns=(column,), shown=(), title=lambda *_: "")
    )
    entries = [(("c", "m", str(i)), MethodRow(rule='{"a": [1, null]}' if i else "")) for i in range(rows)]
    found = [json.loads(text)["args"] for text in JsonRows(Snapshot()).texts(table, entries)]
    assert found == [None, *[{"a": [1, None]}] * (rows - 1)]
