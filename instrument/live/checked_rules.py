"""Rules that are checked against the classes of the JVM before they are added: one that can never match, or never be
true, is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from classhook.base.errors import Failure
from classhook.base.names import printable, several
from classhook.checking.contradictions import contradiction
from classhook.checking.verdicts import Verdict, judge
from classhook.live.control_socket import Control
from classhook.live.jvms import Jvm
from classhook.live.loaded_classes import LoadedClasses
from classhook.rules import stock_rules
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import Rule
from classhook.rules.words import further


@dataclass(slots=True)
class Checked:
    """`good`: the rules that may match; `refused`: why others cannot; `notes`: about good ones."""

    good: list[Rule] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_beside(self, rule: Rule, owner: Rule, verdict: Verdict, so: str) -> None:
        """Adds a rule that stands beside another. If it is about other methods, such as those after `to`, it decides
        about both."""
        if owner not in self.good:
            return
        self.good.append(rule)
        if rule.targets == owner.targets or not verdict.why:
            return
        if verdict.never:
            self.good = [one for one in self.good if one not in (rule, owner)]
            self.refused.append(_lines(f"a part of this rule can never match the loaded classes{so}", owner, verdict))
        else:
            self.notes.append(_lines("a part of this rule is probably a mistake", owner, verdict))


def check(jvm: Jvm, data: Path, rules: RuleSet, so: str = ", so it was not added") -> Checked:
    """`so`: what follows if a rule can never match. Raises Failure if the agent cannot be reached."""
    control = Control(jvm, data)
    try:
        classes = LoadedClasses(control)
        found = Checked()
        owners: dict[str, Rule] = {}  # by the text of a rule that stands beside another: that one
        absent: Counter[str] = Counter()  # of stock rules, which name more libraries than a program has
        for rule in rules.rules:
            verdict = judge(rule, classes)
            stock = stock_rules.of_origin(rule.origin)
            if stock and (verdict.never or verdict.waits):
                absent[stock] += rule.text not in owners
                verdict = Verdict()
            if never := contradiction(rule):
                verdict = Verdict(never=True, why=[f"the condition is never true: {never}"])
            if rule.text in owners:
                found.add_beside(rule, owners[rule.text], verdict, so)
                continue
            owners |= {one.text: rule for one in further(rule)}
            if not verdict.never:
                found.good.append(rule)
            if verdict.never:
                found.refused.append(_lines(f"this rule can never match the loaded classes{so}", rule, verdict))
            elif verdict.waits or verdict.why:
                what = "no loaded class matches this rule yet" if verdict.waits else "this rule is probably a mistake"
                found.notes.append(_lines(what, rule, verdict))
        for name, number in absent.items():
            found.notes.append(f"{several(number, 'rule')} of the stock rules {name} match no loaded class yet")
        return found
    finally:
        control.close()


def check_all(jvm: Jvm, data: Path, rules: RuleSet) -> list[str]:
    """Notes about rules that may match. Raises Failure if one cannot."""
    found = check(jvm, data, rules)
    if found.refused:
        raise Failure("\n".join(found.refused))
    return found.notes


def answers(jvm: Jvm, data: Path, rules: RuleSet) -> list[str]:
    """Returns the complaints and notes about rules that are in force already. Raises Failure."""
    found = check(jvm, data, rules, so="")
    return found.refused + found.notes


def _lines(what: str, rule: Rule, verdict: Verdict) -> str:
    return "\n    ".join(map(printable, [f"{what}: {rule.text}", *verdict.lines]))
