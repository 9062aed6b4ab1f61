"""The columns of what a part of a program cost: a context's, a thread's (model/costs.py)."""

from __future__ import annotations

from classhook.tables.columns import BYTES, TIME, Column

COST_COLUMNS = (
    Column("cpu", "cpu_ns", lambda row: row.cpu_ns, TIME, sparse=True),
    Column("self", "timed_self_ns", lambda row: row.self_ns, TIME, sparse=True),
    Column("calls", "method_calls", lambda row: row.calls, sparse=True),
    Column("bytes", "allocated_bytes", lambda row: row.bytes, BYTES, sparse=True),
    Column("blocked", "blocked_ns", lambda row: row.blocked_ns, TIME, sparse=True),
    Column("waited", "waited_ns", lambda row: row.waited_ns, TIME, sparse=True),
)
COST_NAMES = tuple(column.name for column in COST_COLUMNS)
