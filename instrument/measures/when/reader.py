"""Reads the data of rules that choose calls: rows of keys and of values, whose key is the choice."""

from __future__ import annotations

from classhook.measures.keys.reader import KEYS, KeyRow
from classhook.measures.value.reader import VALUES, ValueRow
from classhook.measures.when import COUNTED, VALUED, WHEN
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.native._slots import CH_WHEN_MET, CH_WHEN_RECORD
from classhook.probes.records import ProbeRecord, WatchRecord


class WhenReader(Reader):
    kinds = WHEN.kinds
    rows = (KEYS, VALUES)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, WatchRecord)
        record = reader.first_slot + probe.slot + CH_WHEN_RECORD
        if probe.kind == VALUED:
            of, _, chosen = probe.names.partition(",")
            holding = list(reader.file.holding(record))
            numbers: ValueRow = reader.row(VALUES, probe, of, "", chosen)
            for block, position in holding:
                numbers.add_record(block, position)
            return
        row: KeyRow = reader.row(KEYS, probe, "", probe.names)
        if probe.kind == COUNTED:
            row.count(reader.total(probe.slot + CH_WHEN_MET))
            return
        row.timed = row.self_unknown = True
        row.add_records_at(reader, record)


READER = WhenReader
