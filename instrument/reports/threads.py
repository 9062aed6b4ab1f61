"""Reports by thread (rule `threads`): each table for each thread, or group of threads, and the cost of each.

Threads of one name are one row. A pool is the common part of threads' names that differ only in their last number:
`pool-1-thread-*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from classhook.base.errors import UsageError
from classhook.measures.threads.reader import ROWS, ThreadRow
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.model.snapshot_scope import NOBODY, Within
from classhook.reports.costs import add_costs_of
from classhook.reports.partial_snapshot import read_part
from classhook.reports.selection import Selection

LAST_NUMBER = re.compile(r"[0-9]+(?=[^0-9]*$)")
TABLE = ROWS.name
ORDER = ("cpu_ns", "self_ns", "calls", "bytes", "blocked_ns")  # by what threads are sorted: the first that was measured
SHOWN = 10  # names in a message


def pool_of(name: str) -> str:
    """The name with an asterisk for its last number, as the agent makes it (native/threads/thread_names.c)."""
    return LAST_NUMBER.sub("*", name, count=1)


def named(snapshot: Snapshot, pattern: str) -> frozenset[str]:
    """The threads whose names a pattern matches, in which `*` stands for anything; NOBODY: those that are not known.
    Raises UsageError if there are none."""
    names = [key[0] for key in snapshot.tables[ROWS.name]]
    _check(names)
    found = {name for name in names if fnmatchcase(name, pattern.replace("[", "[[]"))}
    if not found and pattern != NOBODY:
        raise UsageError(
            f"no thread {pattern!r}; there are"
            f" {', '.join(sorted(names)[:SHOWN])}{', ...' if len(names) > SHOWN else ''}"
        )
    return frozenset(found or {NOBODY})


def of_threads(snapshot: Snapshot, names: frozenset[str]) -> Snapshot:
    """The counts of these threads."""
    return read_part(snapshot, Within(threads=names), trees=True)


def _check(names: Iterable[str]) -> None:
    if not [*names]:
        raise UsageError("threads were not told apart: add the rule `threads` to the others, as in -e threads")


def add_threads(
    whole: Snapshot, shown: Snapshot, within: Within, chosen: Selection, pools: bool
) -> dict[Key, ThreadRow]:
    """Reports show the counts of each thread, or pool of threads, too: those that cost most first, then the counts of
    no known thread. Returns the cost of each. `shown`: the part of the whole that the report is about; `chosen`: the
    rows to show, whose costs these are. Raises UsageError if threads were not told apart."""
    _check(key[0] for key in whole.tables[ROWS.name])
    groups: dict[str, set[str]] = {}
    rows: dict[str, ThreadRow] = {}
    for (name, *_), row in whole.tables[ROWS.name].items():
        if within.threads is None or name in within.threads:
            group = pool_of(name) if pools else name
            groups.setdefault(group, set()).add(name)
            rows.setdefault(group, ThreadRow(rule=row.rule)).add(row)

    def read(group: str, sums: bool = False) -> Snapshot:
        part = read_part(whole, Within(within.context, frozenset(groups.get(group, {NOBODY}))), sums=sums)
        if not sums:
            chosen.apply(part)
        return part

    for group, row in rows.items():
        add_costs_of(row, read(group, sums=chosen.matches is None))
    order = sorted(rows, key=lambda group: (*(-(getattr(rows[group], name) or 0) for name in ORDER), group))
    costs: dict[Key, ThreadRow] = {(group, "", ""): rows[group] for group in order}
    if within.threads is None or NOBODY in within.threads:
        order.append(NOBODY)
    shown.by_thread = lambda: ((group, read(group)) for group in order)
    return costs
