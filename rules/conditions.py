"""Conditions on calls, and what is shown of them: `arg0 > 100 && this.state == "NEW"`; `args, result, this.id, stack 4`.

    any        all {`||` all}
    all        one {`&&` one}
    one        `!` one | `(` any `)` | operand [comparison operand]
    operand    path | number | string | `true` | `false` | `null`
    path       `this` | `arg0` ... | `result` | `exception`, then names of fields, each behind a dot

A negation is pushed down to the comparisons, so that one of something that is not there is false, whether it is negated or not. An operand alone
is compared with `true`. This module is imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

ROOTS: Final = ("this", "result", "exception")
NEGATED: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
TURNED: Final = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
LITERALS: Final = {"true": True, "false": False, "null": None}
ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\"}
MOST_ARGUMENTS: Final = 255
DEEPEST: Final = 32
MOST_TERMS: Final = 64
MOST_FRAMES: Final = 64
MOST_SHOWN: Final = 32


class Wrong(Exception):
    """A mistake at an offset of the text, and what was expected."""

    def __init__(self, at: int, message: str, expected: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.expected = expected


class Value:
    """Immutable, and equal to another of its class if all fields are. Not rules.syntax.Record, which may be compiled: this module is not."""

    __slots__: tuple[str, ...] = ()

    def _fields(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}{self._fields()}"


class Path(Value):
    """`names`: a root and fields."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def _fields(self) -> tuple[object, ...]:
        return (self.names,)

    def __str__(self) -> str:
        return ".".join(self.names)

    @property
    def root(self) -> str:
        return self.names[0]

    @property
    def argument(self) -> int:
        """The argument's number; -1: it is something else."""
        return int(self.root[3:]) if self.root.startswith("arg") and self.root[3:].isdigit() else -1

    @property
    def at_end(self) -> bool:
        """Whether it is known only when the activation ends."""
        return self.root in ("result", "exception")


class Literal(Value):
    """A number, a string, a truth value or null."""

    __slots__ = ("value",)

    def __init__(self, value: bool | int | float | str | None) -> None:
        self.value = value

    def _fields(self) -> tuple[object, ...]:
        return (self.value.__class__.__name__, self.value)

    @property
    def is_number(self) -> bool:
        return isinstance(self.value, (int, float)) and not isinstance(self.value, bool)


class Comparison(Value):
    """`left`: a path; `right`: a path or a literal."""

    __slots__ = ("left", "op", "right")

    def __init__(self, left: Path, op: str, right: Path | Literal) -> None:
        self.left = left
        self.op = op
        self.right = right

    def _fields(self) -> tuple[object, ...]:
        return (self.left, self.op, self.right)

    @property
    def paths(self) -> list[Path]:
        return [one for one in (self.left, self.right) if isinstance(one, Path)]


class Group(Value):
    """`op`: && or ||."""

    __slots__ = ("op", "parts")

    def __init__(self, op: str, parts: tuple[Condition, ...]) -> None:
        self.op = op
        self.parts = parts

    def _fields(self) -> tuple[object, ...]:
        return (self.op, self.parts)


Condition = Comparison | Group


def comparisons(condition: Condition) -> list[Comparison]:
    """All of them, from left to right."""
    if isinstance(condition, Comparison):
        return [condition]
    return [one for part in condition.parts for one in comparisons(part)]


class Shown(Value):
    """`paths`: what is shown; `args`: where among them all arguments are, -1: nowhere; `frames`: callers."""

    __slots__ = ("args", "frames", "paths")

    def __init__(self, paths: tuple[Path, ...], args: int, frames: int) -> None:
        self.paths = paths
        self.args = args
        self.frames = frames

    def _fields(self) -> tuple[object, ...]:
        return (self.args, self.frames, self.paths)


