"""One data file that is being added to a snapshot: what its records have told so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from heapq import merge
from typing import Any

from classhook.model.call_tree import MethodKey
from classhook.model.parts import Part
from classhook.model.slots import FreeSlots
from classhook.model.snapshot import Process, Snapshot
from classhook.model.stacks import Names
from classhook.store.data_file import DataFile

#: Of a region: its rows or nodes, by the slot of the context that they belong to.
Split = dict[int, list[int]]


class FileReading:
    """What readers share.

    exact_tree: whether exact trees of calls are wanted
    free: the slots that no class has yet
    frames: in trees of calls, the method that each slot stands for
    names: what the numbers of frames and names in regions stand for
    supertypes: of classes that rules name, as far as the JVM saw them
    damaged: how many descriptions are damaged
    parts: what a reader keeps for another one
    contexts: by name, the slots of contexts
    slots: those of the context that the snapshot is about, 0: what ran outside of all; None: all
    """

    def __init__(self, snapshot: Snapshot, process: Process, file: DataFile, exact_tree: bool) -> None:
        self.contexts: dict[str, set[int]] = {"": {0}}
        self.slots: Sequence[int] | None = None
        self.snapshot = snapshot
        self.process = process
        self.file = file
        self.exact_tree = exact_tree
        self.frames: dict[int, MethodKey] = {}
        self.names = Names()
        self.supertypes: dict[str, set[str]] = {}
        self.damaged = 0
        self.parts: dict[Part[Any], Any] = {}
        self._splits: dict[int, Split] = {}

    @cached_property
    def free(self) -> FreeSlots:
        return FreeSlots(self.file.header.slots_used)

    def of_context(self, snapshot: Snapshot, process: Process, file: DataFile, slots: Sequence[int]) -> FileReading:
        """The same file, of which only what a context counted is added to a snapshot."""
        found = FileReading(snapshot, process, file, exact_tree=False)
        found.contexts, found.frames, found.names, found.supertypes = self.contexts, self.frames, self.names, self.supertypes
        found._splits = self._splits
        found.slots = slots
        return found

    def chosen(self, kind: int, count: int, context_of: Callable[[int], int]) -> Iterable[int]:
        """Of a region's rows, those that belong to the snapshot. `context_of`: the slot of a row's context."""
        return range(count) if self.slots is None else self.split(kind, lambda: split(range(count), context_of))

    def split(self, kind: int, make: Callable[[], Split]) -> list[int]:
        """The same; `make` is called once for all contexts."""
        if kind not in self._splits:
            self._splits[kind] = make()
        return [*merge(*(self._splits[kind].get(slot, ()) for slot in self.slots or ()))]

    @property
    def of_contexts(self) -> frozenset[int]:
        """The slots of all contexts."""
        return frozenset().union(*self.contexts.values()) - {0}


def split(rows: Iterable[int], context_of: Callable[[int], int]) -> Split:
    found: Split = {}
    for row in rows:
        found.setdefault(context_of(row), []).append(row)
    return found
