"""Keys that are known when a call ends: `count ... by result`, `by result.state`, `by exception`, `by outcome`.

    before each return    the result once more, number, keyNumber | keyOf | key, count
                      or: null, number, keyOf, count                       with `exception`, whose key is then `null`
                      or: the text "returned", number, keyOf, count        with `outcome`
    in a handler of all   the throwable once more, number, keyOf, count    with both

A call that throws has no result, and so no key.
"""

from __future__ import annotations

from classhook.classfile.opcodes import ACONST_NULL_CODE, DUP2_CODE, DUP_CODE, LDC_W_CODE
from classhook.measures.event import LOADS
from classhook.measures.watch.agent_words import written
from classhook.measures.watch.insertion import names
from classhook.measures.watch.watched_method import WatchedMethod
from classhook.probes.exits import insert_call_exits
from classhook.rules.clause_values import is_of_end, root_of
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import Path
from classhook.rules.path_parser import path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.measure import Planning
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.rules.words import Mistaken

OUTCOME: Final = "outcome"
RETURNED: Final = "returned"
STACK: Final = 5  # slots of the operand stack above a result
I2L: Final = b"\x85"  # JVMS 6.5
INTS: Final = "ZBCSI"
COUNTED: Final = b"(I)V"
OBJECT: Final = b"Ljava/lang/Object;"


class EndKey:
    """`kind`: the result's descriptor, empty if the key is the exception; `returned`: the key of a call that returns,
    then, empty: null; `top`: how many keys have slots of their own."""

    __slots__ = ("kind", "path", "returned", "top")

    def __init__(self, path: Path, kind: str, returned: str, top: int) -> None:
        self.path = path
        self.returned = returned
        self.kind = kind
        self.top = top

    @property
    def words(self) -> str:
        """The key as the agent reads it."""
        return written(self.path)

    def insert(self, weaver: MethodWeaver, slot: int, below: bool = False) -> None:
        """Counts each call by its key; `slot`: the probe's first. `below`: only those that a region is told of."""
        number = weaver.number(slot)

        def counted(key: str, kind: bytes) -> bytes:
            if below:
                return number + weaver.call(f"count{key[0].upper()}{key[1:]}Below", b"(%bI)V" % kind)
            return number + weaver.call(key, b"(%bI)I" % kind) + weaver.call("count", COUNTED)

        if self.kind:
            insert_call_exits(weaver, self._by_result(weaver, counted), STACK)
            return
        by_object, returned = counted("keyOf", OBJECT), ACONST_NULL_CODE
        if self.returned:
            returned = LDC_W_CODE + weaver.pool.add_string(self.returned.encode()).to_bytes(2, "big")
        insert_call_exits(weaver, returned + by_object, STACK)
        ranges = weaver.handled()
        if ranges:
            weaver.handle(DUP_CODE + by_object, ranges, STACK)

    def _by_result(self, weaver: MethodWeaver, counted: Callable[[str, bytes], bytes]) -> bytes:
        """Code that counts the call by its result. `counted`: code that does so for what is pushed."""
        letter = self.kind[0]
        copy = DUP2_CODE if LOADS[letter][2] == 2 else DUP_CODE
        if len(self.path.names) > 1:
            return copy + counted("key", OBJECT)
        if letter == "J" or letter in INTS:
            return copy + (b"" if letter == "J" else I2L) + counted("keyNumber", b"J")
        return result_as_object(weaver, self.kind) + counted("keyOf", OBJECT)


def result_as_object(weaver: MethodWeaver, kind: str) -> bytes:
    """Code that pushes the result once more; a number in its box."""
    letter = kind[0]
    box = LOADS[letter][3]
    boxed = weaver.call(box, f"({letter})Ljava/lang/Object;".encode()) if box else b""
    return (DUP2_CODE if LOADS[letter][2] == 2 else DUP_CODE) + boxed


def read(text: str) -> Path | None:
    """The key of the end that this is; None: it is another one. Raises Wrong."""
    if not is_of_end(text):
        return None
    root = root_of(text)
    found = path("exception" + text.strip().removeprefix(root) if root == OUTCOME else text.strip())
    if found.root == "exception" and len(found.names) > 1:
        raise Wrong(0, f"the key of an {root} is a class", f"`{root}`")
    return found


def wrong(value: str) -> Mistaken | None:
    """The mistake in a key of the end, or in several values of which one is."""
    parts = [part.strip() for part in value.split(",")]
    try:
        at_end = [part for part in parts if read(part) is not None]
    except Wrong as mistake:
        return mistake.message, mistake.expected, mistake.at
    if at_end and len(parts) > 1:
        return f"`{at_end[0]}` is known when the call ends, the others when it begins", "one of them", 0
    return None


def end_key_of(planning: Planning, code: Code, index: int, top: int) -> EndKey | None:
    """The key that a rule asks for in a method, given that it is one of the end; None: the method does not have it,
    which is noted."""
    rule = planning.rules.rules[index]
    method, wanted = WatchedMethod(planning.cf, planning.method, code), read(rule.clause("by"))
    assert wanted is not None
    misfit = method.misfit(wanted)
    if wanted.root == "result" and method.result == "V":
        misfit = f"`{wanted}`: {method} has no result"
    if misfit and names(rule, method):
        planning.unfit.setdefault((index, misfit), planning.method)
    if misfit:
        return None
    returned = RETURNED if root_of(rule.clause("by")) == OUTCOME else ""
    return EndKey(wanted, method.result if wanted.root == "result" else "", returned, top)
