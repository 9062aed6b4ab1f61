"""Shared by the forms of call trees: the tree of a snapshot, weights, and names of frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from classhook.base.errors import Failure
from classhook.measures.cpu.reader import CPU_SAMPLING
from classhook.measures.profile.reader import SAMPLING
from classhook.model.call_tree import Call, MethodKey, Sampling
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options

#: By its name in --clock, what a call's own weight is, in ns. (A time may be negative, if timed callees are estimates.)
CLOCKS: dict[str, Callable[[Call], int]] = {"cpu": lambda call: call.cpu, "wall": lambda call: max(call.wall, 0)}
UNITS = {"cpu": "CPU time", "wall": "wall time"}


def not_sampled(process: Process) -> Sampling | None:
    """`sampling` of trees that are exact."""
    return None


class Tree(NamedTuple):
    """`root`: the empty path; `clocks`: by which it has times, the usual one first; `where` its time was spent; `none`:
    why there may be no tree; `exact`: its paths have numbers of calls; `sampling`: how a process's stacks were sampled,
    if they were."""

    root: Callable[[Snapshot], Call]
    clocks: tuple[str, ...]
    where: str
    none: str
    exact: bool = False
    sampling: Callable[[Process], Sampling | None] = not_sampled


TREE_OF_TIMED = "a rule such as 'time com.acme.**::* tree' records it"

#: By the word of the rules that record one. If there are several, the first is shown: timed methods are in that of
#: profiled ones, too.
TREES: dict[str, Tree] = {
    "profile": Tree(
        lambda snapshot: snapshot.calls,
        ("cpu", "wall"),
        "in profiled methods",
        "no method was profiled; a rule such as 'profile com.acme.**::*' records it",
        sampling=SAMPLING.get,
    ),
    "time": Tree(
        lambda snapshot: snapshot.exact_tree,
        ("wall",),
        "in timed methods",
        f"no method was timed with one; {TREE_OF_TIMED}",
        exact=True,
    ),
    "cpu": Tree(
        lambda snapshot: snapshot.stacks,
        ("cpu", "wall"),
        "in all threads",
        "no stack was sampled; the rule 'cpu' samples stacks",
        sampling=CPU_SAMPLING.get,
    ),
}


def chosen(snapshot: Snapshot, options: Options) -> Tree:
    """The call tree to show: the one given by --measure, or the first. Raises Failure if there is none."""
    there = [word for word, one in TREES.items() if one.root(snapshot).children]
    wanted = options.measure or (there[0] if there else "profile")
    if wanted in there:
        return TREES[wanted]
    if there:
        raise Failure(
            f"no such call tree was recorded: {TREES[wanted].none}; there is one from the rule '{there[0]}': use"
            f" --measure {there[0]}"
        )
    timed = any(row.timed for row in snapshot.tables["methods"].values())
    if timed and options.measure in ("", "time"):
        raise Failure(f"no call tree was recorded: methods were timed without one; {TREE_OF_TIMED}")
    raise Failure(f"no call tree was recorded: {TREES[wanted].none}")


def tree(snapshot: Snapshot, options: Options) -> Call:
    """The tree of calls, from the empty path on. Raises Failure where there is none."""
    return chosen(snapshot, options).root(snapshot)


def clock(snapshot: Snapshot, options: Options) -> str:
    """The clock of the shown times, where only one can be shown. Raises Failure."""
    clocks = chosen(snapshot, options).clocks
    if (options.clock or clocks[0]) not in clocks:
        raise Failure(f"this call tree has no {UNITS[options.clock]}; it has {UNITS[clocks[0]]}: --clock {clocks[0]}")
    return options.clock or clocks[0]


def totals(root: Call, clock: str) -> dict[int, int]:
    """The weight of each call with all below it, by the call's id."""
    weight = CLOCKS[clock]
    found: dict[int, int] = {}
    for call, entered in root.walk():
        if not entered:
            found[id(call)] = weight(call) + sum(found[id(child)] for child in call.children.values())
    return found


def stacks(root: Call) -> Iterator[tuple[list[MethodKey], Call]]:
    """Each path with its samples, outermost method first; the same list each time."""
    path: list[MethodKey] = []
    for call, entered in root.walk():
        if call.method is None:
            continue
        if entered:
            path.append(call.method)
            yield path, call
        else:
            path.pop()
