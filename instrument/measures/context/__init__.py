"""`context`: what a thread counts while a method runs is told apart from all else (native/contexts/attribution.c).

Around all that the other measures insert, so that the method itself belongs to the context:

    entry     number, beginContext, store
    exit      load, endContext
    handler   of all that is thrown: load, endContext, athrow

A suspend function's call goes on in its context, and leaves that where it ends:

    called    number, beginContext, store, load, contextAt, store, load, contextAround, store      (both are carried)
    resumed   context, resumeContext, store          waits   load, endContext          ends   load, around, leaveCall

With `onward`, endContextOnward takes the place of endContext: the rest of the context around it belongs to this one,
too.

With `by`, beginContextBy is also passed the root of the path, from which the agent reads the key
(instrument/measures/watch/context_key.py, native/watch/context_keys.c).

A method has two probes for that: this measure comes first, so that the context begins before other probes; and another
one, planned after all others, ends it (close).
"""

from __future__ import annotations

from classhook.classfile.frames import LONG
from classhook.classfile.insertions import NO_LABELS
from classhook.classfile.opcodes import I2L, ICONST_0, ICONST_M1, LCONST_0_CODE
from classhook.native._slots import CH_CONTEXT_REFUSED, CH_CONTEXT_SLOTS
from classhook.probes.carried import carry
from classhook.probes.exits import LEAVE, insert_call_exits, insert_ending, insert_exits
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import ContextRecord
from classhook.rules.words import METHODS, NO_VALUE, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.context_key import Root
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.words import Mistaken

BEGINS, ENDS = "context", "context-end"
STACK: Final = 3  # slots of the operand stack that beginning needs, at most, ...
LEAVING: Final = 3  # ... and ending
UNKNOWN: Final = bytes((ICONST_M1, I2L))  # in place of the context around a call that began in none of its own


class Begun:
    """The data of both probes: the context's name, the path to the value that tells contexts of this name apart ("":
    there is one), the code that pushes the root of that path, whether it goes on in the context around it, the code
    that loads the result of the entry, and, for a suspend function, the code that pushes the context around the
    call."""

    __slots__ = ("around", "load", "name", "onward", "path", "root")

    def __init__(self, name: str, path: str, root: Root | None, onward: bool) -> None:
        self.onward = onward
        self.name = name
        self.path = path
        self.root = root
        self.load = b""
        self.around = b""


def wrong_by(value: str) -> Mistaken | None:
    from classhook.measures.watch.context_key import wrong

    return wrong(value)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    method = planning.method
    for index in rules:  # the first one that fits
        rule = planning.rules.rules[index]
        path, root = "", None
        if by := rule.clause("by"):
            from classhook.measures.watch.context_key import root_of

            path, root = root_of(planning, code, index, by)
            if root is None:
                continue
        name = rule.name or f"{planning.cf.name.replace('/', '.')}.{method.name}"
        begun = Begun(name, path, root, bool(rule.clause("onward")))
        probes.append(Probe(CONTEXT, BEGINS, CH_CONTEXT_SLOTS, index, detail=begun, text_bytes=len(name) + len(path)))
        return rules[rules.index(index) :]
    return ()


def close(probes: list[Probe]) -> None:
    """Adds the probe that ends the context, if these begin one; it has no slot."""
    for probe in probes:
        if probe.kind == BEGINS:
            probes.append(Probe(CONTEXT, ENDS, 0, probe.rule, detail=probe.detail))
            return


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    begun = probe.detail
    if not isinstance(begun, Begun):
        raise TypeError(probe.kind)
    if probe.kind == BEGINS:
        number = weaver.number(slot + CH_CONTEXT_REFUSED)
        if begun.root is None:
            begin = number + weaver.call("beginContext", b"(I)I")
        else:
            begin = begun.root.code(weaver) + number + weaver.call("beginContextBy", b"(Ljava/lang/Object;I)I")
        if weaver.resumable is None:
            begun.load = weaver.new_local(begin, STACK)
        else:
            insert_resumed_begin(weaver, begun, begin)
    elif weaver.resumable is None:
        end = "endContextOnward" if begun.onward else "endContext"
        insert_ending(weaver, begun.load, end, end)
    else:
        insert_exits(weaver, begun.load + weaver.call("endContext", LEAVE), returns=weaver.resumable.waits)
        leave = (
            weaver.call("endContextOnward", LEAVE)
            if begun.onward
            else begun.around + weaver.call("leaveCall", b"(IJ)V")
        )
        insert_call_exits(weaver, begun.load + leave, LEAVING)
        ranges = weaver.handled()
        if ranges:
            weaver.handle(begun.load + leave, ranges, LEAVING)


def insert_resumed_begin(weaver: MethodWeaver, begun: Begun, begin: bytes) -> None:
    """Inserts the begin of a context in a suspend function."""
    depth = weaver.local_at_start(bytes((ICONST_0,)), 1)
    own = weaver.local_at_start(LCONST_0_CODE, 2, NO_LABELS, LONG)
    around = weaver.local_at_start(UNKNOWN, 2, NO_LABELS, LONG)
    own_found = depth.load + weaver.call("contextAt", b"(I)J") + own.store
    around_found = depth.load + weaver.call("contextAround", b"(I)J") + around.store
    weaver.at_call(begin + depth.store + own_found + around_found, STACK)
    carry(weaver, own, LONG)
    carry(weaver, around, LONG, UNKNOWN)
    weaver.at_resumption(own.load + weaver.call("resumeContext", b"(J)I") + depth.store, 2)
    begun.load = depth.load
    begun.around = around.load


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    begun = probe.detail
    return ContextRecord(
        probe.kind,
        slot,
        probe.rule,
        method,
        descriptor,
        *((begun.name, begun.path) if isinstance(begun, Begun) else ("", "")),
    )


CONTEXT = Measure(
    word=Word(
        "context",
        METHODS,
        (
            Clause("by", "EXPRESSION", wrong_by, about="separate numbers for each value, the key"),
            Clause("onward", NO_VALUE, about="the rest of the enclosing context belongs to this context, too"),
        ),
        needs="context",
        about="work in a matching method, and in the tasks that it submits, is also reported separately",
    ),
    kinds={BEGINS: CH_CONTEXT_SLOTS},
    plan=plan,
    insert=insert,
    lost="not told apart",
    record=record,
)
