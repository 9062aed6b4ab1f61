"""The arguments of a call that a script inserts: a table of names, and the code that pushes them."""

from __future__ import annotations

from classhook.classfile.opcodes import (
    AASTORE_CODE,
    ACONST_NULL_CODE,
    ALOAD_0_CODE,
    ANEWARRAY,
    DUP2_CODE,
    DUP_CODE,
    INVOKESTATIC_CODE,
    LDC_W_CODE,
    SIPUSH_CODE,
)
from classhook.measures.event import ACC_STATIC, LOADS, parameters
from classhook.probes.carried import small
from classhook.probes.method_weaver import local_op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.probes.method_weaver import MethodWeaver

OBJECT: Final = "Ljava/lang/Object;"
TEXT: Final = "Ljava/lang/String;"
BOXES: Final = {
    "Z": "Boolean",
    "B": "Byte",
    "C": "Character",
    "S": "Short",
    "I": "Integer",
    "J": "Long",
    "F": "Float",
    "D": "Double",
}
# The places of inserted code.
ENTRY, EXIT, THROWN, ALLOCATION, CALL, LINE = "entry", "exit", "thrown", "allocation", "call", "line"
ALL: Final = (ENTRY, EXIT, THROWN, ALLOCATION, CALL, LINE)
MOST_INT: Final = 32767  # of sipush
STACK: Final = 8  # slots that one value needs at most, to be made


class Unfit(Exception):
    """The method lacks an argument of the call."""


class Place:
    """The place of an inserted call: its number, which no other place has; `what`: the type that is allocated, or the
    method that is called."""

    __slots__ = ("class_name", "descriptor", "kind", "line", "method", "number", "what")

    def __init__(
        self, number: int, kind: str, class_name: str, method: str, descriptor: str, line: int, what: str
    ) -> None:
        self.number = number
        self.kind = kind
        self.class_name = class_name
        self.method = method
        self.descriptor = descriptor
        self.line = line
        self.what = what

    def __repr__(self) -> str:
        return f"<{self.kind} {self.class_name}::{self.method}{self.descriptor}:{self.line} {self.what}".rstrip() + ">"


def text(weaver: MethodWeaver, value: str) -> bytes:
    return LDC_W_CODE + weaver.pool.add_string(value.encode("utf-8", "surrogatepass")).to_bytes(2, "big")


def number(weaver: MethodWeaver, value: int) -> bytes:
    if 0 <= value <= MOST_INT:
        return SIPUSH_CODE + value.to_bytes(2, "big")
    return LDC_W_CODE + weaver.pool.add_integer(value).to_bytes(2, "big")


def this(weaver: MethodWeaver, place: Place) -> bytes:
    """null in static methods, and in constructors, where there may be no object yet."""
    none = weaver.context.access_flags & ACC_STATIC or weaver.context.is_init
    return ACONST_NULL_CODE if none else ALOAD_0_CODE


def constructed(weaver: MethodWeaver, place: Place) -> bytes:
    """At the exit of a constructor the object is there, unless its local is used for something else, which no compiler
    for Java does."""
    from classhook.measures.event import overwrites_this

    if weaver.context.access_flags & ACC_STATIC or overwrites_this(weaver.code):
        return ACONST_NULL_CODE
    return ALOAD_0_CODE


def argument(weaver: MethodWeaver, index: int) -> tuple[bytes, str]:
    """Code that loads it, and its descriptor. Raises Unfit."""
    types = parameters(weaver.context.descriptor.decode("utf-8", "replace"))
    if index >= len(types):
        raise Unfit(f"it has no arg{index}")
    local = 0 if weaver.context.access_flags & ACC_STATIC else 1
    for letter in types[:index]:
        local += LOADS[letter][2]
    load, short, _, _ = LOADS[types[index]]
    return local_op(load, short, local), types[index] if types[index] in BOXES else OBJECT


