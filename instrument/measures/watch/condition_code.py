"""A condition as bytecode at a method's entry, as far as it can be decided there without running anything else.

1. Arguments that are numbers, truth values or strings, null, and fields that the class itself declares: a few
   instructions each; numbers that are calculated of them, too (calculation_code.py).
2. Fields of other objects, and those that a superclass declares: a method of the tracker (further_fields.py).
3. The rest is taken to hold. So the code only ever says no where the condition is false; the agent decides what
   remains (native/watch/watch_conditions.c), if anything does: `exact`.
"""

from __future__ import annotations

from struct import pack, unpack

from classhook.classfile.opcodes import (
    ALOAD,
    ALOAD_0_CODE,
    DCMPG,
    DCMPL,
    DLOAD,
    FCMPG,
    FCMPL,
    FLOAD,
    GETFIELD_CODE,
    GOTO,
    I2L_CODE,
    IF_ICMPEQ,
    IF_ICMPGE,
    IF_ICMPGT,
    IF_ICMPLE,
    IF_ICMPLT,
    IF_ICMPNE,
    IFEQ,
    IFGE,
    IFGT,
    IFLE,
    IFLT,
    IFNE,
    IFNONNULL,
    IFNULL,
    ILOAD,
    INVOKEVIRTUAL_CODE,
    LCMP_CODE,
    LDC2_W_CODE,
    LDC_W_CODE,
    LLOAD,
    SIPUSH_CODE,
    WIDE_CODE,
)
from classhook.measures.watch.calculation_code import CalculationCode
from classhook.measures.watch.constant_texts import encodable, encoded
from classhook.measures.watch.method_types import ACC_STATIC, INTS, STRING
from classhook.measures.watch.watched_method import WatchedMethod
from classhook.rules.conditions import Comparison, Condition, Elements, Group, Literal, Path, pattern_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.pool import ConstantPool
    from classhook.measures.watch.further_fields import FurtherFields

#: Jumps if the comparison does not hold: of an int with zero, of two ints.
UNLESS_ZERO: Final = {"==": IFNE, "!=": IFEQ, "<": IFGE, ">=": IFLT, ">": IFLE, "<=": IFGT}
UNLESS_INTS: Final = {
    "==": IF_ICMPNE,
    "!=": IF_ICMPEQ,
    "<": IF_ICMPGE,
    ">=": IF_ICMPLT,
    ">": IF_ICMPLE,
    "<=": IF_ICMPGT,
}
#: Instructions that compare floating point numbers so that NaN makes any comparison but `!=` false: of doubles, of
#: floats.
CMPL: Final = {"D": bytes((DCMPL,)), "F": bytes((FCMPL,))}
CMPG: Final = {"D": bytes((DCMPG,)), "F": bytes((FCMPG,))}
LOADS: Final = {"Z": ILOAD, "B": ILOAD, "C": ILOAD, "S": ILOAD, "I": ILOAD, "J": LLOAD, "F": FLOAD, "D": DLOAD}


class Assembly:
    """Code with jumps to labels, which are numbers."""

    __slots__ = ("items", "labels")

    def __init__(self) -> None:
        self.items: list[
            bytes | tuple[int, int]
        ] = []  # code, or the opcode and label of a jump; opcode 0: the label is here
        self.labels = 0

    def new_label(self) -> int:
        self.labels += 1
        return self.labels

    def add(self, code: bytes) -> None:
        self.items.append(code)

    def jump(self, opcode: int, label: int) -> None:
        self.items.append((opcode, label))

    def here(self, label: int) -> None:
        self.items.append((0, label))

    def code(self) -> tuple[bytes, dict[int, int]]:
        """The bytes, and where the labels are; of several at one place, the last."""
        places: dict[int, int] = {}
        at = 0
        for item in self.items:
            if isinstance(item, bytes):
                at += len(item)
            elif item[0]:
                at += 3
            else:
                places[item[1]] = at
        made = b""
        for item in self.items:
            if isinstance(item, bytes):
                made += item
            elif item[0]:
                made += bytes((item[0],)) + (places[item[1]] - len(made)).to_bytes(2, "big")
        last = {at: label for label, at in places.items()}
        return made, {label: at for at, label in last.items()}


