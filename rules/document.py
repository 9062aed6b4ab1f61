"""A rule file as an editor has it: its lines, its statements, and the rules that they are.

Statements are parsed one by one, and the results are kept by the statement's text: a change of one line parses one
statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from classhook.rules import compiled
from classhook.rules.definitions import PARAMETER, Files, NoValue, Values, lines
from classhook.rules.parse import rules_of
from classhook.rules.statements import Mistake, Statement, without_comment
from classhook.rules.syntax import Rule

MOST_KEPT = 50_000  # statements


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a character in it, from 0."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Span:
    """A span from a place to before another one."""

    begin: Position
    end: Position


Parsed = list[Rule] | Mistake


class Parsing:
    """The results for statements, by their text."""

    def __init__(self) -> None:
        self._known: dict[str, Parsed] = {}

    def result_of(self, statement: Statement) -> Parsed:
        """The rules of a statement, whose lines are those where the statement is now; or its mistake."""
        found = self._known.get(statement.text)
        if found is None:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            try:
                found = rules_of(statement)
            except Mistake as mistake:
                found = mistake
            self._known[statement.text] = found
        if isinstance(found, Mistake) or all(
            rule.line == statement.line and rule.origin == statement.origin for rule in found
        ):
            return found
        return [_at(rule, statement) for rule in found]


def _at(rule: Rule, statement: Statement) -> Rule:
    return Rule(
        rule.kind,
        rule.text,
        statement.origin,
        statement.line,
        rule.name,
        rule.targets,
        rule.types,
        rule.excepts,
        rule.clauses,
        rule.sources,
        rule.called,
    )


class Document:
    """A text, which is a file named `origin`. Compiled rules have no statements. `path`: the file, where others are
    looked for that it uses; `given`: values of parameters."""

    def __init__(
        self,
        text: str,
        origin: str = "rules",
        parsing: Parsing | None = None,
        path: Path | None = None,
        given: Mapping[str, str] | None = None,
    ) -> None:
        self.text = text
        self.origin = origin
        self.lines = text.split("\n")
        self.parsing = parsing or Parsing()
        self.path = path
        self.values = Values(given or {})
        self.statements: list[Statement] = []
        self._definitions: set[int] = set()  # the lines at which they begin
        self._wrong: dict[int, Mistake] = {}
        if not text.startswith(compiled.MAGIC):
            self._read(Files(self.values.given, open=[path] if path is not None else []))

    def _read(self, files: Files) -> None:
        for line in lines(self.text.removeprefix("\ufeff"), self.origin, files, self.path, self.values):
            statement = line.statement
            if not line.is_own:
                continue
            if not self.statements or self.statements[-1].line != statement.line:
                self.statements.append(statement)
            if not line.is_rule:
                self._definitions.add(statement.line)
            if line.wrong is not None and (line.is_rule or self.path is not None or isinstance(line.wrong, NoValue)):
                self._wrong.setdefault(statement.line, line.wrong)

    def result_of(self, statement: Statement) -> Parsed:
        """The rules of a statement, none of a definition; or its mistake."""
        wrong = self._wrong.get(statement.line)
        if wrong is not None or statement.line in self._definitions:
            return wrong or []
        return self.parsing.result_of(statement)

    def is_definition(self, statement: Statement) -> bool:
        """True if it is no rule, but `let` or `use`."""
        return statement.line in self._definitions

    def with_values(self, text: str) -> str:
        """The text with the values of parameters, as far as they are known."""
        known = self.values.every
        return PARAMETER.sub(lambda found: known.get(found[1] or "", found.group()), text)

    def statement_at(self, line: int) -> Statement | None:
        """The statement that has this line."""
        return next((one for one in self.statements if one.line - 1 <= line < one.line - 1 + len(one.source)), None)

    def rules(self, statement: Statement) -> list[Rule]:
        """The rules of a statement; none if it has a mistake."""
        found = self.result_of(statement)
        return [] if isinstance(found, Mistake) else found

    def before(self, place: Position) -> str | None:
        """The statement's text up to a place in it, without comments; empty if no statement has begun there; None
        within a comment."""
        statement = self.statement_at(place.line)
        if statement is None:
            line = self.lines[place.line] if place.line < len(self.lines) else ""
            return None if "#" in line[: place.column] else ""
        rows = statement.source[: place.line - statement.line + 2]
        bare = [without_comment(row) for row in rows]
        if place.column > len(bare[-1]) and bare[-1] != rows[-1]:
            return None
        return "\n".join([*bare[:-1], bare[-1][: place.column]])

    def place(self, statement: Statement, offset: int, behind: bool = False) -> Position:
        """The place of a character of a statement's text; `behind`: see Statement."""
        row, column = statement.place(offset, behind)
        return Position(statement.line - 1 + row, column)

    def written_place(self, statement: Statement, offset: int) -> Position:
        """The place of a character of a statement as it is written, without comments."""
        row, column = replace(statement, text=statement.written or statement.text, replaced=()).place(offset)
        return Position(statement.line - 1 + row, column)

    def offset_at(self, statement: Statement, place: Position) -> int:
        """The offset in the statement as it is written, without comments."""
        rows = (statement.written or statement.text).split("\n")
        return sum(len(row) + 1 for row in rows[: place.line - statement.line + 1]) + place.column

    def span(self, statement: Statement, begin: int, end: int) -> Span:
        """The span of some characters of a statement's text."""
        return Span(self.place(statement, begin), self.place(statement, end, behind=True))
