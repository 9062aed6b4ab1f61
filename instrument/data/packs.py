"""The cache of woven classes on disk: its place, contents and size limit (native/classes/cache.c reads and writes it)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

MOST_BYTES = 512 << 20
MAGIC = b"CLSPACK1"


class Pack(NamedTuple):
    """One file of woven classes, for one set of rules and build of classhook. `used`: Unix time of its last change."""

    path: Path
    bytes: int
    used: float


def default_directory() -> Path:
    """$XDG_CACHE_HOME/classhook, by default ~/.cache/classhook."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "classhook"


def packs(directory: Path) -> list[Pack]:
    """The packs of a cache directory, most recently used first."""
    found = []
    for path in directory.glob("*.pack"):
        try:
            status = path.stat()
        except OSError:
            continue  # another process has just removed it
        found.append(Pack(path, status.st_size, status.st_mtime))
    return sorted(found, key=lambda pack: -pack.used)


def remove(doomed: Sequence[Pack]) -> None:
    """Removes packs; a JVM that has one open keeps using it."""
    for pack in doomed:
        pack.path.unlink(missing_ok=True)


def prune(directory: Path, most: int = MOST_BYTES) -> None:
    """Removes the least recently used packs, until the others have at most `most` bytes in all."""
    total, doomed = 0, []
    for pack in packs(directory):
        total += pack.bytes
        if total > most:
            doomed.append(pack)
    remove(doomed)
