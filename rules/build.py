"""Builds the abstract syntax of a statement from its parse tree, and checks what the grammar leaves open.

The grammar accepts any run of letters as a name. Names are checked here, since a message about a slash, a descriptor or
a misplaced wildcard can say more than "unexpected".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from classhook.rules.alternatives import MOST, alternatives
from classhook.rules.statements import Mistake, Statement
from classhook.rules.syntax import PRIMITIVES, ClassPattern, MethodPattern, Rule, Target, TypePattern
from classhook.rules.words import CALLS, FIELDS, LINES, TYPES, VALUES, WORDS

if TYPE_CHECKING:
    from lark import Token, Tree

    Node = Tree[Token]

LINE = " line"  # behind the word of a rule about lines
LAST_LINE = 65535  # JVMS 4.7.12

# Texts that a glob must not contain, the message ({}: that), and what to write instead ({}: the name with dots for
# slashes).
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
    (re.compile(r"\?"), "`?` is not a wildcard", "`*`, or a name with `?` in it in backquotes"),
    (re.compile(r"[./;]"), "a method's name cannot contain `{}`", "a name, `*`, or a name with `*` in it"),
    (
        re.compile(r"^(?!<[\w*]*>$).*[<>]"),
        "a method's name with `<` or `>` in it needs backquotes",
        "`` `{}` ``",
    ),
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
    if WORDS[kind].subject in (TYPES, CALLS, FIELDS) and not targets:
        targets = (Target(ClassPattern("**")),)
    rule = Rule(
        kind=str(kind),
        text=statement.one_line(),
        origin=statement.origin,
        line=statement.line,
        name=_title(tree),
        targets=targets,
        types=tuple(one for types in _nodes(tree, "types") for node in _nodes(types, "type") for one in _types(node)),
        clauses=_clauses(tree, kind),
        sources=tuple(_source(node) for sources in _nodes(tree, "sources") for node in _nodes(sources, "source")),
        called=(
            *(
                one
                for callees in _nodes(tree, "callees")
                for node in _nodes(callees, "callee")
                for one in _callees(node)
            ),
            *(one for names in _nodes(tree, "fieldnames") for token in _tokens(names) for one in _fields(token)),
        ),
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
        raise Mistake(
            at, f"`{kind}` is about methods, not about lines", f"`::` and a method; {_either(of_lines)} for lines"
        )
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
        word = word.update(value=" ".join(word.split()))
        value = values[0] if values else word  # a clause without a value stands for itself
        if word not in allowed:
            others = [
                other.text.removesuffix(LINE)
                for other in WORDS.values()
                if other.about and word in [clause.word for clause in other.clauses]
            ]
            instead = "`in`" if word == "of" and WORDS[kind].subject == TYPES else f"no `{word}` here"
            raise Mistake(_at(word), f"`{word}` is for {_either([*dict.fromkeys(others)])}, not for `{kind}`", instead)
        for before in found:
            if before == word:
                raise Mistake(_at(word), f"already set by `{before}`", "only one of them")
            if before in allowed[word].instead_of or word in allowed[before].instead_of:
                raise Mistake(_at(word), f"`{word}` and `{before}` exclude each other", "only one of them")
        expected = allowed[word].value
        if values and value.type != expected:
            raise Mistake(_at(value), f"`{value}` is not a value for `{word}`", VALUES[expected][0])
        checked = allowed[word].wrong
        wrong = checked(str(value)) if checked is not None else None
        if wrong is not None:
            raise _misspelt(value, str(word), allowed) or Mistake(_at(value) + sum(wrong[2:]), wrong[0], wrong[1])
        found[str(word)] = str(value)
    return tuple(found.items())


def _misspelt(value: Token, word: str, clauses: Iterable[str]) -> Mistake | None:
    """`by arg0 onwards`: the word of a clause that was taken for a part of the value before it, that of `word`."""
    from difflib import get_close_matches

    for found in re.finditer(r"(?<=\s)[a-z]+(?!\S)", value):
        if found.group() in clauses:
            at = _at(value) + found.start()
            return Mistake(at, f"`{word}` and `{found.group()}` exclude each other", "only one of them")
        if close := get_close_matches(found.group(), clauses, n=1, cutoff=0.75):
            return Mistake(
                _at(value) + found.start(), f"unexpected `{found.group()}`; did you mean `{close[0]}`?", f"`{close[0]}`"
            )
    return None


def _either(words: Sequence[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)


def _targets(tree: Node) -> tuple[Target, ...]:
    places = [place for places in _nodes(tree, "targets", "places") for place in _nodes(places, "line", "target")]
    return tuple(
        target for place in places for target in (_lines(place) if place.data == "line" else _each_target(place))
    )


def _lines(tree: Node) -> list[Target]:
    """A class and its nested ones: which of them has the line, the class files say."""
    (node,) = _nodes(tree, "class_pattern")
    (name,), (token,) = _tokens(node, "CLASS"), _tokens(tree)
    pattern, *others = _class_patterns(node)
    if others:
        raise Mistake(
            _at(name), "lines are those of one class, so its name has no alternatives", "a class: `com.acme.Orders:120`"
        )
    if "*" in pattern.glob:
        raise Mistake(
            _at(name) + name.index("*"),
            "lines are those of one class, so its name has no wildcards",
            "a class: `com.acme.Orders:120`",
        )
    if pattern.subtypes:
        raise Mistake(
            _at(_tokens(node, "PLUS")[0]),
            "lines are those of one class, not of its subtypes",
            "a class: `com.acme.Orders:120`",
        )
    first, _, last = token.partition("-")
    lines = int(first[:6]), int(last[:6] or first[:6])
    if not 1 <= lines[0] <= lines[1] <= LAST_LINE:
        raise Mistake(
            _at(token),
            f"`{token}` are not lines of a class file",
            f"from `1` to `{LAST_LINE}`, the smaller number first",
        )
    return [Target(ClassPattern(f"{pattern.glob}{nested}", pattern.jdk), lines=lines) for nested in ("", "$*")]


def _each_target(tree: Node) -> list[Target]:
    """The targets of one, with each of its alternatives."""
    (pattern,) = _nodes(tree, "class_pattern")
    methods: list[MethodPattern | None] = [one for node in _nodes(tree, "method") for one in _methods(node)]
    owners = _product([_globs(token, _DOTTED) for node in _nodes(tree, "class_annotation") for token in _tokens(node)])
    found = [
        Target(one, method, _modifiers(tree), owner)
        for one in _class_patterns(pattern)
        for method in methods or [None]
        for owner in owners
    ]
    return _limited(found, _tokens(pattern, "CLASS")[0])


def _product(choices: list[list[str]]) -> list[tuple[str, ...]]:
    """Each way to take one of each."""
    found: list[tuple[str, ...]] = [()]
    for some in choices:
        found = [(*before, one) for before in found[: MOST + 1] for one in some]
    return found


def _callees(tree: Node) -> list[Target]:
    (name,) = _tokens(tree, "CLASS")
    patterns = [ClassPattern(glob, subtypes=bool(_tokens(tree, "PLUS"))) for glob in _globs(name, _DOTTED)]
    (method,) = _tokens(tree, "METHOD")
    methods = [MethodPattern(glob, parameters=some) for glob in _globs(method, _METHOD) for some in _parameters(tree)]
    found = [Target(pattern, one) for pattern in patterns for one in methods]
    return _limited(found, name)


def _limited(found: list[Target], name: Token) -> list[Target]:
    if len(found) > MOST:
        raise Mistake(_at(name), f"the braces stand for {len(found)} targets", f"at most {MOST}")
    return found


def _fields(token: Token) -> list[Target]:
    """A class and a field, of each alternative. An instruction may name a subclass instead: therefore with subtypes."""
    found = []
    for text in _globs(token, _DOTTED):
        class_name, _, name = text.rpartition(".")
        if not class_name:
            raise Mistake(_at(token), "the class of the field is missing", f"`com.acme.Order.{name}`")
        if "*" in class_name:
            at = _at(token) + token.index("*")
            raise Mistake(
                at, "a field is that of one class, so the class has no wildcards", "a field: `com.acme.Order.state`"
            )
        found.append(Target(ClassPattern(class_name, subtypes=True), MethodPattern(name)))
    return _limited(found, token)


def _source(tree: Node) -> str:
    (token,) = _tokens(tree)
    text = token.strip('"')
    if not text:
        raise Mistake(
            _at(token), "the name of the jar or directory is empty", "a path, in which `*` and `**` are wildcards"
        )
    wrong = re.search(r"\*\*\*|\\t|[\x00-\x1f]", text)
    if wrong:
        raise Mistake(
            _at(token) + wrong.start(), f"unexpected `{wrong.group()}`", "`*` within a segment, or `**` across segments"
        )
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


def _class_patterns(tree: Node) -> list[ClassPattern]:
    (name,) = _tokens(tree, "CLASS")
    return [
        ClassPattern(glob, jdk=bool(_tokens(tree, "JDK")), subtypes=bool(_tokens(tree, "PLUS")))
        for glob in _globs(name, _DOTTED)
    ]


def _methods(tree: Node) -> list[MethodPattern]:
    (name,) = _tokens(tree, "METHOD")
    returns = [one for node in _nodes(tree, "returns") for one in _returned(node)] or [""]
    annotations = _product(
        [_globs(token, _DOTTED) for node in _nodes(tree, "method_annotation") for token in _tokens(node)]
    )
    names = _globs(name, _METHOD)
    return [
        MethodPattern(glob, some, parameters, result)
        for glob in names
        for some in annotations
        for parameters in _parameters(tree)
        for result in returns
    ]


def _parameters(tree: Node) -> list[tuple[str, ...] | None]:
    """The parameters, with each of their alternatives; None: any."""
    for node in _nodes(tree, "parameters"):
        return [*_product([_parameter(one) for one in _nodes(node, "parameter")])]
    return [None]


def _returned(tree: Node) -> list[str]:
    name, *dimensions = _tokens(tree)
    return [glob + "".join(dimensions) for glob in _globs(name, _DOTTED)]


def _parameter(tree: Node) -> list[str]:
    name, *dimensions = _tokens(tree)
    if name == "..":
        if dimensions:
            raise Mistake(
                _at(dimensions[0]), "`..` stands for any parameters and has no dimensions", "`*[]` for any array"
            )
        return [".."]
    return [glob + "".join(dimensions) for glob in _globs(name, _DOTTED)]


def _types(tree: Node) -> list[TypePattern]:
    (name,) = _tokens(tree, "TYPE")
    dimensions = len(_tokens(tree, "DIMENSIONS"))
    plus = _tokens(tree, "PLUS")
    found = []
    for glob in _globs(name, _DOTTED):
        if glob in PRIMITIVES and not dimensions:
            raise Mistake(_at(name), f"{glob} is not the type of an object", f"`{glob}[]` for its arrays")
        if plus and glob in PRIMITIVES:
            raise Mistake(_at(plus[0]), f"{glob} is not a class and has no subtypes", f"`{glob}[]` for its arrays")
        found.append(TypePattern(glob, dimensions, subtypes=bool(plus)))
    return found


def _globs(token: Token, checks: Sequence[_Check]) -> list[str]:
    """The globs of a name, with each of its alternatives; one in backquotes is as it is. Raises Mistake."""
    if token.startswith("`"):
        return [str(token)[1:-1]]
    found = alternatives(str(token), _at(token))
    if len(found) == 1 and found[0] == token:
        return [_glob(token, checks)]
    for one in found:
        if not one:
            raise Mistake(_at(token), "with the empty alternative, no name is left", "a name beside the braces")
        for wrong, message, expected in checks:
            where = wrong.search(one)
            if where:
                raise Mistake(
                    _at(token), f"`{one}`: {message.format(where.group())}", expected.format(one.replace("/", "."))
                )
    return found


def _glob(token: Token, checks: Sequence[_Check]) -> str:
    for wrong, message, expected in checks:
        found = wrong.search(token)
        if found:
            raise Mistake(
                _at(token) + found.start(), message.format(found.group()), expected.format(token.replace("/", "."))
            )
    return str(token)
