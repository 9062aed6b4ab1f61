"""The report as text: a header, then a table for each kind of rule, the heaviest rows first.

On a terminal with colour, elsewhere the same lines plain, to be pasted into a ticket. Lines are as wide as they are: a terminal
wraps them, where a table of its width would lose digits.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from io import StringIO
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from instrument import reasons
from instrument.names import method_label, printable, quantity, time_label
from instrument.reports import SORT_KEYS, Options
from instrument.reports.table import Table
from instrument.rows import MethodRow, Process, Snapshot

WIDE = 100_000  # columns: nothing is cut
SKIPS_SHOWN = 10

#: What is said below the counted methods of those that a rule wanted to time; by whether an earlier run found them too short.
TOO_SHORT = {
    False: "* too short to be timed within its rule's budget: its time is in the self time of its callers",
    True: "** too short for its rule's budget, as an earlier run found: counted from the start; with --no-cache the next run looks anew",
}


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the snapshot as text."""
    buffer = StringIO()
    console = Console(file=buffer, force_terminal=options.terminal, width=WIDE, highlight=False, emoji=False,
                      markup=False, soft_wrap=True)  # fmt: skip
    _header(console, snapshot)
    _timed(console, snapshot, options)
    _counted(console, snapshot, options)
    _allocations(console, snapshot, options)
    _unmatched(console, snapshot)
    _skipped(console, snapshot, options)
    for line in buffer.getvalue().splitlines():
        out.write(line.rstrip(" ") + "\n")


def _text(text: str, style: str = "") -> Text:
    return Text(printable(text), style)


def _header(console: Console, snapshot: Snapshot) -> None:
    for process in snapshot.processes:
        start = datetime.fromtimestamp(process.start_unix_ns / 1e9).strftime("%Y-%m-%d %H:%M:%S")
        console.print(_text(_command(process), "bold"))
        console.print(_text(f"  pid {process.pid}, JVM {process.jvm}, {start}, {time_label(process.duration_ns).strip()}, {_end(process)}"))
        if process.time_cost_ns:
            console.print(f"  probes cost here: time {process.time_cost_ns:.0f} ns, count {process.count_cost_ns:.1f} ns a call")
        for note in process.notes:
            console.print(_text(f"  note: {note}", "yellow"))
    for note in snapshot.notes:
        console.print(_text(f"not counted: {note}", "yellow"))
    skipped = f", {len(snapshot.skipped)} left out in part or whole (below)" if snapshot.skipped else ""
    cached = f" ({snapshot.cached:,} from the cache)" if snapshot.cached else ""
    weaving = sum(p.weaving_ns for p in snapshot.processes)
    console.print(f"  classes: {snapshot.seen:,} seen, {snapshot.matched:,} matched by rules, {snapshot.woven:,} woven{cached} "
                  f"in {time_label(weaving).strip()}{skipped}")  # fmt: skip


def _command(process: Process) -> str:
    """The command line without our own option."""
    words = [w for w in process.command.split(" ") if not (w.startswith("-agentpath:") and "libclasshook" in w)]
    text = " ".join(words)
    return text if len(text) <= 160 else text[:157] + "..."


def _end(process: Process) -> str:
    return {"exit": "ended", "halt": "ended by Runtime.halt", "killed": "was killed", "running": "still running"}[process.end]


def _show(console: Console, table: Table, rows: list[Any], options: Options, add: Callable[[Any], None], what: str) -> None:
    shown = rows[: options.top] if options.top else rows
    for row in shown:
        add(row)
    head, *lines = table.lines()
    console.print()
    console.print(Text(table.title, "bold"))
    console.print(Text(head, "dim"))
    console.file.write("".join(line + "\n" for line in lines))  # by the console it would take a hundred times as long
    if len(rows) > len(shown):
        console.print(Text(f"{len(rows) - len(shown):,} more {what}; --top N or --top 0 shows them", "dim"))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def _timed(console: Console, snapshot: Snapshot, options: Options) -> None:
    rows = [(key, row) for key, row in snapshot.methods.items() if row.timed and (row.calls or options.all)]
    if not rows:
        return
    rows.sort(key=lambda item: (-SORT_KEYS[options.sort](item[1]), item[0]))
    whole = sum(max(row.self_ns, 0) for _, row in rows)
    title = f"Timed methods by {options.sort}: {len(rows):,}, {time_label(whole).strip()} in all"
    table = Table(title, ["self", "", "total", "calls", "thrown", "p50", "p90", "p99", "max"], "method")

    def add(item: tuple[tuple[str, str, str], MethodRow]) -> None:
        key, row = item
        times = [*row.histogram.percentiles([0.5, 0.9, 0.99], row.min_ns or 0, row.max_ns), row.max_ns]
        running = row.calls - row.completed - row.only_counted
        unfinished = f" ({running:,} not ended)" if running > 0 else ""
        if row.sample > 1:
            unfinished = f" (1 of {row.sample:,} timed)"
        if row.only_counted:
            unfinished += f" ({row.only_counted:,} only counted)"
        about = "~" if row.sample > 1 else ""
        table.add_row(
            about + time_label(max(row.self_ns, 0)), _share(max(row.self_ns, 0), whole), about + time_label(row.total_ns), f"{row.calls:,}",
            f"{row.exceptions:,}" if row.exceptions else "", *(time_label(t) if row.completed else "" for t in times),
            printable(method_label(*key) + _alias(snapshot, row.rule) + unfinished),
        )  # fmt: skip

    _show(console, table, rows, options, add, "methods")
    if any(row.sample > 1 for _, row in rows):
        console.print(Text("~ an estimate: the other calls were only counted; the self time of their callers is an estimate too", "dim"))


