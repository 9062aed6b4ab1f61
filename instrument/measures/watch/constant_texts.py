"""Texts as constants of a class file."""

from __future__ import annotations


def encodable(text: str) -> bool:
    """True if a class file's constant can hold the text."""
    return len(text) <= 10_000


def encoded(text: str) -> bytes:
    """Modified UTF-8 (JVMS 4.4.7): each half of a surrogate pair by itself, zero as two bytes."""
    if text.isascii() and "\0" not in text:
        return text.encode()
    made = bytearray()
    units = text.encode("utf-16-be", "surrogatepass")
    for i in range(0, len(units), 2):
        unit = units[i] << 8 | units[i + 1]
        if 0 < unit < 0x80:
            made.append(unit)
        elif unit < 0x800:
            made += bytes((0xC0 | unit >> 6, 0x80 | unit & 0x3F))
        else:
            made += bytes((0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F))
    return bytes(made)
