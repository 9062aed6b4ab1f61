"""Tests that do not execute the same in several runs of the same code, and the methods in which they differ.

Calls, executed bytecodes, exceptions and hit probes of each test are compared, as far as all runs counted them. Static
initialisers are left out: they run once, in whichever test comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from classhook.base.errors import UsageError
from classhook.extensions.selection.blame.done import Done
from classhook.extensions.selection.blame.runs import TestsOfRun, altered
from classhook.extensions.selection.facts import CLINIT
from classhook.extensions.selection.hierarchy import MethodName

#: Counts that are compared, by their names in reports.
QUANTITIES = ("calls", "bytecodes", "exceptions")


@dataclass(slots=True)
class Varying:
    """A method with its numbers in each run. `what`: calls, bytecodes, exceptions, or branches, which have none."""

    method: MethodName
    what: str
    numbers: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Unsteady:
    """A test. `statuses`: how it ended in each run."""

    test: str
    statuses: list[str]
    varying: list[Varying]


def unsteady(runs: Sequence[TestsOfRun]) -> list[Unsteady]:
    """The tests that differ, those with most methods first. Raises UsageError if there are not two runs of the same
    code."""
    if len(runs) < 2:
        raise UsageError(
            f"--unsteady compares runs of the same tests, and the data has {len(runs)}; run them again, into the same"
            " directory or another one"
        )
    for one in runs[1:]:
        if classes := sorted(altered(runs[0], one)):
            raise UsageError(f"--unsteady compares runs of the same code, and {classes[0].replace('/', '.')} differs")
    first = dict.fromkeys(one.context for one in runs[0].tests)
    names = [name for name in first if all(run.of(name) is not None for run in runs)]
    found = []
    for name in names:
        statuses = [test.status if (test := run.of(name)) else "" for run in runs]
        varying = _varying([run.done.get(name, Done()) for run in runs])
        if varying or len({*statuses}) > 1:
            found.append(Unsteady(name, statuses, varying))
    return sorted(found, key=lambda one: (len({*one.statuses}) == 1, -len(one.varying), one.test))


def _varying(every: Sequence[Done]) -> list[Varying]:
    counted = [what for what in QUANTITIES if all(getattr(one, what) for one in every)]
    found = []
    for name in sorted(set[MethodName]().union(*(one.ran for one in every))):
        if name[1] == CLINIT:
            continue
        for what in counted:
            numbers = [getattr(one, what).get(name, 0) for one in every]
            if len({*numbers}) > 1:
                found.append(Varying(name, what, numbers))
                break
        else:
            if all(one.probes for one in every) and len({one.probes.get(name) for one in every}) > 1:
                found.append(Varying(name, "branches"))
    return found
