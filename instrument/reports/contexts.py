"""Reports by context: each table for each context (rules `context`), and outside of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from classhook.base.errors import UsageError
from classhook.measures.context.reader import CONTEXTS
from classhook.model.snapshot import Snapshot
from classhook.model.snapshot_scope import NOBODY, Within
from classhook.reports.costs import add_costs_of
from classhook.reports.partial_snapshot import read_part

Threads = frozenset[str] | None  # names; None: all


def in_context(snapshot: Snapshot, name: str, threads: Threads = None) -> Snapshot:
    """The counts of a context, and of these threads. Raises UsageError if there is no context of this name."""
    names = snapshot.entered
    if name not in (NOBODY, *names):
        there = (
            "; there are " + ", ".join(sorted(names)[:10])
            if names
            else ": no rule `context` was in force, or none of its methods ran"
        )
        raise UsageError(f"no context {name!r}{there}")
    return read_part(snapshot, Within(name, threads))


def each(
    whole: Snapshot, names: Iterable[str], threads: Threads = None, sums: bool = False
) -> Iterator[tuple[str, Snapshot]]:
    """The counts of some contexts (EachContext), and of these threads."""
    return ((name, read_part(whole, Within(name, threads), sums=sums)) for name in names)


def add_contexts(
    whole: Snapshot, shown: Snapshot, threads: Threads, select: Callable[[Snapshot], None], costs: bool = False
) -> None:
    """Reports show the counts of each context, too: those that were entered most often first, then outside of
    all. `shown`: what they are about; `select`: leaves out and adds up rows; `costs`: adds to the row of each context
    what it cost, when that is read: for reports that show the row no sooner."""
    wanted = [*whole.entered, NOBODY]  # rows may be left out of this snapshot meanwhile
    rows = shown.tables[CONTEXTS.name]

    def selected(names: Iterable[str] | None = None, sums: bool = False) -> Iterator[tuple[str, Snapshot]]:
        for name, found in each(whole, wanted if names is None else names, threads, sums):
            if costs:
                add_costs_of(rows.setdefault((name, "", ""), CONTEXTS.row()), found)
            select(found)
            yield name, found

    shown.by_context, shown.context_names = selected, wanted


def add_costs(whole: Snapshot, shown: Snapshot, threads: Threads = None) -> None:
    """Adds to the row of each context what it cost, with a row of what is outside of all: the sums of each kind of
    rows."""
    names = list(whole.entered)
    rows = shown.tables[CONTEXTS.name]
    for name, found in each(whole, [*names, NOBODY] if names else [], threads, sums=True):
        add_costs_of(rows.setdefault((name, "", ""), CONTEXTS.row()), found)
