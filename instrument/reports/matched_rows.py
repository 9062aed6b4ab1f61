"""`report PATTERN`, `report DATA NAME`: one line for each row that matches, even if it never ran; of few methods their
callers and callees, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from classhook.base.names import numbered, singular, time_label
from classhook.base.row_names import LEAST, RowName, plain, wide
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import UNITS
from classhook.reports.callers_and_callees import Neighbour, around
from classhook.reports.section_view import more, row_names, views
from classhook.reports.text_table import TextTable, footnote
from classhook.tables.columns import Column

Row = tuple[Sequence[str], RowName, str]
FEW = 3  # methods whose callers and callees are shown
NEIGHBOURS = 5
COUNTS = ("calls", "objects", "times", "waits")


def report(snapshot: Snapshot, options: Options, out: TextIO) -> bool:
    """Writes the lines; whether there are any."""
    found = False
    legends: list[str] = []
    for view in views(snapshot, options):
        section, found = view.section, True
        words = dict(section.answer)
        columns = view.columns(options.columns or words or section.shown[:1])
        rows = view.first(options.top)
        named = row_names(snapshot, section, [key for key, _ in rows])
        answers: list[Row] = []
        for key, row in rows:
            ran = view.table.ran(row)
            zero = "0" if options.columns else ""  # of columns that have no text for 0
            cells = [_answer(column, row, view.whole, words.get(column.name, column.name), zero) for column in columns]
            answers.append(
                (
                    cells if ran else [cells[0], *[""] * (len(cells) - 1)],
                    named[key],
                    section.behind(row, snapshot.readable),
                )
            )
        said = [at for at in range(len(columns)) if any(cells[at] for cells, *_ in answers)]
        answers = [([cells[at] for at in said], row_name, after) for cells, row_name, after in answers]
        lines = _lines(answers, len(said), len(said) if options.columns else 1, options.width)
        out.write("".join(line + "\n" for line in lines))
        legends += section.explained([column.name for column in columns], rows)
        if len(view.rows) > len(rows):
            out.write(more(snapshot, section, len(view.rows) - len(rows)) + "\n")
    for legend in dict.fromkeys(legends):
        out.write(footnote(legend, options) + "\n")
    if not options.columns:
        _neighbours(snapshot, options, out)
    return found


def _neighbours(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the callers and callees of the methods, if a tree of calls has them."""
    methods = (
        [*dict.fromkeys(key for name in ("methods", "cpu") for key in snapshot.tables[name])]
        if not snapshot.grouped_by
        else []
    )
    near = [(method, found) for method in methods[: FEW + 1] if (found := around(snapshot, method)) is not None]
    if len(methods) > FEW and near:
        out.write(f"{len(methods):,} methods match; callers and callees are shown, too, for {FEW} or fewer\n")
        return
    for key, found in near:
        for what, those in (("is called by", found.callers), ("calls", found.callees)):
            if those:
                row_name = snapshot.readable.method(*key)
                name = (
                    row_name.fitted(max(options.width - len(what) - len(" (wall time):") - 1, LEAST))
                    if options.width
                    else row_name.text()
                )
                out.write(f"\n{name} {what} ({UNITS[found.clock]}):\n")
                _write_neighbours(snapshot, those, options, out)


def _write_neighbours(snapshot: Snapshot, found: Sequence[Neighbour], options: Options, out: TextIO) -> None:
    shown = TextTable(["", ""], "", frozenset((0, 1)), options.width)
    for one in found[:NEIGHBOURS]:
        calls = numbered(one.calls, "calls") if one.calls else ""
        shown.add_row(
            [time_label(one.ns), calls],
            snapshot.readable.method(*one.method) if one.method else plain("(no method that was measured)"),
        )
    out.write(
        "".join(
            f"  {line.strip() if not any(one.calls for one in found) else line}\n" for line in list(shown.lines())[1:]
        )
    )
    if len(found) > NEIGHBOURS:
        out.write(f"  {len(found) - NEIGHBOURS:,} more; `classhook report -f tree` shows all\n")


def _answer(column: Column, row: Any, whole: int, words: str, zero: str) -> str:
    value = column.value(row)
    text = column.text(row, whole) or zero
    if value is None or not text:
        return ""
    return f"{text} {singular(words) if value == 1 and words in COUNTS else words}".rstrip()


def _lines(rows: list[Row], columns: int, least: int, width: int) -> list[str]:
    """The lines with as many columns as leave the requested names whole; at least so many."""
    for shown in range(columns, least - 1, -1):
        lines = _written(rows, shown, 0)
        if not width or max(map(wide, lines)) <= width:
            return lines
    return _written(rows, least, width)


def _written(rows: list[Row], columns: int, width: int) -> list[str]:
    first = [(cells[:columns], row_name, after) for cells, row_name, after in rows]
    return list(TextTable([""] * columns, "", frozenset(range(columns)), width, first).lines())[1:]
