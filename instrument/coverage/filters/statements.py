"""`synchronized`, `assert`, and the copies of `finally` blocks."""

from __future__ import annotations

from classhook.classfile.opcodes import ALOAD, ASTORE, ATHROW, GETSTATIC, GOTO, INVOKEVIRTUAL, IRETURN, RETURN
from classhook.coverage.method_body import ANY
from classhook.coverage.pattern import NOWHERE, Match, Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body, Entry

MONITOR_ECJ: Final = Pattern("aload x ; monitorexit ; athrow")
MONITOR_JAVAC: Final = Pattern("astore t ; aload x ; monitorexit ; aload t ; athrow")
ASSERT_SET: Final = Pattern(
    "invokevirtual java/lang/Class.desiredAssertionStatus()Z ; ifne ; iconst_1 ; goto ; iconst_0 ; putstatic"
    " THIS.$assertionsDisabled"
)
ASSERT_TEST: Final = Pattern("getstatic THIS.$assertionsDisabled ; ifne")
# goto, returns, athrow: what does not complete; a switch counts as if it did
ENDS: Final = bytes([op in (GOTO, ATHROW) or IRETURN <= op <= RETURN for op in range(256)])


def synchronized(body: Body, effects: Effects) -> None:
    for entry in body.entries:
        if entry.type == ANY and entry.start != entry.handler:
            for pattern in (MONITOR_ECJ, MONITOR_JAVAC):
                end = Match(body).at(entry.handler, pattern)
                if end != NOWHERE:
                    effects.ignore(entry.handler, end)
                    break


def assertion(body: Body, effects: Effects) -> None:
    if body.method.name == b"<clinit>":
        for i in body.each(INVOKEVIRTUAL):
            end = Match(body).at(i, ASSERT_SET) if i else NOWHERE
            if end != NOWHERE:
                effects.ignore(i - 1, end)
    for i in body.each(GETSTATIC):
        if Match(body).at(i, ASSERT_TEST) != NOWHERE:
            effects.ignore(i + 1, i + 2)


def finally_blocks(body: Body, effects: Effects) -> None:
    _finally(body, effects, False)


def finally_strict(body: Body, effects: Effects) -> None:
    """Merges copies, also those to which a switch leads."""
    _finally(body, effects, True)


def _finally(body: Body, effects: Effects, switches: bool) -> None:
    for entry in body.entries:
        if entry.type == ANY:
            size = _size(body, entry.handler)
            if size:
                _merge_copies(body, entry, size, effects, switches)


def _size(body: Body, handler: int) -> int:
    """The number of instructions in the handler between `astore v` and `aload v ; athrow`; 0 if it is not one of
    `finally`."""
    if body.ops[handler] != ASTORE:
        return 0
    slot = body.slot(handler)
    for i in range(handler + 1, body.count - 1):
        if body.ops[i] == ALOAD and body.slot(i) == slot:
            return i - handler - 1 if body.ops[i + 1] == ATHROW else 0
    return 0


def _merge_copies(body: Body, entry: Entry, size: int, effects: Effects, switches: bool) -> None:
    """Merges the handler with each copy: where the program leaves the try block or a catch clause."""
    covers = [other for other in body.entries if other.handler == entry.handler]
    inside = bytearray(body.count + 1)
    for other in covers:
        inside[other.start : other.end] = b"\1" * (other.end - other.start)
    for other in covers:
        for i in range(other.start, other.end):
            if body.targets[i] >= 0 and not inside[body.targets[i]]:
                _merge(body, entry.handler, body.targets[i], size, effects)
            elif switches and i in body.switches:
                for target in body.switches[i].distinct:
                    if not inside[target]:
                        _merge(body, entry.handler, target, size, effects)
        if not ENDS[body.ops[other.end - 1]] and not inside[other.end]:
            _merge(body, entry.handler, other.end, size, effects)
    for other in body.entries:
        if (
            other is not entry
            and other.start == entry.start
            and other.end == entry.end
            and not inside[other.handler + 1]
        ):
            _merge(body, entry.handler, other.handler + 1, size, effects)


def _merge(body: Body, handler: int, copy: int, size: int, effects: Effects) -> None:
    first = handler + 1
    if copy + size > body.count or body.ops[first : first + size] != body.ops[copy : copy + size]:
        return
    effects.ignore(handler, first)
    for k in range(size):
        effects.merge(first + k, copy + k)
    effects.ignore(first + size, first + size + 2)
    after = copy + size
    if after < body.count and body.ops[after] == GOTO:
        effects.ignore(after, after + 1)