class _Token:
    """`kind`: name, number, string, or the symbol itself; empty at the end."""

    __slots__ = ("at", "kind", "text", "value")

    def __init__(self, at: int, kind: str, text: str, value: int | float | str | None = None) -> None:
        self.at = at
        self.kind = kind
        self.text = text
        self.value = value


SYMBOLS: Final = ("&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", ",")


def _tokens(text: str) -> list[_Token]:
    found = []
    at = 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
            continue
        begin = at
        symbol = next((one for one in SYMBOLS if text.startswith(one, at)), "")
        if symbol:
            at += len(symbol)
            found.append(_Token(begin, symbol, symbol))
        elif char in "\"'":
            value, at = _string(text, at)
            found.append(_Token(begin, "string", text[begin:at], value))
        elif char.isdigit() or (char in "-+." and text[at + 1 : at + 2].isdigit()):
            at += 1
            while at < len(text) and (text[at].isalnum() or text[at] in "._" or (text[at] in "+-" and _after_exponent(text[begin:at].lower()))):
                at += 1
            found.append(_Token(begin, "number", text[begin:at], _number(text[begin:at], begin)))
        elif char.isalpha() or char in "_$":
            while at < len(text) and (text[at].isalnum() or text[at] in "_$."):
                at += 1
            found.append(_Token(begin, "name", text[begin:at]))
        elif char in "=&|":
            raise Wrong(at, f"unexpected `{char}`", f"`{char}{char}`")
        else:
            raise Wrong(at, f"unexpected `{char}`", 'a condition such as `arg0 > 100 && this.state == "NEW"`')
    found.append(_Token(len(text), "", "the end"))
    return found


def _after_exponent(number: str) -> bool:
    return number.endswith("e") and "x" not in number


def _string(text: str, begin: int) -> tuple[str, int]:
    """The string that begins there, and where it ends."""
    made = []
    at = begin + 1
    while at < len(text) and text[at] != text[begin]:
        if text[at] != "\\":
            made.append(text[at])
            at += 1
        elif text[at + 1 : at + 2] == "u" and len(text) >= at + 6 and all([c in "0123456789abcdefABCDEF" for c in text[at + 2 : at + 6]]):
            made.append(chr(int(text[at + 2 : at + 6], 16)))
            at += 6
        elif text[at + 1 : at + 2] in ESCAPES:
            made.append(ESCAPES[text[at + 1]])
            at += 2
        else:
            raise Wrong(at, "an unknown escape", 'one of `\\"`, `\\\\`, `\\n`, `\\t`, `\\r`, `\\u20ac`')
    if at >= len(text):
        raise Wrong(begin, "the quote that opens here is not closed", f"`{text[begin]}` at the end of the string")
    return "".join(made), at + 1


def _number(text: str, at: int) -> int | float:
    plain = text.replace("_", "")
    try:
        if plain.lstrip("+-").lower().startswith("0x"):
            value: int | float = int(plain, 16)
        elif plain.lstrip("+-").isdigit() or (plain[-1] in "lL" and plain[:-1].lstrip("+-").isdigit()):
            value = int(plain.rstrip("lL"))
        else:
            value = float(plain)
    except ValueError:
        raise Wrong(at, f"`{text}` is not a number", "a number such as `100`, `0x1F` or `2.5`") from None
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise Wrong(at, f"`{text}` is beyond the numbers of Java", "a number of 64 bits")
    return value


def path(text: str, at: int = 0, locals_: bool = False) -> Path:
    """Reads a path; `locals_`: it may begin at any local variable. Raises Wrong."""
    names = tuple(text.split("."))
    root = names[0]
    if root.startswith("arg") and root[3:].isdigit() and root.isascii():
        if len(root) > 6 or int(root[3:]) >= MOST_ARGUMENTS:
            raise Wrong(at, f"no method has an argument `{root}`", "`arg0` is the first one")
        names = (f"arg{int(root[3:])}", *names[1:])
    elif root not in ROOTS and not locals_:
        raise Wrong(at, f"unknown name `{root}`", "`this`, `arg0`, `arg1`, ..., `result` or `exception`, and fields behind a dot: `this.id`")
    if not all(names):
        raise Wrong(at, "the name of a field is missing next to a dot", "a path such as `arg0.customer.name`")
    if len(names) > 1 and root == "exception" and not locals_ and names[1:] != ("message",):
        raise Wrong(at, "only the class of an exception and `exception.message` can be used", "`exception` or `exception.message`")
    return Path(names)


