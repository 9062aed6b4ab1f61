"""Error messages about mistakes in rules.

This module is imported inside the JVM, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class RuleError(Exception):
    """A mistake in a rule text or a compiled rule file.

    `origin` is the file's name or `-e`; `line` and `column` count from 1, in characters, and are 0 if unknown;
    `source` is the line as written; `expected` is in words, without a full stop.
    """

    def __init__(
        self, message: str, origin: str, line: int = 0, column: int = 0, source: str = "", expected: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.origin = origin
        self.line = line
        self.column = column
        self.source = source
        self.expected = expected

    def __str__(self) -> str:
        """Returns `file:line:column: message`, followed by the line, a caret and what was expected, if known."""
        place = ":".join([self.origin, *(str(number) for number in (self.line, self.column) if number)])
        text = f"{place}: {self.message}"
        if self.column:
            text += f"\n    {_printable(self.source)}\n    {_blank(self.source[: self.column - 1])}^"
        if self.expected:
            text += f"\n    expected: {self.expected}"
        return text


MOST_SHOWN = 20


class RuleErrors(RuleError):
    """Several mistakes, `errors`; its own position is that of the first. The message shows MOST_SHOWN of them."""

    def __init__(self, errors: Sequence[RuleError]) -> None:
        first = errors[0]
        super().__init__(first.message, first.origin, first.line, first.column, first.source, first.expected)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        more = len(self.errors) - MOST_SHOWN
        return "\n".join([*map(str, self.errors[:MOST_SHOWN]), *([f"and {more:,} more"] if more > 0 else [])])


def _printable(source: str) -> str:
    """Returns `source` with control characters replaced."""
    # Not \N{...}: compiling that imports unicodedata, even in the JVM.
    return "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in source)


def _blank(source: str) -> str:
    """Returns blanks as wide as `source` on a terminal: a tab stays a tab, an ideograph takes two columns."""
    from unicodedata import combining, east_asian_width

    def width(char: str) -> str:
        if char == "\t":
            return "\t"
        return " " * (0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1)

    return "".join(map(width, source))
