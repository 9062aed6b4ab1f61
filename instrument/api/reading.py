"""Finds recorded data, and reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from classhook.base.errors import UsageError
from classhook.model.snapshot import Snapshot

HINT = "`classhook run -o DIR` writes data to DIR (default: classhook-data)"


class Recorded(NamedTuple):
    """The contents of data files. `complaints`: files that could not be moved to their directory, though nothing is
    missing."""

    snapshot: Snapshot
    files: list[Path]
    complaints: list[str]


def read_data(paths: Sequence[Path], labels: Mapping[str, str] | None = None) -> Recorded:
    """Reads data directories and files, and adds them up; `labels`: only those of runs that have them. Raises
    UsageError if there is no data; missing or damaged files become notes."""
    from classhook.model.reading.files import read
    from classhook.store.tmpfs import move_to_disk

    files, missing = find_data(paths, labels)
    complaints = move_to_disk(files)
    snapshot = read(files)
    if not snapshot.processes:
        raise UsageError("nothing to report:\n" + "\n".join([*missing, *snapshot.notes]))
    snapshot.notes[:0] = missing
    return Recorded(snapshot, files, complaints)


def find_data(paths: Sequence[Path], labels: Mapping[str, str] | None = None) -> tuple[list[Path], list[str]]:
    """The data files, and a note for each path that does not exist. Raises UsageError if there are no files."""
    from classhook.model.reading.files import data_files
    from classhook.store.files_by_label import having

    missing = [f"{path}: no such file or directory" for path in paths if not os.path.lexists(path)]
    files = data_files(path for path in paths if os.path.lexists(path))
    if not files:
        said = "; ".join([*missing, *(f"{path}: no data files" for path in paths if os.path.lexists(path))])
        raise UsageError(f"{said}; {HINT}")
    return having(files, labels or {}), missing
