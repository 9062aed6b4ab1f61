"""`--filter` in reports of coverage: the matching methods of each class, and their sums."""

from __future__ import annotations

from classhook.coverage.counters import ClassCoverage
from classhook.reports.filters import Matches


def narrowed(cls: ClassCoverage, matches: Matches | None) -> ClassCoverage | None:
    """The class as if it had these methods alone; None if it has none of them."""
    name = cls.name.replace("/", ".")
    methods = [one for one in cls.methods if matches is None or matches((name, one.name, one.descriptor))]
    if len(methods) == len(cls.methods):
        return cls  # whose counters are not the sum of its methods' where functions were inlined
    if not methods:
        return None
    found = ClassCoverage(cls.name, cls.source)
    found.super_name, found.interfaces, found.methods = cls.super_name, cls.interfaces, methods
    found.total()
    return found
