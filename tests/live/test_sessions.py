"""Sessions from Python: what they count, their rules, and JVMs that end."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from instrument import Failure, Session, UsageError, attach
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, FindJvm

VERSIONS = [17, 25]


@pytest.fixture(params=VERSIONS, ids=lambda version: f"jdk{version}")
def steady(request: pytest.FixtureRequest, compiled: Compiled, find_jvm: FindJvm) -> Iterator[subprocess.Popen[bytes]]:
    line = [find_jvm(request.param).java, "-cp", compiled("Steady"), "Steady"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


def calls(session: Session, method: str) -> int:
    return sum(row.calls for row in session.snapshot().methods if row.method == method)


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_session_counts_from_its_begin_to_its_end(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with attach(steady.pid, "count Steady::outer", data=tmp_path) as session:
        assert session.attached
        until(lambda: calls(session, "outer") > 20)
        session.add("count Steady::step")
        assert session.rules == ["count Steady::outer", "count Steady::step"]
        until(lambda: calls(session, "step") > 100)
        session.pause("count Steady::step")
        assert session.rules == ["count Steady::outer"]
        before = calls(session, "outer")
        session.reset()
        assert session.snapshot().processes[0].since_unix_ns > 0
        assert calls(session, "outer") < before
        with pytest.raises(UsageError, match="no such rule"):
            session.remove("count Steady::nothing")
        session.remove("count Steady::step")
    assert not session.attached
    assert session.running
    ended = session.snapshot()
    assert ended.processes[0].end == "detached"
    time.sleep(0.1)
    assert session.snapshot().methods.to_dict() == ended.methods.to_dict()
    session.detach()  # nothing happens


def test_a_jvm_that_ends_meanwhile(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with attach(steady.pid, ["count Steady::*"], data=tmp_path) as session:
        until(lambda: calls(session, "outer") > 5)
        steady.kill()
        steady.wait()
        assert not session.running
        assert session.snapshot().processes[0].end == "killed"
        assert calls(session, "outer") > 5
        with pytest.raises(Failure):
            session.add("count Steady::main")


def test_a_second_session_may_begin_at_zero(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with attach(steady.pid, "count Steady::step", data=tmp_path) as first:
        until(lambda: calls(first, "step") > 1000)
    counted = calls(first, "step")
    with attach(steady.pid, "count Steady::main", data=tmp_path) as again:
        assert calls(again, "step") == counted
    with attach(steady.pid, "count Steady::main", data=tmp_path, reset=True) as fresh:
        assert calls(fresh, "step") == 0
