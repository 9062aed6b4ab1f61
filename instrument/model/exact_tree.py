"""The exact tree of calls: read from data files (native/timing/exact_tree.c), summed up over threads by the methods'
names.

1. A file has a tree for each block of counters; their nodes lie in one region, in chunks. A node has a larger number
   than its parent, and is one deeper: others are damaged, and left out.
2. A node whose method is not known adds its time to its caller's.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import chain
from struct import Struct

from classhook.model.call_tree import Call, MethodKey
from classhook.model.snapshot_scope import Chosen
from classhook.native._layout import ffi, lib
from classhook.store.region import Region

NODE = Struct("=IIQqIHH")  # struct ch_exact_node: parent, slot, calls, self, last, last_slot, depth
assert NODE.size == ffi.sizeof("struct ch_exact_node")
CHUNK: int = lib.CH_EXACT_TREE_CHUNK
HEAD_BYTES = ffi.sizeof("struct ch_exact_tree_head")


@dataclass(slots=True)
class Contexts:
    """A process's tree. Calls without a path of their own are in `refused`, as there was no room, and in `deeper`;
    `treeless`: of so many threads at once all are, since the tree was full before they began."""

    nodes: int = 0
    refused: int = 0
    deeper: int = 0
    treeless: int = 0


def add_tree(
    root: Call,
    region: Region,
    frames: dict[int, MethodKey],
    scale: float,
    threads: dict[int, Call],
    thread_slots: Container[int] = (),
    chosen: Chosen | None = None,
) -> Contexts | None:
    """Adds a file's trees, whose methods `frames` names by slot; the clock counts `scale` ns. Those of threads, where
    they are told apart, are also added to `threads`, by their numbers, unless these are `thread_slots`; `chosen`: those
    of which threads to add; None: all. None where it has none."""
    data = region.whole(0, HEAD_BYTES)
    if data is None:
        return None
    head = ffi.from_buffer("struct ch_exact_tree_head *", data)
    found = Contexts(refused=head.refused, treeless=head.treeless)
    known: dict[int, tuple[list[Call], int]] = {}  # by a node's number: the calls, in both trees, and its depth
    for i, parent, slot, calls, own, depth in _nodes(region):
        above = known.get(parent)
        if slot == lib.CH_ROOT and depth == 1:
            if chosen is not None and not chosen.has_thread(parent):
                continue
            calls_ = [root, threads.setdefault(parent, Call(None))] if parent and parent not in thread_slots else [root]
            found.refused += calls
        elif above is None or depth != above[1] + 1 or depth > lib.CH_EXACT_TREE_DEEPEST + 1:
            continue
        elif slot == lib.CH_DEEPER:
            found.deeper += calls
            continue
        else:
            method = frames.get(slot)
            calls_ = above[0] if method is None else [call.child(method) for call in above[0]]
            for call in calls_ if method is not None else ():
                call.calls += calls
            found.nodes += method is not None
        for call in calls_:
            call.wall += round(own * scale)
        known[i] = (calls_, depth)
    return found


def _nodes(region: Region) -> Iterator[tuple[int, int, int, int, int, int]]:
    """A number, parent, slot, calls, self and depth of each node that is there."""
    size = CHUNK * NODE.size
    pieces = (range(first // size, -(-(first + len(piece)) // size)) for first, piece in region.pieces)
    for number in dict.fromkeys(chain.from_iterable(pieces)):
        data = region.read(number * size, size) if number else None
        if data is None:
            continue
        for i, (parent, slot, calls, own, _, _, depth) in enumerate(NODE.iter_unpack(data), number * CHUNK):
            if depth:
                yield i, parent, slot, calls, own, depth
