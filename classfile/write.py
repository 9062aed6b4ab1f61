"""Puts a woven class together: header, pool, and slices of the old class around replaced parts."""

from __future__ import annotations

from classhook.classfile.reader import ClassFile


def rebuild(cf: ClassFile, replaced: dict[int, bytes]) -> bytes:
    """The class with the Code attribute that begins at byte `method.code_at` replaced, for each key of `replaced`.

    A value is a complete attribute with its 6-byte header, as `splice` makes it. Raises KeyError if a key is not the
    start of a Code.
    """
    data = cf.data
    pieces = [data[:8], cf.pool.to_bytes()]
    at = cf.pool.end_at
    left = len(replaced)
    for method in cf.methods:
        if not left:
            break
        new = replaced.get(method.code_at)
        if new is not None:
            pieces.append(data[at : method.code_at])
            pieces.append(new)
            at = method.code_end
            left -= 1
    if left:
        raise KeyError("no Code attribute at that place")
    pieces.append(data[at:])
    return b"".join(pieces)
