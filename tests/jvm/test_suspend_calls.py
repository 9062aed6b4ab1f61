"""A call of a Kotlin suspend function is one for all measures, however often it waits: by its first arguments and its
last result."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.conftest import OLDEST_AND_NEWEST, FindJvm, Jvm, Result, Run
from tests.jvm.test_contexts import by_context
from tests.jvm.test_languages import LANGUAGES, class_path

CALLS = 100
KEYS = {str(n): CALLS // 20 for n in range(20)}


@pytest.fixture
def counted(jvm: Jvm, find_jvm: FindJvm, run: Run, pytestconfig: pytest.Config) -> Any:
    path = class_path("waits", find_jvm(17), pytestconfig.cache.mkdir("languages"))

    def counted(*rules: str) -> Result:
        done = run(list(rules), jvm.java, "-Xverify:all", "-cp", path, *LANGUAGES["waits"].main)
        assert done.status == 0, done.stderr
        assert done.stdout == "5125 5050\n"
        return done

    return counted


def keys(done: Result, method: str) -> dict[str, int]:
    return {row["key"]: row["calls"] for row in done.report["keys"] if row["method"] == method}


@OLDEST_AND_NEWEST
def test_keys_and_values_are_those_of_calls(counted: Any) -> None:
    rules = [
        "time shop::fetch by arg0",
        "count shop::fetch by arg1",
        "count shop::seldom by arg0",
        "value shop::fetch of arg0",
        "value shop::fetch of result",
    ]
    done = counted(*rules, "value shop::seldom of result")
    timed = {row["key"]: row["calls"] for row in done.report["keys"] if row["rule"] == rules[0]}
    assert timed == KEYS
    assert {row["key"]: row["calls"] for row in done.report["keys"] if row["rule"] == rules[1]} == {
        f"n{key}": n for key, n in KEYS.items()
    }
    assert keys(done, "seldom") == {str(n): 1 for n in range(CALLS)}
    values = {row["rule"]: (row["count"], row["sum"]) for row in done.report["values"]}
    assert values[rules[3]] == (CALLS, sum(range(20)) * 5)
    assert values["value shop::seldom of result"] == (CALLS, sum(range(1, CALLS + 1)))
    (row,) = [row for row in done.report["methods"] if row["method"] == "fetch"]
    assert (row["calls"], row["exceptions"]) == (CALLS, CALLS // 20)
    assert 0 < row["resumptions"] <= 2 * CALLS - CALLS // 20, "a delay may be over before the function waits"


@OLDEST_AND_NEWEST
def test_a_context_ends_with_the_call(counted: Any) -> None:
    """Its caller goes on in the same task, on the thread that went on with it."""
    done = counted("context shop::fetch by arg0", "count shop::{step,after}")
    assert done.data is not None
    found = by_context(done.data)
    assert (
        sum(n for context, of in found.items() for method, n in of.items() if context and method == "step")
        == 3 * CALLS - CALLS // 20
    )
    assert {context: of.get("after", 0) for context, of in found.items()} == {None: CALLS} | {
        f"shop.WaitsKt.fetch [{n}]": 0 for n in range(20)
    }
    assert found[None]["step"] == CALLS, "of seldom"
    for row in done.report["contexts"]:
        assert row["entered"] == row["completed"] == CALLS // 20
        assert row["max_ns"] >= 1_000_000, "from the first entry to the last return"


@OLDEST_AND_NEWEST
def test_watched_calls_have_first_arguments_and_last_results(counted: Any) -> None:
    done = counted(
        "watch shop::fetch", "watch shop::caller show arg0", "time shop::seldom slowest 100", "watch shop::never"
    )
    by = {
        name: [call for call in done.report["calls"] if call["method"] == name]
        for name in ("fetch", "caller", "seldom", "never")
    }
    ended = Counter(
        (call["args"]["id"], call["args"]["name"], call["result"], call["exception"]) for call in by["fetch"]
    )
    assert ended == {
        (n, f"n{n}", 6 * n, None) if n < 19 else (19, "n19", None, "shop.Missing"): CALLS // 20 for n in range(20)
    }
    assert max(call["took_ns"] for call in by["fetch"]) >= 1_000_000, "from the first entry to the last return"
    assert {call["fields"]["id"] for call in by["caller"]} == set(range(20))
    assert sorted(call["result"] for call in by["seldom"]) == list(range(1, CALLS + 1))
    (never,) = by["never"]
    assert (never["args"]["id"], never["result"]) == (7, None)
    assert "Cancellation" in never["exception"]
