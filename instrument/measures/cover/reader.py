"""Reads the data of `cover`: for each method its probes, how many of them were hit, and, with `hits`, how many
bytecodes it executed. More is in reader_classes.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from classhook.measures.cover import COUNTED, COVER
from classhook.measures.cover.reader_bytecodes import ExecutedBytecodes
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.probes.records import CoverRecord, ProbeRecord

if TYPE_CHECKING:
    from classhook.model.file_reading import FileReading

#: The identity of code with the same probes: the hash of a class file, a method in it, and the level.
Placed = tuple[str, str, str, int]


@dataclass(slots=True)
class ProbedRow:
    """The number of probes of a method, summed over the versions of its class, and how many of them were hit. A probe
    that was woven several times, in one process or several, is one, which was hit if it was ever hit.

    found: for each probe 1 if it was hit, else 0
    counted: how many were hit, with those woven several times as often
    bytecodes: how many instructions the method executed, in all processes; None: not counted, or not known
    unknown: the number of processes, and versions of the class, of which that is not known
    """

    rule: str = ""
    found: dict[Placed, bytes] = field(default_factory=dict)
    counted: int = 0
    bytecodes: int | None = None
    unknown: int = 0

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

    def execute(self, bytecodes: int | None) -> None:
        self.unknown += bytecodes is None
        self.bytecodes = None if self.unknown else (self.bytecodes or 0) + (bytecodes or 0)

    def add(self, other: ProbedRow) -> None:
        self.counted += other.counted
        if other.unknown or other.bytecodes is not None:
            self.execute(other.bytecodes)
        for placed, hits in other.found.items():
            self.unite(placed, hits)


PROBED = RowKind(
    name="coverage", row=ProbedRow, ran=lambda row: row.probes > 0, add=ProbedRow.add, counted=lambda row: row.counted
)


class CoverReader(Reader):
    kinds = COVER.kinds
    rows = (PROBED,)

    def __init__(self, reading: FileReading) -> None:
        super().__init__(reading)
        self._executed = ExecutedBytecodes(reading.file.path.parent)

    def in_context(self, whole: Reader) -> None:
        assert isinstance(whole, CoverReader)
        self._executed = whole._executed

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, CoverRecord)
        count = probe.probes
        row: ProbedRow = reader.row(PROBED, probe)
        if probe.kind == COUNTED:
            totals = [reader.total(probe.slot + i) for i in range(count)]
            hits = bytes([total > 0 for total in totals])
            row.execute(
                self._executed.number(reader.original, probe.method, probe.descriptor, probe.level, totals)
                if any(totals)
                else 0
            )
        else:
            hits = reader.file.covered(reader.first_slot + probe.slot, count)
        row.counted += hits.count(1)
        row.unite((reader.original or reader.name, probe.method, probe.descriptor, probe.level), hits)


READER = CoverReader
