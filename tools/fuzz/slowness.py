"""Measures how slow the machine is, for limits of CPU time: a busy machine makes everything slower, CPU time too."""

from __future__ import annotations

from time import process_time

LOOPS = 1_000_000
LOOP_SECONDS = 0.02  # on the machine on which the limits were set


def slowness() -> float:
    """The time of some plain Python now, by that on the machine on which the limits were set."""
    start = process_time()
    for _ in range(LOOPS):
        pass
    return (process_time() - start) / LOOP_SECONDS
