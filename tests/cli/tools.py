"""Helpers of the command line tests other than fixtures."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import forked
from tests.conftest import PATIENCE
from tests.failing import remember

#: The calls of each method when tests/cli/java/p/Work.java runs.
WORK_CALLS = {"p.Work::main": 1, "p.Work::add": 10, "p.Work::bytes": 5, "p.Work::fail": 3}
WORK_OUT = "sum 50003\n"


@dataclass(frozen=True, slots=True)
class Result:
    """A command's output and status."""

    status: int
    out: str
    err: str


CLASSHOOK = [sys.executable, "-m", "classhook.cli"]


def call(command: list[str], folder: Path, env: Mapping[str, str] | None = None, stdin: str = "") -> Result:
    """Runs any command, one of classhook's by a fork if that makes no difference; asserts that it prints no
    traceback."""
    environment = {
        key: value for key, value in os.environ.items() if key not in ("JAVA_TOOL_OPTIONS", "COLUMNS", "FORCE_COLOR")
    }
    environment["XDG_CACHE_HOME"] = f"{folder}-cache"  # not shared between tests
    whole = {**environment, **(env or {})}
    if command[: len(CLASSHOOK)] == CLASSHOOK and forked.possible(command[len(CLASSHOOK) :], env):
        done = forked.run(command[len(CLASSHOOK) :], stdin, whole, PATIENCE, folder)
    else:
        done = subprocess.run(
            command, cwd=folder, env=whole, input=stdin.encode(), capture_output=True, check=False, timeout=PATIENCE
        )
    out, err = done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape")
    remember(command, done.returncode, stdout=out, stderr=err)
    assert "Traceback" not in out + err, out + err
    assert "# A fatal error has been detected" not in out + err, out + err
    return Result(done.returncode, out, err)


def calls(report: dict[str, Any]) -> dict[str, int]:
    """Method -> calls, of all rows that ran."""
    return {f"{row['class']}::{row['method']}": row["calls"] for row in report["methods"] if row["calls"]}
