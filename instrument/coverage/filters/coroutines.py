"""Kotlin's `suspend` functions: their state machine, tail calls, and the intrinsics."""

from __future__ import annotations

from classhook.classfile.opcodes import INVOKESTATIC
from classhook.coverage.pattern import NOWHERE, Match, Pattern, find_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body, Switch

SUSPENDED: Final = "invokestatic kotlin/coroutines/intrinsics/IntrinsicsKt.getCOROUTINE_SUSPENDED()Ljava/lang/Object;"
GET: Final = Pattern(SUSPENDED)
ONE_STATE: Final = Pattern("pop ; aload t ; getfield ; tableswitch")
STATES: Final = Pattern("astore cs ; aload t ; getfield ; tableswitch")
RESULT: Final = [
    Pattern("aload ; invokestatic kotlin/ResultKt.throwOnFailure(Ljava/lang/Object;)V"),
    Pattern("aload ; dup ; instanceof kotlin/Result$Failure ; ifeq ; checkcast ; getfield ; athrow ; pop"),
]
SUSPEND: Final = Pattern("aload cs ; if_acmpne -> r ; aload cs ; areturn")
NO_STATE: Final = Pattern(
    "new java/lang/IllegalStateException ; dup ; ldc \"call to 'resume' before 'invoke' with coroutine"
    " ; invokespecial java/lang/IllegalStateException.<init>(Ljava/lang/String;)V ; athrow"
)
TAIL_CALL: Final = Pattern(f"dup ; {SUSPENDED} ; if_acmpne ; areturn ; pop")
PROBED: Final = [
    Pattern(
        f"dup ; {SUSPENDED} ; if_acmpne -> l ; aload ; {cast}invokestatic"
        " kotlin/coroutines/jvm/internal/DebugProbesKt.probeCoroutineSuspended(Lkotlin/coroutines/Continuation;)V ; l:"
    )
    for cast in ("checkcast kotlin/coroutines/Continuation ; ", "")
]


def suspend(body: Body, effects: Effects) -> None:
    _state_machine(body, effects)
    for start, end, _ in find_each(body, TAIL_CALL):
        if start:
            effects.ignore(start, end)
    for pattern in PROBED:
        for start, end, _ in find_each(body, pattern):
            effects.ignore(start + 2, end)


def _state_machine(body: Body, effects: Effects) -> None:
    match = Match(body)
    at = NOWHERE
    for i in body.each(INVOKESTATIC):
        at = match.at(i, GET)
        if at != NOWHERE:
            break
    if at == NOWHERE:
        return
    single = match.copy().at(at, ONE_STATE)
    at = match.at(at, STATES) if single == NOWHERE else single
    if at == NOWHERE:
        return
    switch = body.switches[at - 1]
    if single != NOWHERE and len(switch.cases) != 1:
        return
    ends = [end for end in [match.copy().at(at, pattern) for pattern in RESULT] if end != NOWHERE]
    last = Match(body).at(switch.default, NO_STATE)
    if not ends or last == NOWHERE:
        return
    effects.ignore(0, ends[0])
    _suspensions(body, effects, match, switch)
    effects.ignore(switch.default, last)


def _suspensions(body: Body, effects: Effects, match: Match, switch: Switch) -> None:
    """Ignores what returns if a call has been suspended: each is in front of the code of its state."""
    number = 1
    for i in range(body.count - 1):
        if number >= len(switch.cases):
            break
        tried = match.copy()
        end = tried.at(i + 1, SUSPEND)
        if end != NOWHERE and end == switch.cases[number]:
            effects.ignore(i, tried.labels["r"])
            number += 1
