"""Processes whose work is unknown: programs other than Java's, and JVMs without the agent.

Whether a process is a JVM with the agent is known by its data. One that is none may have started some, as a shell does:
these name the same test, and were started by no process that is known itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from classhook.base.names import several
from classhook.extensions.selection.observed import Child, name_of
from classhook.model.test_runs import Started, TestRun

OTHERS = "what programs do that are no JVMs with the agent"


def not_jvms(
    started: Iterable[Started], jvms: Collection[int], children: Iterable[Child], runs: Iterable[TestRun]
) -> list[str]:
    """A sentence about them, if there are any. `jvms`: the process ids of JVMs with the agent."""
    known = [*started]
    pids = {one.pid for one in known}
    through_others = {child.starter.context for child in children if child.pid not in pids}
    names = {(run.pid, run.context): name_of(run) for run in runs if run.is_test}
    found = {
        f"{one.program.rpartition('/')[2]}, started {_where(names.get(one.starter, one.starter.context))}": None
        for one in known
        if one.pid not in jvms and one.starter.context not in through_others
    }
    more = f", and {several(len(found) - 1, 'other')}" if len(found) > 1 else ""
    return [f"{OTHERS} ({next(iter(found))}{more})"] if found else []


def _where(test: str) -> str:
    return f"by {test}" if test else "outside of tests"
