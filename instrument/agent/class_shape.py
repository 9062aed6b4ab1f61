"""The shape of a class, which is fixed when the class is defined: the JVM exchanges the code of loaded classes, and
keeps all that this module compares."""

from __future__ import annotations

from classhook.classfile.reader import ClassFile, attribute_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: Attributes that name classes, and where their list begins, behind the header of 6 bytes (JVMS 4.7.28, 4.7.29,
#: 4.7.31).
LISTS: Final = {b"NestHost": 6, b"NestMembers": 8, b"PermittedSubclasses": 8}


def shape(cls: ClassFile) -> tuple[object, ...]:
    """Flags, supertypes, nest, fields and methods. Raises ClassFormatError."""
    pool = cls.pool
    methods = sorted(
        (pool.utf8_bytes(m.name_index), pool.utf8_bytes(m.descriptor_index), m.access_flags) for m in cls.methods
    )
    interfaces = [pool.class_name_bytes(index) for index in cls.interfaces]
    above = pool.class_name_bytes(cls.super_class) if cls.super_class else b""
    return cls.access_flags, above, interfaces, fields(cls), methods, named_classes(cls)


def fields(cls: ClassFile) -> list[tuple[bytes, bytes, int]]:
    """Name, descriptor and flags of each (JVMS 4.5), in order."""
    data, pool = cls.data, cls.pool
    at = pool.end_at + 8 + 2 * len(cls.interfaces)
    found = []
    count = two(data, at)
    at += 2
    for _ in range(count):
        found.append((pool.utf8_bytes(two(data, at + 2)), pool.utf8_bytes(two(data, at + 4)), two(data, at)))
        attributes = two(data, at + 6)
        at += 8
        for _ in range(attributes):
            at += 6 + int.from_bytes(data[at + 2 : at + 6], "big")
    return found


def named_classes(cls: ClassFile) -> list[tuple[bytes, list[bytes]]]:
    """The classes that each of LISTS names; the Record attribute counts, too, as one that names none."""
    data = cls.data
    found = []
    for name, start, end in attribute_table(cls.pool, data, cls.attributes_at, len(data)):
        if name in LISTS:
            found.append(
                (name, sorted(cls.pool.class_name_bytes(two(data, at)) for at in range(start + LISTS[name], end, 2)))
            )
        elif name == b"Record":
            found.append((name, []))
    return sorted(found)


def two(data: bytes, at: int) -> int:
    return data[at] << 8 | data[at + 1]
