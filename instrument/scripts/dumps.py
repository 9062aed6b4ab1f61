"""What a script can ask of the whole JVM: its heap, threads and monitors. The agent answers as it does to `classhook ctl`, in lines of JSON."""

from __future__ import annotations

import json

import classhook_events as jvm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def asked(line: str) -> list[dict[str, Any]]:
    """The answer's lines but the last. Raises RuntimeError with the agent's reason."""
    lines = [json.loads(text) for text in jvm.ask(line).splitlines()]
    for one in lines:
        if "error" in one:
            raise RuntimeError(one["error"])
    return lines[:-1]


def threads() -> list[dict[str, Any]]:
    """All threads: name, state, daemon, priority; of those that wait for something what, who holds it and where."""
    return [row for row in asked("threads") if "deadlock" not in row]


class Dump:
    """`agent.dump`."""

    def heap(self, path: str) -> str:
        """A heap dump to a new file, for `classhook heap`. All threads stop meanwhile."""
        asked(f"heap dump {path}")
        return path

    def threads(self, path: str | None = None) -> str:
        """The stacks of all threads, with their locks, as the JVM prints them; also to a file."""
        text = "\n".join(row["line"] for row in asked("jcmd Thread.print -l")) + "\n"
        if path:
            with open(path, "w") as file:
                file.write(text)
        return text

    def monitors(self) -> list[dict[str, Any]]:
        """The threads that wait: `name`, `waits_for`, `held_by`, `at`; of deadlocked ones `deadlock` is the number of their cycle."""
        every = asked("threads")
        cycles = {row["name"]: row["deadlock"] for row in every if "deadlock" in row}
        keys = ("name", "waits_for", "held_by", "at")
        waiting = [{key: row[key] for key in keys} for row in every if "waits_for" in row and "deadlock" not in row]
        return [row | {"deadlock": cycles[row["name"]]} if row["name"] in cycles else row for row in waiting]

    def object(self, o: Any) -> dict[str, Any]:
        """A handle's class, bytes, tag, and its fields or elements."""
        held = {"elements": list(o)} if o.cls.startswith("[") else {"fields": o.fields()}
        return {"class": o.cls, "bytes": o.bytes, "tag": o.tagged, **held}
