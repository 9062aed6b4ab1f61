"""A class file as text to read and compare: names instead of pool indices, labels instead of offsets.

1. Each pc that a jump, switch, exception or local variable table names gets a label, numbered by position.
2. There is one instruction per line, preceded by its line number, label and frame, so that insertions appear
   as added lines and nothing else changes.
3. Attributes that hold no code offsets are shown by name, length and bytes.
"""

from __future__ import annotations

from struct import unpack

from classhook.classfile import frames
from classhook.classfile.code import Code
from classhook.classfile.constants import describe
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import (
    ARRAY,
    BYTE,
    CONSTANT8,
    CONSTANT16,
    DYNAMIC,
    IINC,
    IINC_OPCODE,
    INTERFACE,
    KINDS,
    LABEL16,
    LABEL32,
    LOCAL,
    LOOKUP,
    MULTI,
    NAMES,
    SHORT,
    TABLE,
    TABLESWITCH,
    WIDE,
)
from classhook.classfile.reader import ClassFile, Method
from classhook.classfile.splice import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_FLAGS: Final = (
    "public",
    "private",
    "protected",
    "static",
    "final",
    "synchronized",
    "bridge",
    "varargs",
    "native",
    "0x200",
    "abstract",
    "strict",
    "synthetic",
    "0x2000",
    "0x4000",
    "0x8000",
)
_ARRAYS: Final = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
_TYPES: Final = ("top", "int", "float", "double", "long", "null", "uninitializedThis")


def dump(data: bytes, *, pool: bool = False) -> str:
    """The text of a class file, with its constant pool if `pool`. Raises ClassFormatError."""
    try:
        return _dump(ClassFile.parse(data), pool)
    except IndexError:
        raise ClassFormatError("truncated attribute", 0) from None


def _dump(cf: ClassFile, pool: bool) -> str:
    lines = [
        f"class {cf.name} extends {cf.super_name or '-'}",
        f"  version {cf.major}.{cf.minor} flags {cf.access_flags:#06x}",
    ]
    lines += [f"  implements {name}" for name in cf.interface_names]
    if pool:
        lines += [f"  #{i} {describe(cf.pool, i)}" for i in range(1, cf.pool.count) if cf.pool.tag(i)]
    for method in cf.methods:
        lines += ["", *dump_method(cf, method)]
    lines.append("")
    lines += [_attribute(cf.data, *attribute) for attribute in cf.attributes()]
    return "\n".join(lines) + "\n"


def dump_method(cf: ClassFile, method: Method) -> list[str]:
    """The lines of one method."""
    flags = " ".join([word for i, word in enumerate(_FLAGS) if method.access_flags >> i & 1])
    lines = [f"method {flags} {method.name}{method.descriptor}".replace("  ", " ")]
    for name, at, end_at in method.attributes():
        if name == b"Code":
            lines += _Dump(Code.parse(cf.data, at, cf.pool), cf, Context.from_method(cf, method)).lines()
        else:
            lines.append(_attribute(cf.data, name, at, end_at))
    return lines


def _attribute(data: bytes, name: bytes, at: int, end_at: int) -> str:
    return f"  {name.decode('latin-1')} {data[at + 6 : end_at].hex()}"


