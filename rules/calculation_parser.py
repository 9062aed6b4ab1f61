"""Reads operands of comparisons and the numbers of `value`: paths, constants, and what is calculated of them.

    operand    product {(`+` | `-`) product}
    product    value {(`*` | `/`) value | `%` number}
    value      [`-`] value | path | constant | `(` operand `)`
    constant   number | string | `true` | `false` | `null`

Constants are calculated here. This module is imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.condition_tokens import LARGEST_INDEX, Token, Wrong, tokens
from classhook.rules.conditions import Calculation, Literal, Operand, Path
from classhook.rules.path_parser import element_path, path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

LITERALS: Final = {"true": True, "false": False, "null": None}
DEEPEST: Final = 32
MOST_TERMS: Final = 64
SUMS: Final = ("+", "-")
PRODUCTS: Final = ("*", "/", "%")
EXPECTED: Final = "a path such as `arg0`, or a constant"


class OperandReader:
    """Reads from the tokens of a text. `terms`: comparisons and operators that were read; `of_element`: paths begin at
    an element now."""

    __slots__ = ("at", "depth", "locals", "of_element", "terms", "tokens")

    def __init__(self, text: str, locals_: bool) -> None:
        self.locals = locals_
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0
        self.of_element = False
        self.terms = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self, kind: str) -> bool:
        if self.next.kind != kind:
            return False
        self.at += 1
        return True

    def count(self, at: int) -> None:
        self.terms += 1
        if self.terms > MOST_TERMS:
            raise Wrong(at, "too many comparisons and operators", f"at most {MOST_TERMS}")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Wrong(self.next.at, "parentheses are nested too deeply", f"at most {DEEPEST} levels")

    def operand(self) -> Operand:
        return self._joined(self._product, SUMS)

    def _product(self) -> Operand:
        return self._joined(self._value, PRODUCTS)

    def _joined(self, part: Callable[[], Operand], operators: tuple[str, ...]) -> Operand:
        begin = self.next.at
        left = part()
        while self.next.kind in operators:
            operator = self.next
            self.count(operator.at)
            self.at += 1
            right_at = self.next.at
            if operator.kind == "%" and isinstance(left, Literal) and not isinstance(left.value, int):
                raise Wrong(begin, "a remainder is that of a whole number", "a whole number, as in `arg0 % 10 == 0`")
            if operator.kind == "%" and not _is_divisor(self.next):
                expected = f"from 1 to {LARGEST_INDEX}, as in `arg0 % 10 == 0`"
                raise Wrong(right_at, "a remainder needs a whole number", expected)
            right = part()
            for at, side in ((begin, left), (right_at, right)):
                if isinstance(side, Literal) and not side.is_number:
                    raise Wrong(at, f"`{operator.kind}` needs numbers", "a path or a number on both sides")
            left = _calculated(operator.kind, left, right, right_at)
        return left

    def _value(self) -> Operand:
        token = self.next
        if token.kind == "(":
            self.deeper()
            self.at += 1
            inner = self.operand()
            if not self.take(")"):
                if self.next.kind:
                    raise Wrong(self.next.at, f"unexpected `{self.next.text}`", "`)`")
                raise Wrong(token.at, "the parenthesis that opens here is not closed", "`)`")
            self.depth -= 1
            return inner
        if token.kind in ("number", "string"):
            self.at += 1
            return Literal(token.value)
        if token.kind == "-":
            self.count(token.at)
            self.at += 1
            negated = self._value()
            if isinstance(negated, Literal) and not negated.is_number:
                raise Wrong(token.at, "`-` needs a number", EXPECTED)
            return _calculated("-", Literal(0), negated, token.at)
        if token.kind != "name":
            message = f"unexpected `{token.text}`" if token.kind else "the expression ends too early"
            raise Wrong(token.at, message, EXPECTED)
        self.at += 1
        return Literal(LITERALS[token.text]) if token.text in LITERALS else self.path(token)

    def path(self, token: Token) -> Path:
        return element_path(token.text, token.at) if self.of_element else path(token.text, token.at, self.locals)


def _is_divisor(token: Token) -> bool:
    return token.kind == "number" and isinstance(token.value, int) and 1 <= token.value <= LARGEST_INDEX


def _calculated(operator: str, left: Operand, right: Operand, right_at: int) -> Operand:
    if operator == "/" and isinstance(right, Literal) and not right.value:
        raise Wrong(right_at, "a division by zero has no value", "another number")
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Literal(_of_constants(operator, left.value, right.value))  # type: ignore[arg-type]
    return Calculation(operator, left, right)


def _of_constants(operator: str, a: float, b: float) -> float:
    """Calculates as the agent does (native/watch/calculations.c)."""
    if operator == "/":
        return float(a) / float(b)
    if operator == "%":
        return abs(a) % b * (1 if a >= 0 else -1)
    found = a + b if operator == "+" else a - b if operator == "-" else a * b
    return (found + (1 << 63)) % (1 << 64) - (1 << 63) if isinstance(found, int) else found


def number(text: str) -> Path | Calculation:
    """Reads what the number of a call is. Raises Wrong."""
    reader = OperandReader(text, False)
    found = reader.operand()
    if reader.next.kind:
        raise Wrong(reader.next.at, f"unexpected `{reader.next.text}`", "`+`, `-`, `*` or `/` between two numbers")
    if isinstance(found, Literal):
        raise Wrong(0, "a constant is not a number of the call", "a path such as `arg0`")
    return found
