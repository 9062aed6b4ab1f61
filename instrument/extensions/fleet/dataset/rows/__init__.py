"""The rows of a run's tables: a module for each kind of tables, a function for each table.

A row is a dictionary by the names of columns; columns that it does not have are empty, and what is no column of its
table is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.model.call_tree import MethodKey
from classhook.model.snapshot import Snapshot
from classhook.store.runs import Run

Row = dict[str, Any]
LATEST_NS = (1 << 63) - 1  # in the year 2262; damaged data may say more
#: Makes the rows of a table.
Maker = Callable[[Snapshot, Run, Bodies], Iterable[Row]]


def named(key: MethodKey) -> Row:
    return {"class": key[0], "method": key[1], "descriptor": key[2]}


def time_of(unix_ns: int) -> datetime:
    """The time in UTC, without a time zone: then no engine shows it in its own."""
    return datetime.fromtimestamp(max(0, min(unix_ns, LATEST_NS)) // 1000 / 1e6, UTC).replace(tzinfo=None)
