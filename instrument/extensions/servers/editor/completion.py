"""Completions at a place of a rule file.

The parser says which terminals of the grammar it would accept there; `PROPOSED` has what each of them stands for.
Within the expressions of clauses, instrument/extensions/servers/editor/expressions.py proposes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from classhook.extensions.servers.editor import definitions, expressions
from classhook.extensions.servers.editor.class_names import annotation_names, class_names, fields, method_lines, methods
from classhook.extensions.servers.editor.known_classes import KnownClasses
from classhook.extensions.servers.editor.proposals import Proposal, Proposals, limited
from classhook.rules.document import Document, Position
from classhook.rules.explain import clauses_left, kind_of, written
from classhook.rules.parse import begun, check_text
from classhook.rules.patterns import parameter_types
from classhook.rules.syntax import METHOD_FLAGS, PRIMITIVES
from classhook.rules.words import FIELDS, NO_VALUE, VALUES, WORDS, Word, terminal_of

#: The name that is being written.
PARTIAL = re.compile(r'[^\s,()@!":+\[\]#{}]*$')
EXAMPLE = re.compile(r"`([^`]+)`")
LINE = " line"
METHODS_BEHIND = ("below", "to")  # clauses whose values are written like the targets of a rule
#: Words of the grammar itself, by terminal.
WORDS_BETWEEN = {"_IN": "in", "_FROM": "from", "_EXCEPT": "except", "_AS": "as"}
ABOUT = {
    "in": "only in these classes and methods",
    "from": "only of classes from these jars and directories",
    "except": "but not these classes and methods",
    "as": "the name in reports, in quotes",
}

Token = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Situation:
    """`before`: the statement up to the name that is being written, `partial`; `tokens`: those before; `kind`: the
    statement's word."""

    before: str
    partial: str
    tokens: list[Token]
    kind: Word | None
    known: KnownClasses

    def last(self, *terminals: str) -> str:
        """The text of the last token of one of these terminals."""
        return next((text for terminal, text, _ in reversed(self.tokens) if terminal in terminals), "")


def complete(document: Document, place: Position, known: KnownClasses) -> Proposals:
    """The proposals for the place, and the place from which on they replace the text."""
    text = document.before(place)
    if text is None:
        return Proposals(place)
    size, found = definitions.proposed(text, document) or completed(document.with_values(text), known)
    if not text.split():
        found += definitions.WORDS
    return limited(Position(place.line, place.column - size), found)


def completed(text: str, known: KnownClasses, only_targets: bool = False) -> tuple[int, list[Proposal]]:
    """The proposals after a text, which begins a statement: how many of its last characters are replaced, and by
    what."""
    tokens, _ = begun(text)
    if tokens and tokens[-1][0] == "EXPRESSION" and tokens[-1][2] + len(tokens[-1][1]) == len(text):
        return _in_expression(text, tokens, known)
    match = PARTIAL.search(text)
    partial = match.group() if match else ""
    before = text[: len(text) - len(partial)]
    tokens, accepted = begun(before)
    if accepted == {"EXPRESSION"}:
        return _in_expression(text, [*tokens, ("EXPRESSION", partial, len(before))], known)
    situation = Situation(before, partial, tokens, None if only_targets else _kind(text, tokens), known)
    found = [one for terminal in sorted(accepted) for one in PROPOSED.get(terminal, _nothing)(situation)]
    return len(partial), [
        *found,
        *_second_words(situation),
        *_clauses(situation, accepted),
        *_values(situation, accepted),
    ]


def _kind(text: str, tokens: list[Token]) -> Word | None:
    kind = kind_of(text)
    if kind is not None and any(terminal == "LINE_NUMBERS" for terminal, _, _ in tokens):
        return WORDS.get(kind.text + LINE, kind)
    return kind


def _in_expression(text: str, tokens: list[Token], known: KnownClasses) -> tuple[int, list[Proposal]]:
    (_, clause, at), (_, inner, _) = tokens[-2:]
    if clause in METHODS_BEHIND:  # its value is written like the targets of a rule
        return completed("count " + inner, known, only_targets=True)
    kind = _kind(text, tokens)
    size, found = expressions.proposed(text[:at], kind, clause, inner, known)
    wrong = next((one.wrong for one in (kind.clauses if kind is not None else ()) if one.word == clause), None)
    if wrong is not None:
        found = [one for one in found if expressions.may_follow(inner[: len(inner) - size], one.text, wrong)]
    if not inner.rstrip().endswith(",") and (inner[-1:].isspace() or re.search(r"\s\w+$", inner)):
        situation = Situation(text, "", tokens, kind, known)
        found += _clauses(situation, begun(f"{text[:at]}{clause} x ")[1])
    return size, found


def _nothing(_: Situation) -> Iterator[Proposal]:
    return iter(())


