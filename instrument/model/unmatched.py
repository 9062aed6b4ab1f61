"""Messages about rules that matched no method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from classhook.model.snapshot import RuleRow, Snapshot
from classhook.model.unweavable_methods import SEEN, matched, why_not_woven
from classhook.rules import stock_rules
from classhook.rules.parameters import parameters_of
from classhook.rules.syntax import Rule
from classhook.rules.words import further, weaves

#: Rules that name further methods of the rule that was written, and the word in front of these.
FURTHER = {"within": "`below`", "until": "`to`"}


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


def unmatched_of(snapshot: Snapshot) -> list[str]:
    """The sentences about the rules of a snapshot. Tables tell what samples those about the whole process led to."""
    found, matched = [], []
    for text, row in snapshot.rules.items():
        rule = snapshot.parsed_rules.get(text)
        if rule is not None and not weaves(rule):
            continue
        if not row.matched_methods or row.lacks:
            found.append(Unmatched(text, rule, row))
        elif rule is not None:
            matched.append(rule)
    return list(sentences(found, matched))


def sentences(found: Iterable[Unmatched], matched: Iterable[Rule]) -> Iterator[str]:
    """The sentences about rules that matched no method, one for each. Stock rules name more libraries than a program
    has: absent ones get no sentence if other rules of the file `matched`, and one for all if none did."""
    found, matched = list(found), list(matched)
    some = {stock_rules.of_origin(rule.origin) for rule in matched}
    known = [*matched, *(one.rule for one in found if one.rule is not None)]
    owners = {more.text: rule.text for rule in known for more in further(rule)}
    texts = {one.text for one in found}
    absent: dict[str, list[Unmatched]] = {}
    for one in found:
        owner = owners.get(one.text, "")
        if owner in texts:
            continue
        if owner and one.rule is not None and one.rule.kind in FURTHER:
            yield f"the method behind {FURTHER[one.rule.kind]} matched nothing that was loaded: {owner}" + (
                f"; did you mean {one.row.nearest}?" if one.row.nearest else ""
            )
            continue
        one = one._replace(text=owner or one.text)
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
    what = f"nothing that was {row.lacks}" if row.lacks else what
    if row.matched_classes and rule is not None and (named := parameters_of(rule)):
        what += f" that has {'a parameter' if len(named) == 1 else 'parameters'} `{'`, `'.join(named)}`"
    what = "only classes that were not instrumented" if row.left_classes else what
    return f"this rule matched {what}: {text}" + (f"; did you mean {row.nearest}?" if row.nearest else "")
