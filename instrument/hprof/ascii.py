"""HPROF's text: traces, then tables of sites, samples and times that refer to them by number, the most expensive first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TextIO

from instrument.data.rows import Snapshot
from instrument.hprof.model import NS_OF_MS, Cost, Frame, Monitor, Profile, profile
from instrument.names import printable
from instrument.reports import Options

OBJECTS = 0x50000000  # numbers of objects that stand for threads, as HPROF's did

HEAD = """\
JAVA PROFILE 1.0.1, created {time}

Written by classhook in the form of HPROF's ASCII output.
Counts are summed over threads, so a TRACE belongs to none.
{samples}
--------
"""
SAMPLES = """\
What is live, and what the JDK's classes allocate, is estimated from samples of objects, one per {every} bytes:
the standard error of b bytes is at most the square root of {every} b.
"""


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes what there is. Raises Failure if that is nothing."""
    found = profile(snapshot, options.measure)
    out.writelines(line + "\n" for line in lines(found))


def lines(found: Profile) -> Iterator[str]:
    time = time_of(found)
    yield HEAD.format(time=time, samples=SAMPLES.format(every=found.every) if found.every else "")
    for life in found.lives:
        names = (printable(text).replace('"', "'") for text in (life.name, life.group))
        yield 'THREAD START (obj={:x}, id = {}, name="{}", group="{}")'.format(OBJECTS + life.thread, life.thread, *names)
    yield from (f"THREAD END (id = {life.thread})" for life in found.lives if life.ended)
    frames = found.frames()
    for number, trace in frames.items():
        yield f"TRACE {number}:"
        yield from (f"\t{label(frame)}" for frame in trace)
        if not trace:
            yield "\t<empty>"
    if found.sites:
        yield f"SITES BEGIN (ordered by {'live' if found.live else 'allocated'} bytes) {time}"
        yield from _sites(found)
        yield "SITES END"
    if found.samples:
        yield f"CPU SAMPLES BEGIN (total = {sum(cost.cost for cost in found.samples)}) {time}"
        yield from _costs(found.samples, frames)
        yield "CPU SAMPLES END"
    if found.times:
        yield f"CPU TIME (ms) BEGIN (total = {round(sum(cost.cost for cost in found.times) / NS_OF_MS)}) {time}"
        yield from _costs(found.times, frames)
        yield "CPU TIME END"
    if found.states:
        yield "MONITOR DUMP BEGIN"
        yield from _dump(found)
        yield "MONITOR DUMP END"
    if found.monitors:
        yield f"MONITOR TIME BEGIN (total = {round(sum(one.ns for one in found.monitors) / NS_OF_MS)} ms) {time}"
        yield from _monitors(found.monitors)
        yield "MONITOR TIME END"


def time_of(found: Profile) -> str:
    return datetime.fromtimestamp(found.start_unix_ns / 1e9).strftime("%a %b %d %H:%M:%S %Y")


def label(frame: Frame) -> str:
    """`com.acme.Orders.place(Orders.java:17)`."""
    return printable(f"{_method(frame)}({frame.source or '<Unknown Source>'}:{frame.line or 'Unknown line'})")


def _method(frame: Frame) -> str:
    """Readers look for a class."""
    return f"{frame.cls or '<unknown>'}.{frame.method}"


def _costs(costs: list[Cost], frames: dict[int, tuple[Frame, ...]]) -> Iterator[str]:
    whole, sum_ = sum(cost.cost for cost in costs) or 1, 0
    yield "rank   self  accum   count trace method"
    for rank, cost in enumerate(costs, 1):
        sum_ += cost.cost
        method = printable(_method(frames[cost.trace][0]))
        yield f"{rank:4d} {_percent(cost.cost, whole)} {_percent(sum_, whole)} {cost.times:7d} {cost.trace} {method}"


def _monitors(monitors: list[Monitor]) -> Iterator[str]:
    whole, sum_ = sum(one.ns for one in monitors) or 1, 0
    yield "rank   self  accum   count trace monitor"
    for rank, one in enumerate(monitors, 1):
        sum_ += one.ns
        yield f"{rank:4d} {_percent(one.ns, whole)} {_percent(sum_, whole)} {one.times:7d} {one.trace} {printable(one.type)} (Java)"


def _dump(found: Profile) -> Iterator[str]:
    for state in found.states:
        yield f"    THREAD {state.thread}, trace {state.trace}, status: {state.status}"
    for lock in found.locks:
        yield f"    MONITOR {printable(signature(lock.type))}{'' if lock.owner else ' unowned'}"
        if lock.owner:
            yield f"\towner: thread {lock.owner}, entry count: {lock.entries}"
        yield "\twaiting to enter:" + "".join(f" thread {one}" for one in lock.entering)
        yield "\twaiting to be notified:" + "".join(f" thread {one}" for one in lock.waiting)


def signature(type_name: str) -> str:
    """`Ljava/lang/Object;` of `java.lang.Object`; of what is no class's name, as an array's in HotSpot's text, the text itself."""
    return type_name if type_name.startswith("[") else f"L{type_name.replace('.', '/')};"


def _sites(found: Profile) -> Iterator[str]:
    """Shares are of what is live, as far as that is known."""
    parts = [site.live_bytes if found.live else site.bytes for site in found.sites]
    whole, sum_ = sum(parts) or 1, 0
    yield "          percent          live          alloc'ed  stack class"
    yield " rank   self  accum     bytes objs     bytes  objs trace name"
    for rank, (site, part) in enumerate(zip(found.sites, parts, strict=True), 1):
        sum_ += part
        numbers = f"{site.live_bytes:9d} {site.live_objects:4d} {site.bytes:9d} {site.objects:5d}"
        yield f"{rank:5d} {_percent(part, whole)} {_percent(sum_, whole)} {numbers} {site.trace} {printable(site.type)}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.2f}%"
