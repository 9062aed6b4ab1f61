"""The rules of a diagnosis."""

from __future__ import annotations

from classhook.rules.ruleset import RuleSet

STOCK = ("endpoints", "jdbc", "http")
#: They weave no class.
SAMPLERS = ("cpu", "locks parks stack 16", "alloc * in ** sampled stack 16")


def asked(theirs: RuleSet) -> RuleSet:
    """These rules, after the user's; a sampler of the user's takes the place of the same one. Raises RuleError."""
    import classhook.measures.every  # noqa: F401  # registers the rules' words
    from classhook.rules.parse import load

    words, files = {rule.kind for rule in theirs.rules}, {rule.origin for rule in theirs.rules}
    samplers = [text for text in SAMPLERS if text.partition(" ")[0] not in words]
    stock = [name for name in STOCK if f"stock rules {name}" not in files]
    return RuleSet([*theirs.rules, *load(stock, samplers).rules])
