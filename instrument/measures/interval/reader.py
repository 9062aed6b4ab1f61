"""Reads the data of `time from`: rows of keys, whose key is the other end."""

from __future__ import annotations

from classhook.measures.interval import BEGINS, TIME_FROM, UNTIL
from classhook.measures.keys.reader import KEYS, KeyRow
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.native._slots import CH_COUNT_CALLS, CH_TIME_RECORD
from classhook.probes.records import IntervalRecord, ProbeRecord


class IntervalReader(Reader):
    kinds = TIME_FROM.kinds | UNTIL.kinds
    rows = (KEYS,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, IntervalRecord)
        row: KeyRow = reader.row(KEYS, probe, "", probe.other)
        if probe.kind == BEGINS:
            row.count(reader.total(probe.slot + CH_COUNT_CALLS))
        else:
            row.timed = row.self_unknown = True
            row.add_records(reader, probe.slot + CH_TIME_RECORD)


READER = IntervalReader
