"""What `cover` left in data files: for each method its probes, and how many of them were hit. More is in reader_classes.py."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.measures.cover import COUNTED, COVER
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.probes.records import CoverRecord, ProbeRecord


@dataclass(slots=True)
class ProbedRow:
    """How many probes a method has, summed over the versions of its class and the processes that loaded it, and how many of them were hit."""

    rule: str = ""
    probes: int = 0
    hit: int = 0

    def add(self, other: ProbedRow) -> None:
        self.probes += other.probes
        self.hit += other.hit


PROBED = RowKind(name="coverage", row=ProbedRow, ran=lambda row: row.probes > 0, add=ProbedRow.add, counted=lambda row: row.hit)


class CoverReader(Reader):
    kinds = COVER.kinds
    rows = (PROBED,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, CoverRecord)
        count = probe.probes
        row = reader.row(PROBED, probe)
        row.probes += count
        if probe.kind == COUNTED:
            row.hit += sum([reader.total(probe.slot + i) > 0 for i in range(count)])
        else:
            row.hit += reader.file.covered(reader.first_slot + probe.slot, count).count(1)


READER = CoverReader
