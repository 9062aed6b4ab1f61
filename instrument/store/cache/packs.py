"""The cache of woven classes on disk: its place, contents and size limit (native/weaver/cache.c reads and writes
it)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from classhook.base.files import listed, unlink

MOST_BYTES = 512 << 20
MAGIC = b"CLSPACK1"
SUFFIX = ".pack"


class Pack(NamedTuple):
    """One file of woven classes, for one set of rules and build of classhook. `used`: Unix time of its last change."""

    name: str
    bytes: int
    used: float


def default_directory() -> Path:
    """$XDG_CACHE_HOME/classhook, by default ~/.cache/classhook."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "classhook"


def packs(folder: int) -> list[Pack]:
    """The packs of a cache directory, which is open, most recently used first."""
    found = []
    for name in listed(folder, SUFFIX):
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue  # another process has just removed it
        found.append(Pack(name, status.st_size, status.st_mtime))
    return sorted(found, key=lambda pack: -pack.used)


def remove(folder: int, doomed: Sequence[Pack]) -> None:
    """Removes packs; a JVM that has one open keeps using it."""
    for pack in doomed:
        unlink(folder, pack.name)


def prune(folder: int, most: int = MOST_BYTES) -> None:
    """Removes the least recently used packs, until the others have at most `most` bytes in all."""
    total, doomed = 0, []
    for pack in packs(folder):
        total += pack.bytes
        if total > most:
            doomed.append(pack)
    remove(folder, doomed)
