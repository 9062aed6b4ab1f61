"""The forms of the page."""

from __future__ import annotations

from typing import TextIO

from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.diagnosis import html, json, text
from classhook.reports.diagnosis.page import Writer, page

FORMS: dict[str, Writer] = {"text": text.write, "html": html.write, "json": json.write}


def write(form: str, snapshot: Snapshot, deadlocks: list[str], options: Options, out: TextIO) -> None:
    FORMS[form](page(snapshot, deadlocks), options, out)
