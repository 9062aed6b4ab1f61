"""Bringing counters home: from the tmpfs where the JVM wrote them to the data directory (see native/store.c)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from instrument.datafile import MAGIC, DataError, contents
from instrument.files import whole

TMPFS = Path("/dev/shm")


def tmpfs_file(path: Path) -> Path | None:
    """Where the counters behind a link of ours lie; None for any other file: what that leads to is not ours to remove."""
    try:
        target = Path(os.readlink(path))
    except OSError:
        return None
    ours = target.parent == TMPFS and target.name.startswith("classhook-") and target.name.endswith(f"-{path.name}")
    return target if ours else None


def bring_home(paths: Iterable[Path]) -> list[str]:
    """Copies counters of JVMs that ended from tmpfs to where their links are, and frees the tmpfs; what stays there, and why."""
    complaints = []
    for path in paths:
        target = tmpfs_file(path)
        if target is None:
            continue
        try:
            data, running = contents(path)
            if running or not data.startswith(MAGIC):
                continue
            with whole(path, mode=0o600) as file:  # as the agent makes it: command lines may hold secrets
                file.write(data)
        except DataError:
            continue  # said when it is read
        except OSError as error:
            complaints.append(f"{target} stays in memory: {path} cannot be written: {error.strerror}")
        else:
            target.unlink(missing_ok=True)
    return complaints


def remove(path: Path) -> None:
    """Removes a data file, with its counters where they lie on the tmpfs. Raises OSError."""
    target = tmpfs_file(path)
    path.unlink()
    if target is not None:
        target.unlink(missing_ok=True)
