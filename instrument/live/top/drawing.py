"""Draws the state: a line of text for each line of the terminal.

The first lines say what is watched, the last one which keys there are. Numbers have columns of fixed width; as many as leave room for names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from instrument.data.histogram import Histogram
from instrument.data.rows import Process
from instrument.labels import cut, wide
from instrument.live.top.details import Neighbour, bins
from instrument.live.top.numbers import Line
from instrument.live.top.state import HELP, State
from instrument.measures import tables
from instrument.measures.columns import BYTES, TIME, Column
from instrument.measures.table import Section
from instrument.names import method_label, printable, quantity, time_label
from instrument.reports.text import command

BARS = " ▁▂▃▄▅▆▇█"
WIDTH = 9  # of a column
COURSE = 12
LEAST_NAME = 24
KINDS = {"timed": "timed", "profiled": "profiled", "counted": "counted", "allocation": "allocations", "covered": "coverage", "sampled": "cpu"}
KEYS_LINE = "↑↓ choose  Enter open  s sort  / filter  g group  p pause  r reset  Tab kind  ? help  q quit"
Frame = list[Text]


def draw(state: State, width: int, height: int, ended: Sequence[str], every: float) -> Frame:
    """The lines, as many as the terminal has."""
    head = _head(state, width, ended, every)
    if state.help:
        body = _help(width)
    elif state.opened and not state.group:
        body = _opened(state, width, height - len(head) - 1)
    else:
        body = _table(state, width, height - len(head) - 1)
    room = max(height - len(head) - 1, 0)
    body = [*body[:room], *[Text()] * (room - len(body))]
    return [*head, *body, _foot(state, width)][:height]


def number(value: float) -> str:
    """Of events: whole ones, above a million in short."""
    for size, unit in ((1e12, "T"), (1e9, "G"), (1e7, "M")):
        if value >= size:
            return f"{value / (1e6 if unit == 'M' else size):,.1f}{unit}"
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def cell(section: Section, line: Line, name: str) -> str:
    """A column's text; a rate before the second look is none."""
    column: Column = section.by_name[name.removesuffix("/s")]
    if name.endswith("/s") and line.rates is None:
        return "-"
    value = line.value(name)
    if not value:
        return "0" if not name.endswith("/s") else "."
    if column.unit is TIME:
        return time_label(round(value)).strip()
    return quantity(round(value)) if column.unit is BYTES else number(value)


def titled(section: Section, name: str) -> str:
    """A column's name in the head; the course has none."""
    if name == "~":
        return ""
    column, is_rate, _ = name.partition("/s")
    return (section.by_name[column].head or column) + is_rate


def course(rates: Iterable[float], columns: int) -> str:
    """A sparkline of the last looks."""
    shown = list(rates)[-columns:]
    most = max(shown, default=0)
    bars = "".join(BARS[0 if value <= 0 else 1 + min(7, int(8 * value / most))] for value in shown) if most > 0 else ""
    return bars.rjust(columns)


# ---- parts of the screen


def _head(state: State, width: int, ended: Sequence[str], every: float) -> Frame:
    look = state.watch.now
    processes = look.snapshot.processes if look else []
    lines = [Text(cut(_processes(processes), width), "bold")]
    lines += [Text(cut(printable(text), width), "bold red") for text in ended[-2:]]
    kinds = state.watch.kinds()
    tabs = Text()
    section = state.section
    for place, (kind, n) in enumerate(kinds.items(), 1):
        style = "reverse" if section is not None and section.kind == kind else ""
        tabs.append(f" {place} {KINDS.get(kind, kind)} {n:,} ", style)
    about = [f"every {every:.3g} s", *(["PAUSED"] if state.paused else []), *([f"filter: {printable(state.pattern)}"] if state.pattern else []),
             *([f"by {state.group}"] if state.group else []), *(["since reset"] if state.watch.base else [])]  # fmt: skip
    tabs.append(("  " if kinds else "") + ", ".join(about), "bold" if state.paused else "dim")
    tabs.truncate(width)
    notes = [*look.snapshot.notes, *(note for process in processes for note in process.notes)] if look else []
    return [*lines, tabs, *([Text(cut(printable(f"note: {notes[0]}"), width), "yellow")] if notes else [])]


def _processes(processes: Sequence[Process]) -> str:
    if not processes:
        return "classhook top: no data yet"
    if len(processes) > 1:
        running = sum(process.end == "running" for process in processes)
        return f"classhook top: {len(processes)} JVMs, {running} running: {', '.join(str(process.pid) for process in processes)}"
    process = processes[0]
    since = "since reset " if process.since_unix_ns else ""
    return f"{process.pid} {process.end}, {since}{time_label(process.duration_ns).strip()}: {printable(command(process))}"


def _foot(state: State, width: int) -> Text:
    if state.typing is not None:
        return Text(cut(f"filter: {printable(state.typing)}_   (Enter applies, Esc does not)", width), "reverse")
    if state.says:
        return Text(cut(printable(state.says), width), "bold")
    keys = KEYS_LINE.split("  ")
    while len(keys) > 1 and wide("  ".join(keys)) > width:
        del keys[-3]  # help and quit stay
    return Text(cut("  ".join(keys), width), "dim")


def _help(width: int) -> Frame:
    column = max(wide(keys) for keys, _ in HELP) + 2
    lines = [Text("Keys", "bold"), *(Text(cut(f"{keys:{column}}{what}", width)) for keys, what in HELP), Text()]
    for text in ("calls/s, self/s, ...: a second's worth, since the look before", "calls, self, ...: the sum since the reset, or the begin",
                 "~: the main rate's course over the last looks", "self: time in the method itself; total: with what it calls"):  # fmt: skip
        lines.append(Text(cut(text, width), "dim"))
    return [*lines, Text("any key goes back", "dim")]


