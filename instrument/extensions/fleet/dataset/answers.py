"""Results of a query, as text, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, TextIO

from classhook.base.names import printable
from classhook.base.row_names import wide
from classhook.reports import csv_lines

Rows = Iterable[tuple[Any, ...]]
GAP = "  "


def text(columns: Sequence[str], rows: Rows, out: TextIO) -> None:
    """A table; numbers are right-justified."""
    found = [*rows]
    cells = [[printable(name) for name in columns], *([shown(value) for value in row] for row in found)]
    right = [
        all(isinstance(row[i], int | float | Decimal | None) and not isinstance(row[i], bool) for row in found)
        for i in range(len(columns))
    ]
    widths = [max(wide(row[i]) for row in cells) for i in range(len(columns))]
    for row in cells:
        padded = []
        for word, width, numbers in zip(row, widths, right, strict=True):
            blanks = " " * (width - wide(word))
            padded.append(blanks + word if numbers else word + blanks)
        out.write(GAP.join(padded).rstrip() + "\n")


def shown(value: Any) -> str:
    """A value as people read it; nothing for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float | Decimal):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    return printable(plain(value) if isinstance(plain(value), str) else json.dumps(plain(value), ensure_ascii=False))


def as_csv(columns: Sequence[str], rows: Rows, out: TextIO) -> None:
    csv_lines.write(out, (map(plain, row) for row in rows), columns)


def as_json(columns: Sequence[str], rows: Rows, out: TextIO) -> None:
    """A list of objects, one in a line."""
    before, names = "[\n", distinct(columns)
    for row in rows:
        out.write(before + json.dumps(dict(zip(names, map(_of_json, row), strict=True)), ensure_ascii=False))
        before = ",\n"
    out.write("[]\n" if before == "[\n" else "\n]\n")


def distinct(columns: Sequence[str]) -> list[str]:
    """Names of columns, in which a number tells those of the same name apart."""
    found: list[str] = []
    for name in columns:
        number, one = 1, name
        while one in found:
            one, number = f"{name}_{number}", number + 1
        found.append(one)
    return found


def _of_json(value: Any) -> Any:
    """JSON has no infinite numbers."""
    return None if isinstance(value, float) and value - value != 0 else plain(value)


def plain(value: Any) -> Any:
    """The value for JSON: times in ISO 8601, bytes in hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    return value if value is None or isinstance(value, int | str) else str(value)


FORMS: dict[str, Callable[[Sequence[str], Rows, TextIO], None]] = {"text": text, "csv": as_csv, "json": as_json}
