"""Formats names, times and quantities for people."""

from __future__ import annotations

from classhook.base.units import BYTES, NANOSECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
    "V": "void",
}

TIME_UNITS = [(NANOSECONDS[unit], f"{unit:2}") for unit in ("s", "ms", "µs")]
BYTE_UNITS = [(BYTES[unit], unit) for unit in ("TiB", "GiB", "MiB", "KiB")]
LONGEST = 2000  # characters of a name
NAMED = 5  # names in a sentence
FORMULAS = ("=", "+", "-", "@")  # what a formula begins with


def parameter_names(descriptor: str, qualified: bool = False) -> list[str]:
    """Names of a method descriptor's parameter types, simple ones unless `qualified`: `(Ljava/util/List;[I)V` gives
    `List`, `int[]`."""
    found: list[str] = []
    at, dimensions = 1, 0
    while at < len(descriptor) and descriptor[at] != ")":
        c = descriptor[at]
        if c == "[":
            dimensions += 1
            at += 1
            continue
        end = descriptor.find(";", at) if c == "L" else at
        if end < 0:
            break
        name = descriptor[at + 1 : end].replace("/", ".") if c == "L" else PRIMITIVES.get(c, c)
        name = name if qualified else name.rpartition(".")[2]
        found.append(name + "[]" * dimensions)
        dimensions = 0
        at = end + 1
    return found


def printable(text: str) -> str:
    """The text with unprintable characters escaped as `\\x1b` and the like; a class may have any name."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def cell(text: str) -> str:
    """A printable text for a file of comma-separated values, in which spreadsheets see no formula."""
    text = printable(text)
    return f"'{text}" if text.startswith(FORMULAS) else text


def shortened(text: str) -> str:
    """A name or rule, without its middle if it is very long; it may appear in each row of a report."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}...{text[-LONGEST // 2 :]}"


def method_text(class_name: str, method: str, descriptor: str) -> str:
    """`com.acme.Orders.place(Order, int)`."""
    if not class_name:  # it stands for methods that are not known
        return printable(method)
    return printable(f"{class_name}.{method}({', '.join(parameter_names(descriptor))})")


def time_label(ns: int) -> str:
    """Three or four digits and a unit, two columns wide."""
    for size, unit in TIME_UNITS:
        if ns >= size:
            value = ns / size
            return f"{value:,.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{ns} ns"


def several(number: int, noun: str) -> str:
    """`1 branch`, `2,000 branches`."""
    return f"{number:,} {plural(noun, number)}"


def several_are(names: Sequence[str], noun: str) -> str:
    """`1 class (a.B) is`, `9 classes (a.B, a.C, ...) are`: a number with the first names, for a sentence about them."""
    shown = ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")
    return f"{several(len(names), noun)} ({shown}) {'is' if len(names) == 1 else 'are'}"


def plural(noun: str, number: int) -> str:
    if number == 1:
        return noun
    return (
        noun[:-1] + "ies"
        if noun.endswith("y") and not noun.endswith("ay")
        else noun + ("es" if noun.endswith(("ch", "s")) else "s")
    )


def them(number: int) -> str:
    """The pronoun for so many: `--all shows it`, `--all shows them`."""
    return "it" if number == 1 else "them"


def numbered(number: int, nouns: str) -> str:
    """The same where the noun is there in the plural: `1 branch` of `branches`."""
    return f"{number:,} {singular(nouns) if number == 1 else nouns}"


def singular(nouns: str) -> str:
    if not nouns.endswith("s"):
        return nouns
    if nouns.endswith("ies"):
        return nouns[:-3] + "y"
    return nouns[: -2 if nouns.endswith(("ches", "sses")) else -1]


def quantity(number: int) -> str:
    """A number of bytes with its unit."""
    for size, unit in BYTE_UNITS:
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number} B"
