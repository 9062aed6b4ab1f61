"""Whose files are, how old, and atomic writes: nobody ever sees a partial file, and nothing is left behind if writing fails.

Data goes to a new file in the same folder, with a name that nobody can guess, so it is never written to a link or file that others
put there.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

OLD_SECONDS = 24 * 3600


@contextmanager
def new(folder: Path, mode: int = 0o666) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file in a folder, with its path; it is removed afterwards unless it was renamed. `mode`: permissions, before the umask.

    Raises OSError.
    """
    path = folder / f".classhook-{os.urandom(12).hex()}"
    with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode), "w+b") as file:
        try:
            yield path, file
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def whole(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write to, which replaces `path` once it is complete; missing folders are created. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with new(path.parent, mode) as (beside, file):
        yield file
        file.close()
        os.replace(beside, path)


@contextmanager
def output(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """As `whole`, for a file that the user named: pipes, devices and the target of /dev/stdout are written in place."""
    opened = os.path.realpath(path.parent) == "/dev" or os.path.realpath(path.parent).startswith("/proc/")
    if not path.exists() or (path.is_file() and not opened):
        with whole(path, mode) as file:
            yield file
        return
    number = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    with open(number, "wb") as file:
        if stat.S_ISREG(os.fstat(number).st_mode):
            if not opened:  # it was not a regular file above
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            os.lseek(number, 0, os.SEEK_END)
        yield file


def stranger(owner: int, *friends: int) -> str:
    """The name of a file's owner, if that is not this user, root or one of `friends`; else an empty string."""
    if owner in (os.geteuid(), 0, *friends):
        return ""
    from pwd import getpwuid

    try:
        return getpwuid(owner).pw_name
    except KeyError:
        return f"user {owner}"


def is_old(changed: float) -> bool:
    """Whether something was changed last more than a day ago; `changed`: Unix time."""
    return time.time() - changed > OLD_SECONDS
