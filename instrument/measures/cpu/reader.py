"""Reads the data of `cpu`: the tree of the stacks of all threads, and a row for each method in it.

Where the rule asks for lines or threads, the stacks are kept with them beside the tree. The rule `profile` reads the
same tree.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from classhook.measures.cpu import CPU
from classhook.model.added_fields import AddedField, none
from classhook.model.call_tree import TRACKER, Call, MethodKey, Sampled, Sampling, add_times, add_tree, split_nodes
from classhook.model.file_reading import FileReading
from classhook.model.reader import AskedFor, Reader
from classhook.model.rows import RowKind
from classhook.model.snapshot import Snapshot
from classhook.model.snapshot_scope import Split
from classhook.model.stacks import NODE_BYTES, TREE_BYTES, Frame, Stacks
from classhook.native._layout import ffi, lib
from classhook.store.region import Region

#: A part of a process: how the stacks of its threads were sampled.
CPU_SAMPLING: AddedField[Sampling | None] = AddedField(none)


class SampledStack(NamedTuple):
    """A stack that threads were seen running on, the innermost frame first; the CPU time is in ns, the
    thread's number Java's, 0 where threads are not told apart."""

    thread: int
    frames: tuple[Frame, ...]
    cpu: int


#: The stacks of a process whose rule asks for lines or threads.
CPU_STACKS: AddedField[list[SampledStack]] = AddedField(list)


@dataclass(slots=True)
class SampledRow:
    """A method's times; some frames stand for methods that are not known: their class is empty."""

    rule: str = ""
    sampled: Sampled | None = None

    def add(self, other: SampledRow) -> None:
        """The times of a group's row are taken from the tree of stacks (instrument/reports/groups.py)."""


#: Frames at the root of the stacks of the JVM's own threads (native/sampling/native_threads.c). Each has one row in the
#: table; trees show the functions below it.
THREADS_OF_JVM = frozenset({"[garbage collector]", "[JIT compiler]", "[JVM]"})

SAMPLED = RowKind(name="cpu", row=SampledRow, ran=lambda row: row.sampled is not None, add=SampledRow.add)


def sampled_stacks(
    tree: Region, frames: dict[int, Frame], nodes: Iterable[int] | None = None, thread_slots: Container[int] = ()
) -> Iterator[SampledStack]:
    """The stacks of a file's tree, or of some nodes of it, without those in probes: their time is no method's.
    `thread_slots`: numbers of threads that are not Java's."""
    data = tree.whole(0, TREE_BYTES)
    if data is None:
        return
    stacks, end = Stacks(tree, frames), tree.pieces[-1][0] + len(tree.pieces[-1][1])
    for i in (
        nodes
        if nodes is not None
        else range(1, min(ffi.from_buffer("struct ch_tree *", data).nodes, (end - TREE_BYTES) // NODE_BYTES))
    ):
        piece = tree.read(TREE_BYTES + i * NODE_BYTES, NODE_BYTES)
        cpu = ffi.from_buffer("struct ch_node *", piece).cpu_ns if piece is not None else 0
        if cpu and all(frame.cls != TRACKER for frame in stacks.frames_of(i)):
            thread = stacks.thread(i)
            yield SampledStack(0 if thread in thread_slots else thread, stacks.frames_of(i), cpu)


def nodes_of(one: FileReading) -> list[int] | None:
    """The nodes of the tree that belong to the part of the file that is read; None: all."""
    if one.part is None:
        return None

    def split() -> Split:
        contexts = {slot | lib.CH_CONTEXT_BIT for slot in one.of_contexts}
        return split_nodes(one.file.region(lib.CH_CPU_TREE), contexts)

    return one.split(lib.CH_CPU_TREE, split)


def add_sampled(one: FileReading, to: Call, methods: dict[int, MethodKey]) -> Sampling | None:
    """Adds the file's stacks, of which only these methods are kept."""
    return add_tree(to, one.file.region(lib.CH_CPU_TREE), methods, nodes_of(one))


class CpuReader(Reader):
    rows = (SAMPLED,)
    regions = {lib.CH_CPU_TREE: AskedFor((CPU.word.text, "profile"), lambda rule: True)}  # noqa: RUF012  # never changed

    def finish(self) -> int:
        one = self.reading
        rules = [rule for rule in one.rules if rule.kind == CPU.word.text]
        if not rules:
            return 0
        for frame in one.names.sampled.values() if one.part is None else ():
            if frame.source:
                one.snapshot.class_sources.setdefault(frame.cls, frame.source)
        sampling = add_sampled(one, one.snapshot.stacks, one.names.methods)
        if any(rule.clause("lines") or rule.clause("threads") for rule in rules):
            tree, frames = one.file.region(lib.CH_CPU_TREE), one.names.sampled
            CPU_STACKS.get(one.process).extend(sampled_stacks(tree, frames, nodes_of(one), one.names.thread_slots))
        CPU_SAMPLING.set(one.process, sampling)
        return sampling.samples if sampling else 0

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        """Adds a row for each method that was seen. The rule's matches are what was seen, too."""
        rows, stacks = snapshot.tables[SAMPLED.name], snapshot.stacks.folded(THREADS_OF_JVM)
        rules = [text for text, rule in snapshot.parsed_rules.items() if rule.kind == CPU.word.text]
        for call, entered in stacks.walk():
            if entered and call.method is not None and call.method not in rows:
                rows[call.method] = SampledRow(rules[0] if rules else "?")
        add_times(stacks, rows)
        known = [key for key in rows if key[0]]
        for text in rules:
            row = snapshot.rules[text]
            row.matched_methods, row.matched_classes = len(known), len({key[0] for key in known})


READER = CpuReader
