"""Runs commands of classhook, each in a process of its own, so that one that fails or is cancelled harms nobody."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from typing import NamedTuple

from classhook.base.errors import UsageError

COMMAND = (sys.executable, "-c", "import sys; from classhook.cli import main; sys.exit(main())")
PATIENCE = 120.0  # seconds
TO_END = 20.0  # seconds that a command has to end after SIGINT: `attach` detaches then
WIDTH = "160"  # columns


class Outcome(NamedTuple):
    """`late`: it was ended, as its time was over."""

    output: str
    status: int
    late: bool


async def run(line: Sequence[str], seconds: float = PATIENCE) -> Outcome:
    """Runs a command and returns its output, errors included. It is ended by SIGINT after these seconds, and if the
    caller is cancelled. Raises UsageError."""
    environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    try:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *line,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:  # too long for a command line
        raise UsageError(f"the command cannot be run: {error.strerror}") from None
    reading = asyncio.ensure_future(process.communicate())
    try:
        done, _ = await asyncio.wait({reading}, timeout=seconds)
        if not done:
            await _end(process, reading)
        output, _ = await reading
        return Outcome(output.decode("utf-8", "replace"), process.returncode or 0, not done)
    except asyncio.CancelledError:
        await _end(process, reading)
        raise


async def _end(process: asyncio.subprocess.Process, reading: asyncio.Future[tuple[bytes, bytes]]) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.returncode is None:
            process.send_signal(number)
        if (await asyncio.wait({reading}, timeout=TO_END))[0]:
            return
