"""The page as text of at most WIDTH columns, to read and to paste."""

from __future__ import annotations

from typing import TextIO

from classhook.base.names import printable
from classhook.base.row_names import cut, plain
from classhook.base.terminal import wrapped
from classhook.reports import Options
from classhook.reports.diagnosis.page import Page
from classhook.reports.diagnosis.part import TEXT, Part, cell
from classhook.reports.styled_text import Styled
from classhook.reports.text_table import HANGING, TextTable

WIDTH = 120
WIDEST = 36  # columns of a text that is not the last one


def write(page: Page, options: Options, out: TextIO) -> None:
    console = Styled(options.terminal)
    width = min(options.width or WIDTH, WIDTH)
    console.print(cut(printable(page.title), width), "bold")
    for text in page.about:
        console.print(wrapped(f"  {text}", width, 2 * HANGING))
    for text in page.warnings:
        console.print(wrapped(f"  {text}", width, 2 * HANGING), "bold red")
    for part in page.parts:
        _part(console, part, width)
    if page.missing:
        console.print()
        console.print("Left out", "bold")
        for part in page.missing:
            console.print(wrapped(f"  {part.name}: {part.title}", width, 2 * HANGING), "dim")
    for line in console.text.splitlines():
        out.write(line.rstrip(" ") + "\n")


def _part(console: Styled, part: Part, width: int) -> None:
    numbers = [at for at, (_, unit) in enumerate(part.columns) if unit is not TEXT]
    texts = [at for at, (_, unit) in enumerate(part.columns) if unit is TEXT]
    names = [name for name, _ in part.columns]
    lines = [
        [cut(cell(part, at, row), WIDEST) if at != texts[-1] else cell(part, at, row) for at in texts]
        for row in part.rows
    ]
    heads = [names[at] for at in texts]
    widths = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(texts) - 1)]
    table = TextTable(
        ["" if names[at] == "share" else names[at] for at in numbers],
        _joined(heads, widths),
        frozenset(range(len(numbers))),
        width,
    )
    for row, line in zip(part.rows, lines, strict=True):
        table.add_row([cell(part, at, row) for at in numbers], plain(_joined(line, widths)))
    head, *shown = table.lines()
    console.print()
    console.print(part.title, "bold")
    console.print(head, "dim")
    console.write(line + "\n" for line in shown)
    if part.more:
        console.print(f"{part.more:,} more", "dim")
    for note in part.notes:
        console.print(wrapped(note, width, HANGING), "dim")


def _joined(texts: list[str], widths: list[int]) -> str:
    """The texts in columns of these widths, the last one as it is."""
    return "".join([*(f"{text:{size}}  " for text, size in zip(texts, widths, strict=False)), texts[-1]])
