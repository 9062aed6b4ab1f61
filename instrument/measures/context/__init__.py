"""`context`: what a thread counts while a method runs is told apart from all else (native/contexts/attribution.c).

Around all that the other measures insert, so that the method itself belongs to the context:

    entry     number, beginContext, store
    exit      load, endContext
    handler   of all that is thrown: load, endContext, athrow

A suspend function's call goes on in its context, and leaves that where it ends:

    called    number, beginContext, store, load, contextAt, store, load, contextAround, store      (both are carried)
    resumed   context, resumeContext, store          waits   load, leaveWaiting        ends   load, around, leaveCall

With `onward`, endContextOnward takes the place of endContext: the rest of the context around it belongs to this one,
too.

With `by`, beginContextBy is also passed the root of the path, from which the agent reads the key
(instrument/measures/watch/context_key.py, native/watch/context_keys.c); with several values an array of their roots.

With `when`, what decides the condition is before that: code alone, or an array as for `watch`, which the agent is asked
about (watch/insertion.py). Where it does not hold, no context begins, and the method runs in the one around it.

A method has two probes for that: this measure comes first, so that the context begins before other probes; and another
one, planned after all others, ends it (close).
"""

from __future__ import annotations

from classhook.classfile.frames import INTEGER, LONG
from classhook.classfile.insertions import NO_LABELS, Label
from classhook.classfile.opcodes import AASTORE_CODE, DUP_CODE, GOTO, I2L, ICONST_0, ICONST_M1, IFNULL, LCONST_0_CODE
from classhook.native._slots import CH_CONTEXT_REFUSED, CH_CONTEXT_SLOTS, CH_WATCH_SLOTS
from classhook.probes.carried import carry, small
from classhook.probes.exits import LEAVE, insert_call_exits, insert_ending, insert_exits
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import ContextRecord
from classhook.rules.words import METHODS, NO_VALUE, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.context_key import Root
    from classhook.measures.watch.insertion import Wanted
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.words import Mistaken

BEGINS, ENDS, ASKED = "context", "context-end", "context-when"
STACK: Final = 5  # slots of the operand stack that beginning needs, at most, ...
LEAVING: Final = 3  # ... and ending
NONE_BEGUN: Final = bytes((ICONST_0,))
UNKNOWN: Final = bytes((ICONST_M1, I2L))  # in place of the context around a call that began in none of its own


class Begun:
    """The data of both probes: the context's name, the paths to the values that tell contexts of this name apart, with
    blanks between them ("": there is one), the roots of these paths, whether it goes on in the context around it, the
    code that loads the result of the entry, and, for a suspend function, the code that pushes the context around the
    call; its condition, and the slots of its probe and of the one that asks the agent for the condition; the one that
    begins if the condition does not hold."""

    __slots__ = ("around", "asked", "first", "load", "name", "onward", "otherwise", "paths", "roots", "slot", "wanted")

    def __init__(self, name: str, paths: str, roots: list[Root], onward: bool, wanted: Wanted | None) -> None:
        self.asked = self.slot = 0
        self.otherwise: Begun | None = None
        self.first = self  # of those that `otherwise` leads through
        self.wanted = wanted
        self.onward = onward
        self.name = name
        self.paths = paths
        self.roots = roots
        self.load = b""
        self.around = b""


def wrong_by(value: str) -> Mistaken | None:
    from classhook.measures.keys import wrong_parts
    from classhook.measures.watch.context_key import wrong

    return wrong_parts(value, wrong)


def wrong_when(value: str) -> Mistaken | None:
    from classhook.measures.chosen_calls import wrong_when as wrong
    from classhook.rules.condition_parser import condition
    from classhook.rules.conditions import paths_in

    if mistake := wrong(value):
        return mistake
    for path in paths_in(condition(value)):
        if path.at_end:
            message = f"`{path.root}` is not known yet when a context begins"
            return message, "`this`, `arg0`, a parameter's name, `thread`", max(value.find(path.root), 0)
    return None


