"""Facts about a process from a measure, besides its rows: lines at the head of the report, and a value in JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from classhook.model.snapshot import Process

Said = tuple[str, str]  # a line, and its style


def nothing(process: Process) -> Iterable[str]:
    """`warnings` of measures that have none."""
    return ()


@dataclass(frozen=True)
class AboutProcess:
    """One such value.

    key: in JSON
    value: for JSON; false if there is nothing to tell
    lines: in the text
    rank: smaller ones come first in the text
    warnings: what a reader has to know before the figures
    by_agent: it comes from the agent alone, which may not have looked at classes
    urgent: it is shown even if the process counted nothing
    """

    key: str
    value: Callable[[Process], Any]
    lines: Callable[[Process], Iterable[Said]]
    rank: int
    warnings: Callable[[Process], Iterable[str]] = nothing
    by_agent: bool = False
    urgent: bool = False
