"""`--filter` and `--group` applied to a snapshot, before any form of report sees it."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.measures.tables import tables
from classhook.model.snapshot import Snapshot
from classhook.reports.filters import Matches, narrow, prune
from classhook.reports.groups import group, tree_is_whole


@dataclass(frozen=True)
class Selection:
    """`matches`: which rows, None for all; `by`: what they are added up by, empty for nothing."""

    matches: Matches | None = None
    by: str = ""

    def apply(self, snapshot: Snapshot) -> None:
        """Changes the snapshot."""
        snapshot.selection = self.apply
        whole = bool(self.by) and tree_is_whole(snapshot)
        if self.matches is not None:
            narrow(snapshot, self.matches)
        if self.by:
            group(snapshot, self.by, whole)
        if self.matches is not None:
            prune(snapshot, self.matches)

    def has_rows(self, snapshot: Snapshot) -> bool:
        """True if a row of the snapshot matches, even one that never ran."""
        return any(self.matches is None or self.matches(key) for rows in snapshot.tables.values() for key in rows)

    @staticmethod
    def found(snapshot: Snapshot, never_ran: bool) -> bool:
        """True if any row is left. `never_ran`: those that never ran are shown, too."""
        return any(never_ran or table.ran(row) for table in tables() for row in snapshot.tables[table.name].values())
