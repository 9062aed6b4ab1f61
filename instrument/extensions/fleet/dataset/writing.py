"""Writes runs: a Parquet file for each table in which the run has rows. pyarrow does it, which is an extra.

1. The table of runs comes last: a run that it has is complete.
2. A run that is there already is replaced. Tables in which it has no rows any more lose its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import quote

from classhook.base.errors import Failure, UsageError
from classhook.base.names import printable
from classhook.base.processes import in_order
from classhook.extensions.fleet.dataset.columns import FLAG, LIST, MAP, REAL, RUN, TEXT, TIME, WHOLE, DatasetTable
from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import Row
from classhook.extensions.fleet.dataset.run_rows import RunRows, run_rows
from classhook.extensions.fleet.dataset.storage import Storage, storage_at
from classhook.extensions.fleet.dataset.tables import TABLES
from classhook.store.runs import Run

MISSING = (
    "export writes Parquet with pyarrow, which is not installed: pip install 'classhook[dataset]', or pip install"
    " pyarrow"
)
FORMAT = "1"
MOST_NUMBER = (1 << 63) - 1
LONGEST_SERVICE = 60  # characters in a folder's name
ALONE = 40  # runs: fewer are written sooner than a process starts
_SCHEMAS: dict[str, Any] = {}


class Written(NamedTuple):
    """A run that was written, or not: `why`. `bytes`: of all its files."""

    run_id: str
    bytes: int
    notes: list[str]
    why: str = ""


def export(runs: Sequence[Run], to: str, bodies: Bodies) -> Iterator[Written]:
    """Writes runs, in their order. Raises UsageError if pyarrow is missing, or nothing can be written there."""
    if find_spec("pyarrow") is None:
        raise UsageError(MISSING)
    storage_at(to)  # may be impossible
    places: list[Storage] = []

    def one(run: Run) -> Written:
        if not places:  # each process has its own connections
            places.append(storage_at(to))
        try:
            return write(run_rows(run, bodies), places[0])
        except Failure as error:
            return Written("", 0, [], str(error))

    return in_order(runs, one, "writes a dataset", 1 if len(runs) < ALONE else 0)


def write(facts: RunRows, to: Storage) -> Written:
    """Writes a run. Raises UsageError."""
    names = {table.name: name_of(table.name, facts) for table in TABLES}
    again, total = to.has(names["runs"]), 0
    for table in reversed(TABLES):  # runs are the first
        if rows := facts.tables[table.name]:
            data = parquet(table, facts.run_id, rows)
            total += len(data)
            to.write(names[table.name], data)
        elif again:
            to.remove(names[table.name])
    return Written(facts.run_id, total, facts.notes)


def name_of(table: str, facts: RunRows) -> str:
    """The name of a run's file, in the form of Hive's partitions."""
    date, service = facts.partition
    return f"{table}/date={date}/service={folder_of(service)}/{facts.run_id}.parquet"


def folder_of(service: str) -> str:
    """A service in a folder's name. Hive, Spark and Trino take %XX for a character, not for a byte of UTF-8, so only
    ASCII is written as that."""
    return "".join(c if c > "\x7f" and c.isprintable() else quote(c, safe="") for c in service[:LONGEST_SERVICE])


def parquet(table: DatasetTable, run_id: str, rows: list[Row]) -> bytes:
    """The rows as a file."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    schema = schema_of(table)
    columns = [
        pa.array(
            (
                [run_id] * len(rows)
                if column is RUN
                else [*map(FITTING[column.type], (row.get(column.name) for row in rows))]
            ),
            schema.field(column.name).type,
        )
        for column in table.columns
    ]
    out = BytesIO()
    # most files are small: without these, half of what they would say is about themselves
    write_table(
        pa.Table.from_arrays(columns, schema=schema),
        out,
        compression="zstd",
        write_statistics=False,
        store_schema=False,
    )
    return out.getvalue()


def schema_of(table: DatasetTable) -> Any:
    """A table's schema for pyarrow."""
    import pyarrow as pa

    if table.name not in _SCHEMAS:
        types = {
            TEXT: pa.string(),
            WHOLE: pa.int64(),
            REAL: pa.float64(),
            FLAG: pa.bool_(),
            TIME: pa.timestamp("us"),
            MAP: pa.map_(pa.string(), pa.string()),
            LIST: pa.list_(pa.string()),
        }
        fields = [(column.name, types[column.type]) for column in table.columns]
        _SCHEMAS[table.name] = pa.schema(fields, metadata={"classhook": FORMAT})
    return _SCHEMAS[table.name]


def fitting(value: Any) -> Any:
    """A value as Parquet has it: names printable, numbers within 64 bits, which sums of damaged data may exceed."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-MOST_NUMBER - 1, min(value, MOST_NUMBER))
    if isinstance(value, dict):
        return [(printable(name), printable(text)) for name, text in value.items()]
    return [*map(printable, value)] if isinstance(value, list | tuple) else value


def real(value: Any) -> float | None:
    """A double; None for whole numbers that are too large for it."""
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


FITTING = dict.fromkeys((TEXT, WHOLE, FLAG, TIME, MAP, LIST), fitting) | {REAL: real}
