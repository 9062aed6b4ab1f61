"""Lines of comma-separated values, in all forms that are CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from classhook.base.names import cell


def write(out: TextIO, rows: Iterable[Iterable[Any]], head: Sequence[str] | None = None) -> None:
    """Writes the names of the columns, if there are any, and a line for each row. Lists and objects become JSON."""
    writer = csv.writer(out, lineterminator="\n")
    if head is not None:
        writer.writerow(head)
    writer.writerows([_written(value) for value in row] for row in rows)


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return cell(value) if isinstance(value, str) else value
