"""The parser of statements, generated from `grammar.lark` and the words of the measures.

Making its tables takes half of the time of reading a rule. The build does it once
(`python -m classhook.native.building`), and what was made then is used as long as grammar, lark and Python are the
same.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import lark
from lark import Lark

from classhook.rules.words import CALLS, CLASSES, FIELDS, METHODS, NO_VALUE, PROCESS, TYPES, VALUES, Word, terminal_of

TABLES = "grammar.tables"

# The grammar of what follows a statement's word, by its subject.
_SUBJECTS = {
    METHODS: "targets [sources] [exceptions]",
    TYPES: "types [_IN places] [sources] [exceptions]",
    CALLS: "callees [_IN places] [sources] [exceptions]",
    FIELDS: "fieldnames [_IN places] [sources] [exceptions]",
    CLASSES: "places [sources] [exceptions]",
    PROCESS: "",
}


def parser(words: Iterable[Word], tables: Path | None = None) -> Lark:
    """The parser of statements that begin with these words."""
    made_of = _made_of(words)
    with (
        suppress(OSError, EOFError, pickle.UnpicklingError),
        (tables or Path(__file__).with_name(TABLES)).open("rb") as file,
    ):
        if pickle.load(file) == made_of:
            return Lark.load(file)
    return _made(made_of[0])


def keep(words: Iterable[Word], tables: Path) -> None:
    """Writes the tables."""
    made_of = _made_of(words)
    with tables.open("wb") as file:
        pickle.dump(made_of, file)
        _made(made_of[0]).save(file)


def _made(text: str) -> Lark:
    return Lark(text, parser="lalr", maybe_placeholders=False)


def _made_of(words: Iterable[Word]) -> tuple[str, str, str]:
    text = Path(__file__).with_name("grammar.lark").read_text()
    return text + "\n" + _grammar_of(tuple(words)), lark.__version__, str(sys.implementation.cache_tag)


def _grammar_of(words: tuple[Word, ...]) -> str:
    """The rules and terminals of the words and their clauses."""
    clauses = dict.fromkeys((clause.word, clause.value) for word in words for clause in word.clauses)
    values = {value for _, value in clauses} - {NO_VALUE}
    subjects = {subject: [word.text for word in words if word.subject == subject] for subject in _SUBJECTS}
    rest = "clause* [title]" if clauses else "[title]"
    statements = [f"{subject.upper()} {_SUBJECTS[subject]} {rest}" for subject, texts in subjects.items() if texts]
    lines = [f"statement: {' | '.join(statements)}"]
    for subject, texts in subjects.items():
        if texts:  # others before methods: `count calls` begins like `count`
            lines.append(
                f"{terminal_of(subject)}.{1 if subject == METHODS else 2}: /({_pattern('|'.join(texts))})(?!\\S)/"
            )
    if clauses:
        lines.append("clause: " + " | ".join(f"{terminal_of(word)} {value}".rstrip() for word, value in clauses))
    lines += [f"{terminal_of(word)}: /{_pattern(word)}(?!\\S)/" for word in dict.fromkeys(word for word, _ in clauses)]
    lines += [f"{value}: /{VALUES[value][1]}(?!\\S)/" for value in sorted(values)]
    return "\n".join(lines) + "\n"


def _pattern(words: str) -> str:
    """The regular expression of words, some of which have a blank between two."""
    return words.replace(" ", r"[ \t\n\r\f]+")
