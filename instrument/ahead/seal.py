"""What a class woven ahead of time carries: its probe table, and for coverage the class file as it was.

1. The class gets an attribute at its end, so that the file ends with: the table, the position of the first number, how many numbers, the
   length of the table, and a magic word. The agent finds these, numbers the probes and reads the table (native/classes/woven_ahead.c),
   without Python.
2. If a rule covers the class, its original lies compressed in front of the table. The agent keeps the woven class in the store of originals
   (native/classes/original_files.c), and the report takes the original out of it.
"""

from __future__ import annotations

import zlib
from struct import pack

from classfile.reader import ClassFile
from instrument.weaving import probe_table
from instrument.weaving.class_weaver import Woven
from rules.ruleset import RuleSet

ATTRIBUTE = b"Classhook"
MAGIC = b"CLSHOOK\n"
TRAILER = 20
MOST = 8 << 20  # bytes; larger classes are not woven


def seal(woven: Woven, rules: RuleSet, original: bytes) -> bytes:
    """The woven class with its probe table in an attribute."""
    data = woven.data
    assert data is not None
    lines = [woven.table[0], *(("U", rule.text) for rule in rules.rules), *woven.table[1:]]
    table = probe_table.encode(lines)
    kept = zlib.compress(original) if any(line[0] == "O" for line in woven.table) else b""
    cf = ClassFile.parse(data)
    index = cf.pool.add_utf8(ATTRIBUTE)
    info = kept + table + pack(">III", woven.integers_at, woven.slots, len(table)) + MAGIC
    at = cf.attributes_at
    count = int.from_bytes(data[at : at + 2], "big") + 1
    pieces = [data[:8], cf.pool.to_bytes(), data[cf.pool.end_at : at], count.to_bytes(2, "big"), data[at + 2 :]]
    return b"".join([*pieces, pack(">HI", index, len(info)), info])


def is_woven(data: bytes) -> bool:
    """Whether the class was woven ahead of time."""
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
