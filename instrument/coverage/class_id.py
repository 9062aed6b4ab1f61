"""JaCoCo's class id, by which its data files name a class: a CRC-64 of the class file.

The polynomial is 0xD800000000000000, reflected, from 0 on and without a final xor. Its bits are all at the top, so that
a table entry is 16 bits wide. Class files of Java 9 count as those of Java 8, since JaCoCo's agent once read them so.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

_POLYNOMIAL: Final = 0xD800000000000000
_MAJOR_AT: Final = 7
_JAVA_8: Final = 52
_JAVA_9: Final = 53


def _table() -> list[int]:
    """The upper 16 bits of the entries of the usual table; the lower ones are 0."""
    table: list[int] = []
    for byte in range(256):
        entry = byte
        for _ in range(8):
            entry = entry >> 1 ^ (_POLYNOMIAL if entry & 1 else 0)
        table.append(entry >> 48)
    return table


_TABLE: Final = _table()


def class_id(data: bytes) -> int:
    """The id of a class file, signed 64 bits as Java has it."""
    return _signed(_crc(data))


def _signed(crc: int) -> int:
    return crc - (1 << 64) if crc >> 63 == 1 else crc


def _crc(data: bytes) -> i64:
    """The CRC in 64 bits: negative if compiled and the upper bit is set, else not."""
    crc: i64 = 0
    table = _TABLE
    at: i64 = 0
    size: i64 = len(data)
    while at < size:
        byte: i64 = data[at]
        if at == _MAJOR_AT and byte == _JAVA_9:
            byte = _JAVA_8
        top: i64 = table[(crc ^ byte) & 0xFF]
        crc = ((crc >> 8) & 0x00FFFFFFFFFFFFFF) ^ (top << 48)
        at += 1
    return crc
