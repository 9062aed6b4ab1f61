"""The page as one object of JSON: a list of rows for each part, times in ns."""

from __future__ import annotations

from json import dump
from typing import TextIO

from classhook.reports import Options
from classhook.reports.diagnosis.page import Page
from classhook.reports.diagnosis.part import Part
from classhook.tables.columns import TIME


def write(page: Page, options: Options, out: TextIO) -> None:
    made = {
        "schema": "classhook-diagnosis/1",
        "program": page.title,
        "about": page.about,
        "warnings": page.warnings,
        "parts": [
            {"part": one.name, "title": one.title, "rows": _rows(one), "more": one.more, "notes": [*one.notes]}
            for one in page.parts
        ],
        "left_out": [{"part": one.name, "why": one.title} for one in page.missing],
    }
    dump(made, out, indent=1)
    out.write("\n")


def _rows(part: Part) -> list[dict[str, object]]:
    keys = [name.replace(" ", "_") + ("_ns" if unit is TIME else "") for name, unit in part.columns]
    return [dict(zip(keys, row, strict=True)) for row in part.rows]
