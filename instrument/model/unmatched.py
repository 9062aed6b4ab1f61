"""Messages about rules that matched no method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from classhook.model.snapshot import RuleRow
from classhook.model.unweavable_methods import SEEN, matched, why_not_woven
from classhook.rules import stock_rules
from classhook.rules.syntax import Rule


class Unmatched(NamedTuple):
    """A rule that matched no method: as it was written, as it was read, if it can be, and what it matched."""

    text: str
    rule: Rule | None
    row: RuleRow

    @property
    def absent(self) -> str:
        """The name of the stock rules, if it is one of these, of something that the program does not have."""
        if self.rule is None or self.row.unknown or self.row.left_classes:
            return ""
        there = self.row.unweavable or self.row.matched_classes
        return "" if there and not stock_rules.is_open(self.rule) else stock_rules.of_origin(self.rule.origin)


def sentences(found: Iterable[Unmatched], matched: Iterable[Rule]) -> Iterator[str]:
    """The sentences about rules that matched no method, one for each. Stock rules name more libraries than a program
    has: absent ones get no sentence if other rules of the file `matched`, and one for all if none did."""
    some = {stock_rules.of_origin(rule.origin) for rule in matched}
    absent: dict[str, list[Unmatched]] = {}
    for one in found:
        if one.absent:
            absent.setdefault(one.absent, []).append(one)
        else:
            some.update([stock_rules.of_origin(one.rule.origin)] if one.rule is not None else [])
            yield unmatched(*one)
    for name, rules in absent.items():
        if name not in some:
            names = list(dict.fromkeys(one.rule.name for one in rules if one.rule is not None and one.rule.name))
            about = f": {', '.join(names)}" if names else ""
            yield f"the stock rules {name} matched nothing that was loaded{about}"


def unmatched(text: str, rule: Rule | None, row: RuleRow) -> str:
    """A sentence about the rule, with what it may have meant. `text`: the rule, as it was written; `rule`: None if it
    cannot be read."""
    if row.unknown:
        return f"it is unknown what this rule matched, since descriptions of classes are missing: {text}"
    if row.unweavable:
        return f"this rule matched {matched(row.unweavable)}: {text}" + (
            f"; {why_not_woven(rule, row.unweavable, SEEN)}" if rule else ""
        )
    what = "no method of the classes it names" if row.matched_classes else "nothing that was loaded"
    what = "only classes that were not instrumented" if row.left_classes else what
    return f"this rule matched {what}: {text}" + (f"; did you mean {row.nearest}?" if row.nearest else "")
