"""The canonical layout of a rule file.

1. A statement begins at the margin, with single blanks between its words and none around `::`. Its line breaks stay;
   further lines begin below the first target.
2. `as "..."` stands apart, with words such as `tree` before it; below each other in adjacent statements, unless their
   lengths differ much.
3. Comments, their order, and blank lines stay. A statement with a mistake stays as it is.

The formatted text means the same, and formatting it again changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from classhook.rules import compiled
from classhook.rules.document import Document
from classhook.rules.parse import begun
from classhook.rules.statements import Mistake, Statement, without_comment
from classhook.rules.words import NO_VALUE, WORDS, terminal_of

#: Terminals without a blank before them, and behind them.
CLOSE_BEFORE = frozenset({"COMMA", "RPAR", "LPAR", "_COLONS", "_COLON", "PLUS", "DIMENSIONS"})
CLOSE_BEHIND = frozenset({"LPAR", "_COLONS", "AT", "NOT", "JDK"})
APART = "   "  # before `as`
MOST_SPREAD = 24  # characters by which lines may differ whose `as` are below each other
LINES = re.compile(r"[^\n]*\n|[^\n]+")
#: A quoted text, a name in backquotes, or blanks.
QUOTED_OR_BLANKS = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`)|\s+""")

BEFORE_COMMA = re.compile(r"\s+,")
INDENT = "    "  # of further lines of a definition
#: The equals sign behind the name in `let`.
EQUALS = re.compile(r"^(let \S+?)\s*=\s*")


@dataclass(slots=True)
class Row:
    """A line: the statement's text, from `as` on its name, a comment."""

    text: str = ""
    name: str = ""
    comment: str = ""
    apart: int = 0  # blanks before the name, beyond the usual ones

    def __str__(self) -> str:
        text = self.text + (f"{APART}{' ' * self.apart}{self.name}" if self.name else "")
        if not self.comment:
            return text
        return f"{text}  {self.comment}" if text.strip() else text + self.comment


def formatted(text: str, path: Path | None = None, given: Mapping[str, str] | None = None) -> str:
    """The text in its canonical layout. `path`, `given`: as of a Document."""
    if text.startswith(compiled.MAGIC):
        return text
    document = Document(text, path=path, given=given)
    rows: list[str] = []
    block: list[list[Row]] = []
    at = 0
    for statement in document.statements:
        between = document.lines[at : statement.line - 1]
        if between:
            rows += _aligned(block) + [line.strip() for line in between]
            block = []
        block.append(_laid_out(statement, document))
        at = statement.line - 1 + len(statement.source)
    rows += _aligned(block) + [line.strip() for line in document.lines[at:]]
    while rows and not rows[-1]:
        rows.pop()
    end = "\r\n" if "\r\n" in text else "\n"
    return "".join(row + end for row in rows)


def change(text: str, path: Path | None = None) -> tuple[int, int, str] | None:
    """The lines to replace: the first line, the line behind the last one, and the new text of these; None if
    nothing."""
    before, after = LINES.findall(text), LINES.findall(formatted(text, path))
    if before == after:
        return None
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return first, len(before) - last, "".join(after[first : len(after) - last])


def _aligned(block: list[list[Row]]) -> list[str]:
    """The lines of adjacent statements."""
    named = [row for statement in block for row in statement if row.name]
    widths = [len(row.text) for row in named]
    if widths and max(widths) - min(widths) <= MOST_SPREAD:
        for row in named:
            row.apart = max(widths) - len(row.text)
    return [str(row).rstrip() for statement in block for row in statement]


def _laid_out(statement: Statement, document: Document) -> list[Row]:
    comments = [line[len(without_comment(line)) :].rstrip() for line in statement.source]
    if document.is_definition(statement) and not isinstance(document.result_of(statement), Mistake):
        texts = [BEFORE_COMMA.sub(",", QUOTED_OR_BLANKS.sub(_single, line)) for line in _bare(statement)]
        texts = [EQUALS.sub(r"\1 = ", texts[0].strip(), count=1), *(f"{INDENT}{text.strip()}" for text in texts[1:])]
        return [Row(text, comment=comment) for text, comment in zip(texts, comments, strict=True)]
    if not document.rules(statement):
        return [Row(line.rstrip()) for line in statement.source]
    rows = [Row(comment=comment) for comment in comments]
    words = list(_words(statement))
    indent, last, name_at = " " * (len(words[0][2]) + 1), "", _name_at([terminal for terminal, *_ in words])
    for at, (terminal, behind, text, row) in enumerate(words):
        line = rows[row]
        if at >= name_at:
            line.name += " " * bool(line.name) + text
        elif not line.text:
            line.text = (indent if last else "") + text
        else:
            line.text += " " * (not _close(last, terminal)) + text
        last = behind
    for line in rows[1:]:
        line.text = line.text or indent
    return rows


def _name_at(terminals: list[str]) -> int:
    """The index of the first word that stands apart."""
    at = terminals.index("_AS") if "_AS" in terminals else len(terminals)
    while 0 < at < len(terminals) and terminals[at - 1] in _alone():
        at -= 1
    return at


def _alone() -> set[str]:
    """The terminals of clauses that are a word alone."""
    return {terminal_of(clause.word) for word in WORDS.values() for clause in word.clauses if clause.value == NO_VALUE}


def _close(before: str, terminal: str) -> bool:
    return terminal in CLOSE_BEFORE or before in CLOSE_BEHIND or (before == "_COLON" and terminal == "LINE_NUMBERS")


def _words(statement: Statement) -> Iterator[tuple[str, str, str, int]]:
    """The words of a statement, those of several lines divided: the first and the last terminal, text with single
    blanks, row. A parameter is a word, or a part of one, whatever its value is."""
    written = statement.written or statement.text
    units: list[tuple[str, str, int, int]] = []
    for terminal, text, offset in begun(statement.text)[0]:
        begin = statement.offset_as_written(offset)
        end = statement.offset_as_written(offset + len(text), behind=True)
        if units and begin < units[-1][3]:  # all of them are in the same parameter
            first, _, begin, _ = units.pop()
            units.append((first, terminal, begin, end))
        else:
            units.append((terminal, terminal, begin, end))
    for first, last, begin, end in units:
        row, text = written.count("\n", 0, begin), written[begin:end]
        if first == "STRING":
            yield first, last, text, row
            continue
        for below, part in enumerate(text.split("\n")):
            if part.strip():
                yield first, last, QUOTED_OR_BLANKS.sub(_single, part.strip()), row + below


def _single(found: re.Match[str]) -> str:
    return found[1] or " "


def _bare(statement: Statement) -> list[str]:
    """The lines of a statement without comments."""
    return [without_comment(line).rstrip() for line in statement.source]
