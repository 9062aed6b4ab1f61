"""Rules about fields: each access of a program in which they are known (java/fields/Fields.java) is counted, each write
recorded."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import JAVA_SOURCES, Compiled, Jvm, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

ORDER = "Fields$Order"
TEXT = (JAVA_SOURCES / "fields" / "Fields.java").read_text().splitlines()


def line_of(text: str) -> int:
    return next(number for number, one in enumerate(TEXT, 1) if one.strip().startswith(text))


def shown(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["name"] == name]


def test_accesses_are_counted_and_writes_watched(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = [
        f"count writes {ORDER}.state, {ORDER}.cents, {ORDER}.made in Fields*",
        f"count reads {ORDER}.cents",
        (
            f'watch writes {ORDER}.state when value == "PAID" && value.length == 4 || old == "PAID" show old, value,'
            ' object.id, stack 1 as "state"'
        ),
        f'watch writes {ORDER}.cents when value - 100 > 700 || object.id == 1 as "cents"',
        f'watch writes {ORDER}.made when old * 2 - 1.5 >= 18.5 mask value as "made"',
        f'watch writes {ORDER}.weight show old, value, object as "weight"',
        'watch writes Fields$Inner.* show old, value, object as "inner"',
        f'watch writes {ORDER}.state first 2 mask state as "masked"',
        f"count {ORDER}::pay",
    ]
    result = run(rules, jvm.java, "-Xverify:all", "-Xcheck:jni", "-cp", compiled("fields"), "Fields")
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    assert result.stdout == 'Cannot assign field "state" because "order" is null\n3223 12\n'
    counted = {
        (row["field"], row["access"], row["method"], row["line"]): row["accesses"] for row in result.report["accesses"]
    }
    assert counted == {
        ("state", "write", "<init>", line_of('String state = "NEW"')): 12,
        ("state", "write", "pay", line_of('state = "PAID"')): 10,
        ("state", "write", "upgrade", line_of('state = "VIP"')): 2,
        ("cents", "write", "pay", line_of("cents += id")): 10,
        ("cents", "read", "pay", line_of("cents += id")): 10,
        ("cents", "write", "main", line_of("vip.cents =")): 2,
        ("cents", "read", "main", line_of("sum += order.cents")): 10,
        ("cents", "read", "upgrade", line_of("this.weight")): 2,
        ("made", "write", "<init>", line_of("made++")): 12,
    }
    rows = result.report["executions"]
    state = [(row["values"]["old"], row["values"]["value"], row["values"]["object.id"]) for row in shown(rows, "state")]
    assert state == [
        one for i in range(10) for one in (("NEW", "PAID", i), ("PAID", "VIP", i))[: 2 if i % 5 == 4 else 1]
    ]
    assert {row["stack"][0].partition("(")[0] for row in shown(rows, "state")} == {"Fields.main"}
    assert {row["field"] for row in shown(rows, "state")} == {f"{ORDER}.state", "Fields$Vip.state"}
    cents = [(row["values"]["old"], row["values"]["value"]) for row in shown(rows, "cents")]
    assert cents == [(0, 100), (400, (1 << 63) - 1 - 4), (0, 900), (900, (1 << 63) - 1 - 9)]
    assert [row["values"] for row in shown(rows, "made")] == [{"old": n, "value": {"masked": True}} for n in (10, 11)]
    vip = {"class": "Fields$Vip"}
    assert [row["values"] for row in shown(rows, "weight")] == [
        {"old": 0.0, "value": n, "object": vip} for n in (200.0, 450.0)
    ]
    inner = {row["field"].rpartition(".")[2]: row["values"] for row in shown(rows, "inner")}
    assert inner["depth"] == {"old": 0, "value": 1, "object": {"class": "Fields$Inner"}}
    unset = {"unset": True}
    assert inner.get("this$0", {"value": {"class": "Fields"}, "old": unset, "object": unset}) == {
        "value": {"class": "Fields"},
        "old": unset,
        "object": unset,
    }
    assert [row["values"] for row in shown(rows, "masked")] == [
        {"old": {"masked": True}, "value": {"masked": True}}
    ] * 2
    assert result.method(f"{ORDER}::pay")["calls"] == 10


#: Field -> what Written.java writes to it, in turn, and conditions with what they mean for a value and the one before.
WRITTEN: dict[str, tuple[list[Any], dict[str, Callable[[Any, Any], bool]]]] = {
    "truth": (
        [i % 2 == 0 for i in range(10)],
        {"value == true": lambda new, old: new, "value != true": lambda new, old: not new},
    ),
    "small": (
        [i - 3 for i in range(10)],
        {"value < 0": lambda new, old: new < 0, "value >= -1 && value != 3": lambda new, old: new >= -1 and new != 3},
    ),
    "letter": (
        [chr(97 + i) for i in range(10)],
        {'value != "d"': lambda new, old: new != "d", 'value == "a"': lambda new, old: new == "a"},
    ),
    "length": ([i * 1000 for i in range(10)], {"value % 3000 == 0": lambda new, old: new % 3000 == 0}),
    "number": (
        [i - 5 for i in range(10)],
        {
            "value in {-5, 2, 77}": lambda new, old: new in (-5, 2, 77),
            "value % 2 == -1 || old == 2": lambda new, old: (new < 0 and new % 2 == 1) or old == 2,
            "old < -2": lambda new, old: old < -2,
            "(value > 0 && value < 3) || value == -4": lambda new, old: 0 < new < 3 or new == -4,
        },
    ),
    "wide": (
        [i * 10**10 for i in range(10)],
        {"value > 45000000000": lambda new, old: new > 45 * 10**9, "value <= 1": lambda new, old: new <= 1},
    ),
    "part": (
        [i / 4 for i in range(10)],
        {"value >= 1.25": lambda new, old: new >= 1.25, "value == 0.5": lambda new, old: new == 0.5},
    ),
    "exact": (
        [math.nan if i == 9 else i / 8 for i in range(10)],
        {
            "value < 2.0": lambda new, old: new < 2.0,
            "value != 0.25": lambda new, old: new != 0.25,
            "value > 0.9 || value == 0": lambda new, old: new > 0.9 or new == 0,
        },
    ),
    "text": (
        [None if i == 4 else f"v{i}" for i in range(10)],
        {
            'value == "v3"': lambda new, old: new == "v3",
            'value != "v3"': lambda new, old: new != "v3",
            "value == null": lambda new, old: new is None,
            'value ~ "v*" && value != "v1"': lambda new, old: new is not None and new != "v1",
        },
    ),
    "any": ([None if i < 5 else "Written" for i in range(10)], {"value != null": lambda new, old: new is not None}),
    "shared": (
        list(range(10)),
        {
            "old > 3": lambda new, old: old > 3,
            "old < 2 && value > 0": lambda new, old: old < 2 and new > 0,
            "old % 2 == 1": lambda new, old: old % 2 == 1,
        },
    ),
    "level": ([-float(i) for i in range(10)], {"value < -6.5 || old == -2": lambda new, old: new < -6.5 or old == -2}),
    "name": (
        ["high" if i > 7 else "low" for i in range(10)],
        {
            'old == "low" && value == "high"': lambda new, old: (old, new) == ("low", "high"),
            "old == null": lambda new, old: old is None,
        },
    ),
}


def test_conditions_of_writes_of_every_type(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Conditions are decided by code in front of the write, or by the agent; the same methods have other measures,
    too."""
    beside = [
        "time Written::*",
        "watch Written::s* when arg0 > 3 first 1",
        "count Written:18-26",
        "count writes Written.*",
    ]
    rules = [
        f'watch writes Written.{field} when {when} show value as "{field} {when.replace(chr(34), chr(39))}"'
        for field in WRITTEN
        for when in WRITTEN[field][1]
    ]
    result = run([*rules, *beside], jvm.java, "-Xverify:all", "-Xcheck:jni", "-cp", compiled("fields"), "Written")
    assert (result.status, result.stdout) == (0, "done\n"), result.stderr
    assert "WARNING" not in result.stderr
    first = {"truth": False, "letter": "\0", "text": None, "any": None, "name": None}
    for field, (values, conditions) in WRITTEN.items():
        for when, holds in conditions.items():
            name = f"{field} {when.replace(chr(34), chr(39))}"
            before = [first.get(field, 0), *values]
            expected = [
                "NaN" if new != new else new for new, old in zip(values, before, strict=False) if holds(new, old)
            ]
            found = [row["values"]["value"] for row in shown(result.report["executions"], name)]
            if field == "any":
                assert len(found) == len(expected), name
            else:
                assert str(found) == str(expected), name
    assert {row["accesses"] for row in result.report["accesses"]} == {10}


