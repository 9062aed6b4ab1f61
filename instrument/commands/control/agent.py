"""Commands that the agent in the JVM answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from classhook.base.errors import Failure, UsageError
from classhook.base.names import time_label
from classhook.base.terminal import say, show
from classhook.commands.control.answers import asked, no_more, tell_changed
from classhook.commands.following import AT_MOST
from classhook.live.answers import Answer
from classhook.live.jvms import Jvm

Command = Callable[[Jvm, Path, list[str], bool], None]


def agents(*fixed: str) -> Command:
    """A command that the agent answers."""

    def ask(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
        from classhook.live.control_socket import Control

        def each(line: Answer) -> None:
            show(json.dumps(line) if as_json else line["line"] if "line" in line else _thread(line))

        last = Control(jvm, data).ask(" ".join([*fixed, *words]), each)
        if as_json:
            show(json.dumps(last))
        elif "took_ns" in last:
            show(f"took {time_label(last['took_ns']).strip()}")

    return ask


def agent(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.commands.common import script
    from classhook.live.control_socket import Control

    if jvm.is_apart and words[1:]:
        raise UsageError("a script cannot be loaded into a container yet")
    match words:
        case [] | ["list"]:
            agents("agent")(jvm, data, ["list"], as_json)
            return
        case ["reload" | "remove"]:
            pass
        case ["reload" | "add", word]:
            words = [words[0], script(word)]
        case ["remove", word]:  # the file may be gone
            words = ["remove", str(Path(word).resolve())]
        case _:
            raise UsageError("agent [list], agent reload [FILE], agent add FILE, or agent remove [FILE]")
    done = Control(jvm, data).ask(" ".join(["agent", *words]))
    if says := done.get("says"):
        say(says)
    tell_changed(jvm, done, as_json)


def heap(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    if words[:1] == ["dump"]:
        if len(words) != 2:
            raise UsageError("heap dump FILE: name the file to write")
        words = ["dump", str(Path(words[1]).absolute())]
    agents("heap")(jvm, data, words, as_json)


def deadlocks(jvm: Jvm, data: Path) -> list[str]:
    """The threads that wait for each other, a line for each. Raises Failure."""
    from classhook.live.control_socket import Control

    found: list[str] = []
    Control(jvm, data).ask("threads", lambda line: found.append(_thread(line)) if "deadlock" in line else None)
    return found


def _thread(line: Answer) -> str:
    held = f", held by {line['held_by']}" if line.get("held_by") else ""
    waits = f"  waits for {line['waits_for']}{held}" if line.get("waits_for") else ""
    if "deadlock" in line:
        return f"deadlock {line['deadlock']}: {line['name']}{waits}, at {line['at']}"
    return f"{line['state']:9} {'daemon' * line['daemon']:6} {line['priority']:2}  {line['name']}{waits}"


def detach(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.live.control_socket import Control

    words, how = asked(words)
    no_more(words)
    if how.at_most:
        raise UsageError(f"{AT_MOST} is not for detach")
    last = Control(jvm, data).ask("detach now" if how.now else "detach")
    tell_changed(jvm, last, as_json, "restored", f"classhook detach {jvm.pid} --now")
    if not last["moved"]:
        raise Failure(last["says"])
