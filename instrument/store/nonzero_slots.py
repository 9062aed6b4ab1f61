"""The counts of blocks, as lists of slots and values without zeros: their cost depends on how much was counted, not on
the number of slots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from classhook.store.region import Block
from classhook.store.sealed_parts import SealedPart


class NonzeroSlots(NamedTuple):
    """`slots`: in ascending order; `values`: of each one, never 0."""

    slots: Sequence[int]
    values: Sequence[int]


def nonzero_slots(blocks: Sequence[Block], before: Iterable[Block] = ()) -> NonzeroSlots:
    """The sums over some blocks, less those over others: an earlier state of them."""
    earlier = [*before]
    if not earlier and len(blocks) == 1 and isinstance(one := blocks[0], SealedPart) and not one.high[0]:
        return NonzeroSlots(*one.low)
    sums: dict[int, int] = {}
    for block in blocks:
        for slot, value in block.words():
            sums[slot] = sums.get(slot, 0) + value
    for block in earlier:
        for slot, value in block.words():
            sums[slot] = sums.get(slot, 0) - value
    slots = sorted(slot for slot, value in sums.items() if value)
    return NonzeroSlots(slots, [sums[slot] for slot in slots])
