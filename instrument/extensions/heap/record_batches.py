"""The sub-records of a dump's segments in batches of columns, so that memory is bounded by the batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from classhook.extensions.heap.dump import Dump
from classhook.extensions.heap.errors import BadDump
from classhook.extensions.heap.library import data, ffi, lib, u8, u32, u64
from classhook.extensions.heap.tags import CLASS, INSTANCE, NO_DATA, OBJECT_ARRAY, PRIMITIVE_ARRAY

BATCH = 1 << 17
OBJECT_TAGS = (CLASS, INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY, NO_DATA)
Column = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """Sub-records; native/extensions/heap/heap.h says what the columns are."""

    tag: Column
    id: Column
    of: Column
    length: Column
    at: Column

    def where(self, chosen: Column) -> Batch:
        """The records that a mask or a list of positions chooses."""
        return Batch(self.tag[chosen], self.id[chosen], self.of[chosen], self.length[chosen], self.at[chosen])

    def tagged(self, *tags: int) -> Batch:
        return self.where(np.isin(self.tag, tags) if len(tags) > 1 else self.tag == tags[0])

    def pointers(self) -> dict[str, Any]:
        """The members of a struct ch_records."""
        return {
            "tag": u8(self.tag),
            "id": u64(self.id),
            "of": u64(self.of),
            "length": u32(self.length),
            "at": u64(self.at),
        }

    def __len__(self) -> int:
        return len(self.tag)


def batches(dump: Dump) -> Iterator[Batch]:
    """All sub-records, in the order of the file. Raises BadDump."""
    view = data(dump.data)
    for start, end in dump.segments:
        at = start
        while at < end:
            batch = empty(min(BATCH, end - at))
            columns = ffi.new("struct ch_records *", batch.pointers())
            stopped = ffi.new("uint64_t *")
            rows = lib.ch_heap_records(view, at, end, dump.id_size, columns, len(batch), stopped)
            at = stopped[0]
            if rows < len(batch) and at < end:
                raise BadDump(
                    dump.path,
                    f"a record of an object, {dump.data[at]:#04x}, is unknown or torn: the file is damaged",
                    at,
                )
            yield batch.where(slice(0, rows))  # type: ignore[arg-type]


def empty(rows: int) -> Batch:
    return Batch(
        np.empty(rows, np.uint8),
        np.empty(rows, np.uint64),
        np.empty(rows, np.uint64),
        np.empty(rows, np.uint32),
        np.empty(rows, np.uint64),
    )


def joined(parts: list[Batch]) -> Batch:
    """Batches as one."""
    if not parts:
        return empty(0)
    return Batch(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("tag", "id", "of", "length", "at"))
    )
