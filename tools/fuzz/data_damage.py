"""Damage to data files: to their fields, to the texts in them, to the files as such."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from zlib import crc32

from classhook.native._layout import ffi
from classhook.store.layout import ENTRY_BYTES, META_BYTES, lib
from classhook.store.opening import second
from tools.fuzz.data_layout import TEXT_FIELDS, Place, Places, packed, peek, poke
from tools.fuzz.values import another

PUNCH_HOLE, KEEP_SIZE = 2, 1  # of fallocate(2)
SIZES = (0, 8, 1 << 12, 1 << 16, 1 << 20, 1 << 30, 1 << 33, 300 << 30, 1 << 42)
FOUL = (
    b"\x1b[2J",
    b"\x1b]0;x\x07",
    b"\xc2\x9b31m",
    b"\r\n",
    b"\0",
    b"\t",
    b"\n",
    b"\\",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "\u202e".encode(),
    "\u2028".encode(),
    b"9" * 40,
    b"9" * 4300,
    b"-1",
    b"1 1 1",
    "٣".encode(),
    b"a" * 70000,
    b"[" * 3000,
    b"L;" * 3000,
)
LINES = (
    b"class\ta.B\tB.java",
    b"rule\t0\t2",
    b"rule\t-1\t" + b"9" * 4300,
    b"probe\ttime\t0\t0\tm\t(I)V",
    b"probe\ttime-sample\t0\t0\tm\t(I)V\t50",
    b"probe\tcount\t1\t9\tm\t([[",
    b"probe\tobject\t1\t0\tm\t()V\t7\t3\t\ta.T",
    b"probe\tobject\t1\t-1\tm\t()V\t7\t3\t0 1\ta.T",
    b"probe\tarray\t1\t0\tm\t()V\t" + b"9" * 4300 + b"\t3\t\tint[]",
    b"probe\tcover\t1\t0\tm\t()V\t0\t3",
    b"unmatched\t0\tm\t()V\tnative",
    b"skip\tm\t()V\tx\ty",
    b"rule-text\ttime a::*",
    b"original\t" + b"0" * 64 + b"\t9",
    b"alike",
    b"Q",
)


class Case:
    """A file to damage (and its second file), and the layout of the undamaged file."""

    def __init__(self, path: Path, places: Places) -> None:
        self.path = path
        self.places = places
        self.values = (
            [entry.offset for _, entry in places.directory]
            + [entry.bytes for _, entry in places.directory]
            + [path.stat().st_size]
        )

    def file(self, number: int) -> Path:
        return second(self.path) if number else self.path

    def some(self, rnd: Random, places: list[Place]) -> tuple[Path, int, int]:
        file, at, size = rnd.choice(places or self.places.header)
        return self.file(file), at, size


# ---- its content


def numbers(rnd: Random, case: Case) -> None:
    places = case.places
    kinds = (places.header, places.entries, places.entries, places.metas, places.slots, places.records)
    for _ in range(rnd.choice((1, 1, 2, 5))):
        path, at, size = case.some(rnd, rnd.choice(kinds))
        poke(path, at, another(rnd, peek(path, at, size).ljust(size, b"\0"), case.values))


def many_numbers(rnd: Random, case: Case) -> None:
    """All of one kind in a row."""
    places = (
        rnd.choice((case.places.entries, case.places.metas, case.places.slots, case.places.records))
        or case.places.header
    )
    start = rnd.randrange(len(places))
    for file, at, size in places[start : start + rnd.randrange(200)]:
        poke(case.file(file), at, another(rnd, peek(case.file(file), at, size).ljust(size, b"\0"), case.values))


def directory(rnd: Random, case: Case) -> None:
    """An entry in place of another, or with a wrong place; a count of more entries than there are."""
    (at, one), (there, other) = rnd.choice(case.places.directory), rnd.choice(case.places.directory)
    kind = rnd.randrange(5)
    if kind == 0:
        poke(case.path, there, packed(one))
    elif kind == 1:
        poke(case.path, at, packed(one._replace(kind=lib.CH_DIRECTORY, offset=rnd.choice((*case.values, at, 0, 64)))))
    elif kind == 2:
        offset = other.offset + rnd.choice((0, 64, 4096, -64)) & (1 << 64) - 1
        poke(case.path, at, packed(one._replace(offset=offset, kind=rnd.choice((one.kind, other.kind)))))
    elif kind == 3:
        poke(
            case.path,
            at,
            packed(
                one._replace(file=rnd.choice((0, 1, 2, 65535)), block=rnd.choice((0, 1, other.block, (1 << 32) - 1)))
            ),
        )
    else:
        poke(
            case.path,
            at,
            packed(one._replace(first=rnd.choice((64, 4096, 1 << 40, (1 << 63) - 64, 1 << 63, (1 << 64) - 64)))),
        )
    if rnd.randrange(3) == 0:
        entries_at = ffi.offsetof("struct ch_header", "entries")
        poke(case.path, entries_at, another(rnd, peek(case.path, entries_at, 8), [1023, 1024, 1025]))


def header_texts(rnd: Random, case: Case) -> None:
    name = rnd.choice(TEXT_FIELDS)
    size = ffi.sizeof(getattr(ffi.new("struct ch_header *"), name))
    data = b"".join(rnd.choice((*FOUL, b"java", b" ")) for _ in range(rnd.randrange(1, 30)))
    poke(case.path, ffi.offsetof("struct ch_header", name), data[: rnd.choice((size, size - 2))])


def foul(rnd: Random, text: bytes) -> bytes:
    """A text with something inserted that does not belong there."""
    kind = rnd.randrange(5)
    if kind == 0:
        return text[: rnd.randrange(len(text) + 1)]
    if kind == 1:
        lines = text.split(b"\n")
        lines.insert(rnd.randrange(len(lines) + 1), rnd.choice((*LINES, rnd.choice(lines))))
        return b"\n".join(lines)
    fields = re.split(rb"([\t\n])", text)
    for _ in range(rnd.randrange(1, 4)):
        at = rnd.randrange(len(fields)) if kind == 2 else rnd.randrange(0, len(fields), 2)
        fields[at] = rnd.choice(FOUL) if rnd.randrange(3) else fields[at] + rnd.choice(FOUL)
    return b"".join(fields)


def texts(rnd: Random, case: Case) -> None:
    """A description replaced in place, or a new one after the others."""
    file, at, size = rnd.choice(case.places.texts)
    path = case.file(file)
    text = peek(path, at, size)
    made = foul(rnd, text)
    if text.startswith(b"classhook-rules") and rnd.randrange(4):  # otherwise only their checksum would be wrong
        body = made[: made.rfind(b"end\t")] if b"end\t" in made else made
        made = body + b"end\t%08x\n" % crc32(body)
    meta = ffi.from_buffer("struct ch_meta *", peek(path, at - META_BYTES, META_BYTES))
    if rnd.randrange(2):
        poke(path, at, made[:size])
        return
    used_at = ffi.offsetof("struct ch_header", "meta_used")
    used = int.from_bytes(peek(case.path, used_at, 8), "little")
    region = next(entry for _, entry in case.places.directory if entry.kind == lib.CH_META)
    kind = rnd.choice((meta.kind, meta.kind, *range(7)))
    record = (
        bytes(
            ffi.buffer(
                ffi.new("struct ch_meta *", (len(made), kind, meta.first_slot, rnd.choice((meta.slots, 0, 1 << 20))))
            )
        )
        + made
    )
    record += bytes(-len(record) % 8)
    if used + len(record) <= region.bytes:
        poke(path, region.offset + used, record)
        poke(case.path, used_at, (used + len(record)).to_bytes(8, "little"))


# ---- the files


def truncated(rnd: Random, case: Case) -> None:
    path, at, size = case.some(
        rnd, rnd.choice((case.places.data, case.places.records, case.places.metas, case.places.header))
    )
    end = max(0, at + rnd.choice((0, 1, size, rnd.randrange(size + 1))))
    if path.is_file() and end < path.stat().st_size:
        os.truncate(path, end)


def extended(rnd: Random, case: Case) -> None:
    path = case.file(rnd.randrange(2))
    if path.is_file():
        with suppress(OSError):  # limits of the file system
            os.truncate(path, path.stat().st_size + rnd.choice(SIZES))


def punched(rnd: Random, case: Case) -> None:
    """Pages replaced by holes."""
    path, at, size = case.some(rnd, case.places.data)
    for _ in range(rnd.choice((1, 1, 3))):
        start = at + rnd.randrange(-(-size // 4096)) * 4096
        with path.open("r+b") as file:
            ctypes.CDLL(None).fallocate(
                file.fileno(), PUNCH_HOLE | KEEP_SIZE, ctypes.c_long(start), ctypes.c_long(4096 * rnd.choice((1, 1, 2)))
            )


def bytes_anywhere(rnd: Random, case: Case) -> None:
    for _ in range(rnd.choice((1, 3, 20))):
        path, at, size = case.some(rnd, case.places.data)
        data = rnd.choice((rnd.randbytes(rnd.choice((1, 8, 64, 4096))), bytes(rnd.choice((8, 64, 4096))), b"\xff" * 64))
        poke(path, at + rnd.randrange(size), data)


def repeated_data(rnd: Random, case: Case) -> None:
    """A piece of the file copied to another place in it."""
    (path, at, size), (there, to, room) = case.some(rnd, case.places.data), case.some(rnd, case.places.data)
    start = rnd.randrange(size) // ENTRY_BYTES * ENTRY_BYTES
    poke(
        there,
        to + rnd.randrange(room) // ENTRY_BYTES * ENTRY_BYTES,
        peek(path, at + start, rnd.choice((ENTRY_BYTES, 4096, 65536))),
    )


def no_second_file(rnd: Random, case: Case) -> None:
    second(case.path).unlink(missing_ok=True)


def second_file(rnd: Random, case: Case) -> None:
    """Something else in place of the second file."""
    path = second(case.path)
    path.unlink(missing_ok=True)
    kind = rnd.randrange(6)
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.symlink_to(rnd.choice((case.path, path, Path("/dev/zero"), Path("nowhere"))))
    elif kind == 3:
        path.write_bytes(rnd.randbytes(rnd.choice((0, 1, 70000))))
    elif kind == 4:
        path.hardlink_to(case.path)
    elif kind == 5:
        path.touch()
        os.truncate(path, 300 << 30)


def no_file(rnd: Random, case: Case) -> None:
    """Something else in place of the file."""
    kind = rnd.randrange(5)
    if kind < 4:
        case.path.unlink()
    if kind == 0:
        case.path.mkdir()
    elif kind == 1:
        os.mkfifo(case.path)
    elif kind == 2:
        case.path.symlink_to(
            rnd.choice((case.path, Path("/dev/zero"), Path("/dev/shm/classhook-0-none-" + case.path.name)))
        )
    elif kind == 3:
        case.path.write_bytes(rnd.choice((b"", b"CLSHOOK\n", rnd.randbytes(50000))))
    else:
        case.path.rename(second(case.path))
        shutil.copyfile("/dev/null", case.path)


DAMAGES: tuple[Callable[[Random, Case], None], ...] = (
    *[numbers] * 6,
    *[many_numbers] * 2,
    *[directory] * 4,
    header_texts,
    *[texts] * 6,
    *[truncated] * 3,
    extended,
    *[punched] * 3,
    *[bytes_anywhere] * 2,
    repeated_data,
    second_file,
    no_second_file,
    no_file,
)
#: Kinds of damage that only remove data. (A missing page may also be one in which nothing was ever counted.)
CUTTING = (truncated, no_second_file)
REMOVING = (*CUTTING, punched)


def damage(rnd: Random, case: Case) -> list[Callable[[Random, Case], None]]:
    """One to three kinds of damage."""
    done = []
    for one in rnd.choices(rnd.choice((DAMAGES, DAMAGES, REMOVING)), k=rnd.choice((1, 1, 1, 2, 3))):
        with suppress(OSError):  # an earlier kind of damage has removed or replaced it
            alone = one in (second_file, no_second_file, no_file)
            if alone or (case.path.is_file() and not case.path.is_symlink() and not second(case.path).is_fifo()):
                done.append(one)
                one(rnd, case)
    return done
