"""`event`: calls that a handler in Python is called for (instrument/agent/). The handler's requests decide what is
inserted:

    entry      number, this, arguments, entered
    exit       copy of the result, number, start, this, arguments, left
               in a handler of all that is thrown: the throwable, number, start, this, arguments, threw, athrow

`start` and `this` are in new locals, set at the entry; arguments are an array, made at the entry, in a new local if the
exit wants them. Values that nobody asked for are null. Rules of this word are written by the agent itself; `handler N`
is the number by which it knows who asked.
"""

from __future__ import annotations

from classhook.classfile.frames import LONG, OBJECT
from classhook.classfile.opcodes import (
    AASTORE_CODE,
    ACONST_NULL_CODE,
    ALOAD,
    ALOAD_0,
    ALOAD_0_CODE,
    ASTORE,
    ASTORE_0,
    DLOAD,
    DLOAD_0,
    DSTORE,
    DSTORE_0,
    DUP2_CODE,
    DUP_CODE,
    FLOAD,
    FLOAD_0,
    FSTORE,
    FSTORE_0,
    ILOAD,
    ILOAD_0,
    ISTORE,
    ISTORE_0,
    LCONST_0_CODE,
    LLOAD,
    LLOAD_0,
    LSTORE,
    LSTORE_0,
    WIDE_PREFIX,
)
from classhook.native._slots import CH_COUNT_SLOTS
from classhook.probes import reasons
from classhook.probes.carried import call_local, small
from classhook.probes.exits import insert_call_exits
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.method_weaver import local_op
from classhook.probes.records import EventRecord
from classhook.rules.words import METHODS, NO_VALUE, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record

CALLED: Final = "event"
ACC_STATIC: Final = 0x0008
LEAVE: Final = b"(Ljava/lang/Object;IJLjava/lang/Object;[Ljava/lang/Object;)V"
STORES_TO_0: Final = frozenset({ISTORE_0, LSTORE_0, FSTORE_0, DSTORE_0, ASTORE_0})
STORES: Final = frozenset({ISTORE, LSTORE, FSTORE, DSTORE, ASTORE})
ARRAY: Final = b"[Ljava/lang/Object;"
MOST_STACK: Final = 9

#: By the first letter of a descriptor: load, its short form, slots, the tracker's method that makes an object of it.
LOADS: Final = {
    "Z": (ILOAD, ILOAD_0, 1, "boxBoolean"),
    "B": (ILOAD, ILOAD_0, 1, "boxByte"),
    "C": (ILOAD, ILOAD_0, 1, "boxChar"),
    "S": (ILOAD, ILOAD_0, 1, "boxShort"),
    "I": (ILOAD, ILOAD_0, 1, "boxInt"),
    "J": (LLOAD, LLOAD_0, 2, "boxLong"),
    "F": (FLOAD, FLOAD_0, 1, "boxFloat"),
    "D": (DLOAD, DLOAD_0, 2, "boxDouble"),
    "L": (ALOAD, ALOAD_0, 1, ""),
    "[": (ALOAD, ALOAD_0, 1, ""),
}
#: The tracker makes objects of numbers by these.
BOXES: Final = frozenset(
    {
        f"java.lang.{name}"
        for name in ("Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double", "Number")
    }
)


