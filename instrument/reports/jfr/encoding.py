"""The encoding of numbers, texts and events in recordings of JFR, in chunks of version 2.1 (jdk.jfr.internal.consumer
in OpenJDK reads them)."""

from __future__ import annotations

import struct
from collections.abc import Iterable

MAGIC = b"FLR\0"
VERSION = (2, 1)
HEADER = struct.Struct(">4sHH7qI")
COMPRESSED = 1  # a flag in the header: numbers have as many bytes as they need
METADATA, POOLS = 0, 1  # the types of the two events that each chunk has
TICKS = 1_000_000_000  # a second
MOST = (1 << 63) - 1  # of times in the header; those of damaged data may be larger
FULL = 8  # bytes with seven bits each; the ninth one has eight
NULL, UTF8 = b"\0", b"\3"  # what a text begins with


def number(value: int) -> bytes:
    """A number of up to 64 bits."""
    value &= (1 << 64) - 1
    found = bytearray()
    while value > 0x7F and len(found) < FULL:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def text(value: str | None) -> bytes:
    if value is None:
        return NULL
    data = value.encode("utf-8", "replace")
    return UTF8 + number(len(data)) + data


def array(values: Iterable[bytes]) -> bytes:
    listed = list(values)
    return number(len(listed)) + b"".join(listed)


def event(kind: int, body: bytes) -> bytes:
    """An event, whose size includes that of its own number."""
    body = number(kind) + body
    size = len(body) + 1
    while len(number(size)) + len(body) != size:
        size = len(number(size)) + len(body)
    return number(size) + body


def chunk(start_unix_ns: int, duration_ns: int, events: bytes, metadata: bytes, pools: bytes) -> bytes:
    """A chunk of events. `metadata`, `pools`: the bodies of the events that describe them."""
    about = event(METADATA, number(0) + number(0) + metadata)
    constants = event(POOLS, number(0) + number(0) + pools)
    pools_at = HEADER.size + len(events)
    metadata_at = pools_at + len(constants)
    size = metadata_at + len(about)
    start_unix_ns, duration_ns = min(start_unix_ns, MOST), min(duration_ns, MOST)
    header = HEADER.pack(MAGIC, *VERSION, size, pools_at, metadata_at, start_unix_ns, duration_ns, 0, TICKS, COMPRESSED)
    return header + events + constants + about
