"""`switch` and `when` over strings: javac's two switches, and one switch with comparisons behind it (ecj, kotlinc)."""

from __future__ import annotations

from classhook.classfile.opcodes import ALOAD, ASTORE, GOTO, IFEQ, IFNE
from classhook.coverage.code_marks import FRAME, LINE
from classhook.coverage.pattern import NOWHERE, Match, Pattern, find_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body, Switch

HASH: Final = "invokevirtual java/lang/String.hashCode()I"
EQUALS: Final = "aload s ; ldc ; invokevirtual java/lang/String.equals(Ljava/lang/Object;)Z"

JAVAC_HEAD: Final = Pattern(f"iconst_m1 ; istore c ; aload s ; {HASH} ; switch")
JAVAC_CASE: Final = Pattern(f"{EQUALS} ; ifeq ; any ; istore c")
JAVAC_TAIL: Final = Pattern("iload c ; switch")
TO_DEFAULT: Final = Pattern("goto -> d")
STORE: Final = Pattern("astore s")
NULL_TESTS: Final = [
    Pattern("aload s ; ~dup ; ~ifnull -> n"),
    Pattern("aload s ; ~ifnull -> n ; aload s"),
    Pattern("aload s"),
]
HASHED: Final = Pattern(f"{HASH} ; switch")
COMPARED: Final = Pattern(EQUALS)
OLD_HEAD: Final = Pattern(f"aload s ; {HASH} ; switch")
OLD_CASE: Final = Pattern(f"{EQUALS} ; ifeq -> x")


class Branches:
    """New branches of a switch by target; the default's comes first."""

    def __init__(self, switch: int, default: int) -> None:
        self.of: dict[int, list[tuple[int, int]]] = {default: [(switch, 0)]}

    def add(self, target: int, i: int, branch: int) -> None:
        """Target is reached by this branch of instruction i."""
        self.of.setdefault(target, []).append((i, branch))


def javac(body: Body, effects: Effects) -> None:
    for i, switch in body.switches.items():
        if i < 4 or any([body.marks[k] & (LINE | FRAME) for k in range(i - 3, i + 1)]):
            continue
        match = Match(body)
        at = match.at(i - 4, JAVAC_HEAD)
        match.labels["d"] = switch.default
        while at != NOWHERE:
            at = match.at(at, JAVAC_CASE)
            if at == NOWHERE:
                break
            if at == switch.default:
                if match.at(at, JAVAC_TAIL) != NOWHERE:
                    effects.ignore(i, at)
                break
            at = match.at(at, TO_DEFAULT)


def single_switch(body: Body, effects: Effects) -> None:
    for start in body.each(ASTORE):
        if start + 1 < body.count:
            _single_switch(body, effects, start)


def _single_switch(body: Body, effects: Effects, start: int) -> None:
    match = Match(body)
    at = match.at(start, STORE)
    if body.ops[at] == ALOAD and not body.marks[at]:
        for pattern in NULL_TESTS:
            tried = match.copy()
            after = tried.at(at, pattern)
            if after != NOWHERE:
                match = tried
                break
        at = after
    if at == NOWHERE:
        return
    at = match.at(at, HASHED)
    if at == NOWHERE:
        return
    switch = body.switches[at - 1]
    branches = Branches(at - 1, switch.default)
    if "n" in match.labels:
        branches.add(match.labels["n"], body.ops.index(198, start), 1)
    end = _comparisons(body, match, at, switch, branches)
    if end != NOWHERE:
        effects.ignore(start + 1, end)
        effects.replace(start, list(branches.of.values()))


def _comparisons(body: Body, match: Match, at: int, switch: Switch, branches: Branches) -> int:
    """Reads the comparisons of each hash: the instruction after them, or NOWHERE."""
    default = switch.default
    remaining = len(switch.cases)
    if not remaining:
        return NOWHERE
    while remaining:
        at = match.at(at, COMPARED)
        if at == NOWHERE or at >= body.count or body.marks[at]:
            return NOWHERE
        jump = at
        at += 1
        if body.ops[jump] == IFNE:
            branches.add(body.targets[jump], jump, 1)
            if at == default:
                branches.add(default, jump, 0)
                remaining -= 1
            elif at < body.count and body.ops[at] == GOTO and not body.marks[at]:
                branches.add(default, at, 1)
                at += 1
                remaining -= 1
        elif body.ops[jump] == IFEQ and remaining == 1 and body.targets[jump] == default:
            branches.add(default, jump, 1)
            branches.add(at, jump, 0)  # the case's body follows
            return at
        else:
            return NOWHERE
    return at


def old_when(body: Body, effects: Effects) -> None:
    for _, at, match in find_each(body, OLD_HEAD):
        i = at - 1
        switch = body.switches[i]
        branches = Branches(i, switch.default)
        end = _old_cases(body, match, at, switch, branches)
        if end != NOWHERE:
            effects.ignore(i + 1, end)
            effects.replace(i, list(branches.of.values()))


def _old_cases(body: Body, match: Match, at: int, switch: Switch, branches: Branches) -> int:
    """Reads the comparisons of each hash: the instruction after them, or NOWHERE."""
    remaining = len(switch.cases)
    if not remaining:
        return NOWHERE
    while remaining:
        match.labels.pop("x", None)
        at = match.at(at, OLD_CASE)
        if at == NOWHERE:
            return NOWHERE
        jump = at - 1
        last = body.targets[jump] == switch.default
        if at < body.count and body.ops[at] == GOTO:
            branches.add(body.targets[at], at, 1)
            at += 1
            if last:
                branches.add(switch.default, jump, 1)
                remaining -= 1
        elif last and remaining == 1:
            branches.add(switch.default, jump, 1)
            branches.add(-1, jump, 0)  # a branch of its own, even if another case leads there
            return at
        else:
            return NOWHERE
    return at
