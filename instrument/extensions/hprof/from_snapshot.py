"""Makes the contents of HPROF's files from a snapshot.

1. A path of the call tree is a trace, its innermost method first; so are the stacks of sampled objects; an allocation
   site is one of a single frame. Equal ones have one number.
2. CPU SAMPLES come from a rule `cpu`, or else from profiled methods: a path's CPU time in sampling periods, at least
   one. CPU TIME comes from `time ... tree`: calls, and the time that a path's last method took itself. As with HPROF, a
   file has one of them: readers know no other.
3. Where threads are told apart, a trace belongs to one; else it belongs to none.
4. CPU time of exact calls (`msa`) comes from samples: of a sample's stack the methods that are in the exact tree are a
   path of that tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from classhook.base.errors import Failure, UsageError
from classhook.extensions.hprof.profile_data import (
    FIRST_THREAD,
    Cost,
    Frame,
    Life,
    Lock,
    Monitor,
    OfProcess,
    Profile,
    Site,
    ThreadState,
    Trace,
)
from classhook.measures.alloc.reader_objects import OBJECT_STACKS, SAMPLED_OBJECTS, ObjectRow
from classhook.measures.cpu.reader import CPU_SAMPLING, CPU_STACKS
from classhook.measures.locks.reader import Held
from classhook.measures.profile.reader import SAMPLING
from classhook.measures.time.reader import THREAD_TREES
from classhook.model import stacks as traces
from classhook.model.call_tree import CUT, Call, MethodKey
from classhook.model.jvm_threads import DUMPS, THREADS
from classhook.model.snapshot import Snapshot
from classhook.reports.call_trees import TREES, stacks

ORDER = ("cpu", "profile", "time")  # whose costs are in a file, if there are several
#: HPROF's words for the states of threads; SL: sleeping.
STATUS = {"RUNNABLE": "R", "BLOCKED": "MW", "WAITING": "CW", "TIMED_WAITING": "CW", "NEW": "NS", "TERMINATED": "ZO"}
UNNAMED = (traces.UNKNOWN.method, "[unloaded]")  # frames of Java's methods whose class is not known
Firsts = dict[int, int]
NOTHING = (
    "nothing was recorded that HPROF's formats can show. Rules whose data they show: 'cpu every 10ms' (CPU SAMPLES), "
    "'time com.acme.**::* tree' (CPU TIME), 'alloc * in com.acme.**' (SITES), 'locks' (MONITOR TIME)"
)


def profile(
    snapshot: Snapshot, measure: str = "", asked: frozenset[str] = frozenset(), cpu_times: bool = False
) -> Profile:
    """The profile in a snapshot; `measure`: whose tree of calls, as in --measure; `cpu_times`: times of exact calls
    are CPU time. Raises Failure if that is nothing and nothing is `asked` for."""
    if snapshot.grouped_by:
        raise UsageError("HPROF's formats contain methods and sites, not groups: leave out --group")
    start = min((process.start_unix_ns for process in snapshot.processes), default=0)
    end = max(
        ((process.since_unix_ns or process.start_unix_ns) + process.duration_ns for process in snapshot.processes),
        default=0,
    )
    found = Profile(start, end, asked, times_are_cpu=cpu_times)
    firsts = _add_threads(found, snapshot)
    there = [word for word in ORDER if TREES[word].root(snapshot).children]
    if measure and measure not in there:
        raise Failure(f"no call tree was recorded: {TREES[measure].none}")
    chosen = "time" if cpu_times else measure or next(iter(there), "")
    if chosen == "time":
        _add_times(found, snapshot, firsts, cpu_times)
    elif chosen:
        _add_samples(found, snapshot, chosen, firsts)
    _add_sites(found, snapshot, firsts)
    _add_monitors(found, snapshot, firsts)
    found.monitors.sort(key=lambda one: (-one.ns, one.trace, one.type))
    for costs in (found.samples, found.times):
        costs.sort(key=lambda one: (-one.cost, one.trace))
    found.by_thread = any(trace.thread for trace in found.traces)
    _add_states(found, snapshot, firsts)
    found.sites.sort(key=lambda one: one.order)
    if not found.traces and not asked:
        raise Failure(NOTHING)
    return found


def _traced(frame: traces.Frame) -> Frame:
    return Frame(*frame[:5])


def _add_sites(found: Profile, snapshot: Snapshot, firsts: Firsts) -> None:
    """Sampled stacks, and sites none of whose objects was sampled."""
    sampled: dict[tuple[Any, ...], float] = {}  # bytes by site
    found.every = max(
        (objects.every for process in snapshot.processes if (objects := SAMPLED_OBJECTS.get(process))), default=None
    )
    for (*site, type_name, _), row in snapshot.tables["objects"].items():
        sampled[*site, type_name] = sampled.get((*site, type_name), 0) + row.allocated.bytes
        frames = tuple(map(_traced, row.stack))
        for thread, allocated, live in _of_threads(row, firsts):
            numbers = [*map(round, allocated)]
            lives = (
                min(round(one), most) for one, most in zip(live, numbers, strict=True)
            )  # some are older than a reset
            found.sites.append(Site(found.trace(frames, thread), type_name, *numbers, *lives))
        found.live |= row.known
    for (*place, _, type_name), row in snapshot.tables["allocations"].items():
        if row.count and (*place, type_name) not in sampled:
            cls, method, descriptor, line = place
            within = sum(
                sampled.get((*place, type_name[: -2 * depth]), 0) for depth in range(1, type_name.count("[]"))
            )  # of a multianewarray
            frame = Frame(cls, method, descriptor, snapshot.class_sources.get(cls, ""), line)
            found.sites.append(Site(found.trace((frame,)), type_name, max(row.bytes - round(within), 0), row.count))


def _of_threads(row: ObjectRow, firsts: Firsts) -> Iterator[tuple[int, list[float], list[float]]]:
    """Bytes and objects, allocated and live, of each thread, by its shares of the samples; or of all threads
    together."""
    wholes = [[one.bytes, one.objects] for one in (row.allocated, row.live)]
    if not row.threads:
        yield 0, wholes[0], wholes[1]
        return
    sampled = {thread: [[one.bytes, one.objects] for one in of] for thread, of in row.threads.items()}
    sums = [[sum(of[at][i] for of in sampled.values()) or 1 for i in (0, 1)] for at in (0, 1)]
    for (pid, number), of in sampled.items():
        allocated, live = ([wholes[at][i] * of[at][i] / sums[at][i] for i in (0, 1)] for at in (0, 1))
        yield firsts[pid] + number, allocated, live


def _add_monitors(found: Profile, snapshot: Snapshot, firsts: Firsts) -> None:
    for (*_, monitor, event, _), row in snapshot.tables["locks"].items():
        if event not in ("enter", "lock"):
            continue
        frames = tuple(map(_traced, row.stack))
        threads = {firsts[pid] + number: held for (pid, number), held in row.threads.items()} or {
            0: Held(row.count, row.total_ns)
        }
        found.monitors += [
            Monitor(found.trace(frames, thread), monitor, held.ns, held.count)
            for thread, held in threads.items()
            if held.count
        ]


def _add_threads(found: Profile, snapshot: Snapshot) -> Firsts:
    """The threads' lives. Returns what is added to the numbers that Java gives them, by pid."""
    first, firsts = FIRST_THREAD, {}
    for process in snapshot.processes:
        firsts[process.pid] = first
        stacks = {
            row: Trace(tuple(map(_traced, stack)), thread and first + thread)
            for row, (thread, stack) in OBJECT_STACKS.get(process).items()
            if row  # row 0 is of all others
        }
        found.processes[process.pid] = OfProcess(first, stacks)
        threads = THREADS.get(process)
        found.lives += [
            Life(first + number, thread.name, thread.group, thread.ended) for number, thread in sorted(threads.items())
        ]
        in_dumps = (thread.number for dump in DUMPS.get(process)[-1:] for thread in dump.threads)
        first += max((*threads, *in_dumps), default=0)
    return firsts


