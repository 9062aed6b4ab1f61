"""Reads the data of rules with `below` and `not below`: rows of keys, whose key is the region unless
the rule has one."""

from __future__ import annotations

from classhook.measures.keys.reader import KEYS, KeyRow, note_probe, rule_of
from classhook.measures.within import COUNTED_BY, REGION, RESUMED, TIMED, TIMED_BY, WITHIN, written
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.native._slots import CH_COUNT_CALLS, CH_TIME_RECORD
from classhook.probes.records import ProbeRecord


class WithinReader(Reader):
    kinds = WITHIN.kinds
    rows = (KEYS,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        if probe.kind == REGION:
            return
        rule = rule_of(reader, probe)
        if probe.kind in (COUNTED_BY, TIMED_BY):
            note_probe(reader, probe, by=written(rule) if rule is not None else "?", timed=probe.kind == TIMED_BY)
            return
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
