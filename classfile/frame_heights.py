"""Walks the frames of a StackMapTable, decoding only the stack height (JVMS 4.7.4)."""

from __future__ import annotations

from classhook.classfile.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mypy_extensions import i64


def frames_end(data: bytes, frames_at: i64) -> i64:
    """The byte after the StackMapTable whose number_of_entries is at `frames_at`."""
    return frames_at + (
        data[frames_at - 4] << 24 | data[frames_at - 3] << 16 | data[frames_at - 2] << 8 | data[frames_at - 1]
    )


def next_frame(data: bytes, at: i64, constants: i64) -> tuple[i64, i64, i64]:
    """The stack map frame at `at`: the byte after it, its offset_delta, and the slots on the stack.

    Raises Refused if it names a class or field by a constant beyond the pool.
    """
    kind: i64 = data[at]
    at += 1
    if kind == 246:  # early_larval_frame
        fields: i64 = data[at] << 8 | data[at + 1]
        at += 2
        while fields:
            fields -= 1
            _check(data[at] << 8 | data[at + 1], constants, at)
            at += 2
        kind = data[at]
        at += 1
    if kind < 64:
        return at, kind, 0
    height: i64 = 0
    if kind < 128:
        at, height = _types(data, at, 1, constants)
        return at, kind - 64, height
    delta: i64 = data[at] << 8 | data[at + 1]
    at += 2
    if kind == 255:
        at, height = _types(data, at + 2, data[at] << 8 | data[at + 1], constants)
        at, height = _types(data, at + 2, data[at] << 8 | data[at + 1], constants)
    elif kind == 247:
        at, height = _types(data, at, 1, constants)
    elif kind > 251:
        at, _ = _types(data, at, kind - 251, constants)
    return at, delta, height


def _types(data: bytes, at: i64, left: i64, constants: i64) -> tuple[i64, i64]:
    """The byte after `left` verification types, and the slots that they take."""
    slots: i64 = left
    while left:
        left -= 1
        tag: i64 = data[at]
        at += 1
        if tag == 7:
            _check(data[at] << 8 | data[at + 1], constants, at)
            at += 2
        elif tag == 8:
            at += 2
        elif tag == 3 or tag == 4:  # Double, Long
            slots += 1
    return at, slots


def _check(index: i64, constants: i64, at: i64) -> None:
    if index >= constants:
        raise Refused(f"a frame with constant {index}, where the pool ends with {constants - 1},", at)
