"""The layout of a data file (native/classhook.h), and new data files with given content."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from classhook.native._layout import ffi
from classhook.store.compact import IN_A_PART
from classhook.store.extents import Extents
from classhook.store.layout import ENTRY_BYTES, HEADER_BYTES, MAGIC, META_BYTES, Entry, lib
from classhook.store.opening import second

NAME = "bad.classhook"
Place = tuple[int, int, int]  # file (0, or 1 for the second), position, bytes

TEXT_FIELDS = ("jvm", "jvm_name", "command")
DIRECTORY_AT = ffi.offsetof("struct ch_header", "directory")


def copied(source: Path, target: Path) -> None:
    """Copies a file and keeps its holes."""
    number = os.open(source, os.O_RDONLY)
    try:
        extents = Extents(number)
        with target.open("wb") as to:
            for at, piece in extents.data(0, extents.size):
                to.seek(at)
                to.write(piece)
            to.truncate(extents.size)
    finally:
        os.close(number)


def copied_both(source: Path, target: Path) -> None:
    """Copies a data file and its second file, if any."""
    copied(source, target)
    second(target).unlink(missing_ok=True)
    if second(source).exists():
        copied(second(source), second(target))


def peek(path: Path, at: int, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(at)
        return file.read(size)


def poke(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def packed(entry: Entry) -> bytes:
    return bytes(ffi.buffer(ffi.new("struct ch_entry *", entry._asdict())))


def written(
    path: Path,
    regions: Iterable[tuple[int, int, int, bytes]],
    slots: int,
    metadata: Iterable[tuple[int, int, int, bytes]],
    *,
    meta_used: int = 0,
    pid: int = 1,
) -> None:
    """A new file from regions (kind, block, position, content) and descriptions (kind, first slot, slots, text)."""
    texts = b"".join(
        text.ljust(-(-len(text) // 8) * 8, b"\0")
        for kind, first, n, content in metadata
        for text in [bytes(ffi.buffer(ffi.new("struct ch_meta *", (len(content), kind, first, n)))) + content]
    )
    pieces = [(lib.CH_META, 0, 0, texts), *regions]
    parts = max(1, -(-len(pieces) // IN_A_PART))
    at, entries, data = parts * lib.CH_CHUNK, [], []
    for kind, block, position, content in pieces:
        filled = content.ljust(-(-len(content) // lib.CH_UNIT) * lib.CH_UNIT, b"\0")
        entries.append((kind, 0, block, at, len(filled), position))
        data.append(filled)
        at += len(filled)
    header = ffi.new("struct ch_header *")
    header.magic, header.format, header.header_bytes, header.pid = MAGIC, lib.CH_FORMAT, HEADER_BYTES, pid
    header.start_unix_ns, header.how_ended = 10**18, lib.CH_EXIT
    header.slots_used, header.meta_used, header.entries = slots, meta_used or len(texts), len(entries) + parts - 1
    with path.open("wb") as file:
        file.write(bytes(ffi.buffer(header))[:DIRECTORY_AT])
        for part in range(parts):
            own = entries[part * IN_A_PART : (part + 1) * IN_A_PART]
            if part < parts - 1:
                own.append((lib.CH_DIRECTORY, 0, 0, (part + 1) * lib.CH_CHUNK, lib.CH_CHUNK, 0))
            file.write(bytes(ffi.buffer(ffi.new("struct ch_entry[]", own))))
            file.seek((part + 1) * lib.CH_CHUNK)
        file.writelines(data)


# ---- the layout


@dataclass
class Places:
    """The places of an undamaged file's parts."""

    header: list[Place] = field(default_factory=list)
    directory: list[tuple[int, Entry]] = field(default_factory=list)  # its position; in the first file
    entries: list[Place] = field(default_factory=list)  # their fields
    metas: list[Place] = field(default_factory=list)  # the fields before each text
    texts: list[Place] = field(default_factory=list)
    slots: list[Place] = field(default_factory=list)
    records: list[Place] = field(default_factory=list)  # their fields, and their octaves' numbers
    data: list[Place] = field(default_factory=list)  # everything except holes


def fields_of(struct: str, file: int, at: int) -> list[Place]:
    return [
        (file, at + one.offset, ffi.sizeof(one.type))
        for _, one in ffi.typeof(struct).fields
        if one.type.kind == "primitive"
    ]


def places(path: Path) -> Places:
    found = Places(header=fields_of("struct ch_header", 0, 0))
    header = ffi.from_buffer("struct ch_header *", peek(path, 0, HEADER_BYTES))
    at = DIRECTORY_AT
    for _ in range(header.entries):
        raw = ffi.from_buffer("struct ch_entry *", peek(path, at, ENTRY_BYTES))
        entry = Entry(raw.kind, raw.file, raw.block, raw.offset, raw.bytes, raw.first)
        found.directory.append((at, entry))
        found.entries += fields_of("struct ch_entry", 0, at)
        at = entry.offset if entry.kind == lib.CH_DIRECTORY else at + ENTRY_BYTES
    for number, one in enumerate((path, second(path))):
        if one.exists():
            file = os.open(one, os.O_RDONLY)
            found.data += [(number, at, len(piece)) for at, piece in Extents(file).data(0, 1 << 62)]
            os.close(file)
    for _, entry in found.directory:
        one = second(path) if entry.file else path
        if entry.kind == lib.CH_META and not entry.first:
            _texts(one, entry, header.meta_used, found)
        elif entry.kind == lib.CH_SLOTS:
            first = entry.first // 8
            found.slots += [
                (entry.file, entry.offset + 8 * i, 8)
                for i in range(max(0, min(header.slots_used - first, entry.bytes // 8)))
            ]
        elif entry.kind == lib.CH_RECORDS and not entry.first:
            for position in range(lib.CH_UNIT, 4096, lib.CH_UNIT):
                fields = fields_of("struct ch_record", entry.file, entry.offset + position)
                octaves = entry.offset + position + ffi.offsetof("struct ch_record", "octaves")
                found.records += [*fields, *((entry.file, octaves + 4 * i, 4) for i in range(lib.CH_OCTAVES))]
    return found


def _texts(path: Path, entry: Entry, used: int, found: Places) -> None:
    at = entry.offset
    while at < entry.offset + min(used, entry.bytes):
        meta = ffi.from_buffer("struct ch_meta *", peek(path, at, META_BYTES))
        found.metas += fields_of("struct ch_meta", entry.file, at)
        found.texts.append((entry.file, at + META_BYTES, meta.bytes))
        at = (at + META_BYTES + meta.bytes + 7) & ~7
