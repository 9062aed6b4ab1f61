"""The bytes of a dump: the file itself, mapped; or a temporary file, if it is compressed or a pipe.

A mapped file needs no memory of its own: the system reads the pages that are looked at, and drops them when it needs
room. A compressed dump is unpacked first, since references lead anywhere in it.
"""

from __future__ import annotations

import mmap
import os
import shutil
import stat
import tempfile
import zlib
from pathlib import Path
from typing import BinaryIO

from classhook.base.errors import Failure, UsageError
from classhook.extensions.heap.errors import BadDump

GZIP = b"\x1f\x8b"
PIECE = 1 << 20


def mapped(path: Path) -> mmap.mmap:
    """The bytes of a dump. Raises UsageError, BadDump or Failure."""
    try:
        with open(path, "rb") as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            start = file.peek(2)[:2]
            if regular and start != GZIP:
                return _map(file, path)
            with tempfile.TemporaryFile(prefix="classhook-heap-") as unpacked:
                _copy(file, unpacked, path, start == GZIP)
                return _map(unpacked, path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def _map(file: BinaryIO, path: Path) -> mmap.mmap:
    file.flush()
    if not os.fstat(file.fileno()).st_size:
        raise BadDump(path, "the file is empty")
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _copy(file: BinaryIO, target: BinaryIO, path: Path, packed: bool) -> None:
    """Copies a file's bytes, unpacked. jcmd's -gz writes many gzip members, one after the other."""
    try:
        if not packed:
            shutil.copyfileobj(file, target, PIECE)
            return
        one = zlib.decompressobj(wbits=31)
        while data := file.read(PIECE):
            while data:
                if one.eof:
                    one = zlib.decompressobj(wbits=31)
                target.write(one.decompress(data, PIECE * 4))
                data = one.unconsumed_tail or one.unused_data
        if not one.eof:
            raise BadDump(path, "the compressed file ends too early: it is torn")
    except zlib.error as error:
        raise BadDump(path, f"the compressed file is damaged: {error}") from None
    except OSError as error:
        raise Failure(
            f"{path} needs room for its unpacked form in {tempfile.gettempdir()} (set TMPDIR): {error.strerror}"
        ) from None
