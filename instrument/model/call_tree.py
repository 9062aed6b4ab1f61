"""The tree of calls: read from data files, summed up by the methods' names, and each method's self and total times from
it.

1. A node of a file has a smaller number than its children's; a node whose parent is none, or whose method is not known,
   adds its time to what is known of its path.
2. A method's self time is that of all its nodes. Its total time is that of the nodes below those of its nodes that are
   in no other of its own, so that recursion counts once.
3. Samples in the tracker are the cost of probes: they are summed up separately, and belong to no method. The program
   alone would not take it.
4. A time's standard error is the root of the sum of its samples' squares: how many samples fall on a path is nearly
   Poisson distributed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite, sqrt
from typing import Any, NamedTuple

from classhook.base.names import time_label
from classhook.model.snapshot_scope import Split
from classhook.native._layout import ffi, lib
from classhook.store.region import Region

MethodKey = tuple[str, str, str]  # class, method, descriptor

TREE_BYTES = ffi.sizeof("struct ch_tree")
NODE_BYTES = ffi.sizeof("struct ch_node")
NS_OF_US = 1000
IS_CUT, IS_PROBE = 1, 2
CUT: MethodKey = ("", "[deeper]", "")  # stands for the outermost frames of a deep stack
TRACKER = "java.lang.ClasshookTracker"
DEEPEST = 1025  # of a path: CUT and CH_MOST_DEPTH frames; what is called below is shown beside what is called there


#: Kinds of code that ticks of CPU time fell on: enum ch_ran (native/classhook.h), by name.
RAN = {
    "compiled": lib.CH_RAN_COMPILED,
    "interpreted": lib.CH_RAN_INTERPRETED,
    "native": lib.CH_RAN_NATIVE,
    "class_loading": lib.CH_RAN_CLASSES,
    "jvm": lib.CH_RAN_JVM,
    "garbage_collector": lib.CH_RAN_COLLECTOR,
    "jit_compiler": lib.CH_RAN_COMPILERS,
    "classhook": lib.CH_RAN_AGENT,
}


class Call:
    """A path of calls that ends with `method` (None: the empty path), and what was sampled there: times in ns, squares
    in us^2. In an exact tree (exact_tree.py), `calls` is how often the path was taken, `wall` the time that its last
    method took itself."""

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

    def folded(self, methods: Container[str]) -> Call:
        """A copy in which each child with one of these names has no children, and the times of all calls below it."""
        found = Call(self.method)
        found.gather(self)
        for method, call in self.children.items():
            if method[1] not in methods:
                found.children[method] = call
                continue
            for one, entered in call.walk():
                if entered:
                    found.child(method).gather(one)
        return found

    def gather(self, other: Call) -> None:
        """Adds the other call's times to this one's."""
        self.calls += other.calls
        self.cpu += other.cpu
        self.wall += other.wall
        self.cpu_squares += other.cpu_squares
        self.wall_squares += other.wall_squares

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
    """The sampling of a process: `period_ns` between two samples, as wanted at the end; `refused`: frames for which the
    tree had no room; `unseen_cpu_ns`: of threads that were not seen running; `outside_cpu_ns`: where no profiled method
    ran; `interval_ns` between two samples of a thread that runs, in the mean, 0 if unknown; of all CPU time that was
    seen (`seen_cpu_ns`): `cut_cpu_ns` on stacks of which not all frames are known, `probes_cpu_ns` in probes.

    Where threads were sampled by ticks of their CPU time, `ran_ns` says what these fell on (keys: RAN);
    `unjoined_cpu_ns`: in code whose callers are not known. While it was sampled, the whole process used
    `process_cpu_ns`, of it `system_cpu_ns` in the kernel. `rules_changed`: some samples are from times in which other
    methods were profiled."""

    period_ns: int
    samples: int
    refused: int
    unseen_cpu_ns: int
    outside_cpu_ns: int
    interval_ns: int = 0
    seen_cpu_ns: int = 0
    cut_cpu_ns: int = 0
    probes_cpu_ns: int = 0
    ran_ns: dict[str, int] = field(default_factory=dict)
    unjoined_cpu_ns: int = 0
    process_cpu_ns: int = 0
    system_cpu_ns: int = 0
    rules_changed: bool = False

    @property
    def other_ns(self) -> int:
        """The CPU time of threads that were not sampled, such as the JVM's."""
        # a program may have taken the signal: the rows then have time without ticks; those of a part have less than all
        sampled = max(self.seen_cpu_ns + self.ran_ns.get("classhook", 0), sum(self.ran_ns.values()))
        return max(0, self.process_cpu_ns - sampled - self.unseen_cpu_ns)


