"""Reporters: a snapshot in, text out. forms.py lists them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """The user's options. `top`: rows of a table, 0 for all; `sort`: a column's name, empty for a table's usual one;
    `columns`: the names of those to show, if not the usual ones; `width`: of the text, 0 for any; `terminal`: write
    colours; `clock`: that of a call tree, empty for its usual one; `measure`: whose tree, if there are several; `cut`:
    a tree leaves out calls below this percentage; `raw`: methods have the names of the JVM."""

    all: bool = False
    top: int = 30
    sort: str = ""
    columns: tuple[str, ...] = ()
    width: int = 0
    terminal: bool = False
    clock: str = ""
    measure: str = ""
    cut: float = 0.5
    raw: bool = False
