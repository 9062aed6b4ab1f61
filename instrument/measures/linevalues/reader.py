"""Reads the data of `value` at lines, which is that of `value`."""

from __future__ import annotations

from classhook.measures.linevalues import VALUE_LINE
from classhook.measures.value.reader import ValueReader


class LineValueReader(ValueReader):
    kinds = VALUE_LINE.kinds


READER = LineValueReader
