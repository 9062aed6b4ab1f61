"""Queries of the heap: objects by class or by tag, and handles of them. The agent walks through the heap
(native/events/heap_walk.c)."""

from __future__ import annotations

from typing import NamedTuple

from classhook.agent import dumps
from classhook.agent.patterns import class_glob
from classhook.base.embedded import events as jvm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.agent.event_object import Object

#: Handles that a script gets unless it asks for more.
MOST = 10_000


class HeapRow(NamedTuple):
    """Objects of the heap that have a class or a tag in common. `name`: of that; `bytes`: without what they refer
    to."""

    name: str
    objects: int
    bytes: int


def histogram(pattern: str, live: bool) -> list[HeapRow]:
    """The objects by class, most bytes first. Raises RuleError for an invalid pattern, RuntimeError."""
    return rows(False, class_glob(pattern) if pattern else None, live)


def tags(live: bool) -> list[HeapRow]:
    """The objects by tag. Raises RuntimeError."""
    return rows(True, None, live)


def rows(by_tag: bool, glob: str | None, live: bool) -> list[HeapRow]:
    if live:
        dumps.asked("gc")
    found = [HeapRow(*row) for row in jvm.heap_rows(by_tag, glob)]
    return sorted(found, key=lambda row: (-row.bytes, row.name))


def objects(pattern: str, tagged: str, most: int) -> list[Object]:
    """Handles. Raises ValueError unless it is asked for one of both, RuleError, RuntimeError."""
    if bool(pattern) == bool(tagged):
        raise ValueError(
            'objects: name either classes or a tag, as in agent.objects("com.acme.Session") or'
            ' agent.objects(tagged="session")'
        )
    if not 0 < most < 1 << 31:
        raise ValueError(f"objects: most={most} is not a number of objects")
    found: list[Object] = jvm.heap_find(class_glob(pattern) if pattern else None, tagged or None, most)
    return found
