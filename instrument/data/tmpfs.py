"""Moves counters from the tmpfs, where the JVM wrote them, to the data directory, as one file without holes (see native/base/store.c)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from stat import S_ISREG

from instrument.data.compact import compact
from instrument.data.file import DataError, read_file, second
from instrument.files import whole

TMPFS = Path("/dev/shm")
NO_ENDS: Mapping[int, int] = {}


def tmpfs_file(path: Path) -> Path | None:
    """The target of a data file's link to the tmpfs; None for any other file or link, whose target must not be removed."""
    try:
        target = Path(os.readlink(path))
    except OSError:
        return None
    ours = target.parent == TMPFS and target.name.startswith("classhook-") and target.name.endswith(f"-{path.name}")
    return target if ours else None


def has_holes(path: Path) -> bool:
    """Whether most of the file is holes, as in those that the agent makes if there is no tmpfs."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return S_ISREG(status.st_mode) and status.st_size > 2 * 512 * status.st_blocks


def bring_home(paths: Iterable[Path], ends: Mapping[int, int] = NO_ENDS) -> list[str]:
    """Replaces data files of ended JVMs that lie on the tmpfs or have holes by files without holes, and frees the tmpfs. `ends`: by its
    process id, when a JVM was seen to end (CLOCK_MONOTONIC, ns). Returns messages about files for which that failed."""
    complaints = []
    for path in paths:
        target = tmpfs_file(path)
        if target is None and not has_holes(path):
            continue
        try:
            file = read_file(path)
            owner = path.stat()
            # keep damaged files for inspection, and do not follow another user's link
            if file.running or file.notes or path.lstat().st_uid != owner.st_uid:
                continue
            with whole(path, mode=0o600) as to:  # as the agent makes it: command lines may contain secrets
                if owner.st_uid != os.geteuid():  # keep the owner
                    os.fchown(to.fileno(), owner.st_uid, owner.st_gid)
                for piece in compact(file, ends.get(file.header.pid, 0)):
                    to.write(piece)
        except DataError:
            continue  # reported when it is read
        except OSError as error:
            complaints.append(f"{target or path} stays there: {path} cannot be written: {error.strerror}")
        else:
            complaints += filter(None, map(_removed, [second(path), *([target] if target else [])]))
    return complaints


def _removed(path: Path) -> str:
    """Removes a file that has been replaced; a message if that fails, else nothing."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return f"{path} cannot be removed: {error.strerror}"
    return ""


def remove(path: Path) -> None:
    """Removes a data file, with its counters on the tmpfs, and what lies beside it. Raises OSError."""
    target = tmpfs_file(path)
    path.unlink()
    second(path).unlink(missing_ok=True)
    path.with_name(path.name + ".base").unlink(missing_ok=True)
    path.with_suffix(".ctl").unlink(missing_ok=True)  # of a JVM that was killed
    if target is not None:
        target.unlink(missing_ok=True)
