"""Classes woven ahead of time, as instrument/ahead/seal.py makes them: how they end, and the class files that they
were."""

from __future__ import annotations

import zlib

from classhook.classfile.reader import ClassFile

MAGIC = b"CLSHOOK\n"
TRAILER = 20
MOST = 8 << 20  # bytes; larger classes are not woven


def is_woven(data: bytes) -> bool:
    """True if the class was woven ahead of time."""
    return data.endswith(MAGIC)


def original(data: bytes) -> bytes | None:
    """The class file that was woven ahead of time for coverage; None for others, and for what is damaged."""
    if not is_woven(data):
        return None
    end_at = len(data) - TRAILER - int.from_bytes(data[-12:-8], "big")
    try:
        *_, (_, at, _) = ClassFile.parse(data).attributes()
        return zlib.decompressobj().decompress(data[at + 6 : max(end_at, 0)], MOST) or None
    except (ValueError, IndexError, zlib.error):
        return None
