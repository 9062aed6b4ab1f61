"""Commands that HotSpot answers, where classhook is not in the JVM."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.base.terminal import show
from classhook.commands.control.answers import no_more
from classhook.live import diagnostic_commands
from classhook.live.jvms import Jvm

NO_DEADLOCK = "no deadlock"


def told(text: str, as_json: bool) -> None:
    for line in text.splitlines():
        show(json.dumps({"line": line}) if as_json else line)


def fixed(command: str) -> Callable[[Jvm, list[str], bool], None]:
    def ask(jvm: Jvm, words: list[str], as_json: bool) -> None:
        no_more(words)
        told(diagnostic_commands.ask(jvm, command), as_json)

    return ask


def deadlocks(jvm: Jvm, words: list[str], as_json: bool) -> None:
    no_more(words)
    told(diagnostic_commands.deadlocks(jvm) or NO_DEADLOCK, as_json)


def heap(jvm: Jvm, words: list[str], as_json: bool) -> None:
    match words:
        case ["histogram"]:
            command = "GC.class_histogram"
        case ["dump", file]:
            command = f"GC.heap_dump {Path(file).absolute()}"
        case _:
            raise UsageError("heap histogram, or heap dump FILE")
    told(diagnostic_commands.ask(jvm, command), as_json)


def jcmd(jvm: Jvm, words: list[str], as_json: bool) -> None:
    if not words:
        raise UsageError("which command? `jcmd help` lists them")
    told(diagnostic_commands.ask(jvm, " ".join(words)), as_json)


WITHOUT_AGENT: dict[str, Callable[[Jvm, list[str], bool], None]] = {
    "threads": fixed("Thread.print -l"),
    "deadlocks": deadlocks,
    "gc": fixed("GC.run"),
    "heap": heap,
    "jcmd": jcmd,
}
