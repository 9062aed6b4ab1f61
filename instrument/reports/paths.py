"""What the forms of the call tree share: the tree of a snapshot, weights, and names of frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from instrument.data.calls import Call, MethodKey
from instrument.data.rows import Snapshot
from instrument.errors import Failure
from instrument.names import printable

#: By its name in --clock, what a call's own weight is, in ns.
CLOCKS: dict[str, Callable[[Call], int]] = {"cpu": lambda call: call.cpu, "wall": lambda call: call.wall}
UNITS = {"cpu": "CPU time", "wall": "wall time"}


def tree(snapshot: Snapshot) -> Call:
    """The tree of calls, from the empty path on. Raises Failure where there is none."""
    if not snapshot.calls.children:
        raise Failure("there is no tree of calls: no method was profiled; a rule such as 'profile com.acme.**::*' makes one")
    return snapshot.calls


def frame(method: MethodKey) -> str:
    """`com.acme.Orders.place`."""
    return printable(f"{method[0]}.{method[1]}")


def totals(root: Call, clock: str) -> dict[int, int]:
    """By a call's id, its own weight and that of all below."""
    weight = CLOCKS[clock]
    found: dict[int, int] = {}
    for call, entered in root.walk():
        if not entered:
            found[id(call)] = weight(call) + sum(found[id(child)] for child in call.children.values())
    return found


def stacks(root: Call) -> Iterator[tuple[list[MethodKey], Call]]:
    """Each path with what was sampled there, outermost method first; the same list each time."""
    path: list[MethodKey] = []
    for call, entered in root.walk():
        if call.method is None:
            continue
        if entered:
            path.append(call.method)
            yield path, call
        else:
            path.pop()
