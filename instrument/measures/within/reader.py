"""Reads the data of rules with `below` and `not below`: rows of keys, whose key is the region."""

from __future__ import annotations

from classhook.measures.keys.reader import KEYS, KeyRow, rule_of
from classhook.measures.within import REGION, RESUMED, TIMED, WITHIN, written
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.native._slots import CH_COUNT_CALLS, CH_TIME_RECORD
from classhook.probes.records import ProbeRecord, WithinRecord


class WithinReader(Reader):
    kinds = WITHIN.kinds
    rows = (KEYS,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, WithinRecord)
        if probe.kind == REGION:
            return
        rule = rule_of(reader, probe)
        row: KeyRow = reader.row(KEYS, probe, "", written(rule) if rule is not None else "?")
        if probe.kind == TIMED:
            row.timed = True
            reader.note_frame(probe, CH_TIME_RECORD)
            row.add_records(reader, probe.slot + CH_TIME_RECORD)
        elif probe.kind == RESUMED:
            row.resumptions += reader.total(probe.slot + CH_COUNT_CALLS)
        else:
            row.count(reader.total(probe.slot + CH_COUNT_CALLS))


READER = WithinReader
