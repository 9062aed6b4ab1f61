"""Reads conditions on calls, and the paths to show: `arg0 > 100 && this.state == "NEW"`;
`args, result, this.id, stack 4`.

    any        all {`||` all}
    all        one {`&&` one}
    one        `!` one | `(` any `)` | (`any` | `all`) `(` path `,` any `)` | operand [compared]
    compared   (`==` | `!=` | `<` | `<=` | `>` | `>=`) operand | `~` string | `in` `{` constant {`,` constant} `}` |
               `instanceof` class

A negation is pushed down to the comparisons, so that one of something that is not there is false, whether it is negated
or not. An operand alone is compared with `true`. Operands and constants: calculation_parser.py. This module is imported
inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.calculation_parser import OperandReader
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import (
    Calculation,
    Comparison,
    Condition,
    Elements,
    Group,
    Literal,
    Operand,
    Path,
    Shown,
)
from classhook.rules.path_parser import path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

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
SPECIAL: Final = ("~", "in", "instanceof")
#: Each with the one that holds where it does not, of the opposite condition.
OF_ELEMENTS: Final = {"any": "all", "all": "any"}
EXPECTED_ELEMENTS: Final = "a form such as `any(arg0.items, price > 100)`"
BEHIND_OPERANDS: Final = (*TURNED, "+", "-", "*", "/", "%")
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
MOST_FRAMES: Final = 64
MOST_SHOWN: Final = 32


class _Parser(OperandReader):
    __slots__ = ()

    def group(self, op: str, negated: bool) -> Condition:
        parts = [self.one(negated) if op == "&&" else self.group("&&", negated)]
        while self.take(op):
            parts.append(self.one(negated) if op == "&&" else self.group("&&", negated))
        if len(parts) == 1:
            return parts[0]
        return Group(("||" if op == "&&" else "&&") if negated else op, tuple(parts))

    def one(self, negated: bool) -> Condition:
        begin = self.next.at
        self.deeper()
        try:
            if self.take("!"):
                return self.one(not negated)
            if self.next.kind == "(" and not self.begins_operand():
                self.at += 1
                inner = self.group("||", negated)
                if not self.take(")"):
                    raise Wrong(begin, "the parenthesis that opens here is not closed", "`)`")
                return inner
            if self.next.text in OF_ELEMENTS and self.tokens[self.at + 1].kind == "(":
                return self.elements(negated)
            return self.comparison(negated)
        finally:
            self.depth -= 1

    def elements(self, negated: bool) -> Condition:
        op, opened, name = self.tokens[self.at : self.at + 3]
        self.count(op.at)
        if name.kind != "name":
            raise Wrong(name.at, f"`{op.text}` needs a collection or an array", EXPECTED_ELEMENTS)
        self.at += 3
        path, outer = self.path(name), self.of_element
        if not self.take(","):
            raise Wrong(self.next.at, f"`{op.text}` needs a condition on the elements", EXPECTED_ELEMENTS)
        self.of_element = True
        inner = self.group("||", negated)
        self.of_element = outer
        if not self.take(")"):
            raise Wrong(opened.at, "the parenthesis that opens here is not closed", "`)`")
        return Elements(OF_ELEMENTS[op.text] if negated else op.text, path, inner)

    def begins_operand(self) -> bool:
        """True if what is in the parentheses that open here is a part of a comparison, by what is behind them."""
        at, opened = self.at, 0
        while self.tokens[at].kind:
            opened += {"(": 1, ")": -1}.get(self.tokens[at].kind, 0)
            at += 1
            if not opened:
                return self.tokens[at].kind in BEHIND_OPERANDS or self.tokens[at].text in SPECIAL
        return False

    def comparison(self, negated: bool) -> Condition:
        begin = self.next.at
        left = self.operand()
        self.count(begin)
        word = self.next.text
        if word in SPECIAL and (isinstance(left, Path) or (word == "in" and isinstance(left, Calculation))):
            self.at += 1
            if word == "in":
                return self.one_of(left, negated)
            assert isinstance(left, Path)
            return self.pattern(left, negated) if word == "~" else self.instance(left, negated)
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
            self.check_numbers(left, right, right_at)
        elif isinstance(left, Calculation):
            raise Wrong(begin, "a number alone is not a condition", "a comparison such as `arg0 % 10 == 0`")
        if isinstance(left, Literal):
            raise Wrong(
                begin, "a constant alone is not a condition", "a path such as `arg0`, and a value to compare it with"
            )
        return _comparison(left, op, right, negated)

    def check_numbers(self, left: Operand, right: Operand, at: int) -> None:
        if isinstance(left, Calculation) and isinstance(right, Literal) and not right.is_number:
            raise Wrong(at, f"`{left}` is a number", "a number to compare it with")

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

    def one_of(self, left: Path | Calculation, negated: bool) -> Condition:
        begin = self.next.at
        parts: list[Condition] = []
        if not self.take("{"):
            raise Wrong(begin, "`in` needs constants in braces", '`in {1, 2}` or `in {"NEW", "PAID"}`')
        while True:
            at = self.next.at
            value = self.operand()
            if not isinstance(value, Literal):
                raise Wrong(at, "there are only constants in braces", '`in {1, 2}` or `in {"NEW", "PAID"}`')
            self.check_numbers(left, value, at)
            if parts:
                self.count(at)
            parts.append(_comparison(left, "==", value, negated))
            if not self.take(","):
                break
        if not self.take("}"):
            raise Wrong(begin, "the brace that opens here is not closed", "`}`")
        return parts[0] if len(parts) == 1 else Group("&&" if negated else "||", tuple(parts))


def _comparison(left: Path | Calculation, op: str, right: Operand, negated: bool) -> Comparison:
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
