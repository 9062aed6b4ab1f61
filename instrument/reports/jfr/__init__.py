"""A recording of JFR, a chunk for each JVM, for JDK Mission Control, IntelliJ and the JDK's `jfr`: call trees as
samples, allocations, waits at monitors and locks, pauses of the garbage collector, watched calls and tests.

A call tree has sums of times, and events of JFR stand for single samples: each for one period of a stack's time; what
is left over goes to the next stack. There are MOST of them, or fewer, spread over the time of the JVM.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from classhook.base.errors import Failure
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, TREES, clock, stacks, tree
from classhook.reports.jfr.encoding import chunk, number
from classhook.reports.jfr.events import events_of, written
from classhook.reports.jfr.pools import Pools, places
from classhook.reports.jfr.types import SAMPLE, metadata
from classhook.reports.timeline import each_jvm

MOST = 20_000
GOLDEN = 0.618033988749895  # its multiples are spread evenly between 0 and 1, without their whole parts
SHORTEST = 10_000  # ns: the period of short trees
EVERYWHERE = "all threads"  # a tree does not tell them apart
NOTHING = (
    "there is nothing that JFR has events for: call trees (rules such as 'profile com.acme.**::*' and 'cpu'),"
    " allocations ('alloc * in com.acme.**'), watched calls, tests, or waits at monitors ('locks')"
)


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the recording to the bytes below `out`. Raises Failure if there is nothing that it has events for."""
    found, some = list[bytes](), False
    for process, one in each_jvm(snapshot, exact_tree=True):
        pools = Pools()
        events = [*samples(one, process, options, pools), *events_of(one, process, pools)]
        some |= len(events) > 1  # besides that about the JVM
        body = b"".join(events)
        found.append(chunk(process.begin_unix_ns, process.duration_ns, body, metadata(), pools.written()))
    if not some:
        raise Failure(NOTHING)
    out.buffer.write(b"".join(found))


def samples(snapshot: Snapshot, process: Process, options: Options, pools: Pools) -> Iterator[bytes]:
    """The call tree."""
    if not any(one.root(snapshot).children for one in TREES.values()) and not options.measure:
        return
    weight = CLOCKS[clock(snapshot, options)]
    known = [([*path], weight(call)) for path, call in stacks(tree(snapshot, options)) if weight(call) > 0]
    period = max(SHORTEST, sum(time for _, time in known) // MOST + 1)
    thread, state = number(pools.thread(EVERYWHERE)), number(pools.state())
    rest = done = 0  # time that no sample stands for yet; samples so far
    for path, time in known:
        count, rest = divmod(rest + time, period)
        stack = number(pools.stack(places(path))) if count else b""
        for _ in range(count):
            at = int(process.duration_ns * (done * GOLDEN % 1))
            done += 1
            yield written(SAMPLE, number(at), thread, stack, state)
