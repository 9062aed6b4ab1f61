"""Data files with contexts whose blocks were sealed, as the agent would write them."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import classhook.measures.every  # noqa: F401  # the words of rules
from classhook.native._layout import ffi
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord, ProbeRecord, Record, RuleRecord
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.store.compact import compact
from classhook.store.data_file import DataFile
from classhook.store.layout import HEADER_BYTES, MAGIC, lib
from classhook.store.region import Block, Region
from classhook.store.sealed_parts import BlockKey, region_of

PROBES_IN_A_CLASS = 1000


def meta(kind: int, text: bytes, first_slot: int = 0, slots: int = 0) -> bytes:
    record = struct.pack("=IIII", len(text), kind, first_slot, slots) + text
    return record + bytes(-len(record) % 8)


def part(number: int, slots: Sequence[int], values: Sequence[int], **fields: Any) -> bytes:
    """A sealed part with this id; its fields are those of struct ch_sealed."""
    upper = [(slot, value >> 32) for slot, value in zip(slots, values, strict=True) if value >> 32]
    halves = [
        (slots, [value & 0xFFFFFFFF for value in values]),
        ([slot for slot, _ in upper], [value for _, value in upper]),
    ]
    words = b"".join(array("I", numbers).tobytes() for pair in halves for numbers in pair)
    room = -(-(ffi.sizeof("struct ch_sealed") + len(words)) // lib.CH_UNIT) * lib.CH_UNIT
    head = ffi.new(
        "struct ch_sealed *",
        {"id": number, "room": room, "low": len(halves[0][0]), "high": len(halves[1][0]), **fields},
    )
    return (bytes(ffi.buffer(head)) + words).ljust(room, b"\0")


def header(slots: int, meta_used: int) -> Any:
    made = ffi.new("struct ch_header *")
    made.magic, made.format, made.header_bytes, made.pid = MAGIC, lib.CH_FORMAT, HEADER_BYTES, 4711
    made.start_unix_ns, made.how_ended = 10**18, lib.CH_EXIT
    made.slots_used, made.meta_used = slots, meta_used
    return made


def write(path: Path, header: Any, regions: Mapping[tuple[int, int], bytes]) -> None:
    made = {
        key: Region([(0, memoryview(data.ljust(-(-len(data) // 64) * 64, b"\0")))])
        for key, data in regions.items()
        if data
    }
    path.write_bytes(b"".join(compact(DataFile(path, header, False, made, [], Block({}, Region()), []))))


def counting_file(path: Path, probes: int, contexts: Iterable[tuple[str, Sequence[int], Sequence[int]]]) -> None:
    """A file of methods that are counted. `contexts`: the names, numbers of methods and calls of contexts that were
    entered once and sealed."""
    texts = [meta(lib.CH_META_RULES, dumps(load([], ["context a.C::handle by arg0", "count a.**::*"])).encode())]
    for first in range(0, probes, PROBES_IN_A_CLASS):
        n = min(PROBES_IN_A_CLASS, probes - first)
        records: list[Record] = [ClassRecord(f"a.C{first // PROBES_IN_A_CLASS}", ""), RuleRecord(1, n)]
        records += [ProbeRecord("count", slot, 1, f"m{first + slot}", "()V") for slot in range(n)]
        texts.append(meta(lib.CH_META_CLASS, probe_table.encode(records), first, n))
    parts, entered = [], bytearray(8 * probes)
    for i, (name, slots, values) in enumerate(contexts):
        texts.append(meta(lib.CH_META_CONTEXT, name.encode(), probes + i))
        parts.append(part(i + 1, slots, values, context=probes + i, lineage=i + 1, **{"from": 1, "from_seq": 2 * i}))
        entered += struct.pack("=Q", 1)
    metadata = b"".join(texts)
    regions = {
        (lib.CH_META, 0): metadata,
        (lib.CH_SLOTS, 0): bytes(entered),
        (lib.CH_SLOTS, 1): bytes(4096),
        (lib.CH_BLOCK_KEYS, 0): bytes(region_of({1: BlockKey(seq=2 * len(parts))}).pieces[0][1]),
    }
    most = 64 << 20
    segments: list[list[bytes]] = [[]]
    for one in parts:
        if sum(map(len, segments[-1][-1:])) and len(segments[-1]) * len(one) > most:
            segments.append([])
        segments[-1].append(one)
    regions |= {(lib.CH_SEALED, i): b"".join(segment) for i, segment in enumerate(segments)}
    write(path, header(probes + len(parts), len(metadata)), regions)