class _Parser:
    __slots__ = ("at", "depth", "locals", "terms", "tokens")

    def __init__(self, text: str, locals_: bool) -> None:
        self.locals = locals_
        self.tokens = _tokens(text)
        self.at = 0
        self.depth = 0
        self.terms = 0

    @property
    def next(self) -> _Token:
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

    def comparison(self, negated: bool) -> Comparison:
        begin = self.next.at
        left = self.operand()
        self.terms += 1
        if self.terms > MOST_TERMS:
            raise Wrong(begin, "too many comparisons", f"at most {MOST_TERMS}")
        op, right = "==", Literal(True)
        if self.next.kind in NEGATED:
            op = self.next.kind
            self.at += 1
            right_at = self.next.at
            other = self.operand()
            if isinstance(left, Literal) and isinstance(other, Literal):
                raise Wrong(begin, "both sides are constants", "a path such as `arg0` on one of them")
            if isinstance(left, Literal):
                left, op, other = other, TURNED[op], left
            if isinstance(other, Literal) and op not in ("==", "!=") and not other.is_number:
                raise Wrong(right_at, f"`{op}` compares numbers", "`==` or `!=`, or a number")
            right = other  # type: ignore[assignment]
        if isinstance(left, Literal):
            raise Wrong(begin, "a constant alone is not a condition", "a path such as `arg0`, and what it is compared with")
        if negated:
            op = NEGATED[op]
        if op == "!=" and isinstance(right, Literal) and isinstance(right.value, bool):
            op, right = "==", Literal(not right.value)  # what is null is neither true nor false
        return Comparison(left, op, right)

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
        return path(token.text, token.at, self.locals)


def condition(text: str, locals_: bool = False) -> Condition:
    """Reads a condition; `locals_`: as in `path`. Raises Wrong."""
    parser = _Parser(text, locals_)
    found = parser.group("||", False)
    if parser.next.kind:
        expected = "`&&` or `||` between two conditions" if parser.next.kind != ")" else "an opening parenthesis for each closing one"
        raise Wrong(parser.next.at, f"unexpected `{parser.next.text}`", expected)
    return found


def shown(text: str, locals_: bool = False) -> Shown:
    """Reads what is to be shown; `locals_`: as in `path`. Raises Wrong."""
    parser = _Parser(text, locals_)
    paths: list[Path] = []
    args, frames = -1, 0
    while True:
        token = parser.next
        if not parser.take("name"):
            raise Wrong(token.at, f"unexpected `{token.text}`", "`args`, `result`, a path such as `this.id`, or `stack 4`")
        if token.text == "args":
            args = len(paths) if args < 0 else args
        elif token.text == "stack" and not (locals_ and parser.next.kind in ("", ",")):
            number = parser.next
            if not parser.take("number") or not isinstance(number.value, int) or not 1 <= number.value <= MOST_FRAMES:
                raise Wrong(number.at, "how many callers?", f"`stack 1` to `stack {MOST_FRAMES}`")
            frames = number.value
        else:
            paths.append(path(token.text, token.at, locals_))
        if len(paths) > MOST_SHOWN:
            raise Wrong(token.at, "too much is shown", f"at most {MOST_SHOWN} paths")
        if not parser.take(","):
            break
    if parser.next.kind:
        raise Wrong(parser.next.at, f"unexpected `{parser.next.text}`", "`,` between what is shown")
    return Shown(tuple(paths), args, frames)
