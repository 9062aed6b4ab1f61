"""Reporters: a snapshot in, text out. A new form is a module here and a line in FORMATS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TextIO

from instrument.rows import MethodRow, Snapshot


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. `top`: rows of a table, 0 for all; `terminal`: someone looks at it in colour."""

    all: bool = False
    top: int = 30
    sort: str = "self"
    terminal: bool = False


#: What timed methods can be sorted by, largest first.
SORT_KEYS: dict[str, Callable[[MethodRow], int]] = {
    "self": lambda row: row.self_ns,
    "total": lambda row: row.total_ns,
    "calls": lambda row: row.calls,
    "exceptions": lambda row: row.exceptions,
    "max": lambda row: row.max_ns,
}

Reporter = Callable[[Snapshot, Options, TextIO], None]


def _lazily(module: str) -> Callable[[], Reporter]:
    def load() -> Reporter:
        reporter: Reporter = import_module(f"instrument.reports.{module}").report
        return reporter

    return load


#: Format -> what gives its reporter.
FORMATS: dict[str, Callable[[], Reporter]] = {"text": _lazily("text"), "json": _lazily("json")}
