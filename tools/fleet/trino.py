"""`python -m tools.fleet.trino > docs/examples/fleet/trino.sql`: the statements that make Trino know a dataset,
from its tables."""

from __future__ import annotations

from classhook.extensions.fleet.dataset.columns import (
    FLAG,
    LIST,
    MAP,
    PARTITIONS,
    REAL,
    TEXT,
    TIME,
    WHOLE,
    DatasetTable,
)
from classhook.extensions.fleet.dataset.tables import TABLES

TYPES = {
    TEXT: "varchar",
    WHOLE: "bigint",
    REAL: "double",
    FLAG: "boolean",
    TIME: "timestamp",  # of the catalog's precision; Trino refuses others
    MAP: "map(varchar, varchar)",
    LIST: "array(varchar)",
    "date": "date",
}
PLACE = "s3://measurements/fleet"
HEAD = f"""\
-- The tables of a dataset in Trino. `hive` is the catalog, of a Hive connector; {PLACE} is where the dataset is.
--     trino --server URL --file trino.sql
-- Run it again when there are new dates or services: a table that exists stays as it is, and the call adds its new folders.
-- If a new release of classhook has more columns, `drop table` first: the files stay.
-- A table in which no run has rows has no folder. Trino refuses that in a local file system; `mkdir` makes it.

create schema if not exists hive.fleet;
"""
TABLE = """
create table if not exists hive.fleet.{name} (
    {columns}
) with (external_location = '{place}/{name}', format = 'PARQUET', partitioned_by = array['date', 'service']);
call hive.system.sync_partition_metadata('fleet', '{name}', 'ADD');
"""


def statements() -> str:
    return HEAD + "".join(map(of_table, TABLES))


def of_table(table: DatasetTable) -> str:
    columns = ",\n    ".join(f"{column.name} {TYPES[column.type]}" for column in (*table.columns, *PARTITIONS))
    return TABLE.format(name=table.name, columns=columns, place=PLACE)


if __name__ == "__main__":
    print(statements(), end="")
