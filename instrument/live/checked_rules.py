"""Rules that are checked against the classes of the JVM before they are added: one that can never match, or never be
true, is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from classhook.base.errors import Failure
from classhook.base.names import printable
from classhook.checking.verdicts import Verdict, judge
from classhook.live.control_socket import Control
from classhook.live.jvms import Jvm
from classhook.live.loaded_classes import LoadedClasses
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import Rule
from classhook.rules.words import WORDS


@dataclass(slots=True)
class Checked:
    """`good`: the rules that may match; `refused`: why others cannot; `notes`: about good ones."""

    good: list[Rule] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(jvm: Jvm, data: Path, rules: RuleSet) -> Checked:
    """Raises Failure if the agent cannot be reached."""
    control = Control(jvm, data)
    try:
        classes = LoadedClasses(control)
        found = Checked()
        beside: set[str] = set()
        for rule in rules.rules:
            verdict = judge(rule, classes)
            if not verdict.never:
                found.good.append(rule)
            if rule.text in beside:
                continue  # the rule that it stands beside is judged by the same methods
            more = WORDS[rule.kind].beside
            beside |= {one.text for one in more(rule)} if more is not None else set()
            if verdict.never:
                found.refused.append(
                    _lines("this rule can never match the loaded classes, so it was not added", rule, verdict)
                )
            elif verdict.waits or verdict.why:
                what = "no loaded class matches this rule yet" if verdict.waits else "this rule is probably a mistake"
                found.notes.append(_lines(what, rule, verdict))
        return found
    finally:
        control.close()


def check_all(jvm: Jvm, data: Path, rules: RuleSet) -> list[str]:
    """Notes about rules that may match. Raises Failure if one cannot."""
    found = check(jvm, data, rules)
    if found.refused:
        raise Failure("\n".join(found.refused))
    return found.notes


def _lines(what: str, rule: Rule, verdict: Verdict) -> str:
    return "\n    ".join(map(printable, [f"{what}: {rule.text}", *verdict.lines]))
