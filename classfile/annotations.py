"""Annotations (JVMS 4.7.16): the names in an attribute, and where each annotation ends.

1. An element value is skipped with an explicit stack of counters, not by recursion: the input may nest deeply.
2. Every read is within `end_at`; a table that does not end exactly there is malformed.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.pool import ConstantPool


def annotation_names(pool: ConstantPool, data: bytes, at: int, end_at: int) -> list[str]:
    """Binary names (dots) of the annotations in a Runtime(In)VisibleAnnotations table from its num_annotations on."""
    names: list[str] = []
    known: dict[int, str] = {}  # by type_index: a hostile class may use one long name often
    try:
        count = data[at] << 8 | data[at + 1]
        at += 2
        for _ in range(count):
            type_index = data[at] << 8 | data[at + 1]
            name = known.get(type_index)
            if name is None:
                name = known[type_index] = pool.utf8(type_index)[1:-1].replace("/", ".")
            names.append(name)
            at = skip_annotation(data, at, end_at)
    except IndexError:
        raise ClassFormatError("truncated annotations", at) from None
    if at != end_at:
        raise ClassFormatError("annotations of a wrong length", at)
    return names


def skip_annotation(data: bytes, at: int, end_at: int) -> int:
    """The byte after the annotation that begins (with its type_index) at `at`."""
    # Each level: how many values remain, and whether each is preceded by a name.
    counts = [data[at + 2] << 8 | data[at + 3]]
    named = [True]
    at += 4
    while counts:
        if at > end_at:
            raise ClassFormatError("truncated annotation", end_at)
        if counts[-1] == 0:
            counts.pop()
            named.pop()
            continue
        counts[-1] -= 1
        if named[-1]:
            at += 2
        if at >= end_at:
            raise ClassFormatError("truncated annotation", end_at)
        tag = data[at]
        if tag == 0x65:  # e: an enum constant
            at += 5
        elif tag == 0x5B:  # [
            counts.append(data[at + 1] << 8 | data[at + 2])
            named.append(False)
            at += 3
        elif tag == 0x40:  # @
            counts.append(data[at + 3] << 8 | data[at + 4])
            named.append(True)
            at += 5
        elif tag in b"BCDFIJSZsc":
            at += 3
        else:
            raise ClassFormatError(f"unknown element value tag {tag}", at)
    if at > end_at:
        raise ClassFormatError("truncated annotation", end_at)
    return at
