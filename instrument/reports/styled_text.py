"""Text with styles: on a terminal they are shown, elsewhere they are left out, and rich is not imported, which takes as
long as a small report."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

WIDE = 100_000  # columns: nothing is cut


class Styled:
    """Collects lines."""

    def __init__(self, terminal: bool) -> None:
        self._file = StringIO()
        self._console = None
        if terminal:
            from rich.console import Console

            self._console = Console(
                file=self._file,
                force_terminal=True,
                width=WIDE,
                highlight=False,
                emoji=False,
                markup=False,
                soft_wrap=True,
            )

    @property
    def text(self) -> str:
        """The text that was printed."""
        return self._file.getvalue()

    def print(self, text: str = "", style: str = "") -> None:
        """Prints a line; `style`: as rich names them."""
        if self._console is None:
            self._file.write(text + "\n")
        else:
            from rich.text import Text

            self._console.print(Text(text, style))

    def write(self, lines: Iterable[str]) -> None:
        """Writes lines without styles, in a hundredth of the time."""
        self._file.writelines(lines)
