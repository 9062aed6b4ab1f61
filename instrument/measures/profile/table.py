"""The table that has the profiled methods. Only reports import this."""

from __future__ import annotations

from classhook.measures.cpu.reader import CPU_SAMPLING
from classhook.measures.methods.table import TABLE
from classhook.measures.profile.reader import SAMPLING
from classhook.tables.sampling import about_sampling

TABLES = (TABLE,)
ABOUT = (about_sampling("sampling", SAMPLING, "{}", "outside of profiled methods", rank=1, same=CPU_SAMPLING),)
