"""HPROF's text: traces, then tables of sites, samples and times that refer to them by number, the most expensive
first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TextIO

from classhook.base.names import printable
from classhook.extensions.hprof.from_snapshot import profile
from classhook.extensions.hprof.profile_data import NO_TRACE, NS_OF_MS, Cost, Frame, Monitor, Profile, Trace
from classhook.model.snapshot import Snapshot
from classhook.model.stacks import NATIVE
from classhook.reports import Options

LINES: dict[int, int | str] = {0: "Unknown line", NATIVE: "Native method"}
OBJECTS = 0x50000000  # numbers of objects that stand for threads, as HPROF's did

HEAD = """\
JAVA PROFILE 1.0.1, created {time}

Written by classhook in the form of HPROF's ASCII output.
{threads}
{samples}
--------
"""
SAMPLES = """\
What is live, and what the JDK's classes allocate, is estimated from samples of objects, one per {every} bytes:
the standard error of b bytes is at most the square root of {every} b.
"""
CPU_TIMES = """\
CPU TIME is CPU time, estimated from samples: the standard error of n samples is the square root of n.
Counts of calls are exact.
"""
#: By whether objects were looked at, and whether only samples.
OBJECTS_OF_HEAP = {
    1: (
        f"""\
Objects in HEAP DUMP that were sampled have the TRACE that allocated them, others have TRACE {NO_TRACE}.
"""
    ),
    0: (
        f"""\
Objects in HEAP DUMP have the TRACE that allocated them; those of the JVM's start have TRACE {NO_TRACE}.
"""
    ),
    None: (
        f"""\
Objects in HEAP DUMP have TRACE {NO_TRACE}: where they were allocated is not known.
"""
    ),
}
EXACT = """\
What is allocated and what is live is exact: each object was looked at.
"""


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes what there is. Raises Failure if that is nothing."""
    found = profile(snapshot, options.measure)
    out.writelines(line + "\n" for line in lines(found))


def lines(found: Profile) -> Iterator[str]:
    time = time_of(found)
    samples = "" if found.every is None else SAMPLES.format(every=found.every) if found.every else EXACT
    if found.heap is not None:
        samples += OBJECTS_OF_HEAP[min(found.every, 1) if found.heap.rows and found.every is not None else None]
    if found.times_are_cpu:
        samples += CPU_TIMES
    threads = (
        "A TRACE belongs to a thread, if that is known."
        if found.by_thread
        else "Counts are summed over threads, so a TRACE belongs to none."
    )
    yield HEAD.format(time=time, threads=threads, samples=samples)
    for life in found.lives:
        names = (printable(text).replace('"', "'") for text in (life.name, life.group))
        object_ = found.heap.objects.get(life.thread, 0) if found.heap is not None else 0
        yield 'THREAD START (obj={:x}, id = {}, name="{}", group="{}")'.format(
            object_ or OBJECTS + life.thread, life.thread, *names
        )
    yield from (f"THREAD END (id = {life.thread})" for life in found.lives if life.ended)
    traces = found.numbered() if found.heap is None else {NO_TRACE: Trace(()), **found.numbered()}
    for number, (frames, thread) in traces.items():
        yield f"TRACE {number}: (thread={thread})" if thread else f"TRACE {number}:"
        yield from (f"\t{label(frame)}" for frame in frames)
        if not frames:
            yield "\t<empty>"
    if found.sites or "sites" in found.asked:
        yield f"SITES BEGIN (ordered by {'live' if found.live else 'allocated'} bytes) {time}"
        yield from _sites(found)
        yield "SITES END"
    if found.samples or "samples" in found.asked:
        yield f"CPU SAMPLES BEGIN (total = {sum(cost.cost for cost in found.samples)}) {time}"
        yield from _costs(found.samples, traces)
        yield "CPU SAMPLES END"
    if found.times or "times" in found.asked:
        yield f"CPU TIME (ms) BEGIN (total = {round(sum(cost.cost for cost in found.times) / NS_OF_MS)}) {time}"
        yield from _costs(found.times, traces)
        yield "CPU TIME END"
    if found.states:
        yield "MONITOR DUMP BEGIN"
        yield from _dump(found)
        yield "MONITOR DUMP END"
    if found.monitors or "monitors" in found.asked:
        yield f"MONITOR TIME BEGIN (total = {round(sum(one.ns for one in found.monitors) / NS_OF_MS)} ms) {time}"
        yield from _monitors(found.monitors)
        yield "MONITOR TIME END"


def time_of(found: Profile) -> str:
    return datetime.fromtimestamp(found.end_unix_ns / 1e9).strftime("%a %b %d %H:%M:%S %Y")


def label(frame: Frame) -> str:
    """`com.acme.Orders.place(Orders.java:17)`."""
    return printable(f"{_method(frame)}({frame.source or '<Unknown Source>'}:{LINES.get(frame.line, frame.line)})")


def _method(frame: Frame) -> str:
    """Readers look for a class."""
    return f"{frame.cls or '<unknown>'}.{frame.method}"


def _costs(costs: list[Cost], traces: dict[int, Trace]) -> Iterator[str]:
    whole, sum_ = sum(cost.cost for cost in costs) or 1, 0
    yield "rank   self  accum   count trace method"
    for rank, cost in enumerate(costs, 1):
        sum_ += cost.cost
        method = printable(_method(traces[cost.trace].frames[0]))
        yield f"{rank:4d} {_percent(cost.cost, whole)} {_percent(sum_, whole)} {cost.times:7d} {cost.trace} {method}"


def _monitors(monitors: list[Monitor]) -> Iterator[str]:
    whole, sum_ = sum(one.ns for one in monitors) or 1, 0
    yield "rank   self  accum   count trace monitor"
    for rank, one in enumerate(monitors, 1):
        sum_ += one.ns
        yield (
            f"{rank:4d} {_percent(one.ns, whole)} {_percent(sum_, whole)} {one.times:7d} {one.trace}"
            f" {printable(one.type)} (Java)"
        )


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
    """`Ljava/lang/Object;` of `java.lang.Object`; of other texts, as an array's in HotSpot's text, the text itself."""
    return type_name if type_name.startswith("[") else f"L{type_name.replace('.', '/')};"


def _sites(found: Profile) -> Iterator[str]:
    """Shares are of live bytes, as far as these are known."""
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
