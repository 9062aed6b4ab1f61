"""Reporters: a snapshot in, text out. A new form is a module here and a line in FORMATS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TextIO

from instrument.data.rows import Snapshot


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. `top`: rows of a table, 0 for all; `terminal`: someone looks at it in colour; `clock`: whose time a call tree
    shows; `cut`: of a tree, what is below so many percent is left out."""

    all: bool = False
    top: int = 30
    sort: str = "self"
    terminal: bool = False
    clock: str = "cpu"
    cut: float = 0.5


Reporter = Callable[[Snapshot, Options, TextIO], None]


def _lazily(module: str) -> Callable[[], Reporter]:
    def load() -> Reporter:
        reporter: Reporter = import_module(f"instrument.reports.{module}").report
        return reporter

    return load


#: Format -> what gives its reporter.
FORMATS: dict[str, Callable[[], Reporter]] = {
    name: _lazily(name) for name in ("text", "json", "tree", "collapsed", "flamegraph", "speedscope", "pprof")
}
