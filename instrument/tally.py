"""Adds what a class's probe table says, with its counters, to a snapshot.

1. Each probe's value is the sum over all blocks of slots; a timed method's record is found in the same block's records.
2. Rows of several processes, loaders or weavings are summed by class, method and descriptor.
3. No slot belongs to two probes, no record to two methods, and no name is longer than one can read: else a small file could ask for a
   report of any size.
"""

from __future__ import annotations

from bisect import bisect_right

from instrument import probes
from instrument.datafile import DataFile
from instrument.names import shortened
from instrument.region import Block
from instrument.rows import MethodRow, RuleRow, SiteRow, Snapshot
from native._layout import ffi

lib = ffi.dlopen(None)  # the header's constants

NO_MINIMUM = (1 << 64) - 1


def signed(word: int) -> int:
    """A 64-bit word as a signed number."""
    return word - (1 << 64) if word >> 63 else word


def number(field: str) -> int:
    """A field that must be a number of 64 bits. Raises ValueError."""
    value = int(field)
    if value >> 64 not in (0, -1):
        raise ValueError(f"{len(field)} digits")
    return value


class Described:
    """The slots of a file that classes have so far."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._ends: list[int] = []

    def take(self, first: int, slots: int) -> None:
        """A class has these. Raises ValueError where another one has one of them."""
        at = bisect_right(self._firsts, first)
        if (at and self._ends[at - 1] > first) or (at < len(self._firsts) and self._firsts[at] < first + slots):
            raise ValueError(f"slots of another class: {first}")
        self._firsts.insert(at, first)
        self._ends.insert(at, first + slots)


class ClassReader:
    """Adds what one description of a class says, with its counts, to the snapshot."""

    def __init__(self, snapshot: Snapshot, file: DataFile, rules: list[str], first_slot: int, slots: int) -> None:
        self.snapshot = snapshot
        self.file = file
        self.ns_per_tick = file.ns_per_tick
        self.rules = rules
        self.first_slot = first_slot
        self.slots = slots
        self._free = bytearray()
        self._sums: list[int] | None = None
        self.name = ""

    def read(self, text: bytes) -> None:
        """Reads the lines of instrument/probes.py. Raises ValueError at one that is damaged."""
        if self.slots > len(text):
            raise ValueError(f"no table has so many slots: {self.slots}")
        self._free = bytearray(b"\1" * self.slots)
        own_rules: list[str] = []
        snapshot = self.snapshot
        for line in probes.decode(text):
            match line:
                case "M", slot, kind, rule, method, descriptor if kind[:1] in ("t", "c", "p"):
                    self.add_method(self.take(slot, kind[0]), kind[0], rule, method, descriptor)
                case "A", slot, (probes.OBJECT | probes.ARRAY) as kind, rule, method, descriptor, line_number, bci, type_name:
                    site = self.site_row(method, descriptor, number(line_number), number(bci), type_name)
                    site.rule = site.rule or self.rule(rule)
                    self.add_site(site, self.take(slot, kind), kind == probes.OBJECT)
                case "C", name, source:
                    self.name = shortened(name.replace("/", "."))
                    snapshot.class_sources[self.name] = source
                case "R", index, methods:
                    row = snapshot.rules.setdefault(self.rule(index), RuleRow())
                    row.matched_classes += 1
                    row.matched_methods += number(methods)
                case "U", rule:  # woven ahead of time: it brings its rules along
                    own_rules.append(shortened(rule))
                    self.rules = own_rules
                case "N", _, method, descriptor:
                    snapshot.missed.add((self.name, method, descriptor))
                case "S", method, descriptor, reason, detail:
                    key = (self.name, method, descriptor, reason, detail)
                    snapshot.skipped[key] = snapshot.skipped.get(key, 0) + 1
                case _:
                    raise ValueError(f"an unknown line: {line}")

    def rule(self, index: str) -> str:
        which = number(index)
        return self.rules[which] if 0 <= which < len(self.rules) else "?"

    def take(self, field: str, kind: str) -> int:
        """The first slot of a probe, whose slots are no other's. Raises ValueError."""
        slot, n = number(field), probes.SLOTS[kind]
        if slot < 0 or self._free[slot : slot + n] != b"\1" * n:
            raise ValueError(f"a slot of another probe, or of none: {slot}")
        self._free[slot : slot + n] = bytes(n)
        return slot

    def total(self, slot: int) -> int:
        """The slot's value, summed over all blocks."""
        if self._sums is None:
            self._sums = self.file.sums(self.first_slot, self.slots)
        return self._sums[slot]

    def add_method(self, slot: int, kind: str, rule: str, method: str, descriptor: str) -> None:
        key = (self.name, method, descriptor)
        row = self.snapshot.methods.get(key)
        if row is None:
            row = self.snapshot.methods[key] = MethodRow()
        row.rule = row.rule or self.rule(rule)
        if kind == "c":
            row.calls += self.total(slot)
            return
        row.timed = True
        at = self.first_slot + slot
        given_up = False
        if kind == "p":  # paced: the next slot has the calls that a record does not
            control = self.file.control(at)
            sample = max(1, control & lib.CH_SAMPLE_MASK)
            given_up = sample == lib.CH_COUNTED
            row.over_budget |= given_up
            row.earlier |= given_up and bool(control & lib.CH_EARLIER)
            row.sample = row.sample if given_up else max(row.sample, sample)
            calls = self.total(slot + 1)
            row.calls += calls
            row.only_counted += calls if given_up else 0
        if given_up or not self.total(slot):  # its first calls would tell nothing of the others
            return
        for block in self.file.having(at):
            if value := block.slot(at):
                self.add_record(row, block, value)

    def add_record(self, row: MethodRow, block: Block, at: int) -> None:
        record = block.record(at)
        if record is None:
            return  # its part of the file is missing, which was said
        block.take(at)
        scale = self.ns_per_tick
        row.calls += record.calls
        row.completed += record.completed
        row.exceptions += record.exceptions
        row.total_ns += round(record.total * scale)
        row.self_ns += round(signed(record.self) * scale)
        row.max_ns = max(row.max_ns, round(record.max * scale))
        if record.min != NO_MINIMUM:
            least = round(record.min * scale)
            row.min_ns = least if row.min_ns is None else min(row.min_ns, least)
        for octave, unit in enumerate(ffi.unpack(record.octaves, lib.CH_OCTAVES)):
            if unit and (steps := block.records.read(unit * lib.CH_UNIT, 8 * lib.CH_OCTAVE_STEPS)) is not None:
                block.take(unit * lib.CH_UNIT)
                row.histogram.add_octave(octave, steps, scale)

    def site_row(self, method: str, descriptor: str, line: int, bci: int, type_name: str) -> SiteRow:
        return self.snapshot.sites.setdefault((self.name, method, descriptor, line, bci, type_name), SiteRow())

    def add_site(self, row: SiteRow, slot: int, is_object: bool) -> None:
        count = self.total(slot)
        row.count += count
        if is_object:  # the object's size lies in the shared block
            row.bytes += count * self.file.shared.slot(self.first_slot + slot + 1)
        else:
            row.bytes += self.total(slot + 1)
