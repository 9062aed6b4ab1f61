"""A build whose tools fail: what a user of pip sees."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import cffi
import pytest
from setuptools.errors import CompileError

from classhook.native.building import build, failing


def compiler_that(does: str, folder: Path) -> Path:
    """A compiler of two lines."""
    compiler = folder / "broken-gcc"
    compiler.write_text(f"#!/bin/sh\n{does}\n")
    compiler.chmod(0o755)
    return compiler


@pytest.mark.core("error")
@pytest.mark.parametrize(
    ("does", "why"),
    {
        "echo 'agent.c:7:10: fatal error: stdio.h: No such file or directory' >&2; exit 1": (
            "broken-gcc ended with status 1; its messages are above."
        ),
        "kill -9 $$": "broken-gcc was killed by SIGKILL; the machine may lack memory",
    }.items(),
    ids=["error", "killed"],
)
def test_a_compiler_that_fails_is_named_without_a_traceback(tmp_path: Path, does: str, why: str) -> None:
    script = (
        "import sys; from pathlib import Path; from classhook.native.building import build; build.HERE ="
        " Path(sys.argv[1]); build.main()"
    )
    environment = {**os.environ, "CC": str(compiler_that(does, tmp_path))}
    (tmp_path / "agent").mkdir()
    for name in ("classhook.h", "agent.c"):
        (tmp_path / "agent" / name).write_text((build.HERE / name).read_text())
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "agent")], env=environment, capture_output=True, text=True
    )
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert last.startswith(f"classhook: compiling the agent failed: {why}")
    assert ("stdio.h: No such file" in done.stderr) == ("stdio.h" in does)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (cffi.VerificationError("CompileError: command 'gcc' failed"), "command 'gcc' failed; its messages are above"),
        (CompileError("command '/usr/bin/gcc' failed with exit code 1"), "exit code 1; its messages are above"),
        (OSError(errno.ENOSPC, "", "/tmp/x.o"), r"/tmp/x.o: No space left on device \(TMPDIR="),
    ],
)
def test_failures_of_each_tool_become_messages(error: Exception, why: str) -> None:
    with pytest.raises(failing.Failed, match=f"^testing failed: .*{why}"), failing.step("testing"):
        raise error


def test_an_error_of_the_build_itself_stays_one() -> None:
    with pytest.raises(KeyError), failing.step("testing"):
        raise KeyError("a mistake")
