"""Finds data on the tmpfs to which no data directory links any more: the directory was removed before anybody moved the
data there.

1. A file on the tmpfs says in its header where its link is, and in which mount namespace that is a path
   (native/base/store.c).
2. It is let be while its JVM runs, if it is another user's or of another namespace, and if its header cannot be read.
3. A directory that was renamed, beside the old one, still links to it. A folder that cannot be looked at may link to
   it, too.
4. A directory that was moved elsewhere cannot be found. So nothing is removed by itself unless the directory is gone
   and the file is old, also by the clock that nobody sets, which the file's JVM has read last.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from classhook.base.files import is_old
from classhook.native._layout import ffi
from classhook.store.opening import DataError, opened, read_header
from classhook.store.tmpfs import TMPFS

NAMESPACE = "/proc/self/ns/mnt"
ENDINGS = (".classhook", ".classhook.live")  # of files with a link, and of those of JVMs that are not measured any more


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file on the tmpfs; `bytes`: what it takes there; `link`: where its link was; `changed`: when it was changed
    last, as Unix time; `last_ns`: the JVM's last CLOCK_MONOTONIC; `moved`: its data is elsewhere, and its JVM was
    killed after its last session."""

    path: Path
    bytes: int
    link: Path
    changed: float
    last_ns: int
    moved: bool = False

    @property
    def is_abandoned(self) -> bool:
        """True if its directory is gone, and the file has not been moved from the tmpfs for a day."""
        by_both_clocks = is_old(self.changed) and is_old(self.last_ns / 1e9, time.monotonic())
        return by_both_clocks and (self.moved or _is_gone(self.link.parent))


def orphans(folder: Path = TMPFS) -> Iterator[Orphan]:
    """The orphans of this user."""
    try:
        here = os.stat(NAMESPACE).st_ino
    except OSError:
        return
    for path in sorted(path for ending in ENDINGS for path in folder.glob(f"classhook-{os.geteuid()}-*{ending}")):
        try:
            status = path.lstat()
            if not S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                continue
            with opened(path) as (file, running):
                header = read_header(path, file, running)
        except (DataError, OSError):
            continue
        link = Path(os.fsdecode(ffi.string(header.link)))
        if running or header.mounts != here or not link.is_absolute() or (not header.moved and _linked(link, path)):
            continue
        yield Orphan(path, status.st_blocks * 512, link, status.st_mtime, _signed(header.last_ns), bool(header.moved))


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _linked(link: Path, target: Path) -> bool:
    """True if the link is there, or in a folder beside its own, or may be there."""
    if _may_lead_to(link, target):
        return True
    try:
        beside = list(link.parent.parent.iterdir())
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return any(_may_be_data(folder) and _may_lead_to(folder / link.name, target) for folder in beside)


def _may_lead_to(link: Path, target: Path) -> bool:
    """True if this is a link to the target; also if that cannot be told."""
    try:
        return Path(os.readlink(link)) == target
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _may_be_data(folder: Path) -> bool:
    """True if this is a folder that others than its owner may enter, or one of this user: else it is no data directory
    of this user."""
    try:
        status = folder.stat()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return S_ISDIR(status.st_mode) and (status.st_uid == os.geteuid() or os.access(folder, os.X_OK))


def _is_gone(folder: Path) -> bool:
    try:
        folder.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        pass
    return False


def remove(found: list[Orphan]) -> int:
    """Removes them; returns how many bytes that frees. Raises OSError."""
    for orphan in found:
        orphan.path.unlink(missing_ok=True)
    return sum(orphan.bytes for orphan in found)
