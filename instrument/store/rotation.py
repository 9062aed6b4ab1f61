"""Rotation: the counts of a JVM in an hour, or any other time, as a file of its own.

1. The data file is copied, as it is now, to PID-START.YYYYMMDDThhmmss.classhook beside it. The earlier state that
   reports take off from the data file (baseline.py), if there is one, is from now on taken off from the copy.
2. The copy is the state that reports take off from the data file from now on. Both names are links to one file.
3. So periods follow each other without gap or overlap. Reports add them up, and refuse files whose periods overlap.

If this ends in the middle, one file covers two periods, and the other one is refused, with a note.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from classhook.base.files import new_in, opened_folder, unlink
from classhook.store import baseline
from classhook.store.opening import DataError, opened

SUFFIX = ".classhook"


def process_of(path: Path) -> str:
    """The common part of the names of a process's files."""
    return str(path.parent / path.name.partition(".")[0])


def is_whole(path: Path) -> bool:
    """True if this is a file that a JVM writes to, and not that of an earlier period."""
    return path.name.removesuffix(SUFFIX).count(".") == 0


def by_time(path: Path) -> str:
    """Sorts a process's files by when they were made: one with a fraction of a second comes after one without."""
    return str(path).removesuffix(SUFFIX)


def rotate(path: Path, keep: int = 0) -> Path | None:
    """Makes a file of the counts since the last time, and returns it; None if the JVM has ended, whose data file
    is the last one. `keep`: so many earlier ones stay, 0: all. Raises DataError, OSError."""
    with opened(path) as (_, running):
        if not running:
            return None
    now = datetime.now(UTC)
    to = path.with_name(f"{path.name.removesuffix(SUFFIX)}.{now:%Y%m%dT%H%M%S}{SUFFIX}")
    if to.exists():
        to = path.with_name(f"{path.name.removesuffix(SUFFIX)}.{now:%Y%m%dT%H%M%S}-{now.microsecond:06}{SUFFIX}")
    with opened_folder(path.parent) as folder:
        base, to_be = baseline.baseline_of(path).name, f".{to.name}"
        baseline.copy_in(folder, path, to_be)
        try:
            with suppress(FileNotFoundError):
                _link(folder, base, baseline.baseline_of(to).name)
            with new_in(folder) as (beside, _):
                pass
            _link(folder, to_be, beside)
            for name, new in ((to_be, to.name), (beside, base)):
                os.replace(name, new, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            unlink(folder, to_be)
        for old in earlier(path)[:-keep] if keep else ():
            unlink(folder, old.name)
            unlink(folder, baseline.baseline_of(old).name)
    return to


def _link(folder: int, name: str, new: str) -> None:
    os.link(name, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)


def earlier(path: Path) -> list[Path]:
    """The files of a data file's earlier periods, the oldest first."""
    return sorted(
        (one for one in path.parent.glob(f"{path.name.removesuffix(SUFFIX)}.*{SUFFIX}") if not is_whole(one)),
        key=by_time,
    )


def rotate_all(folder: Path, keep: int = 0) -> list[str]:
    """Rotates the files of all JVMs that run; what went wrong, in words."""
    complaints = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        if is_whole(path):
            try:
                rotate(path, keep)
            except (DataError, OSError) as error:
                complaints.append(f"{path} cannot be rotated: {error}")
    return complaints
