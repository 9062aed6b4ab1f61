"""A table of right-justified numbers and a last column of any width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Table:
    """The columns' names, and rows; one line each. Lines are not padded: one long name would make all of them as long."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.rows: list[tuple[str, ...]] = []

    def add_row(self, *cells: str) -> None:
        self.rows.append(cells)

    def lines(self) -> Iterator[str]:
        """The columns' names, then the rows."""
        numbers = [*zip(self.columns, *self.rows, strict=True)][:-1]
        widths = [max(map(len, column)) for column in numbers]
        for *cells, last in [self.columns, *self.rows]:
            yield "".join(cell.rjust(width) + "  " for cell, width in zip(cells, widths, strict=True)) + last
