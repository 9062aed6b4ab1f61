"""Counts executed bytecodes, from the hits of `cover ... hits` and the class files that the agent kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from classhook.classfile.errors import ClassFormatError
from classhook.coverage.bytecodes import MethodWeights
from classhook.store.originals import Originals


class ExecutedBytecodes:
    """The classes of a data directory, each read when its first method is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._originals = Originals()
        self._classes: dict[str, MethodWeights | None] = {}

    def number(self, original: str, name: str, descriptor: str, level: int, hits: Sequence[int]) -> int | None:
        """The bytecodes that a method executed, given its probes' hits and the SHA-256 of its class file; None if the
        file is missing or damaged, or the probes do not tell."""
        if original not in self._classes:
            self._classes[original] = self._weights(original)
        of_class = self._classes[original]
        weights = of_class and of_class.of_method(name, descriptor, level)
        try:
            return weights.executed(hits) if weights else None
        except ValueError:
            return None

    def _weights(self, original: str) -> MethodWeights | None:
        try:
            data = self._originals.find(self._folder, original)
            return MethodWeights(data) if data is not None else None
        except (ClassFormatError, IndexError, KeyError, ValueError):
            return None
