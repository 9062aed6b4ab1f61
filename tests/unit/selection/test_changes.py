"""What a change selects: the program is compiled before and after it."""

from __future__ import annotations

import pytest

from classhook.selection.deciding import Kind
from tests.unit.selection.conftest import Selected

EVERY = {"a.RatesTest#first", "a.RatesTest#second", "a.CacheTest#first", "a.CacheTest#second", "a.ShapeTest#area", "a.CheckTest#fits"}


@pytest.mark.parametrize("name", ["same", "comments", "order", "not called", "private method"])
def test_nothing_that_a_test_may_notice(selected: Selected, name: str) -> None:
    found = selected(name)
    assert (found.reasons, found.anything, set(found.known)) == ({}, [], EVERY)


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("called by an initialiser", {"a.RatesTest#first", "a.RatesTest#second"}),
        ("called to fill a cache", {"a.CacheTest#first", "a.CacheTest#second"}),
        ("constant", {"a.CheckTest#fits"}),
        ("override", {"a.ShapeTest#area"}),
        ("field", {"a.ShapeTest#area"}),
        ("new class", {"a.CheckTest#fits"}),
    ],
)
def test_those_that_reach_it(selected: Selected, name: str, tests: set[str]) -> None:
    found = selected(name)
    assert set(found.reasons) == tests
    assert {reason.kind for reason in found.reasons.values()} == {Kind.REACHES}
    assert found.anything == []


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("unnamed class", "class a.Extra is new, and no class names it: it may be found by its name"),
        ("named in text", "class a.text is new, and a class has its name, or a part of it, as text"),
        ("annotated class", "class a.Extra is new, and has annotations by which it may be found"),
    ],
)
def test_a_class_that_may_be_found_by_its_name(selected: Selected, name: str, why: str) -> None:
    found = selected(name)
    assert found.anything == [why]
    assert set(found.reasons) == EVERY


def test_a_class_that_is_gone(selected: Selected) -> None:
    found = selected("gone")
    assert found.reasons["a.ShapeTest#area"].text == "reaches changed code: a.Square is gone"
    assert found.anything == ["class a.Circle is new, and no class names it: it may be found by its name"]


def test_reasons_name_the_change(selected: Selected) -> None:
    assert selected("called by an initialiser").reasons["a.RatesTest#second"].text == "reaches changed code: a.Table.fill changed"
    assert selected("override").reasons["a.ShapeTest#area"].text == "reaches changed code: a.Square has a new method hashCode"
