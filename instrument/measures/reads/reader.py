"""How often fields were read, as data files have it."""

from __future__ import annotations

from classhook.measures.reads import COUNT_READS, COUNTED
from classhook.measures.writes.reader import AccessReader


class ReadReader(AccessReader):
    kinds = COUNT_READS.kinds
    access = COUNTED


READER = ReadReader
