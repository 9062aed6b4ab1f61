"""The parts of a data file: the layout is in native/classhook.h, and the constants are the build's."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Any, NamedTuple

from classhook.native._layout import ffi, lib
from classhook.store.extents import Extents

MAGIC = b"CLSHOOK\n"
HEADER_BYTES = ffi.sizeof("struct ch_header")
META = Struct("=4I")  # struct ch_meta: bytes, kind, first slot, slots
META_BYTES = META.size
ENTRY_BYTES = ffi.sizeof("struct ch_entry")
PART_BYTES = lib.CH_ENTRIES * ENTRY_BYTES  # of the directory


class Entry(NamedTuple):
    """struct ch_entry."""

    kind: int
    file: int
    block: int
    offset: int
    bytes: int
    first: int

    @property
    def possible(self) -> bool:
        """True if it may describe a region: in one of the two files, after the header, within the address range."""
        aligned = (self.offset | self.bytes | self.first) % lib.CH_UNIT == 0
        return aligned and self.file <= 1 and (self.offset > 0 or self.file > 0) and self.first < 1 << 63


def directory(file: Extents, header: Any) -> Iterator[Entry | None]:
    """The directory's entries; None if it continues at an impossible place."""
    entries, at, parts = header.directory, 0, {0}
    for _ in range(header.entries):
        if at == lib.CH_ENTRIES:
            yield None
            return
        entry = entries[at]
        at += 1
        if entry.kind != lib.CH_DIRECTORY:
            yield Entry(entry.kind, entry.file, entry.block, entry.offset, entry.bytes, entry.first)
            continue
        part = b""
        if entry.offset not in parts and entry.offset % lib.CH_CHUNK == 0 and entry.offset < file.size:
            part = file.read(entry.offset, PART_BYTES)
        if len(part) < PART_BYTES:
            yield None
            return
        parts.add(entry.offset)
        entries, at = ffi.from_buffer("struct ch_entry[]", part), 0


def text_of(field: Any) -> str:
    """A text of the header."""
    return bytes(ffi.buffer(field)).split(b"\0", 1)[0].decode("utf-8", "replace")


def command_of(header: Any) -> list[str]:
    """The words of the JVM's command line."""
    return bytes(ffi.buffer(header.command)).split(b"\0\0", 1)[0].decode("utf-8", "replace").split("\0")


def read_supertypes(text: bytes) -> tuple[str, list[str]]:
    """The class of a record CH_META_SUPERTYPES, and its supertypes that rules name."""
    name, *supertypes = (part.decode("utf-8", "replace").replace("/", ".") for part in text.split(b"\0"))
    return name, supertypes
