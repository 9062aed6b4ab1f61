"""Reporters: a snapshot in, text out. A new format is a module here and a line in FORMATS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TextIO

from instrument.data.rows import Snapshot


@dataclass(frozen=True, slots=True)
class Options:
    """The user's options. `top`: rows of a table, 0 for all; `terminal`: write colours; `clock`: that of a call tree, empty for its
    usual one; `measure`: whose tree, if there are several; `cut`: a tree leaves out calls below this percentage."""

    all: bool = False
    top: int = 30
    sort: str = "self"
    terminal: bool = False
    clock: str = ""
    measure: str = ""
    cut: float = 0.5


Reporter = Callable[[Snapshot, Options, TextIO], None]


def _lazily(module: str) -> Callable[[], Reporter]:
    def load() -> Reporter:
        reporter: Reporter = import_module(f"instrument.{module}").report
        return reporter

    return load


#: Format -> function that imports its reporter.
FORMATS: dict[str, Callable[[], Reporter]] = {
    name: _lazily(f"reports.{name}") for name in ("text", "json", "tree", "collapsed", "flamegraph", "speedscope", "pprof")
} | {"hprof": _lazily("hprof.binary"), "hprof-ascii": _lazily("hprof.ascii")}
