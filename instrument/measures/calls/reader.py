"""What `count calls` left in data files, and the rows that it shares with `time calls`: of each method, line and called method."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.measures.alloc.reader_types import TYPE_MATCHES
from classhook.measures.calls import CALLS
from classhook.measures.methods.reader import MethodRow
from classhook.model.class_reader import ClassReader
from classhook.model.file_reading import FileReading
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.native._slots import CH_COUNT_CALLS
from classhook.probes.records import CallRecord, ProbeRecord


@dataclass(init=False)
class CallRow(MethodRow):
    """Calls of one method in a line of another. `unfit`: a rule asks for their times, but some of them can only be counted."""

    unfit: bool = False


CALL_SITES = RowKind(
    name="call_sites",
    row=CallRow,
    ran=lambda row: row.calls > 0,
    key={"line": "integer", "called_class": "string", "called_method": "string", "called_descriptor": "string"},
    add=CallRow.add,
    finish=CallRow.finish,
    counted=lambda row: row.calls,
)


class CallReader(Reader):
    kinds = CALLS.kinds
    rows = (CALL_SITES,)

    def __init__(self, reading: FileReading) -> None:
        super().__init__(reading)
        self.undecided: dict[ClassReader, list[CallRecord]] = {}  # those that supertypes decide, which are known when all is read

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, CallRecord)
        if probe.undecided:
            reader.then(lambda: self.undecided.setdefault(reader, []).append(probe))
        else:
            self.add(reader, probe)

    def row(self, reader: ClassReader, site: CallRecord) -> CallRow:
        row: CallRow = reader.row(CALL_SITES, site, site.line, site.owner, site.called, site.called_descriptor)
        return row

    def add(self, reader: ClassReader, site: CallRecord) -> None:
        """Adds the counts of a site. Raises ValueError."""
        self.row(reader, site).count(reader.total(site.slot + CH_COUNT_CALLS))

    def decided(self, reader: ClassReader, site: CallRecord) -> int | None:
        """The rule that matches a call by the supertypes of the class that it names; None if none does."""
        snapshot = reader.snapshot
        supertypes = frozenset(self.reading.supertypes.get(site.owner, ()))
        known = TYPE_MATCHES.of(snapshot)
        for index in site.undecided:
            text = reader.rule(index)
            if known.matches(snapshot, text, (site.owner, site.called, site.called_descriptor), supertypes):
                method = (text, reader.name, site.method, site.descriptor)
                if method not in known.methods:
                    known.methods.add(method)
                    snapshot.rules[text].matched_methods += 1
                return index
        return site.rule if site.rule >= 0 else None

    def finish(self) -> int:
        found = 0
        for reader, sites in self.undecided.items():
            try:
                for site in sites:
                    rule = self.decided(reader, site)
                    if rule is not None:
                        site.rule = rule
                        self.add(reader, site)
            except ValueError:
                self.reading.damaged += 1
            found += reader.contributed()
        return found


READER = CallReader
