"""Messages of Protocol Buffers, as far as reports need them (protobuf.dev/programming-guides/encoding)."""

from __future__ import annotations

from collections.abc import Iterable
from struct import pack

BYTES, FIXED64 = 2, 1  # wire types; 0 is a varint
WIDTHS = {FIXED64: 8, 5: 4}  # bytes
MOST = (1 << 64) - 1


def varint(value: int) -> bytes:
    value &= MOST
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def number(at: int, value: int) -> bytes:
    """A field with an integer."""
    return varint(at << 3) + varint(value)


def fixed64(at: int, value: int) -> bytes:
    """A field with an integer of eight bytes."""
    return varint(at << 3 | FIXED64) + (value & MOST).to_bytes(8, "little")


def double(at: int, value: float) -> bytes:
    """A field with a number of eight bytes."""
    return varint(at << 3 | FIXED64) + pack("<d", value)


def signed(at: int, value: int) -> bytes:
    """A field of the types sint32 or sint64, for integers that may be negative."""
    return number(at, value << 1 if value >= 0 else ~(value << 1))


def field(at: int, data: bytes) -> bytes:
    """A field with bytes, text or a message."""
    return varint(at << 3 | BYTES) + varint(len(data)) + data


def text(at: int, value: str) -> bytes:
    return field(at, value.encode("utf-8", "backslashreplace"))


def packed(at: int, values: Iterable[int]) -> bytes:
    return field(at, b"".join(map(varint, values)))


class Strings:
    """A table of strings: each has a number, the empty one 0."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def __call__(self, value: str) -> int:
        return self.numbers.setdefault(value, len(self.numbers))

    def message(self, at: int) -> bytes:
        """The table as a repeated field."""
        return b"".join(text(at, value) for value in self.numbers)


def fields(data: bytes) -> dict[int, int | bytes]:
    """The fields of a message by number, the last value of each; of a damaged one those before the damage."""
    found: dict[int, int | bytes] = {}
    at = 0
    try:
        while at < len(data):
            key, at = _varint_at(data, at)
            kind = key & 7
            if kind == 0:
                found[key >> 3], at = _varint_at(data, at)
                continue
            length, at = (WIDTHS[kind], at) if kind in WIDTHS else _varint_at(data, at)
            if kind not in (BYTES, *WIDTHS) or at + length > len(data):
                break
            found[key >> 3] = data[at : at + length]
            at += length
    except IndexError:
        pass
    return found


def _varint_at(data: bytes, at: int) -> tuple[int, int]:
    """The integer at this place, and the place behind it. Raises IndexError at the end."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at
