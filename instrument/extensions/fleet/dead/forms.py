"""Verdicts as text, CSV and JSON; the forms of `classhook dead`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from classhook.base.names import printable, several
from classhook.base.row_names import method, plain
from classhook.extensions.fleet.dead.observations import Observation
from classhook.extensions.fleet.dead.page import html
from classhook.extensions.fleet.dead.rows import NAMES, last_used, row
from classhook.extensions.fleet.dead.sarif import sarif
from classhook.extensions.fleet.dead.summary import head
from classhook.extensions.fleet.dead.verdicts import GROUPS, Verdict, Verdicts
from classhook.reports import Options, csv_lines
from classhook.reports.text_table import TextTable


def text(found: Verdicts, groups: Sequence[str], options: Options, out: TextIO) -> None:
    """A head, then a table for each of the groups."""
    for line in head(found, options):
        out.write(line + "\n")
    for group in groups:
        rows = found.in_group(group)
        if not rows:
            continue
        out.write(f"\n{GROUPS[group].title}: {several(len(rows), 'method')}; {GROUPS[group].about}\n")
        shown = rows[: options.top] if options.top else rows
        table = TextTable(("days", "runs", "hosts", "tests", "last call"), "method", frozenset({4}), options.width)
        for one in shown:
            table.add_row(_numbers(one), plain(one.about.readable) if one.about.readable else method(*one.key))
        for line in table.lines():
            out.write(line + "\n")
        if len(rows) > len(shown):
            out.write(f"{several(len(rows) - len(shown), 'more method')}; --top N or --top 0 shows them\n")


def _numbers(one: Verdict) -> list[str]:
    production = one.production
    hosts = f"{len(production.hosts):,}" if production.hosts else ""
    return [f"{production.days:,}", f"{production.runs:,}", hosts, f"{one.tests:,}", last_used(one)]


def as_csv(found: Verdicts, groups: Sequence[str], options: Options, out: TextIO) -> None:
    rows = [row(one) for group in groups for one in found.in_group(group)]
    shown = ([" ".join(value) if isinstance(value, list) else value for value in one.values()] for one in rows)
    csv_lines.write(out, shown, NAMES)


def as_json(found: Verdicts, groups: Sequence[str], options: Options, out: TextIO) -> None:
    content = {
        "schema": "classhook-dead/1",
        "production": _window(found.production),
        "tests": _window(found.tests) if found.tests.runs else None,
        "counts": {group: len(found.in_group(group)) for group in GROUPS},
        "excluded": dict(found.excluded),
        "not_observed": found.unseen,
        "too_new": found.recent,
        "doubt": found.doubt or None,
        "methods": [row(one) for group in groups for one in found.in_group(group)],
        "notes": [*map(printable, found.notes)],
    }
    json.dump(content, out, indent=1, ensure_ascii=False)
    out.write("\n")


def _window(one: Observation) -> dict[str, Any]:
    return {
        "runs": one.runs,
        "hosts": len(one.hosts),
        "days": one.days,
        "from": one.first.isoformat(timespec="seconds"),
        "to": one.last.isoformat(timespec="seconds"),
        "versions": sorted(map(printable, one.versions)),
    }


FORMS: dict[str, Callable[[Verdicts, Sequence[str], Options, TextIO], None]] = {
    "text": text,
    "csv": as_csv,
    "html": html,
    "json": as_json,
    "sarif": sarif,
}
