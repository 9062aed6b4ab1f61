"""Opens data files and reads their headers. A file that a running JVM writes is locked; it may go on in a second
file."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from classhook.base.files import NotRegularError, open_regular
from classhook.native._layout import ffi, lib
from classhook.store.extents import Extents
from classhook.store.layout import HEADER_BYTES, MAGIC

LATEST_NS = 250_000_000_000 * 10**9  # start times after the year 9892 are invalid
SECOND = ".more"


class DataError(Exception):
    """A file that is not a data file or cannot be read; the text says which and why."""


@contextmanager
def opened(path: Path) -> Iterator[tuple[Extents, bool]]:
    """The file, and whether its JVM is running, which then holds the lock. Raises DataError, OSError."""
    try:
        descriptor = open_regular(path)
    except FileNotFoundError:
        gone = "its counters were in memory (/dev/shm), which has been cleared; only that JVM's counts are lost"
        raise DataError(f"{path}: {gone if path.is_symlink() else 'no such file'}") from None
    except NotRegularError:
        raise DataError(f"{path}: not a file") from None
    try:
        yield Extents(descriptor), is_locked(descriptor)
    finally:
        os.close(descriptor)


def is_locked(descriptor: int) -> bool:
    """True if a JVM that runs holds the file's lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass  # a file system without locks
    return False


def open_second(folder: int | None, name: Path | str, owner: int | None = None) -> int:
    """The second file, in which the data file goes on, if it belongs to `owner`. Raises OSError."""
    descriptor = open_regular(second(Path(name)), folder, follow=False)
    if owner is not None and os.fstat(descriptor).st_uid != owner:
        os.close(descriptor)
        raise PermissionError
    return descriptor


def second(path: Path) -> Path:
    """The second file, used when a data file has reached its limit on the memory file system."""
    return path.with_name(path.name + SECOND)


def read_header(path: Path, file: Extents, running: bool) -> Any:
    """The file's struct ch_header. Raises DataError."""
    data = file.read(0, HEADER_BYTES)
    if not data:
        raise DataError(f"{path}: empty")
    if data[:8] != MAGIC:
        raise DataError(f"{path}: its JVM is just starting" if running else f"{path}: not a classhook data file")
    if len(data) < HEADER_BYTES:
        raise DataError(f"{path}: truncated within its header after {len(data):,} bytes; nothing can be read")
    header = ffi.from_buffer("struct ch_header *", data)
    if header.format != lib.CH_FORMAT or header.header_bytes != HEADER_BYTES:
        raise DataError(
            f"{path}: written by another version of classhook (format {header.format}, this one reads {lib.CH_FORMAT});"
            " report it with that version"
        )
    if not 0 <= header.start_unix_ns < LATEST_NS:
        raise DataError(f"{path}: its header is damaged; nothing can be read")
    return header


def live_header(path: Path) -> Any:
    """The header of a file of which nothing else is to be read. Raises DataError, OSError."""
    with opened(path) as (file, running):
        return read_header(path, file, running)


def place_of(path: Path) -> str:
    """The path that the data file of a JVM's session has for that JVM; "" if it does not say. Raises DataError,
    OSError."""
    header = live_header(path)  # keeps the memory in which its text lies
    return os.fsdecode(ffi.string(header.link))
