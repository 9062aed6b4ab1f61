"""The parts of the page, in its order: the endpoints, where their time goes, then what costs most of it, and what is
about the whole process."""

from __future__ import annotations

from classhook.reports.diagnosis.allocations import allocations
from classhook.reports.diagnosis.cpu import cpu
from classhook.reports.diagnosis.endpoints import endpoints
from classhook.reports.diagnosis.http import http
from classhook.reports.diagnosis.locks import locks
from classhook.reports.diagnosis.part import Part
from classhook.reports.diagnosis.places import places
from classhook.reports.diagnosis.seen import Seen
from classhook.reports.diagnosis.sql import sql

FIRST = (endpoints, places)
BY_COST = (sql, http, locks)
LAST = (allocations, cpu)


def parts(seen: Seen) -> list[Part]:
    """All of them; those without rows are not shown."""
    costs = sorted((make(seen) for make in BY_COST), key=lambda part: -part.cost_ns)
    return [*(make(seen) for make in FIRST), *costs, *(make(seen) for make in LAST)]
