"""What HPROF's options leave out of its output: frames beyond a depth, lines, and what costs too little."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from instrument.hprof.model import Cost, Frame, Monitor, Profile, Site

DEEPER = "[deeper]"  # stands for the outermost frames of a stack that was cut off when it was taken


def limited(found: Profile, depth: int, cutoff: float, lines: bool) -> Profile:
    """The profile with traces of so many frames at most, the innermost ones, and entries of at least this part of the whole. Those that have become
    equal are added up."""
    made = Profile(found.start_unix_ns)
    traces = {number: _cut(frames, depth, lines) for frames, number in found.traces.items()}

    costs: dict[str, dict[tuple[Frame, ...], tuple[int, int]]] = {"samples": {}, "times": {}}
    for name, of in costs.items():
        for one in getattr(found, name):
            _add(of, traces[one.trace], one.cost, one.times)
        getattr(made, name).extend(Cost(made.trace(trace), cost, times) for trace, (cost, times) in _kept(of, cutoff))
    sites: dict[tuple[tuple[Frame, ...], str], tuple[int, int]] = {}
    for site in found.sites:
        _add(sites, (traces[site.trace], site.type), site.bytes, site.objects)
    made.sites += [Site(made.trace(trace), type_, bytes_, objects) for (trace, type_), (bytes_, objects) in _kept(sites, cutoff)]
    monitors: dict[tuple[tuple[Frame, ...], str], tuple[int, int]] = {}
    for monitor in found.monitors:
        _add(monitors, (traces[monitor.trace], monitor.type), monitor.ns, monitor.times)
    made.monitors += [Monitor(made.trace(trace), type_, ns, times) for (trace, type_), (ns, times) in _kept(monitors, cutoff)]
    made.lives, made.locks = found.lives, found.locks
    made.states = [one._replace(trace=made.trace(traces[one.trace])) for one in found.states]
    return made


def _cut(frames: tuple[Frame, ...], depth: int, lines: bool) -> tuple[Frame, ...]:
    kept = [frame for frame in frames[: depth + 1] if frame.method != DEEPER or frame.cls][:depth]
    return tuple(frame if lines else frame._replace(line=0) for frame in kept) or frames[:1]


K = TypeVar("K")


def _add(to: dict[K, tuple[int, int]], key: K, cost: int, times: int) -> None:
    before = to.get(key, (0, 0))
    to[key] = (before[0] + cost, before[1] + times)


def _kept(of: dict[K, tuple[int, int]], cutoff: float) -> Iterable[tuple[K, tuple[int, int]]]:
    whole = sum(cost for cost, _ in of.values()) or 1
    return sorted((one for one in of.items() if one[1][0] / whole >= cutoff), key=lambda one: -one[1][0])