def arguments(weaver: MethodWeaver, place: Place) -> bytes:
    """An array of all, with the boxes of numbers."""
    n = len(parameters(weaver.context.descriptor.decode("utf-8", "replace")))
    code = [small(n), bytes((ANEWARRAY,)) + weaver.pool.add_class(b"java/lang/Object").to_bytes(2, "big")]
    for i in range(n):
        load, letter = argument(weaver, i)
        code += [DUP_CODE, small(i), load]
        if letter in BOXES:
            owner = f"java/lang/{BOXES[letter]}"
            made = weaver.pool.add_method_ref(owner.encode(), b"valueOf", f"({letter})L{owner};".encode())
            code.append(INVOKESTATIC_CODE + made.to_bytes(2, "big"))
        code.append(AASTORE_CODE)
    return b"".join(code)


def result(weaver: MethodWeaver) -> tuple[bytes, str]:
    """A copy of what is returned, and its descriptor. Raises Unfit."""
    letter = weaver.context.descriptor.decode("utf-8", "replace").rpartition(")")[2][0]
    if letter == "V":
        raise Unfit("it returns nothing")
    return (DUP2_CODE if letter in "JD" else DUP_CODE), letter if letter in BOXES else OBJECT


Push = "Callable[[MethodWeaver, Place], bytes]"
#: By name: the kinds of places that have it, its descriptor, the code that pushes it.
VALUES: Final[dict[str, tuple[tuple[str, ...], str, Callable[[MethodWeaver, Place], bytes]]]] = {
    "class": (ALL, TEXT, lambda weaver, place: text(weaver, place.class_name)),
    "method": (ALL, TEXT, lambda weaver, place: text(weaver, place.method)),
    "descriptor": (ALL, TEXT, lambda weaver, place: text(weaver, place.descriptor)),
    "line": (ALL, "I", lambda weaver, place: number(weaver, place.line)),
    "number": (ALL, "I", lambda weaver, place: number(weaver, place.number)),
    "type": ((ALLOCATION,), TEXT, lambda weaver, place: text(weaver, place.what)),
    "called": ((CALL,), TEXT, lambda weaver, place: text(weaver, place.what)),
    "this": ((ENTRY, EXIT), OBJECT, this),
    "args": ((ENTRY,), "[Ljava/lang/Object;", arguments),
}
#: The value on the stack already, so it comes first.
FIRST: Final = {"value": EXIT, "exception": THROWN}


def pushed(weaver: MethodWeaver, place: Place, names: tuple[str, ...]) -> tuple[bytes, str]:
    """The code that pushes them, and the descriptor of a method that takes them and returns nothing. Raises Unfit."""
    code: list[bytes] = []
    types: list[str] = []
    for name in names:
        if name == "value":
            push, descriptor = result(weaver)
        elif name == "exception":
            push, descriptor = DUP_CODE, "Ljava/lang/Throwable;"
        elif name.startswith("arg") and name[3:].isdigit():
            push, descriptor = argument(weaver, int(name[3:]))
        elif name == "this" and place.kind == EXIT:
            push, descriptor = constructed(weaver, place), OBJECT
        else:
            _, descriptor, make = VALUES[name]
            push = make(weaver, place)
        code.append(push)
        types.append(descriptor)
    return b"".join(code), f"({''.join(types)})V"


def wrong(kind: str, names: tuple[str, ...]) -> str:
    """The mistake in these names at such a place; empty: none."""
    for i, name in enumerate(names):
        if name in FIRST:
            if FIRST[name] != kind:
                return f"`{name}` is there at `{FIRST[name]}` only"
            if i:
                return f"`{name}` comes first"
        elif name.startswith("arg") and name[3:].isdigit():
            if kind != ENTRY:
                return f"`{name}` is there at `{ENTRY}` only"
        elif name not in VALUES:
            known = [*VALUES, *FIRST, "arg0"]
            return f"there is no `{name}`; there are {', '.join(known)}, ..."
        elif kind not in VALUES[name][0]:
            return f"`{name}` is there at {' and '.join(f'`{one}`' for one in VALUES[name][0])} only"
    return ""