class Wanted:
    """The requests of a method's handlers. `entry`, `exit`: their numbers."""

    __slots__ = ("entry", "entry_args", "exit", "exit_args", "value")

    def __init__(self) -> None:
        self.entry: list[int] = []
        self.entry_args = False
        self.exit: list[int] = []
        self.exit_args = False
        self.value = False


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    wanted = Wanted()
    for index in rules:
        rule = planning.rules.rules[index]
        args = bool(rule.clause("args"))
        handler = int(rule.clause("handler") or "0")
        if rule.clause("exit"):
            wanted.exit.append(handler)
            wanted.exit_args |= args
            wanted.value |= bool(rule.clause("value"))
        else:
            wanted.entry.append(handler)
            wanted.entry_args |= args
    probes.append(Probe(EVENT, CALLED, CH_COUNT_SLOTS, rules[0], wanted))
    return rules


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    return EventRecord(probe.kind, slot, probe.rule, method, descriptor, tuple(wanted.entry), tuple(wanted.exit))


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    context = weaver.context
    has_this = not context.access_flags & ACC_STATIC
    known = has_this and not context.is_init  # before super() there is no object yet
    number = weaver.number(slot)
    made = arguments(weaver, context.descriptor.decode("utf-8", "replace"), has_this)
    this, args, start = ACONST_NULL_CODE, ACONST_NULL_CODE, LCONST_0_CODE
    if wanted.exit_args:
        args = call_local(weaver, made, MOST_STACK, local_type=weaver.object_type(ARRAY), heavy=True).load
    if wanted.exit:
        if known:  # our handler's frame has the new locals only
            this = weaver.local_at_start(
                ALOAD_0_CODE, MOST_STACK, local_type=OBJECT + context.this_class.to_bytes(2, "big")
            ).load
        start = call_local(weaver, weaver.call("now", b"()J"), MOST_STACK, local_type=LONG).load
    if wanted.entry:
        told = (args if wanted.exit_args else made) if wanted.entry_args else ACONST_NULL_CODE
        entered = (
            number
            + (ALOAD_0_CODE if known else ACONST_NULL_CODE)
            + told
            + weaver.call("entered", b"(ILjava/lang/Object;[Ljava/lang/Object;)V")
        )
        weaver.at_call(entered, MOST_STACK)
    if wanted.exit:
        constructed = has_this and not known and not overwrites_this(weaver.code)
        insert_returns(weaver, number + start + (ALOAD_0_CODE if constructed else this) + args, wanted.value)
        ranges = weaver.handled()
        if ranges:
            weaver.handle(DUP_CODE + number + start + this + args + weaver.call("threw", LEAVE), ranges, MOST_STACK)


def arguments(weaver: MethodWeaver, descriptor: str, has_this: bool) -> bytes:
    """Code that makes an array of the arguments."""
    types = parameters(descriptor)
    code = [small(len(types)), weaver.call("array", b"(I)[Ljava/lang/Object;")]
    local = 1 if has_this else 0
    for i, letter in enumerate(types):
        load, short, slots, box = LOADS[letter]
        code += [DUP_CODE, small(i), local_op(load, short, local)]
        if box:
            code.append(weaver.call(box, f"({letter})Ljava/lang/Object;".encode()))
        code.append(AASTORE_CODE)
        local += slots
    return b"".join(code)


def parameters(descriptor: str) -> str:
    """The first letter of each parameter's descriptor (JVMS 4.3.3)."""
    letters = []
    at = 1
    while descriptor[at] != ")":
        letters.append(descriptor[at])
        while descriptor[at] == "[":
            at += 1
        at = descriptor.index(";", at) + 1 if descriptor[at] == "L" else at + 1
    return "".join(letters)


def insert_returns(weaver: MethodWeaver, told: bytes, value: bool) -> None:
    """`told`: what is pushed behind the result. Raises CodeTooLarge."""
    result = weaver.context.descriptor.decode("utf-8", "replace").rpartition(")")[2][0]
    copy = ACONST_NULL_CODE
    if value and result != "V":
        _, _, slots, box = LOADS[result]
        copy = DUP2_CODE if slots == 2 else DUP_CODE
        if box:
            copy += weaver.call(box, f"({result})Ljava/lang/Object;".encode())
    insert_call_exits(weaver, copy + told + weaver.call("left", LEAVE), MOST_STACK)


def overwrites_this(code: Code) -> bool:
    """True if local 0 may be something else at the end; no compiler for Java does that."""
    text, bounds = code.code, code.scan().bounds
    for pc in range(len(text)):  # any() would create a generator
        if bounds[pc] and (
            text[pc] in STORES_TO_0 or (text[pc] in STORES and text[pc + 1] == 0) or text[pc] == WIDE_PREFIX
        ):
            return True
    return False


def obstacle(class_name: str) -> tuple[str, str] | None:
    if class_name in BOXES:
        return reasons.TRACKER, "its methods have no events: it passes arguments to handlers"
    return None


EVENT = Measure(
    word=Word(
        "event",
        METHODS,
        (Clause("handler", "NUMBER"), Clause("exit", NO_VALUE), Clause("args", NO_VALUE), Clause("value", NO_VALUE)),
    ),
    kinds={CALLED: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="it has no events",
    obstacle=obstacle,
    record=record,
)
