"""Numbers that are calculated of others, as bytecode.

1. Whole numbers are longs, which wrap around, but for remainders of ints; with a real number, and for `/`, doubles.
2. Code does not divide by what may be 0: then there is no number, which the agent tells apart
   (native/watch/calculations.c). Where a number that is not finite counts as none, it may.
"""

from __future__ import annotations

from struct import pack

from classhook.classfile.opcodes import I2L_CODE, LDC2_W_CODE, LDC_W_CODE
from classhook.measures.watch.method_types import INTS
from classhook.rules.conditions import Calculation, Comparison, Literal, Operand, Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.pool import ConstantPool

#: By operator and type (JVMS 6.5): xadd, xsub, xmul, ddiv, xrem.
OPCODES: Final = {
    ("+", "J"): b"\x61",
    ("+", "D"): b"\x63",
    ("-", "J"): b"\x65",
    ("-", "D"): b"\x67",
    ("*", "J"): b"\x69",
    ("*", "D"): b"\x6b",
    ("/", "D"): b"\x6f",
    ("%", "I"): b"\x70",
    ("%", "J"): b"\x71",
}
#: i2l, i2d, l2d.
WIDENED: Final = {("I", "J"): I2L_CODE, ("I", "D"): b"\x87", ("J", "D"): b"\x8a"}
F2D_CODE: Final = b"\x8d"
TYPES: Final = ("I", "J", "D")  # a wider one behind a narrower one
COMPARED: Final = ("==", "!=", "<", "<=", ">", ">=")
MOST_SLOTS: Final = 8  # of the operand stack, for a comparison


class CalculationCode:
    """`kind`: the descriptor of what code can read at a path, else empty; `load`: pushes it; `finite`: a number must be
    told apart from one that is not finite; `pool`: of the class, None: only types are asked for."""

    __slots__ = ("finite", "kind", "load", "pool")

    def __init__(
        self, pool: ConstantPool | None, kind: Callable[[Path], str], load: Callable[[Path], bytes], finite: bool = True
    ) -> None:
        self.finite = finite
        self.kind = kind
        self.load = load
        self.pool = pool

    def type_of(self, operand: Operand, divisor: bool = False) -> str:
        """`I`, `J` or `D`; empty: code cannot calculate it. `divisor`: something is divided by it."""
        if isinstance(operand, Path):
            kind = self.kind(operand)
            return "I" if kind and kind in INTS else {"J": "J", "F": "D", "D": "D"}.get(kind, "")
        if isinstance(operand, Literal):
            whole = isinstance(operand.value, int) and not isinstance(operand.value, bool)
            return (
                ("I" if -(1 << 31) <= int(operand.value or 0) < 1 << 31 else "J")
                if whole
                else ("D" if isinstance(operand.value, float) else "")
            )
        strict = divisor or self.finite
        left = self.type_of(operand.left, divisor)
        right = self.type_of(operand.right, divisor or operand.op == "/")
        if not left or not right or (operand.op == "/" and strict and not isinstance(operand.right, Literal)):
            return ""
        if operand.op == "%":
            return left if left != "D" else ""
        return "D" if operand.op == "/" or "D" in (left, right) else "J"

    def compared(self, comparison: Comparison) -> str:
        """The type in which code compares two numbers; empty: it cannot, or one side is a constant and nothing is
        calculated."""
        left, right = comparison.left, comparison.right
        if comparison.op not in COMPARED or (isinstance(left, Path) and isinstance(right, Literal)):
            return ""
        types = {self.type_of(left), self.type_of(right)}
        if "" in types or {"J", "D"} <= types or self.slots(Calculation("-", left, right)) > MOST_SLOTS:
            return ""  # not every long is a double
        return max(types, key=TYPES.index)

    def slots(self, operand: Operand) -> int:
        """The slots of the operand stack that it needs, at most."""
        if not isinstance(operand, Calculation):
            return 2
        return max(self.slots(operand.left), 2 + self.slots(operand.right))

    def code(self, operand: Operand, wanted: str) -> bytes:
        """Pushes it as a number of a type that is its own or a wider one."""
        own = self.type_of(operand, divisor=False)
        if isinstance(operand, Literal):
            return self._constant(operand, wanted)
        if isinstance(operand, Path):
            code = self.load(operand) + (F2D_CODE if self.kind(operand) == "F" else b"")
        else:
            code = self.code(operand.left, own) + self.code(operand.right, own) + OPCODES[operand.op, own]
        return code + WIDENED.get((own, wanted), b"")

    def _constant(self, literal: Literal, wanted: str) -> bytes:
        value, pool = literal.value, self.pool
        assert isinstance(value, (int, float))
        assert pool is not None
        if wanted == "I":
            return LDC_W_CODE + pool.add_integer(int(value)).to_bytes(2, "big")
        number = pool.add_long(int(value)) if wanted == "J" else pool.add_double(pack(">d", float(value)))
        return LDC2_W_CODE + number.to_bytes(2, "big")
