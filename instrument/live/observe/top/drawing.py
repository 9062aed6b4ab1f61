"""Draws the state: a line of text for each line of the terminal.

The first lines say what is watched, the last one which keys there are. Numbers have columns of fixed width; as many as
leave room for names.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from classhook.base.names import printable
from classhook.base.row_names import cut, wide
from classhook.live.observe.top.cells import GRAPH, cell, course, titled
from classhook.live.observe.top.headings import KINDS, processes_line
from classhook.live.observe.top.opened import opened
from classhook.live.observe.top.state import HELP, State
from classhook.live.observe.top.watched_list import calls

WIDTH = 9  # of a column
COURSE = 12
LEAST_NAME = 24
KEYS_LINE = "↑↓ choose  Enter open  s sort  / filter  g group  p pause  r reset  Tab kind  ? help  q quit"
Frame = list[Text]


def draw(state: State, width: int, height: int, ended: Sequence[str], every: float) -> Frame:
    """The lines, as many as the terminal has."""
    head = _head(state, width, ended, every)
    if state.help:
        body = _help(width)
    elif state.calls:
        body = calls(state, width, height - len(head) - 1)
    elif state.opened and not state.group:
        body = opened(state, width, height - len(head) - 1)
    else:
        body = _table(state, width, height - len(head) - 1)
    room = max(height - len(head) - 1, 0)
    body = [*body[:room], *[Text()] * (room - len(body))]
    return [*head, *body, _foot(state, width)][:height]


def _head(state: State, width: int, ended: Sequence[str], every: float) -> Frame:
    look = state.watch.now
    processes = look.snapshot.processes if look else []
    lines = [Text(cut(processes_line(processes), width), "bold")]
    lines += [Text(cut(printable(text), width), "bold red") for text in ended[-2:]]
    kinds = state.watch.kinds()
    tabs = Text()
    section = state.section
    for place, (kind, n) in enumerate(kinds.items(), 1):
        style = "reverse" if section is not None and section.kind == kind else ""
        tabs.append(f" {place} {KINDS.get(kind, kind)} {n:,} ", style)
    about = [
        f"every {every:.3g} s",
        *(["PAUSED"] if state.paused else []),
        *([f"filter: {printable(state.pattern)}"] if state.pattern else []),
        *([f"by {state.group}"] if state.group else []),
        *(["since reset"] if state.watch.base else []),
    ]
    tabs.append(("  " if kinds else "") + ", ".join(about), "bold" if state.paused else "dim")
    tabs.truncate(width)
    notes = [*look.snapshot.notes, *(note for process in processes for note in process.notes)] if look else []
    return [*lines, tabs, *([Text(cut(printable(f"note: {notes[0]}"), width), "yellow")] if notes else [])]


def _foot(state: State, width: int) -> Text:
    if state.typing is not None:
        return Text(cut(f"filter: {printable(state.typing)}_   (Enter: apply, Esc: cancel)", width), "reverse")
    if state.says:
        return Text(cut(printable(state.says), width), "bold")
    keys = KEYS_LINE.split("  ")
    while len(keys) > 1 and wide("  ".join(keys)) > width:
        del keys[-3]  # help and quit stay
    return Text(cut("  ".join(keys), width), "dim")


def _help(width: int) -> Frame:
    column = max(wide(keys) for keys, _ in HELP) + 2
    lines = [Text("Keys", "bold"), *(Text(cut(f"{keys:{column}}{what}", width)) for keys, what in HELP), Text()]
    for text in (
        "calls/s, self/s, ...: per second, since the last update",
        "calls, self, ...: the sum since the last reset, or since the start",
        "p50, p99, max: since the start of the data",
        "~: a graph of the main rate over the last updates",
        "self: time in the method itself; total: with what it calls",
    ):
        lines.append(Text(cut(text, width), "dim"))
    return [*lines, Text("any key goes back", "dim")]


def _fitting(columns: dict[str, int], width: int, kept: str) -> list[str]:
    """The columns that fit, from the left; the one that rows are sorted by is always among them."""
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
    widths = {name: COURSE if name == GRAPH else max(WIDTH, wide(titled(section, name))) for name in state.columns()}
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
        cells = [course(line.course, COURSE) if name == GRAPH else cell(section, line, name) for name in columns]
        text = "".join(f"{one:>{widths[name]}} " for name, one in zip(columns, cells, strict=True))
        body.append(Text(text + line.name.fitted(room), "reverse" if i == at else ""))
    if not lines:
        body.append(Text("nothing matches the filter" if state.pattern else "nothing was counted yet", "dim"))
    elif len(lines) > state.page:
        body.append(Text(f"{first + 1:,}-{min(first + state.page, len(lines)):,} of {len(lines):,}", "dim"))
    return body
