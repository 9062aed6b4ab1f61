"""`event`: calls that a handler in Python is told of (instrument/agent). What the handler asked for decides what is inserted:

    entry      number, this, arguments, entered
    exit       copy of the result, number, start, this, arguments, left
               in a handler of all that is thrown: the throwable, number, start, this, arguments, threw, athrow

`start` and `this` are in new locals, set at the entry; arguments are an array, made at the entry, in a new local if the exit wants them. What
nobody asked for is null. Rules of this word are written by the agent itself; `handler N` is the number by which it knows who asked.
"""

from __future__ import annotations

from classfile.frames import LONG, OBJECT
from classfile.insertions import Insertion
from instrument.measures import count
from instrument.measures.base import Measure, Planning, Probe
from instrument.measures.exits import insert_exits
from instrument.weaving import reasons
from instrument.weaving.method_weaver import local_op
from native._slots import CH_COUNT_SLOTS
from rules.words import METHODS, NO_VALUE, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classfile.code import Code
    from instrument.data.tally import ClassReader, ProbeLine
    from instrument.weaving.method_weaver import MethodWeaver

ACC_STATIC: Final = 0x0008
ACONST_NULL, ALOAD_0, DUP, DUP2, AASTORE, LCONST_0 = b"\x01", b"\x2a", b"\x59", b"\x5c", b"\x53", b"\x09"
LEAVE: Final = b"(Ljava/lang/Object;IJLjava/lang/Object;[Ljava/lang/Object;)V"
STORES_TO_0: Final = frozenset({0x3B, 0x3F, 0x43, 0x47, 0x4B})  # istore_0, lstore_0, ... (JVMS 6.5)
WIDE: Final = 0xC4
STORES: Final = frozenset({0x36, 0x37, 0x38, 0x39, 0x3A})
ARRAY: Final = b"[Ljava/lang/Object;"
MOST_STACK: Final = 9

#: By the first letter of a descriptor: load, its short form, slots, the tracker's method that makes an object of it.
LOADS: Final = {
    "Z": (0x15, 0x1A, 1, "boxBoolean"), "B": (0x15, 0x1A, 1, "boxByte"), "C": (0x15, 0x1A, 1, "boxChar"), "S": (0x15, 0x1A, 1, "boxShort"),
    "I": (0x15, 0x1A, 1, "boxInt"), "J": (0x16, 0x1E, 2, "boxLong"), "F": (0x17, 0x22, 1, "boxFloat"), "D": (0x18, 0x26, 2, "boxDouble"),
    "L": (0x19, 0x2A, 1, ""), "[": (0x19, 0x2A, 1, ""),
}  # fmt: skip
#: The tracker makes objects of numbers by these.
BOXES: Final = frozenset({f"java.lang.{name}" for name in ("Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double", "Number")})


