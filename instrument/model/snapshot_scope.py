"""The part of the counts that a snapshot is about: a context, threads, or all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from heapq import merge
from typing import NamedTuple

NOBODY = ""  # the name of what belongs to no context, and of what is of no thread that is known

Slots = Mapping[str, Collection[int]]  # by name, those of a file's contexts or of its threads' names; of NOBODY also 0


class Chosen(NamedTuple):
    """A part of what a file counted, given by the slots of contexts and of threads' names, of which 0 is none; None:
    all of them."""

    contexts: Collection[int] | None = None
    threads: Collection[int] | None = None

    @property
    def some(self) -> bool:
        """True if there is such a part at all."""
        return all(one is None or len(one) for one in self)

    def has_thread(self, thread: int) -> bool:
        return self.threads is None or thread in self.threads


class Within(NamedTuple):
    """The same by name; NOBODY: what belongs to none."""

    context: str | None = None
    threads: frozenset[str] | None = None

    def chosen(self, contexts: Slots, threads: Slots) -> Chosen:
        """Finds the chosen part by the slots of a file."""
        of_context = None if self.context is None else sorted(contexts.get(self.context, ()))
        of_threads = (
            None if self.threads is None else frozenset(slot for name in self.threads for slot in threads.get(name, ()))
        )
        return Chosen(of_context, of_threads)


#: A part of a region: its rows or nodes, by the slots of the context and of the thread that they belong to.
Split = dict[int, dict[int, list[int]]]
#: These two slots of a row or node.
KeyOf = Callable[[int], tuple[int, int]]


def split(rows: Iterable[int], key_of: KeyOf) -> Split:
    found: Split = {}
    for row in rows:
        context, thread = key_of(row)
        found.setdefault(context, {}).setdefault(thread, []).append(row)
    return found


def part_of(rows: Split, chosen: Chosen) -> list[int]:
    """The rows of a part, in ascending order."""
    by_context = (
        rows.values() if chosen.contexts is None else [rows[context] for context in chosen.contexts if context in rows]
    )
    lists: list[list[int]] = []
    for by_thread in by_context:
        lists += (
            by_thread.values()
            if chosen.threads is None
            else [by_thread[thread] for thread in chosen.threads if thread in by_thread]
        )
    return [*merge(*lists)]
