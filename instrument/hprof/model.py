"""What HPROF's files hold, made of a snapshot: stack traces by number, allocation sites, and the cost of traces.

1. A path of the call tree is a trace, its innermost method first; so are the stacks of sampled objects; an allocation site is one of a single
   frame. Equal ones have one number.
2. CPU SAMPLES come from a rule `cpu`, or else from profiled methods: a path's CPU time in sampling periods, at least one; of
   profiled methods in milliseconds if the period is longer, since it may be the agent's choice. CPU TIME comes from
   `time ... tree`: calls, and the time that a path's last method took itself. As with HPROF, a file has one of them: readers know no other.
Data files are sums over threads, so no trace belongs to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from instrument.data import traces
from instrument.data.calls import Call, MethodKey
from instrument.data.rows import Snapshot
from instrument.errors import Failure, UsageError
from instrument.reports.paths import TREES, stacks

ORDER = ("cpu", "profile", "time")  # whose costs are in a file, if there are several
FIRST_TRACE = 300_001  # HPROF numbered them so
FIRST_THREAD = 200_000  # ... and threads from one more on; to it the numbers that Java gives are added
#: HPROF's words for the states of threads; SL: sleeping.
STATUS = {"RUNNABLE": "R", "BLOCKED": "MW", "WAITING": "CW", "TIMED_WAITING": "CW", "NEW": "NS", "TERMINATED": "ZO"}
NS_OF_MS = 1_000_000
NOTHING = ("nothing that HPROF's forms have was recorded; rules that do: 'cpu every 10ms' (CPU SAMPLES), 'time com.acme.**::* tree' (CPU TIME), "
           "'alloc * in com.acme.**' (SITES), 'locks' (MONITOR TIME)")  # fmt: skip


class Frame(NamedTuple):
    """`source` may be empty, `line` is 0 where it is not known."""

    cls: str
    method: str
    descriptor: str
    source: str
    line: int = 0


class Cost(NamedTuple):
    """What a trace costs: samples, or ns; and how often it was seen or taken."""

    trace: int
    cost: int
    times: int


class Monitor(NamedTuple):
    """How often and for how many ns threads were blocked at monitors of a class."""

    trace: int
    type: str
    ns: int
    times: int


class Life(NamedTuple):
    """A thread that began, and perhaps ended."""

    thread: int
    name: str
    group: str
    ended: bool


class State(NamedTuple):
    """A thread in a dump, and what it does there in HPROF's words."""

    thread: int
    trace: int
    status: str


class Lock(NamedTuple):
    """A monitor in a dump. `owner`: a thread, 0: nobody; those that wait to enter it, or to be notified."""

    type: str
    owner: int
    entries: int
    entering: tuple[int, ...]
    waiting: tuple[int, ...]


class Site(NamedTuple):
    """What was allocated with a trace, and what of it is live."""

    trace: int
    type: str
    bytes: int
    objects: int
    live_bytes: int = 0
    live_objects: int = 0

    @property
    def order(self) -> tuple[int, int, int, str]:
        return (-self.live_bytes, -self.bytes, self.trace, self.type)


@dataclass(slots=True)
class Profile:
    """`traces`: number by frames, innermost first; the most expensive first: `samples`, `times`, `sites`, `monitors`. `live`: it is known what of the
    sites' objects is live, and they are in its order; `every`: bytes between two samples, in the mean. Of threads `lives`, and from the last dump
    of each process `states` and `locks`."""

    start_unix_ns: int = 0
    traces: dict[tuple[Frame, ...], int] = field(default_factory=dict)
    samples: list[Cost] = field(default_factory=list)
    times: list[Cost] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    live: bool = False
    every: int = 0
    monitors: list[Monitor] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    locks: list[Lock] = field(default_factory=list)

    def trace(self, frames: tuple[Frame, ...]) -> int:
        return self.traces.setdefault(frames, FIRST_TRACE + len(self.traces))

    def frames(self) -> dict[int, tuple[Frame, ...]]:
        """By number of the trace."""
        return {number: frames for frames, number in self.traces.items()}


