"""The slots of a file, and of a class in it: none belongs to two probes, else a small file could cause a report of any
size."""

from __future__ import annotations

MOST_SLOTS = 1 << 23  # CH_MOST_SLOTS in native/base/base.h
MOST_IN_A_CLASS = 65535  # each slot has a constant (JVMS 4.1)


class FreeSlots:
    """The unassigned slots of a file or of one class."""

    def __init__(self, slots: int) -> None:
        self._free = bytearray(b"\1" * min(slots, MOST_SLOTS))

    def take(self, first: int, n: int) -> None:
        """Assigns these slots. Raises ValueError if one is assigned already, or does not exist."""
        if first < 0 or n < 0 or self._free[first : first + n] != b"\1" * n:
            raise ValueError(f"slots assigned twice, or beyond the last: {first}")
        self._free[first : first + n] = bytes(n)
