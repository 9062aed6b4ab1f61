"""Places where the time of each endpoint goes: the program's innermost method in each sampled stack, and the method of
the JDK in which it waits or works."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from classhook.base.names import printable
from classhook.measures.cpu.reader import THREADS_OF_JVM
from classhook.model.call_tree import Call, MethodKey
from classhook.model.stacks import OF_THE_JDK
from classhook.reports.diagnosis.part import SHARE, TEXT, TIME, Part, absent
from classhook.reports.diagnosis.seen import Seen
from classhook.tables.columns import Value, share

NAME = "places"
TOO_SHORT = "no endpoint was seen at work or waiting: their calls are too short for samples"
ENDPOINTS = 5
EACH = 4  # places of an endpoint
LEAST = 0.02  # of its time
BUSY = 0.2  # of a place's time: with less CPU time it waits


@dataclass(slots=True)
class Place:
    """Sampled time in ns; `within`: by the JDK's method that the program's method called last."""

    wall: int = 0
    cpu: int = 0
    within: dict[MethodKey, int] = field(default_factory=dict)


def places_of(root: Call) -> dict[MethodKey, Place]:
    """The places of a tree of stacks, by the innermost method that is not the JDK's."""
    found: dict[MethodKey, Place] = {}
    for own, within, call in _stacks(root):
        place = found.setdefault(own, Place())
        place.wall += call.wall
        place.cpu += call.cpu
        if within is not None:
            place.within[within] = place.within.get(within, 0) + call.wall
    return found


def _stacks(root: Call) -> Iterator[tuple[MethodKey, MethodKey | None, Call]]:
    """Yields for each path its innermost method of the program, the JDK's method that this one called (None if the path
    ends with it), and the path itself."""
    todo: list[tuple[Call, MethodKey | None, MethodKey | None]] = [(root, None, None)]
    while todo:
        call, own, within = todo.pop()
        method = call.method
        if method is not None and method[0] and not f"{method[0]}.".startswith(OF_THE_JDK):
            own, within = method, None
        elif own is not None and within is None and method is not None:
            within = method
        if own is not None and (call.wall or call.cpu):
            yield own, within, call
        todo += [(one, own, within) for one in call.children.values() if not _is_jvms(one)]


def _is_jvms(call: Call) -> bool:
    """True for the stacks of the JVM's own threads."""
    return call.method is not None and call.method[1] in THREADS_OF_JVM


def places(seen: Seen) -> Part:
    rows: list[tuple[Value, ...]] = []
    for endpoint in seen.endpoints[:ENDPOINTS]:
        found = places_of(endpoint.part.stacks)
        whole = sum(max(one.wall, one.cpu) for one in found.values())
        names = endpoint.part.readable
        best = sorted(found.items(), key=lambda one: -max(one[1].wall, one[1].cpu))[:EACH]
        for method, place in best:
            taken = max(place.wall, place.cpu)
            if taken < LEAST * whole:
                continue
            text = names.method(*method).text()
            within = max(place.within, key=lambda one: place.within[one], default=None)
            if within is not None and place.within[within] > taken / 2:
                how = "waits in" if place.cpu < BUSY * taken else "in"
                text += f"  {how} {'.'.join(filter(None, [within[0].rpartition('.')[2], within[1]]))}"
            rows.append((taken, share(taken, whole), place.cpu, endpoint.name, printable(text)))
    if not rows:
        return absent(NAME, TOO_SHORT if seen.endpoints else "there are no endpoints whose time it could be")
    return Part(
        NAME,
        "Where their time goes (samples, tasks in other threads included)",
        [
            ("time", TIME),
            ("share", SHARE),
            ("cpu", TIME),
            ("endpoint", TEXT),
            ("method, and what of the JDK it called", TEXT),
        ],
        rows,
    )
