"""Reads a class file (JVMS 4.1) into positions of its members and attributes; everything else is read when needed.

1. Header, constant pool (positions only), this_class, super_class, interfaces.
2. Fields are skipped; for each method, its position, flags and the position of its Code attribute are kept.
3. Class attributes are skipped; nothing may follow them.
All positions are checked to be within the class, and in order.
"""

from __future__ import annotations

from classhook.classfile.annotations import annotation_names
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.pool import ConstantPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

ANNOTATIONS: Final = (b"RuntimeVisibleAnnotations", b"RuntimeInvisibleAnnotations")
ACC_STATIC: Final = 0x0008
STATIC_NEEDED: Final = 51  # major version before which <clinit> is static whatever its flags are (JVMS 2.9.2, 4.6)


def attribute_table(pool: ConstantPool, data: bytes, at: int, end_at: int) -> list[tuple[bytes, int, int]]:
    """(name, start_at, end_at) of each attribute of the table whose count is at `at` and which ends exactly at
    `end_at`.

    start_at is where the attribute's 6-byte header begins.
    """
    if at + 2 > end_at:
        raise ClassFormatError("truncated attributes", at)
    found: list[tuple[bytes, int, int]] = []
    count = data[at] << 8 | data[at + 1]
    at += 2
    for _ in range(count):
        if at + 6 > end_at:
            raise ClassFormatError("truncated attribute", at)
        next_at = at + 6 + (data[at + 2] << 24 | data[at + 3] << 16 | data[at + 4] << 8 | data[at + 5])
        if next_at > end_at:
            raise ClassFormatError("attribute beyond the end of its table", at)
        found.append((pool.utf8_bytes(data[at] << 8 | data[at + 1]), at, next_at))
        at = next_at
    if at != end_at:
        raise ClassFormatError("attributes of a wrong length", at)
    return found


class Method:
    """A method_info (JVMS 4.6) at bytes start_at..end_at; code_at..code_end is its Code attribute, 0 if it has none."""

    __slots__ = ("access_flags", "code_at", "code_end", "descriptor_index", "end_at", "name_index", "pool", "start_at")

    def __init__(
        self, pool: ConstantPool, start_at: int, access_flags: int, name_index: int, descriptor_index: int
    ) -> None:
        self.pool: ConstantPool = pool
        self.start_at: int = start_at
        self.access_flags: int = access_flags
        self.name_index: int = name_index
        self.descriptor_index: int = descriptor_index
        self.code_at: int = 0
        self.code_end: int = 0
        self.end_at: int = 0

    @property
    def name(self) -> str:
        """The method's name, <init> for a constructor."""
        return self.pool.utf8(self.name_index)

    @property
    def descriptor(self) -> str:
        """The method's descriptor (JVMS 4.3.3)."""
        return self.pool.utf8(self.descriptor_index)

    def attributes(self) -> list[tuple[bytes, int, int]]:
        """(name, start_at, end_at) of each of the method's attributes."""
        return attribute_table(self.pool, self.pool.data, self.start_at + 6, self.end_at)

    def annotations(self) -> list[str]:
        """Binary names of the method's annotations, visible at run time or not (JVMS 4.7.16, 4.7.17)."""
        return _annotations(self.pool, self.attributes())


