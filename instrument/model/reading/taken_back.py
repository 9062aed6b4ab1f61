"""Leaves out rules that were taken back when they had been added: by a limit, by the user, or as they matched nothing.

1. Rules that follow others in a file say whether they take these back. Those that were in force at another time stay.
2. Some classes may have been changed until then. What they counted stays, and so does its rule.
"""

from __future__ import annotations

from collections.abc import Iterable

from classhook.model.rows import RowKind
from classhook.model.snapshot import Snapshot


class TakenBack:
    """The rules of one file. `known`: those of files that were read before."""

    def __init__(self, known: Iterable[str]) -> None:
        self._stay = set(known)
        self._gone: set[str] = set()

    def exchanged(self, before: Iterable[str], takes_back: bool) -> None:
        """Others follow the rules `before`."""
        (self._gone if takes_back else self._stay).update(before)

    def leave_out(self, snapshot: Snapshot, last: Iterable[str], kinds: Iterable[RowKind]) -> None:
        """`last`: the file's last rules; `kinds`: of all rows."""
        gone = self._gone - self._stay - set(last)
        for kind in kinds if gone else ():
            rows = snapshot.tables[kind.name]
            of_gone = {key: row for key, row in rows.items() if getattr(row, "rule", "") in gone}
            gone -= {row.rule for row in of_gone.values() if kind.ran(row)}
            for key in [key for key, row in of_gone.items() if not kind.ran(row)]:
                del rows[key]
        for text in gone:
            for known in (snapshot.rules, snapshot.parsed_rules, snapshot.rule_names, snapshot.written):
                known.pop(text, None)
