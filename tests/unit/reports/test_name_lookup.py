"""Rows that a name is about, and names that may have been meant."""

from __future__ import annotations

import pytest

from classhook.measures.methods.reader import MethodRow
from classhook.model.snapshot import Snapshot
from classhook.reports.name_lookup import about, nearest

PLACE, PLACED = ("com.acme.Orders", "place", "()V"), ("com.acme.Orders", "placeAll", "()V")
LINE, QUERY = ("com.acme.Orders$Line", "<init>", "(I)V"), ("com.acme.db.Database", "query", "()V")


@pytest.fixture
def snapshot() -> Snapshot:
    found = Snapshot()
    found.tables["methods"] = {key: MethodRow(calls=1) for key in (PLACE, PLACED, LINE, QUERY)}
    return found


@pytest.mark.parametrize(
    ("word", "keys"),
    {
        "place": [PLACE],  # not placeAll: an exact name comes before a part of one
        "plac": [PLACE, PLACED],
        "Orders": [PLACE, PLACED],
        "Orders.place": [PLACE],
        "Orders::place": [PLACE],
        "com.acme.Orders#place": [PLACE],
        "com.acme.Orders": [PLACE, PLACED],
        "Line": [LINE],
        "com.acme.**::place*": [PLACE, PLACED],
        "database": [QUERY],
    }.items(),
)
def test_a_name_is_about_its_rows(snapshot: Snapshot, word: str, keys: list[tuple[str, str, str]]) -> None:
    matches = about([word], snapshot)
    assert [key for key in snapshot.tables["methods"] if matches(key)] == keys


@pytest.mark.parametrize(
    ("word", "names"),
    {
        "plcae": ["place"],
        "Databose": ["Database"],
        "Ordrs::place": ["Orders::place"],
        "com.acme.Orders.plase": ["com.acme.Orders.place"],
        "com.acme.db.Database::close": [],  # all of the class begins alike, but nothing there is called so
        "xyz": [],
    }.items(),
)
def test_what_is_not_there_may_have_meant(snapshot: Snapshot, word: str, names: list[str]) -> None:
    assert nearest([word], snapshot)[:1] == names
