"""Conditions that no call can fulfil: `arg0 > 5 && arg0 < 3`, `arg0 == "a" && arg0 == "b"`.

1. What must be true of one value at once: the comparisons with constants that `&&` joins.
2. A value equal to a constant must fulfil the others; else the numbers between the limits must not be none.
3. Of alternatives, each must be impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from classhook.rules.condition_parser import condition as read
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import Comparison, Condition, Group, Literal, Operand
from classhook.rules.explain import NOT_WRITTEN
from classhook.rules.syntax import Rule
from classhook.rules.words import METHODS, WORDS

TRUE: dict[str, Callable[[Any, Any], bool]] = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}

CONSTANTS = {"True": "true", "False": "false", "None": "null"}


def contradiction(rule: Rule) -> str:
    """The comparisons of a rule's condition that exclude each other; empty if none do."""
    when = rule.clause("when")
    if not when or rule.kind in NOT_WRITTEN:
        return ""
    try:
        return never_true(read(when, locals_=WORDS[rule.kind].subject != METHODS))
    except Wrong:
        return ""


def never_true(condition: Condition) -> str:
    """The comparisons that exclude each other; empty if none do."""
    if not isinstance(condition, Group):
        return ""
    if condition.op == "||":
        found = [never_true(part) for part in condition.parts]
        return found[0] if all(found) else ""
    together: dict[Operand, list[Comparison]] = {}
    for one in _joined(condition):
        if isinstance(one, Comparison) and isinstance(one.right, Literal) and one.op in TRUE:
            together.setdefault(one.left, []).append(one)
    excluded = [pair for some in together.values() if (pair := _excluding(some))]
    inner = [text for part in condition.parts if isinstance(part, Group) and (text := never_true(part))]
    return next(iter([*excluded, *inner]), "")


def _joined(condition: Condition) -> Iterable[Condition]:
    """The parts that must all be true."""
    if isinstance(condition, Group) and condition.op == "&&":
        for part in condition.parts:
            yield from _joined(part)
    else:
        yield condition


def _excluding(some: list[Comparison]) -> str:
    for at, one in enumerate(some):
        for other in some[at + 1 :]:
            if _excludes(one, other) or _excludes(other, one):
                return f"`{_text(one)}` and `{_text(other)}` exclude each other"
    return ""


def _excludes(one: Comparison, other: Comparison) -> bool:
    value, limit = _constant(one), _constant(other)
    if one.op == "==":
        if type(value) is not type(limit) and not (_is_number(value) and _is_number(limit)):
            return other.op not in ("!=",) and (value is None) != (limit is None)
        return not TRUE[other.op](value, limit)
    if one.op in (">", ">=") and other.op in ("<", "<=") and _is_number(value) and _is_number(limit):
        return not (TRUE["<="](value, limit) if (one.op, other.op) == (">=", "<=") else TRUE["<"](value, limit))
    return False


def _constant(one: Comparison) -> object:
    return one.right.value if isinstance(one.right, Literal) else None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(one: Comparison) -> str:
    value = _constant(one)
    shown = f'"{value}"' if isinstance(value, str) else CONSTANTS.get(repr(value), str(value))
    return f"{one.left} {one.op} {shown}"