def split_nodes(region: Region, contexts: Container[int]) -> Split:
    """A tree's nodes by the innermost context that their paths lead through, given by its slot, and by the thread that
    they are of; 0: none. `contexts`: the slots that stand for contexts."""
    found: Split = {}
    within: list[tuple[int, int]] = []
    for i, node in _nodes(region, None):
        if node is None or not i:
            within.append((0, 0))
        else:
            context, thread = within[node.parent if node.parent < i else 0]
            if node.slot in contexts:
                context = node.slot & ~lib.CH_CONTEXT_BIT
            elif node.slot & lib.CH_THREAD:
                thread = node.slot & ~lib.CH_THREAD
            within.append((context, thread))
        if node is not None:
            context, thread = within[i]
            found.setdefault(context, {}).setdefault(thread, []).append(i)
    return found


def add_tree(
    root: Call,
    region: Region,
    frames: dict[int, MethodKey],
    nodes: Iterable[int] | None = None,
) -> Sampling | None:
    """Adds a file's tree, whose methods `frames` names by slot; None where it has none. `nodes`: only these, in
    ascending order, as paths that begin there; None: all."""
    head = region.whole(0, TREE_BYTES)
    if head is None:
        return None
    tree = ffi.from_buffer("struct ch_tree *", head)
    paths = {0: Path(root, 0, 0, 0)}
    start = paths[0]
    before, seen, cut, probes = root.cpu, 0, 0, 0
    for i, node in _nodes(region, nodes):
        if node is None:
            continue
        path = start
        if i:
            up = node.parent if node.parent < i else 0
            above = paths.get(up, start)
            while above.depth >= DEEPEST:  # else a small file could ask for long paths without end
                above = paths.get(above.parent, start)
            method = frames.get(node.slot)
            kind = above.kind | _kind(method)
            if kind & IS_PROBE:
                method = None
            path = Path(
                above.call if method is None else above.call.child(method), above.depth + (method is not None), kind, up
            )
            paths[i] = path
        seen += node.cpu_ns
        cut += node.cpu_ns if path.kind & IS_CUT else 0
        if path.kind & IS_PROBE:
            probes += node.cpu_ns
            continue
        path.call.add(node)
    interval = tree.intervals_ns // tree.intervals if tree.intervals else 0
    return Sampling(
        tree.period_ns,
        tree.samples,
        tree.refused,
        tree.unseen_cpu_ns,
        root.cpu - before,
        interval,
        seen,
        cut,
        probes,
        {name: tree.cpu_ns[kind] for name, kind in RAN.items()} if any(tree.cpu_ns) else {},
        tree.unjoined_cpu_ns,
        tree.process_cpu_ns,
        tree.system_cpu_ns,
    )


class Path(NamedTuple):
    """The path of a node. `kind`: the node's kind; `parent`: the number of the node above."""

    call: Call
    depth: int
    kind: int
    parent: int


