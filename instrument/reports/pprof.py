"""The call tree as pprof has it: a gzipped protobuf message Profile (github.com/google/pprof/proto/profile.proto), CPU
and wall time.

A sample is a path, innermost first, with its two times; each method is a function with one location.
"""

from __future__ import annotations

import gzip
from typing import TextIO

from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, chosen, clock, stacks
from classhook.reports.protobuf import Strings, field, number, packed

# Field numbers of the messages.
SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRING_TABLE, TIME_NANOS, DURATION_NANOS, DEFAULT_TYPE = (
    1,
    2,
    4,
    5,
    6,
    9,
    10,
    14,
)
TYPE, UNIT = 1, 2  # ValueType
LOCATION_IDS, VALUES = 1, 2  # Sample
ID, LINE, FUNCTION_ID = 1, 4, 1  # Location, and Line in it
NAME, SYSTEM_NAME, FILENAME = 2, 3, 4  # Function


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the message to the bytes below `out`."""
    text = Strings()
    numbers: dict[tuple[str, str, str], int] = {}
    message = bytearray()

    tree = chosen(snapshot, options)
    if tree.exact:
        message += field(SAMPLE_TYPE, number(TYPE, text("calls")) + number(UNIT, text("count")))
    for one in tree.clocks:
        message += field(SAMPLE_TYPE, number(TYPE, text(one)) + number(UNIT, text("nanoseconds")))
    for path, call in stacks(tree.root(snapshot)):
        values = [call.calls] * tree.exact + [CLOCKS[one](call) for one in tree.clocks]
        if any(values):
            ids = [numbers.setdefault(method, len(numbers) + 1) for method in reversed(path)]
            message += field(SAMPLE, packed(LOCATION_IDS, ids) + packed(VALUES, values))
    for method, id_ in numbers.items():
        name, file = text(snapshot.readable.frame(*method)), text(snapshot.class_sources.get(method[0], ""))
        message += field(LOCATION, number(ID, id_) + field(LINE, number(FUNCTION_ID, id_)))
        message += field(
            FUNCTION, number(ID, id_) + number(NAME, name) + number(SYSTEM_NAME, name) + number(FILENAME, file)
        )
    message += number(DEFAULT_TYPE, text(clock(snapshot, options)))
    if snapshot.processes:
        message += number(TIME_NANOS, min(process.start_unix_ns for process in snapshot.processes))
        message += number(DURATION_NANOS, max(process.duration_ns for process in snapshot.processes))
    message += text.message(STRING_TABLE)
    out.buffer.write(gzip.compress(bytes(message), mtime=0))
