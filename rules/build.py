"""Builds the abstract syntax of a statement from its parse tree, and checks what the grammar leaves open.

The grammar accepts any run of letters as a name. Names are checked here, since a message about a slash, a descriptor or
a misplaced wildcard can say more than "unexpected".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from classhook.rules.statements import Mistake, Statement
from classhook.rules.syntax import PRIMITIVES, ClassPattern, MethodPattern, Rule, Target, TypePattern
from classhook.rules.words import CALLS, LINES, TYPES, VALUES, WORDS

if TYPE_CHECKING:
    from lark import Token, Tree

    Node = Tree[Token]

LINE = " line"  # behind the word of a rule about lines
LAST_LINE = 65535  # JVMS 4.7.12

# What a glob must not contain, the message ({}: that), and what to write instead ({}: the name with dots for slashes).
_Check = tuple[re.Pattern[str], str, str]

_DOTTED: Sequence[_Check] = (
    (re.compile(";"), "this is a descriptor, not a name", "a name with dots, as in `java.lang.String`"),
    (re.compile("/"), "names in rules have dots, not slashes", "`{}`"),
    (re.compile(r"\*\*\*"), "there is no wildcard `***`", "`*` within a segment, or `**` across segments"),
    (re.compile(r"\?"), "`?` is not a wildcard", "`*` within a segment, or `**` across segments"),
    (re.compile("[<>]"), "class files have no type arguments, so rules have none either", "the class's name alone"),
    (re.compile(r"\.\.\.$"), "a variable number of arguments is an array in the class file", "`[]` for `...`"),
    (re.compile(r"\.(?=\.)|^\.|\.$"), "a segment of the name is missing next to this dot", "a name, `*` or `**`"),
)

_METHOD: Sequence[_Check] = (
    (re.compile(r"\*\*"), "`**` crosses dots, and a method's name has none", "`*`"),
    (re.compile(r"\?"), "`?` is not a wildcard", "`*`"),
    (re.compile(r"[./;]"), "a method's name cannot contain `{}`", "a name, `*`, or a name with `*` in it"),
    (
        re.compile(r"^(?!<(init|clinit|\*)>$).*[<>]"),
        "there is no such initializer",
        "`<init>`, `<clinit>`, or `<*>` for both",
    ),
)


def build(tree: Node, statement: Statement) -> Rule:
    """Returns the rule of a statement. Raises Mistake."""
    kind = _kind(tree)
    targets = _targets(tree)
    if WORDS[kind].subject in (TYPES, CALLS) and not targets:
        targets = (Target(ClassPattern("**")),)
    rule = Rule(
        kind=str(kind),
        text=statement.one_line(),
        origin=statement.origin,
        line=statement.line,
        name=_title(tree),
        targets=targets,
        types=tuple(_type(node) for types in _nodes(tree, "types") for node in _nodes(types, "type")),
        clauses=_clauses(tree, kind),
        sources=tuple(_source(node) for sources in _nodes(tree, "sources") for node in _nodes(sources, "source")),
        called=tuple(_callee(node) for callees in _nodes(tree, "callees") for node in _nodes(callees, "callee")),
        excepts=tuple(target for exceptions in _nodes(tree, "exceptions") for target in _targets(exceptions)),
    )
    check = WORDS[kind].wrong
    if check is not None and (wrong := check(rule)) is not None:
        word, message, expected, at = wrong
        if not word:  # a clause is missing
            raise Mistake(len(statement.text.rstrip()), message, expected)
        value = next(_tokens(node)[-1] for node in _nodes(tree, "clause") if _tokens(node)[0] == word)
        raise Mistake(_at(value) + at, message, expected)
    return rule


def _kind(tree: Node) -> Token:
    """The word of a rule; if it is about lines, with ` line` behind it. Raises Mistake."""
    first = _tokens(tree)[0]
    kind = first.update(value=" ".join(first.split()))
    places = [place for places in _nodes(tree, "targets") for place in _nodes(places, "line", "target")]
    lines = [place for place in places if place.data == "line"]
    if not lines:
        return kind
    of_lines = [word.text.removesuffix(LINE) for word in WORDS.values() if word.subject == LINES]
    at = _at(next(_tokens(node)[-1] for node in lines))
    if kind not in of_lines:
        raise Mistake(at, f"`{kind}` is about methods, not about lines", f"`::` and a method; {_either(of_lines)} for lines")
    if len(lines) < len(places):
        raise Mistake(at, "a rule is about methods or about lines", "two rules")
    return kind.update(value=f"{kind}{LINE}")


def _nodes(tree: Node, *names: str) -> Iterator[Node]:
    """Yields the subtrees directly below that have one of the names."""
    for child in tree.children:
        if not isinstance(child, str) and child.data in names:
            yield child


def _tokens(tree: Node, *types: str) -> list[Token]:
    """Returns the tokens directly below, of any or of these types."""
    tokens = [child for child in tree.children if isinstance(child, str)]
    return [token for token in tokens if token.type in types] if types else tokens


def _at(token: Token) -> int:
    return token.start_pos or 0


def _title(tree: Node) -> str | None:
    for node in _nodes(tree, "title"):
        (quoted,) = _tokens(node)
        if not quoted[1:-1].strip():
            raise Mistake(_at(quoted), "the name is empty", "a name in quotes")
        return quoted[1:-1]
    return None


def _clauses(tree: Node, kind: Token) -> tuple[tuple[str, str], ...]:
    allowed = {clause.word: clause for clause in WORDS[kind].clauses}
    found: dict[str, str] = {}
    for node in _nodes(tree, "clause"):
        word, *values = _tokens(node)
        value = values[0] if values else word  # a clause without a value stands for itself
        if word not in allowed:
            others = [other.text for other in WORDS.values() if word in [clause.word for clause in other.clauses]]
            raise Mistake(_at(word), f"`{word}` is for {_either(others)}, not for `{kind}`", f"no `{word}` here")
        for before in found:
            if before == word:
                raise Mistake(_at(word), f"already set by `{before}`", "only one of them")
            if before in allowed[word].instead_of:
                raise Mistake(_at(word), f"`{word}` and `{before}` exclude each other", "only one of them")
        expected = allowed[word].value
        if values and value.type != expected:
            raise Mistake(_at(value), f"`{value}` is not a value for `{word}`", VALUES[expected][0])
        checked = allowed[word].wrong
        wrong = checked(str(value)) if checked is not None else None
        if wrong is not None:
            message, expected, *at = wrong
            raise Mistake(_at(value) + sum(at), message, expected)
        found[str(word)] = str(value)
    return tuple(found.items())


def _either(words: Sequence[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)


def _targets(tree: Node) -> tuple[Target, ...]:
    places = [place for places in _nodes(tree, "targets", "places") for place in _nodes(places, "line", "target")]
    return tuple(target for place in places for target in (_lines(place) if place.data == "line" else [_target(place)]))


def _lines(tree: Node) -> list[Target]:
    """A class and its nested ones: which of them has the line, the class files say."""
    (node,) = _nodes(tree, "class_pattern")
    (name,), (token,) = _tokens(node, "CLASS"), _tokens(tree)
    pattern = _class_pattern(node)
    if "*" in pattern.glob:
        raise Mistake(_at(name) + name.index("*"), "lines are those of one class, so its name has no wildcards", "a class: `com.acme.Orders:120`")
    if pattern.subtypes:
        raise Mistake(_at(_tokens(node, "PLUS")[0]), "lines are those of one class, not of its subtypes", "a class: `com.acme.Orders:120`")
    first, _, last = token.partition("-")
    lines = int(first[:6]), int(last[:6] or first[:6])
    if not 1 <= lines[0] <= lines[1] <= LAST_LINE:
        raise Mistake(_at(token), f"`{token}` are no lines of a class file", f"from `1` to `{LAST_LINE}`, the smaller number first")
    return [Target(ClassPattern(f"{pattern.glob}{nested}", pattern.jdk), lines=lines) for nested in ("", "$*")]


def _target(tree: Node) -> Target:
    (class_pattern,) = (_class_pattern(node) for node in _nodes(tree, "class_pattern"))
    methods = [_method(node) for node in _nodes(tree, "method")]
    return Target(
        class_pattern=class_pattern,
        method=methods[0] if methods else None,
        modifiers=_modifiers(tree),
        class_annotations=_annotations(tree, "class_annotation"),
    )


def _callee(tree: Node) -> Target:
    (name,), (method,) = _tokens(tree, "CLASS"), _tokens(tree, "METHOD")
    return Target(
        ClassPattern(_glob(name, _DOTTED), subtypes=bool(_tokens(tree, "PLUS"))), MethodPattern(_glob(method, _METHOD), parameters=_parameters(tree))
    )


def _source(tree: Node) -> str:
    (token,) = _tokens(tree)
    text = token.strip('"')
    if not text:
        raise Mistake(_at(token), "the name of the jar or directory is empty", "a path, in which `*` and `**` are wildcards")
    wrong = re.search(r"\*\*\*|\\t|[\x00-\x1f]", text)
    if wrong:
        raise Mistake(_at(token) + wrong.start(), f"unexpected `{wrong.group()}`", "`*` within a segment, or `**` across segments")
    return text


def _modifiers(tree: Node) -> tuple[tuple[bool, str], ...]:
    modifiers: list[tuple[bool, str]] = []
    for node in _nodes(tree, "modifier"):
        *negation, word = _tokens(node)
        modifier = (bool(negation), str(word))
        if (not modifier[0], modifier[1]) in modifiers:
            raise Mistake(_at(word), f"no method is both `{word}` and `!{word}`", "one of them")
        modifiers.append(modifier)
    return tuple(modifiers)


def _annotations(tree: Node, name: str) -> tuple[str, ...]:
    return tuple(_glob(token, _DOTTED) for node in _nodes(tree, name) for token in _tokens(node))


def _class_pattern(tree: Node) -> ClassPattern:
    (name,) = _tokens(tree, "CLASS")
    return ClassPattern(_glob(name, _DOTTED), jdk=bool(_tokens(tree, "JDK")), subtypes=bool(_tokens(tree, "PLUS")))


def _method(tree: Node) -> MethodPattern:
    (name,) = _tokens(tree)
    return MethodPattern(_glob(name, _METHOD), _annotations(tree, "method_annotation"), _parameters(tree))


def _parameters(tree: Node) -> tuple[str, ...] | None:
    for node in _nodes(tree, "parameters"):
        return tuple(map(_parameter, _nodes(node, "parameter")))
    return None


def _parameter(tree: Node) -> str:
    name, *dimensions = _tokens(tree)
    if name == "..":
        if dimensions:
            raise Mistake(_at(dimensions[0]), "`..` stands for any parameters and has no dimensions", "`*[]` for any array")
        return ".."
    return _glob(name, _DOTTED) + "".join(dimensions)


def _type(tree: Node) -> TypePattern:
    (name,) = _tokens(tree, "TYPE")
    dimensions = len(_tokens(tree, "DIMENSIONS"))
    if name in PRIMITIVES and not dimensions:
        raise Mistake(_at(name), f"{name} is not an object and is never allocated", f"`{name}[]` for its arrays")
    plus = _tokens(tree, "PLUS")
    if plus and name in PRIMITIVES:
        raise Mistake(_at(plus[0]), f"{name} is not a class and has no subtypes", f"`{name}[]` for its arrays")
    return TypePattern(_glob(name, _DOTTED), dimensions, subtypes=bool(plus))


def _glob(token: Token, checks: Sequence[_Check]) -> str:
    for wrong, message, expected in checks:
        found = wrong.search(token)
        if found:
            raise Mistake(_at(token) + found.start(), message.format(found.group()), expected.format(token.replace("/", ".")))
    return str(token)
