"""Damage to packs of woven classes: to their bytes, or to their content with correct checksums.

Each kind of damage takes a Random and an undamaged pack. Damaged bytes must not be used. Content with a correct
checksum was written by the pack's owner: the JVM may reject such a class, but the agent must not crash when reading it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from tools.fuzz.mutate import mutate
from tools.fuzz.pack_layout import (
    BLOCK_BYTES,
    BLOCK_ENTRIES,
    ENTRY,
    HEADER,
    INDEX,
    INDEX_MAGIC,
    MAGIC,
    RECORD,
    SUPERTYPES,
    WOVEN,
    Pack,
    Record,
)
from tools.fuzz.values import SPECIAL, another

ENTRY_FIELDS = ("high", "low", "at", "bytes", "zero")
MOST = (1 << 32) - 1
SIZES = ("name_bytes", "meta_bytes", "bytes_")  # of a record's parts, in their order


def places(data: bytes) -> dict[str, list[tuple[int, int]]]:
    """Places and sizes of the fields in an undamaged pack: of the header, index blocks, entries and records."""
    found: dict[str, list[tuple[int, int]]] = {
        "header": [(0, 8), (24, 8)],
        "secret": [(8, 8), (16, 8)],
        "block": [],
        "entry": [],
        "record": [],
    }
    at = HEADER.size
    while at:
        _, next_at, used = INDEX.unpack_from(data, at)
        found["block"] += [(at + 8 * i, 8) for i in range(3)]
        for i in range(used):
            entry = at + INDEX.size + ENTRY.size * i
            place = ENTRY.unpack_from(data, entry)[2]
            found["entry"] += [(entry + j, 8) for j in (0, 8, 16)] + [(entry + 24, 4), (entry + 28, 4)]
            found["record"] += [(place + j, 8) for j in (0, 8, 16)] + [
                (place + j, 4) for j in range(24, RECORD.size, 4)
            ]
        at = next_at
    return found


# ---- damaged bytes


def fields(rnd: Random, data: bytes) -> bytes:
    """One to three fields."""
    new, known = bytearray(data), places(data)
    numbers = [int.from_bytes(data[at : at + size], "little") for at, size in known["entry"]]
    others = [len(data), len(data) - 64, BLOCK_BYTES, HEADER.size, *numbers]
    for _ in range(rnd.choice((1, 1, 2, 3))):
        at, size = rnd.choice(
            known[
                rnd.choice(
                    ("block", "block", "entry", "entry", "entry", "record", "record", "record", "secret", "header")
                )
            ]
        )
        new[at : at + size] = another(rnd, bytes(new[at : at + size]), others)
    return bytes(new)


def edges(data: bytes, field: str, start: int) -> bytes:
    """One field of all entries, with a different special value in each."""
    new = bytearray(data)
    for i, (at, size) in enumerate(places(data)["entry"][ENTRY_FIELDS.index(field) :: len(ENTRY_FIELDS)]):
        new[at : at + size] = (SPECIAL[(start + i) % len(SPECIAL)] & (1 << 8 * size) - 1).to_bytes(size, "little")
    return bytes(new)


def any_edges(rnd: Random, data: bytes) -> bytes:
    return edges(data, rnd.choice(ENTRY_FIELDS), rnd.randrange(len(SPECIAL)))


def anywhere(rnd: Random, data: bytes) -> bytes:
    new, at = bytearray(data), rnd.randrange(8, len(data))
    if rnd.randrange(3):
        new[at] ^= 1 << rnd.randrange(8)
    else:
        size = rnd.choice((1, 8, 100, 4096))
        new[at : at + size] = rnd.choice((bytes(size), rnd.randbytes(size)))[: len(data) - at]
    return bytes(new)


def cut(rnd: Random, data: bytes) -> bytes:
    return data[
        : rnd.choice(
            (
                rnd.randrange(HEADER.size),
                rnd.randrange(HEADER.size + BLOCK_BYTES),
                rnd.randrange(len(data)),
                8,
                HEADER.size,
            )
        )
    ]


def garbage_behind(rnd: Random, data: bytes) -> bytes:
    return data + rnd.choice((rnd.randbytes(rnd.randrange(1, 9000)), bytes(rnd.randrange(1, 9000))))


def zeros(rnd: Random, data: bytes) -> bytes:
    """Zeros at the end, as a file system may leave them if the machine stopped before the bytes were on disk."""
    at = rnd.choice((0, 0, 4096, rnd.randrange(len(data))))
    return data[:at] + bytes(len(data) - at)


def swapped(rnd: Random, data: bytes) -> bytes:
    """Two records or two entries swapped, or one entry twice."""
    new = bytearray(data)
    entries = places(data)["entry"][:: len(ENTRY_FIELDS)]
    (one, _), (two, _) = rnd.sample(entries, 2)
    a, b = (ENTRY.unpack_from(data, at) for at in (one, two))
    kind = rnd.randrange(4)
    if kind == 0:
        new[one : one + ENTRY.size], new[two : two + ENTRY.size] = (
            data[two : two + ENTRY.size],
            data[one : one + ENTRY.size],
        )
    elif kind == 1:  # their places
        ENTRY.pack_into(new, one, *a[:2], *b[2:4], a[4])
        ENTRY.pack_into(new, two, *b[:2], *a[2:4], b[4])
    elif kind == 2:
        new[one : one + ENTRY.size] = data[two : two + ENTRY.size]
    else:  # the records' bytes, up to the shorter one's length
        size = min(a[3], b[3])
        new[a[2] : a[2] + size], new[b[2] : b[2] + size] = data[b[2] : b[2] + size], data[a[2] : a[2] + size]
    return bytes(new)


def many_blocks(rnd: Random, data: bytes) -> bytes:
    """A chain of index blocks with one damaged field."""
    pack = Pack.parse(data)
    own = pack.records
    pack.records = [filler(rnd) for _ in range(rnd.choice((250, 255, 300, 600)))]
    for record in own:
        pack.records.insert(rnd.randrange(len(pack.records)), record)
    made = bytearray(pack.data())
    if rnd.randrange(4):
        blocks = places(bytes(made))["block"]
        at, size = rnd.choice(blocks)
        made[at : at + size] = another(rnd, bytes(made[at : at + size]), [at for at, _ in blocks])
    return bytes(made)


def leading_back(data: bytes) -> bytes:
    """A full index block whose next one is itself."""
    pack = Pack.parse(data)
    pack.records = [*pack.records, *(filler(Random(i)) for i in range(BLOCK_ENTRIES))]
    new = bytearray(pack.data())
    INDEX.pack_into(new, HEADER.size, INDEX_MAGIC, HEADER.size, BLOCK_ENTRIES)
    return bytes(new)


def filler(rnd: Random) -> Record:
    """A record of a class that does not exist."""
    return Record((rnd.getrandbits(64), rnd.getrandbits(64)), rnd.getrandbits(64), WOVEN, 0, 0, 0, 0, 0, 0, 0, b"")


def only_a_header(rnd: Random, data: bytes) -> bytes:
    return MAGIC + rnd.randbytes(rnd.choice((0, 24, 100, 9000, 20000)))


DAMAGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    fields,
    fields,
    fields,
    any_edges,
    anywhere,
    anywhere,
    cut,
    cut,
    garbage_behind,
    zeros,
    swapped,
    swapped,
    many_blocks,
    only_a_header,
)


def damaged(rnd: Random, data: bytes) -> bytes:
    new = rnd.choice(DAMAGES)(rnd, data)
    return anywhere(rnd, new) if rnd.randrange(6) == 0 and len(new) > 8 else new


# ---- correct checksums


def text(rnd: Random, data: bytes) -> bytes:
    """A changed table: a field changed, a line twice, or its end missing."""
    lines = [line.split(b"\t") for line in data.split(b"\n")]
    line = rnd.choice(lines)
    words = (
        b"",
        b"-1",
        b"0",
        b"99",
        b"65536",
        b"4294967295",
        b"99999999999999999999",
        b"probe",
        b"time-sample",
        b"time-tree",
        b"object",
        b"array",
        b"int[]",
        b"java.lang.Object",
        b"\xed\xa0\x80",
        b"x" * 70000,
        rnd.randbytes(5),
    )
    for _ in range(rnd.randrange(1, 4)):
        line[rnd.randrange(len(line))] = rnd.choice(words)
    if rnd.randrange(3) == 0:
        lines.insert(rnd.randrange(len(lines)), rnd.choice(lines))
    made = b"\n".join(map(b"\t".join, lines))
    return made[: rnd.randrange(len(made) + 1)] if rnd.randrange(3) == 0 else made


def with_others(rnd: Random, record: Record, *names: str) -> Record:
    """A record with other numbers in these fields."""
    numbers: dict[str, Any] = {}
    for name in names:
        old: int = getattr(record, name)
        numbers[name] = int.from_bytes(
            another(rnd, old.to_bytes(4, "little"), [len(record.woven), 5, 6, record.slots]), "little"
        )
    return replace(record, **numbers)


def changed(rnd: Random, record: Record, others: list[Record]) -> Record:
    """A record with other content."""
    kind = rnd.randrange(7)
    if kind == 0:
        name = rnd.choice(("status", "status", "slots", "integers_at", "original_bytes", "zero"))
        return with_others(rnd, record, name)
    if kind == 1:  # the same bytes, divided differently into name, table and class
        sizes: list[int] = [getattr(record, name) for name in SIZES]
        one, two = rnd.sample(range(3), 2)
        by = rnd.randrange(sizes[one] + 1)
        sizes[one] -= by
        sizes[two] += by
        return replace(record, name_bytes=sizes[0] & MOST, meta_bytes=sizes[1] & MOST, bytes_=sizes[2] & MOST)
    if kind == 2:
        return with_others(rnd, record, *SIZES)
    if kind == 3:
        return record.with_parts(record.name, text(rnd, record.meta), record.woven)
    if kind == 4:
        woven = mutate(rnd, record.woven) if record.status == WOVEN else rnd.randbytes(rnd.choice((0, 1, 4, 7, 4000)))
        return record.with_parts(record.name, record.meta, woven)
    if kind == 5:  # another class
        other = rnd.choice(others)
        return replace(other, key=record.key, original_bytes=record.original_bytes).with_parts(
            record.name, other.meta, other.woven
        )
    names = b"".join(rnd.choice((b"", b"a/B", b"\xff")) + b"\0" for _ in range(rnd.randrange(5)))
    return replace(record, status=SUPERTYPES).with_parts(record.name, rnd.choice((b"", b"abc")), names)


def mended_edges(data: bytes, field: str, start: int) -> bytes:
    """One four-byte field of all records, with a different special value in each."""
    pack = Pack.parse(data)
    for i, record in enumerate(pack.records):
        numbers: dict[str, Any] = {field: SPECIAL[(start + i) % len(SPECIAL)] & MOST}
        pack.records[i] = replace(record, **numbers).mended()
    return pack.data()


def mended(rnd: Random, data: bytes) -> bytes:
    """A pack with changed records and correct checksums."""
    pack = Pack.parse(data)
    for _ in range(rnd.choice((1, 1, 2, 4))):
        at = rnd.randrange(len(pack.records))
        pack.records[at] = changed(rnd, pack.records[at], pack.records).mended()
    return pack.data()
