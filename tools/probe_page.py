"""The tables of docs/reference/probe-table.md, made from the list of records."""

from __future__ import annotations

import re
from pathlib import Path

from classhook.native.building.probe_records.table import KINDS, RECORDS, Fields

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "probe-table.md"
HEADS = ("| record | fields | meaning |", "| kind | further fields | meaning |")


def _row(word: str, fields: Fields, about: str) -> str:
    names = "".join(f"`{field.name}` " for field in fields)
    return f"| `{word}` | {names}| {about} |\n"


def page() -> str:
    """The text of the page."""
    text = PAGE.read_text()
    rows = (
        "".join(_row(record.word, record.fields, record.about) for record in RECORDS),
        "".join(_row(kind.word, kind.shape.further, kind.about) for kind in KINDS),
    )
    for head, made in zip(HEADS, rows, strict=True):
        text = re.sub(rf"({re.escape(head)}\n\|[-|]+\n)(?:\|.*\n)*", lambda found, made=made: found[1] + made, text)
    return text
