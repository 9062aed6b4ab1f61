"""Files as another process names them, found within that process's root.

1. A link in a container may name any path. Following it by way of /proc/PID/root would lead to this process's own
   files, so each step of a path is taken by itself, and an absolute link begins again at the other process's root.
2. Files there may belong to anybody: only regular files are opened, since a pipe or device might block, and only a
   part of them is read.
"""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from stat import S_ISLNK, S_ISREG

MOST_LINKS = 40  # as the kernel's limit
STEP = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def located(root: Path, path: str | Path) -> Path:
    """The place of another process's path for this one, without links; parts that do not exist stay as they are. Raises
    OSError."""
    with ExitStack() as stack:
        names, missing = _walk(stack, root, path)[1:]
    return root.joinpath(*names, *missing)


def read(root: Path, path: str | Path, most: int) -> bytes:
    """The beginning of a regular file. Raises OSError."""
    with ExitStack() as stack:
        at, _, missing = _walk(stack, root, path)
        if missing:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return contents(at, most)


def contents(at: int, most: int) -> bytes:
    """The beginning of the regular file that a descriptor names, which may be one for nothing else (O_PATH). Raises
    OSError."""
    if not S_ISREG(os.fstat(at).st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    with open(os.open(f"/proc/self/fd/{at}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        return file.read(most)


def _walk(stack: ExitStack, root: Path, path: str | Path) -> tuple[int, list[str], list[str]]:
    """A descriptor of the last step that exists, open as long as the stack is; the names of the steps to it, and of
    those that are missing."""

    def step(name: str | Path, folder: int | None = None, flags: int = STEP) -> int:
        at = os.open(name, flags, dir_fd=folder)
        stack.callback(os.close, at)
        return at

    folders, names, links = [step(root, flags=os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)], list[str](), 0
    ahead = _steps(str(path))
    while ahead:
        name = ahead.pop()
        if name == "..":
            del names[-1:], folders[max(len(folders) - 1, 1) :]
            continue
        try:
            at = step(name, folders[-1])
        except FileNotFoundError:
            return folders[-1], names, [name, *reversed(ahead)]
        if not S_ISLNK(os.fstat(at).st_mode):
            folders.append(at)
            names.append(name)
            continue
        links += 1
        if links > MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = os.readlink("", dir_fd=at)
        if target.startswith("/"):
            del folders[1:], names[:]
        ahead += _steps(target)
    return folders[-1], names, []


def _steps(path: str) -> list[str]:
    """The names of the path, the first one last."""
    return [name for name in reversed(PurePosixPath(path).parts) if name not in ("/", "//")]
