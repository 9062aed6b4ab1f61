"""The readers of data files: one of each measure, and those of data that no measure asks for."""

from __future__ import annotations

from importlib import import_module

from classhook.measures.every import NAMES
from classhook.measures.keys.reader import KeyReader
from classhook.model.jvm_threads import ThreadReader
from classhook.model.moments import MomentReader
from classhook.model.reader import Reader

#: In the order of the measures.
READERS: list[type[Reader]] = [
    *(import_module(f"classhook.measures.{name}.reader").READER for name in dict.fromkeys(NAMES.values())),
    KeyReader,
    ThreadReader,
    MomentReader,
]
