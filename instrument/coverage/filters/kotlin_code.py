"""Filters for code that kotlinc adds to expressions: null checks, `?.`, `as`, `lateinit`."""

from __future__ import annotations

from classhook.classfile.opcodes import ACONST_NULL, ALOAD, ARETURN, ASTORE, ATHROW, DUP, IFNONNULL, IFNULL, POP
from classhook.coverage.pattern import NOWHERE, Match, Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body

INTRINSICS: Final = "invokestatic kotlin/jvm/internal/Intrinsics"
UNINITIALIZED: Final = [
    Pattern(f"{pop}ldc ; {INTRINSICS}.throwUninitializedPropertyAccessException(Ljava/lang/String;)V")
    for pop in ("pop ; ", "")
]
UNSAFE_CAST: Final = [
    Pattern(
        f'ifnonnull -> l ; {pop}new {error} ; dup ; ldc "null cannot be cast to non-null type'
        f" ; invokespecial {error}.<init>(Ljava/lang/String;)V ; athrow ; l:"
    )
    for pop in ("pop ; ", "")
    for error in ("kotlin/TypeCastException", "java/lang/NullPointerException")
]
NOT_NULL: Final = Pattern(f"ifnonnull ; {INTRINSICS}.throwNpe()V")
# backwards from the label: how the chain in front of an elvis ends
ELVIS: Final = Pattern("astore w ; aload w ; ifnull -> l ; aload w ; goto")


def not_null(body: Body, effects: Effects) -> None:
    for i in body.each(IFNONNULL):
        end = Match(body).at(i, NOT_NULL)
        if end != NOWHERE:
            effects.ignore(i, end)


def unsafe_cast(body: Body, effects: Effects) -> None:
    for i in body.each(IFNONNULL):
        for pattern in UNSAFE_CAST:
            end = Match(body).at(i, pattern)
            if end != NOWHERE:
                effects.ignore(i, end)


def lateinit(body: Body, effects: Effects) -> None:
    for i in body.each(IFNONNULL):
        end = _uninitialized(body, i + 1)
        target = body.targets[i]
        if end != NOWHERE and end <= target <= end + 2:
            effects.ignore(i, target)
    for i in body.each(IFNULL):
        target = body.targets[i]
        end = _uninitialized(body, target)
        if end != NOWHERE and end + 1 < body.count and body.ops[end + 1] in (ARETURN, ATHROW):
            effects.ignore(i, i + 1)
            effects.ignore(target, end + 2)


def _uninitialized(body: Body, i: int) -> int:
    """The instruction after the call that throws if a property is not set; NOWHERE if there is none at i."""
    for pattern in UNINITIALIZED:
        end = Match(body).at(i, pattern)
        if end != NOWHERE:
            return end
    return NOWHERE


def safe_calls(body: Body, effects: Effects) -> None:
    chains: dict[int, list[int]] = {}
    for i in body.each(IFNULL):
        chain = chains.setdefault(body.targets[i], [])
        if _is_safe_call(body, i, body.targets[i], bool(chain)):
            chain.append(i)
    for target, chain in chains.items():
        before = target - 1
        test = before >= 0 and body.ops[before] == IFNONNULL
        if not chain or (len(chain) == 1 and not test):
            continue
        for i in chain:
            effects.replace(i, [[(i, 0)], [(target, 0)]])
        if test:
            effects.replace(before, [[(target, 0)], [(before, 1)]])


def _is_safe_call(body: Body, i: int, target: int, later: bool) -> bool:
    """True if the ifnull at i belongs to the calls that give up at `target`; `later`: it is not the first of them."""
    ops = body.ops
    op = ops[target]
    if i == 0:
        return False
    if op == POP:
        return ops[i - 1] == DUP and not body.marks[i]
    if body.targets[target] >= 0 or target in body.switches or ops[i - 1] != ALOAD:
        return False
    if later:
        return i >= 2 and ops[i - 2] == ASTORE and body.slot(i - 2) == body.slot(i - 1)
    if op == ACONST_NULL:
        return True
    match = Match(body)
    match.labels["l"] = target
    return target >= 5 and match.at(target - 5, ELVIS) != NOWHERE
