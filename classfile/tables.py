"""The tables inside Code that hold code offsets, relocated (JVMS 4.7.12, 4.7.13, 4.7.14, 4.7.20).

Each function takes the table's bytes after its 6-byte header and returns the new ones. An offset that is not an old pc
raises IndexError, which `splice` turns into ClassFormatError.
"""

from __future__ import annotations

from classhook.classfile.annotations import skip_annotation
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.layout import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final


def put_u2(data: bytearray, at: int, number: int, before: int) -> None:
    """Replaces the 16-bit number `before`; unchanged bytes are not stored, since that costs more than comparing."""
    if (number ^ before) & 0xFF00:
        data[at] = number >> 8 & 0xFF
    if (number ^ before) & 0xFF:
        data[at + 1] = number & 0xFF


def line_numbers(data: bytes, at: int, end_at: int, layout: Layout) -> bytes:
    """LineNumberTable: pc 0 stays 0, so that the entry probe has the first line."""
    count = data[at] << 8 | data[at + 1]
    if at + 2 + 4 * count != end_at:
        raise ClassFormatError("LineNumberTable of a wrong length", at)
    new = bytearray(data[at:end_at])
    for entry in range(at + 2, end_at, 4):
        pc = data[entry] << 8 | data[entry + 1]
        if pc:
            if pc >= layout.old_size:
                raise ClassFormatError(
                    "LineNumberTable with a start_pc beyond the code", at
                )  # our handler could make it valid
            put_u2(new, entry - at, layout.land(pc), pc)
    return bytes(new)


def local_variables(data: bytes, at: int, end_at: int, layout: Layout) -> bytes:
    """LocalVariableTable and LocalVariableTypeTable: start 0 stays 0."""
    count = data[at] << 8 | data[at + 1]
    if at + 2 + 10 * count != end_at:
        raise ClassFormatError("local variable table of a wrong length", at)
    new = bytearray(data[at:end_at])
    for entry in range(at + 2, end_at, 10):
        start = data[entry] << 8 | data[entry + 1]
        length = data[entry + 2] << 8 | data[entry + 3]
        new_start = layout.land(start) if start else 0
        put_u2(new, entry - at, new_start, start)
        put_u2(new, entry - at + 2, layout.land(start + length) - new_start, length)
    return bytes(new)


def character_ranges(data: bytes, at: int, end_at: int, layout: Layout) -> bytes:
    """javac's CharacterRangeTable: start_pc, end_pc (of the last byte), then 10 bytes without offsets."""
    count = data[at] << 8 | data[at + 1]
    if at + 2 + 14 * count != end_at:
        raise ClassFormatError("CharacterRangeTable of a wrong length", at)
    new = bytearray(data[at:end_at])
    for entry in range(2, 2 + 14 * count, 14):
        start = new[entry] << 8 | new[entry + 1]
        end = new[entry + 2] << 8 | new[entry + 3]
        new[entry : entry + 2] = (layout.land(start) if start else 0).to_bytes(2, "big")
        new[entry + 2 : entry + 4] = (layout.land(end + 1) - 1).to_bytes(2, "big")
    return bytes(new)


def type_annotations(data: bytes, at: int, end_at: int, layout: Layout) -> bytes:
    """Runtime(In)VisibleTypeAnnotations: the target_info (JVMS 4.7.20.1) by target_type."""
    new = bytearray(data[at:end_at])
    base = at
    count = data[at] << 8 | data[at + 1]
    at += 2
    for _ in range(count):
        if at >= end_at:
            raise ClassFormatError("truncated type annotations", at)
        target_type = data[at]
        at += 1
        if target_type == 0x40 or target_type == 0x41:  # localvar_target
            entries = data[at] << 8 | data[at + 1]
            at += 2
            if at + 6 * entries > end_at:
                raise ClassFormatError("truncated type annotations", at)
            for _ in range(entries):
                start = data[at] << 8 | data[at + 1]
                length = data[at + 2] << 8 | data[at + 3]
                new_start = layout.land(start) if start else 0
                new_length = layout.land(start + length) - new_start
                new[at - base : at - base + 4] = (new_start << 16 | new_length).to_bytes(4, "big")
                at += 6
        elif target_type == 0x42:  # catch_target: an exception table index; split ranges have moved it
            index = layout.first_entry[data[at] << 8 | data[at + 1]]
            new[at - base : at - base + 2] = index.to_bytes(2, "big")
            at += 2
        elif 0x43 <= target_type <= 0x4B:  # offset_target, type_argument_target
            new_pc = layout.instruction(data[at] << 8 | data[at + 1])
            new[at - base : at - base + 2] = new_pc.to_bytes(2, "big")
            at += 2 if target_type < 0x47 else 3
        else:
            raise ClassFormatError(f"type annotation in Code with target type {target_type}", at)
        at += 1 + 2 * data[at]  # type_path
        at = skip_annotation(data, at, end_at)
    if at != end_at:
        raise ClassFormatError("type annotations of a wrong length", at)
    return bytes(new)


RELOCATE: Final[dict[bytes, Callable[[bytes, int, int, Layout], bytes]]] = {
    b"LineNumberTable": line_numbers,
    b"LocalVariableTable": local_variables,
    b"LocalVariableTypeTable": local_variables,
    b"CharacterRangeTable": character_ranges,
    b"RuntimeVisibleTypeAnnotations": type_annotations,
    b"RuntimeInvisibleTypeAnnotations": type_annotations,
}

# The tables that the JVM checks when it loads a class; javac sometimes writes wrong ones of the others.
CHECKED: Final = (b"LineNumberTable", b"LocalVariableTable", b"LocalVariableTypeTable")
