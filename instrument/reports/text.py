"""The report as text: a header, then a table for each kind of rule, the heaviest rows first.

Coloured on a terminal, plain elsewhere. Tables are as wide as options.width; on a terminal, longer lines wrap there at
words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TextIO

from classhook.base.launch import main_of
from classhook.base.names import printable, several, them, time_label
from classhook.base.row_names import cut
from classhook.measures.context.reader import CONTEXTS
from classhook.measures.tables import about_processes, warnings_of
from classhook.measures.threads.reader import ROWS as THREADS
from classhook.model.snapshot import EachContext, EachThread, Process, SkipKey, Snapshot
from classhook.model.snapshot_scope import NOBODY
from classhook.model.unmatched import unmatched_of
from classhook.probes import reasons
from classhook.reports import Options
from classhook.reports.section_view import View, more, row_names, views
from classhook.reports.styled_text import Styled
from classhook.reports.tests import lines, listed
from classhook.reports.text_table import HANGING, TextTable, footnote
from classhook.reports.titles import command, run_of

SKIPS_SHOWN = 10
WORTH_A_WORD_NS = 100_000_000  # of weaving
ALIKE_SHOWN = 3
IDLE_SHOWN = 3
LATE_MS = 1000  # as the difference of when classes begin to count


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the snapshot as text."""
    console = Styled(options.terminal)
    _header(console, snapshot, options)
    _tests(console, snapshot, options)
    left_out = [name for view in views(snapshot, options) for name in _section(console, snapshot, options, view)]
    if snapshot.by_context:
        left_out += _contexts(console, snapshot, options, snapshot.by_context)
    if snapshot.by_thread:
        left_out += _threads(console, snapshot.by_thread, options)
    if left_out:
        console.print()
        _below(
            console,
            options,
            f"not shown: {', '.join(dict.fromkeys(left_out))}; --wide shows all columns and whole names",
        )
    _unmatched(console, snapshot, options)
    _skipped(console, snapshot, options)
    for line in console.text.splitlines():
        out.write(line.rstrip(" ") + "\n")


def _below(console: Styled, options: Options, text: str, style: str = "dim", indent: int = HANGING) -> None:
    console.print(footnote(text, options, indent), style)


def _line(console: Styled, options: Options, text: str, style: str = "") -> None:
    """A line of the header; on a terminal it wraps at words."""
    _below(console, options, f"  {text}", style, indent=4)


def _by_contribution(snapshot: Snapshot, options: Options) -> tuple[list[Process], list[Process]]:
    """The processes that get lines of their own, those that counted most first, and the processes that counted nothing
    while others did. The sessions of a JVM are beside each other, by time."""
    jvms: dict[tuple[int, int], list[Process]] = {}
    for i, process in enumerate(snapshot.processes):
        jvms.setdefault((process.pid, i if process.attached_ns is None else -1), []).append(process)
    processes = [
        process
        for jvm in sorted(jvms.values(), key=lambda jvm: -max(one.contributed for one in jvm))
        for process in jvm
    ]
    if options.all or not any(process.contributed for process in processes):
        return processes, []
    sides: tuple[list[Process], list[Process]] = [], []
    for process in processes:
        urgent = any(one.urgent and one.value(process) for one in about_processes())
        sides[not (process.contributed or process.notes or urgent)].append(process)
    return sides


def _idle(processes: list[Process]) -> str:
    """One line for all processes that counted nothing."""
    names = ", ".join(f"{process.pid} ({main_of(process.command.split(' '))})" for process in processes[:IDLE_SHOWN])
    rest = f" and {len(processes) - IDLE_SHOWN:,} more" if len(processes) > IDLE_SHOWN else ""
    return f"{several(len(processes), 'JVM')} counted nothing: {names}{rest}; --all shows {them(len(processes))}"


def _title(console: Styled, options: Options, text: str) -> None:
    if text:
        console.print(printable(cut(printable(text), options.width) if options.width else text), "bold")


