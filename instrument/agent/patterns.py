"""Patterns that scripts give: as in rules."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.rules.syntax import Rule


def parsed(text: str) -> list[Rule]:
    """The rules of a text. Raises RuleError."""
    import classhook.measures.every  # noqa: F401  # the words of rules
    from classhook.rules.parse import parse_text

    return list(parse_text(text, "script"))


def class_glob(pattern: str) -> str:
    """A class pattern in the form of the agent's filter; also of arrays, as in `byte[]`. Raises RuleError."""
    if pattern.endswith("[]"):
        return pattern.replace(".", "/")
    (rule,) = parsed(f"cover {pattern}")
    return rule.targets[0].class_pattern.glob.replace(".", "/")
