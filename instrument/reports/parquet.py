"""Parquet, for many runs of many machines: the rows of each process by themselves, with what is known of the process,
always with all columns.

So files of different runs have the same columns, and DuckDB, Spark or pandas read any number of them together. pyarrow
writes them; it is an extra.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.flat_table import columns, rows
from classhook.tables.columns import Value

MISSING = "-f parquet needs pyarrow, which is not installed: pip install 'classhook[parquet]', or pip install pyarrow"
#: The columns of a process, before its rows' own columns.
PROCESS = {
    "file": "string",
    "pid": "integer",
    "jvm": "string",
    "command": "string",
    "start": "time",
    "duration_ns": "integer",
    "end": "string",
    "labels": "string",  # a JSON object
}


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the file, a row group for each batch of processes. Raises UsageError without pyarrow."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise UsageError(MISSING) from None
    types = {
        "string": pa.dictionary(pa.int32(), pa.string()),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("ms", "UTC"),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in {**PROCESS, **columns()}.items()])
    with ParquetWriter(out.buffer, schema, compression="zstd") as writer:
        for batch in _batches(each(snapshot, options), MOST):
            writer.write_table(pa.Table.from_pylist(batch, schema))


MOST = 100_000  # rows of a group
MOST_NUMBER = (1 << 63) - 1


def _batches(found: Iterable[dict[str, Any]], most: int) -> Iterable[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in found:
        batch.append(row)
        if len(batch) == most:
            yield batch
            batch = []
    yield batch


def each(snapshot: Snapshot, options: Options) -> Iterable[dict[str, Any]]:
    """The rows of each process, read again by itself."""
    from classhook.model.reading.files import read

    kinds = columns()
    for process in snapshot.processes:
        one = read([Path(process.file)])
        if snapshot.selection is not None:
            snapshot.selection(one)
        about = _about(process)
        for row in rows(one, options):
            yield {name: _fitting(value, kinds.get(name, "")) for name, value in {**about, **row}.items()}


def _fitting(value: Value, kind: str) -> Value:
    """A number as 64 bits have it: sums of damaged data may be larger."""
    if kind == "number" and value is not None:
        return float(value)
    return (
        max(-MOST_NUMBER - 1, min(value, MOST_NUMBER))
        if isinstance(value, int) and not isinstance(value, bool)
        else value
    )


def _about(process: Process) -> dict[str, Any]:
    from classhook.reports.titles import command

    return {
        "file": printable(os.path.abspath(process.file)),
        "pid": process.pid,
        "jvm": printable(process.jvm),
        "command": printable(command(process)),
        "start": process.start_unix_ns // 1_000_000,
        "duration_ns": process.duration_ns,
        "end": process.end,
        "labels": json.dumps(process.labels),
    }
