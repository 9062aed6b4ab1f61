"""A condition as code without jumps: it pushes 1 where the condition may hold, else 0. Undecided parts count as 1; the
agent decides them."""

from __future__ import annotations

from struct import pack

from classhook.classfile.opcodes import (
    DUP_CODE,
    I2L_CODE,
    INVOKESTATIC_CODE,
    INVOKEVIRTUAL_CODE,
    LCMP_CODE,
    LDC2_W_CODE,
    LDC_W_CODE,
)
from classhook.measures.watch.calculation_code import MOST_SLOTS, CalculationCode
from classhook.measures.watch.condition_code import CMPG, CMPL
from classhook.measures.watch.constant_texts import encodable, encoded
from classhook.measures.watch.method_types import INTS, STRING
from classhook.rules.conditions import Comparison, Condition, Elements, Group, Literal, Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, Protocol

    from classhook.classfile.pool import ConstantPool
    from classhook.measures.watch.further_fields import FurtherFields
else:
    Protocol = object

ZERO, ONE = b"\x03", b"\x04"  # iconst_0, iconst_1
NOT: Final = ONE + b"\x82"  # ixor
AND, OR = b"\x7e", b"\x80"
SQUARE: Final = DUP_CODE + b"\x68"  # imul
MINUS: Final = b"\x74"  # ineg
SIGN: Final = b"\x10\x1f\x7c"  # bipush 31, iushr
#: Code that makes a truth value of -1, 0 or 1, the result of comparing two numbers.
TRUTHS: Final = {
    "==": SQUARE + NOT,
    "!=": SQUARE,
    "<": SIGN,
    ">=": SIGN + NOT,
    ">": MINUS + SIGN,
    "<=": MINUS + SIGN + NOT,
}
MOST_STACK: Final = MOST_SLOTS  # of a comparison


class Operands(Protocol):
    """The values that code can read at one place."""

    def is_unset(self, path: Path) -> bool:
        """True if the path's root names nothing there: comparisons are false."""

    def kind(self, path: Path) -> str:
        """The descriptor of what code can read there; else empty."""

    def load(self, path: Path) -> bytes:
        """Pushes it."""

    def begin(self, path: Path) -> tuple[bytes, int] | None:
        """Code that pushes the first object whose fields the tracker reads, and the number of the step that it is asked
        for; None: there is none."""


class ConditionValue:
    """Conditions in a class of this name. `strings`, `further`: see ConditionCode."""

    __slots__ = ("further", "numbers", "operands", "pool", "strings")

    def __init__(
        self, operands: Operands, class_name: str, pool: ConstantPool, further: FurtherFields | None = None
    ) -> None:
        self.further = further
        self.numbers = CalculationCode(pool, operands.kind, operands.load)
        self.operands = operands
        self.pool = pool
        self.strings = not class_name.startswith("java/")

    def exact(self, condition: Condition) -> bool:
        """True if nothing of the condition is left to the agent."""
        if isinstance(condition, Group):
            return all([self.exact(part) for part in condition.parts])
        if isinstance(condition, Elements):
            return False
        if self._is_unset(condition) or self.numbers.compared(condition):
            return True
        left, right = condition.left, condition.right
        kind = self.operands.kind(left) if isinstance(left, Path) else ""
        if not kind or not isinstance(right, Literal) or condition.is_pattern or condition.is_type:
            return False
        value = right.value
        if kind == "Z" or isinstance(value, bool):
            return kind == "Z" and isinstance(value, bool)
        if kind in INTS:
            return isinstance(value, int) or (kind == "C" and isinstance(value, str) and len(value) == 1)
        if kind == "J":
            return isinstance(value, int)
        if kind in "DF":
            return isinstance(value, float) or (isinstance(value, int) and abs(value) <= 1 << 53)
        return self.strings and (value is None or (isinstance(value, str) and kind == STRING and encodable(value)))

    def _is_unset(self, comparison: Comparison) -> bool:
        return any([self.operands.is_unset(path) for path in comparison.paths])

    def code(self, condition: Condition) -> bytes:
        """Pushes the truth."""
        if isinstance(condition, Group):
            parts = [self.code(part) for part in condition.parts]
            return parts[0] + b"".join([part + (AND if condition.op == "&&" else OR) for part in parts[1:]])
        if isinstance(condition, Elements):
            return ONE
        if not self.exact(condition):
            path = condition.left
            begin = (
                self.operands.begin(path)
                if self.further is not None and isinstance(path, Path) and self.further.take(condition)
                else None
            )
            return self.further.code(condition, *begin) if self.further is not None and begin is not None else ONE
        return ZERO if self._is_unset(condition) else self._comparison(condition)

    def stack(self, condition: Condition) -> int:
        """The slots that `code` needs."""
        if isinstance(condition, Group):
            return 1 + max([self.stack(part) for part in condition.parts])
        return MOST_STACK

    def _comparison(self, comparison: Comparison) -> bytes:
        if calculated := self.numbers.compared(comparison):
            return self._numbers(comparison, "D" if calculated == "D" else "J")
        path = comparison.left
        assert isinstance(path, Path)
        assert isinstance(comparison.right, Literal)
        op, value, kind = comparison.op, comparison.right.value, self.operands.kind(path)
        loaded, pool, same = self.operands.load(path), self.pool, comparison.op == "=="
        if value is None:
            null = pool.add_method_ref(b"java/util/Objects", b"isNull", b"(Ljava/lang/Object;)Z")
            return loaded + INVOKESTATIC_CODE + null.to_bytes(2, "big") + (b"" if same else NOT)
        if isinstance(value, str) and kind == STRING:
            equals = pool.add_method_ref(b"java/lang/String", b"equals", b"(Ljava/lang/Object;)Z")
            text = LDC_W_CODE + pool.add_string(encoded(value)).to_bytes(2, "big")
            return text + loaded + INVOKEVIRTUAL_CODE + equals.to_bytes(2, "big") + (b"" if same else NOT)
        if kind == "Z":
            return loaded + (b"" if same == bool(value) else NOT)
        if kind in "DF":
            wide = loaded if kind == "D" else loaded + b"\x8d"  # f2d
            constant = LDC2_W_CODE + pool.add_double(pack(">d", float(value))).to_bytes(2, "big")
            return wide + constant + (CMPG if op in ("<", "<=") else CMPL)["D"] + TRUTHS[op]
        number = ord(value) if isinstance(value, str) else int(value)
        wide = loaded if kind == "J" else loaded + I2L_CODE
        return wide + LDC2_W_CODE + pool.add_long(number).to_bytes(2, "big") + LCMP_CODE + TRUTHS[op]

    def _numbers(self, comparison: Comparison, kind: str) -> bytes:
        op = comparison.op
        sides = self.numbers.code(comparison.left, kind) + self.numbers.code(comparison.right, kind)
        return sides + (LCMP_CODE if kind == "J" else (CMPG if op in ("<", "<=") else CMPL)[kind]) + TRUTHS[op]
