"""Switches and `when` over all values of an enum or a sealed type, and record patterns: what throws if there were
another value."""

from __future__ import annotations

from classhook.classfile.opcodes import DUP, IALOAD, IFEQ, INVOKEVIRTUAL
from classhook.coverage.filters.base import THROWABLE
from classhook.coverage.filters.statements import ENDS
from classhook.coverage.pattern import NOWHERE, Match, Pattern, find_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body

NO_CASE: Final = [
    Pattern(
        "new java/lang/MatchException ; dup ; aconst_null ; aconst_null"
        " ; invokespecial java/lang/MatchException.<init>(Ljava/lang/String;Ljava/lang/Throwable;)V ; athrow"
    ),
    Pattern(
        "new java/lang/IncompatibleClassChangeError ; dup ; invokespecial"
        " java/lang/IncompatibleClassChangeError.<init>()V ; athrow"
    ),
]
RECORD_PATTERN: Final = Pattern(
    "astore c ; new java/lang/MatchException ; dup ; aload c ; invokevirtual"
    " java/lang/Throwable.toString()Ljava/lang/String; ; aload c ; invokespecial"
    " java/lang/MatchException.<init>(Ljava/lang/String;Ljava/lang/Throwable;)V ; athrow"
)
ALWAYS: Final = Pattern("iconst_1 ; ~ifeq")
NEXT_CASE: Final = Pattern("number ; istore ; goto")
NO_WHEN: Final = Pattern(
    "new kotlin/NoWhenBranchMatchedException ; dup ; invokespecial kotlin/NoWhenBranchMatchedException.<init>()V ;"
    " athrow"
)
NULLABLE_ENUM: Final = Pattern(
    "dup ; ifnonnull -> a ; pop ; iconst_m1 ; goto -> b ; a: ; getstatic *$WhenMappings.$EnumSwitchMapping$* ; swap"
    " ; invokevirtual ; iaload ; b: ; switch"
)


def exhaustive(body: Body, effects: Effects) -> None:
    for i, switch in body.switches.items():
        start = switch.default
        line_marks = body.line_marks.get(start)
        if line_marks is not None and line_marks[0] != body.lines[i]:
            continue
        for pattern in NO_CASE:
            end = Match(body).at(start, pattern)
            if end != NOWHERE:
                effects.ignore(start, end)
                effects.replace_by_cases(i, switch)


def record_patterns(body: Body, effects: Effects) -> None:
    match = Match(
        body
    )  # one for all: as for JaCoCo, the variable is the one in which the first handler of Throwable stores
    for entry in body.entries:
        if entry.type == THROWABLE:
            end = match.at(entry.handler, RECORD_PATTERN)
            if end != NOWHERE:
                effects.ignore(entry.handler, end)


def record_patterns_strict(body: Body, effects: Effects) -> None:
    """Each handler has a variable of its own."""
    for entry in body.entries:
        if entry.type == THROWABLE:
            end = Match(body).at(entry.handler, RECORD_PATTERN)
            if end != NOWHERE:
                effects.ignore(entry.handler, end)


def constant_conditions(body: Body, effects: Effects) -> None:
    """`iconst_1; ifeq` of javac's record patterns never jumps; what only that would reach, to try the next case, never
    runs."""
    jumps = [i for i, _, _ in find_each(body, ALWAYS)]
    never = {body.targets[i + 1] for i in jumps}
    for i in jumps:
        effects.replace(i + 1, [[(i + 1, 0)]])
    for start in never:
        end = Match(body).at(start, NEXT_CASE)
        reached = [i for i in range(body.count) if body.targets[i] == start and i - 1 not in jumps]
        if end != NOWHERE and not reached and start and ENDS[body.ops[start - 1]]:
            effects.ignore(start, end)


def all_constants(body: Body, effects: Effects) -> None:
    """A switch with a case for each constant of an enum never takes its default."""
    for i, switch in body.switches.items():
        call = i - 2 if i and body.ops[i - 1] == IALOAD else i - 1
        if call < 0 or body.ops[call] != INVOKEVIRTUAL or i in effects.replaced:
            continue
        owner, name, _ = body.member(call)
        constants = body.cls.enums.get(owner, 0)
        if name == b"ordinal" and constants and sum([target != switch.default for target in switch.cases]) == constants:
            effects.replace_by_cases(i, switch)


def when(body: Body, effects: Effects) -> None:
    for start, end, _ in find_each(body, NO_WHEN):
        for i in range(start - 1, -1, -1):
            switch = body.switches.get(i)
            if body.ops[i] == IFEQ and body.targets[i] == start:
                effects.ignore(i, i + 1)
            elif switch is not None and switch.default == start:
                effects.replace_by_cases(i, switch)
            else:
                continue
            effects.ignore(start, end)
            break
    if DUP in body.ops:
        for start, end, _ in find_each(body, NULLABLE_ENUM):
            effects.ignore(start, end - 1)
