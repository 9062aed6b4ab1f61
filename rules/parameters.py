"""The parameters that a rule names, such as `cents` of `watch Till::pay when cents > 3 show customer.id`."""

from __future__ import annotations

from classhook.rules.calculation_parser import number
from classhook.rules.clause_values import is_of_end, sql_in
from classhook.rules.condition_parser import condition, shown
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import Path, paths_in, paths_of
from classhook.rules.path_parser import path
from classhook.rules.syntax import Rule
from classhook.rules.words import METHODS, WORDS

OTHER_KEYS = ("thread", "stack")  # of a clause `by`: they are no values of the call


def parameters_of(rule: Rule) -> list[str]:
    """Their names, each once. Those of rules about lines and writes name variables and values."""
    if rule.kind not in WORDS or WORDS[rule.kind].subject != METHODS:
        return []
    when, show = rule.clause("when"), rule.clause("show")
    paths = paths_in(condition(when)) if when else []
    paths += shown(show).paths if show else ()
    paths += keys_of(rule)
    paths += paths_of(number(rule.clause("of"))) if rule.clause("of") else ()
    return list(dict.fromkeys([one.parameter for one in paths if one.parameter]))


def keys_of(rule: Rule) -> list[Path]:
    """The values of the clause `by` in the rule's own methods."""
    by = rule.clause("by")
    return key_paths(by.partition(",")[0] if rule.clause("to") else by)


def key_paths(text: str) -> list[Path]:
    """The values of a clause `by`, between commas; not the thread's name, nor callers."""
    found: list[Path] = []
    for part in filter(None, map(str.strip, text.split(","))):
        if part.split()[0] in OTHER_KEYS or is_of_end(part):
            continue
        inner = sql_in(part)
        try:
            found.append(path((part if inner is None else inner).strip()))
        except Wrong:  # a word of the clause's own
            continue
    return found
