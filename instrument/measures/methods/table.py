"""The table of methods: timed, profiled and counted ones. Only reports import this."""

from __future__ import annotations

from classhook.measures.methods import table_profiled
from classhook.measures.methods.reader import METHODS
from classhook.measures.methods.table_counted import COUNTED, MORE
from classhook.measures.methods.table_timed import TIMED
from classhook.tables.table import Table

TABLE = Table.from_rows(METHODS, TIMED, table_profiled.section(MORE), COUNTED)
