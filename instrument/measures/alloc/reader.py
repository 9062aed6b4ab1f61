"""What `alloc` left in data files: counts of allocation sites, and sampled objects (reader_objects.py)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from classhook.measures.alloc import ALLOC, OBJECT
from classhook.measures.alloc import reader_attribution as attribution
from classhook.measures.alloc.reader_objects import OBJECT_STACKS, OBJECTS, SAMPLED_OBJECTS, add_rows
from classhook.measures.alloc.reader_types import TYPE_MATCHES
from classhook.model.class_reader import ClassReader
from classhook.model.file_reading import FileReading
from classhook.model.reader import AskedFor, Reader
from classhook.model.rows import RowKind
from classhook.model.snapshot import Snapshot
from classhook.native._layout import ffi
from classhook.native._slots import CH_ALLOC_BYTES, CH_ALLOC_COUNT, CH_ALLOC_SIZE
from classhook.probes.records import ProbeRecord, SiteRecord

lib = ffi.dlopen(None)  # the header's constants


@dataclass(slots=True)
class SiteRow:
    """An allocation site's counts; `bytes` by the JVM's own object sizes."""

    rule: str = ""
    count: int = 0
    bytes: int = 0

    def add(self, other: SiteRow) -> None:
        self.count += other.count
        self.bytes += other.bytes


SITES = RowKind(
    name="allocations",
    row=SiteRow,
    ran=lambda row: row.count > 0,
    key={"line": "integer", "bci": "integer", "type": "string"},
    add=SiteRow.add,
    counted=lambda row: row.count,
)


class AllocReader(Reader):
    kinds = ALLOC.kinds
    rows = (SITES, OBJECTS)
    regions = {lib.CH_OBJECTS: AskedFor((ALLOC.word.text,), lambda rule: bool(rule.clauses))}  # noqa: RUF012  # never changed

    def __init__(self, reading: FileReading) -> None:
        super().__init__(reading)
        self.undecided: dict[ClassReader, list[SiteRecord]] = {}  # those that supertypes decide, which are known when all is read

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, SiteRecord)
        if probe.undecided:
            reader.then(lambda: self.undecided.setdefault(reader, []).append(probe))
        else:
            self.add(reader, probe)

    def add(self, reader: ClassReader, site: SiteRecord) -> None:
        """Adds the counts of a site. Raises ValueError."""
        row = reader.row(SITES, site, site.line, site.pc, site.type)
        count = reader.total(site.slot + CH_ALLOC_COUNT)
        row.count += count
        if site.kind == OBJECT:
            row.bytes += count * reader.shared(site.slot + CH_ALLOC_SIZE)
        else:
            row.bytes += reader.total(site.slot + CH_ALLOC_BYTES)

    def decided(self, reader: ClassReader, site: SiteRecord) -> int | None:
        """The rule that matches an allocated type by its supertypes; None if none does."""
        snapshot = reader.snapshot
        supertypes = frozenset(self.reading.supertypes.get(site.type.rstrip("[]"), ()))
        known = TYPE_MATCHES.of(snapshot)
        for index in site.undecided:
            text = reader.rule(index)
            if known.matches(snapshot, text, site.type, supertypes):
                method = (text, reader.name, site.method, site.descriptor)
                if method not in known.methods:
                    known.methods.add(method)
                    snapshot.rules[text].matched_methods += 1
                return index
        return site.rule if site.rule >= 0 else None

    def finish(self) -> int:
        one, found = self.reading, 0
        for reader, sites in self.undecided.items():
            try:
                for site in sites:
                    rule = self.decided(reader, site)
                    if rule is not None:
                        site.rule = rule
                        self.add(reader, site)
            except ValueError:
                one.damaged += 1
            found += reader.contributed()
        rows = one.snapshot.tables[OBJECTS.name]
        regions = one.file.region(lib.CH_OBJECTS), one.file.region(lib.CH_TRACES)
        chosen = partial(one.chosen, lib.CH_OBJECTS)
        objects = add_rows(rows, *regions, one.names, OBJECT_STACKS.of(one.process), one.process.pid, chosen)
        SAMPLED_OBJECTS.set(one.process, objects)
        return found + (objects.sampled if objects else 0)

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        attribution.conclude(snapshot)


READER = AllocReader
