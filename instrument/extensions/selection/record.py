"""Makes a recording of the data that a run of tests left.

The data does not have the class files that ran, so they must be those that are there now: data of a JVM is left out if
a class that ran in it is another one. Their checksums tell. If another agent may have changed the class before it was
woven, or its checksum is unknown, the data is left out if the class was compiled after the JVM had started.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path

from classhook.base.built_folders import TOPS
from classhook.base.errors import UsageError
from classhook.base.names import printable, several
from classhook.extensions.selection.checkout import Checkout, build_files, checkout
from classhook.extensions.selection.children import give
from classhook.extensions.selection.observed import Observed, observed, share
from classhook.extensions.selection.opened import Lifetime
from classhook.extensions.selection.passed_files import passed_on
from classhook.extensions.selection.processes import not_jvms
from classhook.extensions.selection.program import Program
from classhook.extensions.selection.recording import Recording, make
from classhook.model.reading.files import read
from classhook.model.snapshot import Snapshot
from classhook.model.test_runs import CLASS_FILES

SECOND = 1_000_000_000


def record(files: Sequence[Path], program: Program, folder: Path, say: Callable[[str], None]) -> Recording:
    """The tests of these data files. `folder`: where the build files are. Raises UsageError if there are none."""
    found, left_out, by_time, jvms, lifetimes = Observed(), 0, False, set[int](), list[Lifetime]()
    for file in files:
        snapshot = read([file], suggest=False, exact_tree=False)
        if not snapshot.processes:  # it cannot be read
            for note in snapshot.notes:
                say(printable(note))
        jvms.update(process.pid for process in snapshot.processes)
        one = observed(snapshot, program.classes)
        if not (one.tests or one.children or one.ran):
            continue
        known = what_ran(snapshot, one, program)
        by_time |= known == Ran.BY_TIME
        if known == Ran.OTHERS:
            left_out += 1
            one = Observed(children=[replace(child, is_lost=True) for child in one.children])
        found.add(one)
        lifetimes += [
            (process.start_unix_ns, process.start_unix_ns + process.duration_ns) for process in snapshot.processes
        ]
    if left_out:
        which = several(left_out, "data file")
        say(f"{which} left out: classes that ran there were compiled later, or exchanged, so it is not known what ran")
    if by_time:
        say(
            "another agent changes classes, so only the times of class files tell that those which ran are those that"
            " are there"
        )
    if not found.tests:
        again = (
            "run the tests again, and record them before the next build"
            if left_out
            else "see --tests in `classhook run --help`"
        )
        raise UsageError(f"no tests were recorded: {again}")
    if not any(test.ran for test in found.tests.values()):
        raise UsageError(
            "no methods were counted in tests: a rule must count the program and its tests, such as -e 'count"
            " com.acme.**::*'"
        )
    give(found)
    share(found, program.classes)
    made = max(end for _, end in lifetimes) // SECOND
    git = checkout(folder)
    dirty = git.hashes(git.changed(git.commit)) if git else {}
    top = git.folder if git else folder
    recording = make(found, program, made, git.commit if git else "", dirty, build_files(folder), top, lifetimes)
    recording.kept += passed_on(found, lifetimes)
    recording.kept += not_jvms(found.started, jvms, found.children, found.runs)
    if git and not found.knows_files:
        recording.kept += _ignored(git, [*program.roots, *(file.parent for file in files)])
    return recording


def _ignored(git: Checkout, own: Sequence[Path]) -> list[str]:
    """A sentence about files that git ignores and that tests may read, where it is not known which files they read.
    `own`: paths that git also ignores."""
    others = [
        path
        for path in git.all_ignored()
        if path.partition("/")[0] not in TOPS and not path.startswith(".") and not _contains(git, path, own)
    ]
    more = f" and {several(len(others) - 1, 'other')}" if len(others) > 1 else ""
    return [f"what tests read from files that git ignores ({others[0]}{more})"] if others else []


def _contains(git: Checkout, path: str, own: Sequence[Path]) -> bool:
    return any(one.resolve().is_relative_to((git.folder / path).resolve()) for one in own)


class Ran(Enum):
    """The facts of the classes that ran in a JVM."""

    THE_SAME = 0  # as those that are there now
    BY_TIME = 1  # some may have been changed by another agent, and only their times tell that they are the same
    OTHERS = 2


def what_ran(snapshot: Snapshot, found: Observed, program: Program) -> Ran:
    start = min(process.start_unix_ns for process in snapshot.processes)
    files, known = CLASS_FILES.get(snapshot), Ran.THE_SAME
    for name in {owner for owner, _ in found.ran} & program.classes.keys():
        ran = files.get(name, set())
        if program.sums[name] in {(one.crc, one.size) for one in ran}:
            continue
        if program.modified[name] > start or not all(one.alterable for one in ran):
            return Ran.OTHERS
        known = Ran.BY_TIME if ran else known
    return known
