"""Finds data on the tmpfs to which no data directory links any more: the directory was removed before anybody moved the data there.

1. A file on the tmpfs says in its header where its link is, and in which mount namespace that is a path (native/base/store.c).
2. It is let be while its JVM runs, if it is another user's or of another namespace, and if its header cannot be read.
3. A directory that was renamed, beside the old one, still links to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from instrument.data.file import DataError, opened, read_header
from instrument.data.tmpfs import TMPFS
from native._layout import ffi

NAMESPACE = "/proc/self/ns/mnt"


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file on the tmpfs; `bytes`: what it takes there; `link`: where its link was."""

    path: Path
    bytes: int
    link: Path


def orphans(folder: Path = TMPFS) -> Iterator[Orphan]:
    """Those of this user."""
    try:
        here = os.stat(NAMESPACE).st_ino
    except OSError:
        return
    for path in sorted(folder.glob(f"classhook-{os.geteuid()}-*.classhook")):
        try:
            status = path.lstat()
            if not S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                continue
            with opened(path) as (file, running):
                header = read_header(path, file, running)
        except (DataError, OSError):
            continue
        link = Path(os.fsdecode(ffi.string(header.link)))
        if running or header.mounts != here or not link.is_absolute() or _linked(link, path):
            continue
        yield Orphan(path, status.st_blocks * 512, link)


def _linked(link: Path, target: Path) -> bool:
    """Whether the link is there, or in a folder beside its own."""
    places = [link]
    with suppress(OSError):
        places += [folder / link.name for folder in link.parent.parent.iterdir()]
    return any(_leads_to(place, target) for place in places)


def _leads_to(link: Path, target: Path) -> bool:
    try:
        return Path(os.readlink(link)) == target
    except OSError:
        return False


def remove(found: list[Orphan]) -> int:
    """Removes them; returns how many bytes that frees. Raises OSError."""
    for orphan in found:
        orphan.path.unlink(missing_ok=True)
    return sum(orphan.bytes for orphan in found)
