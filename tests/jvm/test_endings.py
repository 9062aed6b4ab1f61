"""However a JVM ends, the report has its counts up to then and says how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, Result, Run, Words, on, report_of, run_line

ENDS = {
    "return": ("exit", 0),
    "exit": ("exit", 4),
    "throw": ("exit", 1),
    "halt": ("halt", 3),
    "halt-elsewhere": ("halt", 3),
    "exit-elsewhere": ("exit", 4),
}


@pytest.fixture
def program(jvm: Jvm, compiled: Compiled) -> Words:
    return [jvm.java, "-cp", compiled("Endings"), "Endings"]


def as_result(data: Path) -> Result:
    return Result(0, "", "", data, report_of(data))


def assert_counted(result: Result, completed: int) -> None:
    """Asserts 1,000 calls, and one of the method that was active at the end, completed or not."""
    assert {key: result.method("Endings::counted")[key] for key in ("calls", "completed", "exceptions")} == dict(
        calls=1000, completed=1000, exceptions=0
    )
    active = result.method("Endings::active")
    assert (active["calls"], active["completed"]) == (1, completed)
    if not completed:
        assert active["total_ns"] == active["max_ns"] == active["p99_ns"] == 0


@pytest.mark.parametrize("how", ENDS)
def test_an_end_of_its_own(program: Words, run: Run, how: str) -> None:
    result = run("time **::*", *program, how)
    end, status = ENDS[how]
    assert result.status == status
    assert result.ends() == [end]
    assert result.stdout == ("ready\n" if end == "halt" else "ready\nhook\n")
    assert_counted(result, completed=how in ("return", "throw"))


@pytest.mark.parametrize("how", ["return", "exit", "halt"])
def test_a_preloaded_library_whose_destructor_has_run(program: Words, run: Run, tmp_path: Path, how: str) -> None:
    library = tmp_path / "gone.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, Path(__file__).with_name("gone_at_exit.c")], check=True)
    result = run("time **::*", "env", f"LD_PRELOAD={library}", *program, how)
    end, status = ENDS[how]
    assert (result.status, result.ends()) == (status, [end]), result.stderr
    assert_counted(result, completed=how == "return")


@on(17)
def test_a_program_that_closes_the_agents_descriptors(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run(
        "count Closes*::step",
        jvm.java,
        "--add-opens",
        "java.base/java.io=ALL-UNNAMED",
        "-cp",
        compiled("Closes"),
        "Closes",
    )
    assert (result.status, result.stdout, result.ends()) == (0, "closed\n", ["exit"])
    assert (result.method("Closes::step")["calls"], result.method("Closes$Later::step")["calls"]) == (2000, 1000)


@contextmanager
def started(program: Words, how: str, data: Path) -> Iterator[subprocess.Popen[str]]:
    """Starts the program under `classhook run` and waits until it says that it is ready."""
    line = run_line(["time **::*"], data, [*program, how])
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True
    ) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # the JVM too, in case a test failed


def pid_of(data: Path) -> int:
    (process,) = report_of(data)["processes"]
    return int(process["pid"])


@pytest.mark.parametrize("how", ["block", "spin"])
def test_a_live_process_then_killed(program: Words, tmp_path: Path, how: str) -> None:
    with started(program, how, tmp_path) as process:
        alive = as_result(tmp_path)
        assert alive.ends() == ["running"]
        assert_counted(alive, completed=0)
        os.kill(pid_of(tmp_path), signal.SIGKILL)
        assert process.wait(PATIENCE) == 128 + signal.SIGKILL
    killed = as_result(tmp_path)
    assert killed.ends() == ["killed"]
    assert_counted(killed, completed=0)


def test_a_killed_process_whose_launcher_is_killed_too(program: Words, tmp_path: Path) -> None:
    """Nothing moves the counters to the data directory; `report` finds them where they are."""
    with started(program, "block", tmp_path) as process:
        pid = pid_of(tmp_path)
        process.kill()
        process.wait(PATIENCE)
        os.kill(pid, signal.SIGKILL)
        assert process.stdout
        process.stdout.read()  # until the JVM has ended
    result = as_result(tmp_path)
    assert result.ends() == ["killed"]
    assert_counted(result, completed=0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda s: s.name)
def test_a_signal_to_us_reaches_the_program(program: Words, tmp_path: Path, number: signal.Signals) -> None:
    with started(program, "block", tmp_path) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        assert (out, err, process.returncode) == ("hook\n", "", 128 + number)
    result = as_result(tmp_path)
    assert result.ends() == ["exit"]
    assert_counted(result, completed=0)


def test_a_thread_dump_does_not_show_us(program: Words, tmp_path: Path) -> None:
    with started(program, "block", tmp_path) as process:
        process.send_signal(signal.SIGQUIT)
        assert process.stdout
        lines = [process.stdout.readline()]
        while "JNI global refs" not in lines[-1]:
            assert lines[-1]
            lines.append(process.stdout.readline())
        assert process.poll() is None
    dump = "".join(lines)
    assert "Full thread dump" in dump
    assert "Endings.active" in dump
    assert "Classhook" not in dump
