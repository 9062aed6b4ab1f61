"""`by`: a row for each key, exactly as often as the program used it (java/Keyed.java)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Compiled, Jvm, Result, Run

pytestmark = pytest.mark.every_jvm

VIRTUAL = 21  # the first JDK with virtual threads
RULES = (
    *(f"count Keyed::{name} by arg0" for name in ("number", "flag", "letter", "real", "constant", "any")),
    *(f"time Keyed::{name} by arg0" for name in ("big", "text", "fib", "throwing")),
    "count Keyed::several by arg0.tenant, arg0.state, arg1, arg0.items.length",
    "count Keyed::pair by arg0, arg1",
    "count Keyed$Order::total by this.tenant",
    "count Keyed::query by sql(arg0)",
    "time Keyed$Prepared::execute by sql(this.sql)",
    "count Keyed$Prepared::again by sql(this.of.sql)",
    "count Keyed::task by arg0",
    "count Keyed::stacked by stack 1",
    "count Keyed::named by thread",
    "time Keyed::*",
)
#: The rounds of one thread, and the calls that they make: by method, then by key.
ROUNDS = 1200
EACH: dict[str, dict[str, int]] = {
    "number": {str(i): 2 * (ROUNDS // 7 + (i < ROUNDS % 7 - 3)) for i in range(-3, 4)},
    "big": {str(1 << i * 20): ROUNDS // 3 for i in range(3)},
    "flag": {"true": ROUNDS // 4, "false": ROUNDS * 3 // 4},
    "letter": {"a": ROUNDS // 2, "b": ROUNDS // 2},
    "real": {"0": ROUNDS // 2, "0.5": ROUNDS // 2},
    "text": dict.fromkeys(
        ("select 1", "ü \U0001f600", "a\tb\nc", '""', '"null"', '""null""', '"', "null"), ROUNDS // 8
    ),
    "constant": dict.fromkeys(("NEW", "PAID", "SENT", "null"), ROUNDS // 4),
    "any": dict.fromkeys(("5", "x", "int[]", "java.lang.String", "SENT"), ROUNDS // 5),
    "several": dict.fromkeys(("t0, NEW, 0, 0", "t1, PAID, 1, 1"), ROUNDS // 2),
    "pair": dict.fromkeys(('"a, b", c', 'a, "b, c"', 'a, """b"', 'a, b"', "a,, b", '"""a, b""", ""'), ROUNDS // 6),
    "total": dict.fromkeys(("t0", "t1"), ROUNDS // 2),
    "throwing": dict.fromkeys(("select 1", "ü \U0001f600"), ROUNDS // 2),
    "query": {f"select * from orders where id {which}": ROUNDS // 2 for which in ("= ?", "in (?, …)")},
    **{
        name: {f"delete from orders where id {which}": ROUNDS // 2 for which in ("= ?", "in (?, …)")}
        for name in ("execute", "again")
    },
    "task": {"Keyed$$Lambda": ROUNDS},
    "fib": {"5": 1, "4": 1, "3": 2, "2": 3, "1": 5, "0": 3},
}


def calls(rows: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        found.setdefault(row["method"], {})[row["key"]] = row["calls"]
    return found


def run_keyed(run: Run, jvm: Jvm, classes: Any, threads: int, kind: str, *more: str) -> Result:
    result = run(
        RULES, jvm.java, "-Xverify:all", "-Xcheck:jni", "-cp", classes, "Keyed", str(ROUNDS), str(threads), kind, *more
    )
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    return result


@pytest.mark.parametrize("kind", ["platform", "virtual", "halted"])
def test_each_key_has_its_calls(jvm: Jvm, compiled: Compiled, run: Run, kind: str) -> None:
    if kind == "virtual" and jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    threads = 40 if kind == "virtual" else 3
    result = run_keyed(run, jvm, compiled("Keyed"), threads, kind, *(["halt"] if kind == "halted" else []))
    found = calls(result.report["keys"])
    stacked, named = found.pop("stacked"), found.pop("named")
    assert found == {method: {key: threads * n for key, n in keys.items()} for method, keys in EACH.items()}
    assert {key.partition(":")[0]: n for key, n in stacked.items()} == {
        "Keyed.first": threads * ROUNDS // 4,
        "Keyed.second": threads * ROUNDS * 3 // 4,
    }
    assert named == (
        {"[no name]": threads * ROUNDS} if kind == "virtual" else {f"worker-{i}": ROUNDS for i in range(threads)}
    )
    assert not any(row.get("others") for row in result.report["keys"])
    assert all(int(key.partition(":")[2]) > 0 for key in stacked)  # the caller's line


def test_keys_add_up_to_the_method(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run_keyed(run, jvm, compiled("Keyed"), 2, "platform")
    methods = {row["method"]: row for row in result.report["methods"]}
    for name, keys in calls(result.report["keys"]).items():
        assert sum(keys.values()) == methods[name]["calls"], name
    for name in ("big", "text", "throwing", "fib"):
        rows = [row for row in result.report["keys"] if row["method"] == name]
        assert {row["kind"] for row in rows} == {"timed_by_key"}
        for column in ("completed", "exceptions"):
            assert sum(row[column] for row in rows) == methods[name][column], (name, column)
        assert abs(sum(row["self_ns"] for row in rows) - methods[name]["self_ns"]) <= len(rows)
    assert methods["throwing"]["exceptions"] == 2 * ROUNDS


def test_few_keys_have_rows_and_those_that_come_often_get_one(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    times = 40_000
    result = run(
        ("count Keyed::many by arg0 top 20",), jvm.java, "-cp", compiled("Keyed"), "Keyed", str(times), "1", "crowd"
    )
    rows = {row["key"]: row for row in result.report["keys"]}
    assert len(rows) <= 2 * 20 + 1
    assert sum(row["calls"] for row in rows.values()) == times
    assert rows[""]["others"]
    often = rows["-1"]
    assert 0.85 * times / 4 < often["calls"] <= times / 4 <= often["calls"] + often["calls_before"]
    assert rows["7"]["calls_before"] == 0  # one of the first
    assert rows["7"]["calls"] == sum(i % 5_000 == 7 and not (i > times / 2 and i % 2 == 0) for i in range(times))


@pytest.mark.any_jvm
def test_keys_of_several_rules_stay_apart(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """One method, by several keys; a rule that asks for the same keys as another one, even where it times, counts
    nothing twice. A method is timed by one key only."""
    rules = (
        "count Keyed::several by arg0.tenant",
        "count Keyed::several by arg1",
        "count Keyed::several by arg0.tenant,arg1",
        "count Keyed::several by arg0.tenant, arg1 top 5",
        "time Keyed::text by arg0",
        "count Keyed::text by arg0",
        "time Keyed::text by thread",
    )
    result = run(rules, jvm.java, "-cp", compiled("Keyed"), "Keyed", str(ROUNDS), "1", "platform")
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in result.report["keys"]:
        found.setdefault((row["method"], row["by"]), {})[row["key"]] = row["calls"]
    half = ROUNDS // 2
    assert found.pop(("text", "arg0")) == EACH["text"]
    assert sum(found.pop(("text", "thread")).values()) == ROUNDS
    assert {row["kind"] for row in result.report["keys"] if row["by"] == "thread"} == {"counted_by_key"}
    (skipped,) = result.report["classes"]["skipped"]
    assert "by thread`: Keyed.text is only counted by this key" in skipped["detail"]
    assert found == {
        ("several", "arg0.tenant"): {"t0": half, "t1": half},
        ("several", "arg1"): {"0": half, "1": half},
        ("several", "arg0.tenant, arg1"): {"t0, 0": half, "t1, 1": half},
    }


@pytest.mark.any_jvm
def test_a_field_whose_name_modified_utf8_has_in_another_way(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run(
        ("count Keyed$Order::total by this.\U0001d431",),
        jvm.java,
        "-Xverify:all",
        "-cp",
        compiled("Keyed"),
        "Keyed",
        "10",
        "1",
        "platform",
    )
    assert result.status == 0, result.stderr
    assert [(row["key"], row["calls"]) for row in result.report["keys"]] == [("beyond the first 65,536 characters", 10)]


@pytest.mark.any_jvm
def test_a_key_that_a_method_does_not_have(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = (
        "count Keyed::number by arg1",
        "count Keyed::flag by this.id",
        "count java.lang.String::isEmpty by this",
        "count Keyed::big by sql(arg0)",
    )
    result = run(rules, jvm.java, "-cp", compiled("Keyed"), "Keyed", "10", "1", "platform")
    assert result.report["keys"] == []
    details = [skip["detail"] for skip in result.report["classes"]["skipped"]]
    assert any("number(int) has no argument arg1" in detail for detail in details), details
    assert any("flag(boolean) is static" in detail for detail in details), details
    assert any("big has a number there, and no text" in detail for detail in details), details
    assert any("java.lang.String have no keys" in detail for detail in details), details
    assert {row["method"]: row["calls"] for row in result.report["methods"]}["number"] == 20


#: Results of each method of EndKeys: how many of its ten calls return each.
ENDS = {
    "kind": {"LOW": 3, "HIGH": 7},
    "even": {"true": 5, "false": 5},
    "letter": {"a": 4, "b": 3, "c": 3},
    "big": {str(1 << 40): 5, str(1 << 40 | 1): 5},
    "half": {"0": 5, "0.5": 5},
    "text": {"t0": 5, "t1": 4, "null": 1},
    "box": {"EndKeys$Box": 10},
    "risky": {str(i): 1 for i in (1, 2, 3, 6, 7, 9)},
}


def test_keys_of_the_end(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Results of all types, a field of the result, and exceptions; a call that throws has no result."""
    rules = [
        *(f"count EndKeys::{name} by result" for name in ENDS),
        "count EndKeys::box by result.name",
        "count EndKeys::{risky,nothing,<init>} by exception",
        "count EndKeys::risky by outcome",
        "count EndKeys::nothing by result",
    ]
    result = run(rules, jvm.java, "-Xcheck:jni", "-cp", compiled("EndKeys"), "EndKeys")
    assert (result.status, "WARNING" in result.stdout + result.stderr) == (0, False)
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in result.report["keys"]:
        found.setdefault((row["method"], row["by"]), {})[row["key"]] = row["calls"]
    assert {name: found[name, "result"] for name in ENDS} == ENDS
    assert found["box", "result.name"] == {"b0": 5, "b1": 5}
    thrown = "java.lang.IllegalStateException"
    assert found["risky", "exception"] == {"null": 6, thrown: 3, "java.lang.ArithmeticException": 1}
    assert found["risky", "outcome"] == {"returned": 6, thrown: 3, "java.lang.ArithmeticException": 1}
    assert found["nothing", "exception"] == {"null": 9, thrown: 1}
    assert found["<init>", "exception"] == {"null": 9, "java.lang.RuntimeException": 1}
    told = [row["detail"] for row in result.report["classes"]["skipped"]]
    assert "`result`: nothing(int) has no result" in told
