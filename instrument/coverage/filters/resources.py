"""try-with-resources: the code that closes a resource, for the normal way out and in the handler."""

from __future__ import annotations

from classhook.classfile.opcodes import GOTO
from classhook.coverage.filters.base import THROWABLE
from classhook.coverage.method_body import ANY
from classhook.coverage.pattern import NOWHERE, Match, Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body

CLOSE: Final = "invokeinterface|invokevirtual {O}.close()V"
SUPPRESS: Final = "aload p ; aload x ; invokevirtual java/lang/Throwable.addSuppressed(Ljava/lang/Throwable;)V"
CLOSE_RESOURCE: Final = (
    "aload p ; aload r ; invokestatic *.$closeResource(Ljava/lang/Throwable;Ljava/lang/AutoCloseable;)V"
)
TEST: Final = "aload r ; ifnull ; "

# javac from 11 on: the normal way out, and the handler that closes likewise
JAVAC_11: Final = [
    (Pattern(close), Pattern(f"astore p ; {close} ; goto ; astore x ; {SUPPRESS} ; aload p ; athrow"))
    for close in (f"{TEST}aload r ; {CLOSE}", f"aload r ; {CLOSE}")
]

_BOTH: Final = f"aload p ; ifnull ; aload r ; {CLOSE} ; goto ; astore x ; {SUPPRESS} ; goto ; aload r ; {CLOSE}"
JAVAC_7: Final = [
    (
        Pattern(close),
        Pattern(f"astore t ; aload t ; astore p ; aload t ; athrow ; astore u ; {close} ; aload u ; athrow"),
    )
    for close in (CLOSE_RESOURCE, TEST + _BOTH, _BOTH, TEST + CLOSE_RESOURCE)
]

ECJ_STORE: Final = Pattern("astore p")
ECJ_THROW: Final = Pattern("aload p ; athrow")
ECJ_CLOSE_THROW: Final = Pattern(f"aload r ; ifnull -> thrown ; aload r ; {CLOSE} ; thrown: ; aload p ; athrow")
ECJ_CLOSE: Final = Pattern(f"aload r ; ifnull -> end ; aload r ; {CLOSE}")
ECJ_GOTO: Final = Pattern("goto -> end")
ECJ_SUPPRESS: Final = Pattern(
    "astore x ; aload p ; ifnonnull -> s ; aload x ; astore p ; goto -> e ; s: ; aload p ; aload x ; if_acmpeq -> e ; "
    + SUPPRESS
    + " ; e:"
)


def javac_11(body: Body, effects: Effects) -> None:
    _javac(body, effects, JAVAC_11)


def javac_7(body: Body, effects: Effects) -> None:
    _javac(body, effects, JAVAC_7)


def _javac(body: Body, effects: Effects, forms: list[tuple[Pattern, Pattern]]) -> None:
    for entry in body.entries:
        if entry.type != THROWABLE:
            continue
        for close, handler in forms:
            match = Match(body)
            end = match.at(entry.handler, handler)
            if end != NOWHERE:
                _ignore_both(body, entry.handler, end, close, match, effects)
                break


def _ignore_both(body: Body, handler: int, end: int, close: Pattern, match: Match, effects: Effects) -> None:
    """Ignores the handler, and the nearest close of the same resource in front of it."""
    match.slots.pop("x", None)
    for i in range(handler - 1, -1, -1):
        if body.ops[i] in close.first:
            after = match.copy().at(i, close)
            if after != NOWHERE:
                effects.ignore(i, after + 1 if body.ops[after] == GOTO else after)
                effects.ignore(handler, end)
                return


class EcjHandler:
    """ecj's handler, read piece by piece. `resources`: slot and owner of each, in the order in which they are
    closed."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.primary = Match(body)
        self.resources: list[Match] = []

    def piece(self, i: int, pattern: Pattern, resource: Match | None = None) -> int:
        """The instruction after the piece, or NOWHERE; with a resource, what it binds stays with it."""
        if i == NOWHERE:
            return NOWHERE
        match = resource or self.primary.copy()
        match.slots["p"] = self.primary.slots["p"]
        return match.at(i, pattern)

    def resource(self) -> Match:
        """A resource of which nothing is known yet."""
        self.resources.append(Match(self.body))
        return self.resources[-1]

    def with_exit(self, i: int) -> int:
        """The handler of a body that completes: the end, or NOWHERE."""
        i = self.piece(i, ECJ_CLOSE_THROW, self.resource())
        while i != NOWHERE:
            one = Match(self.body)
            after = self.piece(i, ECJ_CLOSE, one)
            if after == NOWHERE:
                break
            self.resources.append(one)
            i = self.piece(after, ECJ_GOTO, one)
            i = self.piece(i, ECJ_SUPPRESS)
            i = self.piece(i, ECJ_CLOSE_THROW, one)
        i = self.piece(i, ECJ_SUPPRESS)
        return self.piece(i, ECJ_THROW)

    def without_exit(self, i: int) -> int:
        """The handler of a body that always returns or throws: the end, or NOWHERE."""
        while True:
            one = Match(self.body)
            after = self.piece(i, ECJ_CLOSE_THROW, one)
            if after == NOWHERE:
                break
            self.resources.append(one)
            i = self.piece(after, ECJ_SUPPRESS)
        return self.piece(i, ECJ_THROW)


def ecj(body: Body, effects: Effects) -> None:
    for entry in body.entries:
        if entry.type == ANY:
            for exits in (True, False):
                handler = EcjHandler(body)
                start = handler.primary.at(entry.handler, ECJ_STORE)
                if start == NOWHERE:
                    break
                end = handler.with_exit(start) if exits else handler.without_exit(start)
                if end != NOWHERE and _ignore_ecj(
                    body, entry.handler, end, handler.resources[:1] if exits else handler.resources, exits, effects
                ):
                    break


def _ignore_ecj(body: Body, handler: int, end: int, resources: list[Match], exits: bool, effects: Effects) -> bool:
    """Ignores the handler, and the nearest closes of these resources in front of it; False if there are none."""
    if not resources:
        return False
    for start in range(handler - 1, -1, -1):
        i = start
        for one in resources:
            match = Match(body)
            match.slots["r"] = one.slots["r"]
            match.owners = one.owners.copy()
            i = match.at(i, ECJ_CLOSE)
            if i == NOWHERE:
                break
        if i == NOWHERE:
            continue
        if exits:
            if body.ops[i] != GOTO:
                continue
            i += 1
        effects.ignore(start, i)
        effects.ignore(handler, end)
        return True
    return False
