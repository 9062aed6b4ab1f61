"""A table of numbers, right-justified, and a last column that is as wide as it is."""

from __future__ import annotations

from collections.abc import Iterator


class Table:
    """A title, the columns' names, rows; a line each. No line is filled up: one long name would make all of them as long."""

    def __init__(self, title: str, numbers: list[str], last: str) -> None:
        self.title = title
        self.names = [*numbers, last]
        self.rows: list[tuple[str, ...]] = []

    def add_row(self, *cells: str) -> None:
        self.rows.append(cells)

    def lines(self) -> Iterator[str]:
        """The columns' names, then the rows."""
        numbers = [*zip(*[self.names, *self.rows], strict=True)][:-1]
        widths = [max(map(len, column)) for column in numbers]
        for *cells, last in [self.names, *self.rows]:
            yield "".join(cell.rjust(width) + "  " for cell, width in zip(cells, widths, strict=True)) + last
