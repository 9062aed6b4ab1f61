"""An opened row: its numbers, who calls it, what it calls, how long its activations took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from classhook.base.names import time_label
from classhook.base.readable import Readable
from classhook.base.row_names import cut, plain, wide
from classhook.live.observe.top.cells import GRAPH, cell, course, number, titled
from classhook.live.observe.top.details import bins
from classhook.live.observe.top.numbers import Line
from classhook.live.observe.top.state import State
from classhook.measures.tables import tables
from classhook.model.snapshot import Snapshot
from classhook.model.time_histogram import Histogram
from classhook.reports.callers_and_callees import Neighbour
from classhook.tables.table import Section

Frame = list[Text]
TWO_COLUMNS = 120  # columns of the terminal


def opened(state: State, width: int, height: int) -> Frame:
    """A row: its numbers, callers and callees, and its histogram, in one column or, if there is room, in two."""
    section, lines = state.section, state.lines()
    if section is None or not lines or state.watch.now is None:
        return [Text("nothing was counted yet", "dim")]
    line = lines[state.place(lines)]
    body = [Text(cut(line.name.text(), width), "bold reverse")]
    numbers = [f"{titled(section, name)} {cell(section, line, name)}" for name in state.columns() if name != GRAPH]
    body += [Text(cut(text, width)) for text in _wrapped(numbers, width)]
    body.append(Text(f"{section.main.name}/s {course(line.course, min(60, width - 12))}"))
    row = row_of(state, section, line)
    base = state.watch.base
    old = row_in(base.snapshot, section, line) if base is not None else None
    histogram = _histogram(getattr(row, "histogram", None), getattr(old, "histogram", None))
    near = state.around(line)
    left: Frame = []
    column = width // 2 - 1 if width >= TWO_COLUMNS else width
    room = height - len(body)
    each = max((room - 4) // 2 if width >= TWO_COLUMNS or not histogram else (room - 5) // 4, 2)
    if near is None:
        why = (
            "the call tree is read with the next update"
            if state.wants_tree
            else "no callers known; `time ... tree` and `profile` record them"
        )
        left.append(Text(cut(why, column), "dim"))
    else:
        for title, found in (("callers", near.callers), ("callees", near.callees)):
            left.append(Text(cut(f"{title} ({near.clock} time since the start of the data)", column), "bold"))
            left += _neighbours(state.watch.now.snapshot.readable, found, column, each)
    if width < TWO_COLUMNS or not histogram:
        return [*body, *left, *histogram[: max(room - len(left), 0)]]
    for i in range(max(len(left), len(histogram))):
        text = left[i].copy() if i < len(left) else Text()
        text.pad_right(max(column - wide(text.plain), 0) + 2)
        body.append(text.append_text(histogram[i]) if i < len(histogram) else text)
    return body


def row_of(state: State, section: Section, line: Line) -> Any:
    assert state.watch.now is not None
    return row_in(state.watch.now.snapshot, section, line)


def row_in(snapshot: Snapshot, section: Section, line: Line) -> Any:
    """The row of a line in a snapshot; None if it is not there."""
    return next((snapshot.tables[table.name].get(line.key) for table in tables() if section in table.sections), None)


def _neighbours(names: Readable, found: Sequence[Neighbour], width: int, most: int) -> Frame:
    lines = [Text("  none", "dim")] if not found else []
    for one in found[:most]:
        calls = f"{number(one.calls):>12}" if one.calls else ""
        figures = f"{time_label(one.ns).strip():>9}{calls}  "
        name = names.method(*one.method) if one.method else plain("(threads begin here)")
        lines.append(Text(figures + name.fitted(width - len(figures))))
    if len(found) > most:
        lines[-1] = Text(f"  {len(found) - most + 1:,} more", "dim")
    return lines


def _histogram(now: Histogram | None, before: Histogram | None) -> Frame:
    found = bins(now.counts, before.counts if before else None) if now is not None else []
    if not found:
        return []
    most = max(count for _, _, count in found)
    lines = [Text("how long calls took", "bold")]
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
