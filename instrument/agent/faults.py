"""`agent.insert.throws`, `.delays`, `.returns`: what a method does when it begins, in all calls or in those of which a
condition is true.

    unless the condition, to L   new EXCEPTION, dup, message, its constructor, athrow   L   nop
                                 milliseconds, delay                                    L   nop
                                 the value, return                                      L   nop

L has a frame, so the method's own code may follow what never gets there. The condition is one that code at the entry
decides (classhook.measures.watch.condition_code).
"""

from __future__ import annotations

import re
from struct import pack

from classhook.agent.inserted_values import BOXES, OBJECT, TEXT, Unfit
from classhook.classfile.insertions import Label
from classhook.classfile.opcodes import (
    ACONST_NULL_CODE,
    ATHROW_CODE,
    DUP_CODE,
    INVOKESTATIC_CODE,
    LDC2_W_CODE,
    LDC_W_CODE,
    NEW,
    NOP_CODE,
    SIPUSH_CODE,
)
from classhook.measures.watch.condition_code import Assembly, ConditionCode
from classhook.measures.watch.constant_texts import encodable, encoded
from classhook.measures.watch.method_types import readable
from classhook.rules.condition_parser import condition
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import paths_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.agent.transforms import ClassToLoad
    from classhook.classfile.pool import ConstantPool
    from classhook.measures.watch.watched_method import WatchedMethod
    from classhook.probes.method_weaver import MethodWeaver

    Value = bool | int | float | str | None

INVOKESPECIAL: Final = b"\xb7"  # JVMS 6.5
#: By the first letter of a descriptor: xreturn.
RETURNS: Final = {
    **dict.fromkeys("ZBCSI", b"\xac"),
    "J": b"\xad",
    "F": b"\xae",
    "D": b"\xaf",
    "L": b"\xb0",
    "[": b"\xb0",
    "V": b"\xb1",
}
BITS: Final = {"B": 8, "S": 16, "I": 32, "J": 64}
BOXED: Final = {f"Ljava/lang/{name};": letter for letter, name in BOXES.items()}
#: Supertypes of several boxes, or of String.
OPEN: Final = frozenset(
    {OBJECT, "Ljava/lang/Number;", "Ljava/lang/Comparable;", "Ljava/lang/CharSequence;", "Ljava/io/Serializable;"}
)
STACK: Final = 8
MOST_MS: Final = 3_600_000
CLASS: Final = re.compile(r"[^\s./;\[<>]+(\.[^\s./;\[<>]+)*")


class Fault:
    """A fault that is inserted into methods. `owner`: a class whose methods get none. Raises ValueError."""

    kind = ""
    owner = ""
    stack = STACK

    def __init__(self, when: str) -> None:
        try:
            self.condition = condition(when) if when else None
        except Wrong as wrong:
            raise ValueError(f"when={when!r}: {wrong.message}; expected {wrong.expected}") from None
        self.when = when

    def code(self, cls: ClassToLoad, method: WatchedMethod, weaver: MethodWeaver) -> tuple[bytes, list[Label]]:
        """The code for a method. Raises Unfit."""
        code, end = Assembly(), 1
        code.labels = end
        if self.condition is not None:
            for path in paths_in(self.condition):
                if misfit := method.misfit(path):
                    raise Unfit(misfit)
            conditions, meant = ConditionCode(method, weaver.pool), method.meant_by(self.condition)
            if meant is None or not conditions.exact(meant):
                raise Unfit(f"`{self.when}` compares more than arguments and fields of `this` with constants")
            conditions.unless(code, meant, end)
        code.add(self.action(cls, method, weaver))
        code.here(end)
        code.add(NOP_CODE)
        made, places = code.code()
        return made, [Label(at, []) for at in places.values()]

    def action(self, cls: ClassToLoad, method: WatchedMethod, weaver: MethodWeaver) -> bytes:
        """Raises Unfit."""
        raise NotImplementedError


class Throws(Fault):
    kind = "throws"

    def __init__(self, exception: str, message: str | None, when: str) -> None:
        super().__init__(when)
        if not CLASS.fullmatch(exception):
            raise ValueError(f"{exception!r} is not the name of a class, such as java.lang.IllegalStateException")
        if message is not None and not encodable(message):
            raise ValueError("the message is too long")
        self.exception = exception
        self.message = message

    def __str__(self) -> str:
        return self.exception

    def action(self, cls: ClassToLoad, method: WatchedMethod, weaver: MethodWeaver) -> bytes:
        descriptor = "()V" if self.message is None else f"({TEXT})V"
        if problem := cls.why_not(self.exception, "<init>", descriptor):
            raise Unfit(f"{self.exception} {problem}: <init>{descriptor}")
        name, pool = encoded(self.exception.replace(".", "/")), weaver.pool
        made = bytes((NEW,)) + pool.add_class(name).to_bytes(2, "big") + DUP_CODE
        if self.message is not None:
            made += text(pool, self.message)
        made += INVOKESPECIAL + pool.add_method_ref(name, b"<init>", descriptor.encode()).to_bytes(2, "big")
        return made + ATHROW_CODE


