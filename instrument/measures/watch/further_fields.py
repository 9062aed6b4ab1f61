"""Comparisons of what fields of objects have, as code: the tracker reads them, of whatever class the objects are
(native/tracker/Fields.java).

They push 1 where the comparison may hold, else 0. It holds if the tracker is not sure, so the agent decides what is
left.
"""

from __future__ import annotations

from struct import pack

from classhook.classfile.opcodes import DUP_CODE, LDC2_W_CODE, LDC_W_CODE
from classhook.measures.watch.constant_texts import encodable, encoded
from classhook.native._slots import (
    CH_ASKED_OUTCOMES,
    CH_ASKED_TERM,
    CH_ASKED_TERMS,
    CH_IS_EQUAL,
    CH_IS_GREATER,
    CH_IS_LESS,
    CH_IS_OTHER,
    CH_IS_UNSURE,
)
from classhook.probes.carried import small
from classhook.rules.conditions import Comparison, Condition, Literal, Path, comparisons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.pool import ConstantPool

    Call = Callable[[str, bytes], bytes]

LESS, EQUAL, GREATER, OTHER = (1 << CH_IS_LESS, 1 << CH_IS_EQUAL, 1 << CH_IS_GREATER, 1 << CH_IS_OTHER)
#: With which outcomes a comparison holds.
OUTCOMES: Final = {
    "==": EQUAL,
    "!=": LESS | GREATER | OTHER,
    "<": LESS,
    "<=": LESS | EQUAL,
    ">": GREATER,
    ">=": GREATER | EQUAL,
}
MOST_STEPS: Final = 1 << CH_ASKED_TERM
VALUE, KEY = 0, 1 << CH_ASKED_TERM  # the first steps of the paths of a value, and of its key or another one
MOST: Final = 1 << 62  # of a whole number: a double that is as large has one whole number
OBJECT: Final = "Ljava/lang/Object;"
#: By the type of the constant: the method of the tracker, and the descriptor of the constant.
METHODS: Final = {
    type(None): ("isNull", ""),
    bool: ("isTrue", ""),
    str: ("isText", "Ljava/lang/String;"),
    int: ("isNumber", "J"),
    float: ("isReal", "D"),
}
STACK: Final = 5  # that a comparison needs
#: The tracker calls methods of the JDK, in which its own code may be.
OF_JDK: Final = ("java/", "jdk/", "sun/")


class FurtherFields:
    """The further fields of one probe's condition. `number`: code that pushes the probe's number; `call`: code that
    calls a method of the tracker."""

    __slots__ = ("call", "number", "pool", "terms")

    def __init__(self, condition: Condition, pool: ConstantPool, number: bytes, call: Call) -> None:
        self.pool = pool
        self.number = number
        self.call = call
        self.terms: dict[Comparison, int] = {}
        for i, one in enumerate(comparisons(condition)):
            self.terms.setdefault(one, i)

    def take(self, comparison: Comparison) -> bool:
        """True if there is code for this, once the beginning of its path is there."""
        path, right = comparison.left, comparison.right
        if (
            comparison.op not in OUTCOMES
            or not isinstance(path, Path)
            or not isinstance(right, Literal)
            or not 1 < len(path.names) <= MOST_STEPS
        ):
            return False
        if self.terms[comparison] >= CH_ASKED_TERMS or any([name[0] == "[" for name in path.names[1:]]):
            return False
        value = right.value
        if isinstance(value, str):
            return encodable(value)
        return not isinstance(value, int) or -MOST <= value <= MOST

    def code(self, comparison: Comparison, begin: bytes, step: int) -> bytes:
        """`begin`: code that pushes the object whose field is the path's step of this number."""
        assert isinstance(comparison.left, Path)
        assert isinstance(comparison.right, Literal)
        steps, value = comparison.left.names[1 + step :], comparison.right.value
        first = self.terms[comparison] << CH_ASKED_TERM | step
        asked = first + len(steps) - 1
        code = begin + owner(list(steps), first, self.number, self.call)
        outcomes = OUTCOMES[comparison.op] if value is not False else LESS
        if value is None or isinstance(value, bool):
            constant = b""
        elif isinstance(value, str):
            constant = LDC_W_CODE + self.pool.add_string(encoded(value)).to_bytes(2, "big")
        elif isinstance(value, int):
            constant = LDC2_W_CODE + self.pool.add_long(value).to_bytes(2, "big")
        else:
            constant = LDC2_W_CODE + self.pool.add_double(pack(">d", value)).to_bytes(2, "big")
        method, kind = METHODS[type(value)]
        # a short, whatever its sign: only its bits are looked at
        told = small((outcomes | 1 << CH_IS_UNSURE) << CH_ASKED_OUTCOMES | asked)
        return code + constant + self.number + told + self.call(method, f"({OBJECT}{kind}II)I".encode())


def owner(steps: list[str], first: int, number: bytes, call: Call) -> bytes:
    """Goes from the object on the stack to the one of which the last of these fields is; `first`: the number of the
    first one."""
    last = first + len(steps) - 1
    code = b"".join(
        [number + small(step) + call("readOn", f"({OBJECT}II){OBJECT}".encode()) for step in range(first, last)]
    )
    if steps[-1] == "size":  # of the collection that this one wraps
        code += number + small(last) + call("unwrapped", f"({OBJECT}II){OBJECT}".encode())
    return code


def owner_and_step(steps: list[str], first: int, number: bytes, call: Call) -> bytes:
    """Likewise, with a copy of the object below, and the number of the last field above."""
    return DUP_CODE + owner(steps, first, number, call) + small(first + len(steps) - 1)


def steps_of(path: str, class_name: str) -> list[str]:
    """The fields behind the root of a path, as the agent reads it; none if the tracker does not read them in this
    class."""
    steps = path.split(".")[1:]
    if class_name.startswith(OF_JDK) or len(steps) > MOST_STEPS or any([step[0] == "[" for step in steps]):
        return []
    return steps


def from_condition(
    condition: Condition | None, class_name: str, pool: ConstantPool, number: bytes, call: Call
) -> FurtherFields | None:
    """None: nothing of it is for the tracker."""
    if condition is None or class_name.startswith(OF_JDK):
        return None
    return FurtherFields(condition, pool, number, call)
