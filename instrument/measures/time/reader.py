"""Reads the data of `time`: counts, records of times, exact trees of calls."""

from __future__ import annotations

from classhook.measures.keys.reader import KEYS, note_probe
from classhook.measures.methods.reader import METHODS
from classhook.measures.time import BY, MOST_SAMPLE, RESUMED_BY, TIME
from classhook.measures.time.reader_cost_floor import take_off
from classhook.model import exact_tree
from classhook.model.added_fields import AddedField, none
from classhook.model.call_tree import Call
from classhook.model.class_reader import ClassReader
from classhook.model.exact_tree import Contexts
from classhook.model.reader import AskedFor, Reader
from classhook.model.snapshot import Snapshot
from classhook.native._layout import lib
from classhook.native._slots import CH_PACED_CALLS, CH_PACED_THROWN, CH_TIME_RECORD
from classhook.probes.records import PacedRecord, ProbeRecord

#: A part of a process: the contents of its exact tree of calls, and the omissions.
EXACT_TREE: AddedField[Contexts | None] = AddedField(none)
#: ... and the trees of its threads, by their numbers, where they are told apart.
THREAD_TREES: AddedField[dict[int, Call]] = AddedField(dict)
#: A part of a snapshot: the ns that were subtracted from the time of each call.
FLOOR: AddedField[int | None] = AddedField(none)


class TimeReader(Reader):
    kinds = TIME.kinds
    rows = (METHODS,)
    regions = {lib.CH_EXACT_TREE: AskedFor(("time",), lambda rule: bool(rule.clause("tree")))}  # noqa: RUF012  # never changed

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        row = reader.row(METHODS, probe)
        row.timed = True
        if probe.kind in (BY, RESUMED_BY):
            note_probe(reader, probe, row, resumed=probe.kind == RESUMED_BY)
            return
        if isinstance(probe, PacedRecord):
            row.sample = max(row.sample, min(probe.sample, MOST_SAMPLE))
            row.calls += reader.total(probe.slot + CH_PACED_CALLS)
            row.exceptions += reader.total(probe.slot + CH_PACED_THROWN)
        else:  # of the others, one activation of N would be in the tree
            reader.note_frame(probe, CH_TIME_RECORD)
        row.add_records(reader, probe.slot + CH_TIME_RECORD)

    def finish(self) -> int:
        one = self.reading
        if one.exact_tree:
            tree = exact_tree.add_tree(
                one.snapshot.exact_tree,
                one.file.region(lib.CH_EXACT_TREE),
                one.frames,
                one.file.ns_per_tick,
                THREAD_TREES.get(one.process),
                one.names.thread_slots,
                one.part,
            )
            EXACT_TREE.set(one.process, tree)
        return 0

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        trees = [
            snapshot.exact_tree,
            *(tree for process in snapshot.processes for tree in THREAD_TREES.get(process).values()),
        ]
        rows = [*snapshot.tables[METHODS.name].values(), *snapshot.tables[KEYS.name].values()]
        known = (
            FLOOR.get(snapshot.whole) if snapshot.whole else None
        )  # so that the times of all contexts are those without
        FLOOR.set(snapshot, take_off(rows, trees, known))


READER = TimeReader
