"""A table of right-justified numbers, and a last column with names, which takes the rest of the width.

Where the width is limited, numbers take at most half of it: columns are left out from the right, but not the first one
nor those that `kept` names. A name never goes on in a second line: it is shortened (instrument/base/row_names.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from classhook.base.names import printable
from classhook.base.row_names import RowName, cut, fitted, wide
from classhook.base.terminal import wrapped
from classhook.reports import Options

GAP = "  "
HANGING = 2  # columns by which the lines of a footnote after the first one are indented
NAME = 24  # columns of a name at least, even where the columns that were asked for take all the room


@dataclass(slots=True)
class TextTable:
    """The numbers' names, that of the last column, and rows: numbers, a name, and what follows it."""

    columns: Sequence[str]
    last: str
    kept: frozenset[int] = frozenset()
    width: int = 0  # 0: any
    rows: list[tuple[Sequence[str], RowName, str]] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)  # the places of the columns for which there was room, set by `lines`

    @property
    def left_out(self) -> list[str]:
        """The names of the other columns."""
        return [name for i, name in enumerate(self.columns) if i not in self.shown and name]

    def add_row(self, numbers: Sequence[str], name: RowName, after: str = "") -> None:
        self.rows.append((numbers, name, after))

    def lines(self) -> Iterator[str]:
        """The columns' names, then the rows. Lines are not padded: one long name would make all of them as long."""
        widths = [
            max(map(wide, cells)) for cells in zip(self.columns, *(numbers for numbers, _, _ in self.rows), strict=True)
        ]
        self.shown = shown = self._shown(widths)
        room = (
            max(self.width - sum(widths[i] + len(GAP) for i in shown), min(self.width // 2, NAME)) if self.width else 0
        )
        yield _joined(self.columns, widths, shown) + self.last
        afters = [
            cut(after, max(room // 2, room - wide(name.text()))) if room else after for _, name, after in self.rows
        ]
        row_names = [name for _, name, _ in self.rows]
        names = (
            fitted(row_names, [room - wide(after) for after in afters]) if room else [name.text() for name in row_names]
        )
        for (numbers, _, _), name, after in zip(self.rows, names, afters, strict=True):
            yield _joined(numbers, widths, shown) + name + after

    def _shown(self, widths: Sequence[int]) -> list[int]:
        """The places of the columns for which there is room."""
        shown = list(range(len(widths)))
        for i in reversed(range(1, len(widths))):
            if not self.width or sum(widths[j] + len(GAP) for j in shown) <= self.width // 2:
                break
            if i not in self.kept:
                shown.remove(i)
        return shown


def footnote(text: str, options: Options, indent: int = HANGING) -> str:
    """A printable line below a table, or below a heading; on a terminal it wraps at words."""
    text = printable(text)
    return wrapped(text, options.width, indent) if options.terminal and options.width else text


def _joined(cells: Sequence[str], widths: Sequence[int], shown: Iterable[int]) -> str:
    return "".join(" " * (widths[i] - wide(cells[i])) + cells[i] + GAP for i in shown)
