"""What the forms of the call tree share: the tree of a snapshot, weights, and names of frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from instrument.data.calls import Call, MethodKey
from instrument.data.rows import Snapshot
from instrument.errors import Failure
from instrument.names import printable
from instrument.reports import Options

#: By its name in --clock, what a call's own weight is, in ns.
CLOCKS: dict[str, Callable[[Call], int]] = {"cpu": lambda call: call.cpu, "wall": lambda call: call.wall}
UNITS = {"cpu": "CPU time", "wall": "wall time"}


#: By the word of the rules that make one: the tree, where its time was spent, and why there may be none.
TREES: dict[str, tuple[Callable[[Snapshot], Call], str, str]] = {
    "profile": (lambda snapshot: snapshot.calls, "in profiled methods", "no method was profiled; a rule such as 'profile com.acme.**::*' makes one"),
    "cpu": (lambda snapshot: snapshot.stacks, "in all threads", "no stack was sampled; the rule 'cpu' makes one"),
}


def chosen(snapshot: Snapshot, options: Options) -> str:
    """Whose tree of calls to show: the one that is asked for, or the first that there is. Raises Failure where there is none."""
    there = [word for word, (root, _, _) in TREES.items() if root(snapshot).children]
    wanted = options.measure or (there[0] if there else "profile")
    if wanted in there:
        return wanted
    other = f"; there is one of the rule '{there[0]}': --measure {there[0]}" if there else ""
    raise Failure(f"there is no tree of calls: {TREES[wanted][2]}{other}")


def tree(snapshot: Snapshot, options: Options) -> Call:
    """The tree of calls, from the empty path on. Raises Failure where there is none."""
    return TREES[chosen(snapshot, options)][0](snapshot)


def frame(method: MethodKey) -> str:
    """`com.acme.Orders.place`."""
    return printable(f"{method[0]}.{method[1]}" if method[0] else method[1])


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
