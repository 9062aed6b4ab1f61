"""Reads rules: texts, text files, and compiled files.

1. A text is split into statements (`classhook.rules.statements`); definitions among them are heeded, and parameters
   get their values (`classhook.rules.definitions`).
2. Each is parsed by itself (`classhook.rules.grammar`, LALR), so that every mistake in a file is reported, not only the
   first.
3. The parse tree becomes a rule (`classhook.rules.build`), or the parser's error becomes a message
   (`classhook.rules.explain`).

Only this module and `classhook.rules.grammar` load lark; the agent never imports them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from os import PathLike, fspath
from pathlib import Path

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from classhook.rules import compiled, grammar, stock_rules
from classhook.rules.build import build
from classhook.rules.definitions import MOST_BYTES, Files, Line, Values, lines
from classhook.rules.errors import RuleError, RuleErrors
from classhook.rules.explain import NOT_WRITTEN, Stop, explain, kind_of, odd_character, wrong_backquotes
from classhook.rules.ruleset import RuleSet
from classhook.rules.statements import Mistake, Statement, split
from classhook.rules.syntax import Rule
from classhook.rules.words import PROCESS, WORDS, Word, further, in_order

# The `origin` of rules given on the command line, and of the places behind `below`.
COMMAND_LINE = "-e"
BELOW = "below"


def load(
    files: Sequence[str | PathLike[str]], texts: Sequence[str] = (), given: Mapping[str, str] | None = None
) -> RuleSet:
    """Returns the rules of files, text or compiled, and then of texts, in order. `given`: values of their parameters.
    Raises RuleError with all mistakes."""
    rules: list[Rule] = []
    errors: list[RuleError] = []
    read_files = Files(given or {})
    checked = [check_file(file, read_files) for file in files]
    for found, wrong in [*checked, *(check_text(text, COMMAND_LINE, read_files) for text in texts)]:
        rules += found
        errors += wrong
    _raise([*errors, *twice(rules), *_unknown(read_files)])
    return RuleSet(rules)


def _unknown(files: Files) -> Iterator[RuleError]:
    """An error for each value of a parameter that the rules do not have."""
    there = [f"{name} (`{value}`)" for name, value in files.parameters.items()]
    for name in files.given:
        if name not in files.parameters:
            listed = f"the parameters are {', '.join(there)}" if there else "they have none"
            yield RuleError(f"the rules have no parameter {name}; {listed}", f"-D {name}")


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
        beside |= {one.text for one in further(rule)}
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


def load_bytes(data: bytes, origin: str, given: Mapping[str, str] | None = None, path: Path | None = None) -> RuleSet:
    """Returns the rules of a file's content. Raises RuleError with all mistakes."""
    rules, errors = check_bytes(data, origin, Files(given or {}), path)
    _raise([*errors, *twice(rules)])
    return RuleSet(rules)


def parse_text(text: str, origin: str) -> list[Rule]:
    """Returns the rules of a text. Raises RuleError with all mistakes."""
    rules, errors = check_text(text, origin)
    _raise(errors)
    return rules


def check_file(path: str | PathLike[str], files: Files | None = None) -> tuple[list[Rule], list[RuleError]]:
    """Returns the valid rules of a file, or of stock rules by their name, and the errors of the others."""
    files = files or Files()
    found = stock_rules.real(stock_rules.find(path))
    if found in files.taken:  # another file uses it
        return [], []
    try:
        return check_bytes(*read(path), files, found)
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
        if kind_of(origin) is not None and any(char.isspace() for char in origin):
            raise RuleError("no such file; a rule itself is given with -e", origin) from None
        raise RuleError(
            f"no such file; FILE may also be the name of stock rules: {', '.join(stock_rules.names())}", origin
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RuleError(f"cannot read the rules: {reason}", origin) from None
    if len(data) > MOST_BYTES:
        raise RuleError("the rules are larger than 16 MiB", origin)
    return data, origin


def check_bytes(data: bytes, origin: str, files: Files, path: Path | None = None) -> tuple[list[Rule], list[RuleError]]:
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
    return check_text(text, origin, files, path)


def check_text(
    text: str, origin: str, files: Files | None = None, path: Path | None = None
) -> tuple[list[Rule], list[RuleError]]:
    """Returns the valid rules of a text, and the errors of the others. `path`: the file that has the text; `files`:
    what else was read; None: the text has no parameters."""
    rules: list[Rule] = []
    errors: list[RuleError] = []
    values = Values(files.given) if files is not None else None
    if path is not None and files is not None:
        files.open.append(path)
    for line in lines(text, origin, files, path, values) if files is not None else map(Line, split(text, origin)):
        try:
            if line.wrong is not None:
                raise line.wrong
            if line.is_rule:
                rules += rules_of(line.statement)
            elif origin == COMMAND_LINE:
                raise Mistake(0, "`let` and `use` are for files of rules", "`-D NAME=VALUE`, or `-r FILE`")
        except Mistake as mistake:
            errors.append(line.statement.error(mistake))
    if path is not None and files is not None and values is not None:
        files.open.pop()
        files.named[path] = {**values.used, **values.own}
    if not rules and not errors and (files is None or not files.taken):
        errors.append(RuleError(f"no rules in {origin}", origin, expected="a rule, such as `time com.acme.**::*`"))
    return rules, errors


def rules_of(statement: Statement) -> list[Rule]:
    """The rule of a statement, and further ones that it stands for. Raises Mistake."""
    rule = _parse(statement)
    if rule.kind in NOT_WRITTEN and statement.origin != BELOW:
        raise Mistake(0, f"no rule begins with `{rule.kind}`", NOT_WRITTEN[rule.kind])
    return [rule, *further(rule)]


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
