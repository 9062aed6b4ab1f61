"""A JVM's child processes, and code that still runs when a JVM ends."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from tests.conftest import OLDEST_AND_NEWEST, Jvm, Words
from tests.pressure.conftest import ALL, Pressed, assert_as_bare, calls, sized

KINDS = {"count": ("count **::*",), "time": ALL}
#: Ways in which each JDK starts a process; VFORK was removed after JDK 17.
MECHANISMS = {17: ("POSIX_SPAWN", "FORK", "VFORK"), 21: ("POSIX_SPAWN",), 25: ("POSIX_SPAWN", "FORK")}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["return", "exit"])
def test_what_counts_after_the_end_of_main(jvm: Jvm, classes: Path, pressed: Pressed, kind: str, how: str) -> None:
    """A shutdown hook loads classes and counts, and daemon threads keep running, one of them until the JVM is gone."""
    result = pressed(jvm.java, "-cp", classes, "Farewell", how, rules=KINDS[kind])
    shown = re.fullmatch(r"daemons (\d+)\n", result.stdout)
    assert shown, result.stdout
    assert (result.status, result.stderr, result.ends()) == (3 if how == "exit" else 0, "", ["exit"])
    found = calls(result)
    assert found["Farewell::counted"] == int(shown[1])
    assert found["Made000001::step"] == 1000
    assert (found["Farewell$Late::go"], found["Farewell$Late::step"]) == (1, 500)
    assert found["Farewell::spun"] > 0
    if kind == "time":
        assert result.method("Farewell::daemon")["completed"] == 4
        assert result.method("Farewell::endless")["completed"] == 0
        assert 0 <= found["Farewell::spun"] - result.method("Farewell::spun")["completed"] <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_jvm_that_forks(jvm: Jvm, classes: Path, pressed: Pressed, kind: str) -> None:
    """Children have none of the agent's files open, and the data contains only the JVM's counts."""
    each = sized(5, 100)
    for mechanism in MECHANISMS[jvm.version]:
        program: Words = [
            jvm.java,
            f"-Djdk.lang.Process.launchMechanism={mechanism}",
            "-cp",
            classes,
            "Forks",
            str(each),
        ]
        result = pressed(*program, rules=KINDS[kind])
        assert_as_bare(result, program)
        assert result.stdout == "leaked 0\n"
        times = len(result.report["processes"])  # all in one data directory
        found = calls(result, "Forks")
        assert (found["Forks::call"], found["Forks::child"], found["Forks::count"]) == (
            400_000 * times,
            4 * each * times,
            2 * times,
        )
        assert result.ends() == ["exit"] * times


@OLDEST_AND_NEWEST
def test_a_child_that_outlives_a_killed_jvm(jvm: Jvm, classes: Path, pressed: Pressed, tmp_path: Path) -> None:
    """The child does not hold the data file's lock, so the JVM is known to be gone."""
    alive = tmp_path / "alive"  # the child lives until this is gone
    alive.touch()
    try:
        result = pressed(jvm.java, "-cp", classes, "Orphan", alive)
    finally:
        alive.unlink()
    assert (result.status, result.stdout, result.stderr) == (-signal.SIGKILL, "child\n", "")
    assert result.ends() == ["killed"]
    assert calls(result, "Orphan") == {"Orphan::main": 1, "Orphan::counted": 1000}
