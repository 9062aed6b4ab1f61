"""The facts of a class and its methods, besides code, that filters need: names, flags, annotations, attributes, members
that code names."""

from __future__ import annotations

from classhook.classfile.annotations import skip_annotation
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.pool import ConstantPool
from classhook.classfile.reader import ANNOTATIONS, ClassFile, Method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

VISIBLE: Final = b"RuntimeVisibleAnnotations"
INVISIBLE: Final = b"RuntimeInvisibleAnnotations"
KOTLIN: Final = b"Lkotlin/Metadata;"
DYNAMIC_TAGS: Final = (17, 18)
SYNTHETIC: Final = b"Synthetic"  # the attribute (JVMS 4.7.8), which compilers used before there was the flag
SYNTHETIC_NAME: Final = b"\x01\x00\x09Synthetic"
ACC_SYNTHETIC: Final = 0x1000
ACC_ENUM: Final = 0x4000
NO_LINE: Final = 1 << 16  # beyond all lines
NO_ENUMS: Final[dict[bytes, int]] = {}


class ClassInfo:
    """A class as filters see it. Names are in internal form; texts are raw modified UTF-8.

    notes: descriptors of annotations, by attribute
    enums: numbers of constants, of all classes (see analysis.Options)
    marks_synthetic: methods may have the attribute Synthetic
    first_inlined: the first line of inlined code, NO_LINE if there is none
    memory: what a filter keeps from one method to the next
    """

    __slots__ = (
        "_bootstraps",
        "_members",
        "access",
        "attributes",
        "cf",
        "enums",
        "first_inlined",
        "is_kotlin",
        "marks_synthetic",
        "memory",
        "name",
        "notes",
        "pool",
        "source_file",
        "super_name",
    )

    def __init__(self, cf: ClassFile, enums: dict[bytes, int] = NO_ENUMS) -> None:
        """Raises ClassFormatError."""
        self.cf: ClassFile = cf
        self.enums: dict[bytes, int] = enums
        self.pool: ConstantPool = cf.pool
        self.marks_synthetic: bool = SYNTHETIC_NAME in cf.data[cf.pool.at : cf.pool.end_at]
        self.access: int = cf.access_flags
        self.name: bytes = cf.pool.class_name_bytes(cf.this_class)
        self.super_name: bytes = cf.pool.class_name_bytes(cf.super_class) if cf.super_class else b""
        self.attributes: dict[bytes, tuple[int, int]] = {name: (at, end_at) for name, at, end_at in cf.attributes()}
        if SYNTHETIC in self.attributes:
            self.access |= ACC_SYNTHETIC
        self.notes: dict[bytes, list[bytes]] = read_annotations(cf.pool, cf.attributes())
        self.is_kotlin: bool = any([KOTLIN in found for found in self.notes.values()])
        self.source_file: str = cf.source_file
        self.memory: dict[str, int] = {}
        self.first_inlined: int = NO_LINE
        self._members: dict[int, tuple[bytes, bytes, bytes]] = {}
        self._bootstraps: list[bytes] | None = None

    def member(self, index: int) -> tuple[bytes, bytes, bytes]:
        """Owner, name and descriptor of a member in the constant pool; the owner of a dynamic one is empty."""
        found = self._members.get(index)
        if found is None:
            name, descriptor = self.pool.name_and_type(index)
            owner = b""
            if self.pool.tag(index) not in DYNAMIC_TAGS:
                at = self.pool.offsets[index]
                owner = self.pool.class_name_bytes(self.pool.data[at + 1] << 8 | self.pool.data[at + 2])
            found = self._members[index] = owner, name, descriptor
        return found

    def bootstrap(self, index: int) -> bytes:
        """Owner and name of the bootstrap method of a dynamic constant, as `owner.name`; empty if it cannot be read."""
        if self._bootstraps is None:
            self._bootstraps = _bootstraps(self)
        at = self.pool.offsets[index]
        number = self.pool.data[at + 1] << 8 | self.pool.data[at + 2]
        return self._bootstraps[number] if number < len(self._bootstraps) else b""

    def text(self, index: int) -> bytes:
        """The text of a String constant; empty for others."""
        if self.pool.tag(index) != 8:
            return b""
        at = self.pool.offsets[index]
        return self.pool.utf8_bytes(self.pool.data[at + 1] << 8 | self.pool.data[at + 2])


