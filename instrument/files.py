"""Writing files whole: nobody ever sees a part of one, and nothing is left behind where writing fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write to, which is at `path` once all is written; folders are made. A pipe or device is written as it is.

    `mode`: who may read it, less the umask. Raises OSError.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode), "w+b") as file:
            yield file
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