def condition_of(planning: Planning, code: Code, index: int) -> Wanted | None:
    """The values that the agent needs for the condition of a rule; None: the method does not have them."""
    from classhook.measures.watch.insertion import wanted_by
    from classhook.rules.conditions import Shown

    found = wanted_by(planning, code, (index,), lambda rule: Shown((), -1, 0))
    return found[index][0] if index in found else None


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """Probes for the first rule that fits, and for the following ones as long as those before have conditions; returns
    the rules that fit."""
    last, fit = None, []
    for index in rules:
        if last is not None and last.wanted is None:
            fit.append(index)  # what they would begin has begun
            continue
        rule = planning.rules.rules[index]
        wanted = None
        if rule.clause("when") and (wanted := condition_of(planning, code, index)) is None:
            continue
        paths, roots = roots_of(planning, code, index)
        if rule.clause("by") and not roots:
            continue
        name = rule.name or f"{planning.cf.name.replace('/', '.')}.{planning.method.name}"
        begun = Begun(name, paths, roots, bool(rule.clause("onward")), wanted)
        if last is not None and last.onward != begun.onward:
            why = f"`onward`: of the rules `context` for {planning.method.name}, all must have it, or none"
            planning.unfit.setdefault((index, why), planning.method)
            continue
        if last is not None:
            last.otherwise, begun.first = begun, last.first
        last = begun
        fit.append(index)
        if wanted is not None and wanted.left is not None:
            probes.append(Probe(CONTEXT, ASKED, CH_WATCH_SLOTS, index, begun, len(rule.text)))
        probes.append(Probe(CONTEXT, BEGINS, CH_CONTEXT_SLOTS, index, detail=begun, text_bytes=len(name) + len(paths)))
    return tuple(fit)


def roots_of(planning: Planning, code: Code, index: int) -> tuple[str, list[Root]]:
    """The paths of the rule with this index, as the agent reads them, and their roots; none if the method lacks one of
    them."""
    from classhook.measures.watch.context_key import root_of

    paths: list[str] = []
    roots: list[Root] = []
    for by in filter(None, planning.rules.rules[index].clause("by").split(",")):
        path, root = root_of(planning, code, index, by)
        if root is None:
            return "", []
        paths.append(path)
        roots.append(root)
    return " ".join(paths), roots


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
    if probe.kind == ASKED:
        begun.asked = slot
    elif probe.kind == BEGINS:
        begun.slot = slot
        if begun.otherwise is not None:
            return  # the slots of all must be known
        begin, stack, labels = begin_code(weaver, begun.first)
        if weaver.resumable is None:
            begun.first.load = weaver.new_local(begin, stack, labels)
        else:
            insert_resumed_begin(weaver, begun.first, begin, stack, labels)
    elif weaver.resumable is None:
        end = "endContextOnward" if begun.onward else "endContext"
        insert_ending(weaver, begun.load, end, end)
    else:
        insert_exits(weaver, begun.load + weaver.call("leaveWaiting", LEAVE), returns=weaver.resumable.waits)
        leave = (
            weaver.call("endContextOnward", LEAVE)
            if begun.onward
            else begun.around + weaver.call("leaveCall", b"(IJ)V")
        )
        insert_call_exits(weaver, begun.load + leave, LEAVING)
        ranges = weaver.handled()
        if ranges:
            weaver.handle(begun.load + leave, ranges, LEAVING)


def begin_code(weaver: MethodWeaver, begun: Begun) -> tuple[bytes, int, list[Label]]:
    """The code that begins a context and pushes its depth, its stack and labels. If the condition does not hold, the
    code tries what is otherwise to begin; if there is nothing, it pushes that none has begun."""
    number = weaver.number(begun.slot + CH_CONTEXT_REFUSED)
    if not begun.roots:
        begin = number + weaver.call("beginContext", b"(I)I")
    else:
        begin = roots_code(weaver, begun.roots) + number + weaver.call("beginContextBy", b"(Ljava/lang/Object;I)I")
    if begun.wanted is None:
        return begin, STACK, NO_LABELS
    return begin_if(weaver, begun.wanted, begun.asked, begin, begun.otherwise)