def _first_words(_: Situation) -> Iterator[Proposal]:
    for word in written():
        yield Proposal(word.text, word.text, "keyword", word.about)


def _second_words(situation: Situation) -> Iterator[Proposal]:
    """`writes` behind `count`."""
    for word in written():
        first, _, second = word.text.partition(" ")
        if second and situation.kind is not None and situation.before.split() == [first]:
            yield Proposal(word.text, second, "keyword", word.about, second)


def _clauses(situation: Situation, accepted: frozenset[str]) -> Iterator[Proposal]:
    whole = _is_whole(situation.before)
    for terminal, word in WORDS_BETWEEN.items():
        if terminal in accepted and (not whole or word != "as" or _is_whole(situation.before, "")):
            yield Proposal(word, word, "keyword", ABOUT[word])
    for clause in clauses_left(situation.kind, set(situation.before.split())) if situation.kind is not None else ():
        if terminal_of(clause.word) in accepted:
            value = clause.expects or VALUES[clause.value][0] if clause.value != NO_VALUE else ""
            example = next(iter(EXAMPLE.findall(value)), "")
            if not whole or _is_whole(f"{situation.before} {clause.word} {example}"):  # else another clause is missing
                yield Proposal(clause.word, clause.word, "keyword", value or clause.about)


def _is_whole(text: str, *missing: str) -> bool:
    """True if a text is a rule, perhaps with one of the clauses that some words need behind it."""
    return any(not check_text(text + end, "")[1] for end in missing or ("", " of arg0"))


def _values(situation: Situation, accepted: frozenset[str]) -> Iterator[Proposal]:
    """An example of the value of the clause before."""
    clauses = situation.kind.clauses if situation.kind is not None else ()
    for clause in clauses:
        if clause.value in accepted and situation.tokens and situation.tokens[-1][1] == clause.word:
            for example in EXAMPLE.findall(VALUES[clause.value][0]):
                yield Proposal(example, example, "value", VALUES[clause.value][0].partition(" (")[0])


def _modifiers(situation: Situation) -> Iterator[Proposal]:
    if "." not in situation.partial:
        for word in METHOD_FLAGS:
            yield Proposal(word, word, "keyword", "methods with this modifier")


def _classes(situation: Situation) -> Iterator[Proposal]:
    yield from class_names(situation.known, situation.partial)


def _methods(situation: Situation) -> Iterator[Proposal]:
    yield from methods(situation.known, situation.last("CLASS"), situation.last("PLUS") == "+")


def _parameters(situation: Situation) -> Iterator[Proposal]:
    """The types that methods of this name have here."""
    begin = max(at for at, (terminal, _, _) in enumerate(situation.tokens) if terminal == "LPAR")
    number = sum(terminal == "COMMA" for terminal, _, _ in situation.tokens[begin:])
    named = situation.last("METHOD")
    types = [
        parameters[number]
        for facts in situation.known.named(situation.last("CLASS"))
        for method in facts.methods
        if method.name == named and len(parameters := parameter_types(method.descriptor) or []) > number
    ]
    yield from (Proposal(one, one, "class", f"of {named}", sort="0") for one in dict.fromkeys(types))
    yield Proposal("..", "..", "value", "any number of further parameters")
    yield from _types(situation, "")


def _types(situation: Situation, brackets: str) -> Iterator[Proposal]:
    if "." not in situation.partial:
        yield from (Proposal(one + brackets, one + brackets, "keyword", "") for one in sorted(PRIMITIVES))
    yield from class_names(situation.known, situation.partial)


def _fields(situation: Situation) -> Iterator[Proposal]:
    owner = situation.partial.rpartition(".")[0]
    yield from fields(situation.known, owner)
    yield from class_names(situation.known, situation.partial)


def _annotations(situation: Situation) -> Iterator[Proposal]:
    yield from annotation_names(situation.known)


def _lines(situation: Situation) -> Iterator[Proposal]:
    if situation.kind is None or situation.kind.subject != FIELDS:
        yield from method_lines(situation.known, situation.last("CLASS"))


def _sources(situation: Situation) -> Iterator[Proposal]:
    for place in situation.known.places:
        text = f"**/{place.name}/**" if place.is_dir() else f"**/{place.name}"
        yield Proposal(text, text, "file", str(place))


PROPOSED: dict[str, Callable[[Situation], Iterator[Proposal]]] = {
    "METHODS": _first_words,
    "MODIFIER": _modifiers,
    "CLASS": _classes,
    "METHOD": _methods,
    "PARAMETER": _parameters,
    "RETURNS": lambda situation: _types(situation, ""),
    "TYPE": lambda situation: _types(situation, "[]"),
    "FIELD": _fields,
    "ANNOTATION": _annotations,
    "LINE_NUMBERS": _lines,
    "SOURCE": _sources,
}
