"""The contents of an object: the values of its fields or elements, and the text of a String."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from classhook.extensions.heap.classes import PRIMITIVE, REFERENCE, Class, width
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.object_columns import Objects
from classhook.extensions.heap.tags import CLASS, INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY

FORMATS = {4: "?", 5: "H", 6: "f", 7: "d", 8: "b", 9: "h", 10: "i", 11: "q"}
LONGEST_TEXT = 1 << 16

DEEPEST = 64  # flattened values within each other
FLAT = 1  # beside the basic types

#: Name, basic type, and a reference's id, the bytes of another value, or FLAT and the id of a flattened value's class.
Value = tuple[str, int, int | bytes]


class Piece(NamedTuple):
    """The contents of an object or a flattened value: its class, how many bytes or elements there are, and where."""

    cls: Class
    length: int
    at: int


def fields(all_: Objects, number: int) -> Iterator[Value]:
    """The fields of an instance; what a class refers to; the elements of an array of objects. A flattened value is
    followed by its fields, whose names begin with its own one."""
    classes, own = all_.heap.classes, all_.parts
    piece = Piece(classes.all[all_.cls[number]], int(all_.length[number]), int(all_.at[number]))
    if all_.tag[number] == CLASS:
        yield from ((name, REFERENCE, id_) for name, id_ in piece.cls.refs)
    else:
        parts = {
            int(own.id[i]): Piece(classes.all[own.cls[i]], int(own.length[i]), int(own.at[i]))
            for i in own.within(number)
        }
        yield from contents(all_.heap, int(all_.tag[number]), piece, parts)


def contents(heap: Heap, tag: int, piece: Piece, parts: dict[int, Piece]) -> Iterator[Value]:
    """The same as `fields`, of an instance or an array. `parts`: its flattened values by id, which are taken out as
    they are found."""
    if tag == INSTANCE:
        yield from _fields(heap, piece, parts, 0)
    elif tag == OBJECT_ARRAY:
        size = heap.dump.id_size
        for i in range(piece.length):
            yield from _reference(heap, f"[{i}]", heap.dump.id_at(piece.at + i * size), parts, 0)


def _fields(heap: Heap, piece: Piece, parts: dict[int, Piece], depth: int) -> Iterator[Value]:
    dump, size = heap.dump, heap.dump.id_size
    for name, type_, offset in heap.classes.places(piece.cls):
        bytes_ = width(type_, size)
        if offset + bytes_ > piece.length:
            continue
        at = piece.at + offset
        if type_ == REFERENCE:
            yield from _reference(heap, name, dump.id_at(at), parts, depth)
        else:
            yield name, type_, bytes(dump.data[at : at + bytes_])


def _reference(heap: Heap, name: str, id_: int, parts: dict[int, Piece], depth: int) -> Iterator[Value]:
    part = parts.pop(id_, None) if parts and depth < DEEPEST else None
    if part is None:
        yield name, REFERENCE, id_
    else:
        yield name, FLAT, part.cls.id
        yield from ((f"{name}.{inner}", type_, value) for inner, type_, value in _fields(heap, part, parts, depth + 1))


def field(all_: Objects, number: int, name: str) -> int | bytes | None:
    """The value of a field of an instance, of the subclass if several have it."""
    return next((value for there, _, value in fields(all_, number) if there == name), None)


def primitive(type_: int, data: bytes) -> str:
    """A value as Java writes it."""
    value = struct.unpack(">" + FORMATS[type_], data)[0]
    if PRIMITIVE[type_][0] == "boolean":
        return str(value).lower()
    return repr(chr(value)) if PRIMITIVE[type_][0] == "char" else str(value)


def string(all_: Objects, number: int) -> str | None:
    """The text of a java.lang.String, None if the object is none."""
    value, coder = field(all_, number, "value"), field(all_, number, "coder")
    array = all_.number(value) if isinstance(value, int) else None
    return None if array is None else text(all_, array, coder == b"\0")


def text(all_: Objects, array: int, latin1: bool) -> str | None:
    """The text in a String's array: bytes of Latin-1 or UTF-16 as the machine has it, or chars, in the dump
    big-endian."""
    name = all_.heap.classes.all[all_.cls[array]].name
    if all_.tag[array] != PRIMITIVE_ARRAY or name not in ("byte[]", "char[]"):
        return None
    at, length = int(all_.at[array]), min(int(all_.length[array]), LONGEST_TEXT)
    data = bytes(all_.heap.dump.data[at : at + length * (2 if name == "char[]" else 1)])
    encoding = "utf-16-be" if name == "char[]" else "latin-1" if latin1 else "utf-16-le"
    return data.decode(encoding, "backslashreplace")
