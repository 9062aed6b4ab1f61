"""Small damage to class files: bytes anywhere and, more effectively, in the parts that the weaver parses."""

from __future__ import annotations

from random import Random

from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile

INTERESTING = (0, 1, 2, 3, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF)


def mutate(rnd: Random, data: bytes) -> bytes:
    """The class with one to four changes."""
    for _ in range(rnd.choice((1, 1, 1, 2, 4))):
        data = rnd.choice((anywhere, anywhere, in_code, in_code, in_code, in_tables, in_tables, in_pool))(rnd, data)
    return data


def changed(rnd: Random, data: bytes, start: int, end: int) -> bytes:
    """One change between these bytes."""
    new = bytearray(data)
    if end <= start:
        return data
    at = rnd.randrange(start, end)
    kind = rnd.randrange(6)
    if kind == 0:
        new[at] ^= 1 << rnd.randrange(8)
    elif kind == 1:
        new[at] = rnd.randrange(256)
    elif kind == 2:
        new[at : at + 2] = rnd.choice(INTERESTING).to_bytes(2, "big")
    elif kind == 3:
        old = int.from_bytes(new[at : at + 2], "big")
        new[at : at + 2] = (old + rnd.choice((-4, -3, -1, 1, 2, 3, 8)) & 0xFFFF).to_bytes(2, "big")
    elif kind == 4:
        there = rnd.randrange(start, end)
        length = rnd.randrange(1, 9)
        new[at : at + length] = new[there : there + length]
    else:
        there = rnd.randrange(start, end)
        new[at], new[there] = new[there], new[at]
    return bytes(new[: len(data)]) if rnd.randrange(8) else bytes(new)


def anywhere(rnd: Random, data: bytes) -> bytes:
    if rnd.randrange(30) == 0:
        return data[: rnd.randrange(len(data) + 1)]
    return changed(rnd, data, 0, len(data))


def codes(rnd: Random, data: bytes) -> tuple[ClassFile, Code] | None:
    """A method's Code, if there is a readable one."""
    try:
        cf = ClassFile.parse(data)
        places = [method.code_at for method in cf.methods if method.code_at]
        return (cf, Code.parse(data, rnd.choice(places), cf.pool)) if places else None
    except ClassFormatError:
        return None


def in_code(rnd: Random, data: bytes) -> bytes:
    """Changes an instruction: another opcode, other operands; or max_stack and max_locals."""
    found = codes(rnd, data)
    if found is None:
        return anywhere(rnd, data)
    code = found[1]
    if rnd.randrange(8) == 0:
        return changed(rnd, data, code.at + 6, code.at + 10)
    return changed(rnd, data, code.code_at, code.code_at + len(code.code))


def in_tables(rnd: Random, data: bytes) -> bytes:
    """Changes the exception table or an attribute of the Code, StackMapTable above all."""
    found = codes(rnd, data)
    if found is None:
        return anywhere(rnd, data)
    code = found[1]
    maps = [(at + 6, end_at) for name, at, end_at in code.attributes if name == b"StackMapTable"]
    places = [(at, end_at) for _, at, end_at in code.attributes] + maps * 4
    table_at = code.code_at + len(code.code)
    if code.exception_table:
        places += [(table_at + 2, table_at + 2 + 8 * len(code.exception_table))] * 3
    return changed(rnd, data, *rnd.choice(places)) if places else anywhere(rnd, data)


def in_pool(rnd: Random, data: bytes) -> bytes:
    try:
        return changed(rnd, data, 8, ClassFile.parse(data).pool.end_at)
    except ClassFormatError:
        return anywhere(rnd, data)
