"""The way from code that changed to a test in which it did not run: through static state."""

from __future__ import annotations

from classhook.extensions.selection.changes import dotted, method_text
from classhook.extensions.selection.facts import CLINIT
from classhook.extensions.selection.reach import bits
from classhook.extensions.selection.recording import KnownTest, Recording
from classhook.extensions.selection.settings import PROPERTIES


class Paths:
    """Ways through the static state of one recording."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._starts: dict[int, list[int]] = {}
        self._fields: dict[int, list[tuple[int, str]]] = {}  # by changer: the fields, each with its readers
        for name, (changers, readers) in recording.fields.items():
            for number in bits(changers):
                self._fields.setdefault(number, []).append((readers, name))

    def text(self, test: KnownTest, changed: int) -> str:
        """Says how a test may notice the change of a method, by its number; empty if the method ran in the test.

        `; shop.Stock.load may call it, and change the static field shop.Stock.ITEMS`
        """
        start = next((one for one in self._starts_above(changed) if test.starts >> one & 1), None)
        if test.ran >> changed & 1 or start is None:
            return ""
        name = self.recording.methods[start]
        calls = "" if start == changed else f"; {method_text(name)} may call it"
        if name[1] == CLINIT:
            return calls
        change = f"change {self._state(test, start)}"
        return f"{calls}, and {change}" if calls else f"; it may {change}"

    def _starts_above(self, changed: int) -> list[int]:
        """The methods that make or change static state, and below which a method ran; those with the least below them
        first."""
        if changed not in self._starts:
            below = self.recording.below
            found = [start for start, ran in below.items() if ran >> changed & 1]
            self._starts[changed] = sorted(found, key=lambda one: (one != changed, below[one].bit_count()))
        return self._starts[changed]

    def _state(self, test: KnownTest, changer: int) -> str:
        """The static state that a method may change and that the test may see, if possible by its own methods."""
        fields, seen = self._fields.get(changer), self.recording.depends(test)
        if not fields:
            return "static state"
        _, name = min(fields, key=lambda one: (not one[0] & test.ran, not one[0] & seen))
        return "system properties" if name == dotted(".".join(PROPERTIES)) else f"the static field {name}"