def roots_code(weaver: MethodWeaver, roots: list[Root]) -> bytes:
    """Code that pushes a root, or an array of several."""
    if len(roots) == 1:
        return roots[0].code(weaver)
    code = small(len(roots)) + weaver.call("array", b"(I)[Ljava/lang/Object;")
    for i, root in enumerate(roots):
        code += DUP_CODE + small(i) + root.code(weaver) + AASTORE_CODE
    return code


def begin_if(
    weaver: MethodWeaver, wanted: Wanted, asked: int, begin: bytes, otherwise: Begun | None
) -> tuple[bytes, int, list[Label]]:
    from classhook.measures.event import ARRAY, MOST_STACK
    from classhook.measures.watch import insertion
    from classhook.measures.watch.condition_code import Assembly, ConditionCode

    if wanted.left is None:
        code = Assembly()
        code.labels = none = insertion.FALSE
        assert wanted.condition is not None
        ConditionCode(wanted.method, weaver.pool).unless(code, wanted.condition, none)
    else:
        code, _ = insertion.pushed_array(weaver, wanted, weaver.number(asked), released=False)
        none = code.new_label()
        code.jump(IFNULL, none)
    code.add(begin)
    done = code.new_label()
    code.jump(GOTO, done)
    code.here(none)
    other, _, within = begin_code(weaver, otherwise) if otherwise is not None else (NONE_BEGUN, 0, NO_LABELS)
    code.add(other)
    code.here(done)
    made, places = code.code()
    stacks = {done: [INTEGER]}
    if wanted.left is not None:
        stacks[insertion.END] = [weaver.object_type(ARRAY)]
    labels = [Label(at, stacks.get(label, [])) for label, at in places.items()]
    moved = [Label(places[none] + one.offset, one.stack) for one in within]
    labels += [one for one in moved if one.offset != places[done]]  # what is within ends there, too
    return made, max(STACK, MOST_STACK), labels


def insert_resumed_begin(weaver: MethodWeaver, begun: Begun, begin: bytes, stack: int, labels: list[Label]) -> None:
    """Inserts the begin of a context in a suspend function."""
    depth = weaver.local_at_start(bytes((ICONST_0,)), 1)
    own = weaver.local_at_start(LCONST_0_CODE, 2, NO_LABELS, LONG)
    around = weaver.local_at_start(UNKNOWN, 2, NO_LABELS, LONG)
    own_found = depth.load + weaver.call("contextAt", b"(I)J") + own.store
    around_found = depth.load + weaver.call("contextAround", b"(I)J") + around.store
    weaver.at_call(begin + depth.store + own_found + around_found, stack, labels)
    carry(weaver, own, LONG)
    carry(weaver, around, LONG, UNKNOWN)
    weaver.at_resumption(own.load + weaver.call("resumeContext", b"(J)I") + depth.store, 2)
    begun.load = depth.load
    begun.around = around.load


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    begun = probe.detail
    if probe.kind == ASKED:
        from classhook.measures.watch.insertion import record_of

        assert isinstance(begun, Begun)
        assert begun.wanted is not None
        return record_of(probe, slot, method, descriptor, begun.wanted, [])
    return ContextRecord(
        probe.kind,
        slot,
        probe.rule,
        method,
        descriptor,
        *((begun.name, begun.paths) if isinstance(begun, Begun) else ("", "")),
    )


CONTEXT = Measure(
    word=Word(
        "context",
        METHODS,
        (
            Clause(
                "when",
                "EXPRESSION",
                wrong_when,
                expects="a condition (`arg0 > 100`)",
                about="only if this is true",
            ),
            Clause(
                "by",
                "EXPRESSION",
                wrong_by,
                expects="values that name the context (`arg0.tenant`)",
                about="a context of its own for each value",
            ),
            Clause("onward", NO_VALUE, about="the rest of the enclosing context belongs to this context, too"),
        ),
        needs="context",
        about="work in a matching method, and in the tasks that it submits, is also reported separately",
    ),
    kinds={BEGINS: CH_CONTEXT_SLOTS, ASKED: CH_WATCH_SLOTS},
    plan=plan,
    insert=insert,
    lost="not told apart",
    record=record,
)
