"""The layout of a pack of woven classes (native/weaver/pack.c, native/weaver/cache.c) and the hashes of
native/base/hash.c, reimplemented in Python.

`Pack.parse` parses an undamaged pack; `Pack.data` serialises one, with the checksums that its records have.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace

MASK = (1 << 64) - 1
MAGIC, INDEX_MAGIC, BLOCK_ENTRIES = b"CLSPACK2", 0x78646E4948435443, 255
HEADER, INDEX, ENTRY = struct.Struct("=8s3Q"), struct.Struct("=3Q"), struct.Struct("=3Q2I")
RECORD = struct.Struct("=3Q8I")
BLOCK_BYTES = INDEX.size + BLOCK_ENTRIES * ENTRY.size
WOVEN, SUPERTYPES = 1, 4  # enum ch_status in native/weaver/embed.h

Key = tuple[int, int]
NO_KEY: Key = (0, 0)


# ---- hashes


def rotated(x: int, by: int) -> int:
    return (x << by | x >> (64 - by)) & MASK


def mix(v: list[int]) -> None:
    """SipRound (Aumasson, Bernstein: SipHash, figure 2.1)."""
    a, b, c, d = v
    a = a + b & MASK
    b = rotated(b, 13) ^ a
    a = rotated(a, 32)
    c = c + d & MASK
    d = rotated(d, 16) ^ c
    a = a + d & MASK
    d = rotated(d, 21) ^ a
    c = c + b & MASK
    b = rotated(b, 17) ^ c
    v[:] = a, b, rotated(c, 32), d


def finished(v: list[int]) -> int:
    for _ in range(3):
        mix(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def absorbed(key: Key, data: bytes, long: int = 0) -> list[int]:
    """The state after the message, one round per word; `long`: 0xEE if the result has 128 bits."""
    v = [
        key[0] ^ 0x736F6D6570736575,
        key[1] ^ 0x646F72616E646F6D ^ long,
        key[0] ^ 0x6C7967656E657261,
        key[1] ^ 0x7465646279746573,
    ]
    whole = len(data) // 8 * 8
    rest = int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56
    for word in (*struct.unpack(f"<{whole // 8}Q", data[:whole]), rest):
        v[3] ^= word
        mix(v)
        v[0] ^= word
    return v


def siphash13(key: Key, data: bytes) -> int:
    """SipHash-1-3 with 64 bits, which Python's own hash of bytes uses."""
    v = absorbed(key, data)
    v[2] ^= 0xFF
    return finished(v)


def siphash13_128(key: Key, data: bytes) -> Key:
    """SipHash-1-3 with 128 bits."""
    v = absorbed(key, data, 0xEE)
    v[2] ^= 0xEE
    first = finished(v)
    v[1] ^= 0xDD
    return first, finished(v)


def keyed(secret: Key, seed: Key, data: bytes) -> Key:
    """`ch_hash`: the seed is hashed as the beginning of the message."""
    return siphash13_128(secret, struct.pack("<2Q", *seed) + data)


def checksum(seed: Key, data: bytes) -> int:
    """`ch_checksum`."""
    prime = 0x9E3779B97F4A7C15
    sums = [*seed, len(data), prime]
    filled = data + bytes(32 - len(data) % 32)
    for words in struct.iter_unpack("=4Q", filled):
        sums = [rotated((old ^ word) * prime & MASK, 29) for old, word in zip(sums, words, strict=True)]
    return keyed(NO_KEY, seed, struct.pack("=4Q", *sums))[0]


def class_key(secret: Key, name: bytes, data: bytes, has_time: bool, kind: int = 0) -> Key:
    """The key of a class (identify in native/classes/hook.c)."""
    return keyed(secret, keyed(secret, (kind << 32 | len(data), int(has_time)), name), data)


# ---- layout


@dataclass(frozen=True)
class Record:
    """struct record. `bytes_` and so on are the sizes given in it; `payload`: name, table and class."""

    key: Key
    check: int
    status: int
    slots: int
    integers_at: int
    original_bytes: int
    name_bytes: int
    meta_bytes: int
    bytes_: int
    zero: int
    payload: bytes

    @classmethod
    def parse(cls, data: bytes) -> Record:
        high, low, check, status, slots, integers_at, original, name, meta, woven, zero = RECORD.unpack_from(data)
        return cls(
            (high, low), check, status, slots, integers_at, original, name, meta, woven, zero, data[RECORD.size :]
        )

    def data(self) -> bytes:
        numbers = (
            self.status,
            self.slots,
            self.integers_at,
            self.original_bytes,
            self.name_bytes,
            self.meta_bytes,
            self.bytes_,
            self.zero,
        )
        return RECORD.pack(*self.key, self.check, *numbers) + self.payload

    def mended(self) -> Record:
        """The record with its correct checksum."""
        return replace(self, check=checksum(self.key, self.data()[24:]))

    @property
    def name(self) -> bytes:
        return self.payload[: self.name_bytes]

    @property
    def meta(self) -> bytes:
        return self.payload[self.name_bytes : self.name_bytes + self.meta_bytes]

    @property
    def woven(self) -> bytes:
        return self.payload[self.name_bytes + self.meta_bytes :]

    def with_parts(self, name: bytes, meta: bytes, woven: bytes) -> Record:
        return replace(self, payload=name + meta + woven, name_bytes=len(name), meta_bytes=len(meta), bytes_=len(woven))


@dataclass
class Pack:
    """A pack: its records, in the index's order."""

    secret: Key
    records: list[Record] = field(default_factory=list)

    @classmethod
    def parse(cls, data: bytes) -> Pack:
        """Raises AssertionError if the pack is damaged."""
        magic, high, low, zero = HEADER.unpack_from(data)
        assert (magic, zero) == (MAGIC, 0)
        pack, at = cls((high, low)), HEADER.size
        while at:
            index_magic, next_at, used = INDEX.unpack_from(data, at)
            assert index_magic == INDEX_MAGIC
            assert used == BLOCK_ENTRIES or not next_at
            for i in range(used):
                *key, place, size, zero = ENTRY.unpack_from(data, at + INDEX.size + i * ENTRY.size)
                record = Record.parse(data[place : place + size])
                assert (record.key, zero) == (tuple(key), 0)
                pack.records.append(record)
            at = next_at
        return pack

    def data(self) -> bytes:
        out = bytearray(HEADER.pack(MAGIC, *self.secret, 0))
        for start in range(0, max(1, len(self.records)), BLOCK_ENTRIES):
            records = self.records[start : start + BLOCK_ENTRIES]
            at = len(out)
            out += bytes(BLOCK_BYTES)
            entries = b""
            for record in records:
                raw = record.data()
                entries += ENTRY.pack(*record.key, len(out), len(raw), 0)
                out += raw + bytes(-len(raw) % 8)
            next_at = len(out) if start + BLOCK_ENTRIES < len(self.records) else 0
            block = INDEX.pack(INDEX_MAGIC, next_at, len(records)) + entries
            out[at : at + len(block)] = block
        return bytes(out)
