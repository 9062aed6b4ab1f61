"""`--group`: rows added up by class, package, rule, its name or source file.

1. Rows of one section with the same group become one row, by the table's `add`. Self times add up.
2. Calls and totals do not: if a call of the group makes another one, as a connection pool's statement calls the
   driver's, only the outermost call counts, and the others are `nested`. The exact tree of calls shows which, if it has
   all calls of the group's methods.
3. Without the tree, the sums are upper bounds, and marked so, unless the methods did not call each other: then the self
   times add up to the totals. For methods that were only counted, this is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from classhook.measures.tables import tables
from classhook.model.call_tree import Call, add_times
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.tables.table import Table

GroupOf = Callable[[Snapshot, Key, Any], str]
NONE = "(none)"
NEARLY = 1000  # a total that is longer than the self times by less than this part of it has no calls among the methods


def _package(snapshot: Snapshot, key: Key, row: Any) -> str:
    return str(key[0]).rpartition(".")[0] or "(default package)"


def _source(snapshot: Snapshot, key: Key, row: Any) -> str:
    """`com/acme/Orders.java`; classes that do not say it are by themselves."""
    file = snapshot.class_sources.get(key[0], "")
    folder = str(key[0]).rpartition(".")[0].replace(".", "/")
    return "/".join(filter(None, [folder, file])) if file else str(key[0]) or NONE


#: By the word after --group.
GROUPS: dict[str, GroupOf] = {
    "class": lambda snapshot, key, row: str(key[0]) or NONE,
    "package": _package,
    "name": lambda snapshot, key, row: snapshot.rule_names.get(row.rule) or row.rule or NONE,
    "rule": lambda snapshot, key, row: row.rule or NONE,
    "source": _source,
}


def tree_is_whole(snapshot: Snapshot) -> bool:
    """True if all timed calls are in the exact tree."""
    calls = sum(call.calls for call, entered in snapshot.exact_tree.walk() if entered)
    return calls > 0 and calls == sum(row.calls for row in snapshot.tables["methods"].values() if row.timed)


def group(snapshot: Snapshot, by: str, whole: bool) -> None:
    """Adds the snapshot's rows up. `whole`: all timed calls are in the exact tree."""
    of = GROUPS[by]
    groups_of: dict[str, dict[Key, Key]] = {}
    ran: Counter[Key] = Counter()  # how many methods of each group
    for table in tables():
        rows = snapshot.tables[table.name]
        groups_of[table.name] = {key: (of(snapshot, key, row), table.section(row).kind) for key, row in rows.items()}
        if table.name == "methods":
            ran.update(groups_of[table.name][key] for key, row in rows.items() if row.calls)
        snapshot.tables[table.name] = _added(table, rows, groups_of[table.name])
    for name, root in (("methods", snapshot.calls), ("cpu", snapshot.stacks)):
        _sample(snapshot.tables[name], root, groups_of[name])
    _outermost_only(snapshot.tables["methods"], _paths(snapshot.exact_tree, groups_of["methods"]), ran, whole)
    snapshot.grouped_by = by


def _added(table: Table, rows: dict[Key, Any], group_of: dict[Key, Key]) -> dict[Key, Any]:
    """A row for each group."""
    found: dict[Key, Any] = {}
    for key, row in rows.items():
        to = group_of[key]
        if to not in found:
            found[to] = table.row()
            found[to].rule = row.rule
        elif found[to].rule != row.rule:
            found[to].rule = ""
        if table.add is not None:
            table.add(found[to], row)
    return found


def _sample(rows: dict[Key, Any], root: Call, group_of: dict[Key, Key]) -> None:
    """Gives groups the times that were sampled, a call within its own group counted once."""
    if root.children:
        add_times(root, rows, group_of)


def _outermost_only(rows: dict[Key, Any], paths: dict[Key, Paths], ran: Counter[Key], whole: bool) -> None:
    """Reduces calls and totals of groups of methods to the outermost calls: exactly if the tree has all calls, else
    marked as a bound."""
    for key, row in rows.items():
        found = paths.get(key, Paths())
        if row.timed and 0 < row.calls == found.calls + found.nested:
            row.nest(found.nested)
            if whole:
                row.total_ns = found.total
            row.total_bound = not whole and found.nested > 0
        elif row.timed and ran[key] == 1:  # its record tells
            row.nest(
                max(row.completed - row.outermost, 0)
                if row.recursed and not row.estimated and not row.resumptions
                else 0
            )
        elif ran[key] > 1:
            row.total_bound = row.timed and row.total_ns - row.self_ns > row.total_ns / NEARLY
            row.calls_bound = row.total_bound or not row.timed


@dataclass(slots=True)
class Paths:
    """A group in the exact tree: its outermost calls, those nested in them, and the time of the outermost ones."""

    calls: int = 0
    nested: int = 0
    total: int = 0


def _paths(root: Call, group_of: dict[Key, Key]) -> dict[Key, Paths]:
    found: dict[Key, Paths] = {}
    active: dict[Key, int] = {}
    before: dict[int, int] = {}
    spent = 0
    for call, entered in root.walk():
        key = group_of.get(call.method) if call.method is not None else None
        if entered:
            before[id(call)] = spent
            spent += call.wall
            if key is not None:
                paths = found.setdefault(key, Paths())
                if active.get(key):
                    paths.nested += call.calls
                else:
                    paths.calls += call.calls
                active[key] = active.get(key, 0) + 1
        else:
            began = before.pop(id(call))
            if key is not None:
                active[key] -= 1
                if not active[key]:
                    found[key].total += spent - began
    return found
