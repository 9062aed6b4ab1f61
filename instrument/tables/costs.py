"""The columns of the cost of a part of a program: a context, a thread (model/costs.py)."""

from __future__ import annotations

from classhook.tables.columns import BYTES, TIME, Column

COST_COLUMNS = (
    Column(
        "cpu",
        "cpu_ns",
        lambda row: row.cpu_ns,
        TIME,
        sparse=True,
        about="CPU time of profiled methods and of sampled threads; null if it was not measured",
        null=True,
    ),
    Column(
        "self",
        "timed_self_ns",
        lambda row: row.self_ns,
        TIME,
        sparse=True,
        about="self time of timed methods; null if it was not measured",
        null=True,
    ),
    Column(
        "calls",
        "method_calls",
        lambda row: row.calls,
        sparse=True,
        about="calls of methods; null if they were not counted",
        null=True,
    ),
    Column(
        "bytecodes",
        "bytecodes",
        lambda row: row.bytecodes,
        sparse=True,
        about="bytecodes executed in methods that `cover ... hits` covers; null if they were not counted",
        null=True,
    ),
    Column(
        "bytes",
        "allocated_bytes",
        lambda row: row.bytes,
        BYTES,
        sparse=True,
        about="bytes allocated; null if they were not counted",
        null=True,
    ),
    Column(
        "blocked",
        "blocked_ns",
        lambda row: row.blocked_ns,
        TIME,
        sparse=True,
        about="time blocked at monitors; null if it was not measured",
        null=True,
    ),
    Column(
        "waited",
        "waited_ns",
        lambda row: row.waited_ns,
        TIME,
        sparse=True,
        about="time in Object.wait and parked; null if it was not measured",
        null=True,
    ),
)
COST_NAMES = tuple(column.name for column in COST_COLUMNS)
