"""The counts of a JVM since a moment: its data file less an earlier state of it, the baseline.

Threads own their counters, so no other thread may set them back. A reset keeps a copy of the data file beside it, and
reports subtract the counts in the copy.

1. Counters are subtracted when they are summed up; records and trees of calls when they are read. A record, a
   histogram, a node have the same place in both files, since places are never used again.
2. A later session of a JVM begins with a baseline: the counts of the earlier ones. When the session has ended, it is a
   part of the data file.
3. The shortest and longest time since then are those of the histogram, unless the longest of all came since.
4. Coverage and live objects are not reset.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from struct import Struct
from time import monotonic_ns
from typing import Any, BinaryIO

from classhook.base.files import give_to, open_regular, opened_folder, whole, whole_in
from classhook.native._layout import ffi, lib
from classhook.store.compact import compact
from classhook.store.data_file import DataFile
from classhook.store.extents import Extents
from classhook.store.opening import DataError, is_locked, open_second
from classhook.store.reading import read_file, read_opened
from classhook.store.region import Block, Region

MISSING = "it also contains the counts of earlier sessions of this JVM, because the file {} is missing"
SUFFIX = ".base"
#: The nodes of a tree: where they begin, their layout, which fields are sums that only grow, and which are signed
#: sums.
TREES = {
    lib.CH_CPU_TREE: (ffi.sizeof("struct ch_tree"), Struct("=IIQQff"), (2, 3, 4, 5), ()),
    lib.CH_LOCKS: (ffi.sizeof("struct ch_lock_head"), Struct("=6I9Q"), (6, 7, 9, 10, 11, 12), ()),
    lib.CH_OBJECTS: (ffi.sizeof("struct ch_object_head"), Struct("=IIQ4dQ4d"), (2, 3, 4, 5, 6), ()),
    lib.CH_EXACT_TREE: (lib.CH_EXACT_TREE_CHUNK * ffi.sizeof("struct ch_exact_node"), Struct("=IIQqIHH"), (2,), (3,)),
}
#: The heads of these: the bytes of a number, and which numbers are sums.
HEADS = {
    lib.CH_CPU_TREE: tuple(range(2, 18)),
    lib.CH_LOCKS: (2, 3, 4),
    lib.CH_OBJECTS: (2,),
    lib.CH_EXACT_TREE: (1, 2),
}


def baseline_of(path: Path) -> Path:
    """The path of a data file's baseline, if there is one."""
    return path.with_name(path.name + SUFFIX)


def reset(path: Path) -> None:
    """Makes reports of this data file begin at zero. Raises DataError, OSError."""
    with opened_folder(path.parent) as folder:
        copy_in(folder, path, baseline_of(path).name)


def copy_in(folder: int, path: Path, to: str) -> None:
    """Copies a data file, also that of a running JVM, without holes, to a name in its own folder, which is open. The
    copy belongs to the data's owner. Raises DataError, OSError."""
    descriptor = open_regular(path.name, folder)
    try:
        owner = os.fstat(descriptor)
        file = read_opened(
            path, Extents(descriptor), is_locked(descriptor), lambda: open_second(folder, path.name, owner.st_uid)
        )
    finally:
        os.close(descriptor)
    with whole_in(folder, to, 0o600) as out:
        give_to(out.fileno(), owner)
        _write(file, out)


def copy(path: Path, to: Path, alone: bool = False) -> None:
    """Copies a data file to a file that the user named. `alone`: its baseline goes into the copy. Raises DataError,
    OSError."""
    file = read_file(path)
    if alone and (base := _beside(file)):
        file.regions[lib.CH_BASELINE, 0] = Region([(0, memoryview(b"".join(compact(base))))])
    with whole(to, 0o600) as out:
        _write(file, out)


def _write(file: DataFile, out: BinaryIO) -> None:
    for piece in compact(file, monotonic_ns() if file.running else 0):
        out.write(piece)
    if file.running:
        how = ffi.new("uint32_t *", lib.CH_SNAPSHOT)
        out.seek(ffi.offsetof("struct ch_header", "how_ended"))
        out.write(bytes(ffi.buffer(how)))


