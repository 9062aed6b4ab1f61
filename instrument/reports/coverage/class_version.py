"""One version of a class that a report of coverage is about."""

from __future__ import annotations

from collections.abc import Sequence

from classhook.coverage.placement import EXACT, OUT

#: The hits of contexts: by method and hits, the contexts' numbers.
Patterns = dict[int, dict[bytes, set[int]]]
NO_CONTEXTS: Patterns = {}


class Version:
    """A class file with its hits; `hits` is None if it was never loaded; `unruled`: no rule covers it; `by_context`:
    what contexts hit, as classhook.measures.cover.reader_classes.Covered has it. Names are in internal form."""

    __slots__ = ("by_context", "counts", "data", "hits", "level", "levels", "name", "unruled")

    def __init__(
        self,
        name: str,
        data: bytes,
        hits: Sequence[int] | None = None,
        level: int = 0,
        levels: dict[int, int] | None = None,
        counts: bool = False,
        by_context: Patterns = NO_CONTEXTS,
    ) -> None:
        self.name = name
        self.data = data
        self.hits = hits
        self.level = level
        self.levels = levels or {}
        self.counts = counts
        self.unruled = False
        self.by_context = by_context

    @property
    def exact(self) -> bool:
        """True if for all methods it is known which code ran before an exception."""
        return self.level == EXACT and set(self.levels.values()) <= {OUT}
