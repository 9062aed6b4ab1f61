"""Reports by context: what each table has in each context (rules `context`), and outside of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from classhook.errors import UsageError
from classhook.measures.context.reader import CONTEXTS, COSTS
from classhook.measures.tables import tables
from classhook.model.snapshot import Snapshot

OUTSIDE = ""  # the name of what is in no context
OF_ALL = ("seen", "matched", "woven", "cached", "skipped", "rules", "rule_names", "notes")


def in_context(snapshot: Snapshot, name: str) -> Snapshot:
    """What was counted in a context. Raises UsageError if there is none of this name."""
    names = snapshot.entered
    if name not in (OUTSIDE, *names):
        there = "; there are " + ", ".join(sorted(names)[:10]) if names else ": no rule `context` was in force, or none of its methods ran"
        raise UsageError(f"no context {name!r}{there}")
    (found,) = (found for _, found in each(snapshot, [name]))
    return found


def each(snapshot: Snapshot, names: Iterable[str] | None = None) -> Iterator[tuple[str, Snapshot]]:
    """What was counted in each context, those that were entered most often first, then outside of all; or in some."""
    assert snapshot.each_context is not None
    for name, found in snapshot.each_context(names):
        for field in OF_ALL:
            setattr(found, field, getattr(snapshot, field))
        yield name, found


def add_contexts(snapshot: Snapshot, select: Callable[[Snapshot], None]) -> None:
    """Reports show what was counted in each context, too. `select`: leaves out and adds up rows."""
    wanted = [*snapshot.entered, OUTSIDE]  # rows may be left out of this snapshot meanwhile

    def selected(names: Iterable[str] | None = None) -> Iterator[tuple[str, Snapshot]]:
        for name, found in each(snapshot, wanted if names is None else names):
            select(found)
            yield name, found

    snapshot.by_context = selected


def add_costs(snapshot: Snapshot) -> None:
    """Adds to the row of each context what it cost, with a row of what is outside of all: the sums of each kind of rows."""
    kinds = {kind: name for name, several in COSTS.items() if name != "calls" for kind in several}
    names = list(snapshot.entered)
    rows = snapshot.tables[CONTEXTS.name]
    for name, found in each(snapshot, [*names, OUTSIDE] if names else []):
        row = rows.setdefault((name, "", ""), CONTEXTS.row())
        for table in tables():
            for entry in found.tables[table.name].values():
                section = table.section(entry)
                if section.kind in COSTS["calls"]:
                    row.cost("calls", entry.calls)
                if section.kind in kinds:
                    value = section.main.value(entry)
                    row.cost(kinds[section.kind], int(value) if isinstance(value, (int, float)) else None)
