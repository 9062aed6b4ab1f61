"""Reads the counts of each context, or of each thread, in one pass: its cost depends on how much they counted, not on
the number of contexts, threads and probes.

1. A file's probe tables are walked once. Then the probe of each slot is known.
2. For such a part, the measures' readers are given the probes whose slots are not zero in its blocks, as if there were
   no others; regions are split once.
3. A snapshot of a part shares the data of classes and rules with the whole one.
4. Where only sums are wanted, methods that are only counted get no rows: the values of their slots are added up.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

from classhook.base.names import shortened
from classhook.measures.context.reader import CONTEXTS
from classhook.measures.count import CALLS, RESUMED
from classhook.measures.readers import READERS
from classhook.model.class_reader import ClassReader, ProbeReaders
from classhook.model.file_reading import FileReading
from classhook.model.reader import Reader
from classhook.model.reading.rule_texts import texts_of
from classhook.model.rows import nothing
from classhook.model.snapshot import Process, RuleRow, Snapshot
from classhook.model.snapshot_scope import Chosen, Within
from classhook.native._layout import lib
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord, CoverRecord, OriginalRecord, ProbeRecord, RuleTextRecord
from classhook.store.data_file import OF_ALL_THREADS, DataFile
from classhook.store.nonzero_slots import NonzeroSlots

OF_BLOCKS = (lib.CH_SLOTS, lib.CH_RECORDS, lib.CH_SEALED)
KINDS = {kind.name: kind for reader in READERS for kind in reader.rows}
FINISHED = [kind for kind in KINDS.values() if kind.finish is not nothing]
TO_OTHERS = bytes([1, 0])


class Probed(NamedTuple):
    """A class with probes."""

    name: str
    first_slot: int
    slots: int
    rules: list[str]
    original: str = ""


class Counted(ClassReader):
    """A class, of which only the probes are read that counted in a part."""

    def __init__(self, reading: FileReading, probed: Probed, values: dict[int, int]) -> None:
        super().__init__(reading, {}, probed.rules, probed.first_slot, probed.slots)
        self.name = probed.name
        self.original = probed.original
        self._values = values

    def total(self, slot: int) -> int:
        return self._values.get(self.first_slot + slot, 0)

    row = ClassReader.found  # nobody asks what it contributed

    def then(self, action: Callable[[], None]) -> None:
        action()


class FileContexts:
    """A file that was read, and its contexts and threads. `readers`: those that may find something in a part."""

    def __init__(self, reading: FileReading, readers: list[Reader]) -> None:
        self.reading = reading
        self.readers = readers
        self.contexts = reading.contexts
        self.threads = reading.threads
        self._classes: list[Probed] = []
        self._probes: list[tuple[int, ProbeRecord]] = []  # the number of its class, and its record
        self._owners = array("I")  # by slot: the number of its probe, from 1 on
        self._sums = bytearray()  # by slot, 1: it has calls, and nothing else of its method is known in this file
        self._file: DataFile | None = None
        self._process: Process | None = None

    def process(self, process_of: Callable[[DataFile], Process]) -> Process:
        """A process of each part's own, of which nothing else is known."""
        if self._process is None:
            self._process = process_of(self.reading.file)
        return replace(self._process, added={})

    def _index(self) -> DataFile:
        """Walks the probe tables; returns the file without the regions of blocks."""
        if self._file is not None:
            return self._file
        file = self.reading.file
        self._owners = array("I", bytes(4 * file.header.slots_used))
        self._sums = bytearray(file.header.slots_used)
        kinds = {kind: slots for reader in self.readers for kind, slots in reader.kinds.items()}
        rules: list[str] = []
        for kind, first_slot, slots, text in file.descriptions():
            try:
                if kind == lib.CH_META_RULES:
                    rules = texts_of(text)
                elif kind == lib.CH_META_CLASS and 0 <= first_slot <= first_slot + slots <= file.header.slots_used:
                    self._add_class(kinds, Probed("", first_slot, slots, rules), text)
            except ValueError:
                continue  # it was noted when the whole file was read
        if any(record.kind == RESUMED for _, record in self._probes):  # which are taken off calls, method by method
            self._sums = bytearray(len(self._sums))
        self._file = file.without(OF_BLOCKS)
        kinds_there = {record.kind for _, record in self._probes}
        regions_there = {kind for kind, _ in self._file.regions}
        self.readers = [
            one
            for one in self.readers
            if not (one.kinds or one.regions) or kinds_there & one.kinds.keys() or regions_there & one.regions.keys()
        ]
        return self._file

    def _add_class(self, kinds: dict[str, int], probed: Probed, text: bytes) -> None:
        own: list[str] = []
        number = len(self._classes)
        for record in probe_table.decode(text):
            if isinstance(record, ClassRecord):
                probed = probed._replace(name=shortened(record.name.replace("/", ".")))
            elif isinstance(record, OriginalRecord):
                probed = probed._replace(original=shortened(record.sha256))
            elif isinstance(record, RuleTextRecord):
                own.append(shortened(record.text))
            elif isinstance(record, ProbeRecord) and record.kind in kinds:
                n = record.probes if isinstance(record, CoverRecord) else kinds[record.kind]
                if 0 <= record.slot <= record.slot + n <= probed.slots:
                    self._probes.append((number, record))
                    at = probed.first_slot + record.slot
                    self._owners[at : at + n] = array("I", [len(self._probes)]) * n
                    self._sums[at : at + n] = bytes([record.kind == CALLS]) * n
        self._classes.append(probed._replace(rules=own or probed.rules))

    def _without_sums(self, snapshot: Snapshot, words: NonzeroSlots) -> NonzeroSlots:
        """Adds calls of which only the sum is wanted; returns the other words."""
        summed = bytes(map(self._sums.__getitem__, words.slots))
        if 1 not in summed:
            return words
        snapshot.summed_calls = (snapshot.summed_calls or 0) + sum(compress(words.values, summed))
        others = summed.translate(TO_OTHERS.ljust(256, b"\0"))
        return (
            NonzeroSlots([*compress(words.slots, others)], [*compress(words.values, others)])
            if 0 in summed
            else NonzeroSlots((), ())
        )

    def add(self, snapshot: Snapshot, part: Chosen, process: Process, trees: bool = False, sums: bool = False) -> None:
        """Adds the file's counts of a part; `trees`: also the exact tree of calls, if the part is not a context;
        `sums`: without rows of methods that are only counted."""
        file = self._index()
        trees = trees and part.contexts is None
        if trees:
            file = self.reading.file.without(OF_BLOCKS, OF_ALL_THREADS)
        words = self.reading.file.words(*part)
        if sums:
            words = self._without_sums(snapshot, words)
        owners = self._owners
        in_use = words.slots if self.reading.file.base is None else self.reading.file.slots_in_use(*part)
        if sums:
            in_use = [slot for slot in in_use if not self._sums[slot]]
        probes = sorted(set(map(owners.__getitem__, in_use)) - {0})
        reading = self.reading.of_part(snapshot, process, self.reading.file.blocks_within(file, *part), part, trees)
        snapshot.processes.append(process)
        readers = []
        for whole in self.readers:
            reader = type(whole)(reading)
            reader.in_context(whole)
            readers.append(reader)
        read: ProbeReaders = {kind: (n, reader.probe) for reader in readers for kind, n in reader.kinds.items()}
        values = dict(zip(words.slots, words.values, strict=True))
        known: dict[int, Counted] = {}
        for probe in probes:
            number, record = self._probes[probe - 1]
            if number not in known:
                known[number] = Counted(reading, self._classes[number], values)
            try:
                read[record.kind][1](known[number], record)
            except ValueError:
                continue  # as above
        for reader in readers:
            reader.finish()


