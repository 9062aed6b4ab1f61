"""Reporters: a snapshot in, text out. A new format is a module here and a line in FORMATS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple, TextIO

from instrument.data.rows import Snapshot


@dataclass(frozen=True, slots=True)
class Options:
    """The user's options. `top`: rows of a table, 0 for all; `sort`: a column's name, empty for a table's usual one; `columns`: the names of those to
    show, if not the usual ones; `width`: of the text, 0 for any; `terminal`: write colours; `clock`: that of a call tree, empty for its
    usual one; `measure`: whose tree, if there are several; `cut`: a tree leaves out calls below this percentage."""

    all: bool = False
    top: int = 30
    sort: str = ""
    columns: tuple[str, ...] = ()
    width: int = 0
    terminal: bool = False
    clock: str = ""
    measure: str = ""
    cut: float = 0.5


Reporter = Callable[[Snapshot, Options, TextIO], None]


class Format(NamedTuple):
    """`module`: imported when the format is called; `binary`: it writes no text; `package`: where the module is."""

    module: str
    binary: bool = False
    package: str = "reports"

    def __call__(self) -> Reporter:
        reporter: Reporter = import_module(f"instrument.{self.package}.{self.module}").report
        return reporter


#: By the word after -f.
FORMATS: dict[str, Format] = {
    "text": Format("text"), "json": Format("json"), "jsonl": Format("jsonl"), "tree": Format("tree"), "collapsed": Format("collapsed"),
    "csv": Format("csv"), "html": Format("html"), "openmetrics": Format("openmetrics"), "parquet": Format("parquet", binary=True),
    "flamegraph": Format("flamegraph"), "speedscope": Format("speedscope"), "pprof": Format("pprof", binary=True),
    "hprof": Format("binary", binary=True, package="hprof"), "hprof-ascii": Format("ascii", package="hprof"),
}  # fmt: skip
