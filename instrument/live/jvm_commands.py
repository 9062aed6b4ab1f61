"""Commands that the JVM itself executes for its attach protocol, where it lacks the management beans by which the agent does them: an image of
jlink has only the modules that it was made with."""

from __future__ import annotations

import time
from collections.abc import Callable

from classhook.errors import Failure
from classhook.live import protocol
from classhook.live.answers import Answer
from classhook.live.jvms import Jvm

DUMPED = "Heap dump file created"  # HotSpot's status is 0 in any case


def ask(jvm: Jvm, line: str, each: Callable[[Answer], None]) -> Answer:
    """Executes a command of the control socket, `heap dump FILE`, `heap histogram` or `jcmd COMMAND`, and answers like the agent. Raises Failure."""
    start = time.monotonic_ns()
    command, _, more = line.partition(" ")
    if file := more.removeprefix("dump ") if command == "heap" and more.startswith("dump ") else "":
        status, text = protocol.execute(jvm, "dumpheap", file, "-live")
    else:
        status, text = protocol.execute(jvm, "jcmd", "GC.class_histogram" if command == "heap" else more)
    if status != 0 or (file and DUMPED not in text):
        raise Failure(f"{jvm.pid}: {text.strip() or 'the JVM refused'}")
    if file:
        return Answer(ok=True, took_ns=time.monotonic_ns() - start)
    for found in text.splitlines():
        each(Answer(line=found))
    return Answer(ok=True)
