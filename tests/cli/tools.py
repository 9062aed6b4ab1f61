"""Helpers of the command line tests other than fixtures."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: What tests/cli/java/p/Work.java does.
WORK_CALLS = {"p.Work::main": 1, "p.Work::add": 10, "p.Work::bytes": 5, "p.Work::fail": 3}
WORK_OUT = "sum 50003\n"


@dataclass(frozen=True, slots=True)
class Result:
    """A command's output and status."""

    status: int
    out: str
    err: str


def call(command: list[str], folder: Path, env: Mapping[str, str] | None = None, stdin: str = "") -> Result:
    """Runs any command; asserts that it prints no traceback."""
    environment = {key: value for key, value in os.environ.items() if key not in ("JAVA_TOOL_OPTIONS", "COLUMNS", "FORCE_COLOR")}
    environment["XDG_CACHE_HOME"] = f"{folder}-cache"  # not shared between tests
    done = subprocess.run(command, cwd=folder, env={**environment, **(env or {})}, input=stdin.encode(), capture_output=True, check=False,
                          timeout=120)  # fmt: skip
    out, err = done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape")
    assert "Traceback" not in out + err, out + err
    assert "# A fatal error has been detected" not in out + err, out + err
    return Result(done.returncode, out, err)


def calls(report: dict[str, Any]) -> dict[str, int]:
    """Method -> calls, of all rows that ran."""
    return {f"{row['class']}::{row['method']}": row["calls"] for row in report["methods"] if row["calls"]}