def _header(console: Styled, snapshot: Snapshot, options: Options) -> None:
    shown, idle = _by_contribution(snapshot, options)
    run = ""
    for process in shown:
        if (own := run_of(process)) != run:
            _title(console, options, own)
            run = own
        _title(console, options, command(process))
        _line(console, options, f"pid {process.pid}, JVM {process.jvm}, {when(process)}, {_end(process)}")
        for warning in warnings_of(process):
            _line(console, options, warning, "bold red")
        if process.late_ms >= LATE_MS:
            last = len(max(process.placed)[1])
            late = f"{process.late_ms / 1000:.1f} s"
            _line(
                console,
                options,
                f"classes were woven in turn: the last {last:,} count for {late} less than the first (-f json: placed)",
                "yellow",
            )
        if process.since_unix_ns:
            _line(console, options, f"counted since {_clock(process.since_unix_ns)}, when it was reset")
        if process.time_cost_ns:
            _line(
                console,
                options,
                f"cost of probes: time {process.time_cost_ns:.0f} ns, count {process.count_cost_ns:.1f} ns per call",
            )
        for one in about_processes():
            for said, style in one.lines(process):
                _line(console, options, said, style)
        for note in process.notes:
            _line(console, options, f"note: {note}", "yellow")
    if idle:
        _below(console, options, _idle(idle), style="")
    for note in snapshot.notes:
        _below(console, options, f"not counted: {note}", "yellow")
    skipped = f", {len(snapshot.skipped)} not or only partly instrumented (listed below)" if snapshot.skipped else ""
    cached = f" ({snapshot.cached:,} from the cache)" if snapshot.cached else ""
    weaving = sum(p.weaving_ns for p in snapshot.processes)
    apart = ", which no method's time includes" if weaving >= WORTH_A_WORD_NS else ""
    if not snapshot.seen and any(
        one.by_agent and one.value(process) for one in about_processes() for process in snapshot.processes
    ):
        return  # the agent did not look at classes
    _line(
        console,
        options,
        f"classes: {snapshot.seen:,} seen, {snapshot.matched:,} matched by rules, {snapshot.woven:,} woven{cached} "
        f"in {time_label(weaving).strip()}{apart}{skipped}",
    )
    if snapshot.alike:
        names = ", ".join(sorted(snapshot.alike)[:ALIKE_SHOWN])
        more = f" and {len(snapshot.alike) - ALIKE_SHOWN:,} more" if len(snapshot.alike) > ALIKE_SHOWN else ""
        _line(
            console,
            options,
            "1,000 classes that differ only in their names have rows of their own; further ones share rows:"
            f" {names}{more}",
        )


