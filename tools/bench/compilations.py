"""Reads decisions about inlining from the JVM's compilation log (-XX:+LogCompilation).

The log has the decisions that -XX:+PrintInlining prints, but grouped by compilation; that option mixes the output of
compilers that run at once. A compilation is a `task`, without a level if it is C2's. It contains a `parse` for each
method, those of inlined methods nested in their caller's. `bc` gives the compiler's position in the method; the
elements after it are about the call there. IDs of methods and classes are valid within one task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

#: Class, name, and types as in the log, the return type first.
Key = tuple[str, str, tuple[str, ...]]
UNKNOWN: Key = ("?", "?", ())
ELEMENT = re.compile(r"<(/?)(task|type|klass|method|parse|bc|inline_success|inline_fail|intrinsic)\b([^>]*)>")
ATTRIBUTE = re.compile(r"(\w+)='([^']*)'")


@dataclass(frozen=True, slots=True)
class Decision:
    """A compiler's decision about a call. `reason`: why it was refused, empty if it was inlined."""

    compiler: str
    method: Key
    bci: int
    reason: str


@dataclass(slots=True)
class Parse:
    """A method in a compilation, and the compiler's position in it."""

    method: Key
    bci: int = -1


@dataclass(slots=True)
class Task:
    """A compilation."""

    compiler: str = ""
    names: dict[str, str] = field(default_factory=dict)
    methods: dict[str, Key] = field(default_factory=dict)
    parses: list[Parse] = field(default_factory=list)  # outermost first

    def type(self, a: dict[str, str]) -> None:
        self.names[a["id"]] = a.get("name", "?")  # a method that is not loaded may have none

    def method(self, a: dict[str, str]) -> None:
        types = [a["return"], *a.get("arguments", "").split()]
        self.methods[a["id"]] = (
            self.names.get(a["holder"], "?"),
            a["name"],
            tuple(self.names.get(one, "?") for one in types),
        )

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
            elif task.parses:  # the rest is about the current call
                at = task.parses[-1]
                yield Decision(
                    task.compiler, at.method, at.bci, attributes["reason"] if element == "inline_fail" else ""
                )
