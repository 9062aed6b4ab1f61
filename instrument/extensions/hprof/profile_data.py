"""The contents of HPROF's files: stack traces by number, allocation sites, the cost of traces, threads and monitors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

NO_TRACE = 300_000  # HPROF's number of the empty trace
FIRST_TRACE = NO_TRACE + 1
FIRST_THREAD = 200_000  # threads begin with one more; to it the numbers that Java gives are added
NS_OF_MS = 1_000_000


class Frame(NamedTuple):
    """`source` may be empty; `line`: 0 where it is not known, NATIVE of native methods."""

    cls: str
    method: str
    descriptor: str
    source: str
    line: int = 0


class Trace(NamedTuple):
    """A stack, the innermost frame first, and the thread it belongs to; 0: none."""

    frames: tuple[Frame, ...]
    thread: int = 0


class Cost(NamedTuple):
    """The cost of a trace: samples, or ns; and how often it was seen or taken."""

    trace: int
    cost: int
    times: int


class Monitor(NamedTuple):
    """The number of times, and the ns, that threads were blocked at monitors of a class."""

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


class ThreadState(NamedTuple):
    """A thread in a dump, and what it does there in HPROF's words."""

    thread: int
    trace: int
    status: str


class Lock(NamedTuple):
    """A monitor in a dump. `owner`: a thread, 0: none; those that wait to enter it, or to be notified."""

    type: str
    owner: int
    entries: int
    entering: tuple[int, ...]
    waiting: tuple[int, ...]


class Site(NamedTuple):
    """Objects and bytes that were allocated with a trace, and those that are live."""

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
class InHeap:
    """The part of a profile that a dump of the heap has (heap_ties.py). `rows`: by object, a number that `traces` has a
    trace for; of the dump's own threads `threads`, by its numbers, and their `stacks`, as traces, by its numbers of
    these; `objects`: of threads; `list`: of no concern."""

    rows: dict[int, int] = field(default_factory=dict)
    traces: dict[int, int] = field(default_factory=dict)
    threads: dict[int, int] = field(default_factory=dict)
    stacks: dict[int, int] = field(default_factory=dict)
    objects: dict[int, int] = field(default_factory=dict)
    list: set[int] = field(default_factory=set)

    def trace(self, id_: int) -> int:
        """The trace that allocated an object."""
        return self.traces.get(self.rows.get(id_, 0), NO_TRACE)


class OfProcess(NamedTuple):
    """Ties of a heap to a process: to `first`, its threads' numbers are added; `stacks`: of sampled objects, by
    row."""

    first: int
    stacks: dict[int, Trace]


@dataclass(slots=True)
class Profile:
    """A profile from `start_unix_ns`, when the first JVM started, until `end_unix_ns`. `asked`: tables that a file has
    even if they are empty. `traces`: their numbers, `by_thread`: they belong to threads; `times_are_cpu`: estimated
    from samples. The most expensive first: `samples`, `times`, `sites`, `monitors`. `live`: it is known what of the
    sites' objects is live, and they are in its order; `every`: bytes between two samples of objects, in the mean, 0 if
    each is one, None if there are none. `lives`: of threads; `states` and `locks`: from the last dump of each process.
    `processes`: by pid; `heap`: if there is a dump of one."""

    start_unix_ns: int = 0
    end_unix_ns: int = 0
    asked: frozenset[str] = frozenset()
    traces: dict[Trace, int] = field(default_factory=dict)
    by_thread: bool = False
    times_are_cpu: bool = False
    samples: list[Cost] = field(default_factory=list)
    times: list[Cost] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    live: bool = False
    every: int | None = None
    monitors: list[Monitor] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    states: list[ThreadState] = field(default_factory=list)
    locks: list[Lock] = field(default_factory=list)
    processes: dict[int, OfProcess] = field(default_factory=dict)
    heap: InHeap | None = None

    def trace(self, frames: tuple[Frame, ...], thread: int = 0) -> int:
        return self.traces.setdefault(Trace(frames, thread), FIRST_TRACE + len(self.traces))

    def numbered(self) -> dict[int, Trace]:
        """The traces by number."""
        return {number: trace for trace, number in self.traces.items()}