class Wanted:
    """What the handlers of a method asked for."""

    __slots__ = ("entry", "entry_args", "exit", "exit_args", "value")

    def __init__(self) -> None:
        self.entry = False
        self.entry_args = False
        self.exit = False
        self.exit_args = False
        self.value = False


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    wanted = Wanted()
    told: list[str] = []
    for index in rules:
        rule = planning.rules.rules[index]
        args = bool(rule.clause("args"))
        if rule.clause("exit"):
            wanted.exit = True
            wanted.exit_args |= args
            wanted.value |= bool(rule.clause("value"))
        else:
            wanted.entry = True
            wanted.entry_args |= args
        told.append((rule.clause("handler") or "0") + ("x" if rule.clause("exit") else "e"))
    probes.append(Probe(EVENT, "n", CH_COUNT_SLOTS, rules[0], ".".join(told), wanted))
    return rules


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    context = weaver.context
    has_this = not context.access_flags & ACC_STATIC
    known = has_this and not context.is_init  # before super() there is no object yet
    number = weaver.number(slot)
    made = arguments(weaver, context.descriptor.decode("utf-8", "replace"), has_this)
    this, args, start = ACONST_NULL, ACONST_NULL, LCONST_0
    if wanted.exit_args:
        args = weaver.new_local(made, MOST_STACK, local_type=weaver.object_type(ARRAY))
    if wanted.exit:
        if known:  # our handler's frame has the new locals only
            this = weaver.new_local(ALOAD_0, MOST_STACK, local_type=OBJECT + context.this_class.to_bytes(2, "big"))
        start = weaver.new_local(weaver.call("now", b"()J"), MOST_STACK, local_type=LONG)
    if wanted.entry:
        told = (args if wanted.exit_args else made) if wanted.entry_args else ACONST_NULL
        entered = number + (ALOAD_0 if known else ACONST_NULL) + told + weaver.call("entered", b"(ILjava/lang/Object;[Ljava/lang/Object;)V")
        weaver.insertions.append(Insertion(0, entered, stack=MOST_STACK))
    if wanted.exit:
        constructed = has_this and not known and not overwrites_this(weaver.code)
        insert_returns(weaver, number + start + (ALOAD_0 if constructed else this) + args, wanted.value)
        ranges = weaver.handled()
        if ranges:
            weaver.handle(DUP + number + start + this + args + weaver.call("threw", LEAVE), ranges, MOST_STACK)


def arguments(weaver: MethodWeaver, descriptor: str, has_this: bool) -> bytes:
    """Code that makes an array of the arguments."""
    types = parameters(descriptor)
    code = [small(len(types)), weaver.call("array", b"(I)[Ljava/lang/Object;")]
    local = 1 if has_this else 0
    for i, letter in enumerate(types):
        load, short, slots, box = LOADS[letter]
        code += [DUP, small(i), local_op(load, short, local)]
        if box:
            code.append(weaver.call(box, f"({letter})Ljava/lang/Object;".encode()))
        code.append(AASTORE)
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


def small(number: int) -> bytes:
    """Pushes a number of 0 to 255: a method has no more parameters."""
    return bytes((3 + number,)) if number < 6 else (0x11 << 16 | number).to_bytes(3, "big")


def insert_returns(weaver: MethodWeaver, told: bytes, value: bool) -> None:
    """`told`: what is pushed behind the result. Raises CodeTooLarge."""
    result = weaver.context.descriptor.decode("utf-8", "replace").rpartition(")")[2][0]
    copy = ACONST_NULL
    if value and result != "V":
        _, _, slots, box = LOADS[result]
        copy = DUP2 if slots == 2 else DUP
        if box:
            copy += weaver.call(box, f"({result})Ljava/lang/Object;".encode())
    insert_exits(weaver, copy + told + weaver.call("left", LEAVE), MOST_STACK)


def overwrites_this(code: Code) -> bool:
    """Whether local 0 may be something else at the end; no compiler for Java does that."""
    text, bounds = code.code, code.scan().bounds
    for pc in range(len(text)):  # noqa: SIM110  # any() would create a generator
        if bounds[pc] and (text[pc] in STORES_TO_0 or (text[pc] in STORES and text[pc + 1] == 0) or text[pc] == WIDE):
            return True
    return False


def obstacle(class_name: str) -> tuple[str, str] | None:
    if class_name in BOXES:
        return reasons.TRACKER, "handlers are not told of its methods: arguments are passed to them by it"
    return None


def read(reader: ClassReader, line: ProbeLine) -> None:
    """What handlers did is in the notes; their methods have no row of their own."""


EVENT = Measure(
    word=Word("event", METHODS, (Clause("handler", "NUMBER"), Clause("exit", NO_VALUE), Clause("args", NO_VALUE), Clause("value", NO_VALUE))),
    letters={"n": CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    read=read,
    table=count.table,
    lost="handlers are not told of it",
    gives_way=0,
    obstacle=obstacle,
)
