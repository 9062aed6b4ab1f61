"""HPROF's `cpu=old`: for each pair of a method and its caller, the number of calls, and their time with callees."""

from __future__ import annotations

from collections.abc import Iterator

from classhook.base.names import printable
from classhook.extensions.hprof.profile_data import NS_OF_MS
from classhook.model.call_tree import Call, MethodKey

Pair = tuple[MethodKey, MethodKey | None]


def lines(root: Call) -> Iterator[str]:
    """The table, of an exact tree of calls."""
    yield "count callee caller time"
    for (callee, caller), (calls, ns) in sorted(pairs(root).items(), key=lambda one: (-one[1][1], one[0][0])):
        yield f"{calls} {_name(callee)} {_name(caller) if caller else '<unknown caller>'} {round(ns / NS_OF_MS)}"


def pairs(root: Call) -> dict[Pair, tuple[int, int]]:
    """Calls and ns by callee and caller; of a pair within itself, the outermost time."""
    found: dict[Pair, tuple[int, int]] = {}
    path: list[tuple[MethodKey | None, int]] = []  # and what had gone by when it was entered
    active: dict[Pair, int] = {}
    gone = 0
    for call, entered in root.walk():
        if entered:
            if call.method is not None:
                pair = (call.method, path[-1][0] if path else None)
                active[pair] = active.get(pair, 0) + 1
            path.append((call.method, gone))
            gone += max(call.wall, 0)
            continue
        _, began = path.pop()
        if call.method is not None:
            pair = (call.method, path[-1][0] if path else None)
            active[pair] -= 1
            calls, ns = found.get(pair, (0, 0))
            found[pair] = (calls + call.calls, ns + (0 if active[pair] else gone - began))
    return found


def _name(method: MethodKey) -> str:
    return printable(f"{method[0]}.{method[1]}{method[2]}")
