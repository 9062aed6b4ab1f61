"""What is in an object: the values of its fields or elements, and the text of a String."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from classhook.heap.classes import PRIMITIVE, REFERENCE, width
from classhook.heap.object_columns import Objects
from classhook.heap.tags import CLASS, INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY

FORMATS = {4: "?", 5: "H", 6: "f", 7: "d", 8: "b", 9: "h", 10: "i", 11: "q"}
LONGEST_TEXT = 1 << 16

#: Name, basic type, and a reference's id, or the bytes of another value.
Value = tuple[str, int, int | bytes]


def fields(all_: Objects, number: int) -> Iterator[Value]:
    """The fields of an instance; what a class refers to; the elements of an array of objects."""
    dump, classes = all_.heap.dump, all_.heap.classes
    at, length, size = int(all_.at[number]), int(all_.length[number]), dump.id_size
    one = classes.all[all_.cls[number]]
    if all_.tag[number] == INSTANCE:
        for name, type_, offset, _ in classes.layout(one):
            bytes_ = width(type_, size)
            if offset + bytes_ <= length:
                yield name, type_, dump.id_at(at + offset) if type_ == REFERENCE else bytes(dump.data[at + offset : at + offset + bytes_])
    elif all_.tag[number] == CLASS:
        yield from ((name, REFERENCE, id_) for name, id_ in one.refs)
    elif all_.tag[number] == OBJECT_ARRAY:
        yield from ((f"[{i}]", REFERENCE, dump.id_at(at + i * size)) for i in range(length))


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
    """The text in a String's array: bytes of Latin-1 or UTF-16 as the machine has it, or chars, in the dump big-endian."""
    name = all_.heap.classes.all[all_.cls[array]].name
    if all_.tag[array] != PRIMITIVE_ARRAY or name not in ("byte[]", "char[]"):
        return None
    at, length = int(all_.at[array]), min(int(all_.length[array]), LONGEST_TEXT)
    data = bytes(all_.heap.dump.data[at : at + length * (2 if name == "char[]" else 1)])
    encoding = "utf-16-be" if name == "char[]" else "latin-1" if latin1 else "utf-16-le"
    return data.decode(encoding, "backslashreplace")
