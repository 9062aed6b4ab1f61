"""Reads from data files how often places threw exceptions, and how often handlers caught them."""

from __future__ import annotations

from dataclasses import dataclass, field

from classhook.measures.alloc.reader_types import TYPE_MATCHES, SitesReader
from classhook.measures.exceptions import CAUGHT, COUNT_CATCHES, COUNT_THROWS, THROWN
from classhook.measures.keys.reader import KeySlot, note_probe, rule_at
from classhook.model.added_fields import AddedField
from classhook.model.class_reader import ClassReader
from classhook.model.rows import RowKind
from classhook.model.snapshot import Snapshot
from classhook.native._slots import CH_COUNT_CALLS
from classhook.probes.records import ProbeRecord, SiteRecord, ThrowRecord

UNKNOWN = "java.lang.Throwable"  # the type of what an athrow threw after so many types that another one has no slot
NULL = "java.lang.NullPointerException"  # what an athrow of null throws (JVMS 6.5)


@dataclass(slots=True)
class ExceptionRow:
    """Exceptions that a place threw, or that a handler caught."""

    rule: str = ""
    count: int = 0

    def add(self, other: ExceptionRow) -> None:
        self.count += other.count


EXCEPTIONS = RowKind(
    name="exceptions",
    row=ExceptionRow,
    ran=lambda row: row.count > 0,
    key={"line": "integer", "bci": "integer", "type": "string", "event": "string"},
    add=ExceptionRow.add,
    counted=lambda row: row.count,
)


@dataclass
class Thrown:
    """The types that `athrow` instructions threw, and the rules that match some of these types."""

    types: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)


THROWN_TYPES: AddedField[Thrown] = AddedField(Thrown)


class ExceptionReader(SitesReader[SiteRecord]):
    kinds = COUNT_CATCHES.kinds | COUNT_THROWS.kinds
    rows = (EXCEPTIONS,)
    site_record = SiteRecord

    def asked(self, site: SiteRecord) -> tuple[str, str]:
        return site.type, site.type

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        if isinstance(probe, ThrowRecord):
            note_probe(reader, probe, add=lambda key: self.add_thrown(reader, probe, key))
        else:
            super().probe(reader, probe)

    def add(self, reader: ClassReader, site: SiteRecord) -> None:
        row: ExceptionRow = reader.row(EXCEPTIONS, site, site.line, site.pc, site.type, CAUGHT)
        row.count += reader.total(site.slot + CH_COUNT_CALLS)

    def add_thrown(self, reader: ClassReader, site: ThrowRecord, key: KeySlot) -> None:
        """Adds what an athrow threw of one type, if a rule matches that. Raises ValueError."""
        thrown = NULL if key.text == "null" else key.text or UNKNOWN
        count = reader.file.sums(key.slot, 1)[0]
        supertypes = frozenset(self.reading.supertypes.get(thrown, ()))
        matches = TYPE_MATCHES.get(reader.snapshot).matches
        rules = {index: rule_at(reader, index) for index in site.undecided if count}
        matching = [index for index, rule in rules.items() if rule is not None and matches(rule, thrown, supertypes)]
        if count:
            known = THROWN_TYPES.get(reader.snapshot)
            known.types.update((thrown, *supertypes))
            known.rules.update(map(reader.rule, matching))
        for site.rule in matching[:1]:
            row: ExceptionRow = reader.row(EXCEPTIONS, site, site.line, site.pc, thrown, THROWN)
            row.count += count

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        """Notes which rules matched nothing that was thrown. Each athrow belongs to all of them until it throws."""
        if snapshot.whole is not None or snapshot.undescribed:
            return
        known = THROWN_TYPES.get(snapshot)
        for text, rule in snapshot.parsed_rules.items():
            row = snapshot.rules[text]
            if rule.kind == COUNT_THROWS.word.text and row.matched_methods and text not in known.rules:
                from classhook.rules.suggest import nearest_type  # which takes long to import, and is seldom needed

                row.lacks = "thrown"
                row.nearest = nearest_type(rule, known.types) or ""


READER = ExceptionReader