class _Dump:
    """Converts one Code attribute to text."""

    __slots__ = ("cf", "code", "context", "labels", "raw")

    def __init__(self, code: Code, cf: ClassFile, context: Context) -> None:
        self.code = code
        self.raw = code.code
        self.cf = cf
        self.context = context
        self.labels: dict[int, str] = {}

    def lines(self) -> list[str]:
        code, scan = self.code, self.code.scan()
        tables = {name: self._u2s(at, end_at) for name, at, end_at in code.attributes if name.startswith(b"L")}
        numbers: dict[int, list[int]] = {}
        table = tables.get(b"LineNumberTable", ())
        for pc, line in zip(table[1::2], table[2::2], strict=False):
            numbers.setdefault(pc, []).append(line)
        named: set[int] = {*scan.targets16, *scan.targets32}
        for pc in scan.switches:
            named.update(scan.switch_targets(pc))
        for start_pc, end_pc, handler_pc, _ in code.exception_table:
            named |= {start_pc, end_pc, handler_pc}
        variables = [
            (name, table[i : i + 5])
            for name, table in tables.items()
            if name != b"LineNumberTable"
            for i in range(1, len(table) - 4, 5)
        ]
        for _, (start, length, *_rest) in variables:
            named |= {start, start + length}
        framed = self._frames()
        news = {
            int.from_bytes(t[1:], "big")
            for locals_, stack, _ in framed.values()
            for t in locals_ + stack
            if t[:1] == b"\x08"
        }
        self.labels = {pc: f"L{i}" for i, pc in enumerate(sorted(named | news))}
        lines = [f"  stack {code.max_stack} locals {code.max_locals}"]
        for pc in [pc for pc, bound in enumerate(scan.bounds) if bound] + [len(self.raw)]:
            lines += [f"    line {line}" for line in numbers.get(pc, ())]
            if pc in self.labels:
                lines.append(f"   {self.labels[pc]}:")
            if pc in framed:
                locals_, stack, unset = framed[pc]
                lines.append(f"    frame [{self._types(locals_)}] [{self._types(stack)}]{self._unset(unset)}")
            if pc < len(self.raw):
                lines.append(f"      {self._instruction(pc)}")
        for start_pc, end_pc, handler_pc, catch_type in code.exception_table:
            caught = self.cf.pool.class_name(catch_type) if catch_type else "any"
            lines.append(f"    catch {caught} {self._label(start_pc)} {self._label(end_pc)} {self._label(handler_pc)}")
        for name, (start, length, name_index, type_index, index) in variables:
            text = f"{self.cf.pool.utf8(name_index)} {self.cf.pool.utf8(type_index)} {index}"
            kind = "type" if name == b"LocalVariableTypeTable" else "var"
            lines.append(f"    {kind} {text} {self._label(start)} {self._label(start + length)}")
        shown = (b"LineNumberTable", b"LocalVariableTable", b"LocalVariableTypeTable", b"StackMapTable")
        return lines + ["  " + _attribute(code.data, *a) for a in code.attributes if a[0] not in shown]

    def _u2s(self, at: int, end_at: int) -> tuple[int, ...]:
        return unpack(f">{(end_at - at - 6) // 2}H", self.code.data[at + 6 : at + 6 + (end_at - at - 6) // 2 * 2])

    def _frames(self) -> dict[int, tuple[list[bytes], list[bytes], bytes]]:
        context = self.context
        initial = frames.initial_locals(context.access_flags, context.descriptor, context.is_init, context.this_class)
        found: dict[int, tuple[list[bytes], list[bytes], bytes]] = {}
        for name, at, end_at in self.code.attributes:
            if name == b"StackMapTable":
                table = frames.decode(self.code.data, at + 6, end_at, initial, None)
                found.update({pc: (table.locals[i], table.stacks[i], table.unset[i]) for i, pc in enumerate(table.pcs)})
        return found

    def _label(self, pc: int) -> str:
        return self.labels.get(pc, f"?{pc}")

    def _unset(self, unset: bytes) -> str:
        """The fields that an early_larval_frame names."""
        names = [describe(self.cf.pool, int.from_bytes(unset[at : at + 2], "big")) for at in range(3, len(unset), 2)]
        return " unset [" + " ".join(names) + "]" if unset else ""

    def _types(self, types: list[bytes]) -> str:
        return " ".join([self._type(t) for t in types])

    def _type(self, raw: bytes) -> str:
        if raw[0] < 7:
            return _TYPES[raw[0]]
        if raw.startswith(frames.UNNAMED):
            return raw[3:].decode("latin-1")
        operand = int.from_bytes(raw[1:], "big")
        return self.cf.pool.class_name(operand) if raw[0] == 7 else f"new@{self._label(operand)}"

    def _instruction(self, pc: int) -> str:
        raw, pool = self.raw, self.cf.pool
        op = raw[pc]
        kind = KINDS[op]
        u1 = raw[pc + 1] if pc + 1 < len(raw) else 0
        u2 = int.from_bytes(raw[pc + 1 : pc + 3], "big")
        text = NAMES[op]
        if kind == BYTE:
            return f"{text} {u1 - 256 if u1 > 127 else u1}"
        if kind == LOCAL:
            return f"{text} {u1}"
        if kind == SHORT:
            return f"{text} {u2 - 65536 if u2 > 32767 else u2}"
        if kind in (CONSTANT8, CONSTANT16, INTERFACE, DYNAMIC):
            return f"{text} {describe(pool, u1 if kind == CONSTANT8 else u2)}"
        if kind == IINC:
            return f"{text} {u1} {raw[pc + 2] - 256 if raw[pc + 2] > 127 else raw[pc + 2]}"
        if kind == ARRAY:
            return f"{text} {_ARRAYS.get(u1, u1)}"
        if kind == MULTI:
            return f"{text} {describe(pool, u2)} {raw[pc + 3]}"
        if kind in (LABEL16, LABEL32):
            size = 2 if kind == LABEL16 else 4
            return f"{text} {self._label(pc + int.from_bytes(raw[pc + 1 : pc + 1 + size], 'big', signed=True))}"
        if kind == WIDE:
            more = f" {int.from_bytes(raw[pc + 4 : pc + 6], 'big', signed=True)}" if u1 == IINC_OPCODE else ""
            return f"{text} {NAMES[u1]} {int.from_bytes(raw[pc + 2 : pc + 4], 'big')}{more}"
        if kind in (TABLE, LOOKUP):
            return f"{text} {self._switch(pc)}"
        return text

    def _switch(self, pc: int) -> str:
        scan = self.code.scan()
        labels = [self._label(target) for target in scan.switch_targets(pc)]
        at = scan.switch_offsets_at(pc)
        if self.raw[pc] == TABLESWITCH:
            low = int.from_bytes(self.raw[at[0] + 4 : at[0] + 8], "big", signed=True)
            keys = list(range(low, low + len(at) - 1))
        else:
            keys = [int.from_bytes(self.raw[operand - 4 : operand], "big", signed=True) for operand in at[1:]]
        return " ".join(
            [f"{key}:{label}" for key, label in zip(keys, labels[1:], strict=True)] + [f"default:{labels[0]}"]
        )
