"""Strings with the same text, and what it would save to have each text once.

1. The arrays of all Strings are found by their field `value`; several Strings may share one.
2. Contents are compared by a hash of 64 bits with a random key, which native/extensions/heap computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from secrets import randbits

import numpy as np

from classhook.extensions.heap import values
from classhook.extensions.heap.classes import REFERENCE
from classhook.extensions.heap.field_columns import unsigned
from classhook.extensions.heap.library import NOBODY, data, lib, u64
from classhook.extensions.heap.object_columns import Objects
from classhook.extensions.heap.tags import INSTANCE, PRIMITIVE_ARRAY


@dataclass(slots=True)
class Text:
    """A text that several Strings have. `arrays`: how often it is in memory; `wasted`: bytes of all but one of them and
    of their Strings."""

    text: str
    strings: int
    arrays: int
    wasted: int


@dataclass(slots=True)
class Duplicates:
    """`strings`: all there are; `texts`: different ones; `wasted`: bytes; `most`: those that waste most."""

    strings: int
    texts: int
    wasted: int
    most: list[Text]


def duplicates(all_: Objects, top: int) -> Duplicates:
    """The texts that are there more than once; the `top` worst, 0 for all of them."""
    one = all_.heap.classes.string
    places = (
        {name: at for name, type_, at, _ in all_.heap.classes.layout(one) if type_ == REFERENCE or name == "coder"}
        if one
        else {}
    )
    if one is None or "value" not in places:
        return Duplicates(0, 0, 0, [])
    strings = np.flatnonzero((all_.cls == all_.heap.classes.numbers[one.id]) & (all_.tag == INSTANCE))
    arrays = all_.found(unsigned(all_, strings, places["value"], all_.heap.dump.id_size))
    coders = unsigned(all_, strings, places["coder"], 1) if "coder" in places else np.zeros(len(strings), np.uint64)
    there = arrays != NOBODY
    there[there] = all_.tag[arrays[there]] == PRIMITIVE_ARRAY
    strings, arrays, coders = strings[there], arrays[there], coders[there]
    chars = all_.heap.classes.by_name.get("char[]")
    bytes_ = all_.length[arrays].astype(np.uint64) * np.where(all_.cls[arrays] == chars, np.uint64(2), np.uint64(1))
    keys = np.zeros(len(arrays), np.uint64)
    lib.ch_heap_hashes(
        data(all_.heap.dump.data),
        len(all_.heap.dump.data),
        u64(np.ascontiguousarray(all_.at[arrays])),
        u64(bytes_),
        len(arrays),
        randbits(64),
        u64(keys),
    )
    keys ^= coders  # the same bytes in the other encoding are another text
    _, first, group, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    pairs = np.unique(group.astype(np.int64) << 32 | arrays)
    in_memory = np.bincount((pairs >> 32).astype(np.int64), minlength=len(counts))
    wasted = (in_memory - 1) * all_.size[arrays[first]].astype(np.int64) + (counts - 1) * all_.size[
        strings[first]
    ].astype(np.int64)
    order = np.argsort(-wasted, kind="stable")
    order = order[counts[order] > 1]
    most = []
    for i in order[: top or None]:
        shown = values.text(all_, int(arrays[first[i]]), coders[first[i]] == 0) or ""
        most.append(Text(shown, int(counts[i]), int(in_memory[i]), int(wasted[i])))
    return Duplicates(len(strings), len(counts), int(wasted.sum()), most)