class ConditionCode:
    """Assembles conditions of a method. `strings`: calls of String are possible, as the class is none that String
    stands on; `further`: None if only `exact` is asked, or if the tracker has nothing to read."""

    __slots__ = ("further", "method", "numbers", "pool", "strings")

    def __init__(self, method: WatchedMethod, pool: ConstantPool, further: FurtherFields | None = None) -> None:
        self.method = method
        self.pool = pool
        self.further = further
        self.numbers = CalculationCode(pool, self.readable, self.load)
        self.strings = not method.class_name.startswith("java/")

    def decides(self, condition: Condition) -> bool:
        """True if the code can reject calls by this condition."""
        if isinstance(condition, Group):
            found = [self.decides(part) for part in condition.parts]
            return any(found) if condition.op == "&&" else all(found)
        return isinstance(condition, Comparison) and (self.exact(condition) or self._is_further(condition))

    def exact(self, condition: Condition) -> bool:
        """True if the code decides the whole condition."""
        if isinstance(condition, Group):
            return all([self.exact(part) for part in condition.parts])
        if isinstance(condition, Elements):
            return False
        if self.numbers.compared(condition):
            return True
        left, right = condition.left, condition.right
        kind = self.readable(left) if isinstance(left, Path) else ""
        if not kind or not isinstance(right, Literal) or condition.is_type:
            return False
        value = right.value
        if condition.is_pattern:
            return kind == STRING and self.strings and len(pattern_parts(str(value))) == 2 and encodable(str(value))
        if kind == "Z":
            return isinstance(value, bool)
        if isinstance(value, bool):
            return False
        if kind in INTS:
            return isinstance(value, int) or (kind == "C" and isinstance(value, str) and len(value) == 1)
        if kind == "J":
            return isinstance(value, int)
        if kind == "D":
            return isinstance(value, float) or (isinstance(value, int) and abs(value) <= 1 << 53)
        if kind == "F":
            return isinstance(value, (int, float)) and abs(value) < 1 << 127 and _is_float(value)
        return value is None or (isinstance(value, str) and kind == STRING and self.strings and encodable(value))

    def readable(self, path: Path) -> str:
        """The descriptor of what code at the entry can read; else empty."""
        if path.argument >= 0 and len(path.names) == 1:
            return self.method.type_of(path)
        if (
            path.root == "this"
            and len(path.names) == 2
            and path.names[1][0] != "["
            and not (self.method.static or self.method.constructor)
        ):
            kind, flags = self.method.fields.get(path.names[1], ("", 0))
            return kind if not flags & ACC_STATIC else ""
        return ""

    def _is_further(self, comparison: Comparison) -> bool:
        """True if the tracker can reject calls by this comparison."""
        path = comparison.left
        if self.further is None or not isinstance(path, Path) or not self.further.take(comparison):
            return False
        if path.argument >= 0:
            return self.method.root_type(path)[:1] in ("L", "[")
        return path.root == "this" and not (self.method.static or self.method.constructor)

    def _begin(self, path: Path) -> tuple[bytes, int]:
        """Code that pushes the first object whose fields the tracker reads, and the number of the step that it is asked
        for."""
        if path.argument >= 0:
            return self._loaded(path), 0
        kind, flags = self.method.fields.get(path.names[1], ("", 0))
        if len(path.names) > 2 and kind[:1] in ("L", "[") and not flags & ACC_STATIC:
            return own_field(self.pool, self.method.class_name, path.names[1], kind), 1
        return ALOAD_0_CODE, 0

    def unless(self, code: Assembly, condition: Condition, false: int) -> None:
        """Jumps to the label if it is false; what cannot be decided is no code."""
        if not self.decides(condition):
            return
        if isinstance(condition, Comparison):
            self._compare(code, condition, false)
        elif isinstance(condition, Elements):
            return
        elif condition.op == "&&":
            for part in condition.parts:
                self.unless(code, part, false)
        else:
            true = code.new_label()
            for part in condition.parts[:-1]:
                other = code.new_label()
                self.unless(code, part, other)
                code.jump(GOTO, true)
                code.here(other)
            self.unless(code, condition.parts[-1], false)
            code.here(true)

    def _loaded(self, path: Path) -> bytes:
        """Pushes an argument."""
        local = self.method.locals[path.argument]
        opcode = LOADS.get(self.method.types[path.argument], ALOAD)
        return bytes((opcode, local)) if local < 256 else WIDE_CODE + bytes((opcode,)) + local.to_bytes(2, "big")

    def load(self, path: Path) -> bytes:
        if path.argument >= 0:
            return self._loaded(path)
        kind, _ = self.method.fields[path.names[1]]
        return own_field(self.pool, self.method.class_name, path.names[1], kind)

    def _compare_numbers(self, code: Assembly, comparison: Comparison, kind: str, false: int) -> None:
        op = comparison.op
        code.add(self.numbers.code(comparison.left, kind) + self.numbers.code(comparison.right, kind))
        if kind == "I":
            code.jump(UNLESS_INTS[op], false)
            return
        code.add(LCMP_CODE if kind == "J" else (CMPG if op in ("<", "<=") else CMPL)[kind])
        code.jump(UNLESS_ZERO[op], false)

    def _compare(self, code: Assembly, comparison: Comparison, false: int) -> None:
        if calculated := self.numbers.compared(comparison):
            self._compare_numbers(code, comparison, calculated, false)
            return
        path = comparison.left
        assert isinstance(path, Path)
        assert isinstance(comparison.right, Literal)
        op, value, kind = comparison.op, comparison.right.value, self.readable(path)
        pool = self.pool
        if not self.exact(comparison):
            assert self.further is not None
            code.add(self.further.code(comparison, *self._begin(path)))
            code.jump(IFEQ, false)
            return
        if comparison.is_pattern:
            self._match(code, path, str(value), op == "!~", false)
            return
        if isinstance(value, str) and kind == STRING:
            text = pool.add_string(encoded(value))
            code.add(LDC_W_CODE + text.to_bytes(2, "big"))
            code.add(
                self.load(path)
                + INVOKEVIRTUAL_CODE
                + pool.add_method_ref(b"java/lang/String", b"equals", b"(Ljava/lang/Object;)Z").to_bytes(2, "big")
            )
            code.jump(IFEQ if op == "==" else IFNE, false)
            return
        code.add(self.load(path))
        if value is None:
            code.jump(IFNONNULL if op == "==" else IFNULL, false)
        elif kind == "Z":
            code.jump(IFEQ if (op == "==") == bool(value) else IFNE, false)
        elif kind == "J":
            code.add(LDC2_W_CODE + pool.add_long(int(value)).to_bytes(2, "big") + LCMP_CODE)
            code.jump(UNLESS_ZERO[op], false)
        elif kind in "DF":
            constant = (
                pool.add_double(pack(">d", float(value))) if kind == "D" else pool.add_float(pack(">f", float(value)))
            )
            code.add(
                (LDC2_W_CODE if kind == "D" else LDC_W_CODE)
                + constant.to_bytes(2, "big")
                + (CMPG if op in ("<", "<=") else CMPL)[kind]
            )
            code.jump(UNLESS_ZERO[op], false)
        else:
            self._compare_ints(code, op, ord(value) if isinstance(value, str) else int(value), false)

    def _match(self, code: Assembly, path: Path, pattern: str, negated: bool, false: int) -> None:
        """Matches strings that begin and end with these texts, and are long enough for both."""
        begin, end = pattern_parts(pattern)
        units = len((begin + end).encode("utf-16-be", "surrogatepass")) // 2
        other = code.new_label()
        unless = other if negated else false
        code.add(self.load(path))
        code.jump(IFNULL, unless)
        code.add(
            self.load(path)
            + INVOKEVIRTUAL_CODE
            + self.pool.add_method_ref(b"java/lang/String", b"length", b"()I").to_bytes(2, "big")
        )
        code.add(LDC_W_CODE + self.pool.add_integer(units).to_bytes(2, "big"))
        code.jump(IF_ICMPLT, unless)
        for name, text in ((b"startsWith", begin), (b"endsWith", end)):
            if text:
                code.add(self.load(path))
                code.add(LDC_W_CODE + self.pool.add_string(encoded(text)).to_bytes(2, "big"))
                code.add(
                    INVOKEVIRTUAL_CODE
                    + self.pool.add_method_ref(b"java/lang/String", name, b"(Ljava/lang/String;)Z").to_bytes(2, "big")
                )
                code.jump(IFEQ, unless)
        if negated:
            code.jump(GOTO, false)
            code.here(other)

    def _compare_ints(self, code: Assembly, op: str, value: int, false: int) -> None:
        if not value:
            code.jump(UNLESS_ZERO[op], false)
        elif -(1 << 15) <= value < 1 << 15:
            code.add(SIPUSH_CODE + (value & 0xFFFF).to_bytes(2, "big"))
            code.jump(UNLESS_INTS[op], false)
        elif -(1 << 31) <= value < 1 << 31:
            code.add(LDC_W_CODE + self.pool.add_integer(value).to_bytes(2, "big"))
            code.jump(UNLESS_INTS[op], false)
        else:
            code.add(I2L_CODE + LDC2_W_CODE + self.pool.add_long(value).to_bytes(2, "big") + LCMP_CODE)
            code.jump(UNLESS_ZERO[op], false)


def _is_float(value: float) -> bool:
    """True if a float has exactly this value."""
    found: float = unpack(">f", pack(">f", value))[0]
    return found == value


def own_field(pool: ConstantPool, class_name: str, name: str, kind: str) -> bytes:
    """Pushes what a field of `this` has, which its class declares itself."""
    return (
        ALOAD_0_CODE
        + GETFIELD_CODE
        + pool.add_field_ref(encoded(class_name), encoded(name), encoded(kind)).to_bytes(2, "big")
    )
