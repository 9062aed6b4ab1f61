"""A failed test's report: beside the traceback, it shows the last commands that the test executed, and their output."""

from __future__ import annotations

import shlex
import subprocess
from collections import deque
from collections.abc import Generator, Sequence

import pytest

#: Characters of each text, the last ones.
SHOWN = 4000
executed: deque[tuple[str, str]] = deque(maxlen=3)


def remember(words: Sequence[object], status: int | None, **said: str | bytes | None) -> None:
    """Keeps a command: its status (None: it did not end), and its output by name."""
    lines = [f"status {status}" if status is not None else "it did not end in time"]
    for name, text in said.items():
        if text:
            text = text.decode(errors="replace") if isinstance(text, bytes) else text
            lines.append(f"{name}:\n{'[...] ' * (len(text) > SHOWN)}{text[-SHOWN:]}")
    executed.append((shlex.join(map(str, words)), "\n".join(lines)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    error = call.excinfo and call.excinfo.value
    if isinstance(error, subprocess.CalledProcessError | subprocess.TimeoutExpired):
        words = [error.cmd] if isinstance(error.cmd, str) else error.cmd
        remember(words, getattr(error, "returncode", None), stdout=error.stdout, stderr=error.stderr)
    if report.failed:
        report.sections += [(f"executed: {line}", said) for line, said in executed]
    if call.when == "teardown":
        executed.clear()
    return report
