"""The page: what it is about, its parts, and why others are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

from classhook.base.names import printable, several, time_label
from classhook.measures.tables import warnings_of
from classhook.model.moments import MOMENTS, PAUSE
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.diagnosis.part import Part
from classhook.reports.diagnosis.parts import parts
from classhook.reports.diagnosis.seen import seen
from classhook.reports.text import when
from classhook.reports.titles import title


@dataclass(frozen=True, slots=True)
class Page:
    """`about`: lines about the programs; `warnings`: lines to read first; `parts`: those that have rows; `missing`: a
    line for each of the others, by name."""

    title: str
    about: list[str]
    warnings: list[str]
    parts: list[Part]
    missing: list[Part]


def page(snapshot: Snapshot, deadlocks: list[str] | None = None) -> Page:
    """Finds what cost the program most. `deadlocks`: lines about threads that wait for each other."""
    found = parts(seen(snapshot))
    processes = sorted(snapshot.processes, key=lambda process: -process.contributed)
    notes = [*snapshot.notes, *(text for one in processes for text in [*warnings_of(one), *one.notes])]
    return Page(
        title(processes),
        [_about(process) for process in processes],
        [printable(text) for text in [*(deadlocks or ()), *notes]],
        [part for part in found if part.rows],
        [part for part in found if not part.rows],
    )


def _about(process: Process) -> str:
    pauses = [one for one in MOMENTS.get(process) if one.kind == PAUSE]
    said = "".join(
        f"; {several(one.count, 'pause')} for garbage collection, {time_label(one.total_ns).strip()} in all,"
        f" {time_label(one.longest_ns).strip()} at most"
        for one in pauses
    )
    return printable(f"pid {process.pid}, JVM {process.jvm}, {when(process)}{said}")


Writer = Callable[[Page, Options, TextIO], None]
