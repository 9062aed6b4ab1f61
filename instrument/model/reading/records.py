"""The records of one data file, in order: the rules, then woven classes with their probe tables, skips, names; each
measure reads its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from classhook.base import run_labels
from classhook.base.names import several, several_are, shortened
from classhook.measures.readers import READERS
from classhook.model.class_reader import ClassReader, ProbeReaders
from classhook.model.earlier_sessions import leave_out_earlier
from classhook.model.file_reading import FileReading
from classhook.model.reader import AskedFor, Reader
from classhook.model.reading.rule_texts import rules_of
from classhook.model.reading.taken_back import TakenBack
from classhook.model.rule_matches import Matches
from classhook.model.snapshot import RuleRow, Snapshot
from classhook.native._layout import lib
from classhook.rules.syntax import Rule
from classhook.rules.words import further
from classhook.store.layout import read_supertypes
from classhook.store.region import SharedRecord

#: The kinds of records with names that several readers use.
NAMES = (lib.CH_META_FRAME, lib.CH_META_TRACE_NAME, lib.CH_META_METHOD)


def add_records(reading: FileReading, again: bool) -> list[Reader]:
    """Adds a file to its snapshot; `again`: another period of a process whose classes are known. Returns the measures'
    readers."""
    records = Records(reading, again)
    records.read()
    return records.readers


class Records:
    """Gives each record of a file to its readers."""

    def __init__(self, reading: FileReading, again: bool) -> None:
        self.reading = reading
        self.again = again
        self.snapshot = reading.snapshot
        self.rules: list[str] = []
        self.ahead: set[str] = set()
        self.unknown = 0
        self.doubtful: list[str] = []  # classes with a record that another method has too
        self.matches = Matches(reading.snapshot)
        self.taken_back = TakenBack(reading.snapshot.rules)
        self.readers = [make(reading) for make in READERS]
        self.of_probes: ProbeReaders = {
            kind: (slots, one.probe) for one in self.readers for kind, slots in one.kinds.items()
        }
        #: By kind: what is done with the numbers and the text of a record.
        self.of_records: dict[int, Callable[[int, int, bytes], None]] = {
            lib.CH_META_RULES: self.add_rules,
            lib.CH_META_CLASS: self.add_class,
            lib.CH_META_SKIP: self.add_class,
            lib.CH_META_SUPERTYPES: self.add_supertypes,
            lib.CH_META_NAMES: self.add_names,
            lib.CH_META_NOTE: self.add_note,
            lib.CH_META_LABELS: self.add_labels,
            lib.CH_META_PLACED: self.add_placed,
            **{kind: _named(reading.names.add, kind) for kind in NAMES},
            **{kind: _named(one.record, kind) for one in self.readers for kind in one.records},
        }

    def read(self) -> None:
        one, process = self.reading, self.reading.process
        for kind, first, second, text in one.file.descriptions():
            if kind in self.of_records:
                try:
                    self.of_records[kind](first, second, text)
                except ValueError:
                    one.damaged += 1
        for name, found in one.supertypes.items():
            self.snapshot.supertypes.setdefault(name, set()).update(found)
        leave_out_earlier(one.file, _regions(self.readers), one.rules, self.ahead)
        process.contributed += sum([reader.finish() for reader in self.readers])
        self.taken_back.leave_out(self.snapshot, self.rules, [kind for one in self.readers for kind in one.rows])
        self.snapshot.undescribed |= one.damaged > 0 or not one.file.all_described
        if one.damaged:
            process.notes.append(
                f"{one.file.path}: {several(one.damaged, 'damaged description')} ignored, with the counts"
            )
        if self.doubtful:
            process.notes.append(
                f"{one.file.path}: the figures of this session cannot be trusted: threads have counted in each other's"
                f" records; {several_are(self.doubtful, 'class')} left out. This is a defect of classhook: please"
                " report it, with the rules"
            )
        if self.unknown:
            process.notes.append(
                f"{one.file.path}: counts are missing of {several(self.unknown, 'probe')} that only a newer classhook"
                " can read"
            )
        if refused := one.file.header.refused:
            why = "had no room: the disk or the memory was full"
            process.notes.append(f"{several(refused, 'piece')} of counter memory {why}; what they counted is missing")

    def add_rules(self, first: int, second: int, text: bytes) -> None:
        self.taken_back.exchanged(self.rules, takes_back=second > 0)
        before = self.rules
        self.rules, more = _rules(self.snapshot, text)
        self.reading.removed = self.reading.removed.union(before).difference(self.rules)
        self.reading.rule_sets.append(more)
        self.matches.exchanged()

    def add_class(self, first_slot: int, slots: int, text: bytes) -> None:
        reader = ClassReader(
            self.reading, self.of_probes, self.rules, first_slot, slots, None if self.again else self.matches
        )
        try:
            reader.read(text)
        except SharedRecord:
            self.doubtful.append(reader.name)
            self.snapshot.undescribed = True
            return
        if slots:
            self.reading.woven_names[first_slot] = reader.name
        self.ahead.update(reader.rules if reader.rules is not self.rules else ())
        self.reading.process.contributed += reader.contributed()
        self.unknown += reader.unknown

    def add_supertypes(self, first: int, second: int, text: bytes) -> None:
        name, found = read_supertypes(text)
        self.reading.supertypes.setdefault(name, set()).update(found)

    def add_names(self, first: int, second: int, text: bytes) -> None:
        self.snapshot.class_names.update(text.decode("utf-8", "replace").replace("/", ".").split())

    def add_note(self, first: int, second: int, text: bytes) -> None:
        self.reading.process.notes.append(text.decode("utf-8", "replace"))

    def add_placed(self, ms: int, second: int, text: bytes) -> None:
        names = [shortened(name.replace("/", ".")) for name in text.decode("utf-8", "replace").splitlines()]
        self.reading.process.placed.append((ms, names))

    def add_labels(self, first: int, second: int, text: bytes) -> None:
        self.reading.process.labels |= run_labels.read(text.decode("utf-8", "replace"))


def _named(read: Callable[[int, int, int, bytes], None], kind: int) -> Callable[[int, int, bytes], None]:
    return lambda first, second, text: read(kind, first, second, text)


def _regions(readers: Iterable[Reader]) -> dict[int, AskedFor]:
    return {kind: asked for reader in readers for kind, asked in reader.regions.items()}


def _rules(snapshot: Snapshot, compiled: bytes) -> tuple[list[str], tuple[Rule, ...]]:
    """Adds the rules to the snapshot, and returns their texts and the rules. Raises ValueError."""
    rules = rules_of(compiled)
    texts = [shortened(rule.text) for rule in rules]
    for text, rule in zip(texts, rules, strict=True):
        snapshot.rules.setdefault(text, RuleRow())
        snapshot.parsed_rules[text] = rule
        if rule.name:
            snapshot.rule_names[text] = shortened(rule.name)
        for made in further(rule):
            snapshot.written[shortened(made.text)] = text
    return texts, rules