def profile(snapshot: Snapshot, measure: str = "") -> Profile:
    """What a snapshot holds of it; `measure`: whose tree of calls, as in --measure. Raises Failure if that is nothing."""
    if snapshot.grouped_by:
        raise UsageError("HPROF's forms have methods and sites, no groups: leave out --group")
    found = Profile(min((process.start_unix_ns for process in snapshot.processes), default=0))
    there = [word for word in ORDER if TREES[word].root(snapshot).children]
    if measure and measure not in there:
        raise Failure(f"there is no tree of calls: {TREES[measure].none}")
    chosen = measure or next(iter(there), "")
    if chosen == "time":
        _add_times(found, snapshot)
    elif chosen:
        _add_samples(found, snapshot, chosen)
    _add_sites(found, snapshot)
    for (*_, monitor, event, _), row in snapshot.tables["locks"].items():
        if event in ("enter", "lock") and row.count:
            found.monitors.append(Monitor(found.trace(tuple(map(_traced, row.stack))), monitor, row.total_ns, row.count))
    found.monitors.sort(key=lambda one: (-one.ns, one.trace, one.type))
    for costs in (found.samples, found.times):
        costs.sort(key=lambda one: (-one.cost, one.trace))
    _add_threads(found, snapshot)
    found.sites.sort(key=lambda one: one.order)
    if not found.traces:
        raise Failure(NOTHING)
    return found


def _traced(frame: traces.Frame) -> Frame:
    return Frame(*frame[:5])


def _add_sites(found: Profile, snapshot: Snapshot) -> None:
    """Sampled stacks, and sites none of whose objects was sampled."""
    sampled = set()
    found.every = max((process.objects.every for process in snapshot.processes if process.objects), default=0)
    for (*site, type_name, _), row in snapshot.tables["objects"].items():
        sampled.add((*site, type_name))
        numbers = (row.allocated.bytes, row.allocated.objects, row.live.bytes, row.live.objects)
        found.sites.append(Site(found.trace(tuple(map(_traced, row.stack))), type_name, *map(round, numbers)))
        found.live |= row.known
    for (cls, method, descriptor, line, _, type_name), row in snapshot.tables["allocations"].items():
        if row.count and (cls, method, descriptor, line, type_name) not in sampled:
            frame = Frame(cls, method, descriptor, snapshot.class_sources.get(cls, ""), line)
            found.sites.append(Site(found.trace((frame,)), type_name, row.bytes, row.count))


def _add_threads(found: Profile, snapshot: Snapshot) -> None:
    first = FIRST_THREAD
    for process in snapshot.processes:
        found.lives += [Life(first + number, thread.name, thread.group, thread.ended) for number, thread in sorted(process.threads.items())]
        numbers = [*process.threads]
        for dump in process.dumps[-1:]:
            for thread in dump.threads:
                status = "SL" if thread.how == "sleeping" else STATUS.get(thread.state, "UN")
                found.states.append(State(first + thread.number, found.trace(tuple(map(_traced, thread.stack))), status))
                numbers.append(thread.number)
            for lock in dump.monitors.values():
                others = (tuple(first + number for number in some) for some in (lock.entering, lock.waiting))
                found.locks.append(Lock(lock.type, lock.owner and first + lock.owner, lock.entries, *others))
        first += max(numbers, default=0)


def _add_samples(found: Profile, snapshot: Snapshot, measure: str) -> None:
    samplings = [process.cpu_sampling if measure == "cpu" else process.sampling for process in snapshot.processes]
    period = max((sampling.period_ns for sampling in samplings if sampling), default=0)
    if measure != "cpu":
        period = min(period, NS_OF_MS)
    for frames, call in _paths(snapshot, TREES[measure].root(snapshot), lambda call: period > 0 and call.cpu > 0):
        samples = max(round(call.cpu / period), 1)  # it was seen
        found.samples.append(Cost(found.trace(frames), samples, samples))


def _add_times(found: Profile, snapshot: Snapshot) -> None:
    for frames, call in _paths(snapshot, snapshot.contexts, lambda call: call.calls > 0 or call.wall > 0):
        found.times.append(Cost(found.trace(frames), max(call.wall, 0), call.calls))


def _paths(snapshot: Snapshot, root: Call, wanted: Callable[[Call], bool]) -> Iterator[tuple[tuple[Frame, ...], Call]]:
    """The paths of a tree that are wanted, innermost method first."""
    frames: dict[MethodKey, Frame] = {}
    for path, call in stacks(root):
        if wanted(call):
            for method in path:
                if method not in frames:
                    frames[method] = Frame(*method, snapshot.class_sources.get(method[0], ""))
            yield tuple(frames[method] for method in reversed(path)), call
