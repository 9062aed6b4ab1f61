"""The tokens of conditions (rules/condition_parser.py). This module is imported inside the JVM and imports next to
nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\"}
LARGEST_INDEX: Final = (1 << 31) - 1


class Wrong(Exception):
    """A mistake at an offset of the text, and what was expected."""

    def __init__(self, at: int, message: str, expected: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.expected = expected


class Token:
    """`kind`: name, number, string, or the symbol itself; empty at the end."""

    __slots__ = ("at", "kind", "text", "value")

    def __init__(self, at: int, kind: str, text: str, value: int | float | str | None = None) -> None:
        self.at = at
        self.kind = kind
        self.text = text
        self.value = value


SYMBOLS: Final = (
    "&&",
    "||",
    "==",
    "!=",
    "<=",
    ">=",
    "<",
    ">",
    "!",
    "(",
    ")",
    ",",
    "~",
    "%",
    "{",
    "}",
    "+",
    "-",
    "*",
    "/",
)
#: Behind these, a sign is an operator, not a part of a number.
OPERANDS: Final = ("name", "number", "string", ")")


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
            continue
        begin = at
        signed = char in "-+" and not (found and found[-1].kind in OPERANDS) and text[at + 1 : at + 2].isdigit()
        symbol = "" if signed else next((one for one in SYMBOLS if text.startswith(one, at)), "")
        if symbol:
            at += len(symbol)
            found.append(Token(begin, symbol, symbol))
        elif char in "\"'":
            value, at = string(text, at)
            found.append(Token(begin, "string", text[begin:at], value))
        elif signed or char.isdigit() or (char == "." and text[at + 1 : at + 2].isdigit()):
            at += 1
            while at < len(text) and (
                text[at].isalnum() or text[at] in "._" or (text[at] in "+-" and _after_exponent(text[begin:at].lower()))
            ):
                at += 1
            found.append(Token(begin, "number", text[begin:at], _number(text[begin:at], begin)))
        elif char.isalpha() or char in "_$":
            at = _end_of_path(text, at)
            found.append(Token(begin, "name", text[begin:at]))
        elif char in "=&|":
            raise Wrong(at, f"unexpected `{char}`", f"`{char}{char}`")
        else:
            raise Wrong(at, f"unexpected `{char}`", 'a condition such as `arg0 > 100 && this.state == "NEW"`')
    found.append(Token(len(text), "", "the end"))
    return found


def _end_of_path(text: str, at: int) -> int:
    """The end of a name, with its fields, elements and, of a static field, its class."""
    while at < len(text):
        if text[at] == "[":
            at = element_end(text, at)
        elif text[at].isalnum() or text[at] in "_$.":
            at += 1
        elif text.startswith("::", at):
            at += 2
        else:
            break
    return at


def element_end(text: str, begin: int) -> int:
    """The end of the element that begins there with a bracket."""
    at = begin + 1
    if text[at : at + 1] in ('"', "'") and text[at : at + 1]:
        _, at = string(text, at)
    else:
        while text[at : at + 1].isdigit() and text[at : at + 1].isascii():
            at += 1
        if at > begin + 11 or (at > begin + 1 and int(text[begin + 1 : at]) > LARGEST_INDEX):
            raise Wrong(begin, "no array has so many elements", f"a number up to {LARGEST_INDEX}")
    if at == begin + 1 or text[at : at + 1] != "]":
        raise Wrong(begin, "an element needs a number, or the key of a map", '`[2]` or `["key"]`')
    return at + 1


def _after_exponent(number: str) -> bool:
    return number.endswith("e") and "x" not in number


def string(text: str, begin: int) -> tuple[str, int]:
    """The string that begins there, and where it ends."""
    made = []
    at = begin + 1
    while at < len(text) and text[at] != text[begin]:
        if text[at] != "\\":
            made.append(text[at])
            at += 1
        elif (
            text[at + 1 : at + 2] == "u"
            and len(text) >= at + 6
            and all([c in "0123456789abcdefABCDEF" for c in text[at + 2 : at + 6]])
        ):
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
    if value in (float("inf"), -float("inf")) or (isinstance(value, int) and not -(1 << 63) <= value < 1 << 63):
        raise Wrong(at, f"`{text}` is beyond the numbers of Java", "a number of 64 bits")
    return value
