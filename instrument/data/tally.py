"""Adds the counters of a class, described by its probe table, to a snapshot.

1. A probe's letter says which measure reads its slots; most slots are summed over all blocks.
2. Rows of several processes, loaders or weavings are summed by class, method and descriptor.
3. No slot belongs to two probes, no record to two methods, and long names are shortened: else a small file could cause a
   report of any size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from instrument.codeless import Codeless
from instrument.data.calls import MethodKey
from instrument.data.file import DataFile
from instrument.data.only_counted import OnlyCounted
from instrument.data.rows import RuleRow, Snapshot
from instrument.data.watched import Watch
from instrument.measures import BY_LETTER
from instrument.names import shortened
from instrument.weaving import probe_table, reasons

if TYPE_CHECKING:
    from instrument.measures.table import Table


MOST_SLOTS = 1 << 23  # CH_MOST_SLOTS in native/base/base.h
MOST_IN_A_CLASS = 65535  # each slot has a constant (JVMS 4.1)


class ProbeLine(NamedTuple):
    """A probe's line in the probe table; `slot`: its first within the class; `rule`: an index; `more`: the measure's own fields; `mark`:
    what follows the letter."""

    letter: str
    slot: int
    rule: str
    method: str
    descriptor: str
    more: list[str]
    mark: str = ""


class FreeSlots:
    """The unassigned slots of a file or of one class."""

    def __init__(self, slots: int) -> None:
        self._free = bytearray(b"\1" * min(slots, MOST_SLOTS))

    def take(self, first: int, n: int) -> None:
        """Assigns these slots. Raises ValueError if one is assigned already, or does not exist."""
        if first < 0 or n < 0 or self._free[first : first + n] != b"\1" * n:
            raise ValueError(f"slots assigned twice, or beyond the last: {first}")
        self._free[first : first + n] = bytes(n)


class Matches:
    """What the rules of one process matched. When rules are exchanged, a class may be described once more: of the sets of rules, the one counts under
    which a rule matched most of it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._now: dict[tuple[str, str], tuple[int, int]] = {}  # by rule and class: classes of this name, and methods
        self._most: dict[tuple[str, str], tuple[int, int]] = {}

    def exchanged(self) -> None:
        """Other rules follow."""
        self._now = {}

    def add(self, rule: str, class_name: str, methods: int) -> None:
        """The rule matches a class."""
        key = (rule, class_name)
        classes_now, methods_now = self._now.get(key, (0, 0))
        self._now[key] = now = (classes_now + 1, methods_now + methods)
        most = self._most.get(key, (0, 0))
        self._most[key] = (max(now[0], most[0]), max(now[1], most[1]))
        self._snapshot.classes_of.setdefault(rule, set()).add(class_name)
        row = self._snapshot.rules.setdefault(rule, RuleRow())
        row.matched_classes += max(0, now[0] - most[0])
        row.matched_methods += max(0, now[1] - most[1])


