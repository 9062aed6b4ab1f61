"""Questions of scripts about the whole JVM: its heap, threads and monitors. The agent answers as it does to
`classhook ctl`, in lines of JSON."""

from __future__ import annotations

import json

from classhook.base.embedded import events as jvm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


#: JVMTI's kinds of references, by number; from 21 on, those of roots.
KINDS = {
    1: "class",
    2: "field",
    3: "element",
    4: "class loader",
    5: "signers",
    6: "protection domain",
    7: "interface",
    8: "static field",
    9: "constant pool",
    10: "superclass",
    21: "JNI global",
    22: "system class",
    23: "monitor",
    24: "stack local",
    25: "JNI local",
    26: "thread",
}


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
        """The threads that wait: `name`, `waits_for`, `held_by`, `at`; of deadlocked ones `deadlock` is the number of
        their cycle."""
        every = asked("threads")
        cycles = {row["name"]: row["deadlock"] for row in every if "deadlock" in row}
        keys = ("name", "waits_for", "held_by", "at")
        waiting = [{key: row[key] for key in keys} for row in every if "waits_for" in row and "deadlock" not in row]
        return [row | {"deadlock": cycles[row["name"]]} if row["name"] in cycles else row for row in waiting]

    def object(self, o: Any) -> dict[str, Any]:
        """A handle's class, bytes, tag, and its fields or elements."""
        held = {"elements": list(o)} if o.cls.startswith("[") else {"fields": o.fields()}
        return {"class": o.cls, "bytes": o.bytes, "tag": o.tagged, **held}

    def referrers(self, o: Any, most: int = 100) -> list[dict[str, Any]]:
        """The references to a handle's object now, also weak ones: `kind` of the reference; `object`: a handle of the
        referrer, None for a root; `name`: of a field, or the index in an array, else None. The script's own handles are
        among the roots. All threads stop meanwhile. Raises RuntimeError."""
        if not 0 < most < 1 << 24:
            raise ValueError(f"most={most} is not a number of references")
        found = jvm.referrers(o, most)
        return [
            {"kind": KINDS.get(kind, "root"), "object": by, "name": place(kind, index, by, o)}
            for kind, index, by in found
        ]


def place(kind: int, index: int, by: Any, o: Any) -> str | int | None:
    if index >= 0:
        return index
    if KINDS.get(kind) != "field":
        return None
    return next((name for name in by.fields() if same(by, name, o)), None)


def same(by: Any, name: str, o: Any) -> bool:
    value = by.field(name)
    return type(value) is type(o) and bool(value == o)
