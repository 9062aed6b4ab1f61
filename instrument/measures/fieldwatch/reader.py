"""What watched writes left in data files: it is among the watched calls."""

from __future__ import annotations

from classhook.model.reader import Reader


class FieldWatchReader(Reader):
    """Nothing: classhook.measures.watch.reader reads both."""


READER = FieldWatchReader
