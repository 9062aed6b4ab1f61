"""A comparison as text: the rows by the size of their change, with its error; those within the noise say so, and come
last."""

from __future__ import annotations

from typing import TextIO

from classhook.base.names import printable, several
from classhook.base.row_names import cut
from classhook.reports import Options
from classhook.reports.comparison import CHANGED, CONFIDENCE, GONE, NEW, SAME, UNKNOWN, Compared, Difference, Side
from classhook.reports.comparison.thresholds import Broken
from classhook.reports.section_view import more, row_names
from classhook.reports.text_table import TextTable, footnote
from classhook.reports.titles import heading
from classhook.tables.columns import Column

NONE = "none"
NOT_KNOWN = (
    "? it is unknown how much times vary between runs: record several runs of each side, each side in a directory of"
    " its own"
)
NOISE = (
    f"{NONE}: no change beyond the noise. ± is the standard error of the change; a change is shown only if it is"
    f" {CONFIDENCE:.0%} certain"
)


def report(
    sides: tuple[Side, Side], sections: list[Compared], broken: list[Broken], options: Options, out: TextIO
) -> None:
    """Writes the tables."""
    for name, side in zip(("before", "after"), sides, strict=True):
        first = heading(side.whole.processes[0])
        line = printable(f"{name + ':':<8}{', '.join(side.names)}: {_how_many(side)}{first}")
        out.write((cut(line, options.width) if options.width else line) + "\n")
        for note in [*side.whole.notes, *(note for process in side.whole.processes for note in process.notes)]:
            out.write(footnote(f"  note: {note}", options, indent=4) + "\n")
    for section in sections:
        _section(sides[1], section, options, out)


def _how_many(side: Side) -> str:
    """Runs and processes, if there are several."""
    if side.processes == 1:
        return ""
    runs = f"{several(side.repetitions, 'run')}, " if side.repetitions < side.processes else ""
    return f"{runs}{side.processes} processes, the first: "


def _section(after: Side, compared: Compared, options: Options, out: TextIO) -> None:
    section, rows = compared.section, compared.rows[: options.top] if options.top else compared.rows
    counts = {what: compared.having(what) for what in (CHANGED, NEW, GONE, SAME, UNKNOWN)}
    said = ", ".join(f"{count:,} {'unchanged' if what == SAME else what}" for what, count in counts.items() if count)
    out.write(
        f"\n{section.kind_of_rows.capitalize()} by change of {compared.sort.head or compared.sort.name}: {said}\n"
    )
    if compared.whole is not None:
        out.write(f"total per run: {_whole(compared.sort, compared.whole)}\n")
    columns = section.named(options.columns) or [compared.sort]
    heads = [head for column in columns for head in (f"{column.head or column.name} before", "after", "change", "", "")]
    table = TextTable(heads, after.whole.grouped_by or section.last, frozenset(range(5 * len(columns))), options.width)
    named = row_names(after.whole, section, [row.key for row in rows])
    for row in rows:
        mark = f"  [{row.status}]" if row.status in (NEW, GONE) else ""
        table.add_row(
            [cell for column in columns for cell in cells(column, row.differences[column.name], row.status)],
            named[row.key],
            mark,
        )
    out.write("".join(line.rstrip() + "\n" for line in table.lines()))
    if len(compared.rows) > len(rows):
        out.write(more(after.whole, section, len(compared.rows) - len(rows)) + "\n")
    for note, status in ((NOISE, SAME), (NOT_KNOWN, UNKNOWN)):
        if counts[status]:
            out.write(footnote(note, options) + "\n")


def _whole(column: Column, whole: Difference) -> str:
    """`2.32 s before, 1.64 s after, change -680 ms (-29.3%, ±214 ms)`."""
    before, after, change, percent, error = (cell.strip() for cell in cells(column, whole))
    change = "no change" if change == NONE else f"change {change}"
    more = ", ".join(filter(None, [percent, error]))
    return f"{before} before, {after} after, {change}" + (f" ({more})" if more else "")


def cells(column: Column, difference: Difference, status: str = "") -> tuple[str, str, str, str, str]:
    """The cells: before, after, change, the same in percent, error."""
    before = "" if status == NEW else _label(column, difference.before.value)
    after = "" if status == GONE else _label(column, difference.after.value)
    error = difference.error
    said = f"±{_label(column, error).strip()}" if error else "?" if error is None and status not in (NEW, GONE) else ""
    if difference.significant is False and status not in (NEW, GONE):
        return before, after, NONE, "", said
    sign = "+" if difference.value > 0 else "-"
    percent = "" if difference.percent is None or status == GONE else f"{difference.percent:+.1f}%"
    return before, after, sign + _label(column, abs(difference.value)).strip(), percent, said


def _label(column: Column, value: float) -> str:
    """A value as people read it; the mean of several numbers may have a part."""
    if column.unit.label(1) == "1" and value != round(value):
        return f"{value:,.1f}"
    return column.unit.label(round(value))
