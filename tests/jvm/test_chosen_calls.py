"""Conditions in rules that do not show calls: `when` and `over` (java/Chosen.java)."""

from __future__ import annotations

import pytest

from tests.conftest import Compiled, Jvm, Result, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

ARRAYS = ("byte[]", "java.lang.String[]", "int[][]")
RULES = [
    "time Chosen::find when result == null",
    'count Chosen::find when result == null as "counted once"',
    "time Chosen::find when exception instanceof java.lang.IllegalStateException",
    "time Chosen::serve when order.rush && n < 50",
    "time Chosen::rest slowest 9 when ms > 0 over 20ms",
    "count Chosen::rest over 40ms",
    "value Chosen::grow of by when by >= 90",
    "value Chosen::grow of this.size when by >= 98",
    "value Chosen::grow of result when result < 10",
]


@pytest.fixture(scope="module")
def chosen(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    result = run(RULES, jvm.java, "-Xcheck:jni", "-Xverify:all", "-cp", compiled("Chosen"), "Chosen")
    assert (result.status, "WARNING" in result.stdout + result.stderr) == (0, False), result.stderr
    return result


def test_times_are_those_of_the_chosen_calls(chosen: Result) -> None:
    rows = {(row["method"], row["key"]): row for row in chosen.report["keys"]}
    null, thrown = (
        rows["find", f"when {text}"]
        for text in ("result == null", "exception instanceof java.lang.IllegalStateException")
    )
    assert (null["calls"], null["exceptions"]) == (27, 0)
    assert (thrown["calls"], thrown["exceptions"]) == (20, 20)
    assert chosen.method("Chosen::find")["calls"] == 100, "all calls are there, too"
    assert rows["serve", "when order.rush && n < 50"]["calls"] == 10
    slow = rows["rest", "when ms > 0 over 20ms"]
    assert (slow["calls"], slow["kind"]) == (3, "chosen_by_key")
    assert 149e6 <= slow["total_ns"] <= chosen.method("Chosen::rest")["total_ns"] * 1.01  # whose cost is subtracted
    assert 24e6 <= slow["min_ns"] < slow["p50_ns"] <= slow["max_ns"]
    assert slow["p50_ns"] > 48e6
    assert slow["max_ns"] > 74e6


def test_long_calls_are_counted(chosen: Result) -> None:
    assert {row["key"]: row["calls"] for row in chosen.report["keys"] if row["kind"] == "counted_by_key"} == {
        "over 40ms": 2
    }


def test_the_slowest_are_of_the_chosen_calls(chosen: Result) -> None:
    assert sorted(row["args"]["ms"] for row in chosen.report["calls"]) == [25, 50, 75]


def test_numbers_are_those_of_the_chosen_calls(chosen: Result) -> None:
    rows = {(row["of"], row["key"]): (row["count"], row["sum"]) for row in chosen.report["values"]}
    sizes = [sum(range(i + 1)) for i in range(100)]  # behind the call with i
    assert rows == {
        ("by", ""): (100, sum(range(100))),
        ("by", "when by >= 90"): (10, sum(range(90, 100))),
        ("this.size", ""): (100, sum(sizes[:-1])),
        ("this.size", "when by >= 98"): (2, sizes[97] + sizes[98]),
        ("result", ""): (100, sum(sizes)),
        ("result", "when result < 10"): (4, 0 + 1 + 3 + 6),
    }


@pytest.mark.parametrize(
    ("rule", "entered"),
    [
        ("when n >= 90", {"Chosen.serve": 10}),  # code decides
        ("when order.rush by order.tenant", {"Chosen.serve [a]": 10, "Chosen.serve [b]": 10}),  # the agent does
        ('when order.tenant ~ "a*" && thread == "main" as "some"', {"some": 50}),
        ("when n > 1000", {}),
    ],
)
def test_a_context_begins_where_the_condition_holds(
    rule: str, entered: dict[str, int], jvm: Jvm, compiled: Compiled, run: Run
) -> None:
    result = run([f"context Chosen::serve {rule}", "count Chosen::work"], jvm.java, "-cp", compiled("Chosen"), "Chosen")
    assert {row["context"]: row["entered"] for row in result.report["contexts"]} == entered
    assert result.method("Chosen::work")["calls"] == 100


def test_the_first_rule_whose_condition_holds_begins_a_context(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = ['when n < 3 as "low"', 'when order.rush && n > 50 as "rush"', "when n >= 90 by order.tenant", 'as "rest"']
    rules = [f"context Chosen::serve {rule}" for rule in rules]
    result = run(rules, jvm.java, "-Xverify:all", "-cp", compiled("Chosen"), "Chosen")
    assert {row["context"]: row["entered"] for row in result.report["contexts"]} == {
        "low": 3,
        "rush": 9,
        "Chosen.serve [a]": 4,
        "Chosen.serve [b]": 4,
        "rest": 80,
    }


@pytest.mark.parametrize(
    ("rules", "objects"),
    [
        (["byte[] in Chosen::make when length >= 90"], {"byte[] [when length >= 90]": 10}),
        (["* in Chosen::make when length < 2"], {f"{name} [when length < 2]": 2 for name in ARRAYS}),
        (["java.lang.CharSequence+[] in Chosen::make when length < 2"], {"java.lang.String[] [when length < 2]": 2}),
        (
            [
                "byte[] in Chosen::make when length == 7",
                "byte[], int[][] in Chosen::make",
                "* in Chosen when length > 97",
            ],
            {
                "byte[] [when length == 7]": 1,
                "byte[]": 100,
                "int[][]": 100,
                **{f"{name} [when length > 97]": 2 for name in ARRAYS},
            },
        ),
    ],
)
def test_arrays_by_their_length(
    rules: list[str], objects: dict[str, int], jvm: Jvm, compiled: Compiled, run: Run
) -> None:
    rules = [f"alloc {rule}" for rule in rules]
    result = run(rules, jvm.java, "-Xverify:all", "-cp", compiled("Chosen"), "Chosen")
    assert {row["type"]: row["count"] for row in result.report["allocations"]} == objects


def test_rows_of_chosen_calls_do_not_count_again(chosen: Result) -> None:
    """Three rules record a number of each of 100 calls."""
    assert chosen.data is not None
    limited = chosen.data.parent / "limited"

    def status(limit: str) -> int:
        line = [*classhook_command(), "report", "-o", limited, "--fail-if", limit, chosen.data]
        return execute(line).status

    assert status("count of Chosen::grow > 300") == 0
    assert status("count of Chosen::grow > 299") == 1
