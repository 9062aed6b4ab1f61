"""Adds the counters of a class, described by its probe table, to a snapshot.

1. A probe's kind says which measure reads its slots; most slots are summed over all blocks.
2. Rows of several processes, loaders or weavings are summed by class, method and descriptor.
3. No slot belongs to two probes, no record to two methods, and long names are shortened: else a small file could cause
   a report of any size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from classhook.base.names import shortened
from classhook.model.file_reading import FileReading
from classhook.model.rows import RowKind
from classhook.model.rule_matches import Matches
from classhook.model.slots import MOST_IN_A_CLASS, FreeSlots
from classhook.model.snapshot import RuleRow
from classhook.model.unweavable_methods import UnweavableMethod, nearer
from classhook.probes import probe_table, reasons
from classhook.probes.records import (
    AlikeRecord,
    ClassRecord,
    CoverRecord,
    MadeRecord,
    OriginalRecord,
    ProbeRecord,
    Record,
    RuleRecord,
    RuleTextRecord,
    SkipRecord,
    UnmatchedRecord,
)

#: By kind: how many slots a probe has (0: each of its own), and what reads its record.
ProbeReaders = dict[str, tuple[int, Callable[["ClassReader", ProbeRecord], None]]]


class ClassReader:
    """Adds one description of a class, with its counts, to the snapshot. `matches`: None if what rules matched was
    counted with another period of the process."""

    def __init__(
        self,
        reading: FileReading,
        readers: ProbeReaders,
        rules: list[str],
        first_slot: int,
        slots: int,
        matches: Matches | None = None,
    ) -> None:
        self.reading = reading
        self.readers = readers
        self.snapshot = reading.snapshot
        self.file = reading.file
        self.rules = rules
        self.matches = matches
        self.first_slot = first_slot
        self.slots = slots
        self.unknown = 0  # probes of kinds that no measure has
        self._free = FreeSlots(0)
        self._sums: list[int] | None = None
        self._before: dict[int, tuple[RowKind, Any, int]] = {}  # by a row's id: what had been counted in it before
        self._then: list[Callable[[], None]] = []
        self.name = ""
        self.original = ""  # the hash of its class file, if it has probes of coverage

    def read(self, text: bytes) -> None:
        """Reads the probe table. Raises ValueError if it is damaged."""
        if self.slots > max(len(text), MOST_IN_A_CLASS):
            raise ValueError(f"too many slots: {self.slots}")
        self.reading.free.take(self.first_slot, self.slots)
        self._free = FreeSlots(self.slots)
        own_rules: list[str] = []
        for record in probe_table.decode(text):
            if isinstance(record, ProbeRecord):
                if record.kind in self.readers:
                    slots, read = self.readers[record.kind]
                    self._free.take(record.slot, record.probes if isinstance(record, CoverRecord) else slots)
                    read(self, record)
                else:
                    self.unknown += 1
            elif isinstance(record, RuleTextRecord):  # woven ahead of time: the table contains the rules
                own_rules.append(shortened(record.text))
                self.rules = own_rules
            else:
                self._add(record)
        for action in self._then:
            action()

    def then(self, action: Callable[[], None]) -> None:
        """Does this when the whole description has been read and is not damaged."""
        self._then.append(action)

    def _add(self, record: Record) -> None:
        snapshot = self.snapshot
        match record:
            case ClassRecord():
                self.name = shortened(record.name.replace("/", "."))
                snapshot.class_sources[self.name] = record.source_file
            case OriginalRecord():
                self.original = shortened(record.sha256)
                snapshot.covered = True
            case RuleRecord():
                snapshot.rules.setdefault(self.rule(record.rule), RuleRow())
                if self.matches is not None:
                    self.matches.add(self.rule(record.rule), self.name, record.methods)
            case MadeRecord():
                snapshot.made[self.name, record.method, record.descriptor] = record.flags, record.line
            case AlikeRecord():
                snapshot.alike.add(self.name)
            case UnmatchedRecord():
                if record.method:
                    snapshot.missed.add((self.name, record.method, record.descriptor))
                if record.why:
                    row = snapshot.rules.setdefault(self.rule(record.rule), RuleRow())
                    one = UnweavableMethod(
                        self.name, shortened(record.method), shortened(record.descriptor), record.why
                    )
                    row.unweavable = nearer(row.unweavable, one)
            case SkipRecord():
                key = (self.name, record.method, record.descriptor, record.reason, record.detail)
                found = snapshot.uncompiled if record.reason == reasons.NOT_COMPILED else snapshot.skipped
                found[key] = found.get(key, 0) + 1

    def rule(self, index: int) -> str:
        return self.rules[index] if 0 <= index < len(self.rules) else "?"

    def written(self, index: int) -> str:
        """The rule, or the one that stands for it."""
        text = self.rule(index)
        return self.snapshot.written.get(text, text)

    def total(self, slot: int) -> int:
        """The slot's value, summed over all blocks."""
        if self._sums is None:
            self._sums = self.file.sums(self.first_slot, self.slots)
        return self._sums[slot]

    def shared(self, slot: int) -> int:
        """The slot's value in the block that all threads share."""
        return self.file.shared.slot(self.first_slot + slot)

    def note_frame(self, probe: ProbeRecord, slot: int) -> None:
        """Notes that this slot of the probe stands for its method in the tree of calls."""
        method = (self.name, probe.method, probe.descriptor)
        self.then(lambda: self.reading.frames.__setitem__(self.first_slot + probe.slot + slot, method))

    def lived(self, ns: int) -> None:
        """The process ran for so long at least; a killed one may not have said more."""
        process = self.reading.process
        process.duration_ns = max(process.duration_ns, ns)

    def found(self, table: RowKind, probe: ProbeRecord, *more: int | str) -> Any:
        """The table's row for a probe; its key is the method and `more`. It has the first rule that asked for it, or
        one that stands if that was removed from the session."""
        key = (self.name, probe.method, probe.descriptor, *more)
        rows = self.snapshot.tables[table.name]
        row = rows.get(key)
        if row is None:
            row = rows[key] = table.row()
        rule, removed = self.written(probe.rule), self.reading.removed
        if not row.rule or (row.rule in removed and rule not in removed):
            row.rule = rule
        return row

    def row(self, table: RowKind, probe: ProbeRecord, *more: int | str) -> Any:
        """The same row, of which `contributed` tells what it has counted since."""
        row = self.found(table, probe, *more)
        if id(row) not in self._before:
            self._before[id(row)] = (table, row, table.counted(row))
        return row

    def contributed(self) -> int:
        """The counts of the rows in this class and process since the last call of this."""
        found = sum(table.counted(row) - before for table, row, before in self._before.values())
        self._before.clear()
        return found
