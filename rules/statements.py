"""Splits a rule text into its statements.

1. A comment begins at a `#` outside quotes and backquotes, and ends with the line.
2. The rest of a line is a statement, unless it is blank.
3. A line ending in a comma or an open parenthesis continues on the next one; comment lines between them are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from classhook.rules.errors import RuleError

#: A text in quotes, or a method's name in backquotes: blanks in it count, and a `#` begins no comment.
QUOTED = r'"[^"\n]*"|`[^`\n]*`'
_QUOTED = re.compile(QUOTED)
QUOTED_OR_BLANKS = re.compile(rf"({QUOTED})|\s+")
_QUOTED_OR_COMMENT = re.compile(rf'(?:{QUOTED}|"[^"]*$)|(#)')


class Mistake(Exception):
    """A mistake at an offset of a statement's text, and what was expected; see `Statement.error`."""

    def __init__(self, offset: int, message: str, expected: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.expected = expected


class Replaced(NamedTuple):
    """A parameter (rules/definitions.py): from where to where its value is in the text, and it in the written text."""

    begin: int
    end: int
    at: int
    behind: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A logical line: its text without comments, and the lines as written, from number `line` of `origin` on. Of one
    with parameters, `text` has their values, and `written` is the text before."""

    origin: str
    line: int
    text: str
    source: tuple[str, ...]
    written: str = ""
    replaced: tuple[Replaced, ...] = ()

    def one_line(self) -> str:
        """Returns the text with single spaces, except in quotes and backquotes."""
        return QUOTED_OR_BLANKS.sub(lambda found: found[1] or " ", self.text.strip())

    def place(self, offset: int, behind: bool = False) -> tuple[int, int]:
        """Returns the indices of the line within the statement and of the character within the line. `behind`: as in
        offset_as_written."""
        at = self.offset_as_written(offset, behind)
        before = (self.written or self.text)[:at]
        return before.count("\n"), at - (before.rfind("\n") + 1)

    def offset_as_written(self, offset: int, behind: bool = False) -> int:
        """The offset in the written text; within a parameter's value that of the parameter, or `behind` it."""
        shift = 0
        for one in self.replaced:
            if offset < one.begin or (behind and offset == one.begin):
                break
            if offset < one.end:
                return one.behind if behind else one.at
            shift = one.behind - one.end
        return offset + shift

    def error(self, mistake: Mistake) -> RuleError:
        """Returns the mistake as the user sees it."""
        row, column = self.place(mistake.offset)
        within = [one for one in self.replaced if one.begin <= mistake.offset < one.end]
        about = [f"; `{self.written[one.at : one.behind]}` is `{self.text[one.begin : one.end]}`" for one in within]
        return RuleError(
            mistake.message + "".join(about),
            self.origin,
            self.line + row,
            column + 1,
            self.source[row],
            mistake.expected,
        )


def split(text: str, origin: str) -> Iterator[Statement]:
    """Yields the statements of a text, in order."""
    written: list[str] = []
    texts: list[str] = []
    for number, ended in enumerate(text.split("\n"), 1):
        line = ended.removesuffix("\r")
        bare = without_comment(line)
        if not texts and not bare.strip():
            continue
        written.append(line)
        texts.append(bare)
        comment_only = not bare.strip() and line.strip()
        if not comment_only and not _goes_on(bare):
            yield _statement(origin, number, written, texts)
            written, texts = [], []
    if texts:
        yield _statement(origin, number, written, texts)


def _statement(origin: str, last: int, written: list[str], texts: list[str]) -> Statement:
    return Statement(origin, last - len(written) + 1, "\n".join(texts).rstrip(), tuple(written))


def without_comment(line: str) -> str:
    """The part before the `#` outside quotes and backquotes."""
    at = next((found.start() for found in _QUOTED_OR_COMMENT.finditer(line) if found[1]), len(line))
    return line[:at]


def _goes_on(bare: str) -> bool:
    # An unclosed quote is a mistake of its line, which must not swallow the next one.
    return bare.rstrip().endswith((",", "(")) and not set(_QUOTED.sub("", bare)) & {'"', "`"}
