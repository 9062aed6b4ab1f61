"""One data file that is being added to a snapshot: what its records have told so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from classhook.model.call_tree import MethodKey
from classhook.model.parts import Part
from classhook.model.slots import FreeSlots
from classhook.model.snapshot import Process, Snapshot
from classhook.model.stacks import Names
from classhook.store.data_file import DataFile


class FileReading:
    """What readers share.

    exact_tree: whether exact trees of calls are wanted
    free: the slots that no class has yet
    frames: in trees of calls, the method that each slot stands for
    names: what the numbers of frames and names in regions stand for
    supertypes: of classes that rules name, as far as the JVM saw them
    damaged: how many descriptions are damaged
    parts: what a reader keeps for another one
    within: the context that the snapshot is about, "" for what ran outside of all; None: all
    contexts: by name, the slots of contexts
    """

    def __init__(self, snapshot: Snapshot, process: Process, file: DataFile, exact_tree: bool, within: str | None = None) -> None:
        self.within = within
        self.contexts: dict[str, set[int]] = {}
        self.snapshot = snapshot
        self.process = process
        self.file = file
        self.exact_tree = exact_tree
        self.free = FreeSlots(file.header.slots_used)
        self.frames: dict[int, MethodKey] = {}
        self.names = Names()
        self.supertypes: dict[str, set[str]] = {}
        self.damaged = 0
        self.parts: dict[Part[Any], Any] = {}

    @property
    def chosen(self) -> Callable[[int], bool] | None:
        """Whether what a context counted belongs to the snapshot, given its slot (0: outside of all); None: all belongs to it."""
        return self._belongs if self.within is not None else None

    def _belongs(self, context: int) -> bool:
        return context in self.contexts.get(self.within or "", ()) or not (self.within or context)

    @property
    def of_contexts(self) -> frozenset[int]:
        """The slots of all contexts."""
        return frozenset().union(*self.contexts.values())
