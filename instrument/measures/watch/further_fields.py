"""Comparisons of what fields of objects have, as code: the tracker reads them, of whatever class the objects are (native/building/object_fields.py).

They push 1 where the comparison may hold, else 0. It holds if the tracker is not sure, so the agent decides what is left.
"""

from __future__ import annotations

from struct import pack

from classhook.classfile.opcodes import LDC2_W_CODE, LDC_W_CODE, SIPUSH_CODE
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
from classhook.rules.conditions import Comparison, Condition, Literal, comparisons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.pool import ConstantPool

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
    """Of one probe's condition. `number`: code that pushes the probe's number; `call`: code that calls a method of the tracker."""

    __slots__ = ("call", "number", "pool", "terms")

    def __init__(self, condition: Condition, pool: ConstantPool, number: bytes, call: Callable[[str, bytes], bytes]) -> None:
        self.pool = pool
        self.number = number
        self.call = call
        self.terms: dict[Comparison, int] = {}
        for i, one in enumerate(comparisons(condition)):
            self.terms.setdefault(one, i)

    def take(self, comparison: Comparison) -> bool:
        """Whether there is code for this, once the beginning of its path is there."""
        path, right = comparison.left, comparison.right
        if comparison.op not in OUTCOMES or path.modulo or not isinstance(right, Literal) or not 1 < len(path.names) <= MOST_STEPS:
            return False
        if self.terms[comparison] >= CH_ASKED_TERMS or any([name[0] == "[" for name in path.names[1:]]):
            return False
        value = right.value
        if isinstance(value, str):
            return encodable(value)
        return not isinstance(value, int) or -MOST <= value <= MOST

    def code(self, comparison: Comparison, begin: bytes, step: int) -> bytes:
        """`begin`: code that pushes the object whose field is the path's step of this number."""
        assert isinstance(comparison.right, Literal)
        term, last, value = self.terms[comparison], len(comparison.left.names) - 2, comparison.right.value
        code = begin
        for i in range(step, last):
            code += self.number + self._int(term << CH_ASKED_TERM | i) + self.call("readOn", f"({OBJECT}II){OBJECT}".encode())
        asked = term << CH_ASKED_TERM | last
        if comparison.left.names[-1] == "size":
            code += self.number + self._int(asked) + self.call("unwrapped", f"({OBJECT}II){OBJECT}".encode())
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
        told = self._int((outcomes | 1 << CH_IS_UNSURE) << CH_ASKED_OUTCOMES | asked)
        return code + constant + self.number + told + self.call(method, f"({OBJECT}{kind}II)I".encode())

    def _int(self, value: int) -> bytes:
        return SIPUSH_CODE + value.to_bytes(2, "big") if value < 1 << 15 else LDC_W_CODE + self.pool.add_integer(value).to_bytes(2, "big")


def of(condition: Condition | None, class_name: str, pool: ConstantPool, number: bytes, call: Callable[[str, bytes], bytes]) -> FurtherFields | None:
    """None: nothing of it is for the tracker."""
    if condition is None or class_name.startswith(OF_JDK):
        return None
    return FurtherFields(condition, pool, number, call)
