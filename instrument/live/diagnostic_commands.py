"""Diagnostic commands of HotSpot, called by the attach protocol: they tell about a JVM with or without the agent in
it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from classhook.base.errors import Failure, UsageError
from classhook.live import protocol
from classhook.live.jvms import Jvm

DEADLOCK = "Found one Java-level deadlock:"  # of Thread.print, before each


def ask(jvm: Jvm, command: str) -> str:
    """The text of a command, such as `Thread.print -l`. Raises Failure, UsageError."""
    status, text = protocol.execute(jvm, "jcmd", command)
    if status:
        raise Failure(f"{jvm.pid}: {text.strip() or f'the JVM refused `{command}`'}")
    return text.rstrip("\n")


def deadlocks(jvm: Jvm) -> str:
    """HotSpot's text about threads that wait for each other; empty if there are none. Raises Failure."""
    text = ask(jvm, "Thread.print -l")
    at = text.find(DEADLOCK)
    return text[at:].rstrip() if at >= 0 else ""


@contextmanager
def dumped_heap(jvm: Jvm) -> Iterator[Path]:
    """A dump of the heap's live objects, which is deleted in the end. Raises Failure, UsageError."""
    if jvm.is_apart:
        raise UsageError(f"{jvm.pid} runs in a container: dump its heap there, with `jcmd PID GC.heap_dump FILE`")
    with tempfile.TemporaryDirectory(prefix="classhook-heap-") as folder:
        path = Path(folder) / f"{jvm.pid}.hprof"
        if os.geteuid() != jvm.uid:  # only root gets so far
            os.chown(folder, jvm.uid, -1)
        ask(jvm, f"GC.heap_dump {path}")
        if not path.exists():
            raise Failure(f"{jvm.pid}: the JVM wrote no dump to {path}")
        yield path
