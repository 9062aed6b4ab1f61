"""Data that probes keep of a call while a suspend function waits: locals that are set where the call begins, and again
where it goes on.

    at the start       0 or null, store
    called             what the measure pushes, store
    both, by calls     own, an array of what is in these locals, callWaits, store
    resumed            own, callGoesOn, store; for each of them: load, index, otherwise, its value, store
    exits by which the call ends, and the handler of all that is thrown: load, callEnds

The tracker keeps the array by the function's own continuation (native/tracker/Waiting.java) from where the call
begins: another thread may resume the function before this one has returned from it. `otherwise` is for calls that began
before the class was woven.
"""

from __future__ import annotations

from classhook.classfile.frames import INTEGER, LONG, OBJECT
from classhook.classfile.insertions import NO_LABELS, Insertion
from classhook.classfile.opcodes import AASTORE_CODE, ACONST_NULL_CODE, ALOAD, ALOAD_0, DUP_CODE, ICONST_0, SIPUSH_CODE
from classhook.probes.exits import insert_call_exits
from classhook.probes.method_weaver import UNSET, Local, MethodWeaver, local_op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.insertions import Label

WAITING: Final = "carried"  # in MethodWeaver.kept
OBJECTS: Final = b"[Ljava/lang/Object;"
STACK: Final = 7  # slots of the operand stack that keeping a value needs, at most
#: By the verification type of a local: what makes an object of its value, and what reads it from the array; the
#: latter's descriptor.
KEPT: Final = {
    INTEGER: (("boxInt", b"(I)Ljava/lang/Object;"), ("keptInt", b"(Ljava/lang/Object;II)I")),
    LONG: (("boxLong", b"(J)Ljava/lang/Object;"), ("keptLong", b"(Ljava/lang/Object;IJ)J")),
    OBJECT: (("", b""), ("keptObjects", b"(Ljava/lang/Object;I)[Ljava/lang/Object;")),
}


class Waiting:
    """The kept data of a method: the local with the tracker's array, and code that puts each value into the array on
    the stack."""

    __slots__ = ("local", "puts")

    def __init__(self, local: Local) -> None:
        self.local = local
        self.puts: list[bytes] = []


def call_local(
    weaver: MethodWeaver,
    value: bytes,
    stack: int,
    labels: list[Label] = NO_LABELS,
    local_type: bytes = INTEGER,
    lost: bytes = b"",
    heavy: bool = False,
) -> Local:
    """Sets a new local where a call begins, which keeps its value until the call ends; the arguments are as for
    MethodWeaver.new_local.

    `lost`: pushes the value of a call whose values were lost, if that is not 0 or null. `local_type`: of objects, only
    an array of them. `heavy`: its elements may be any objects of the program, which must not live longer for that: what
    the program has dropped while it waited is null.
    """
    if weaver.resumable is None:
        return weaver.local_at_start(value, stack, labels, local_type)
    local = weaver.local_at_start(UNSET[local_type[:1]], 2, NO_LABELS, local_type)
    weaver.at_call(value + local.store, stack, labels)
    carry(weaver, local, local_type, lost, heavy)
    return local


def carry(
    weaver: MethodWeaver, local: Local, local_type: bytes = INTEGER, lost: bytes = b"", heavy: bool = False
) -> None:
    """The same, for a local that is set otherwise where the call begins."""
    waiting = _waiting(weaver)
    (box, boxed), (read, kept) = KEPT[local_type[:1]]
    index = small(len(waiting.puts))
    made = (
        weaver.call(box, boxed) if box else weaver.call("lightened", b"(%b)%b" % (OBJECTS, OBJECTS)) if heavy else b""
    )
    waiting.puts.append(DUP_CODE + index + local.load + made + AASTORE_CODE)
    otherwise = b"" if local_type[:1] == OBJECT else lost or UNSET[local_type[:1]]
    back = weaver.call("regained", b"(%b)%b" % (OBJECTS, OBJECTS)) if heavy else b""
    weaver.at_resumption(waiting.local.load + index + otherwise + weaver.call(read, kept) + back + local.store, STACK)


def _waiting(weaver: MethodWeaver) -> Waiting:
    found = weaver.kept.get(WAITING)
    if isinstance(found, Waiting):
        return found
    waiting = Waiting(weaver.local_at_start(ACONST_NULL_CODE, 2, NO_LABELS, weaver.object_type(b"java/lang/Object")))
    weaver.kept[WAITING] = waiting
    weaver.at_resumption(
        _own(weaver)
        + _woven(weaver)
        + weaver.call("callGoesOn", b"(Ljava/lang/Object;I)Ljava/lang/Object;")
        + waiting.local.store,
        2,
    )
    return waiting


def close(weaver: MethodWeaver) -> None:
    """Puts in what all the values need together, when all measures have inserted their probes. Raises CodeTooLarge."""
    of = weaver.resumable
    if of is None:
        return
    waiting = weaver.kept.get(WAITING)
    if not isinstance(waiting, Waiting):
        return
    array = small(len(waiting.puts)) + weaver.call("array", b"(I)" + OBJECTS) + b"".join(waiting.puts)
    keeps = weaver.call("callWaits", b"(Ljava/lang/Object;%bI)Ljava/lang/Object;" % OBJECTS)
    weaver.insertions.append(
        Insertion(of.both_pc, _own(weaver) + array + _woven(weaver) + keeps + waiting.local.store, stack=STACK)
    )
    ends = waiting.local.load + weaver.call("callEnds", b"(Ljava/lang/Object;)V")
    insert_call_exits(weaver, ends)
    ranges = weaver.handled()
    if ranges:
        weaver.handle(ends, ranges, 1)


def _own(weaver: MethodWeaver) -> bytes:
    """Pushes the function's own continuation."""
    return b"" if weaver.resumable is None else local_op(ALOAD, ALOAD_0, weaver.resumable.own)


def _woven(weaver: MethodWeaver) -> bytes:
    """Pushes a number of this woven code: a slot of its own."""
    return weaver.number(weaver.first_slot)


def small(number: int) -> bytes:
    """Pushes a number of 0 to 255: a method has no more parameters."""
    return bytes((ICONST_0 + number,)) if number < 6 else SIPUSH_CODE + number.to_bytes(2, "big")
