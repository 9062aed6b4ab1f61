"""`below` and `not below`: only what runs inside of another method counts, or only what does not (java/Inside.java)."""

from __future__ import annotations

import pytest

from tests.conftest import Compiled, Jvm, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

VIRTUAL = 21  # the first JDK with virtual threads
N = 600
#: Calls of `query` inside of each method, in one thread.
BELOW = {
    "Inside::pay": N + N // 2,
    "Inside::nested": 7 * N,
    "Inside::failing": 2 * N - N // 3,
    "Inside::waiting": 2,
    "Inside::locked": N,
    "Inside::through, Inside::locked": N // 2 * 2 + N,
}


@pytest.mark.parametrize("kind", ["platform", "virtual", "halted"])
@pytest.mark.parametrize("word", ["count", "time"])
def test_only_what_is_inside_counts(jvm: Jvm, compiled: Compiled, run: Run, word: str, kind: str) -> None:
    if kind == "virtual" and jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    threads = 20 if kind == "virtual" else 2
    rules = [f"{word} Inside::query below {region}" for region in BELOW] + [
        f"{word} Inside::itself below Inside::itself",
        "count Inside::{query,itself} below Inside::pay",
    ]
    options = ["-Xverify:all", "-Xcheck:jni", "-cp", compiled("Inside"), "Inside", str(N), str(threads), kind]
    result = run(rules, jvm.java, *options, *(["halt"] if kind == "halted" else []))
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    rows = {(row["method"], row["key"]): row for row in result.report["keys"]}
    expected = {("query", f"below {region}"): threads * n for region, n in BELOW.items()} | {
        ("itself", "below Inside::itself"): 3 * threads * N
    }
    assert {key: row["calls"] for key, row in rows.items()} == expected
    assert result.report["methods"] == []
    if word == "time":  # by one rule for each method
        timed = {key: row for key, row in rows.items() if row["kind"] == "timed_by_key"}
        assert timed.keys() == {("query", "below Inside::pay"), ("itself", "below Inside::itself")}
        assert all((row["completed"], row["left"]) == (row["calls"], 0) for row in timed.values())
        assert "is only counted there, since another rule times it" in str(result.report["classes"]["skipped"])


def test_beside_rules_for_all_calls(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = [
        "time Inside::query below Inside::pay",
        "count Inside::query",
        "count Inside::query below Inside::nested",
        "profile Inside::pay",
    ]
    result = run(rules, jvm.java, "-Xverify:all", "-cp", compiled("Inside"), "Inside", str(N), "1", "platform")
    assert result.status == 0, result.stderr
    found = {row["method"]: row["calls"] for row in result.report["methods"]}
    assert found["pay"] == N
    inside = {row["key"]: (row["kind"], row["calls"]) for row in result.report["keys"]}
    assert inside == {
        "below Inside::pay": ("timed_by_key", BELOW["Inside::pay"]),
        "below Inside::nested": ("counted_by_key", BELOW["Inside::nested"]),
    }
    outside = N // 2 + 4 * N + N // 3 + 1  # of run() itself
    assert (
        found["query"]
        == sum(BELOW[f"Inside::{name}"] for name in ("pay", "nested", "failing", "waiting", "locked")) + outside
    )


@pytest.mark.parametrize("kind", ["platform", "virtual"])
@pytest.mark.parametrize("word", ["count", "time"])
def test_only_what_is_not_inside_counts(jvm: Jvm, compiled: Compiled, run: Run, word: str, kind: str) -> None:
    if kind == "virtual" and jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    threads = 20 if kind == "virtual" else 2
    rules = [f"{word} Inside::query not below {region}" for region in BELOW] + [
        "count Inside::query",
        "count Inside::query below Inside::pay",
        f"{word} Inside::itself not below Inside::itself",
        f"{word} Inside::nested not below NoSuchClass::m",
    ]
    options = ["-Xverify:all", "-cp", compiled("Inside"), "Inside", str(N), str(threads), kind]
    result = run(rules, jvm.java, *options)
    assert result.status == 0, result.stderr
    (query,) = [row["calls"] for row in result.report["methods"]]
    rows = {(row["method"], row["key"]): row["calls"] for row in result.report["keys"]}
    assert rows == {("query", f"not below {region}"): query - threads * n for region, n in BELOW.items()} | {
        ("query", "below Inside::pay"): threads * BELOW["Inside::pay"],
        ("nested", "not below NoSuchClass::m"): threads * N * 4,
    }


def test_a_constructor_is_no_region(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run(
        "count Inside::query below Inside::<init>", jvm.java, "-cp", compiled("Inside"), "Inside", "1", "1", "platform"
    )
    assert "an exception may leave a constructor unseen" in str(result.report["classes"]["skipped"])
    assert result.report["keys"] == []


@pytest.mark.any_jvm
@pytest.mark.parametrize("word", ["below", "not below"])
def test_a_mistyped_region_is_named(jvm: Jvm, compiled: Compiled, run: Run, word: str) -> None:
    rule, classes = f"count Inside::query {word} Inside::outr", compiled("Inside")
    done = execute([*classhook_command(), "check", "-e", rule, classes])
    assert (done.status, "the method behind `below` matches nothing" in done.stdout) == (1, True)
    result = run(rule, jvm.java, "-cp", classes, "Inside", "1", "1", "platform")
    said = f"the method behind `below` matched nothing that was loaded: {rule}"
    assert any(note.startswith(said) for note in result.report["notes"])


@pytest.mark.parametrize("word", ["count", "time"])
def test_inside_by_key(jvm: Jvm, compiled: Compiled, run: Run, word: str) -> None:
    nested = {"3": 2 * N, "2": 2 * N, "1": 2 * N, "0": N}
    rules = [
        f"{word} Inside::query by arg0 below Inside::nested",
        "count Inside::query below Inside::nested by arg0, stack 1",
        "count Inside::query by result below Inside::nested",
        "count Inside::query by arg0 not below Inside::run",
        f"{word} Inside::failing by arg0 not below Inside::run",
        f"{word} Inside::through by thread below Inside::pay",
        "count Inside::failing by outcome below Inside::run",
    ]
    options = ["-Xverify:all", "-Xcheck:jni", "-cp", compiled("Inside"), "Inside", str(N), "1", "platform"]
    result = run(rules, jvm.java, *options)
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    found: dict[str, dict[str, int]] = {}
    for row in result.report["keys"]:
        found.setdefault(f"{row['method']} by {row['by']}", {})[row["key"]] = row["calls"]
        if row["kind"] == "timed_by_key":
            assert row["completed"] == row["calls"]
    of_stack = found.pop("query by arg0, stack 1 below Inside::nested")
    assert list(of_stack.values()) == [N] * 7  # one for each line that calls it, at each depth
    assert found == {
        "query by arg0 below Inside::nested": nested,
        "query by result below Inside::nested": {str(int(key) + 1): calls for key, calls in nested.items()},
        "through by thread below Inside::pay": {"Thread-0": N},
        "failing by outcome below Inside::run": {"returned": N - N // 3, "java.lang.IllegalStateException": N // 3},
    }
    kinds = {row["kind"] for row in result.report["keys"] if row["method"] == "through"}
    assert kinds == {"timed_by_key" if word == "time" else "counted_by_key"}
    assert result.report["methods"] == []
