"""Things in place of a pack of woven classes: files of other sizes, modes and owners, and things that are not files."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

MOST_BYTES = 256 << 20  # of a pack, as in native/weaver/pack.c


def write(path: Path, data: bytes) -> None:
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    path.chmod(0o600)


def sparse(rnd: Random, path: Path, data: bytes) -> None:
    write(path, data)
    os.truncate(path, rnd.choice((1 << 20, 200 << 20, MOST_BYTES, MOST_BYTES + 1, 5 << 30, 300 << 30)))


def empty(rnd: Random, path: Path, data: bytes) -> None:
    write(path, b"")


def hard_link(rnd: Random, path: Path, data: bytes) -> None:
    write(path, data)
    path.with_name("other").unlink(missing_ok=True)
    path.with_name("other").hardlink_to(path)


def fifo(rnd: Random, path: Path, data: bytes) -> None:
    path.unlink()
    os.mkfifo(path)


def listening(rnd: Random, path: Path, data: bytes) -> None:
    path.unlink()
    with suppress(OSError), socket.socket(socket.AF_UNIX) as one:  # its path may be too long
        one.bind(str(path))


def folder(rnd: Random, path: Path, data: bytes) -> None:
    path.unlink()
    path.mkdir()


def link(rnd: Random, path: Path, data: bytes) -> None:
    write(path.with_name("elsewhere"), data)
    path.unlink()
    path.symlink_to(rnd.choice(("elsewhere", "nowhere", path.name, "/dev/zero", "/dev/full")))


def anothers(rnd: Random, path: Path, data: bytes) -> None:
    """A file of another user, if this process may change owners."""
    write(path, data)
    with suppress(PermissionError):
        os.chown(path, 12345, 12345)


def locked_away(rnd: Random, path: Path, data: bytes) -> None:
    write(path, data)
    path.chmod(rnd.choice((0, 0o200, 0o400)))


#: Functions that put something in the pack's place, and whether it belongs to classhook, so that the next runs use or
#: replace it.
INSTEAD: dict[Callable[[Random, Path, bytes], None], bool] = {
    sparse: True,
    empty: True,
    hard_link: True,
    fifo: False,
    listening: False,
    folder: False,
    link: False,
    anothers: False,
    locked_away: False,
}
