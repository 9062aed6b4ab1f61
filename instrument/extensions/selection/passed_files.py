"""Files that a test read and that another test had written: which methods wrote them is not known.

A file belongs to the test during which it was written last. If no test ran at that time, a build or the set-up for all
tests wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from classhook.base.names import several
from classhook.extensions.selection.observed import Observed, name_of
from classhook.extensions.selection.opened import Lifetime, modified

PASSED_ON = "files that one test writes and another one reads"
CLOCK = 10_000_000  # ns by which the times of files may be behind


def passed_on(found: Observed, lifetimes: Sequence[Lifetime]) -> list[str]:
    """A sentence about them, if there are any. `lifetimes`: of the JVMs."""
    ran: dict[str, list[Lifetime]] = {}
    for run in found.runs:
        if run.is_test:
            ran.setdefault(name_of(run), []).append((run.started_unix_ns, run.started_unix_ns + run.duration_ns))
    readers: dict[str, list[str]] = {}
    for name, test in found.tests.items():
        for path in {one.path for one in test.opened}:
            readers.setdefault(path, []).append(name)
    passed = []
    for path, names in sorted(readers.items()):
        when = modified(Path(path))
        if any(begin < when <= end for begin, end in lifetimes) and Path(path).is_file():
            writers = _during(when, ran, 0) or _during(when, ran, CLOCK)
            passed += [(path, name) for name in names if writers and name not in writers][:1]
    more = f", and {several(len(passed) - 1, 'other')}" if len(passed) > 1 else ""
    return [f"{PASSED_ON} ({path}, read by {name}{more})" for path, name in passed[:1]]


def _during(when: int, ran: dict[str, list[Lifetime]], before: int) -> set[str]:
    """The tests that ran at a time, or so long after it."""
    return {name for name, spans in ran.items() if any(begin - before <= when <= end for begin, end in spans)}
