"""The measured data, with the counts of the endpoints that took most time."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.base.names import printable
from classhook.measures.context.reader import CONTEXTS, ContextRow
from classhook.model.snapshot import Snapshot
from classhook.reports.costs import add_costs_of
from classhook.rules.syntax import Rule

REQUEST = "request"  # the context of the stock rules `endpoints` around those of all endpoints
MOST = 30  # endpoints whose counts are read: reading them takes time


@dataclass(slots=True)
class Endpoint:
    """A context: its name, its row, with what it cost, and its counts."""

    name: str
    row: ContextRow
    part: Snapshot

    @property
    def total_ns(self) -> int:
        return self.row.times.total_ns if self.row.times is not None else 0


@dataclass(slots=True)
class Seen:
    """`endpoints`: those that took most time, the first one most; `others`: how many more there are; `outside`: what
    was counted outside of all."""

    whole: Snapshot
    endpoints: list[Endpoint]
    others: int
    outside: Snapshot | None

    @property
    def parts(self) -> list[tuple[str, Snapshot, int]]:
        """The name of each endpoint, its counts, and how often it was entered."""
        found = [(one.name, one.part, one.row.entered) for one in self.endpoints]
        return [*found, ("outside of endpoints", self.outside, 0)] if self.outside is not None else found

    def rule(self, text: str) -> Rule | None:
        return self.whole.parsed_rules.get(text)

    def is_stock(self, text: str, name: str) -> bool:
        """True if a row's rule is one of these stock rules."""
        rule = self.rule(text)
        return rule is not None and rule.origin == f"stock rules {name}"


def seen(whole: Snapshot) -> Seen:
    """Reads the contexts."""
    rows = {key[0]: row for key, row in whole.tables[CONTEXTS.name].items() if key[0]}
    by_time = sorted(rows, key=lambda name: (name == REQUEST, -_total(rows[name]), -rows[name].entered, name))
    endpoints: list[Endpoint] = []
    outside: Snapshot | None = None
    for name, part in whole.each_context([*by_time[:MOST], ""]) if whole.each_context is not None else ():
        if not name:
            outside = part
            continue
        row = ContextRow(rows[name].entered, rows[name].rule, rows[name].times)
        add_costs_of(row, part)
        endpoints.append(Endpoint(printable(name), row, part))
    return Seen(whole, endpoints, max(0, len(by_time) - MOST), outside)


def _total(row: ContextRow) -> int:
    return row.times.total_ns if row.times is not None else 0
