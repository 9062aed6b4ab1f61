"""The rule in the words that the agent reads in the probe's record: native/watch/watch_specs.c."""

from __future__ import annotations

from zlib import crc32

from classhook.base.units import microseconds
from classhook.rules.conditions import (
    ELEMENT,
    Calculation,
    Condition,
    Elements,
    Group,
    Literal,
    Operand,
    Path,
    element_key,
    pattern_parts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Final

    from classhook.rules.syntax import Rule

USUAL_FIRST: Final = "1000"
ROOTS: Final = {"this": "t", "result": "r", "exception": "x", "thread": "h", ELEMENT: "e"}
ELEMENTS: Final = {"any": "E", "all": "A"}
OPERATORS: Final = {"!~": "^", "instanceof": "t", "!instanceof": "T"}
ANY_UNITS: Final = "\uffff"  # CH_ANY_UNITS in native/watch/watch.h

WatchFields = tuple[str, int, int, int, int, int, bool, str, str, str]


def masks_of(rule: Rule) -> list[str]:
    text = rule.clause("mask")
    return [mask.strip() for mask in text.split(",")] if text else []


def limits_of(rule: Rule) -> tuple[str, int, int]:
    """The name under which all methods with this rule count what is shown; how many are shown at first, 0: all; and one
    in so many ns, 0: any."""
    every, chosen = rule.clause("every"), rule.clause("every") or rule.clause("slowest")
    first = rule.clause("first") or ("0" if chosen else USUAL_FIRST)
    return (
        short_name(rule.text),
        int(first),
        1000 * microseconds(every or "0us"),
    )


def short_name(text: str) -> str:
    """The name of a rule with this text, for the agent."""
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}{len(text):x}"


def fields(
    rule: Rule,
    frames: int,
    shown: Iterable[tuple[str, bool, str]],
    condition: str,
    secret_exception: bool = False,
) -> WatchFields:
    """The fields of a WatchRecord behind those of each probe. `frames`: how many callers are shown; `shown`: each path,
    whether it is hidden, and its name in reports; `condition`: what is left for the agent."""
    limit, first, every_ns = limits_of(rule)
    shown = list(shown)
    return (
        limit,
        1000 * microseconds(rule.clause("over") or "0us"),
        first,
        every_ns,
        int(rule.clause("slowest") or "0"),
        frames,
        secret_exception,
        " ".join(["*" * hidden + path for path, hidden, _ in shown if path]),
        condition,
        ",".join([name for _, _, name in shown]),
    )


def written(path: Path) -> str:
    owner, field = path.static
    root = f"S{owner.replace('.', '/')}.{field}" if owner else ROOTS.get(path.root) or f"a{path.argument}"
    return written_from(root, path)


def written_from(root: str, path: Path) -> str:
    """A path that begins at this root, as the agent reads it."""
    return ".".join([root, *[step(name) for name in path.names[1:]]])


def step(name: str) -> str:
    """A field, or an element: `[i2`, `[s006b`."""
    key = element_key(name)
    if key is None:
        return name
    return f"[i{key}" if isinstance(key, int) else f"[s{utf16(key)}"


def utf16(text: str) -> str:
    return text.encode("utf-16-be", "surrogatepass").hex()


def prefix(asked: Condition | None, of_path: Callable[[Path], str] = written) -> str:
    """The condition with operators in front: `& > a0 i100 == t.state s004e`; empty if there is none. `of_path`: a path
    as the agent reads it."""
    if asked is None:
        return ""
    if isinstance(asked, Group):
        first, *others = asked.parts
        rest = others[0] if len(others) == 1 else Group(asked.op, tuple(others))
        return f"{asked.op[0]} {prefix(first, of_path)} {prefix(rest, of_path)}"
    if isinstance(asked, Elements):
        return f"{ELEMENTS[asked.op]} {of_path(asked.path)} {prefix(asked.inner)}"
    right = asked.right
    if asked.is_type and isinstance(right, Literal):
        compared = str(right.value).replace(".", "/")
    elif asked.is_pattern and isinstance(right, Literal):
        compared = constant(Literal(pattern_units(str(right.value))))
    else:
        compared = operand(right, of_path)
    return f"{OPERATORS.get(asked.op, asked.op)} {operand(asked.left, of_path)} {compared}"


def operand(asked: Operand, of_path: Callable[[Path], str] = written) -> str:
    """A path, a constant, or the operator of a calculation in front of both sides: `- a1 * a0 i2`."""
    if isinstance(asked, Calculation):
        return f"{asked.op} {operand(asked.left, of_path)} {operand(asked.right, of_path)}"
    return of_path(asked) if isinstance(asked, Path) else constant(asked)


def constant(literal: Literal) -> str:
    value = literal.value
    if value is None:
        return "n"
    if isinstance(value, bool):
        return f"b{int(value)}"
    if isinstance(value, int):
        return f"i{value}"
    if isinstance(value, float):
        return f"d{value!r}"
    return f"s{utf16(value)}"


def pattern_units(pattern: str) -> str:
    """The pattern with ANY_UNITS for each `*`, unless a backslash is before it."""
    return ANY_UNITS.join(pattern_parts(pattern))
