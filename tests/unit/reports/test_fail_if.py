"""`report --fail-if`: which rows a limit is about, and which numbers it takes."""

from __future__ import annotations

import pytest

from classhook.base.errors import UsageError
from classhook.measures.keys.reader import KeyRow
from classhook.measures.methods.reader import MethodRow
from classhook.measures.value.reader import ValueRow
from classhook.model.snapshot import Snapshot
from classhook.reports.fail_if import broken, parse

TIMES = {"timed": True, "completed": 4, "timings": 4, "total_ns": 5_000_000_000, "self_ns": 4_000_000_000}


def counted() -> Snapshot:
    """`q`: counted by two keys; `r`: counted, and timed below another method; `s`: only counted below two; numbers of
    `v` by two keys."""
    snapshot = Snapshot()
    snapshot.tables["methods"] = {("K", "q", "()V"): MethodRow(calls=29), ("K", "r", "()V"): MethodRow(calls=20)}
    snapshot.tables["keys"] = {
        ("K", "q", "()V", "arg0", "x"): KeyRow(calls=20),
        ("K", "q", "()V", "arg0", "y"): KeyRow(calls=9),
        ("K", "q", "()V", "arg1", "x"): KeyRow(calls=29),
        ("K", "r", "()V", "", "below A::f"): KeyRow(calls=4, **TIMES),
        ("K", "s", "()V", "", "below A::f"): KeyRow(calls=4),
        ("K", "s", "()V", "", "below A::g"): KeyRow(calls=3),
    }
    numbers = {("arg1", "x"): (2, -5), ("arg1", "y"): (1, 7), ("arg2", "z"): (3, -5)}
    snapshot.tables["values"] = {
        ("K", "v", "()V", "arg0", *key): ValueRow(count=count, sum=least, least=least, largest=7)
        for key, (count, least) in numbers.items()
    }
    return snapshot


@pytest.mark.parametrize(
    ("column", "number"),
    [
        ("calls of K::q", "29"),
        ("calls of K::*", "56"),  # 29, 20 and 7
        ("calls of K::r", "20"),
        ("calls of K::s", "7"),
        ("total of K::r", "5s"),  # which the method's own row does not have
        ("count of K::v", "3"),
        ("sum of K::v", "2"),
    ],
)
def test_parts_of_a_row_are_in_it_already(column: str, number: str) -> None:
    snapshot = counted()
    assert broken(snapshot, [parse(f"{column} > {number}"), parse(f"{column} < {number}")]) == []


def test_a_key_is_limited_by_its_name() -> None:
    assert broken(counted(), [parse("calls of y > 8")]) == ["9 calls of y, more than 8"]


@pytest.mark.parametrize(
    ("number", "exceeded"),
    [("-4.5", True), ("-5", False), ("-5e0", False), ("-0.4E+1", True), ("1e-3", True), ("1234567", True)],
)
def test_numbers_as_people_write_them(number: str, exceeded: bool) -> None:
    said = [f"-5 min of K::v, less than {number}"] if exceeded else []
    assert broken(counted(), [parse(f"min of K::v < {number}")]) == said


@pytest.mark.parametrize(
    "text", ["total of K::r > 4.9e9", "total of K::r > 4.9e9ns", "total of K::r > 49e-1 s", "min of K::v>-6"]
)
def test_exponents_with_and_without_units(text: str) -> None:
    if text.endswith("e9"):
        with pytest.raises(UsageError, match="total has no unit ''; it has ns"):
            broken(counted(), [parse(text)])
    else:
        assert len(broken(counted(), [parse(text)])) == 1


@pytest.mark.parametrize("number", ["--5", "- 5", "e5", "-", "5e", "1e5e5"])
def test_what_is_no_number(number: str) -> None:
    with pytest.raises(UsageError, match=r"expected a column|has no unit 'e'"):
        broken(counted(), [parse(f"min of K::v < {number}")])
