"""The attributes of a class woven ahead of time: its probe table, and for coverage the original class file.

1. The class gets an attribute at its end, so that the file ends with: the table, the position of the first number, how
   many numbers, the length of the table, and a magic word. The agent finds these, numbers the probes and reads the
   table (native/classes/woven_ahead.c), without Python.
2. If a rule covers the class, its original lies compressed in front of the table. The agent keeps the woven class in
   the store of originals (native/weaver/original_files.c), and the report takes the original out of it
   (instrument/store/woven_ahead.py).
"""

from __future__ import annotations

import zlib
from struct import pack

from classhook.classfile.reader import ClassFile
from classhook.probes import probe_table
from classhook.probes.records import OriginalRecord, RuleTextRecord
from classhook.rules.ruleset import RuleSet
from classhook.store.woven_ahead import MAGIC
from classhook.weaving.class_weaver import Woven

ATTRIBUTE = b"Classhook"


def seal(woven: Woven, rules: RuleSet, original: bytes) -> bytes:
    """The woven class with its probe table in an attribute."""
    data = woven.data
    assert data is not None
    table = probe_table.encode([woven.table[0], *(RuleTextRecord(rule.text) for rule in rules.rules), *woven.table[1:]])
    kept = zlib.compress(original) if any(isinstance(record, OriginalRecord) for record in woven.table) else b""
    cf = ClassFile.parse(data)
    index = cf.pool.add_utf8(ATTRIBUTE)
    info = kept + table + pack(">III", woven.integers_at, woven.slots, len(table)) + MAGIC
    at = cf.attributes_at
    count = int.from_bytes(data[at : at + 2], "big") + 1
    pieces = [data[:8], cf.pool.to_bytes(), data[cf.pool.end_at : at], count.to_bytes(2, "big"), data[at + 2 :]]
    return b"".join([*pieces, pack(">HI", index, len(info)), info])
