"""The rows of `source_files` in the report as JSON: one for each source file, and for each class without one."""

from __future__ import annotations

import json
from typing import Any, TextIO

from instrument.coverage.counters import KINDS
from instrument.reports.coverage import Part, Whole, Wishes
from instrument.reports.coverage.text import piece as text_piece

WORDS = True
NAMES = [f"{kind.lower()}_{side}" for kind in KINDS for side in ("missed", "covered")]


def piece(part: Part, wishes: Wishes) -> list[dict[str, Any]]:
    """The package's rows."""
    return [
        {"source": name, **dict(zip(NAMES, counters, strict=True)),
         "missed_lines": missed, "missed_branches": [{"line": line, "text": text} for line, text in words]}
        for name, counters, missed, words in text_piece(part, wishes)
    ]  # fmt: skip


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes them alone, for data files of JaCoCo."""
    out.write(json.dumps({"schema": "classhook/1", "source_files": [row for package in whole.packages for row in package.piece]}) + "\n")
