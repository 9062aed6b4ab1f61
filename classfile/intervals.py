"""Half-open ranges of code offsets, as lists of pairs in ascending order."""

from __future__ import annotations


def marked(bounds: list[bool], marks: bytearray, mark: int) -> list[tuple[int, int]]:
    """The ranges of the instructions whose marks[pc] is `mark`; instructions begin where `bounds` is true."""
    found: list[tuple[int, int]] = []
    size = len(bounds)
    start = -1
    for pc in range(size):
        if not bounds[pc]:
            continue
        if marks[pc] == mark:
            if start < 0:
                start = pc
        elif start >= 0:
            found.append((start, pc))
            start = -1
    if start >= 0:
        found.append((start, size))
    return found


def without(ranges: list[tuple[int, int]], holes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of `ranges` outside `holes`."""
    found: list[tuple[int, int]] = []
    first = 0
    for start, end in ranges:
        while first < len(holes) and holes[first][1] <= start:
            first += 1
        i = first
        while i < len(holes) and holes[i][0] < end:
            if start < holes[i][0]:
                found.append((start, holes[i][0]))
            start = max(start, holes[i][1])
            i += 1
        if start < end:
            found.append((start, end))
    return found