def _add_states(found: Profile, snapshot: Snapshot, firsts: Firsts) -> None:
    for process in snapshot.processes:
        first, known = firsts[process.pid], THREADS.get(process)
        for dump in DUMPS.get(process)[-1:]:
            for thread in dump.threads:
                if known and thread.number not in known:
                    continue  # the JVM's own, which compile
                status = "SL" if thread.how == "sleeping" else STATUS.get(thread.state, "UN")
                number = first + thread.number
                trace = found.trace(tuple(map(_traced, thread.stack)), number if found.by_thread else 0)
                found.states.append(ThreadState(number, trace, status))
            for lock in dump.monitors.values():
                others = (tuple(first + number for number in some) for some in (lock.entering, lock.waiting))
                found.locks.append(Lock(lock.type, lock.owner and first + lock.owner, lock.entries, *others))


def _add_samples(found: Profile, snapshot: Snapshot, measure: str, firsts: Firsts) -> None:
    samplings = [(CPU_SAMPLING if measure == "cpu" else SAMPLING).get(process) for process in snapshot.processes]
    period = max((sampling.period_ns for sampling in samplings if sampling), default=0)
    cpu: Counter[Trace] = Counter()
    for process in snapshot.processes if measure == "cpu" else ():
        for stack in CPU_STACKS.get(process):
            cpu[Trace(tuple(map(_traced, stack.frames)), stack.thread and firsts[process.pid] + stack.thread)] += (
                stack.cpu
            )
    if not cpu:
        cpu.update(
            {
                Trace(frames): call.cpu
                for frames, call in _paths(snapshot, TREES[measure].root(snapshot), lambda call: call.cpu > 0)
            }
        )
    in_java: Counter[Trace] = Counter()
    for (frames, thread), ns in cpu.items():
        in_java[Trace(_java_frames(frames), thread)] += ns
    for trace, ns in in_java.items() if period else ():
        if not trace.frames:
            continue
        samples = max(round(ns / period), 1)  # it was seen
        found.samples.append(Cost(found.trace(*trace), samples, samples))