def _fitting(columns: dict[str, int], width: int, kept: str) -> list[str]:
    """Those for which there is room, from the left; the one that rows are sorted by is among them."""
    found: list[str] = []
    room = width - LEAST_NAME - (columns.get(kept, 0) + 1)
    for name, its in columns.items():
        if name == kept:
            found.append(name)
        elif its + 1 <= room:
            found.append(name)
            room -= its + 1
    return found


def _table(state: State, width: int, height: int) -> Frame:
    section, lines = state.section, state.lines()
    if section is None:
        return [Text(), Text("nothing was counted yet", "dim")]
    widths = {name: COURSE if name == "~" else max(WIDTH, wide(titled(section, name))) for name in state.columns()}
    columns = _fitting(widths, width, state.order)
    room = width - sum(widths[name] + 1 for name in columns)
    head = Text()
    for name in columns:
        head.append(titled(section, name).rjust(widths[name]), "bold reverse" if name == state.order else "bold")
        head.append(" ")
    head.append(state.group or section.last, "bold")
    state.page = max(height - 2, 1)
    at = state.place(lines)
    first = max(0, min(at - state.page // 2, len(lines) - state.page))
    body = [head]
    for i, line in enumerate(lines[first : first + state.page], first):
        cells = [course(line.course, COURSE) if name == "~" else cell(section, line, name) for name in columns]
        text = "".join(f"{one:>{widths[name]}} " for name, one in zip(columns, cells, strict=True))
        body.append(Text(text + line.label.fitted(room), "reverse" if i == at else ""))
    if not lines:
        body.append(Text("nothing matches the filter" if state.pattern else "nothing was counted yet", "dim"))
    elif len(lines) > state.page:
        body.append(Text(f"{first + 1:,}-{min(first + state.page, len(lines)):,} of {len(lines):,}", "dim"))
    return body


def _opened(state: State, width: int, height: int) -> Frame:
    """A row: its numbers, callers and callees, and its histogram, in one column or, if there is room, in two."""
    section, lines = state.section, state.lines()
    if section is None or not lines or state.watch.now is None:
        return [Text("nothing was counted yet", "dim")]
    line = lines[state.place(lines)]
    body = [Text(cut(line.label.text(), width), "bold reverse")]
    numbers = [f"{titled(section, name)} {cell(section, line, name)}" for name in state.columns() if name != "~"]
    body += [Text(cut(text, width)) for text in _wrapped(numbers, width)]
    body.append(Text(f"{section.main.name}/s {course(line.course, min(60, width - 12))}"))
    row = row_of(state, section, line)
    base = state.watch.base
    old = row_in(base.snapshot, section, line) if base is not None else None
    histogram = _histogram(getattr(row, "histogram", None), getattr(old, "histogram", None))
    near = state.around(line)
    left: Frame = []
    column = width // 2 - 1 if width >= 120 else width
    room = height - len(body)
    each = max((room - 4) // 2 if width >= 120 or not histogram else (room - 5) // 4, 2)
    if near is None:
        why = "the tree of calls comes with the next look" if state.wants_tree else "no callers known: a rule `time ... tree` or `profile` tells them"
        left.append(Text(cut(why, column), "dim"))
    else:
        for title, found in (("callers", near.callers), ("callees", near.callees)):
            left.append(Text(cut(f"{title} ({near.clock} time since the begin of the data)", column), "bold"))
            left += _neighbours(found, column, each)
    if width < 120 or not histogram:
        return [*body, *left, *histogram[: max(room - len(left), 0)]]
    for i in range(max(len(left), len(histogram))):
        text = left[i].copy() if i < len(left) else Text()
        text.pad_right(max(column - wide(text.plain), 0) + 2)
        body.append(text.append_text(histogram[i]) if i < len(histogram) else text)
    return body


def row_of(state: State, section: Section, line: Line) -> Any:
    assert state.watch.now is not None
    return row_in(state.watch.now.snapshot, section, line)


def row_in(snapshot: Any, section: Section, line: Line) -> Any:
    """The row of a line in a snapshot; None if it is not there."""
    return next((snapshot.tables[table.name].get(line.key) for table in tables() if section in table.sections), None)


def _neighbours(found: Sequence[Neighbour], width: int, most: int) -> Frame:
    lines = [Text("  none", "dim")] if not found else []
    for one in found[:most]:
        name = method_label(*one.method) if one.method else "(threads begin here)"
        calls = f"{number(one.calls):>12}" if one.calls else ""
        lines.append(Text(cut(f"{time_label(one.ns).strip():>9}{calls}  {name}", width)))
    if len(found) > most:
        lines[-1] = Text(f"  {len(found) - most + 1:,} more", "dim")
    return lines


def _histogram(now: Histogram | None, before: Histogram | None) -> Frame:
    found = bins(now.counts, before.counts if before else None) if now is not None else []
    if not found:
        return []
    most = max(count for _, _, count in found)
    lines = [Text("how long activations took", "bold")]
    for start, end, count in found:
        label = f"{time_label(round(start)).strip():>8} - {time_label(round(end)).strip():>8}"
        lines.append(Text(f"{label} {count:>11,} {'█' * round(24 * count / most) or ('▏' if count else '')}"))
    return lines


def _wrapped(words: Sequence[str], width: int) -> list[str]:
    lines = [""]
    for word in words:
        joined = f"{lines[-1]}   {word}" if lines[-1] else word
        if wide(joined) > width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines
