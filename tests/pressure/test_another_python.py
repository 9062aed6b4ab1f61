"""A JVM within another Python, which the agent must not disturb: classes that need no weaving count, others are not
instrumented."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import (
    ENVIRONMENT,
    OLDEST_AND_NEWEST,
    PATIENCE,
    Compiled,
    Jvm,
    Result,
    Words,
    classhook_command,
    execute,
)
from tests.pressure.conftest import Armed, Pressed, jar_of, leave_nothing, reported

RULES = ("time Pace::*", "alloc * in Pace", "count java.util.ArrayList::add")
WITHIN = Path(__file__).with_name("in_python.py")
SAID = (
    "classhook: there is another Python in this process; classes that would have to be woven here are not"
    " instrumented\n"
)
Embedded = Callable[..., Result]


HELPERS = ("java.lang.VirtualThread",)  # which the agent itself wants woven, to follow threads


@pytest.fixture
def embedded(jvm: Jvm, compiled: Compiled, armed: Armed, data: Path) -> Embedded:
    """Runs Pace in a JVM within Python, with the agent; `stderr` is without the lines of a bare run."""
    pytest.importorskip("jpype", reason="JPype is not installed: pip install JPype1")
    library = jvm.java.parent.parent / "lib" / "server" / "libjvm.so"

    def line(classes: Path, *options: str) -> Words:
        given = ["--enable-native-access=ALL-UNNAMED", f"-Djava.class.path={classes}", *options]
        return [sys.executable, WITHIN, library, *given, "--", "Pace", "1000"]

    def run(classes: Path, rules: tuple[str, ...] = RULES, **more: str) -> Result:
        bare = execute(line(compiled("Pace")))
        result = reported(execute(line(classes, armed(*rules, **more))), data)
        leave_nothing(data)
        assert bare.stdout == "true\n"
        assert (result.status, result.stdout) == (bare.status, bare.stdout)
        result.stderr = result.stderr.removeprefix(bare.stderr)
        assert result.ends() == ["exit"]
        assert result.report["processes"][0]["python_start_ns"] == 0
        return result

    return run


def counts(result: Result) -> dict[str, int]:
    rows: list[dict[str, Any]] = result.report["methods"]
    return {row["method"]: row["calls"] for row in rows if row["class"] == "Pace"}


@OLDEST_AND_NEWEST
def test_what_must_be_woven_runs_bare_and_is_listed(jvm: Jvm, compiled: Compiled, embedded: Embedded) -> None:
    result = embedded(compiled("Pace"))
    assert result.stderr == SAID
    assert result.report["methods"] == result.report["allocations"] == []
    skipped = {(one["class"], one["reason"], one["detail"]) for one in result.report["classes"]["skipped"]}
    assert skipped == {
        (name, "no-python", "there is another Python in this process")
        for name in ("Pace", "java.util.ArrayList", *HELPERS[jvm.version < 21 :])
    }


@OLDEST_AND_NEWEST
def test_what_the_cache_has_is_counted(
    jvm: Jvm, compiled: Compiled, embedded: Embedded, armed: Armed, data: Path, tmp_path: Path
) -> None:
    cache = str(tmp_path / "cache")
    alone = reported(execute([jvm.java, armed(*RULES, cache=cache), "-cp", compiled("Pace"), "Pace", "1000"]), data)
    leave_nothing(data)
    for file in data.iterdir():
        file.unlink()
    result = embedded(compiled("Pace"), cache=cache)
    assert result.stderr == ""
    assert result.report["classes"]["skipped"] == []
    assert counts(result) == counts(alone)
    assert counts(result)["tiny"] == 2000


@OLDEST_AND_NEWEST
def test_what_was_woven_ahead_of_time_is_counted(compiled: Compiled, embedded: Embedded, tmp_path: Path) -> None:
    woven = tmp_path / "woven"
    weave = [*classhook_command(), "weave", "--quiet", "-e", RULES[0], "-e", RULES[1], compiled("Pace"), "-o", woven]
    subprocess.run(weave, check=True, timeout=PATIENCE, env=ENVIRONMENT)
    result = embedded(woven, rules=("count org.nowhere.None::*",))
    assert result.stderr == ""
    assert counts(result) == {
        "main": 1,
        "once": 1,
        "tiny": 2000,
        "loop": 2,
        "body": 2,
        "failing": 2000,
        "lambda$main$0": 2,
    }
    failing = next(row for row in result.report["methods"] if row["method"] == "failing")
    assert (failing["completed"], failing["exceptions"]) == (2000, 1000)
    assert [site["count"] for site in result.report["allocations"] if site["method"] == "failing"] == [1000]


@OLDEST_AND_NEWEST
def test_a_program_that_brings_a_python_finds_no_other(
    jvm: Jvm, compiled: Compiled, pressed: Pressed, tmp_path: Path
) -> None:
    """jep would use the agent's Python, which has none of its modules."""
    jep = jar_of(compiled("Pace"), tmp_path / "jep-4.2.jar", only="none")
    result = pressed(jvm.java, "-cp", f"{compiled('Pace')}:{jep}", "Pace", "1000", rules=RULES[:1])
    brings = "the program starts its own Python (jep)"
    said = f"classhook: {brings}; classes that would have to be woven here are not instrumented\n"
    assert (result.status, result.stdout, result.stderr) == (0, "true\n", said)
    skipped = {(one["class"], one["detail"]) for one in result.report["classes"]["skipped"]}
    assert skipped == {(name, brings) for name in ("Pace", *HELPERS[jvm.version < 21 :])}