class ClassFile:
    """A parsed class file; `methods` in order. Fields of JVMS 4.1 keep their names."""

    __slots__ = (
        "access_flags",
        "attributes_at",
        "data",
        "interfaces",
        "major",
        "methods",
        "minor",
        "pool",
        "super_class",
        "this_class",
    )

    def __init__(self, data: bytes) -> None:
        self.data: bytes = data
        if len(data) < 24 or data[:4] != b"\xca\xfe\xba\xbe":
            raise ClassFormatError("not a class file", 0)
        self.minor: int = data[4] << 8 | data[5]
        self.major: int = data[6] << 8 | data[7]
        self.pool: ConstantPool = ConstantPool(data, 8)
        self.interfaces: list[int] = []
        self.methods: list[Method] = []
        self.access_flags: int = 0
        self.this_class: int = 0
        self.super_class: int = 0
        self.attributes_at: int = 0
        try:
            self._read_members(self.pool.end_at)
        except IndexError:
            raise ClassFormatError("truncated class file", len(data)) from None

    @staticmethod
    def parse(data: bytes) -> ClassFile:
        """Reads a class file of any major version; raises ClassFormatError."""
        return ClassFile(data)

    def _read_members(self, at: int) -> None:
        data = self.data
        constants = self.pool.count
        self.access_flags = data[at] << 8 | data[at + 1]
        self.this_class = _index(data, at + 2, constants)
        self.super_class = _index(data, at + 4, constants)
        count = data[at + 6] << 8 | data[at + 7]
        at += 8
        for _ in range(count):
            self.interfaces.append(_index(data, at, constants))
            at += 2
        count = data[at] << 8 | data[at + 1]
        at += 2
        for _ in range(count):
            _index(data, at + 2, constants)
            _index(data, at + 4, constants)
            at = _skip_attributes(data, at + 6, constants)
        at = self._read_methods(at)
        self.attributes_at = at
        at = _skip_attributes(data, at, constants)
        if at != len(data):
            raise ClassFormatError("bytes after the class file" if at < len(data) else "truncated class file", at)

    def _read_methods(self, at: int) -> int:
        data = self.data
        pool = self.pool
        methods = self.methods
        size = len(data)
        code_name = 0
        count = data[at] << 8 | data[at + 1]
        at += 2
        for _ in range(count):
            flags = data[at] << 8 | data[at + 1]
            name = _index(data, at + 2, pool.count)
            if self.major < STATIC_NEEDED and not flags & ACC_STATIC and pool.utf8_bytes(name) == b"<clinit>":
                flags |= ACC_STATIC
            method = Method(pool, at, flags, name, _index(data, at + 4, pool.count))
            attributes = data[at + 6] << 8 | data[at + 7]
            at += 8
            while attributes:
                attributes -= 1
                name_index = data[at] << 8 | data[at + 1]
                next_at = at + 6 + (data[at + 2] << 24 | data[at + 3] << 16 | data[at + 4] << 8 | data[at + 5])
                if next_at > size:
                    raise ClassFormatError("attribute beyond the class file", at)
                if name_index == code_name or pool.utf8_bytes(name_index) == b"Code":
                    if method.code_at:
                        raise ClassFormatError("two Code attributes", at)
                    code_name = name_index
                    method.code_at = at
                    method.code_end = next_at
                at = next_at
            method.end_at = at
            methods.append(method)
        return at

    @property
    def name(self) -> str:
        """The class's own name in internal form."""
        return self.pool.class_name(self.this_class)

    def fields(self) -> list[tuple[int, int, int]]:
        """Access flags, and the pool indices of name and descriptor, of each of the class's own fields."""
        data, constants = self.data, self.pool.count
        at = self.pool.end_at + 8 + 2 * len(self.interfaces)
        count = data[at] << 8 | data[at + 1]
        at += 2
        found: list[tuple[int, int, int]] = []
        for _ in range(count):
            found.append(
                (data[at] << 8 | data[at + 1], data[at + 2] << 8 | data[at + 3], data[at + 4] << 8 | data[at + 5])
            )
            at = _skip_attributes(data, at + 6, constants)
        return found

    @property
    def super_name(self) -> str:
        """The superclass's name in internal form; empty for java/lang/Object and modules."""
        return self.pool.class_name(self.super_class) if self.super_class else ""

    @property
    def interface_names(self) -> list[str]:
        """The interfaces' names in internal form."""
        return [self.pool.class_name(index) for index in self.interfaces]

    def attributes(self) -> list[tuple[bytes, int, int]]:
        """(name, start_at, end_at) of each of the class's own attributes."""
        return attribute_table(self.pool, self.data, self.attributes_at, len(self.data))

    @property
    def source_file(self) -> str:
        """The name in SourceFile (JVMS 4.7.10); empty if there is none."""
        for name, at, end_at in self.attributes():
            if name == b"SourceFile":
                if end_at - at != 8:
                    raise ClassFormatError("SourceFile of a wrong length", at)
                return self.pool.utf8(self.data[at + 6] << 8 | self.data[at + 7])
        return ""

    def annotations(self) -> list[str]:
        """Binary names of the class's annotations, visible at run time or not."""
        return _annotations(self.pool, self.attributes())


def _index(data: bytes, at: int, constants: int) -> int:
    """The index at `at`, which must be below the pool's count `constants`."""
    index = data[at] << 8 | data[at + 1]
    if index >= constants:
        raise ClassFormatError(f"constant {index}, where the pool ends with {constants - 1},", at)
    return index


def _skip_attributes(data: bytes, at: int, constants: int) -> int:
    """The byte after the attribute table whose count is at `at`; the caller turns IndexError into ClassFormatError."""
    count = data[at] << 8 | data[at + 1]
    at += 2
    while count:
        count -= 1
        _index(data, at, constants)
        at += 6 + (data[at + 2] << 24 | data[at + 3] << 16 | data[at + 4] << 8 | data[at + 5])
    return at


def _annotations(pool: ConstantPool, attributes: list[tuple[bytes, int, int]]) -> list[str]:
    names: list[str] = []
    for name, at, end_at in attributes:
        if name in ANNOTATIONS:
            names += annotation_names(pool, pool.data, at + 6, end_at)
    return names