def _clock(unix_ns: int, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    return datetime.fromtimestamp(unix_ns / 1e9).strftime(form)


def when(process: Process) -> str:
    """The start and duration of a process's measurement."""
    start, took = _clock(process.start_unix_ns), time_label(process.attached_ns or process.duration_ns).strip()
    if process.attached_ns is None:
        return f"{start}, {took}"
    if process.end == "running":
        return f"attached since {start}, {took}"
    end = process.start_unix_ns + process.attached_ns
    same_day = _clock(end, "%F") == _clock(process.start_unix_ns, "%F")
    return f"attached from {start} to {_clock(end, '%H:%M:%S') if same_day else _clock(end)}, {took}"


def _end(process: Process) -> str:
    return {
        "exit": "ended",
        "halt": "ended by Runtime.halt",
        "killed": "was killed",
        "running": "still running",
        "detached": "detached",
        "snapshot": "a snapshot",
    }[process.end]


def _section(console: Styled, snapshot: Snapshot, options: Options, view: View) -> list[str]:
    """Writes a table; returns the names of the columns for which there was no room."""
    if view.table.name == CONTEXTS.name and snapshot.tests:  # which have lines of their own
        view = _without_tests(snapshot, view)
        if not view.rows:
            return []
    if view.table.name == THREADS.name and not snapshot.by_thread:
        console.print()
        _below(
            console,
            options,
            f"{view.title.rpartition(',')[0]}; --by thread and --by pool show what each did",
            style="",
            indent=0,
        )
        return []
    section, rows = view.section, view.first(options.top)
    columns = view.columns(options.columns)
    kept = {i for i, column in enumerate(columns) if column.name == view.sort or options.columns}
    shown = TextTable(
        [column.head for column in columns], snapshot.grouped_by or section.last, frozenset(kept), options.width
    )
    named = row_names(snapshot, section, [key for key, _ in rows])
    for key, row in rows:
        name = snapshot.rule_names.get(row.rule)
        alias = f"  [{printable(name)}]" if name and not snapshot.grouped_by else ""
        behind = section.behind(row, snapshot.readable)
        shown.add_row(
            [column.text(row, view.whole) for column in columns],
            named[key],
            behind + alias if behind.startswith("(") else alias + behind,  # a method's arguments follow it
        )
    head, *lines = shown.lines()
    console.print()
    console.print(view.title, "bold")
    console.print(head, "dim")
    console.write(line + "\n" for line in lines)
    if len(view.rows) > len(lines):
        _below(console, options, more(snapshot, section, len(view.rows) - len(lines)))
    for note in view.notes([columns[i].name for i in shown.shown], rows):
        _below(console, options, note)
    for warning in section.warnings(view.rows):
        _below(console, options, warning, "yellow")
    return shown.left_out


def _without_tests(snapshot: Snapshot, view: View) -> View:
    tests = {run.context for run in snapshot.tests}
    rows = [entry for entry in view.rows if entry[0][0] not in tests]
    return replace(view, rows=rows, whole=view.section.whole(rows))


def _tests(console: Styled, snapshot: Snapshot, options: Options) -> None:
    if not snapshot.tests or snapshot.grouped_by:
        return
    console.print()
    for line, style in lines(snapshot, options):
        console.print(printable(line), style)


def _contexts(console: Styled, snapshot: Snapshot, options: Options, by_context: EachContext) -> list[str]:
    """Writes the tables of the contexts that are listed above, and of what is outside of all; where none are listed, of
    the first ones that have rows. Returns the names of the columns for which there was no room."""
    left_out: list[str] = []
    names = list(snapshot.entered)
    wanted = set(_listed(snapshot, options)) if options.top and len(names) > options.top else set()
    shown, hidden = 0, len(names) - len(wanted) if wanted else 0
    for name, found in by_context([*(name for name in names if name in wanted), NOBODY] if wanted else None):
        if name and not wanted and options.top and shown >= options.top:
            hidden += any(True for _ in views(found, options))
            continue
        more = _part(console, f"in {name}" if name else "outside of contexts", found, options)
        shown += more is not None
        left_out += more or []
    if hidden:
        console.print()
        _below(
            console,
            options,
            f"tables of {several(hidden, 'more context')}: --top N or --top 0 shows them, --context NAME those of one",
        )
    return left_out


def _listed(snapshot: Snapshot, options: Options) -> Iterator[str]:
    """The names of the contexts and tests that the tables above name."""
    for view in views(snapshot, options):
        if view.table.name == CONTEXTS.name and not view.grouped:
            rows = _without_tests(snapshot, view) if snapshot.tests else view
            yield from (key[0] for key, _ in rows.first(options.top))
    if snapshot.tests and not snapshot.grouped_by:
        yield from (run.context for run in listed(snapshot, options))


def _part(console: Styled, of: str, found: Snapshot, options: Options) -> list[str] | None:
    """Writes the tables of a context or thread; returns the names of the columns for which there was no room. None: it
    has no tables."""
    shown = list(views(found, options))
    if not shown:
        return None
    console.print()
    console.print(printable(f"==== {of}"), "bold cyan")
    return [name for view in shown for name in _section(console, found, options, view)]


def _threads(console: Styled, threads: EachThread, options: Options) -> list[str]:
    """The same for the threads that cost most, and for the data of no known thread."""
    left_out, known = [], 0
    for name, found in threads():
        known += bool(name) and any(views(found, options))
        if not name and options.top < known and options.top:
            console.print()
            rest = f"{known - options.top:,} more names of threads"
            _below(
                console, options, f"{rest}; --top N or --top 0 shows their tables, --thread NAME those of one", indent=0
            )
        if not name or not options.top or known <= options.top:
            left_out += _part(console, f"of {name}" if name else "of no thread that is known", found, options) or []
    return left_out


def _unmatched(console: Styled, snapshot: Snapshot, options: Options) -> None:
    for sentence in unmatched_of(snapshot):
        console.print()
        _below(console, options, sentence, "yellow")


def _skipped(console: Styled, snapshot: Snapshot, options: Options) -> None:
    for title, found in (
        ("Not or only partly instrumented", snapshot.skipped),
        ("Too large for HotSpot to compile", snapshot.uncompiled),
    ):
        if found:
            console.print()
            console.print(f"{title}: {len(found):,}", "bold")
            _reasons(console, snapshot, found, options)


def _reasons(console: Styled, snapshot: Snapshot, found: Iterable[SkipKey], options: Options) -> None:
    """Classes and methods, and what their reasons mean."""
    entries = sorted(found, key=lambda key: (key[3], key))
    shown = entries if options.all else entries[:SKIPS_SHOWN]
    for class_name, method, descriptor, reason, detail in shown:
        name = (
            snapshot.readable.text(class_name, method, descriptor) if method else class_name or "a class without a name"
        )
        _below(console, options, f"  {name}: {reason}{': ' + detail if detail else ''}", style="", indent=4)
    if len(entries) > len(shown):
        console.print(f"  {len(entries) - len(shown):,} more; --all shows {them(len(entries) - len(shown))}", "dim")
    for reason in sorted({key[3] for key in shown}):
        if reason in reasons.MEANING:
            _below(console, options, f"  ({reason}: {reasons.MEANING[reason]})", indent=4)
