"""Comma-separated values with JaCoCo's columns, a line for each class with code."""

from __future__ import annotations

import io
from typing import TextIO

from classhook.coverage.counters import INSTRUCTION, KINDS, ClassCoverage
from classhook.reports import csv_lines
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes

WORDS = False
COLUMNS = KINDS[:-1]


def piece(part: AnalysedPackage, wishes: Wishes) -> str:
    """The package's lines."""
    buffer = io.StringIO()
    package = part.package.name.replace("/", ".") or "default"
    title = f"{wishes.name}/{part.group}" if part.group else wishes.name
    rows = (
        (title, package, label(cls), *cls.counters[: 2 * len(COLUMNS)])
        for cls in part.package.classes
        if cls.counters[INSTRUCTION] or cls.counters[INSTRUCTION + 1]
    )
    csv_lines.write(buffer, rows)
    return buffer.getvalue()


def label(cls: ClassCoverage) -> str:
    """The class's name without its package as the source would say it: `Outer.Inner`, `Outer.new Runnable() {...}`."""
    name = cls.name.rpartition("/")[2]
    outer, _, last = name.rpartition("$")
    base = cls.interfaces[0] if cls.interfaces else cls.super_name
    if outer and last[:1].isdigit() and base:
        return f"{outer.replace('$', '.')}.new {base.rpartition('/')[2].replace('$', '.')}() {{...}}"
    return name.replace("$", ".")


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the table."""
    counters = (f"{kind}_{side}" for kind in COLUMNS for side in ("MISSED", "COVERED"))
    csv_lines.write(out, (), ("GROUP", "PACKAGE", "CLASS", *counters))
    for package in whole.packages:
        out.write(package.piece)
