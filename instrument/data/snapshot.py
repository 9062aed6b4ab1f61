"""Adds up data files: processes, classes, and for each method and site the sum over all blocks.

1. A file's descriptions come in order: the rules, then woven classes with their probe tables, skips, names.
2. tally.py adds each class's table and counters.
3. For rules that matched no method, the snapshot says whether classes that they name were not instrumented, or what they may have meant.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from instrument.data import calls, contexts, locks, objects, thread_dump, watched
from instrument.data.baseline import last_time, since_baseline
from instrument.data.calls import MethodKey
from instrument.data.file import DataError, DataFile, command_of, read_file, read_supertypes, text_of
from instrument.data.only_counted import OnlyCounted
from instrument.data.rotation import by_time, is_whole, process_of
from instrument.data.rows import JavaThread, Process, RuleRow, Snapshot
from instrument.data.session import leave_out_earlier
from instrument.data.tally import ClassReader, FreeSlots, Matches
from instrument.data.traces import Names
from instrument.measures import MEASURES, tables
from instrument.names import LONGEST, several, shortened
from native._layout import ffi

if TYPE_CHECKING:
    from rules.syntax import Rule

lib = ffi.dlopen(None)  # the header's constants

MOST_COMPARED = 500_000  # comparisons of a rule with a name, which take a second or two
CLASSES = ("seen", "matched", "woven", "cached")  # numbers of the header
ENDS = {lib.CH_EXIT: "exit", lib.CH_HALT: "halt", lib.CH_DETACHED: "detached", lib.CH_SNAPSHOT: "snapshot"}


class Period(NamedTuple):
    """The time that a file is about, in Unix ns: that of a process, or of a part of it (rotation.py)."""

    path: Path
    begin: int
    end: int


def latest_first(files: Iterable[Path]) -> list[Path]:
    """Of each process the file that it still writes to, or wrote to last, before those of earlier periods: it tells most of its classes."""
    first: dict[str, int] = {}
    every = list(files)
    for at, path in enumerate(every):
        first.setdefault(process_of(path), at)
    return sorted(sorted(every, key=by_time, reverse=True), key=lambda path: (first[process_of(path)], not is_whole(path)))


def data_files(paths: Iterable[Path]) -> list[Path]:
    """The data files that `paths` (files or directories) name, each once. Raises DataError if a path does not exist."""
    found: dict[str, Path] = {}
    for path in paths:
        if path.is_dir():
            named = sorted(path.glob("*.classhook"))
        elif path.exists() or path.is_symlink():
            named = [path]
        else:
            raise DataError(f"{path}: no such file or directory")
        for file in named:
            found.setdefault(os.path.realpath(file), file)  # Path.resolve() raises if a link points to itself
    return list(found.values())


def read(files: Iterable[Path], suggest: bool = True, exact_tree: bool = True) -> Snapshot:
    """The sum of all data files; one that cannot be read becomes a note. `suggest`: say of rules that matched nothing what they may have meant;
    `exact_tree`: read the exact tree of calls, of which rows need nothing."""
    snapshot = Snapshot()
    known: dict[tuple[int, int, int], list[Period]] = {}  # by session
    counted: dict[tuple[int, int], list[int]] = {}  # by process
    for path in latest_first(files):
        try:
            file = read_file(path)
            since = since_baseline(file)
            period = Period(path, since, last_time(file.header, file.running))
            header = file.header
            others = known.setdefault((header.pid, header.start_unix_ns, header.session_unix_ns), [])
            for other in others:
                if period.begin < other.end and other.begin < period.end:
                    raise DataError(f"{path}: a copy of {other.path}, or an earlier state of it; not counted again")
            others.append(period)
            _add_classes(snapshot, header, counted.setdefault((header.pid, header.start_unix_ns), [0] * len(CLASSES)))
            _add_file(snapshot, file, len(others) > 1, exact_tree)
            if since:
                snapshot.processes[-1].since(since)
        except DataError as error:
            snapshot.notes.append(str(error))
    snapshot.processes.sort(key=lambda p: p.start_unix_ns)
    for measure in MEASURES.values():
        if measure.conclude is not None:
            measure.conclude(snapshot)
    for table in tables():
        for row in snapshot.tables[table.name].values():
            table.finish(row)
    if suggest:
        _suggest(snapshot)
    return snapshot


def _suggest(snapshot: Snapshot) -> None:
    """For rules that matched no method, finds out why, or what they may have meant."""
    from rules.ruleset import RuleSet
    from rules.suggest import nearest

    left = {name for name, method, *_ in snapshot.skipped if not method}
    names = snapshot.class_names | set(snapshot.class_sources)
    most = MOST_COMPARED // (len(left) + len(names) + len(snapshot.missed) + 1)  # targets
    for text, row in snapshot.rules.items():
        row.unknown = not row.matched_methods and snapshot.undescribed
        rule = snapshot.parsed_rules.get(text)
        if row.matched_methods or row.unknown or rule is None or (most := most - len(rule.targets) - len(rule.excepts)) < 0:
            continue
        if any(len(target.class_pattern.glob) > LONGEST for target in (*rule.targets, *rule.excepts)):
            continue  # nobody wrote that, and comparing it takes long
        alone = RuleSet([rule])
        row.left_classes = sum(alone.bind(name, False, frozenset, frozenset) is not None for name in left)
        row.matched_classes += row.left_classes
        row.nearest = nearest(rule, names, snapshot.missed) or ""


def _add_classes(snapshot: Snapshot, header: Any, counted: list[int]) -> None:
    """Adds how many classes a process has seen, and the like. `counted`: of these, those that its other sessions and periods have told already."""
    for i, name in enumerate(CLASSES):
        more = max(0, getattr(header, name) - counted[i])
        counted[i] += more
        setattr(snapshot, name, getattr(snapshot, name) + more)


def _add_file(snapshot: Snapshot, file: DataFile, again: bool, exact_tree: bool) -> None:
    """Adds one process; `again`: another period of one whose classes are known."""
    process, header = _process(file), file.header
    snapshot.processes.append(process)
    rules: list[str] = []
    parsed: list[Rule] = []  # those of all sets of rules
    ahead: set[str] = set()
    damaged = unknown = 0
    free = FreeSlots(header.slots_used)
    frames: dict[int, MethodKey] = {}
    sampled: dict[int, MethodKey] = {}
    traced = Names()
    counted = OnlyCounted()
    watches: dict[int, watched.Watch] = {}
    supertypes: dict[str, set[str]] = {}
    undecided: list[ClassReader] = []
    matches = Matches(snapshot)
    for kind, first_slot, slots, text in file.descriptions():
        try:
            if kind == lib.CH_META_RULES:
                rules, more = _rules(snapshot, text)
                parsed += more
                matches.exchanged()
            elif kind in (lib.CH_META_CLASS, lib.CH_META_SKIP):
                reader = ClassReader(snapshot, file, free, rules, first_slot, slots, None if again else matches)
                reader.read(text)
                ahead.update(reader.rules if reader.rules is not rules else ())
                if reader.undecided:
                    undecided.append(reader)
                else:
                    process.contributed += reader.contributed
                unknown += reader.unknown
                frames |= reader.frames
                counted.extend(reader.counted)
                watches |= reader.watches
            elif kind == lib.CH_META_SUPERTYPES:
                name, found = read_supertypes(text)
                supertypes.setdefault(name, set()).update(found)
            elif kind == lib.CH_META_METHOD:
                sampled[first_slot] = _sampled_method(text)
            elif kind in (lib.CH_META_FRAME, lib.CH_META_TRACE_NAME):
                traced.add(kind, first_slot, slots, text)
            elif kind == lib.CH_META_DEADLOCK:
                process.deadlocks.append(locks.deadlock(text))
            elif kind == lib.CH_META_DUMP:
                process.dumps.append(thread_dump.parse(text.decode("utf-8", "replace"), first_slot))
            elif kind == lib.CH_META_THREAD:
                name, group, _ = (shortened(part.decode("utf-8", "replace")) for part in text.split(b"\0"))
                process.threads[first_slot] = JavaThread(name, group)
            elif kind == lib.CH_META_THREAD_END and first_slot in process.threads:
                process.threads[first_slot].ended = True
            elif kind == lib.CH_META_NAMES:
                snapshot.class_names.update(text.decode("utf-8", "replace").replace("/", ".").split())
            elif kind == lib.CH_META_NOTE:
                process.notes.append(text.decode("utf-8", "replace"))
        except ValueError:
            damaged += 1
    known = {name: frozenset(found) for name, found in supertypes.items()} if undecided else {}
    for name, of_class in supertypes.items():
        snapshot.supertypes.setdefault(name, set()).update(of_class)
    for reader in undecided:
        try:
            reader.decide(known)
        except ValueError:
            damaged += 1
        process.contributed += reader.contributed
    leave_out_earlier(file, parsed, ahead)
    counted_before = _counted(snapshot, "locks", "calls")
    process.sampling = calls.add_tree(snapshot.calls, file.region(lib.CH_TREE), frames, counted)
    process.cpu_sampling = calls.add_tree(snapshot.stacks, file.region(lib.CH_CPU_TREE), sampled)
    stacks = file.region(lib.CH_TRACES)
    since_first_ns = process.duration_ns + (header.session_ns - header.first_ns if header.session_ns else 0)
    process.locks = locks.add_rows(snapshot.tables["locks"], file.region(lib.CH_LOCKS), stacks, traced, since_first_ns)
    process.objects = objects.add_rows(snapshot.tables["objects"], file.region(lib.CH_OBJECTS), stacks, traced)
    earlier = file.base.region(lib.CH_WATCHED) if file.base is not None else None
    lost = watched.add_rows(snapshot.tables["calls"], file.region(lib.CH_WATCHED), watches, stacks, traced, header.start_unix_ns, earlier)
    if lost:
        process.notes.append(f"{several(lost, 'watched call')} found no room in the data file")
    process.contributed += _counted(snapshot, "locks", "calls") - counted_before
    process.contributed += sum(one.samples for one in (process.sampling, process.cpu_sampling) if one)
    process.contributed += process.objects.sampled if process.objects else 0
    if exact_tree:
        process.tree = contexts.add_tree(snapshot.contexts, file.region(lib.CH_CONTEXTS), frames, file.ns_per_tick)
    snapshot.undescribed |= damaged > 0 or not file.all_described
    if damaged:
        process.notes.append(f"{file.path}: {several(damaged, 'damaged description')} ignored, with the counts")
    if unknown:
        process.notes.append(f"{file.path}: counts are missing of {several(unknown, 'probe')} that only a newer classhook can read")
    if header.refused:
        why = "could not be written because the disk was full"
        process.notes.append(f"{several(header.refused, 'piece')} of counter memory {why}; what they counted is missing")


def _counted(snapshot: Snapshot, *names: str) -> int:
    """How much the rows of these tables have counted."""
    return sum(table.counted(row) for table in tables() if table.name in names for row in snapshot.tables[table.name].values())


def _sampled_method(text: bytes) -> MethodKey:
    """The method of a record CH_META_METHOD. A hidden class is named without its address, which differs in each run. Raises ValueError."""
    class_name, method, descriptor = (shortened(part.decode("utf-8", "replace")) for part in text.split(b"\0"))
    return class_name[1:-1].partition(".")[0].replace("/", "."), method, descriptor


def _process(file: DataFile) -> Process:
    header = file.header
    start = header.session_unix_ns or header.start_unix_ns
    last = max(header.last_ns, header.seen_ns)
    earlier = file.base.header if file.base is not None and file.base.header.session_ns != header.session_ns else None
    duration = max(time_ns() - start if file.running else last - (header.session_ns or header.first_ns), 0)
    return Process(
        pid=header.pid,
        jvm=text_of(header.jvm),
        jvm_name=text_of(header.jvm_name),
        command=" ".join(command_of(header)),
        start_unix_ns=start,
        duration_ns=duration,
        attached_ns=duration if header.session_unix_ns else None,
        end=ENDS.get(header.how_ended, "running" if file.running else "killed"),
        file=str(file.path),
        python_ns=header.python_ns - (earlier.python_ns if earlier else 0),
        weaving_ns=header.weaving_ns - (earlier.weaving_ns if earlier else 0),
        time_cost_ns=header.time_cost_ps / 1000,
        count_cost_ns=header.count_cost_ps / 1000,
        notes=file.notes,
    )


def _rules(snapshot: Snapshot, compiled: bytes) -> tuple[list[str], tuple[Rule, ...]]:
    """Adds the rules to the snapshot, and returns their texts and the rules. Raises ValueError."""
    from rules.compiled import loads
    from rules.errors import RuleError

    try:
        rules = loads(compiled.decode()).rules
    except RuleError as error:
        raise ValueError(str(error)) from None
    texts = [shortened(rule.text) for rule in rules]
    for text, rule in zip(texts, rules, strict=True):
        snapshot.rules.setdefault(text, RuleRow())
        snapshot.parsed_rules[text] = rule
        if rule.name:
            snapshot.rule_names[text] = shortened(rule.name)
    return texts, tuple(rules)
