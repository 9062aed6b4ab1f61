"""The agent's answers: lines of JSON. They come out of another process, so their size and types are checked before
anything is done with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from classhook.base.errors import Failure

LONGEST = 16 << 20  # bytes of a line
LARGEST = 1 << 64  # number
#: The last ones: of classes and their members.
TEXTS = frozenset(
    {"error", "code", "line", "name", "state", "waits_for", "held_by", "at", "rules", "data", "says", "unfinished"}
).union({"class", "super", "interface", "field", "method", "type", "constant"})
TYPES: dict[type, tuple[str, frozenset[str]]] = {
    str: ("a text", TEXTS),
    int: (
        "a number",
        frozenset(
            {"priority", "deadlock", "others", "took_ns", "classes", "stops", "longest_stop_ns", "stopped_ns", "flags"}
        ),
    ),
    bool: ("true or false", frozenset({"daemon", "held", "moved", "whole"})),
    list: ("a list", frozenset({"postponed"})),
}


class Refused(Failure):
    """The agent's answer is an error. `code`: names it for programs; empty for most."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


class Answer(dict[str, Any]):
    """A line. Its fields have these types; one that is missing raises Failure."""

    def __missing__(self, key: str) -> Any:
        raise Failure(f"the agent's answer lacks `{key}`: is it another version of classhook?")


def answer_of(text: bytes) -> Answer:
    """Raises ValueError."""
    try:
        found = json.loads(text.decode("utf-8", "surrogateescape"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("not an object")
    for kind, (label, keys) in TYPES.items():
        for key in keys & found.keys():
            value = found[key]
            if type(value) is not kind or (isinstance(value, int) and not -LARGEST < value < LARGEST):
                raise ValueError(f"`{key}` is not {label}")
    return Answer(found)


def lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that are complete. Raises ValueError if one is too long."""
    begun: list[bytes] = []
    size = 0
    for part in parts:
        first, *more = part.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > LONGEST:
            raise ValueError(f"a line is longer than {LONGEST >> 20} MB")
        if more:
            yield b"".join(begun)
            yield from more[:-1]
            begun, size = [more[-1]], len(more[-1])
