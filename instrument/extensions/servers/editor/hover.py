"""The help for the word under the cursor: its meaning, what its rule matches, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.base.names import several
from classhook.checking.class_facts import Classes
from classhook.extensions.servers.editor import definitions
from classhook.extensions.servers.editor.completion import ABOUT, WORDS_BETWEEN
from classhook.extensions.servers.editor.matches import count
from classhook.measures.costs import costs
from classhook.rules.document import Document, Position, Span
from classhook.rules.parse import begun
from classhook.rules.syntax import Rule
from classhook.rules.words import (
    CALLS,
    CLASSES,
    FIELDS,
    LINES,
    METHODS,
    PROCESS,
    TYPES,
    VALUES,
    WORDS,
    Word,
    terminal_of,
)

MOST_SHOWN = 10  # methods
#: The terminals of words that begin a rule.
SUBJECTS = frozenset(subject.upper() for subject in (METHODS, TYPES, CALLS, FIELDS, CLASSES, PROCESS))
#: The meaning of a rule's places, by its subject, if the rule does not measure them.
PLACES = {
    TYPES: "Looks for these types in",
    CALLS: "Looks for these calls in",
    FIELDS: "Looks for these accesses in",
}


@dataclass(frozen=True, slots=True)
class Help:
    """`text`: in Markdown; `span`: what it is about."""

    text: str
    span: Span


def hover(document: Document, place: Position, known: Classes) -> Help | None:
    """The help for the word at the place; None if there is none."""
    statement = document.statement_at(place.line)
    if statement is None:
        return None
    if found := definitions.about(statement, document.offset_at(statement, place), document.is_definition(statement)):
        text, begin, end = found
        return Help(text, Span(document.written_place(statement, begin), document.written_place(statement, end)))
    if document.is_definition(statement):
        return None
    for terminal, text, offset in begun(statement.text)[0]:
        span = document.span(statement, offset, offset + len(text))
        if span.begin <= place < span.end:
            rules = document.rules(statement)
            parts = [_meaning(terminal, " ".join(text.split()), WORDS[rules[0].kind] if rules else None)]
            if rules and (terminal not in _clauses() or not parts[0]):
                parts += [_matched(rules[0], known), _cost(rules[0])]
            return Help("\n\n".join(filter(None, parts)), span) if any(parts) else None
    return None


def _clauses() -> set[str]:
    return {terminal_of(clause.word) for word in WORDS.values() for clause in word.clauses}


def _meaning(terminal: str, text: str, kind: Word | None) -> str:
    """The meaning of a word of the language; empty for a name."""
    if terminal in SUBJECTS:
        return f"**{text}**: {(kind if kind is not None and kind.subject == LINES else WORDS[text]).about}"
    if terminal == "MODIFIER":
        return f"**{text}**: methods with this modifier"
    word = WORDS_BETWEEN.get(terminal) or (text if terminal in _clauses() else "")
    if not word:
        return ""
    clauses = [clause for clause in (kind.clauses if kind is not None else ()) if clause.word == word]
    values = [clause.expects or VALUES[clause.value][0] for clause in clauses if clause.value]
    return f"**{' '.join([word, *values])}**: {(clauses[0].about if clauses else ABOUT.get(word, ''))}"


def _matched(rule: Rule, known: Classes) -> str:
    subject = WORDS[rule.kind].subject
    if subject == PROCESS:
        return "Applies to the whole process."
    if not known.names():
        return "The project's classes are not known: they are not built, or `classhook.classes` does not name them."
    found = count(rule, known, MOST_SHOWN)
    if not found.whole and not found.methods:
        return "Matches none of the classes that were read so far; asking again reads more."
    least = "" if found.whole else "at least "
    text = (
        f"{PLACES.get(subject, 'Matches')} {least}{several(found.classes, 'class')},"
        f" {least}{several(found.methods, 'method')}."
    )
    more = [f"- and {found.methods - MOST_SHOWN:,} more"] if found.methods > MOST_SHOWN else []
    return text + "".join(f"\n{line}" for line in ["", *(f"- `{name}`" for name in found.shown), *more] if found.shown)


def _cost(rule: Rule) -> str:
    known = costs(rule.kind, tuple(word for word, _ in rule.clauses))
    return f"Cost, as measured: {', '.join(cost.text for cost in known)} ({known[0].page})." if known else ""
