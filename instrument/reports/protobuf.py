"""Messages of Protocol Buffers, as far as profiles need them (protobuf.dev/programming-guides/encoding)."""

from __future__ import annotations

from collections.abc import Iterable

BYTES, FIXED64 = 2, 1  # wire types; 0 is a varint


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
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
    return varint(at << 3 | FIXED64) + value.to_bytes(8, "little")


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
