"""The tree of calls: read from data files, summed up by the methods' names, and each method's self and total times from it.

1. A node of a file has a smaller number than its children's; a node whose parent is none, or whose method is not known, adds its time to
   what is known of its path.
2. A method's self time is that of all its nodes. Its total time is that of the nodes below those of its nodes that are in no other of its own,
   so that recursion counts once.
3. A time's standard error is the root of the sum of its samples' squares: how many samples fall on a path is nearly Poisson distributed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

from instrument.data.region import Region
from native._layout import ffi

MethodKey = tuple[str, str, str]  # class, method, descriptor

TREE_BYTES = ffi.sizeof("struct ch_tree")
NODE_BYTES = ffi.sizeof("struct ch_node")
NS_OF_US = 1000
DEEPEST = 1024  # of a path; what is called below is shown beside what is called there


class Call:
    """A path of calls that ends with `method` (None: the empty path), and what was sampled there: times in ns, squares in us^2.
    Of an exact tree (contexts.py), `calls` is how often it was taken, `wall` the time that its last method took itself."""

    __slots__ = ("calls", "children", "cpu", "cpu_squares", "method", "wall", "wall_squares")

    def __init__(self, method: MethodKey | None) -> None:
        self.method = method
        self.children: dict[MethodKey, Call] = {}
        self.calls = self.cpu = self.wall = 0
        self.cpu_squares = self.wall_squares = 0.0

    def child(self, method: MethodKey) -> Call:
        found = self.children.get(method)
        if found is None:
            found = self.children[method] = Call(method)
        return found

    def add(self, other: Any) -> None:
        self.cpu += other.cpu_ns
        self.wall += other.wall_ns
        if isfinite(other.cpu_squares) and isfinite(other.wall_squares):
            self.cpu_squares += abs(other.cpu_squares)
            self.wall_squares += abs(other.wall_squares)

    def walk(self) -> Iterator[tuple[Call, bool]]:
        """Each call below this one, itself too: when it is entered, True, then what it calls, then False."""
        todo = [(self, True)]
        while todo:
            call, entered = todo.pop()
            yield call, entered
            if entered:
                todo.append((call, False))
                todo += [(child, True) for child in call.children.values()]


@dataclass(slots=True)
class Sampled:
    """A method's times in ns, and their standard errors."""

    cpu_self: int = 0
    cpu_total: int = 0
    wall_self: int = 0
    wall_total: int = 0
    cpu_self_error: float = 0
    cpu_total_error: float = 0
    wall_self_error: float = 0
    wall_total_error: float = 0


@dataclass(slots=True)
class Sampling:
    """How a process was sampled: `period_ns` between two samples; `torn` ones were left out; `refused`: frames for which the tree had no
    room; `unseen_cpu_ns`: of threads that were not seen running; `outside_cpu_ns`: where no profiled method ran."""

    period_ns: int
    samples: int
    torn: int
    refused: int
    unseen_cpu_ns: int
    outside_cpu_ns: int


def add_tree(root: Call, region: Region, frames: dict[int, MethodKey]) -> Sampling | None:
    """Adds a file's tree, whose methods `frames` names by slot; None where it has none."""
    head = region.whole(0, TREE_BYTES)
    if head is None:
        return None
    tree = ffi.from_buffer("struct ch_tree *", head)
    end = region.pieces[-1][0] + len(region.pieces[-1][1])
    calls = [root]
    depths = [0]
    above = {0: 0}
    outside = root.cpu
    for i in range(min(tree.nodes, (end - TREE_BYTES) // NODE_BYTES)):
        data = region.read(TREE_BYTES + i * NODE_BYTES, NODE_BYTES)
        if data is None:
            calls += [root] if i else []
            depths += [0] if i else []
            continue
        node = ffi.from_buffer("struct ch_node *", data)
        if i:
            up = node.parent if node.parent < i else 0
            while depths[up] >= DEEPEST:  # else a small file could ask for long paths without end
                up = above[up]
            method = frames.get(node.slot)
            calls.append(calls[up] if method is None else calls[up].child(method))
            depths.append(depths[up] + (method is not None))
            above[i] = up
        calls[i].add(node)
    return Sampling(tree.period_ns, tree.samples, tree.torn, tree.refused, tree.unseen_cpu_ns, root.cpu - outside)


def add_times(root: Call, rows: dict[Any, Any], row_of: dict[Any, Any] | None = None) -> None:
    """Gives rows their `sampled` times. A method's row is under its key, or under what `row_of` has for it: calls within one row count once."""
    active: dict[Any, int] = {}
    below: dict[int, tuple[int, int, float, float]] = {}  # by a call's id, what was summed up when it was entered
    cpu = wall = 0
    cpu_squares = wall_squares = 0.0
    squares: dict[Any, list[float]] = {}
    for call, entered in root.walk():
        key: Any = call.method if row_of is None else row_of.get(call.method)
        if entered:
            if key is not None:
                active[key] = active.get(key, 0) + 1
                below[id(call)] = (cpu, wall, cpu_squares, wall_squares)
            cpu += call.cpu
            wall += call.wall
            cpu_squares += call.cpu_squares
            wall_squares += call.wall_squares
        elif key is not None:
            active[key] -= 1
            before = below.pop(id(call))
            row = rows.get(key)
            if row is None:
                continue
            times = row.sampled = row.sampled or Sampled()
            sums = squares.setdefault(key, [0.0] * 4)
            times.cpu_self += call.cpu
            times.wall_self += call.wall
            sums[0] += call.cpu_squares
            sums[1] += call.wall_squares
            if not active[key]:
                times.cpu_total += cpu - before[0]
                times.wall_total += wall - before[1]
                sums[2] += cpu_squares - before[2]
                sums[3] += wall_squares - before[3]
    for key, sums in squares.items():
        errors = [NS_OF_US * sqrt(max(one, 0)) for one in sums]
        times = rows[key].sampled
        times.cpu_self_error, times.wall_self_error, times.cpu_total_error, times.wall_total_error = errors
