"""Makes rows of the data of measures: each measure has a subclass of Reader in its module `reader`.

For each data file a reader is made. It is given the records of probe tables whose kinds it has, then the other records
of the kinds that it names, in the order of the file, and reads regions when all records are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from classhook.model.rows import RowKind
from classhook.rules.syntax import Rule

if TYPE_CHECKING:
    from classhook.model.class_reader import ClassReader
    from classhook.model.file_reading import FileReading
    from classhook.model.snapshot import Snapshot
    from classhook.probes.records import ProbeRecord


class AskedFor(NamedTuple):
    """The rules that fill a region: those with one of these words for which `asks` is true."""

    words: tuple[str, ...]
    asks: Callable[[Rule], bool]


class Reader:
    """Reads what one measure left in one file.

    kinds: of its probes, with the number of slots of each, as the measure has them
    rows: the kinds of rows that it fills in
    records: the kinds of the file's other records that it reads
    regions: those that only some rules fill, and which
    """

    kinds: ClassVar[dict[str, int]] = {}
    rows: ClassVar[tuple[RowKind, ...]] = ()
    records: ClassVar[tuple[int, ...]] = ()
    regions: ClassVar[dict[int, AskedFor]] = {}

    def __init__(self, reading: FileReading) -> None:
        self.reading = reading

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        """Adds the counts of a probe to its row. Raises ValueError if it is damaged."""

    def record(self, kind: int, number: int, more: int, text: bytes) -> None:
        """Reads a record; the numbers are those of its head. Raises ValueError if it is damaged."""

    def in_context(self, whole: Reader) -> None:
        """Makes it read the counts of one context: it gets only the probes that counted there, and no other records.
        `whole`: the reader with all of the file's."""

    def finish(self) -> int:
        """Reads regions, when all records of the file are read; returns how much they have counted."""
        return 0

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        """Concludes the rows when all files are read."""
