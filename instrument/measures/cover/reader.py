"""Reads the data of `cover`: for each method its probes, and how many of them were hit. More is in
reader_classes.py."""

from __future__ import annotations

from dataclasses import dataclass, field

from classhook.measures.cover import COUNTED, COVER
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.probes.records import CoverRecord, ProbeRecord

#: The identity of code with the same probes: the hash of a class file, a method in it, and the level.
Placed = tuple[str, str, str, int]


@dataclass(slots=True)
class ProbedRow:
    """The number of probes of a method, summed over the versions of its class, and how many of them were hit. A probe
    that was woven several times, in one process or several, is one, which was hit if it was ever hit.

    found: for each probe 1 if it was hit, else 0
    counted: how many were hit, with those woven several times as often
    """

    rule: str = ""
    found: dict[Placed, bytes] = field(default_factory=dict)
    counted: int = 0

    @property
    def probes(self) -> int:
        return sum(map(len, self.found.values()))

    @property
    def hit(self) -> int:
        return sum(hits.count(1) for hits in self.found.values())

    def unite(self, placed: Placed, hits: bytes) -> None:
        before = self.found.get(placed, b"")
        either = int.from_bytes(before, "big") | int.from_bytes(hits, "big")
        self.found[placed] = either.to_bytes(max(len(before), len(hits)), "big")

    def add(self, other: ProbedRow) -> None:
        self.counted += other.counted
        for placed, hits in other.found.items():
            self.unite(placed, hits)


PROBED = RowKind(
    name="coverage", row=ProbedRow, ran=lambda row: row.probes > 0, add=ProbedRow.add, counted=lambda row: row.counted
)


class CoverReader(Reader):
    kinds = COVER.kinds
    rows = (PROBED,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, CoverRecord)
        count = probe.probes
        row: ProbedRow = reader.row(PROBED, probe)
        if probe.kind == COUNTED:
            hits = bytes([reader.total(probe.slot + i) > 0 for i in range(count)])
        else:
            hits = reader.file.covered(reader.first_slot + probe.slot, count)
        row.counted += hits.count(1)
        row.unite((reader.original or reader.name, probe.method, probe.descriptor, probe.level), hits)


READER = CoverReader
