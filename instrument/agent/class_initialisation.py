"""The time that static initialisers have taken, on all threads, as HotSpot counts it for its own tools.

HotSpot keeps its counters in a file, unless -XX:-UsePerfData or -XX:+PerfDisableSharedMem is set; the file's layout is
that of perfMemory.hpp: a head, and entries of a name and a value.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MAGIC: Final = b"\xca\xfe\xc0\xc0"
HEAD: Final = 32  # bytes
ENTRIES: Final = struct.Struct("<ii")  # the first one's offset, and their number, at the end of the head
ENTRY: Final = struct.Struct("<iiibbbbi")  # length, offset of the name, ..., offset of the value
NUMBER: Final = struct.Struct("<q")
TIME, FREQUENCY = b"sun.cls.classInitTime", b"sun.os.hrt.frequency"
MOST_BYTES: Final = 1 << 20

_counter: tuple[int, int, int] | None = None  # the open file, the value's offset, and ticks in a second
_is_looked_for = False


def so_far() -> int:
    """In ns; 0 if the JVM does not count it."""
    global _counter, _is_looked_for
    if not _is_looked_for:
        _is_looked_for = True
        try:
            _counter = _find(os.open(_path(), os.O_RDONLY | os.O_CLOEXEC))
        except (OSError, KeyError, ValueError, struct.error):
            _counter = None
    if _counter is None:
        return 0
    file, at, frequency = _counter
    (ticks,) = NUMBER.unpack(os.pread(file, NUMBER.size, at))
    return int(ticks) * 1_000_000_000 // frequency


def _path() -> str:
    import pwd

    return f"/tmp/hsperfdata_{pwd.getpwuid(os.geteuid()).pw_name}/{os.getpid()}"


def _find(file: int) -> tuple[int, int, int]:
    """Raises ValueError, struct.error or KeyError if the file is none, or lacks a counter."""
    data = os.pread(file, MOST_BYTES, 0)
    if data[:4] != MAGIC:
        raise ValueError(data[:4])
    at, number = ENTRIES.unpack_from(data, HEAD - ENTRIES.size)
    values: dict[bytes, int] = {}
    for _ in range(number):
        length, name, *_, value = ENTRY.unpack_from(data, at)
        values[data[at + name : data.index(b"\0", at + name)]] = at + value
        at += length
    (frequency,) = NUMBER.unpack_from(data, values[FREQUENCY])
    return file, values[TIME], max(1, frequency)
