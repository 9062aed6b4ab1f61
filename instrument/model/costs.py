"""The cost of a context or a thread: sums over its rows."""

from __future__ import annotations

from dataclasses import dataclass

#: The sums of a report: the attribute of Costs, and the kinds of rows (tables/table.py), whose main columns it adds
#: up; of covered methods, and for calls, the column of that name.
COSTS = {
    "calls": ("timed", "profiled", "counted"),
    "bytecodes": ("covered",),
    "cpu_ns": ("profiled", "sampled"),
    "self_ns": ("timed",),
    "bytes": ("allocation",),
    "blocked_ns": ("blocked",),
    "waited_ns": ("waited",),
}


@dataclass(slots=True, kw_only=True)
class Costs:
    """ns, calls and bytes; None: not measured, or no report asked for it."""

    calls: int | None = None
    bytecodes: int | None = None
    cpu_ns: int | None = None
    self_ns: int | None = None
    bytes: int | None = None
    blocked_ns: int | None = None
    waited_ns: int | None = None

    def cost(self, name: str, more: int | None) -> None:
        """Adds to a cost."""
        if more is not None:
            setattr(self, name, (getattr(self, name) or 0) + more)

    def add_costs(self, other: Costs) -> None:
        for name in COSTS:
            self.cost(name, getattr(other, name))

    @property
    def any_cost(self) -> bool:
        return any(getattr(self, name) for name in COSTS)