def _nodes(region: Region, wanted: Iterable[int] | None) -> Iterator[tuple[int, Any]]:
    """A tree's nodes by number, each a struct ch_node; None where the file does not have it."""
    head = region.whole(0, TREE_BYTES)
    if head is None:
        return
    end = region.pieces[-1][0] + len(region.pieces[-1][1])
    there = min(ffi.from_buffer("struct ch_tree *", head).nodes, (end - TREE_BYTES) // NODE_BYTES)
    for i in range(there) if wanted is None else wanted:
        data = region.read(TREE_BYTES + i * NODE_BYTES, NODE_BYTES)
        yield i, None if data is None else ffi.from_buffer("struct ch_node *", data)


def warnings(sampling: Sampling) -> list[str]:
    """Warnings to read before the figures: most of the time is not in them, or not where it belongs."""
    seen, unseen, cut = (
        time_label(ns).strip() for ns in (sampling.seen_cpu_ns, sampling.unseen_cpu_ns, sampling.cut_cpu_ns)
    )
    found = []
    if sampling.unseen_cpu_ns > sampling.seen_cpu_ns:
        found.append(
            f"most CPU time is missing: {unseen} of threads that ended before they were seen running; {seen} is shown"
        )
    if sampling.probes_cpu_ns > sampling.seen_cpu_ns - sampling.probes_cpu_ns:
        probes, rest = (
            time_label(ns).strip() for ns in (sampling.probes_cpu_ns, sampling.seen_cpu_ns - sampling.probes_cpu_ns)
        )
        found.append(
            f"most CPU time was spent in probes: {probes}, part of no method's time; {rest} is the program's. Fewer or"
            " cheaper rules help"
        )
    if sampling.cut_cpu_ns > sampling.seen_cpu_ns / 2:
        found.append(f"most stacks are incomplete: {cut} of {seen} of CPU time is below [deeper]")
    return found


def _kind(method: MethodKey | None) -> int:
    if method == CUT:
        return IS_CUT
    return IS_PROBE if method is not None and method[0] == TRACKER else 0


class Sums:
    """CPU and wall time in ns, and the sums of their squares."""

    __slots__ = ("cpu", "cpu_squares", "wall", "wall_squares")

    def __init__(self, cpu: int = 0, wall: int = 0, cpu_squares: float = 0, wall_squares: float = 0) -> None:
        self.cpu = cpu
        self.wall = wall
        self.cpu_squares = cpu_squares
        self.wall_squares = wall_squares

    def plus(self, other: Sums | Call) -> Sums:
        return Sums(
            self.cpu + other.cpu,
            self.wall + other.wall,
            self.cpu_squares + other.cpu_squares,
            self.wall_squares + other.wall_squares,
        )

    def minus(self, other: Sums) -> Sums:
        return Sums(
            self.cpu - other.cpu,
            self.wall - other.wall,
            self.cpu_squares - other.cpu_squares,
            self.wall_squares - other.wall_squares,
        )

    def errors(self) -> tuple[float, float]:
        """The errors of CPU and wall time, in ns."""
        return NS_OF_US * sqrt(max(self.cpu_squares, 0)), NS_OF_US * sqrt(max(self.wall_squares, 0))


def add_times(root: Call, rows: dict[Any, Any], row_of: dict[Any, Any] | None = None) -> None:
    """Gives rows their `sampled` times. A method's row is under its key, or under what `row_of` has for it: calls
    within one row count once."""
    active: dict[Any, int] = {}
    entered_at: dict[int, Sums] = {}  # by a call's id, what was summed up when it was entered
    so_far = Sums()
    own: dict[Any, Sums] = {}
    whole: dict[Any, Sums] = {}
    for call, entered in root.walk():
        key: Any = call.method if row_of is None else row_of.get(call.method)
        if entered:
            if key is not None:
                active[key] = active.get(key, 0) + 1
                entered_at[id(call)] = so_far
            so_far = so_far.plus(call)
        elif key is not None:
            active[key] -= 1
            before = entered_at.pop(id(call))
            own[key] = own.get(key, Sums()).plus(call)
            if not active[key]:
                whole[key] = whole.get(key, Sums()).plus(so_far.minus(before))
    for key, one in own.items():
        if (row := rows.get(key)) is not None:
            row.sampled = Sampled(one.cpu, whole[key].cpu, one.wall, whole[key].wall)
            row.sampled.cpu_self_error, row.sampled.wall_self_error = one.errors()
            row.sampled.cpu_total_error, row.sampled.wall_total_error = whole[key].errors()
