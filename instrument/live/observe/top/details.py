"""The durations of the activations of one method, in bins."""

from __future__ import annotations

from math import floor, log10

STEPS = (1, 2, 5)


def bins(counts: dict[float, int], before: dict[float, int] | None = None) -> list[tuple[float, float, int]]:
    """(from ns, to ns, activations): steps of 1, 2, 5, 10, those without activations between others, too. `before`: an
    earlier state, taken off."""
    found: dict[int, int] = {}
    for ns, count in counts.items():
        count -= (before or {}).get(ns, 0)
        if count > 0:
            step = step_of(ns)
            found[step] = found.get(step, 0) + count
    return (
        [(edge(step), edge(step + 1), found.get(step, 0)) for step in range(min(found), max(found) + 1)]
        if found
        else []
    )


def step_of(ns: float) -> int:
    """The last step whose edge is not above."""
    if ns < 1:
        return -1
    decade = floor(log10(ns))
    return max(step for step in range(3 * decade - 1, 3 * decade + 4) if edge(step) <= ns)


def edge(step: int) -> float:
    """The lower edge of a step, in ns; 0 for the one below 1 ns."""
    return float(STEPS[step % 3] * 10 ** (step // 3)) if step >= 0 else 0.0
