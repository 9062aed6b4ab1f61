"""Calls of Kotlin suspend functions that others resume, in contexts of their own, or nobody does; and what handlers are
told of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import OLDEST_AND_NEWEST, FindJvm, Jvm, Result, Run, classhook_command, execute
from tests.jvm.test_contexts import by_context
from tests.jvm.test_languages import LANGUAGES, class_path

CALLS = 50
PRINTED = f"{sum(range(1, CALLS)) + CALLS - 1} true\n"

SCRIPT = """
from classhook.agent import Agent
agent = Agent()

@agent.on.method_entry("shop::{answered,forgotten}", args=True, sync=True)
def begins(e):
    print("begins", e.method)

@agent.on.method_exit("shop::answered", args=True, value=True, sync=True)
def ends(e):
    print("ends", [arg is None for arg in e.args], e.value, e.exception, e.ns > 0)
"""


@pytest.fixture
def command(jvm: Jvm, find_jvm: FindJvm, pytestconfig: pytest.Config) -> list[str | Path]:
    path = class_path("answered", find_jvm(17), pytestconfig.cache.mkdir("languages"))
    return [jvm.java, "-Xverify:all", "-cp", path, *LANGUAGES["answered"].main]


@pytest.fixture
def counted(command: list[str | Path], run: Run) -> Any:
    def counted(*rules: str) -> Result:
        done = run(list(rules), *command)
        assert done.stdout == PRINTED, done.stderr
        return done

    return counted


@OLDEST_AND_NEWEST
def test_a_caller_goes_on_in_its_own_context(counted: Any) -> None:
    """Not in that of what resumed the call that it waited for."""
    done = counted("context shop::{answered,answers}", "count shop::{step,after}")
    found = by_context(done.data)
    assert found["shop.AnsweredKt.answered"]["step"] == 2 * CALLS
    assert found[None] == {"after": CALLS}


@OLDEST_AND_NEWEST
def test_coroutines_in_an_event_loop_are_in_the_context_that_started_them(counted: Any) -> None:
    done = counted("context shop::starts", "count shop::started")
    assert by_context(done.data)["shop.AnsweredKt.starts"]["started"] == 10


@OLDEST_AND_NEWEST
def test_what_nobody_resumes_is_collected(counted: Any) -> None:
    """Although it is watched, and its result would be recorded by key."""
    done = counted(
        "watch shop::forgotten show args, arg0.size",
        "value shop::forgotten of result by arg0.size",
        "context shop::forgotten",
    )
    assert not done.report["calls"]
    assert [row["entered"] for row in done.report["contexts"]] == [1]


@pytest.mark.parametrize("word", ["count", "time"])
@OLDEST_AND_NEWEST
def test_calls_below_others_are_counted_once(word: str, counted: Any) -> None:
    done = counted(f"{word} shop::{{answered,asks}} below kotlinx.coroutines.DispatchedTask::run")
    assert {row["method"]: row["calls"] for row in done.report["keys"]} == {"answered": CALLS, "asks": CALLS}


@OLDEST_AND_NEWEST
def test_handlers_are_told_of_calls(command: list[str | Path], tmp_path: Path) -> None:
    """A call's handlers are told of its first entry and its last return, with the arguments that are still there."""
    script = tmp_path / "handlers.py"
    script.write_text(SCRIPT)
    done = execute(
        [
            *classhook_command(),
            "run",
            "--quiet",
            "--agent",
            script,
            "-o",
            tmp_path / "data",
            "--no-cache",
            "--",
            *command,
        ]
    )
    told = Counter(done.stdout.splitlines())
    assert told.pop(PRINTED.strip()) == 1
    assert told["begins shop.AnsweredKt::answered"] == CALLS
    assert told["begins shop.AnsweredKt::forgotten"] == 1
    ends = [line for line in told if line.startswith("ends [False, ")]
    assert len(ends) == sum(told[line] for line in ends) == CALLS, "each once, with its result or exception"
    assert sum("java.lang.IllegalStateException: 50 True" in line for line in ends) == 1
