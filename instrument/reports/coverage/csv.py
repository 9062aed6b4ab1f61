"""Comma-separated values with JaCoCo's columns, a line for each class with code."""

from __future__ import annotations

import csv
import io
from typing import TextIO

from instrument.coverage.counters import INSTRUCTION, KINDS
from instrument.reports.coverage import Part, Whole, Wishes

WORDS = False
COLUMNS = KINDS[:-1]


def piece(part: Part, wishes: Wishes) -> str:
    """The package's lines."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    package = part.package.name.replace("/", ".")
    for cls in part.package.classes:
        if cls.counters[INSTRUCTION] or cls.counters[INSTRUCTION + 1]:
            name = cls.name.rpartition("/")[2].replace("$", ".")
            writer.writerow([wishes.name, package, name, *cls.counters[: 2 * len(COLUMNS)]])
    return buffer.getvalue()


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the table."""
    out.write(",".join(["GROUP", "PACKAGE", "CLASS", *(f"{kind}_{side}" for kind in COLUMNS for side in ("MISSED", "COVERED"))]) + "\n")
    for package in whole.packages:
        out.write(package.piece)
