"""What the JVM's compilation log says about inlining (-XX:+LogCompilation).

It holds the decisions that -XX:+PrintInlining prints, each within its compile, where that option mixes what compilers do at once. A
compile is a `task`, without a level where it is C2's; in it a `parse` for each method, the inlined ones within their caller's; `bc` says
where in the method the compiler is, and what follows is about the call there. Numbers of methods and classes hold for one task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

#: Class, name, and types as the log has them, the returned one first.
Key = tuple[str, str, tuple[str, ...]]
UNKNOWN: Key = ("?", "?", ())
ELEMENT = re.compile(r"<(/?)(task|type|klass|method|parse|bc|inline_success|inline_fail|intrinsic)\b([^>]*)>")
ATTRIBUTE = re.compile(r"(\w+)='([^']*)'")


@dataclass(frozen=True, slots=True)
class Decision:
    """What a compiler did about a call. `reason`: why it was refused, empty where it was inlined."""

    compiler: str
    method: Key
    bci: int
    reason: str


@dataclass(slots=True)
class Parse:
    """A method in a compile, and how far the compiler is in it."""

    method: Key
    bci: int = -1


@dataclass(slots=True)
class Task:
    """A compile."""

    compiler: str = ""
    names: dict[str, str] = field(default_factory=dict)
    methods: dict[str, Key] = field(default_factory=dict)
    parses: list[Parse] = field(default_factory=list)  # outermost first

    def type(self, a: dict[str, str]) -> None:
        self.names[a["id"]] = a.get("name", "?")  # the log of a method that is not loaded may have none

    def method(self, a: dict[str, str]) -> None:
        types = [a["return"], *a.get("arguments", "").split()]
        self.methods[a["id"]] = self.names.get(a["holder"], "?"), a["name"], tuple(self.names.get(one, "?") for one in types)

    def parse(self, a: dict[str, str]) -> None:
        self.parses.append(Parse(self.methods.get(a["method"], UNKNOWN)))

    def bc(self, a: dict[str, str]) -> None:
        if self.parses:
            self.parses[-1].bci = int(a["bci"])


BEGINS = {"type": Task.type, "klass": Task.type, "method": Task.method, "parse": Task.parse, "bc": Task.bc}


def decisions(path: Path) -> Iterator[Decision]:
    """All decisions of a log, in order."""
    task = Task()
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if not (found := ELEMENT.match(line)):
                continue
            ends, element, rest = found.groups()
            if ends:
                if element == "parse" and task.parses:
                    task.parses.pop()
                continue
            attributes = {name: unescape(value) for name, value in ATTRIBUTE.findall(rest)}
            if element == "task":
                task = Task("C1" if attributes.get("level", "4") != "4" else "C2")
            elif element in BEGINS:
                BEGINS[element](task, attributes)
            elif task.parses:  # the rest is about the call at hand
                at = task.parses[-1]
                yield Decision(task.compiler, at.method, at.bci, attributes["reason"] if element == "inline_fail" else "")
