"""Moves counters from the tmpfs, where the JVM wrote them, to the data directory, as one file without holes (see
native/base/store.c).

The directory may belong to another user, who may exchange links and folders at any moment while root works here. So:

1. The folder, the link and the file are opened once each; checks, reading and copying use these descriptors.
2. A link is followed only to a file of the same owner, and the copy gets this owner, too.
3. A name is replaced or removed only if it still belongs to the file that was read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISLNK, S_ISREG

from classhook.base.files import give_to, leads_to, listed, new_in, open_regular, opened_folder, unlink
from classhook.store.compact import compact
from classhook.store.extents import Extents
from classhook.store.opening import DataError, is_locked, open_second, read_header, second
from classhook.store.reading import read_opened

TMPFS = Path("/dev/shm")
NO_ENDS: Mapping[int, int] = {}


@dataclass(slots=True)
class Found:
    """A data file in an open folder: the name that it has there, a link or the file itself, and the file with the data.
    `target`: on the tmpfs; `second`: the second file, if the data goes on there."""

    folder: int
    name: str
    entry: os.stat_result
    descriptor: int
    data: os.stat_result
    target: Path | None
    second: os.stat_result | None = None

    @property
    def is_to_be_moved(self) -> bool:
        """True if it lies on the tmpfs, or is mostly holes, as are those that the agent makes if there is no tmpfs."""
        return self.target is not None or self.data.st_size > 2 * 512 * self.data.st_blocks

    def open_second(self) -> int:
        """Raises OSError if there is none, or it is another user's."""
        descriptor = open_second(self.folder, self.name, self.data.st_uid)
        self.second = os.fstat(descriptor)
        return descriptor


def on_tmpfs(text: str, name: str) -> Path | None:
    """The target of a data file's link if it lies on the tmpfs, and None for any other target, which must not be
    removed."""
    target = Path(text)
    ours = target.parent == TMPFS and target.name.startswith("classhook-") and target.name.endswith(f"-{name}")
    return target if ours else None


@contextmanager
def found(path: Path) -> Iterator[Found | None]:
    """A data file; None if it cannot be opened, or is a link to anything but its owner's file on the tmpfs."""
    with ExitStack() as stack:
        try:
            data = _found(path, stack)
        except OSError:
            data = None
        yield data


def _found(path: Path, stack: ExitStack) -> Found | None:
    folder = stack.enter_context(opened_folder(path.parent))
    entry, target = _look(folder, path.name)
    if S_ISLNK(entry.st_mode) and (
        target is None or entry.st_nlink > 1
    ):  # the agent makes no second name; another user may
        return None
    descriptor = open_regular(target or path.name, folder, follow=False)
    stack.callback(os.close, descriptor)
    data = os.fstat(descriptor)
    if target is None:
        entry = data
    return Found(folder, path.name, entry, descriptor, data, target) if data.st_uid == entry.st_uid else None


def _look(folder: int, name: str) -> tuple[os.stat_result, Path | None]:
    """The status of a name in a folder and, of a link to the tmpfs, the target; both of the same link. Raises
    OSError."""
    there = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        entry = os.fstat(there)
        return entry, on_tmpfs(os.readlink("", dir_fd=there), name) if S_ISLNK(entry.st_mode) else None
    finally:
        os.close(there)


def move_to_disk(paths: Iterable[Path], ends: Mapping[int, int] = NO_ENDS) -> list[str]:
    """Replaces data files of ended JVMs that lie on the tmpfs or have holes by files without holes, and frees the
    tmpfs. `ends`: by its process id, when a JVM was seen to end (CLOCK_MONOTONIC, ns). Returns messages about files for
    which that failed."""
    complaints = []
    for path in paths:
        with found(path) as data:
            if data is None or not data.is_to_be_moved:
                continue
            try:
                file = read_opened(path, Extents(data.descriptor), is_locked(data.descriptor), data.open_second)
                if file.running or file.notes:  # keep damaged files for inspection
                    continue
                moved = _replace(data, compact(file, ends.get(file.header.pid, 0)))
            except DataError:
                continue  # reported when it is read
            except OSError as error:
                complaints.append(_why_not_moved(data, path, error))
            else:
                complaints += _free(data, path) if moved else []
    return complaints


def _why_not_moved(data: Found, path: Path, error: OSError) -> str:
    if data.target is not None:
        return f"{data.target} stays there: {path} cannot be written: {error.strerror}"
    sizes = f"its size is {data.data.st_size:,} bytes, of which {512 * data.data.st_blocks:,} are on the disk"
    return (
        f"{path} keeps its holes ({sizes}): {error.strerror}; the next `classhook report` tries again to write it"
        " without holes"
    )


def _replace(data: Found, pieces: Iterable[bytes | memoryview]) -> bool:
    """Writes the file without holes in its place; False if something else is there by now. Raises OSError."""
    with new_in(data.folder, 0o600) as (beside, file):  # as the agent makes it: command lines may contain secrets
        give_to(file.fileno(), data.data)
        for piece in pieces:
            file.write(piece)
        file.close()
        if not leads_to(data.folder, data.name, data.entry):
            return False
        os.replace(beside, data.name, src_dir_fd=data.folder, dst_dir_fd=data.folder)
    return True


def _free(data: Found, path: Path) -> Iterator[str]:
    """Removes the files that were replaced; messages where that fails."""
    if data.second is not None:
        yield from _removed(data.folder, second(path), data.second)
    if data.target is not None:
        try:
            with opened_folder(data.target.parent) as memory:
                yield from _removed(memory, data.target, data.data)
        except OSError as error:
            yield f"{data.target} cannot be removed: {error.strerror}"


def _removed(folder: int, path: Path, known: os.stat_result) -> Iterator[str]:
    try:
        if leads_to(folder, path.name, known):
            unlink(folder, path.name)
    except OSError as error:
        yield f"{path} cannot be removed: {error.strerror}"


def remove(path: Path) -> None:
    """Removes a data file, with its counters on the tmpfs, and what lies beside it. Raises OSError."""
    with opened_folder(path.parent) as folder:
        remove_in(folder, path.name)


def remove_in(folder: int, name: str) -> None:
    """The same of one in an open folder. Raises OSError."""
    entry, target = _look(folder, name)
    os.unlink(name, dir_fd=folder)
    for more in (
        second(Path(name)).name,
        f"{name}.base",
        Path(name).with_suffix(".ctl").name,
    ):  # the socket of a JVM that was killed
        unlink(folder, more)
    if target is not None:
        with suppress(FileNotFoundError), opened_folder(target.parent) as memory:
            status = os.stat(target.name, dir_fd=memory, follow_symlinks=False)
            if S_ISREG(status.st_mode) and status.st_uid == entry.st_uid:
                unlink(memory, target.name)


def sweep(folder: int) -> None:
    """Removes the counters of JVMs that were killed when they had no session, which lie in the data directory where
    there is no tmpfs. `folder`: the directory, open. Raises OSError."""
    for name in listed(folder, ".classhook.live"):
        if name.startswith(".") and _is_unused(folder, name):
            unlink(folder, name)
            unlink(folder, second(Path(name)).name)


def _is_unused(folder: int, name: str) -> bool:
    """True if no JVM counts in a file any more, and all its sessions have files of their own."""
    try:
        descriptor = open_regular(name, folder, follow=False)
    except OSError:
        return False
    try:
        running = is_locked(descriptor)
        return not running and bool(read_header(Path(name), Extents(descriptor), running).moved)
    except (DataError, OSError):
        return False
    finally:
        os.close(descriptor)
