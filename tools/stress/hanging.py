"""Keeps the stacks of the threads of a JVM that hangs, and ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.conftest import ENVIRONMENT


def keep_stacks(java: Path, pid: int, folder: Path) -> Path:
    """Writes all stacks to a file, and returns its path."""
    path = folder / f"stacks-{time.monotonic():.0f}.txt"
    tools = (
        ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"],
        [str(java.parent / "jstack"), "-l", str(pid)],
    )
    with path.open("w") as file:
        for tool in tools:
            file.write(f"---- {' '.join(tool)}\n")
            file.flush()
            try:
                subprocess.run(tool, stdout=file, stderr=subprocess.STDOUT, timeout=120, env=ENVIRONMENT)
            except (OSError, subprocess.TimeoutExpired) as error:
                file.write(f"{error}\n")
    return path


def kill(pid: int, process: subprocess.Popen[bytes]) -> None:
    """Only what this round started."""
    process.kill()
    if pid != process.pid and Path(f"/proc/{pid}/cwd").exists():
        os.kill(pid, signal.SIGKILL)
    process.wait()