@pytest.mark.any_jvm
@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        (
            f"count writes {ORDER}.stat",
            f"`{ORDER}.stat`: {ORDER} has no field stat; its fields: cents, id, made, state, weight",
        ),
        (
            "watch writes Fields$Vip.state",
            f"`Fields$Vip.state`: the field is declared by {ORDER}; write `{ORDER}.state`",
        ),
        (
            f"watch writes {ORDER}.state when value > 3",
            "`value` of state is of type String; compare it with a string or `null`",
        ),
        (f"watch writes {ORDER}.state when this.id > 3", "expected: `old`, `value`, or `object`"),
        ("count reads state", "the class of the field is missing"),
        ("watch writes Fields$*.state", "a field is that of one class"),
        (f"watch reads {ORDER}.state", "there is no rule `watch reads`"),
    ],
)
def test_what_is_not_there_is_answered_at_once(compiled: Compiled, rule: str, answer: str) -> None:
    done = execute([*classhook_command(), "check", "-e", rule, Path(compiled("fields"))])
    assert done.status
    assert answer in done.stdout + done.stderr


@pytest.mark.any_jvm
def test_check_says_what_is_not_seen(compiled: Compiled) -> None:
    done = execute([*classhook_command(), "check", "-e", f"count writes {ORDER}.state", compiled("fields")])
    assert done.status == 0
    assert "not those by reflection, VarHandle, Unsafe or JNI" in done.stdout
