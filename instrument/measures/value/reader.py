"""Reads the data of `value`: numbers in records like those of times (native/watch/values.c)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from struct import pack, unpack

from classhook.measures.keys.reader import KeySlot, note_probe
from classhook.measures.methods.reader import signed
from classhook.measures.value import VALUE
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.model.time_histogram import STEPS, Histogram, middle_of
from classhook.native._layout import lib
from classhook.native._slots import CH_KEYED_OTHERS, CH_VALUE_RECORD
from classhook.probes.records import KeyedValueRecord, ProbeRecord, ValueRecord
from classhook.store.region import Block

SIGN = 1 << 63
#: Sums of 64 bits are exact below this; the doubles beside them tell.
EXACT = float(1 << 62)
PARTS = 1 << 16  # of one, in histograms of numbers that are not whole
LAST = middle_of(lib.CH_OCTAVES - 1, STEPS - 1)  # larger numbers count there, too
FRACTIONS = (0.5, 0.9, 0.99)


@dataclass(slots=True)
class ValueRow:
    """Numbers of a method's calls. `count`: of them; `missing`: calls in which there was none; `sum`: None: it is too
    large, or not of whole numbers, then `real` has it; `least`, `largest`: None without numbers, floats of numbers that
    are not whole; `others`, `before`: as for keys."""

    rule: str = ""
    count: int = 0
    missing: int = 0
    sum: int | None = 0
    real: float = 0
    least: float | None = None
    largest: float | None = None
    others: bool = False
    before: int = 0
    histogram: Histogram = field(default_factory=Histogram)

    def add(self, other: ValueRow) -> None:
        self.count += other.count
        self.missing += other.missing
        self.real += other.real
        self.sum = None if self.sum is None or other.sum is None else self.sum + other.sum
        self.least = min((one for one in (self.least, other.least) if one is not None), default=None)
        self.largest = max((one for one in (self.largest, other.largest) if one is not None), default=None)
        self.others |= other.others
        self.before += other.before
        self.histogram.add(other.histogram)

    def add_record(self, block: Block, at: int) -> None:
        """Raises ValueError if it is damaged."""
        record = block.record(at)
        if record is None:
            return  # its part of the file is missing, which is already noted
        block.take(at)
        one = ValueRow(
            count=record.completed, missing=max(0, record.calls - record.completed), real=record.callee_squares
        )
        of_reals = record.exceptions > 0
        one.sum = signed(record.total) if abs(record.callee_squares) < EXACT and not of_reals else None
        if record.completed and record.min <= record.max:
            one.least, one.largest = (
                real(bits) if of_reals else signed(bits ^ SIGN) for bits in (record.min, record.max)
            )
        for octave, unit in enumerate(list(record.octaves)):
            steps = block.octave(unit) if unit else None
            if steps is not None:
                block.take(unit * lib.CH_UNIT)
                one.histogram.add_octave(octave, steps, 1 / PARTS if of_reals else 1)
        self.add(one)

    @property
    def is_real(self) -> bool:
        return isinstance(self.least, float) or isinstance(self.largest, float)

    @property
    def total(self) -> float | None:
        """None: a double cannot hold it."""
        if self.sum is not None:
            return self.sum
        if not isfinite(self.real):
            return None
        return self.real if self.is_real else round(self.real)

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count and self.total is not None else None

    def percentiles(self) -> Iterator[float | None]:
        """The numbers that these parts of all did not exceed. Negative and very large ones are not told apart: None,
        where it is one of those."""
        if self.least is None or self.largest is None:
            yield from [None] * len(FRACTIONS)
            return
        for found in self.histogram.values(FRACTIONS):
            within = max(self.least, min(self.largest, found if self.is_real else round(found)))
            too_large = found >= (LAST / PARTS if self.is_real else LAST)
            yield within if (within > 0 or self.least >= 0) and not too_large else None


VALUES = RowKind(
    name="values",
    row=ValueRow,
    ran=lambda row: row.count + row.missing > 0,
    key={"of": "string", "by": "string", "key": "string"},
    add=ValueRow.add,
    counted=lambda row: row.count,
    whole=lambda key: ("values", (*key[:4], "", "")) if key[4] or key[5] else None,
)


def real(bits: int) -> float:
    """A double in the form whose order is that of the values."""
    found: float = unpack("=d", pack("=Q", bits ^ SIGN if bits & SIGN else ~bits & (1 << 64) - 1))[0]
    return found


class ValueReader(Reader):
    kinds = VALUE.kinds
    rows = (VALUES,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, (ValueRecord, KeyedValueRecord))
        of, first = probe.of, reader.first_slot + probe.slot
        if isinstance(probe, KeyedValueRecord):
            note_probe(reader, probe, add=lambda key: self.add(reader, probe, of, key))
        else:
            self.add(reader, probe, of, KeySlot(first, first + CH_VALUE_RECORD, "", 0))

    def add(self, reader: ClassReader, probe: ProbeRecord, of: str, key: KeySlot) -> None:
        """Adds the numbers of a key, or of all calls. Raises ValueError."""
        holding = list(reader.file.holding(key.slot))
        if not holding and (key.text or isinstance(probe, KeyedValueRecord)):
            return
        by = probe.by if isinstance(probe, KeyedValueRecord) else ""
        row: ValueRow = reader.row(VALUES, probe, of, by, key.text)
        row.others = key.slot == key.first + CH_KEYED_OTHERS and isinstance(probe, KeyedValueRecord)
        row.before += key.before
        for block, position in holding:
            row.add_record(block, position)


READER = ValueReader