class ClassReader:
    """Adds one description of a class, with its counts, to the snapshot."""

    def __init__(self, snapshot: Snapshot, file: DataFile, free: FreeSlots, rules: list[str], first_slot: int, slots: int,
                 matches: Matches | None = None) -> None:  # fmt: skip
        self.snapshot = snapshot
        self.file = file
        self.rules = rules
        self.matches = matches  # None: what rules matched was counted with another period of the process
        self.first_slot = first_slot
        self.slots = slots
        self.frames: dict[int, MethodKey] = {}
        self.counted = OnlyCounted()
        self.watches: dict[int, Watch] = {}
        self.undecided: list[ProbeLine] = []  # those that supertypes decide
        self._supertypes: dict[str, frozenset[str]] | None = None  # of the classes that have some; None: not known yet
        self.unknown = 0  # probes whose letters no measure has
        self._free_in_file = free
        self._free = FreeSlots(0)
        self._sums: list[int] | None = None
        self._before: dict[int, tuple[Table, Any, int]] = {}  # by a row's id: what earlier processes have counted in it
        self.name = ""

    def read(self, text: bytes) -> None:
        """Reads the lines of instrument/weaving/probe_table.py. Raises ValueError at a damaged one."""
        if self.slots > max(len(text), MOST_IN_A_CLASS):
            raise ValueError(f"too many slots: {self.slots}")
        self._free_in_file.take(self.first_slot, self.slots)
        self._free = FreeSlots(self.slots)
        own_rules: list[str] = []
        snapshot = self.snapshot
        for line in probe_table.decode(text):
            match line:
                case "P", slot, kind, rule, method, descriptor, *more if kind[:1] in BY_LETTER:
                    measure = BY_LETTER[kind[0]]
                    n = measure.letters[kind[0]] or self.number(more[0])
                    measure.read(self, ProbeLine(kind[0], self.take(slot, n), rule, method, descriptor, more, kind[1:]))
                case "P", _, kind, _, _, _, *_ if kind:
                    self.unknown += 1
                case "C", name, source:
                    self.name = shortened(name.replace("/", "."))
                    snapshot.class_sources[self.name] = source
                case "R", index, methods:
                    matched = self.number(methods)
                    snapshot.rules.setdefault(self.rule(index), RuleRow())
                    if self.matches is not None:
                        self.matches.add(self.rule(index), self.name, matched)
                case ("O", _, _) | (probe_table.UNDECIDED,):
                    pass  # for covered.py, and for the agent
                case (probe_table.ALIKE,):
                    snapshot.alike.add(self.name)
                case "U", rule:  # woven ahead of time: the table contains the rules
                    own_rules.append(shortened(rule))
                    self.rules = own_rules
                case "N", index, method, descriptor, *why:
                    snapshot.missed.add((self.name, method, descriptor))
                    if any(why):
                        row = snapshot.rules.setdefault(self.rule(index), RuleRow())
                        row.codeless = Codeless(self.name, shortened(method), shortened(descriptor), why[0])
                case "S", method, descriptor, reason, detail:
                    key = (self.name, method, descriptor, reason, detail)
                    found = snapshot.uncompiled if reason == reasons.NOT_COMPILED else snapshot.skipped
                    found[key] = found.get(key, 0) + 1
                case _:
                    raise ValueError(f"an unknown line: {line}")

    def note_watched(self, line: ProbeLine) -> None:
        """A probe of watched calls: what it shows has these names."""
        names = tuple(line.more[1].split(",")) if len(line.more) > 1 and line.more[1] else ()
        words = line.more[0].split(" ") if line.more else []
        slowest = self.number(words[4]) if len(words) > 4 else 0
        method, descriptor = shortened(line.method), shortened(line.descriptor)
        self.watches[self.first_slot + line.slot] = Watch(self.name, method, descriptor, self.rule(line.rule), names, slowest)

    def decide(self, supertypes: dict[str, frozenset[str]]) -> None:
        """Adds the lines that were put off, now that all is read. `supertypes`: those that the agent saw and rules name. Raises ValueError."""
        self._supertypes = supertypes
        for line in self.undecided:
            BY_LETTER[line.letter].read(self, line)

    def decided(self, line: ProbeLine, undecided: list[str], type_name: str) -> str | None:
        """The rule that matches an allocated type by its supertypes; None if none does, or it is not known yet: the line is read again."""
        if self._supertypes is None:
            self.undecided.append(line)
            return None
        supertypes = self._supertypes.get(type_name.rstrip("[]"), frozenset())
        for index in undecided:
            text = self.rule(index)
            if self.snapshot.matches_type(text, type_name, supertypes):
                method = (text, self.name, line.method, line.descriptor)
                if method not in self.snapshot.decided:
                    self.snapshot.decided.add(method)
                    self.snapshot.rules[text].matched_methods += 1
                return index
        return line.rule if self.number(line.rule) >= 0 else None

    def rule(self, index: str) -> str:
        which = self.number(index)
        return self.rules[which] if 0 <= which < len(self.rules) else "?"

    def number(self, field: str) -> int:
        """A field that must be a number of 64 bits. Raises ValueError."""
        value = int(field)
        if value >> 64 not in (0, -1):
            raise ValueError(f"{len(field)} digits")
        return value

    def take(self, field: str, n: int) -> int:
        """Assigns n slots to a probe, and returns the first. Raises ValueError."""
        slot = self.number(field)
        self._free.take(slot, n)
        return slot

    def total(self, slot: int) -> int:
        """The slot's value, summed over all blocks."""
        if self._sums is None:
            self._sums = self.file.sums(self.first_slot, self.slots)
        return self._sums[slot]

    def shared(self, slot: int) -> int:
        """The slot's value in the block that all threads share."""
        return self.file.shared.slot(self.first_slot + slot)

    def control(self, slot: int) -> int:
        """The agent's control word of a paced method (native/classhook.h)."""
        return self.file.control(self.first_slot + slot)

    def note_frame(self, line: ProbeLine, slot: int) -> None:
        """In the tree of calls, this slot of the probe's stands for its method."""
        self.frames[self.first_slot + line.slot + slot] = (self.name, line.method, line.descriptor)

    def lived(self, ns: int) -> None:
        """The process ran for so long at least; a killed one may not have said more."""
        process = self.snapshot.processes[-1]
        process.duration_ns = max(process.duration_ns, ns)

    def row(self, table: Table, line: ProbeLine, *more: int | str) -> Any:
        """The table's row for a probe; its key is the method and `more`."""
        key = (self.name, line.method, line.descriptor, *more)
        rows = self.snapshot.tables[table.name]
        row = rows.get(key)
        if row is None:
            row = rows[key] = table.row()
        row.rule = row.rule or self.rule(line.rule)
        if id(row) not in self._before:
            self._before[id(row)] = (table, row, table.counted(row))
        return row

    @property
    def contributed(self) -> int:
        """How much the rows have counted in this class and process."""
        return sum(table.counted(row) - before for table, row, before in self._before.values())
