"""The counted methods of the table of methods. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from instrument.measures.table import Entry, Key, Section, share
from instrument.names import method_label

#: Marks of counted methods that a rule asks to time or to profile, and what each means.
MARKS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("+", lambda row: row.short, "a few instructions without calls or loops: its time is in the self time of its callers"),
)  # fmt: skip


RESUMED = "resumed: a suspend function went on after it had waited; these are no calls. Times are those of all its pieces, without the waiting"


def resumed(row: Any) -> str:
    """What is said of a row's resumptions, behind the method."""
    return f" ({row.resumptions:,} resumed)" if row.resumptions else ""


def title(rows: list[Entry], sort: str, whole: int) -> str:
    return f"Counted methods: {len(rows):,}, {whole:,} calls"


def cells(key: Key, row: Any, whole: int, alias: str) -> tuple[str, ...]:
    mark = next((f" {mark}" for mark, marked, _ in MARKS if marked(row)), "")
    return f"{row.calls:,}", share(row.calls, whole), method_label(*key) + alias + resumed(row) + mark


def notes(rows: list[Entry]) -> list[str]:
    found = [f"{mark} {words}" for mark, marked, words in MARKS if any(marked(row) for _, row in rows)]
    return found + [RESUMED] if any(row.resumptions for _, row in rows) else found


COUNTED = Section(
    what="methods",
    belongs=lambda row: not (row.timed or row.profiled),
    weight=lambda row, sort: row.calls,
    title=title,
    whole=lambda row: row.calls,
    columns=("calls", "", "method"),
    cells=cells,
    notes=notes,
)
