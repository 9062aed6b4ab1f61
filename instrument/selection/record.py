"""Makes a recording of the data that a run of tests left.

The data does not have the class files that ran, so they must be those that are there now: data of a JVM is left out if a class that ran in it was
compiled after the JVM had started.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import time_ns

from classhook.errors import UsageError
from classhook.model.snapshot import Snapshot
from classhook.names import printable, several
from classhook.selection.checkout import build_files, checkout
from classhook.selection.children import give
from classhook.selection.observed import Observed, observed, share
from classhook.selection.program import Program
from classhook.selection.recording import Recording, make
from classhook.summary.reading import read

SECOND = 1_000_000_000


def record(files: Sequence[Path], program: Program, folder: Path, say: Callable[[str], None]) -> Recording:
    """The tests of these data files. `folder`: where the build files are. Raises UsageError if there are none."""
    found, start, made, left_out = Observed(), time_ns(), 0, 0
    for file in files:
        snapshot = read([file], suggest=False, exact_tree=False)
        if not snapshot.processes:  # it cannot be read
            for note in snapshot.notes:
                say(printable(note))
        one = observed(snapshot, program.classes)
        if not one.ran:
            continue
        if is_older(snapshot, one, program):
            left_out += 1
            one = Observed(children=[replace(child, is_lost=True) for child in one.children])
        found.add(one)
        start = min(start, *(process.start_unix_ns for process in snapshot.processes))
        made = max(made, *((process.start_unix_ns + process.duration_ns) // SECOND for process in snapshot.processes))
    if left_out:
        which = several(left_out, "data file")
        say(f"{which} left out: classes that ran there were compiled later, so it is not known what ran")
    if not found.tests:
        again = "run the tests again, and record them before the next build" if left_out else "see --tests in `classhook run --help`"
        raise UsageError(f"no tests were recorded: {again}")
    if not any(test.ran for test in found.tests.values()):
        raise UsageError("no methods were counted in tests: a rule must count the program and its tests, such as -e 'count com.acme.**::*'")
    give(found)
    share(found, program.classes)
    git = checkout(folder)
    dirty = git.hashes(git.changed(git.commit)) if git else {}
    top = git.folder if git else folder
    return make(found, program, made, git.commit if git else "", dirty, build_files(folder), top, start)


def is_older(snapshot: Snapshot, found: Observed, program: Program) -> bool:
    """Whether a class that ran was compiled after its JVM had started."""
    start = min(process.start_unix_ns for process in snapshot.processes)
    return any(program.modified.get(owner, 0) > start for owner, _ in found.ran)
