"""Tests that a change selects: the program is compiled before and after it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from classhook.base.errors import UsageError
from classhook.extensions.selection.deciding import Kind, Reason, select
from classhook.extensions.selection.observed import Observed, TestData
from classhook.extensions.selection.recording import Recording, make, newest_first
from classhook.extensions.selection.recording_file import read, write
from tests.extensions.selection.unit.conftest import RAN, Program, Selected

EVERY = set(RAN)


@pytest.mark.parametrize("name", ["same", "comments", "order", "not called", "private method"])
def test_nothing_that_a_test_may_notice(selected: Selected, name: str) -> None:
    found = selected(name)
    assert (found.reasons, found.anything, set(found.known)) == ({}, [], EVERY)


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("called by an initialiser", {"a.RatesTest#first", "a.RatesTest#second"}),
        ("called to fill a cache", {"a.CacheTest#first", "a.CacheTest#second"}),
        ("called to fill a singleton", {"a.RegistryTest#first", "a.RegistryTest#second"}),
        ("called to fill a map of another class", {"a.NamesTest#first", "a.NamesTest#second"}),
        ("passed to a setter", {"a.ConfigTest#first", "a.ConfigTest#second"}),
        ("passed to a registry", {"a.ConfigTest#first", "a.ConfigTest#second"}),
        ("constant", {"a.CheckTest#fits", "a.OrderTest#places"}),
        ("override", {"a.ShapeTest#area"}),
        ("field", {"a.ShapeTest#area", "a.ConfigTest#first", "a.ConfigTest#second"}),
        ("read resolve", {"a.ShapeTest#area", "a.ConfigTest#first", "a.ConfigTest#second"}),
        ("new class", {"a.CheckTest#fits", "a.OrderTest#places"}),
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
        ("name put together", "class a.PlugIn is new, and a class may put its name together"),
        ("annotated class", "class a.Extra is new, and has annotations by which it may be found"),
    ],
)
def test_a_class_that_may_be_found_by_its_name(selected: Selected, name: str, why: str) -> None:
    found = selected(name)
    assert found.anything == [why]
    assert set(found.reasons) == EVERY


def test_classes_that_only_new_ones_name(selected: Selected) -> None:
    found = selected("named by new classes")
    assert sorted(found.anything) == [
        f"class a.{name} is new, and no class names it: it may be found by its name" for name in ("Other", "Some")
    ]
    assert set(found.reasons) == EVERY


def test_a_class_that_is_gone(selected: Selected) -> None:
    found = selected("gone")
    assert found.reasons["a.ShapeTest#area"].text == "reaches changed code: a.Square is gone"
    assert found.anything == ["class a.Circle is new, and no class names it: it may be found by its name"]


def test_tests_that_are_new_or_changed(selected: Selected) -> None:
    found = selected("new test")
    assert {name: reason.text for name, reason in found.reasons.items()} == {
        "a.OrderTest#cancels": "has no recorded data"
    }
    found = selected("renamed test")
    assert {name: reason.kind for name, reason in found.reasons.items()} == {"a.OrderTest#placed": Kind.ALWAYS}
    assert set(found.known) == EVERY - {"a.OrderTest#places"} | {"a.OrderTest#placed"}, (
        "a test that is gone cannot be selected"
    )
    found = selected("new set-up")
    assert {name: reason.kind for name, reason in found.reasons.items()} == {"a.OrderTest#places": Kind.CHANGED}


def test_a_test_that_failed_is_selected(variant: Program) -> None:
    observed = Observed(
        {
            name: TestData("failed" if name == "a.CheckTest#fits" else "passed", ran=set(ran))
            for name, ran in RAN.items()
        }
    )
    found = select([make(observed, variant("same"), 1, "", {}, {})], variant("same"), [])
    assert found.reasons == {"a.CheckTest#fits": Reason(Kind.ALWAYS, "failed last time")}


def test_what_ran_outside_of_tests_or_was_not_counted(variant: Program) -> None:
    """It may belong to any of them."""
    fill = ("a/Table", "fill()[I")
    for observed, why in (
        (Observed(outside={fill}), "a.Table.fill changed, and ran outside of tests, too"),
        (Observed(uncounted={fill}), "a.Table.fill changed, and its calls were not counted"),
    ):
        observed.tests["a.CheckTest#fits"] = TestData()
        found = select([make(observed, variant("same"), 1, "", {}, {})], variant("called by an initialiser"), [])
        assert found.anything == [why]
        assert found.reasons["a.CheckTest#fits"] == Reason(Kind.ANYTHING, why)


def test_the_latest_recording_of_a_test_counts(variant: Program) -> None:
    ran = {name: TestData(ran=set(ran)) for name, ran in RAN.items()}
    old = make(Observed(dict(ran)), variant("same"), 1, "", {}, {})
    changed = variant("called by an initialiser")
    new = make(Observed({"a.RatesTest#first": ran["a.RatesTest#first"]}), changed, 2, "", {}, {})
    kept = newest_first([old, new])
    assert [sorted(one.tests) for one in kept] == [["a.RatesTest#first"], sorted(RAN.keys() - {"a.RatesTest#first"})]
    assert set(select(kept, changed, []).reasons) == {"a.RatesTest#second"}, "the other one has run since the change"


def test_a_recording_is_kept_in_a_file(recorded: Recording, tmp_path: Path) -> None:
    write(tmp_path, [recorded])
    assert read(tmp_path) == [recorded]


def test_a_damaged_file_is_refused(recorded: Recording, tmp_path: Path) -> None:
    path = write(tmp_path, [recorded])
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes((whole[at] ^ 0x55,)) + whole[at + 1 :])
        with suppress(UsageError):  # a changed byte of gzip's header does no harm
            assert read(tmp_path) == [recorded]
        path.write_bytes(whole[:at])
        with pytest.raises(UsageError):
            read(tmp_path)


@pytest.mark.parametrize(
    ("name", "test", "change", "way"),
    [
        (
            "called by an initialiser",
            "Rates",
            "a.Table.fill changed",
            "; the static initialiser of a.Rates may call it",
        ),
        (
            *("called to fill a cache", "Cache", "a.Slow.make changed"),
            "; a.Cache.of may call it, and change the static field a.Cache.KNOWN",
        ),
        (
            *("called to fill a singleton", "Registry", "a.Maker.made changed"),
            "; a.Registry.put may call it, and change the static field a.Registry.ONE",
        ),
    ],
)
def test_reasons_name_the_way(selected: Selected, name: str, test: str, change: str, way: str) -> None:
    found = selected(name)
    assert found.reasons[f"a.{test}Test#first"].text == f"reaches changed code: {change}"
    assert found.reasons[f"a.{test}Test#second"].text == f"reaches changed code: {change}{way}"


def test_those_that_ran_a_change_come_first(selected: Selected, variant: Program) -> None:
    assert selected("called to fill a cache").ordered() == ["a.CacheTest#first", "a.CacheTest#second"]
    failed = Observed(
        {
            name: TestData("failed" if name == "a.CacheTest#second" else "passed", ran=set(ran))
            for name, ran in RAN.items()
        }
    )
    found = select([make(failed, variant("same"), 1, "", {}, {})], variant("called to fill a cache"), [])
    assert found.ordered() == ["a.CacheTest#second", "a.CacheTest#first"]


def test_reasons_name_the_change(selected: Selected) -> None:
    assert (
        selected("override").reasons["a.ShapeTest#area"].text
        == "reaches changed code: a.Square has a new method hashCode"
    )


def test_annotations_that_come_or_go(selected: Selected) -> None:
    """A library that looks for annotations may find the class now."""
    found = selected("now annotated")
    assert found.anything == [
        "class a.Check has annotations by which it may be found, and had none, or the other way round"
    ]
    assert set(found.reasons) == EVERY
