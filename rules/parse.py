"""Reads rules: texts, text files, and compiled files.

1. A text is split into statements (`classhook.rules.statements`).
2. Each is parsed by itself (`classhook.rules.grammar`, LALR), so that every mistake in a file is reported, not only the
   first.
3. The parse tree becomes a rule (`classhook.rules.build`), or the parser's error becomes a message
   (`classhook.rules.explain`).

Only this module and `classhook.rules.grammar` load lark; the agent never imports them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from os import PathLike, fspath

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from classhook.rules import compiled, grammar, stock_rules
from classhook.rules.build import build
from classhook.rules.errors import RuleError, RuleErrors
from classhook.rules.explain import Stop, explain, odd_character, wrong_backquotes
from classhook.rules.ruleset import RuleSet
from classhook.rules.statements import Mistake, Statement, split
from classhook.rules.syntax import Rule
from classhook.rules.words import PROCESS, WORDS, Word, in_order

# The largest size of a file of rules, also in the agent (native/agent.c); a device might never end.
MOST_BYTES = 16 << 20

# The `origin` of rules given on the command line.
COMMAND_LINE = "-e"


def load(files: Sequence[str | PathLike[str]], texts: Sequence[str] = ()) -> RuleSet:
    """Returns the rules of files, text or compiled, and then of texts, in order. Raises RuleError with all mistakes."""
    rules: list[Rule] = []
    errors: list[RuleError] = []
    for found, wrong in [*map(check_file, files), *(check_text(text, COMMAND_LINE) for text in texts)]:
        rules += found
        errors += wrong
    _raise([*errors, *twice(rules)])
    return RuleSet(rules)


def twice(rules: Iterable[Rule]) -> Iterator[RuleError]:
    """An error for each rule that is there already, and for each one about the whole process if an earlier one with its
    word says how that is measured."""
    process: dict[str, Rule] = {}
    same: dict[object, Rule] = {}
    beside: set[str] = set()
    for rule in rules:
        if rule.text in beside:
            continue  # its statement is the error, if it is one
        word, meaning = WORDS[rule.kind], rule.meaning
        beside |= {one.text for one in word.beside(rule)} if word.beside is not None else set()
        if meaning in same:
            yield _second(rule, same[meaning], "this rule exists already", "each rule once")
        elif word.subject == PROCESS and rule.kind in process:
            yield _second(
                rule,
                process[rule.kind],
                f"a second rule `{rule.kind}`",
                f"one rule `{rule.kind}`: it is about the whole process",
            )
        process.setdefault(rule.kind, rule)
        same.setdefault(meaning, rule)


def _second(rule: Rule, before: Rule, message: str, expected: str) -> RuleError:
    return RuleError(
        f"{message}; the first is {before.origin}:{before.line}: `{before.text}`",
        rule.origin,
        rule.line,
        1,
        rule.text,
        expected,
    )


def load_bytes(data: bytes, origin: str) -> RuleSet:
    """Returns the rules of a file's content. Raises RuleError with all mistakes."""
    rules, errors = check_bytes(data, origin)
    _raise([*errors, *twice(rules)])
    return RuleSet(rules)


def parse_text(text: str, origin: str) -> list[Rule]:
    """Returns the rules of a text. Raises RuleError with all mistakes."""
    rules, errors = check_text(text, origin)
    _raise(errors)
    return rules


def check_file(path: str | PathLike[str]) -> tuple[list[Rule], list[RuleError]]:
    """Returns the valid rules of a file, or of stock rules by their name, and the errors of the others."""
    try:
        return check_bytes(*read(path))
    except RuleError as error:
        return [], [error]


def read(path: str | PathLike[str]) -> tuple[bytes, str]:
    """Returns the content of a file, or of stock rules by their name, and its origin. Raises RuleError."""
    origin = fspath(path)
    try:
        found = stock_rules.find(path)
        with open(found, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        if found is not path:
            origin = stock_rules.origin(found)
    except FileNotFoundError:
        raise RuleError(
            f"no such file; FILE may also be the name of stock rules: {', '.join(stock_rules.names())}", origin
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RuleError(f"cannot read the rules: {reason}", origin) from None
    if len(data) > MOST_BYTES:
        raise RuleError("the rules are larger than 16 MiB", origin)
    return data, origin


def check_bytes(data: bytes, origin: str) -> tuple[list[Rule], list[RuleError]]:
    """Returns the valid rules of a file's content, and the errors of the others."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8"
        return [], [RuleError(message, origin, line, expected="rules in UTF-8")]
    if text.startswith(compiled.MAGIC):
        try:
            return list(compiled.loads(text, origin).rules), []
        except RuleError as error:
            return [], [error]
    return check_text(text, origin)


def check_text(text: str, origin: str) -> tuple[list[Rule], list[RuleError]]:
    """Returns the valid rules of a text, and the errors of the others."""
    rules: list[Rule] = []
    errors: list[RuleError] = []
    for statement in split(text, origin):
        try:
            rules += rules_of(statement)
        except Mistake as mistake:
            errors.append(statement.error(mistake))
    if not rules and not errors:
        errors.append(RuleError(f"no rules in {origin}", origin, expected="a rule, such as `time com.acme.**::*`"))
    return rules, errors


def rules_of(statement: Statement) -> list[Rule]:
    """The rule of a statement, and further ones that it stands for. Raises Mistake."""
    rule = _parse(statement)
    beside = WORDS[rule.kind].beside
    return [rule, *(beside(rule) if beside is not None else [])]


def begun(text: str) -> tuple[list[tuple[str, str, int]], frozenset[str]]:
    """The tokens of a statement that may not be complete, up to a mistake: terminal, text, offset; and the terminals
    that may follow, none after a mistake."""
    parser = _parser(tuple(WORDS.values())).parse_interactive(text)
    found: list[tuple[str, str, int]] = []
    try:
        for token in parser.iter_parse():
            found.append((token.type, str(token), token.start_pos or 0))
    except UnexpectedInput:
        return found, frozenset()
    return found, frozenset(parser.accepts())  # type: ignore[no-untyped-call]  # lark leaves it without types


def _raise(errors: Sequence[RuleError]) -> None:
    if errors:
        raise errors[0] if len(errors) == 1 else RuleErrors(errors)


@cache
def _parser(words: tuple[Word, ...]) -> Lark:
    return grammar.parser(words)


def _parse(statement: Statement) -> Rule:
    """Returns the rule of a statement. Raises Mistake."""
    if not WORDS:
        raise RuntimeError("no measure has registered its word; import classhook.measures.every before parsing rules")
    wrong = odd_character(statement.text) or wrong_backquotes(statement.text)
    if wrong is not None:
        raise wrong
    parser = _parser(tuple(in_order(WORDS.values()))).parse_interactive(statement.text)
    try:
        parser.exhaust_lexer()
        tree = parser.feed_token(Token("$END", ""))
    except UnexpectedInput as error:
        accepted = frozenset[str](parser.accepts())  # type: ignore[no-untyped-call]  # lark leaves it without types
        raise explain(_stop(statement, error, accepted)) from None
    return build(tree, statement)


def _stop(statement: Statement, error: UnexpectedInput, accepted: frozenset[str]) -> Stop:
    text = statement.text
    offset = len(text)
    if isinstance(error, UnexpectedCharacters) or (isinstance(error, UnexpectedToken) and error.token.type != "$END"):
        offset = error.pos_in_stream or 0
    row, column = statement.place(len(text))
    return Stop(text, offset, accepted, comment=statement.source[row][column : column + 1] == "#")
