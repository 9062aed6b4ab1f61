"""DuckDB with a view of each table of a dataset. DuckDB is an extra.

1. A table without files is an empty view with the same columns, so that questions need not know what was measured.
2. DuckDB reads the files only when a question asks for them, and only those of the dates and services that it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from classhook.base.errors import Failure, UsageError
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
from classhook.extensions.fleet.dataset.storage import Storage
from classhook.extensions.fleet.dataset.tables import TABLES

MISSING = (
    "reading a dataset requires duckdb, which is not installed: pip install 'classhook[dataset]', or pip install duckdb"
)
TYPES = {
    TEXT: "VARCHAR",
    WHOLE: "BIGINT",
    REAL: "DOUBLE",
    FLAG: "BOOLEAN",
    TIME: "TIMESTAMP",
    MAP: "MAP(VARCHAR, VARCHAR)",
    LIST: "VARCHAR[]",
    "date": "DATE",
}
HIVE = "hive_partitioning = true, hive_types = {'date': DATE, 'service': VARCHAR}"
AT_ONCE = 10_000  # rows
NO_RUNS = "{}: no runs in it; `classhook export DATA -o {}` writes some"


class Dataset:
    """A dataset that is open; DuckDB may take `megabytes` of memory. Raises UsageError if it is none, or DuckDB is
    missing."""

    def __init__(self, place: Storage, megabytes: int = 1000) -> None:
        try:
            import duckdb
        except ImportError:
            raise UsageError(MISSING) from None
        self.place = place
        self.error: type[Exception] = duckdb.Error
        self.too_large: type[Exception] = duckdb.OutOfMemoryException
        self.there = place.tables()
        if "runs" not in self.there:
            raise UsageError(NO_RUNS.format(place.text, place.text))
        self.connection = duckdb.connect()
        self.folder = TemporaryDirectory(prefix="classhook-sql-")  # for what the memory has no room for
        self._execute("set preserve_insertion_order = false; set enable_progress_bar = false")
        self._execute(f"set memory_limit = '{megabytes}MB'; set temp_directory = '{self.folder.name}'")
        if place.filesystem is not None:
            self.connection.register_filesystem(place.filesystem)
        with self._answering():
            for table in TABLES:
                self._create_view(table)

    def _create_view(self, table: DatasetTable) -> None:
        """Files of earlier versions lack columns, which are empty then."""
        if table.name not in self.there:
            columns = ", ".join(
                f"null::{TYPES[column.type]} as {column.name}" for column in (*table.columns, *PARTITIONS)
            )
            self._execute(f"create view {table.name} as select {columns} where false")
            return
        pattern = self.place.pattern(table.name).replace("'", "''")
        view = f"create view {table.name} as from read_parquet('{pattern}', {HIVE}, "
        try:
            self._execute(f"{view}schema = {schema_of(table)})")
        except self.error:  # this DuckDB is older, and has to open all files for that
            self._execute(f"{view}union_by_name = true)")

    def answer(self, query: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The columns of what the last statement finds, and its rows. Raises UsageError, also while rows are read;
        Failure if the memory is too small."""
        with self._answering():
            found = self._execute(query)
            if found is None:
                raise UsageError("the query has no statement")
            return [column[0] for column in found.description or ()], self._rows(found)

    def _rows(self, found: Any) -> Iterator[tuple[Any, ...]]:
        with self._answering():
            while rows := self._in_a_thread(found.fetchmany, AT_ONCE):
                yield from rows

    def _execute(self, statements: str) -> Any:
        return self._in_a_thread(self.connection.execute, statements)

    def _in_a_thread(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Returns the call's result. In the main thread DuckDB would see no signals, or turn Ctrl-C into a RuntimeError
        of its own; so the main thread waits for signals, and interrupts DuckDB."""
        with ThreadPoolExecutor(1) as worker:
            future = worker.submit(call, *arguments)
            try:
                wait([future])
            except BaseException:
                self.connection.interrupt()
                raise
        return future.result()

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except self.too_large as error:
            raise Failure(f"{said(error)}\n--memory MB gives DuckDB more memory") from None
        except self.error as error:
            raise UsageError(said(error)) from None

    def views(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The views, in the form of an answer."""
        counts = ((table, next(self.answer(f"select count(*) from {table.name}")[1])[0]) for table in TABLES)
        return ["view", "rows", "about"], ((table.name, count, table.about.replace("`", "")) for table, count in counts)


def schema_of(table: DatasetTable) -> str:
    """The table's columns, for DuckDB."""
    columns = (
        f"'{column.name}': {{name: '{column.name}', type: '{TYPES[column.type]}', default_value: null}}"
        for column in table.columns
    )
    return f"MAP {{{', '.join(columns)}}}"


def said(error: Exception) -> str:
    """DuckDB's message, with the place in the query."""
    return str(error).strip()
