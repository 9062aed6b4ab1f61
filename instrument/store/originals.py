"""Reads the store of originals of a data directory: class files by their SHA-256, as native/weaver/original_files.c
writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import BinaryIO

from classhook.store.woven_ahead import original

#: The store's folder in a data directory, and the ending of its files.
FOLDER, ENDING = "originals", "classes"
MAGIC = b"CLSORIG1"
BLOCK_ENTRIES = 255
NEXT = Struct("<Q")
ENTRY = Struct("<32sQII")  # hash, offset, bytes, 1 if it is a class as it was woven ahead of time
BLOCK = NEXT.size + BLOCK_ENTRIES * ENTRY.size


@dataclass(frozen=True, slots=True)
class Location:
    """The place where a class file should be."""

    path: Path
    at: int
    size: int
    woven: bool  # ahead of time: it has the original in it


@dataclass(slots=True)
class Originals:
    """The originals of some data directories, whose stores are read when they are first asked for."""

    stores: dict[Path, dict[bytes, list[Location]]] = field(default_factory=dict)

    def find(self, data_directory: Path, digest: str) -> bytes | None:
        """The class file with this SHA-256 in hex; None if the store lacks it, or has a damaged file."""
        if data_directory not in self.stores:
            self.stores[data_directory] = entries(data_directory)
        for place in self.stores[data_directory].get(bytes.fromhex(digest), []):
            data = _content(place)
            if place.woven:
                data = original(data) or b""
            if sha256(data).hexdigest() == digest:
                return data
        return None


def entries(data_directory: Path) -> dict[bytes, list[Location]]:
    """The entries of a store, by SHA-256; more than one place if several JVMs kept the same class."""
    found: dict[bytes, list[Location]] = {}
    for path in sorted((data_directory / FOLDER).glob(f"*.{ENDING}")):
        try:
            with open(path, "rb") as file:
                for digest, at, size, woven in _entries(file):
                    found.setdefault(digest, []).append(Location(path, at, size, bool(woven)))
        except OSError:
            continue  # its classes are missing, which is said
    return found


def _entries(file: BinaryIO) -> Iterator[tuple[bytes, int, int, int]]:
    if file.read(len(MAGIC)) != MAGIC:
        return
    at = len(MAGIC)
    while at:
        file.seek(at)
        block = file.read(BLOCK)
        if len(block) < BLOCK:
            return
        for digest, place, size, woven in ENTRY.iter_unpack(block[NEXT.size :]):
            if not size:
                return
            yield digest, place, size, woven
        (following,) = NEXT.unpack_from(block)
        at = following if at < following < 1 << 63 else 0  # only forward, so that the loop ends


def _content(place: Location) -> bytes:
    try:
        with open(place.path, "rb") as file:
            file.seek(place.at)
            return file.read(place.size)
    except (OSError, OverflowError):
        return b""
