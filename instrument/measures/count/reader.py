"""Reads the data of `count`."""

from __future__ import annotations

from classhook.measures.count import BY, COUNT, RESUMED
from classhook.measures.keys.reader import note_probe
from classhook.measures.methods.reader import METHODS
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.native._slots import CH_COUNT_CALLS
from classhook.probes.records import ProbeRecord


class CountReader(Reader):
    kinds = COUNT.kinds
    rows = (METHODS,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        if probe.kind == BY:
            note_probe(reader, probe)
            return
        row = reader.row(METHODS, probe)
        if probe.kind == RESUMED:
            row.resumptions += reader.total(probe.slot + CH_COUNT_CALLS)
        else:
            row.count(reader.total(probe.slot + CH_COUNT_CALLS))


READER = CountReader