class Delays(Fault):
    kind = "delays"

    def __init__(self, ms: int, when: str) -> None:
        super().__init__(when)
        if not isinstance(ms, int) or isinstance(ms, bool) or not 0 <= ms <= MOST_MS:
            raise ValueError(f"{ms!r} is not a number of milliseconds up to {MOST_MS}")
        self.ms = ms

    def __str__(self) -> str:
        return f"{self.ms} ms"

    def action(self, cls: ClassToLoad, method: WatchedMethod, weaver: MethodWeaver) -> bytes:
        return LDC2_W_CODE + weaver.pool.add_long(self.ms).to_bytes(2, "big") + weaver.call("delay", b"(J)V")


class Returns(Fault):
    kind = "returns"

    def __init__(self, value: Value, when: str) -> None:
        super().__init__(when)
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise ValueError(f"{value!r} is neither a number, a text, True, False nor None")
        self.value = value

    def __str__(self) -> str:
        return repr(self.value)

    def action(self, cls: ClassToLoad, method: WatchedMethod, weaver: MethodWeaver) -> bytes:
        if method.constructor:
            raise Unfit("a constructor cannot return before it has called another one")
        pushed = value_of(weaver.pool, method.result, self.value)
        if pushed is None:
            raise Unfit(f"it returns {readable(method.result)}, and {self!s} is none")
        return pushed + RETURNS[method.result[0]]


def text(pool: ConstantPool, value: str) -> bytes:
    return LDC_W_CODE + pool.add_string(encoded(value)).to_bytes(2, "big")


def value_of(pool: ConstantPool, descriptor: str, value: Value) -> bytes | None:
    """Code that pushes a value of this type; None: it is not of the type."""
    if descriptor == "V":
        return b"" if value is None else None
    if descriptor in BOXES:
        return primitive(pool, descriptor, value)
    if value is None:
        return ACONST_NULL_CODE
    if (
        isinstance(value, str)
        and encodable(value)
        and (descriptor == TEXT or descriptor in OPEN - {"Ljava/lang/Number;"})
    ):
        return text(pool, value)
    letter = BOXED.get(descriptor, "") or (usual(value) if descriptor in OPEN - {"Ljava/lang/CharSequence;"} else "")
    if not letter or (letter == "Z" and descriptor == "Ljava/lang/Number;"):
        return None
    pushed = primitive(pool, letter, value)
    owner = f"java/lang/{BOXES[letter]}"
    made = pool.add_method_ref(owner.encode(), b"valueOf", f"({letter})L{owner};".encode())
    return None if pushed is None else pushed + INVOKESTATIC_CODE + made.to_bytes(2, "big")


def usual(value: Value) -> str:
    """The primitive type that Java's literal would have."""
    if isinstance(value, bool):
        return "Z"
    if isinstance(value, int):
        return "I" if -(1 << 31) <= value < 1 << 31 else "J"
    return "D" if isinstance(value, float) else ""


def primitive(pool: ConstantPool, letter: str, value: Value) -> bytes | None:
    """Code that pushes a number, a truth value or a character; None: it is not of the type."""
    if letter == "Z":
        return number(pool, int(value)) if isinstance(value, bool) else None
    if letter == "C":
        return number(pool, ord(value)) if isinstance(value, str) and len(value) == 1 and value <= "\uffff" else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if letter == "D":
        return LDC2_W_CODE + pool.add_double(pack(">d", float(value))).to_bytes(2, "big")
    if letter == "F":
        try:
            return LDC_W_CODE + pool.add_float(pack(">f", float(value))).to_bytes(2, "big")
        except OverflowError:
            return None
    if not isinstance(value, int) or not -(1 << BITS[letter] - 1) <= value < 1 << BITS[letter] - 1:
        return None
    return LDC2_W_CODE + pool.add_long(value).to_bytes(2, "big") if letter == "J" else number(pool, value)


def number(pool: ConstantPool, value: int) -> bytes:
    """Pushes an int."""
    if -(1 << 15) <= value < 1 << 15:
        return SIPUSH_CODE + (value & 0xFFFF).to_bytes(2, "big")
    return LDC_W_CODE + pool.add_integer(value).to_bytes(2, "big")
