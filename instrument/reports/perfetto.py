"""A timeline in Perfetto's format, a message Trace of track events
(https://perfetto.dev/docs/reference/synthetic-track-event), for https://ui.perfetto.dev.

Each JVM is a process, each name of a thread a track below it. Times are Unix times; a snapshot of the clocks tells the
viewer so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from classhook.base.errors import Failure
from classhook.base.names import printable
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.protobuf import double, field, number, text
from classhook.reports.timeline import Slice, Timeline, each_jvm, events, timeline, tracks
from classhook.reports.titles import command
from classhook.tables.columns import Value

# Field numbers of the messages.
PACKET = 1  # Trace
CLOCK_SNAPSHOT, TIMESTAMP, SEQUENCE, TRACK_EVENT, TRACK_DESCRIPTOR = 6, 8, 10, 11, 60  # TracePacket
CLOCKS, CLOCK_ID, CLOCK_TIME, REALTIME, BOOTTIME = 1, 1, 2, 1, 6  # ClockSnapshot, Clock in it, and two clocks
UUID, NAME, PROCESS, PARENT = 1, 2, 3, 5  # TrackDescriptor
PID, COMMAND_LINE, PROCESS_NAME = 1, 2, 6  # ProcessDescriptor
ANNOTATIONS, TYPE, TRACK, CATEGORIES, EVENT_NAME = 4, 9, 11, 22, 23  # TrackEvent
BEGIN, END, INSTANT = 1, 2, 3  # types of events
ANNOTATION_NAME, BOOL, INT, DOUBLE, STRING = 10, 2, 4, 5, 6  # DebugAnnotation

NOTHING = (
    "there is no timeline: nothing in the data has a time of its own. Tests have one (`classhook run --tests`), watched"
    " calls (a rule such as 'watch com.acme.Orders::place(..)'), the slowest calls ('time com.acme.**::* slowest 20')"
    " and waits at monitors ('locks')"
)


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the message to the bytes below `out`. Raises Failure if nothing in the data has a time."""
    found = [timeline(one, process) for process, one in each_jvm(snapshot)]
    if not any(one.threads or len(one.own) > 1 for one in found):
        raise Failure(NOTHING)
    out.buffer.write(clocks(min(one.process.begin_unix_ns for one in found)))
    uuid = 0
    for one in found:
        uuid += 1
        out.buffer.write(of_process(one, uuid))
        parent = uuid
        named = [
            *one.own.items(),
            *sorted(one.threads.items(), key=lambda entry: (min(one.begin for one in entry[1]), entry[0])),
        ]
        for name, slices in named:
            for track in tracks(slices):
                uuid += 1
                out.buffer.write(of_track(name, uuid, parent))
                out.buffer.write(b"".join(packets(track, uuid)))


def packet(data: bytes, time: int | None = None) -> bytes:
    stamp = b"" if time is None else number(TIMESTAMP, time)
    return field(PACKET, stamp + number(SEQUENCE, 1) + data)


def clocks(unix_ns: int) -> bytes:
    """The trace's own clock is that of the day."""
    told = (field(CLOCKS, number(CLOCK_ID, clock) + number(CLOCK_TIME, unix_ns)) for clock in (BOOTTIME, REALTIME))
    return packet(field(CLOCK_SNAPSHOT, b"".join(told)), unix_ns)


def of_process(one: Timeline, uuid: int) -> bytes:
    line = command(one.process)
    words = b"".join(text(COMMAND_LINE, printable(word)) for word in line.split(" "))
    return packet(
        field(
            TRACK_DESCRIPTOR,
            number(UUID, uuid)
            + field(PROCESS, number(PID, one.process.pid) + words + text(PROCESS_NAME, printable(line))),
        )
    )


def of_track(name: str, uuid: int, parent: int) -> bytes:
    return packet(field(TRACK_DESCRIPTOR, number(UUID, uuid) + number(PARENT, parent) + text(NAME, printable(name))))


def packets(track: Iterable[Slice], uuid: int) -> Iterator[bytes]:
    """The events of a track."""
    on = number(TRACK, uuid)
    for time, one in events(track):
        if one is None:
            yield packet(field(TRACK_EVENT, number(TYPE, END) + on), time)
            continue
        about = b"".join(
            field(ANNOTATIONS, annotation(name, value)) for name, value in one.about.items() if value not in (None, "")
        )
        kind = number(TYPE, INSTANT if one.end is None else BEGIN)
        yield packet(
            field(
                TRACK_EVENT, kind + on + text(CATEGORIES, one.category) + text(EVENT_NAME, printable(one.name)) + about
            ),
            time,
        )


def annotation(name: str, value: Value) -> bytes:
    """A fact about an event."""
    if isinstance(value, bool):
        held = number(BOOL, value)
    elif isinstance(value, int):
        held = number(INT, value)
    elif isinstance(value, float):
        held = double(DOUBLE, value)
    else:
        held = text(STRING, str(value))
    return text(ANNOTATION_NAME, printable(name)) + held
