"""Bringing counters home: from the tmpfs where the JVM wrote them to the data directory (see native/store.c)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from instrument.snapshot import DataError, contents


def bring_home(paths: Iterable[Path]) -> None:
    """Copies counters of JVMs that ended from tmpfs to where their links are, and frees the tmpfs."""
    for path in paths:
        if not path.is_symlink() or not path.exists():
            continue
        target = path.resolve()
        try:
            data, running = contents(path)
            if running:
                continue
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            beside.write_bytes(data)
            os.replace(beside, path)
            target.unlink()
        except (OSError, DataError):
            continue  # it is readable where it is