def _alias(snapshot: Snapshot, rule: str) -> str:
    name = snapshot.rule_names.get(rule)
    return f"  [{name}]" if name else ""


def _counted(console: Console, snapshot: Snapshot, options: Options) -> None:
    rows = [(key, row) for key, row in snapshot.methods.items() if not row.timed and (row.calls or options.all)]
    if not rows:
        return
    rows.sort(key=lambda item: (-item[1].calls, item[0]))
    whole = sum(row.calls for _, row in rows)
    table = Table(f"Counted methods: {len(rows):,}, {whole:,} calls", ["calls", ""], "method")

    def add(item: tuple[tuple[str, str, str], MethodRow]) -> None:
        key, row = item
        label = method_label(*key) + _alias(snapshot, row.rule) + (" **" if row.earlier else " *" if row.over_budget else "")
        table.add_row(f"{row.calls:,}", _share(row.calls, whole), printable(label))

    _show(console, table, rows, options, add, "methods")
    for earlier, words in TOO_SHORT.items():
        if any(row.over_budget and row.earlier == earlier for _, row in rows):
            console.print(Text(words, "dim"))


def _allocations(console: Console, snapshot: Snapshot, options: Options) -> None:
    rows = [(key, row) for key, row in snapshot.sites.items() if row.count or options.all]
    if not rows:
        return
    rows.sort(key=lambda item: (-item[1].bytes, item[0]))
    whole = sum(row.bytes for _, row in rows)
    count = sum(row.count for _, row in rows)
    title = f"Allocation sites: {len(rows):,}, {count:,} objects, {quantity(whole)}"
    table = Table(title, ["bytes", "", "objects"], "type and site")

    def add(item: tuple[tuple[str, str, str, int, int, str], Any]) -> None:
        (class_name, method, descriptor, line, bci, type_name), row = item
        place = f":{line}" if line else f" bci {bci}"
        site = printable(f"{type_name}  {method_label(class_name, method, descriptor)}{place}")
        table.add_row(quantity(row.bytes), _share(row.bytes, whole), f"{row.count:,}", site)

    _show(console, table, rows, options, add, "sites")


def _unmatched(console: Console, snapshot: Snapshot) -> None:
    for text, row in snapshot.rules.items():
        if not row.matched_methods:
            what = "no method of the classes it names" if row.matched_classes else "nothing that was loaded"
            what = "only classes that were left as they were" if row.left_classes else what
            hint = f"; did you mean {row.nearest}?" if row.nearest else ""
            said = "it is not known what this rule matched, as descriptions of classes are missing" if row.unknown else f"this rule matched {what}"
            console.print()
            console.print(_text(f"{said}: {text}{hint}", "yellow"))


def _skipped(console: Console, snapshot: Snapshot, options: Options) -> None:
    if not snapshot.skipped:
        return
    console.print()
    console.print(Text(f"Left as they were, in part or whole: {len(snapshot.skipped):,}", "bold"))
    entries = sorted(snapshot.skipped, key=lambda key: (key[3], key))
    shown = entries if options.all else entries[:SKIPS_SHOWN]
    for class_name, method, descriptor, reason, detail in shown:
        name = method_label(class_name, method, descriptor) if method else class_name or "a class without a name"
        console.print(_text(f"  {name}: {reason}{': ' + detail if detail else ''}"))
    if len(entries) > len(shown):
        console.print(Text(f"  {len(entries) - len(shown):,} more; --all shows them", "dim"))
    for reason in sorted({key[3] for key in shown}):
        if reason in reasons.MEANING:
            console.print(Text(f"  ({reason}: {reasons.MEANING[reason]})", "dim"))
