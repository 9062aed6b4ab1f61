"""One data file that is being added to a snapshot, with the data of its records so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from classhook.model.added_fields import AddedField
from classhook.model.call_tree import MethodKey
from classhook.model.slots import FreeSlots
from classhook.model.snapshot import Process, Snapshot
from classhook.model.snapshot_scope import NOBODY, Chosen, KeyOf, Split, part_of, split
from classhook.model.stacks import Names
from classhook.rules.syntax import Rule
from classhook.store.data_file import DataFile


class FileReading:
    """The data that readers share.

    exact_tree: whether exact trees of calls are wanted
    rule_sets: the sets of rules that the file's session had, in order, as far as they are read
    removed: the texts of rules that it had, but has no more
    free: the slots that no class has yet
    frames: in trees of calls, the method that each slot stands for
    names: what the numbers of frames and names in regions stand for
    woven_names: of woven classes, by their first slots
    supertypes: of classes that rules name, as far as the JVM saw them
    damaged: how many descriptions are damaged
    added: what a reader keeps for another one
    contexts, threads: by name, the slots of contexts and of threads' names
    part: what the snapshot is about; None: all
    """

    def __init__(self, snapshot: Snapshot, process: Process, file: DataFile, exact_tree: bool) -> None:
        self.contexts: dict[str, set[int]] = {NOBODY: {0}}
        self.threads: dict[str, set[int]] = {NOBODY: {0}}
        self.part: Chosen | None = None
        self.snapshot = snapshot
        self.process = process
        self.file = file
        self.exact_tree = exact_tree
        self.rule_sets: list[tuple[Rule, ...]] = []
        self.removed: set[str] = set()
        self.frames: dict[int, MethodKey] = {}
        self.names = Names()
        self.woven_names: dict[int, str] = {}
        self.supertypes: dict[str, set[str]] = {}
        self.damaged = 0
        self.added: dict[AddedField[Any], Any] = {}
        self._splits: dict[int, Split] = {}

    @property
    def rules(self) -> list[Rule]:
        """The rules of all these sets."""
        return [rule for rules in self.rule_sets for rule in rules]

    @cached_property
    def free(self) -> FreeSlots:
        return FreeSlots(self.file.header.slots_used)

    def of_part(
        self, snapshot: Snapshot, process: Process, file: DataFile, part: Chosen, exact_tree: bool
    ) -> FileReading:
        """The same file, of whose counts only a part is added to a snapshot."""
        found = FileReading(snapshot, process, file, exact_tree)
        found.contexts, found.threads = self.contexts, self.threads
        found.rule_sets, found.removed = self.rule_sets, self.removed
        found.frames, found.names, found.supertypes = self.frames, self.names, self.supertypes
        found._splits = self._splits
        found.part = part
        return found

    def chosen(self, kind: int, count: int, key_of: KeyOf) -> Iterable[int]:
        """The rows of a region that belong to the snapshot."""
        return range(count) if self.part is None else self.split(kind, lambda: split(range(count), key_of))

    def split(self, kind: int, make: Callable[[], Split]) -> list[int]:
        """The same; `make` is called once for all parts."""
        if kind not in self._splits:
            self._splits[kind] = make()
        return part_of(self._splits[kind], self.part or Chosen())

    @property
    def of_contexts(self) -> frozenset[int]:
        """The slots of all contexts."""
        return frozenset().union(*self.contexts.values()) - {0}
