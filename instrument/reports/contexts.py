"""Reports by context: what each table has in each context (rules `context`), and outside of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from classhook.errors import UsageError
from classhook.measures.context.reader import CONTEXTS, COSTS, ContextRow
from classhook.measures.tables import tables
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot

OUTSIDE = ""  # the name of what is in no context
MAIN = {kind: name for name, several in COSTS.items() if name != "calls" for kind in several}  # the cost that a kind's main column is
OF_ALL = ("seen", "matched", "woven", "cached", "skipped", "rules", "rule_names", "notes")


def in_context(snapshot: Snapshot, name: str) -> Snapshot:
    """What was counted in a context. Raises UsageError if there is none of this name."""
    names = snapshot.entered
    if name not in (OUTSIDE, *names):
        there = "; there are " + ", ".join(sorted(names)[:10]) if names else ": no rule `context` was in force, or none of its methods ran"
        raise UsageError(f"no context {name!r}{there}")
    (found,) = (found for _, found in each(snapshot, [name]))
    return found


def each(snapshot: Snapshot, names: Iterable[str] | None = None, sums: bool = False) -> Iterator[tuple[str, Snapshot]]:
    """What was counted in each context (EachContext), those that were entered most often first, then outside of all; or in some."""
    assert snapshot.each_context is not None
    for name, found in snapshot.each_context(names, sums):
        for field in OF_ALL:
            setattr(found, field, getattr(snapshot, field))
        yield name, found


def add_contexts(snapshot: Snapshot, select: Callable[[Snapshot], None], costs: bool = False) -> None:
    """Reports show what was counted in each context, too. `select`: leaves out and adds up rows; `costs`: adds to the row of each context what it
    cost, when that is read: for reports that show the row no sooner."""
    wanted = [*snapshot.entered, OUTSIDE]  # rows may be left out of this snapshot meanwhile
    rows = snapshot.tables[CONTEXTS.name]

    def selected(names: Iterable[str] | None = None, sums: bool = False) -> Iterator[tuple[str, Snapshot]]:
        for name, found in each(snapshot, wanted if names is None else names, sums):
            if costs:
                _add_cost(rows, name, found)
            select(found)
            yield name, found

    snapshot.by_context = selected


def add_costs(snapshot: Snapshot) -> None:
    """Adds to the row of each context what it cost, with a row of what is outside of all: the sums of each kind of rows."""
    names = list(snapshot.entered)
    rows = snapshot.tables[CONTEXTS.name]
    for name, found in each(snapshot, [*names, OUTSIDE] if names else [], sums=True):
        _add_cost(rows, name, found)


def _add_cost(rows: dict[Key, ContextRow], name: str, found: Snapshot) -> None:
    row = rows.setdefault((name, "", ""), ContextRow())
    row.cost("calls", found.summed_calls)
    for table in tables():
        for entry in found.tables[table.name].values():
            section = table.section(entry)
            if section.kind in COSTS["calls"]:
                row.cost("calls", entry.calls)
            if section.kind in MAIN:
                value = section.main.value(entry)
                row.cost(MAIN[section.kind], int(value) if isinstance(value, (int, float)) else None)
