"""Adds up data files: processes, classes, and for each method and site the sum over all blocks.

1. records.py adds each file's records, each of which the reader of some measure knows.
2. When all files are read, the readers conclude what only all of them tell.
3. For rules that matched no method, the snapshot says whether classes that they name were not instrumented, or what
   they may have meant.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from time import time_ns
from typing import Any, NamedTuple

from classhook.base.names import LONGEST
from classhook.measures.readers import READERS
from classhook.model.file_reading import FileReading
from classhook.model.reading.contexts import FileContexts, conclude, each_context, one_part
from classhook.model.reading.records import add_records
from classhook.model.snapshot import Process, Snapshot
from classhook.native._layout import lib
from classhook.probes.reasons import UNFIT
from classhook.store.baseline import last_time, since_baseline
from classhook.store.data_file import DataFile
from classhook.store.layout import command_of, text_of
from classhook.store.opening import DataError
from classhook.store.reading import read_file
from classhook.store.rotation import by_time, is_whole, process_of

MOST_COMPARED = 500_000  # comparisons of a rule with a name, which take a second or two
CLASSES = ("seen", "matched", "woven", "cached")  # numbers of the header
ENDS = {lib.CH_EXIT: "exit", lib.CH_HALT: "halt", lib.CH_DETACHED: "detached", lib.CH_SNAPSHOT: "snapshot"}


class Period(NamedTuple):
    """The time that a file is about, in Unix ns: that of a process, or of a part of it (rotation.py)."""

    path: Path
    begin: int
    end: int


def latest_first(files: Iterable[Path]) -> list[Path]:
    """The files, with each process's current or latest one before those of earlier periods: it has most of its
    classes."""
    first: dict[str, int] = {}
    every = list(files)
    for at, path in enumerate(every):
        first.setdefault(process_of(path), at)
    return sorted(
        sorted(every, key=by_time, reverse=True), key=lambda path: (first[process_of(path)], not is_whole(path))
    )


def data_files(paths: Iterable[Path]) -> list[Path]:
    """The data files that `paths` (files or directories) name, each once. Raises DataError if a path does not exist."""
    found: dict[str, Path] = {}
    for path in paths:
        if path.is_dir():
            named = sorted(path.glob("*.classhook"))
        elif path.exists() or path.is_symlink():
            named = [path]
        else:
            raise DataError(f"{path}: no such file or directory")
        for file in named:
            found.setdefault(os.path.realpath(file), file)  # Path.resolve() raises if a link points to itself
    return list(found.values())


def read(files: Iterable[Path], suggest: bool = True, exact_tree: bool = True) -> Snapshot:
    """The sum of all data files; one that cannot be read becomes a note. `suggest`: say of rules that matched nothing
    what they may have meant; `exact_tree`: read the exact tree of calls, of which rows need nothing."""
    snapshot = Snapshot()
    known: dict[tuple[int, int, int], list[Period]] = {}  # by session
    counted: dict[tuple[int, int], list[int]] = {}  # by process
    readings: list[Reading] = []
    for path in latest_first(files):
        try:
            file = read_file(path)
            since = since_baseline(file)
            period = Period(path, since, last_time(file.header, file.running))
            header = file.header
            others = known.setdefault((header.pid, header.start_unix_ns, header.session_unix_ns), [])
            for other in others:
                if period.begin < other.end and other.begin < period.end:
                    raise DataError(f"{path}: a copy of {other.path}, or an earlier state of it; not counted again")
            others.append(period)
            _add_classes(snapshot, header, counted.setdefault((header.pid, header.start_unix_ns), [0] * len(CLASSES)))
            readings.append(Reading(file, since, again=len(others) > 1))
        except DataError as error:
            snapshot.notes.append(str(error))
    found = _add(snapshot, readings, exact_tree)
    if suggest:
        _suggest(snapshot)
    snapshot.each_context = lambda names=None, sums=False: each_context(snapshot, found, process_of_file, names, sums)
    snapshot.read_part = lambda within, trees=False, sums=False: one_part(
        snapshot, found, process_of_file, within, trees, sums
    )
    return snapshot


class Reading(NamedTuple):
    """A data file that is being added. `since`: when its counters were set back, 0: never; `again`: another period of a
    process whose classes are known."""

    file: DataFile
    since: int
    again: bool


def _add(snapshot: Snapshot, readings: list[Reading], exact_tree: bool) -> list[FileContexts]:
    """Adds the files; returns them with their contexts."""
    snapshot.tables.update(
        (kind.name, {}) for reader in READERS for kind in reader.rows
    )  # in the order of the measures
    files = []
    for file, since, again in readings:
        try:
            process = process_of_file(file)
            snapshot.processes.append(process)
            reading = FileReading(snapshot, process, file, exact_tree)
            readers = add_records(reading, again)
            files.append(FileContexts(reading, readers))
            if since:
                process.since(since)
        except DataError as error:
            snapshot.notes.append(str(error))
    conclude(snapshot)
    return files


def _suggest(snapshot: Snapshot) -> None:
    """Finds out why rules matched no method, or what they may have meant."""
    left = {name for name, method, _, reason, _ in snapshot.skipped if not method and reason != UNFIT}
    names = snapshot.class_names | set(snapshot.class_sources)
    most = MOST_COMPARED // (len(left) + len(names) + len(snapshot.missed) + 1)  # targets
    written = {*snapshot.missed}
    for key in snapshot.missed:  # and as their languages write them
        name = snapshot.readable.name(*key)
        if name is not None and name.matches:
            written.add((name.owner, name.method, name.descriptor))
    for text, row in snapshot.rules.items():
        row.unknown = not row.matched_methods and snapshot.undescribed
        rule = snapshot.parsed_rules.get(text)
        if (
            row.matched_methods
            or row.unknown
            or rule is None
            or (most := most - len(rule.targets) - len(rule.excepts)) < 0
        ):
            continue
        if any(len(target.class_pattern.glob) > LONGEST for target in (*rule.targets, *rule.excepts)):
            continue  # nobody wrote that, and comparing it takes long
        from classhook.rules.ruleset import RuleSet
        from classhook.rules.suggest import nearest  # which takes longer to import than a small file to read

        alone = RuleSet([rule])
        unknown = left - snapshot.classes_of.get(
            text, set()
        )  # where it was described, the rule matched no method of the class
        row.left_classes = sum(alone.bind(name, False, frozenset, frozenset) is not None for name in unknown)
        row.matched_classes += row.left_classes
        row.nearest = nearest(rule, names, written) or ""


def _add_classes(snapshot: Snapshot, header: Any, counted: list[int]) -> None:
    """Adds how many classes a process has seen, and the like. `counted`: of these, those that its other sessions and
    periods have told already."""
    for i, name in enumerate(CLASSES):
        more = max(0, getattr(header, name) - counted[i])
        counted[i] += more
        setattr(snapshot, name, getattr(snapshot, name) + more)


def process_of_file(file: DataFile) -> Process:
    header = file.header
    start = header.session_unix_ns or header.start_unix_ns
    last = max(header.last_ns, header.seen_ns)
    earlier = file.base.header if file.base is not None and file.base.header.session_ns != header.session_ns else None
    duration = max(time_ns() - start if file.running else last - (header.session_ns or header.first_ns), 0)
    return Process(
        pid=header.pid,
        jvm=text_of(header.jvm),
        jvm_name=text_of(header.jvm_name),
        command=" ".join(command_of(header)),
        start_unix_ns=start,
        duration_ns=duration,
        attached_ns=duration if header.session_unix_ns else None,
        end=ENDS.get(header.how_ended, "running" if file.running else "killed"),
        file=str(file.path),
        python_ns=header.python_ns - (earlier.python_ns if earlier else 0),
        weaving_ns=header.weaving_ns - (earlier.weaving_ns if earlier else 0),
        time_cost_ns=header.time_cost_ps / 1000,
        count_cost_ns=header.count_cost_ps / 1000,
        notes=file.notes,
    )
