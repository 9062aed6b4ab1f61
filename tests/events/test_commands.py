"""A script's own commands for `classhook ctl`, and the JVM's request for a dump."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, classhook_command
from tests.events.conftest import HEAD
from tests.live.conftest import classhook

SCRIPT = '''
@agent.command("hot", help="the ten hottest methods")
def hot(n: int = 10, *names):
    """So many."""
    return [f"{i} {name}" for i, name in enumerate(names or ("a", "b", "c"))][:n]

@agent.command("half")
def half(x: float): return x / 2

@agent.command("broken")
def broken(): return {}["x"]

@agent.command("nothing")
def nothing(): return None

@agent.command("large")
def large(lines: int): return ["x" * 1_000_000] * lines

@agent.on.data_dump
def dump(e): print("dumped on", e.thread, flush=True)
'''


@pytest.fixture
def waiting(jvm: Jvm, classes: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A JVM with the script that waits until its input ends."""
    (tmp_path / "handlers.py").write_text(HEAD + SCRIPT)
    line = [
        *classhook_command(),
        "run",
        "--quiet",
        "--agent",
        tmp_path / "handlers.py",
        "-o",
        tmp_path / "data",
        "--",
        jvm.java,
        "-cp",
        classes,
    ]
    process = subprocess.Popen(
        [*line, "Abused", "waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.communicate("\n", timeout=PATIENCE)


@pytest.fixture
def attached(jvm: Jvm, classes: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The same without a script, attached to."""
    process = subprocess.Popen(
        [jvm.java, "-cp", classes, "Abused", "waits"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    assert classhook("attach", str(process.pid), "-e", "count Abused::*", "-o", tmp_path / "data").status == 0
    yield process
    process.kill()
    process.communicate(timeout=PATIENCE)


def test_the_first_script_is_added_later(attached: subprocess.Popen[str], tmp_path: Path) -> None:
    def ctl(*words: str | Path) -> tuple[int, str]:
        done = classhook("ctl", str(attached.pid), *words)
        return done.status, done.stdout + done.stderr

    script = tmp_path / "handlers.py"
    assert ctl("agent") == (
        1,
        f"classhook: {attached.pid}: no script of handlers is in this JVM: `agent add FILE` adds one\n",
    )
    script.write_text("raise ValueError('no')")
    status, said = ctl("agent", "add", script)
    assert (status, "handlers.py:1: ValueError: no" in said) == (1, True)
    script.write_text(HEAD + SCRIPT)
    assert ctl("agent", "add", script)[0] == 0
    assert ctl("half", "3") == (0, "1.5\n")
    assert ctl("nosuch")[1].endswith("; of the scripts: hot, half, broken, nothing, large\n")
    assert ctl("rules") == (0, "   1  count Abused::*\n")
    assert ctl("agent", "remove", script)[0] == 0
    assert ctl("half", "3")[0] == 2
    assert classhook("detach", str(attached.pid)).status == 0


def pid_of(tmp_path: Path) -> str:
    (file,) = (tmp_path / "data").glob("*.ctl")
    return file.stem.partition("-")[0]


def test_commands(waiting: subprocess.Popen[str], tmp_path: Path) -> None:
    pid = pid_of(tmp_path)
    assert classhook("ctl", pid, "hot", "2").stdout == "0 a\n1 b\n"
    assert classhook("ctl", pid, "hot", "1", "x", "y").stdout == "0 x\n"
    assert classhook("ctl", pid, "half", "3").stdout == "1.5\n"
    assert classhook("ctl", pid, "nothing").stdout == ""
    assert [json.loads(line) for line in classhook("ctl", pid, "--json", "half", "5").stdout.splitlines()] == [
        {"line": "2.5"},
        {"ok": True},
    ]
    for words, expected in (
        (("half",), "half: missing a required argument: 'x'"),
        (("half", "x"), "half: could not convert string to float: 'x'"),
        (("hot", "x"), "hot: invalid literal for int() with base 10: 'x'"),
        (("broken",), "KeyError: 'x'"),
    ):
        result = classhook("ctl", pid, *words)
        assert (result.status, expected in result.stderr) == (1, True), result.stderr
    large = classhook("ctl", pid, "large", "40")
    assert (large.status, large.stdout.count("\n"), len(large.stdout)) == (0, 40, 40 * 1_000_001)
    unknown = classhook("ctl", pid, "unheard")
    assert (unknown.status, "unknown command unheard" in unknown.stderr) == (2, True)


def test_a_dump_is_asked_for(waiting: subprocess.Popen[str], tmp_path: Path) -> None:

    os.kill(int(pid_of(tmp_path)), signal.SIGQUIT)
    assert waiting.stdout is not None
    lines = iter(waiting.stdout.readline, "dumped on Signal Dispatcher\n")
    assert any("Full thread dump" in line for line in lines)


MORE = """
@agent.on.start
def start(e): print("started")

@agent.on.method_exit("java.io.InputStream::*")
def read(e): pass
"""


@pytest.fixture
def bare(jvm: Jvm, classes: Path) -> Iterator[subprocess.Popen[str]]:
    """A JVM without an agent that waits until its input ends."""
    line = [jvm.java, "-cp", classes, "Abused", "waits"]
    process = subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.communicate(timeout=PATIENCE)


def test_a_script_in_a_jvm_that_runs(bare: subprocess.Popen[str], tmp_path: Path) -> None:
    script, data, pid = tmp_path / "handlers.py", tmp_path / "data", str(bare.pid)
    script.write_text("from classhook.agent import Agnt\n")
    wrong = classhook("attach", pid, "--agent", script, "-o", data)
    assert (wrong.status, "handlers.py:1: ImportError" in wrong.stderr) == (1, True), wrong.stderr
    script.write_text(HEAD + SCRIPT + MORE)
    done = classhook("attach", pid, "--agent", script, "-o", data)
    assert (done.status, "attached to" in done.stderr) == (0, True), done.stderr
    assert classhook("ctl", pid, "half", "3").stdout == "1.5\n"
    assert classhook("detach", pid).status == 0
    unknown = classhook("ctl", pid, "half", "3")
    assert unknown.status != 0
    out, _ = bare.communicate("\n", timeout=PATIENCE)
    assert bare.returncode == 0
    assert out.splitlines() == ["started", "waits 0"]
