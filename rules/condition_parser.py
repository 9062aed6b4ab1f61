"""Reads conditions on calls, and the paths to show: `arg0 > 100 && this.state == "NEW"`;
`args, result, this.id, stack 4`.

    any        all {`||` all}
    all        one {`&&` one}
    one        `!` one | `(` any `)` | operand [compared]
    compared   (`==` | `!=` | `<` | `<=` | `>` | `>=`) operand | `~` string | `in` `{` constant {`,` constant} `}` |
               `instanceof` class
    operand    path [`%` number] | constant
    constant   number | string | `true` | `false` | `null`
    path       root {`.` field | `[` number | string `]`}
    root       `this` | `arg0` ... | parameter | `result` | `exception` or `thrown` | `thread` | class `::` static field

A negation is pushed down to the comparisons, so that one of something that is not there is false, whether it is negated
or not. An operand alone is compared with `true`. This module is imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.condition_tokens import LARGEST_INDEX, Token, Wrong, element_end, tokens
from classhook.rules.conditions import ROOTS, Comparison, Condition, Group, Literal, Path, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

ALIASES: Final = {"thrown": "exception"}
NEGATED: Final = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "~": "!~",
    "instanceof": "!instanceof",
}
TURNED: Final = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
INSTEAD: Final = {
    "startsWith": '`~ "x*"`',
    "endsWith": '`~ "*x"`',
    "contains": '`~ "*x*"`',
    "matches": '`~ "x*"`, in which `*` stands for any characters',
    "like": '`~ "x*"`, in which `*` stands for any characters',
    "equals": "`==`",
    "and": "`&&`",
    "or": "`||`",
    "is": "`==` or `instanceof`",
}
LITERALS: Final = {"true": True, "false": False, "null": None}
MOST_ARGUMENTS: Final = 255
DEEPEST: Final = 32
MOST_TERMS: Final = 64
MOST_FRAMES: Final = 64
MOST_SHOWN: Final = 32


def path(text: str, at: int = 0, locals_: bool = False) -> Path:
    """Reads a path; `locals_`: it may begin at any local variable. Raises Wrong."""
    names = _names(text, at)
    root = names[0] = names[0] if locals_ else ALIASES.get(names[0], names[0])
    if root.startswith("arg") and root[3:].isdigit() and root.isascii():
        if len(root) > 6 or int(root[3:]) >= MOST_ARGUMENTS:
            raise Wrong(at, f"no method has an argument `{root}`", "`arg0` is the first one")
        names[0] = f"arg{int(root[3:])}"
    elif locals_ and "::" in root:
        raise Wrong(
            at,
            "at a line, static fields cannot be read",
            "`this`, a local variable, and fields behind a dot: `total`, `this.id`",
        )
    elif root not in ROOTS and "::" not in root and not locals_ and not _may_be_parameter(names):
        raise Wrong(at, f"unknown name `{root}`", _roots(text))
    if len(names) > 1 and root == "exception" and not locals_ and names[1:] != ["message"]:
        raise Wrong(
            at,
            "only the class of an exception and `exception.message` can be used",
            "`exception` or `exception.message`",
        )
    if len(names) > 1 and root == "thread" and not locals_ and names[1:] != ["length"]:
        raise Wrong(at, "`thread` is the thread's name, a string", '`thread`, as in `thread ~ "worker-*"`')
    return Path(tuple(names))


def _may_be_parameter(names: list[str]) -> bool:
    """True unless it is no name of Java, or that of a class with a field: `com.acme.Config.limit`."""
    plain = names[0].replace("$", "_")
    return plain.isidentifier() and not any([name[0].isupper() for name in names[:-1]])


def _roots(text: str) -> str:
    owner, _, field = text.partition("[")[0].rpartition(".")
    static = f"; a static field is `{owner}::{field}`" if owner else ""
    return (
        "`this`, `arg0`, `arg1`, ..., a parameter's name, `result`, `exception` or `thread`, and fields behind a dot:"
        f" `this.id`{static}"
    )


def _names(text: str, begin: int) -> list[str]:
    """The root, and the fields and elements. Raises Wrong."""
    owner, colons, rest = text.partition("::") if '"' not in text.partition("::")[0] else ("", "", text)
    rest = rest if colons else text
    names = [""]
    at = 0
    while at < len(rest):
        if rest[at] == "[":
            end = element_end(rest, at)
            names.append(rest[at:end])
            at = end
            if rest[at : at + 1] == ".":
                names.append("")
                at += 1
            elif at < len(rest) and rest[at] != "[":
                raise Wrong(begin, "the name of a field needs a dot before it", "a path such as `arg0[2].name`")
        elif rest[at] == ".":
            names.append("")
            at += 1
        else:
            names[-1] += rest[at]
            at += 1
    if colons:
        if not all(owner.split(".")) or "::" in rest or not names[0]:
            raise Wrong(begin, "a static field has the form `Class::field`", "a path such as `com.acme.Config::limit`")
        names[0] = f"{owner}::{names[0]}"
    if not all(names):
        raise Wrong(begin, "the name of a field is missing next to a dot", "a path such as `arg0.customer.name`")
    return names


class _Parser:
    __slots__ = ("at", "depth", "locals", "terms", "tokens")

    def __init__(self, text: str, locals_: bool) -> None:
        self.locals = locals_
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0
        self.terms = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self, kind: str) -> bool:
        if self.next.kind != kind:
            return False
        self.at += 1
        return True

    def group(self, op: str, negated: bool) -> Condition:
        parts = [self.one(negated) if op == "&&" else self.group("&&", negated)]
        while self.take(op):
            parts.append(self.one(negated) if op == "&&" else self.group("&&", negated))
        if len(parts) == 1:
            return parts[0]
        return Group(("||" if op == "&&" else "&&") if negated else op, tuple(parts))

    def one(self, negated: bool) -> Condition:
        begin = self.next.at
        self.depth += 1
        if self.depth > DEEPEST:
            raise Wrong(begin, "the condition is nested too deeply", f"at most {DEEPEST} levels")
        try:
            if self.take("!"):
                return self.one(not negated)
            if self.take("("):
                inner = self.group("||", negated)
                if not self.take(")"):
                    raise Wrong(begin, "the parenthesis that opens here is not closed", "`)`")
                return inner
            return self.comparison(negated)
        finally:
            self.depth -= 1

    def comparison(self, negated: bool) -> Condition:
        begin = self.next.at
        left = self.operand()
        self.count(begin)
        if isinstance(left, Path):
            special = {"~": self.pattern, "in": self.one_of, "instanceof": self.instance}.get(self.next.text)
            if special is not None:
                self.at += 1
                return special(left, negated)
        op, right = "==", Literal(True)
        if self.next.kind in NEGATED:
            op = self.next.kind
            self.at += 1
            right_at = self.next.at
            other = self.operand()
            if isinstance(left, Literal) and isinstance(other, Literal):
                raise Wrong(begin, "both sides are constants", "a path such as `arg0` on one of them")
            if op not in TURNED:
                raise Wrong(begin, f"`{op}` needs a path before it", 'a condition such as `arg0 ~ "x*"`')
            if isinstance(left, Literal):
                left, op, other = other, TURNED[op], left
            if isinstance(other, Literal) and op not in ("==", "!=") and not other.is_number:
                raise Wrong(right_at, f"`{op}` compares numbers", "`==` or `!=`, or a number")
            right = other  # type: ignore[assignment]
        elif isinstance(left, Path) and left.modulo:
            raise Wrong(begin, "a remainder alone is not a condition", "a comparison such as `arg0 % 10 == 0`")
        if isinstance(left, Literal):
            raise Wrong(
                begin, "a constant alone is not a condition", "a path such as `arg0`, and a value to compare it with"
            )
        return _comparison(left, op, right, negated)

    def count(self, at: int) -> None:
        self.terms += 1
        if self.terms > MOST_TERMS:
            raise Wrong(at, "too many comparisons", f"at most {MOST_TERMS}")

    def pattern(self, left: Path, negated: bool) -> Condition:
        token = self.next
        if not self.take("string"):
            raise Wrong(token.at, "a pattern is a string", '`"SELECT *"`, in which `*` stands for any characters')
        return _comparison(left, "~", Literal(token.value), negated)

    def instance(self, left: Path, negated: bool) -> Condition:
        token = self.next
        if not self.take("name") or not all(token.text.split(".")) or "[" in token.text or ":" in token.text:
            raise Wrong(token.at, "`instanceof` needs the name of a class", "`java.io.IOException`")
        return _comparison(left, "instanceof", Literal(token.text), negated)

    def one_of(self, left: Path, negated: bool) -> Condition:
        begin = self.next.at
        parts: list[Condition] = []
        if not self.take("{"):
            raise Wrong(begin, "`in` needs constants in braces", '`in {1, 2}` or `in {"NEW", "PAID"}`')
        while True:
            at = self.next.at
            value = self.operand()
            if not isinstance(value, Literal):
                raise Wrong(at, "there are only constants in braces", '`in {1, 2}` or `in {"NEW", "PAID"}`')
            if parts:
                self.count(at)
            parts.append(_comparison(left, "==", value, negated))
            if not self.take(","):
                break
        if not self.take("}"):
            raise Wrong(begin, "the brace that opens here is not closed", "`}`")
        return parts[0] if len(parts) == 1 else Group("&&" if negated else "||", tuple(parts))

    def operand(self) -> Path | Literal:
        token = self.next
        self.at += 1
        if token.kind in ("number", "string"):
            return Literal(token.value)
        if token.kind != "name":
            self.at -= 1
            message = f"unexpected `{token.text}`" if token.kind else "the condition ends too early"
            raise Wrong(token.at, message, "a path such as `arg0`, or a constant")
        if token.text in LITERALS:
            return Literal(LITERALS[token.text])
        found = path(token.text, token.at, self.locals)
        if self.take("%"):
            number = self.next
            if not self.take("number") or not isinstance(number.value, int) or not 1 <= number.value <= LARGEST_INDEX:
                raise Wrong(
                    number.at, "a remainder needs a whole number", f"from 1 to {LARGEST_INDEX}, as in `arg0 % 10 == 0`"
                )
            found = Path(found.names, number.value)
        return found


def _comparison(left: Path, op: str, right: Path | Literal, negated: bool) -> Comparison:
    if negated:
        op = NEGATED[op]
    if op == "!=" and isinstance(right, Literal) and isinstance(right.value, bool):
        op, right = "==", Literal(not right.value)  # what is null is neither true nor false
    return Comparison(left, op, right)


def condition(text: str, locals_: bool = False) -> Condition:
    """Reads a condition; `locals_`: as in `path`. Raises Wrong."""
    parser = _Parser(text, locals_)
    found = parser.group("||", False)
    if parser.next.kind:
        expected = (
            "`&&` or `||` between two conditions"
            if parser.next.kind != ")"
            else "an opening parenthesis for each closing one"
        )
        before = parser.tokens[parser.at - 1]
        if parser.next.kind == "(" and before.kind == "name":
            raise Wrong(
                before.at,
                f"`{before.text}(`: conditions call no methods",
                INSTEAD.get(before.text.rpartition(".")[2], "a field: `this.id`"),
            )
        expected = INSTEAD.get(parser.next.text, expected)
        raise Wrong(parser.next.at, f"unexpected `{parser.next.text}`", expected)
    return found


def shown(text: str, locals_: bool = False) -> Shown:
    """Reads the paths to show; `locals_`: as in `path`. Raises Wrong."""
    parser = _Parser(text, locals_)
    paths: list[Path] = []
    args, frames = -1, 0
    while True:
        token = parser.next
        if not parser.take("name"):
            raise Wrong(
                token.at, f"unexpected `{token.text}`", "`args`, `result`, a path such as `this.id`, or `stack 4`"
            )
        if token.text == "args":
            args = len(paths) if args < 0 else args
        elif token.text == "stack" and not (locals_ and parser.next.kind in ("", ",")):
            number = parser.next
            if not parser.take("number") or not isinstance(number.value, int) or not 1 <= number.value <= MOST_FRAMES:
                raise Wrong(number.at, "how many callers?", f"`stack 1` to `stack {MOST_FRAMES}`")
            frames = number.value
        elif token.text == "thread" and not locals_:
            raise Wrong(token.at, "each call is shown with its thread", "no `thread` here")
        else:
            paths.append(path(token.text, token.at, locals_))
        if len(paths) > MOST_SHOWN:
            raise Wrong(token.at, "too much is shown", f"at most {MOST_SHOWN} paths")
        if not parser.take(","):
            break
    if parser.next.kind:
        raise Wrong(parser.next.at, f"unexpected `{parser.next.text}`", "`,` between the paths")
    return Shown(tuple(paths), args, frames)
