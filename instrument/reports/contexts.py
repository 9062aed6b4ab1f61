"""Reports by context: what each table has in each context (rules `context`), and outside of all."""

from __future__ import annotations

from collections.abc import Callable

from classhook.errors import UsageError
from classhook.measures.context.reader import CONTEXTS
from classhook.model.snapshot import Snapshot

OUTSIDE = ""  # the name of what is in no context


def in_context(snapshot: Snapshot, name: str) -> Snapshot:
    """What was counted in a context. Raises UsageError if there is none of this name."""
    names = [key[0] for key in snapshot.tables[CONTEXTS.name]]
    if name not in (OUTSIDE, *names):
        there = "; there are " + ", ".join(sorted(names)[:10]) if names else ": no rule `context` was in force, or none of its methods ran"
        raise UsageError(f"no context {name!r}{there}")
    assert snapshot.read_within is not None
    found = snapshot.read_within(name)
    for field in ("seen", "matched", "woven", "cached", "skipped", "rules", "rule_names", "notes"):
        setattr(found, field, getattr(snapshot, field))
    return found


def add_contexts(snapshot: Snapshot, select: Callable[[Snapshot], None]) -> None:
    """Adds what was counted in each context, those that were entered most often first, then outside of all. `select`: leaves out and adds up rows."""
    rows = snapshot.tables[CONTEXTS.name]
    for key in sorted(rows, key=lambda key: (-rows[key].entered, key)):
        snapshot.by_context[key[0]] = in_context(snapshot, key[0])
    snapshot.by_context[OUTSIDE] = in_context(snapshot, OUTSIDE)
    for found in snapshot.by_context.values():
        select(found)
