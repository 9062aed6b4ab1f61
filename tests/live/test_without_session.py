"""HotSpot's own answers to `classhook ctl` and `classhook heap` where classhook is not in the JVM, and stays out of
it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, OLDEST_AND_NEWEST, Compiled, Jvm, Result, classhook_command, execute
from tests.extensions import needs

pytestmark = [pytest.mark.core, OLDEST_AND_NEWEST]


@pytest.fixture
def stuck(jvm: Jvm, compiled: Compiled) -> Iterator[str]:
    """The process id of a program whose threads wait for each other."""
    line = [jvm.java, "-cp", compiled("locks"), "Locks", "deadlock", "forever"]
    with subprocess.Popen(
        [*map(str, line)], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        yield str(program.pid)
        program.kill()


def ctl(pid: str, *words: str) -> Result:
    return execute([*classhook_command(), "ctl", pid, *words])


def test_a_jvm_is_asked_without_an_agent(stuck: str, tmp_path: Path) -> None:
    said = ctl(stuck, "deadlocks").stdout
    assert said.startswith("Found one Java-level deadlock:"), said
    assert "Locks." in said
    assert '"main"' in ctl(stuck, "threads").stdout
    assert "java.lang.String" in ctl(stuck, "heap", "histogram").stdout
    dump = tmp_path / "app.hprof"
    assert ctl(stuck, "heap", "dump", str(dump)).status == 0
    assert dump.stat().st_size > 0
    wrong = ctl(stuck, "jcmd", "No.such")
    assert wrong.status == 1
    assert "Unknown diagnostic command" in wrong.stderr
    maps = Path(f"/proc/{stuck}/maps").read_text()
    assert "libclasshook" not in maps


@needs("heap")
def test_the_heap_of_a_jvm_is_dumped_and_the_dump_deleted(stuck: str, tmp_path: Path) -> None:
    line = ["env", f"TMPDIR={tmp_path}", *classhook_command(), "heap", stuck, "--top", "3"]
    done = execute(line)
    assert done.status == 0, done.stderr
    assert 0 < done.stdout.index("Suspects: ") < done.stdout.index("objects of ")
    assert not [*tmp_path.iterdir()]
