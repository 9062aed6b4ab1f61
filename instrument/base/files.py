"""Owners and ages of files, and atomic writes: no reader ever sees a partial file, and nothing is left behind if
writing fails.

1. Data goes to a new file in the same folder, with a name that cannot be guessed, so it is never written to a link or
   file that others put there.
2. A folder is opened once, and names are looked up in it: another user who exchanges folders meanwhile does not
   redirect writes or removals.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from classhook.base.errors import UsageError

OLD_SECONDS = 24 * 3600


class NotRegularError(OSError):
    """The file to open is a directory, pipe, device or socket."""


@contextmanager
def opened_folder(path: Path | str, within: int | None = None, follow: bool = True) -> Iterator[int]:
    """A descriptor of a folder, for the `dir_fd` of functions of `os`: names are looked up in this folder, even if its
    path leads elsewhere by then. `within`: an open folder that the path begins at. Raises OSError."""
    descriptor = os.open(
        path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW), dir_fd=within
    )
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_regular(name: Path | str, folder: int | None = None, follow: bool = True) -> int:
    """A descriptor to read a file with. Nothing but a regular file is opened: a pipe may block, and some devices act
    when they are opened.

    Raises OSError.
    """
    there = os.open(name, os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW), dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(there).st_mode):
            raise NotRegularError(errno.EINVAL, "not a regular file")
        return os.open(f"/proc/self/fd/{there}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(there)


def leads_to(folder: int, name: str, known: os.stat_result) -> bool:
    """True if a name in a folder still belongs to the file, or the link, whose status is `known`. Raises OSError."""
    try:
        return os.path.samestat(os.stat(name, dir_fd=folder, follow_symlinks=False), known)
    except FileNotFoundError:
        return False


def listed(folder: int, ending: str) -> list[str]:
    """The names in a folder with this ending. Raises OSError."""
    readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        return sorted(name for name in os.listdir(readable) if name.endswith(ending))
    finally:
        os.close(readable)


def unlink(folder: int, name: str) -> None:
    """Removes a name from a folder if it is there. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


@contextmanager
def new_in(folder: int, mode: int = 0o666) -> Iterator[tuple[str, BinaryIO]]:
    """A new file in a folder, with its name; it is removed afterwards unless it was renamed. `mode`: permissions,
    before the umask.

    Raises OSError.
    """
    name = f".classhook-{os.urandom(12).hex()}"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, mode, dir_fd=folder), "w+b") as file:
        try:
            yield name, file
        except GeneratorExit:  # dropped after an interrupt: the folder may be closed already
            with suppress(OSError):
                unlink(folder, name)
            raise
        except BaseException:
            unlink(folder, name)
            raise
        unlink(folder, name)


@contextmanager
def whole_in(folder: int, name: str, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write to, which replaces the one with this name in a folder once it is complete. Raises OSError."""
    with new_in(folder, mode) as (beside, file):
        yield file
        file.close()
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)


@contextmanager
def whole(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """The same as `whole_in`; missing folders are created. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with opened_folder(path.parent) as folder, whole_in(folder, path.name, mode) as file:
        yield file


@contextmanager
def output(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """The same as `whole`, for a file that the user named: pipes, devices and the target of /dev/stdout are written in
    place.

    A link of another user to a pipe or device is refused, since that user would choose where the data goes.
    """
    opened = os.path.realpath(path.parent) == "/dev" or os.path.realpath(path.parent).startswith("/proc/")
    if not path.exists() or (path.is_file() and not opened):
        with whole(path, mode) as file:
            yield file
        return
    there = os.open(path, os.O_PATH | os.O_CLOEXEC) if opened else _in_place(path)
    try:
        regular = stat.S_ISREG(os.fstat(there).st_mode)
        if regular and not opened:  # it was not a regular file above
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        number = os.open(f"/proc/self/fd/{there}", os.O_WRONLY | os.O_CLOEXEC)
    finally:
        os.close(there)
    with open(number, "wb") as file:
        if regular:
            os.lseek(number, 0, os.SEEK_END)
        yield file


def write_file(path: Path, data: bytes, opened: Callable[[Path], AbstractContextManager[BinaryIO]] = output) -> None:
    """Writes a file for the user, complete or not at all; `opened`: `output` or `whole`. Raises UsageError."""
    with writing(path, opened) as file:
        file.write(data)


@contextmanager
def writing(path: Path, opened: Callable[[Path], AbstractContextManager[BinaryIO]] = output) -> Iterator[BinaryIO]:
    """The same, piece by piece."""
    try:
        with opened(path) as file:
            yield file
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def _in_place(path: Path) -> int:
    """A descriptor, opened with O_PATH, of a pipe or device, or of what a link to one leads to. Raises OSError."""
    there = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    status = os.fstat(there)
    if not stat.S_ISLNK(status.st_mode):
        return there
    try:
        if owner := stranger(status.st_uid):
            raise PermissionError(errno.EPERM, f"a link of {owner} leads to what is not a regular file")
        return os.open(path.parent / os.readlink("", dir_fd=there), os.O_PATH | os.O_CLOEXEC)
    finally:
        os.close(there)


def give_to(descriptor: int, owner: os.stat_result) -> None:
    """Gives a new file to the user whose data root copies into it. Raises OSError."""
    if owner.st_uid != os.geteuid():
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def stranger(owner: int, *friends: int) -> str:
    """The name of a file's owner, if that is not this user, root or one of `friends`; else an empty string."""
    if owner in (os.geteuid(), 0, *friends):
        return ""
    from pwd import getpwuid

    try:
        return getpwuid(owner).pw_name
    except KeyError:
        return f"user {owner}"


def is_old(changed: float, now: float | None = None) -> bool:
    """True if something was changed last more than a day ago; `changed`: Unix time, or by the clock that says `now`."""
    return (time.time() if now is None else now) - changed > OLD_SECONDS
