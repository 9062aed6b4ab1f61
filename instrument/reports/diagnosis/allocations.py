"""Allocations by type and by the program's frame, from samples of objects."""

from __future__ import annotations

from classhook.base.names import printable, quantity
from classhook.measures.alloc.reader_objects import OBJECTS, SAMPLED_OBJECTS
from classhook.model.stacks import ARROW
from classhook.reports.diagnosis.part import SHARE, TEXT, Part, absent, first
from classhook.reports.diagnosis.seen import Seen
from classhook.tables.columns import BYTES, share
from classhook.tables.stack_names import own_frame

NAME = "allocations"
TOO_FEW = 10  # samples


def allocations(seen: Seen) -> Part:
    found: dict[tuple[str, str], float] = {}
    for key, row in seen.whole.tables[OBJECTS.name].items():
        place = own_frame(key[-1].split(ARROW))
        found[key[4], place] = found.get((key[4], place), 0) + row.allocated.bytes
    sampled = [one for process in seen.whole.processes if (one := SAMPLED_OBJECTS.get(process)) is not None]
    samples = sum(one.sampled for one in sampled)
    if samples < TOO_FEW:
        return absent(NAME, f"hardly anything was allocated: {samples} samples, one per {quantity(512 << 10)}")
    whole = sum(found.values())
    names = seen.whole.readable
    rows, more = first(
        (round(bytes_), share(round(bytes_), round(whole)), printable(f"{kind}  in {names.short(place)}"))
        for (kind, place), bytes_ in sorted(found.items(), key=lambda one: (-one[1], one[0]))
    )
    seconds = sum(process.duration_ns for process in seen.whole.processes) / 1e9 or 1
    title = f"Allocations: about {quantity(round(whole))}, {quantity(round(whole / seconds))} a second"
    return Part(
        NAME, title, [("bytes", BYTES), ("share", SHARE), ("type, and the program's method", TEXT)], rows, more=more
    )
