"""Other values for a number in a file: limits, neighbours, and numbers from elsewhere in the file."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

SPECIAL = (
    0,
    1,
    2,
    7,
    8,
    16,
    24,
    31,
    32,
    64,
    255,
    256,
    1 << 16,
    1 << 24,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    1 << 47,
    1 << 63,
    (1 << 64) - 64,
    (1 << 64) - 1,
)


def another(rnd: Random, old: bytes, others: Sequence[int]) -> bytes:
    """Another value for a little-endian field."""
    size, value = len(old), int.from_bytes(old, "little")
    chosen = rnd.choice(
        (
            rnd.choice(SPECIAL),
            value + rnd.choice((-64, -8, -1, 1, 8, 64)),
            value ^ 1 << rnd.randrange(8 * size),
            rnd.choice(others),
        )
    )
    return (chosen & (1 << 8 * size) - 1).to_bytes(size, "little")
