"""A step of the build that fails ends in a message, not in a traceback, whichever tool failed: gcc, cffi, mypyc or
setuptools."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from classhook.native.building.prerequisites import Missing

WHAT_TO_DO = (
    "its messages are above. A missing header such as stdio.h is in libc6-dev (Debian, Ubuntu) or glibc-devel (Fedora);"
    " CC=... selects another compiler; CLASSHOOK_PURE=1 compiles less, which needs less memory; docs/install.md lists"
    " the requirements"
)

TOOLS = {"cffi", "distutils", "setuptools"}  # whose exceptions mean that a compiler failed


class Failed(Exception):
    """A step of the build failed; the text says which, why, and what to do."""


def say(text: str) -> None:
    """Says something to who waits. pip shows it with -v only; CLASSHOOK_STEPS names a file, such as a terminal, that
    gets it in any case."""
    line = f"classhook: {text}"
    print(line, flush=True)
    if path := os.environ.get("CLASSHOOK_STEPS"):
        with suppress(OSError), open(path, "a") as file:
            print(line, file=file)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Says what is done next (see `say`) and does it. `what`: as in "compiling the agent"; empty: says nothing. Raises
    Failed."""
    if what:
        say(what)
    try:
        yield
    except (Missing, Failed):
        raise
    except Exception as error:
        if (
            not isinstance(error, (subprocess.CalledProcessError, OSError))
            and type(error).__module__.partition(".")[0] not in TOOLS
        ):
            raise
        raise Failed(f"{what or 'the build'} failed: {reason(error)}") from error


def reason(error: Exception) -> str:
    """The reason, and what to do."""
    if isinstance(error, OSError):
        room = (
            " (TMPDIR=... selects another directory for temporary files)"
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else ""
        )
        return f"{error.filename or 'a file'}: {os.strerror(error.errno or 0)}{room}"
    if not isinstance(error, subprocess.CalledProcessError):
        return f"{error}; {WHAT_TO_DO}"
    tool = Path(error.cmd[0]).name
    if error.returncode < 0:
        return f"{tool} was killed by {signal.Signals(-error.returncode).name}; the machine may lack memory"
    return f"{tool} ended with status {error.returncode}; {WHAT_TO_DO}"
