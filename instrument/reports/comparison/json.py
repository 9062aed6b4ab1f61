"""A comparison as JSON, schema "classhook-diff/1" (schema.json beside this). Keys may be added, never renamed."""

from __future__ import annotations

import json
from typing import Any, TextIO

from classhook.reports import Options
from classhook.reports.comparison import CONFIDENCE, Change, Compared, Difference, Side
from classhook.reports.comparison.thresholds import Broken
from classhook.reports.titles import command
from classhook.tables.table import Table


def report(
    sides: tuple[Side, Side], sections: list[Compared], broken: list[Broken], options: Options, out: TextIO
) -> None:
    """Writes one object."""
    json.dump(as_dict(sides, sections, broken), out, indent=1)
    out.write("\n")


def as_dict(sides: tuple[Side, Side], sections: list[Compared], broken: list[Broken]) -> dict[str, Any]:
    grouped = bool(sides[1].whole.grouped_by)
    before, after = map(_side, sides)
    return {
        "schema": "classhook-diff/1",
        "confidence": CONFIDENCE,
        "grouped_by": sides[1].whole.grouped_by or None,
        "before": before,
        "after": after,
        "sections": [
            {
                "kind": one.section.kind,
                "sort": one.sort.name,
                "whole": None if one.whole is None else _difference(one.whole),
                "rows": [_row(one.table, row, grouped) for row in one.rows],
            }
            for one in sections
        ],
        "failed": [
            {
                "expression": one.expression,
                **_names(one.table, one.change, grouped),
                "column": one.column.name,
                **_difference(one.change.differences[one.column.name]),
            }
            for one in broken
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    processes = side.whole.processes
    notes = [*side.whole.notes, *(note for process in processes for note in process.notes)]
    commands = sorted({command(process) for process in processes})
    return {
        "paths": side.names,
        "repetitions": side.repetitions,
        "processes": len(processes),
        "commands": commands,
        "notes": notes,
    }


def _names(table: Table, change: Change, grouped: bool) -> dict[str, Any]:
    return dict(zip(("group",) if grouped else table.names, change.key, strict=False))


def _row(table: Table, change: Change, grouped: bool) -> dict[str, Any]:
    columns = {name: _difference(one) for name, one in change.differences.items()}
    return {**_names(table, change, grouped), "rule": change.row.rule, "status": change.status, "columns": columns}


def _difference(one: Difference) -> dict[str, Any]:
    return {
        "before": one.before.value,
        "after": one.after.value,
        "change": one.value,
        "percent": one.percent,
        "error": one.error,
        "significant": one.significant,
    }
