"""Constant pool entries as text, for the dump (JVMS 4.4)."""

from __future__ import annotations

import struct

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.pool import ConstantPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_WORDS: Final = {9: "", 10: "", 11: "", 16: "MethodType ", 19: "module ", 20: "package "}


def describe(pool: ConstantPool, index: int) -> str:
    """The entry as text, with names for references. Raises ClassFormatError."""
    tag = pool.tag(index)
    entry = pool.entry(index)
    operand = int.from_bytes(entry[1:3], "big")
    if tag == 1:
        return repr(pool.utf8(index))
    if tag == 3 or tag == 5:
        return str(int.from_bytes(entry[1:], "big", signed=True)) + ("L" if tag == 5 else "")
    if tag == 4 or tag == 6:
        value: float = struct.unpack(">f" if tag == 4 else ">d", entry[1:])[0]
        return f"{value!r}{'f' if tag == 4 else 'd'} ({entry[1:].hex()})"
    if tag == 7:
        return pool.class_name(index)
    if tag == 8:
        return repr(pool.utf8(operand))
    if tag == 12:
        return f"{pool.utf8(operand)}:{pool.utf8(int.from_bytes(entry[3:5], 'big'))}"
    if tag == 15:
        target = int.from_bytes(entry[2:4], "big")
        if not 9 <= pool.tag(target) <= 11:
            raise ClassFormatError(f"constant pool index {target} is not a member", pool.at)
        return f"MethodHandle {entry[1]} {describe(pool, target)}"
    if 9 <= tag <= 11 or 17 <= tag <= 18:
        pool.name_and_type(index)  # checks both
        owner = pool.class_name(operand) + "." if tag <= 11 else f"bootstrap {operand} "
        return owner + describe(pool, int.from_bytes(entry[3:5], "big"))
    return _WORDS.get(tag, f"tag {tag} ") + pool.utf8(operand)
