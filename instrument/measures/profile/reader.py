"""Reads the counts of `profile`, and the stacks that are sampled for it, of which it keeps the profiled methods."""

from __future__ import annotations

from classhook.measures.cpu.reader import add_sampled, methods
from classhook.measures.methods.reader import METHODS
from classhook.measures.profile import EXCEPTIONS, PROFILE
from classhook.model.added_fields import AddedField, none
from classhook.model.call_tree import CUT, TRACKER, Sampling, add_times
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.model.snapshot import Snapshot
from classhook.native._slots import CH_PROFILE_CALLS, CH_PROFILE_THROWN
from classhook.probes.records import ProbeRecord

#: A part of a process: how its profiled methods were sampled.
SAMPLING: AddedField[Sampling | None] = AddedField(none)


class ProfileReader(Reader):
    kinds = PROFILE.kinds
    rows = (METHODS,)
    profiled = False  # whether some method is

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        row = reader.row(METHODS, probe)
        row.profiled = self.profiled = True
        row.count(reader.total(probe.slot + CH_PROFILE_CALLS))
        if probe.kind == EXCEPTIONS:
            row.exceptions += reader.total(probe.slot + CH_PROFILE_THROWN)
        else:
            row.exceptions_unknown = True
        reader.note_frame(probe, CH_PROFILE_CALLS)

    def in_context(self, whole: Reader) -> None:
        assert isinstance(whole, ProfileReader)
        self.profiled = whole.profiled

    def finish(self) -> int:
        """Adds the stacks, as paths of the methods that are profiled or timed."""
        one = self.reading
        if not self.profiled:
            return 0
        kept = {*one.frames.values(), CUT}
        known = {number: key for number, key in methods(one).items() if key in kept or key[0] == TRACKER}
        sampling = add_sampled(one, one.snapshot.calls, known)
        SAMPLING.set(one.process, sampling)
        return sampling.samples if sampling else 0

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        add_times(snapshot.calls, snapshot.tables[METHODS.name])


READER = ProfileReader