def enum_constants(cf: ClassFile) -> int:
    """The number of constants of an enum; 0 for other classes."""
    if not cf.access_flags & ACC_ENUM or cf.super_name != "java/lang/Enum":
        return 0
    data = cf.data
    at = cf.pool.end_at + 8 + 2 * len(cf.interfaces)
    fields = data[at] << 8 | data[at + 1]
    at += 2
    found = 0
    for _ in range(fields):
        found += (data[at] << 8 | data[at + 1]) & ACC_ENUM > 0
        attributes = data[at + 6] << 8 | data[at + 7]
        at += 8
        for _ in range(attributes):
            at += 6 + int.from_bytes(data[at + 2 : at + 6], "big")
    return found


class MethodInfo:
    """A method as filters see it; `notes` as in ClassInfo."""

    __slots__ = ("_notes", "access", "cls", "descriptor", "method", "name")

    def __init__(self, cls: ClassInfo, method: Method) -> None:
        self.cls: ClassInfo = cls
        self.method: Method = method
        self.access: int = method.access_flags
        if cls.marks_synthetic and SYNTHETIC in [name for name, _, _ in method.attributes()]:
            self.access |= ACC_SYNTHETIC
        self.name: bytes = cls.pool.utf8_bytes(method.name_index)
        self.descriptor: bytes = cls.pool.utf8_bytes(method.descriptor_index)
        self._notes: dict[bytes, list[bytes]] | None = None

    @property
    def notes(self) -> dict[bytes, list[bytes]]:
        """Descriptors of the method's annotations, by attribute."""
        found = self._notes
        if found is None:
            found = self._notes = read_annotations(self.cls.pool, self.method.attributes())
        return found

    def has_note(self, attribute: bytes, descriptor: bytes) -> bool:
        """True if the method bears this annotation in this attribute."""
        return descriptor in self.notes.get(attribute, [])


def read_annotations(pool: ConstantPool, attributes: list[tuple[bytes, int, int]]) -> dict[bytes, list[bytes]]:
    """The descriptors of annotations, by the name of the attribute."""
    found: dict[bytes, list[bytes]] = {}
    for name, at, end_at in attributes:
        if name in ANNOTATIONS:
            data = pool.data
            names = found.setdefault(name, [])
            try:
                count = data[at + 6] << 8 | data[at + 7]
                at += 8
                for _ in range(count):
                    names.append(pool.utf8_bytes(data[at] << 8 | data[at + 1]))
                    at = skip_annotation(data, at, end_at)
            except IndexError:
                raise ClassFormatError("truncated annotations", at) from None
    return found


def parameters(descriptor: bytes) -> list[bytes]:
    """The descriptors of a method's parameters. Raises ClassFormatError."""
    found: list[bytes] = []
    at = 1
    try:
        while descriptor[at] != 0x29:  # )
            start = at
            while descriptor[at] == 0x5B:  # [
                at += 1
            at = descriptor.index(b";", at) + 1 if descriptor[at] == 0x4C else at + 1
            found.append(descriptor[start:at])
    except (IndexError, ValueError):
        raise ClassFormatError("bad method descriptor", 0) from None
    return found


def _bootstraps(cls: ClassInfo) -> list[bytes]:
    at, end_at = cls.attributes.get(b"BootstrapMethods", (0, 0))
    data = cls.pool.data
    found: list[bytes] = []
    at += 8
    while at + 4 <= end_at:
        handle = cls.pool.offsets[data[at] << 8 | data[at + 1]]
        owner, name, _ = cls.member(data[handle + 2] << 8 | data[handle + 3])
        found.append(owner + b"." + name)
        at += 4 + 2 * (data[at + 2] << 8 | data[at + 3])
    return found
