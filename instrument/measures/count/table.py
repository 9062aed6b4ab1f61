"""The table that has the counted methods. Only reports import this."""

from __future__ import annotations

from classhook.measures.keys.table import TABLE as KEYS
from classhook.measures.methods.table import TABLE

TABLES = (TABLE, KEYS)
