"""Diagnostics of a rule file: mistakes of syntax, and the findings of `classhook check` for the rules and the project's
classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic

from classhook.checking.contradictions import contradiction
from classhook.checking.verdicts import judge
from classhook.extensions.servers.editor.known_classes import KnownClasses
from classhook.rules.definitions import NoValue
from classhook.rules.document import Document, Position, Span
from classhook.rules.errors import RuleError
from classhook.rules.parse import twice
from classhook.rules.ruleset import JDK_PACKAGES
from classhook.rules.statements import Mistake, Statement
from classhook.rules.syntax import Rule
from classhook.rules.unqualified import without_package

ERROR, WARNING, INFORMATION = "error", "warning", "information"
#: The text of a mistake, from its begin: a name, a quoted text, or one character.
WORD = re.compile(r'::|"[^"]*"?|[^\s,()@!":+\[\]]+|\S')
QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Finding:
    """`severity`: ERROR if the rule cannot be used; WARNING if it does nothing, or probably means something else;
    INFORMATION if that is not certain."""

    span: Span
    severity: str
    message: str


def syntax(document: Document) -> list[Finding]:
    """The mistakes of all statements, and rules that are there twice."""
    found: list[Finding] = []
    rules: list[Rule] = []
    for statement in document.statements:
        parsed = document.result_of(statement)
        if isinstance(parsed, Mistake):
            known = INFORMATION if isinstance(parsed, NoValue) else ERROR  # the command may give it
            found.append(replace(_finding(document, statement.error(parsed)), severity=known))
        else:
            rules += parsed
    return found + [_finding(document, error) for error in twice(rules)]


def _finding(document: Document, error: RuleError) -> Finding:
    line, column = max(error.line - 1, 0), max(error.column - 1, 0)
    text = document.lines[line].rstrip("\r") if line < len(document.lines) else ""
    word = WORD.match(text, column)
    end = word.end() if word else len(text.rstrip())
    expected = f"\nexpected: {error.expected}" if error.expected else ""
    return Finding(
        Span(Position(line, min(column, max(end - 1, 0))), Position(line, end)), ERROR, error.message + expected
    )


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt about a rule, given the classes. `about`: texts of the statement that it may be about."""

    about: tuple[str, ...]
    severity: str
    message: str


class Judging:
    """Doubts about rules, kept by the statement's text until the classes change: each rule is compared with all names
    of classes."""

    def __init__(self) -> None:
        self._known: dict[str, list[Doubt]] = {}
        self._of: object = None

    def judge(self, document: Document, known: KnownClasses, version: object, seconds: float) -> bool:
        """Judges the rules that are new, for so long at most; returns whether all are judged. `version`: that of the
        classes."""
        if version != self._of:
            self._known, self._of = {}, version
        until = monotonic() + seconds
        for statement in document.statements:
            text = statement.text.strip()
            if text not in self._known:
                self._known[text] = [doubt for rule in document.rules(statement)[:1] for doubt in _doubts(rule, known)]
                if monotonic() > until:
                    return False
        return True

    def findings(self, document: Document) -> list[Finding]:
        """The findings about the rules that a document has now."""
        return [
            Finding(_where(document, statement, *doubt.about), doubt.severity, doubt.message)
            for statement in document.statements
            for doubt in self._known.get(statement.text.strip(), ())
        ]


def _doubts(rule: Rule, known: KnownClasses) -> Iterator[Doubt]:
    if never := contradiction(rule):
        yield Doubt((rule.clause("when"),), WARNING, f"the condition is never true: {never}")
    for written, meant in without_package(rule, lambda name: bool(known.named(name))):
        yield Doubt((written,), WARNING, f"the type {written} has no package; did you mean {meant}?")
    if not known.names():
        return
    verdict = judge(rule, known)
    for why in dict.fromkeys(verdict.why):
        hint = f"; did you mean {verdict.nearest}?" if verdict.nearest else ""
        yield Doubt(tuple(QUOTED.findall(why)), WARNING, why + hint)
    if verdict.why:
        return
    if verdict.nearest:
        what = "matches no method" if verdict.never else f"matches none of {known.whose}"
        yield Doubt(_patterns(rule), WARNING, f"{what}; did you mean {verdict.nearest}?")
    elif verdict.waits and not _elsewhere(rule):
        yield Doubt(_patterns(rule), INFORMATION, f"matches none of {known.whose} that are known")


def _elsewhere(rule: Rule) -> bool:
    """True if it is about the JDK, whose classes are not among the project's."""
    return all(
        target.class_pattern.jdk or target.class_pattern.glob.startswith(JDK_PACKAGES) for target in rule.targets
    )


def _patterns(rule: Rule) -> tuple[str, ...]:
    return tuple(target.class_pattern.glob for target in rule.targets)


def _where(document: Document, statement: Statement, *texts: str) -> Span:
    """The place of the first of these texts that the statement has; else the whole statement."""
    for text in texts:
        at = statement.text.find(text) if text else -1
        if at >= 0:
            return document.span(statement, at, at + len(text))
    begin = len(statement.text) - len(statement.text.lstrip())
    return document.span(statement, begin, len(statement.text))