def _java_frames(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The frames without those of native code, which HPROF's files do not have; empty where none is Java's."""
    java = tuple(frame for frame in frames if frame.cls or frame.method in (CUT[1], *UNNAMED))
    return java if any(frame.method != CUT[1] for frame in java) else ()


def _add_times(found: Profile, snapshot: Snapshot, firsts: Firsts, cpu_times: bool) -> None:
    trees = {
        firsts[process.pid] + number: tree
        for process in snapshot.processes
        for number, tree in THREAD_TREES.get(process).items()
    } or {0: snapshot.exact_tree}
    cpu = _cpu_of_paths(snapshot, firsts, by_thread=0 not in trees) if cpu_times else {}
    for thread, tree in trees.items():
        for frames, call in _paths(snapshot, tree, lambda call: call.calls > 0 or call.wall > 0):
            methods = tuple(frame[:3] for frame in frames)
            found.times.append(
                Cost(
                    found.trace(frames, thread),
                    cpu.get((thread, methods), 0) if cpu_times else max(call.wall, 0),
                    call.calls,
                )
            )


def _cpu_of_paths(snapshot: Snapshot, firsts: Firsts, by_thread: bool) -> Counter[tuple[int, tuple[MethodKey, ...]]]:
    """CPU time in ns of the paths of exact trees, by thread and the path's methods, the innermost first."""
    timed = {call.method for call, entered in snapshot.exact_tree.walk() if entered}
    found: Counter[tuple[int, tuple[MethodKey, ...]]] = Counter()
    for process in snapshot.processes:
        for stack in CPU_STACKS.get(process):
            path = tuple(key for frame in stack.frames if (key := (frame.cls, frame.method, frame.descriptor)) in timed)
            found[firsts[process.pid] + stack.thread if by_thread else 0, path] += stack.cpu
    return found


def _paths(snapshot: Snapshot, root: Call, wanted: Callable[[Call], bool]) -> Iterator[tuple[tuple[Frame, ...], Call]]:
    """The paths of a tree that are wanted, innermost method first."""
    frames: dict[MethodKey, Frame] = {}
    for path, call in stacks(root):
        if wanted(call):
            for method in path:
                if method not in frames:
                    frames[method] = Frame(*method, snapshot.class_sources.get(method[0], ""))
            yield tuple(frames[method] for method in reversed(path)), call
