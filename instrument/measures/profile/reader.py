"""Reads the data of `profile`, and the tree of calls that is sampled for it."""

from __future__ import annotations

from classhook.measures.methods.reader import METHODS
from classhook.measures.profile import PROFILE, SHORT
from classhook.model.added_fields import AddedField, none
from classhook.model.call_tree import Sampling, add_times, add_tree, split_nodes
from classhook.model.class_reader import ClassReader
from classhook.model.reader import AskedFor, Reader
from classhook.model.snapshot import Snapshot
from classhook.native._layout import lib
from classhook.native._slots import CH_COUNT_CALLS, CH_PROFILE_CALLS, CH_PROFILE_THROWN
from classhook.probes.records import ProbeRecord

#: A part of a process: how its profiled methods were sampled.
SAMPLING: AddedField[Sampling | None] = AddedField(none)


class ProfileReader(Reader):
    kinds = PROFILE.kinds
    rows = (METHODS,)
    regions = {lib.CH_TREE: AskedFor(("profile",), lambda rule: True)}  # noqa: RUF012  # never changed

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        row = reader.row(METHODS, probe)
        if probe.kind == SHORT:
            row.short = True
            row.count(reader.total(probe.slot + CH_COUNT_CALLS))
            reader.note_frame(probe, CH_COUNT_CALLS)
            return
        row.profiled = True
        row.count(reader.total(probe.slot + CH_PROFILE_CALLS))
        row.exceptions += reader.total(probe.slot + CH_PROFILE_THROWN)
        reader.note_frame(probe, CH_PROFILE_CALLS)

    def finish(self) -> int:
        one = self.reading
        tree = one.file.region(lib.CH_TREE)
        nodes = one.split(lib.CH_TREE, lambda: split_nodes(tree, one.of_contexts)) if one.part is not None else None
        sampling = add_tree(one.snapshot.calls, tree, one.frames, nodes)
        SAMPLING.set(one.process, sampling)
        return sampling.samples if sampling else 0

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        rows = snapshot.tables[METHODS.name]
        add_times(snapshot.calls, rows)
        if any((sampling := SAMPLING.get(one)) and sampling.ran_ns for one in snapshot.processes):
            for row in rows.values():
                row.profiled |= row.short  # ticks tell a method of a few instructions from its callers


READER = ProfileReader
