"""Applies the limits in HPROF's options: frames beyond a depth, lines, and entries that cost too little are left
out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from classhook.extensions.hprof.profile_data import Cost, Frame, Monitor, Profile, Site, Trace

OF_BYTES = (0, 2)  # of a site's numbers: allocated, and live
DEEPER = "[deeper]"  # stands for the outermost frames of a stack that was cut off when it was taken


def limited(found: Profile, depth: int, cutoff: float, lines: bool) -> Profile:
    """The profile with traces of so many frames at most, the innermost ones, and entries of at least this part of the
    whole. Entries that have become equal are added up."""
    made = replace(
        found, traces={}, samples=[], times=[], sites=[], monitors=[], states=[], heap=None
    )  # the rest is as it was
    traces = {number: Trace(_cut(frames, depth, lines), thread) for (frames, thread), number in found.traces.items()}

    costs: dict[str, dict[Trace, tuple[int, int]]] = {"samples": {}, "times": {}}
    for name, of in costs.items():
        for one in getattr(found, name):
            _add(of, traces[one.trace], one.cost, one.times)
        getattr(made, name).extend(Cost(made.trace(*trace), cost, times) for trace, (cost, times) in _kept(of, cutoff))
    made.sites += [
        Site(made.trace(*trace), type_, *numbers) for (trace, type_), numbers in _sites(found, traces, cutoff).items()
    ]
    made.sites.sort(key=lambda one: one.order)
    monitors: dict[tuple[Trace, str], tuple[int, int]] = {}
    for monitor in found.monitors:
        _add(monitors, (traces[monitor.trace], monitor.type), monitor.ns, monitor.times)
    made.monitors += [
        Monitor(made.trace(*trace), type_, ns, times) for (trace, type_), (ns, times) in _kept(monitors, cutoff)
    ]
    made.states = [one._replace(trace=made.trace(*traces[one.trace])) for one in found.states]
    if found.heap is not None:
        of_rows, of_threads = (
            {key: made.trace(*traces[number]) for key, number in some.items()}
            for some in (found.heap.traces, found.heap.stacks)
        )
        made.heap = replace(found.heap, traces=of_rows, stacks=of_threads)
    return made


def _cut(frames: tuple[Frame, ...], depth: int, lines: bool) -> tuple[Frame, ...]:
    kept = [frame for frame in frames[: depth + 1] if frame.method != DEEPER or frame.cls][:depth]
    return tuple(frame if lines else frame._replace(line=0) for frame in kept) or frames[:1]


def _sites(found: Profile, traces: dict[int, Trace], cutoff: float) -> dict[tuple[Trace, str], tuple[int, ...]]:
    """The sites with a large enough share of the allocated or of the live bytes."""
    sites: dict[tuple[Trace, str], tuple[int, ...]] = {}
    for site in found.sites:
        key, numbers = (traces[site.trace], site.type), site[2:]
        sites[key] = tuple(a + b for a, b in zip(sites.get(key, (0,) * len(numbers)), numbers, strict=True))
    wholes = [sum(column) or 1 for column in zip(*sites.values(), strict=True)]
    return {
        key: numbers for key, numbers in sites.items() if max(numbers[at] / wholes[at] for at in OF_BYTES) >= cutoff
    }


K = TypeVar("K")


def _add(to: dict[K, tuple[int, int]], key: K, cost: int, times: int) -> None:
    before = to.get(key, (0, 0))
    to[key] = (before[0] + cost, before[1] + times)


def _kept(of: dict[K, tuple[int, int]], cutoff: float) -> Iterable[tuple[K, tuple[int, int]]]:
    whole = sum(cost for cost, _ in of.values()) or 1
    return sorted((one for one in of.items() if one[1][0] / whole >= cutoff), key=lambda one: -one[1][0])
