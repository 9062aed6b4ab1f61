"""Checks reports against the JSON schema that ships (instrument/reports/schema.json); the tests do so with every report
that they read."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA_FILE = Path(__file__).parent.parent / "instrument" / "reports" / "schema.json"
SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text())
#: Lists with a row for each method, site or file: of those that look alike, one is checked.
ROWS = ("methods", "keys", "allocations", "cpu", "locks", "calls", "coverage", "source_files")


@cache
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(SCHEMA)
    return Draft202012Validator(SCHEMA)


def check(report: dict[str, Any]) -> None:
    """Asserts that a report has the schema's keys and types, and that all rows of a kind have the same keys."""
    validator().validate({**report, **{name: unlike(report[name]) for name in ROWS}})
    for name in ROWS:
        for kind in {row.get("kind") for row in report[name]}:
            assert len({tuple(row) for row in report[name] if row.get("kind") == kind}) == 1, f"{name}: {kind}"


def unlike(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of each shape: its kind, keys, and types of values."""
    return list({(row.get("kind"), *((key, type(value)) for key, value in row.items())): row for row in rows}.values())