def each_context(
    whole: Snapshot,
    files: list[FileContexts],
    process_of: Callable[[DataFile], Process],
    names: Iterable[str] | None = None,
    sums: bool = False,
) -> Iterator[tuple[str, Snapshot]]:
    """The counts of each context (EachContext): of all, or of some, given by name; "": outside of all."""
    for name in [*whole.entered, ""] if names is None else names:
        yield name, one_part(whole, files, process_of, Within(name), sums=sums)


def one_part(
    whole: Snapshot,
    files: list[FileContexts],
    process_of: Callable[[DataFile], Process],
    within: Within,
    trees: bool = False,
    sums: bool = False,
) -> Snapshot:
    """The counts of a context, or of threads (ReadPart)."""
    snapshot = Snapshot(
        rules={text: RuleRow() for text in whole.rules},
        rule_names=whole.rule_names,
        parsed_rules=whole.parsed_rules,
        written=whole.written,
        class_sources=whole.class_sources,
        made=whole.made,
        raw=whole.raw,
        classes_of=whole.classes_of,
        supertypes=whole.supertypes,
        names=whole.readable,
        whole=whole,
    )
    snapshot.tables.update((kind, {}) for kind in KINDS)
    for file in files:
        if (part := within.chosen(file.contexts, file.threads)).some:
            file.add(snapshot, part, file.process(process_of), trees, sums)
    made = {type(one) for file in files for one in file.readers}
    conclude(snapshot, [kind for kind in READERS if kind in made])
    snapshot.tables[CONTEXTS.name].clear()
    return snapshot


def conclude(snapshot: Snapshot, readers: Iterable[type[Reader]] = READERS) -> None:
    """Concludes the snapshot when these readers have read all files."""
    snapshot.processes.sort(key=lambda p: p.start_unix_ns)
    for reader in readers:
        reader.conclude(snapshot)
    for kind in FINISHED:
        for row in snapshot.tables[kind.name].values():
            kind.finish(row)