def since_baseline(file: DataFile) -> int:
    """Takes the baseline off, if the file has one. Returns when it was set back (Unix, ns); 0 if it never was since its
    session began."""
    base = _beside(file)
    if base is None and (inside := b"".join(piece for _, piece in file.region(lib.CH_BASELINE).pieces)):
        base = _read(inside)
    if base is None or not _same(file, base):
        if file.header.session_meta:
            file.notes.append(f"{file.path}: {MISSING.format(baseline_of(file.path))}")
        return 0
    subtract(file, base)
    return last_time(base.header, base.running) if base.header.session_ns == file.header.session_ns else 0


def _same(file: DataFile, base: DataFile) -> bool:
    return bool((base.header.pid, base.header.start_unix_ns) == (file.header.pid, file.header.start_unix_ns))


def _beside(file: DataFile) -> DataFile | None:
    """The baseline that lies beside a file, if there is one of its own."""
    path = baseline_of(file.path)
    try:
        if path.is_symlink() or not _same(file, base := read_file(path)):
            return None
        return base
    except (OSError, DataError):
        return None


def _read(data: bytes) -> DataFile | None:
    """A data file in memory."""
    descriptor = os.memfd_create("classhook")
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        return read_file(Path(f"/proc/self/fd/{descriptor}"))
    except (OSError, DataError):
        return None
    finally:
        os.close(descriptor)


def last_time(header: Any, running: bool) -> int:
    """The time of a file's last change (Unix, ns); beyond all times if its JVM runs."""
    if running:
        return 1 << 63
    return int(header.start_unix_ns + max(header.last_ns, header.seen_ns) - header.first_ns)


def subtract(file: DataFile, base: DataFile) -> None:
    """Reduces a file to the counts after `base`."""
    file.base = base
    blocks = {_identity(block): block for block in (*base.blocks, *base.sealed)}
    for block in (*file.blocks, *file.sealed):
        block.before = blocks.get(_identity(block))
    for kind, (start, layout, sums, signed) in TREES.items():
        now, before = file.region(kind), base.region(kind)
        if now.pieces and before.pieces:
            pieces = [
                (first, memoryview(data)) for first, data in _nodes_since(now, before, start, layout, sums, signed)
            ]
            head_of = Struct(f"={HEADS[kind][-1] + 1}Q")
            head = before.read(0, head_of.size)
            if head is not None and pieces and pieces[0][0] == 0 and len(pieces[0][1]) >= head_of.size:
                numbers, less = list(head_of.unpack_from(pieces[0][1])), head_of.unpack(head)
                for i in HEADS[kind]:
                    numbers[i] = max(0, numbers[i] - less[i])
                head_of.pack_into(pieces[0][1], 0, *numbers)
            file.regions[kind, 0] = Region(pieces)


def _identity(block: Block) -> tuple[int, int]:
    """The identity of counts, the same in both files, wherever the counts are."""
    return (block.lineage, 0) if block.lineage else (0, block.index)


def _nodes_since(
    now: Region,
    before: Region,
    start: int,
    layout: Struct,
    sums: Iterable[int],
    signed: Iterable[int],
) -> Iterable[tuple[int, bytearray]]:
    for first, piece in now.pieces:
        data = bytearray(piece)
        at = start + -(-max(0, first - start) // layout.size) * layout.size
        while at + layout.size <= first + len(data):
            old = before.read(at, layout.size)
            if old is not None:
                fields, less = list(layout.unpack_from(data, at - first)), layout.unpack(old)
                for i in sums:  # else one of the files is damaged
                    fields[i] = fields[i] - less[i] if 0 <= less[i] <= fields[i] else 0
                for i in signed:
                    fields[i] = (fields[i] - less[i] + (1 << 63)) % (1 << 64) - (1 << 63)
                layout.pack_into(data, at - first, *fields)
            at += layout.size
        yield first, data
