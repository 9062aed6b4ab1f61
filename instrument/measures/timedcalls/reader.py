"""Reads the data of `time calls`: the rows are those of `count calls`."""

from __future__ import annotations

from classhook.measures.calls.reader import CALL_SITES, CallReader
from classhook.measures.time.reader import FLOOR
from classhook.measures.time.reader_cost_floor import take_off
from classhook.measures.timedcalls import TIME_CALLS, TIMED
from classhook.model.class_reader import ClassReader
from classhook.model.snapshot import Snapshot
from classhook.native._slots import CH_TIME_RECORD
from classhook.probes.records import CallRecord, ProbeRecord


class TimedCallReader(CallReader):
    kinds = TIME_CALLS.kinds

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, CallRecord)
        if probe.kind == TIMED:  # where paths of calls are sampled, it is a call of the method that it names
            at, method = (
                reader.first_slot + probe.slot + CH_TIME_RECORD,
                (probe.owner, probe.called, probe.called_descriptor),
            )
            reader.then(lambda: self.reading.frames.__setitem__(at, method))
        super().probe(reader, probe)

    def add(self, reader: ClassReader, site: CallRecord) -> None:
        row = self.row(reader, site)
        if site.kind != TIMED:
            row.unfit = True
            super().add(reader, site)
            return
        row.timed = True
        row.add_records(reader, site.slot + CH_TIME_RECORD)

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        take_off(snapshot.tables[CALL_SITES.name].values(), [], FLOOR.get(snapshot) or 0)


READER = TimedCallReader
