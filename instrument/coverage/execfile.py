"""JaCoCo's data files: which probes of which classes were hit, in sessions.

Blocks of a type byte and its fields, big endian: the header (0x01, 0xC0C0, 0x1007), sessions (0x10: id, start, end),
classes (0x11: class id, name, hits). Text is a length of 16 bits and modified UTF-8. Hits are their number in groups of
7 bits, low ones first, then a bit each, the lowest first. Classes that come more than once, as in files that were
appended to, are united.
"""

from __future__ import annotations

import struct

import mutf8  # type: ignore[import-untyped]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

HEADER: Final = b"\x01\xc0\xc0\x10\x07"
SESSION: Final = 0x10
CLASS: Final = 0x11


class BadExecFile(ValueError):
    """The bytes are not a data file of JaCoCo; the text says what is wrong and where."""


class Session:
    """A run: `start` and `end` in milliseconds since 1970."""

    __slots__ = ("end", "id", "start")

    def __init__(self, id_: str, start: int, end: int) -> None:
        self.id: str = id_
        self.start: int = start
        self.end: int = end


class Executed:
    """A class: its id (signed), its name in internal form, and a byte for each of its probes, 1 if it was hit."""

    __slots__ = ("class_id", "name", "probes")

    def __init__(self, class_id: int, name: str, probes: bytes) -> None:
        self.class_id: int = class_id
        self.name: str = name
        self.probes: bytes = probes


class ExecFile:
    """The contents of a file; `classes` by class id."""

    __slots__ = ("classes", "sessions")

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self.classes: dict[int, Executed] = {}

    def add(self, one: Executed) -> None:
        """Adds a class, or its hits to those that are there. Raises BadExecFile if they are of another class."""
        known = self.classes.setdefault(one.class_id, one)
        if known is not one:
            if known.name != one.name or len(known.probes) != len(one.probes):
                raise BadExecFile(
                    f"different classes with the id {one.class_id & 0xFFFFFFFFFFFFFFFF:016x}: {known.name} and"
                    f" {one.name}"
                )
            known.probes = bytes([a | b for a, b in zip(known.probes, one.probes, strict=True)])


def read(data: bytes) -> ExecFile:
    """Reads a file, or several one behind the other. Raises BadExecFile."""
    found = ExecFile()
    at = 0
    try:
        while at < len(data):
            if at == 0 or data[at] == HEADER[0]:
                if data[at : at + len(HEADER)] != HEADER:
                    raise BadExecFile(f"not a data file of JaCoCo in the format 0x1007, at byte {at}")
                at += len(HEADER)
            elif data[at] == SESSION:
                id_, at = _text(data, at + 1)
                found.sessions.append(Session(id_, *struct.unpack_from(">qq", data, at)))
                at += 16
            elif data[at] == CLASS:
                (class_id,) = struct.unpack_from(">q", data, at + 1)
                name, at = _text(data, at + 9)
                probes, at = _probes(data, at)
                found.add(Executed(class_id, name, probes))
            else:
                raise BadExecFile(f"unknown block type {data[at]} at byte {at}")
    except (IndexError, struct.error, UnicodeDecodeError):
        raise BadExecFile(f"the file ends, or is damaged, at byte {at}") from None
    return found


def write(file: ExecFile) -> bytes:
    """The file's bytes. Classes without a hit are left out, as JaCoCo does."""
    parts = [HEADER]
    for session in file.sessions:
        parts.append(bytes((SESSION,)) + _packed(session.id) + struct.pack(">qq", session.start, session.end))
    for one in file.classes.values():
        if any(one.probes):
            parts.append(
                bytes((CLASS,)) + struct.pack(">q", one.class_id) + _packed(one.name) + _packed_probes(one.probes)
            )
    return b"".join(parts)


def _text(data: bytes, at: int) -> tuple[str, int]:
    end = at + 2 + (data[at] << 8 | data[at + 1])
    if end > len(data):
        raise IndexError
    text: str = mutf8.decode_modified_utf8(data[at + 2 : end])
    return text, end


def _packed(text: str) -> bytes:
    raw: bytes = mutf8.encode_modified_utf8(text)
    return len(raw).to_bytes(2, "big") + raw


def _probes(data: bytes, at: int) -> tuple[bytes, int]:
    count = 0
    shift = 0
    while True:
        byte = data[at]
        at += 1
        count |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    end = at + (count + 7) // 8
    if end > len(data):
        raise IndexError
    return bytes([data[at + (i >> 3)] >> (i & 7) & 1 for i in range(count)]), end


def _packed_probes(probes: bytes) -> bytes:
    number = bytearray()
    count = len(probes)
    while count > 0x7F:
        number.append(count & 0x7F | 0x80)
        count >>= 7
    number.append(count)
    bits = bytearray((len(probes) + 7) // 8)
    for i in range(len(probes)):
        if probes[i]:
            bits[i >> 3] |= 1 << (i & 7)
    return bytes(number + bits)
