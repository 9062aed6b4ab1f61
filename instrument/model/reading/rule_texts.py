"""The rules that a file was written with."""

from __future__ import annotations

from classhook.base.names import shortened
from classhook.rules.syntax import Rule


def rules_of(compiled: bytes) -> tuple[Rule, ...]:
    """Raises ValueError if they are damaged."""
    from classhook.rules.compiled import loads
    from classhook.rules.errors import RuleError

    try:
        return tuple(loads(compiled.decode()).rules)
    except RuleError as error:
        raise ValueError(str(error)) from None


def texts_of(compiled: bytes) -> list[str]:
    """Their texts, as rows have them. Raises ValueError if they are damaged."""
    return [shortened(rule.text) for rule in rules_of(compiled)]
