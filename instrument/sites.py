"""The allocation sites of a method: where, of what type, and which probe counts them (JVMS 6.5: new, newarray, anewarray,
multianewarray)."""

from __future__ import annotations

from classfile.errors import ClassFormatError
from classfile.opcodes import ANEWARRAY, LENGTHS, NEW, NEWARRAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classfile.code import Code
    from classfile.pool import ConstantPool

# newarray's operand (JVMS table 6.5.newarray-A): name and the tracker's method for arrays of that element size
PRIMITIVE_ARRAYS: Final = {
    4: ("boolean[]", "array1"), 5: ("char[]", "array2"), 6: ("float[]", "array4"), 7: ("double[]", "array8"),
    8: ("byte[]", "array1"), 9: ("short[]", "array2"), 10: ("int[]", "array4"), 11: ("long[]", "array8"),
}  # fmt: skip
PROBES: Final = {NEW: "allocated", ANEWARRAY: "arrayRef"}
DESCRIPTORS: Final = {
    "Z": "boolean", "C": "char", "F": "float", "D": "double", "B": "byte", "S": "short", "I": "int", "J": "long",
}  # fmt: skip


class Site:
    """An allocation at `pc`, whose probe goes to `next_pc`; `probe` is the tracker's method; `rule` is set by matching."""

    __slots__ = ("next_pc", "pc", "probe", "rule", "type")

    def __init__(self, pc: int, next_pc: int, type_name: str, probe: str) -> None:
        self.pc = pc
        self.next_pc = next_pc
        self.type = type_name
        self.probe = probe
        self.rule = -1


def type_name(internal: str) -> str:
    """`java/util/List` or `[[I`, as a CONSTANT_Class names types, as one writes it: `java.util.List`, `int[][]`."""
    element = internal.lstrip("[")
    dimensions = len(internal) - len(element)
    if dimensions:
        element = element[1:-1] if element.endswith(";") else DESCRIPTORS.get(element, element)
    return element.replace("/", ".") + "[]" * dimensions


def sites(code: Code, pool: ConstantPool) -> list[Site]:
    """All allocation sites, by pc. Raises ClassFormatError."""
    text = code.code
    found: list[Site] = []
    names: dict[int, str] = {}  # by pool index; that of an anewarray's array type as a negative one
    for pc in code.scan().allocations:
        op = text[pc]
        if op == NEWARRAY:
            kind = PRIMITIVE_ARRAYS.get(text[pc + 1])
            if kind is None:
                raise ClassFormatError(f"newarray of unknown type {text[pc + 1]}, code offset", pc)
            found.append(Site(pc, pc + 2, kind[0], kind[1]))
            continue
        index = text[pc + 1] << 8 | text[pc + 2]
        key = -index if op == ANEWARRAY else index
        name = names.get(key)
        if name is None:
            name = names[key] = type_name(pool.class_name(index)) + "[]" * (op == ANEWARRAY)
        found.append(Site(pc, pc + LENGTHS[op], name, PROBES.get(op, "arrays")))
    return found


def lines_of(code: Code, pcs: list[int]) -> list[int]:
    """The source lines of the instructions at these pcs, ascending, by the LineNumberTable (JVMS 4.7.12); 0 where unknown."""
    line_at: dict[int, int] = {}  # the last entry for a pc is the one that counts
    data = code.data
    for name, at, end_at in code.attributes:
        if name == b"LineNumberTable":
            for entry_at in range(at + 8, end_at - 3, 4):
                line_at[data[entry_at] << 8 | data[entry_at + 1]] = data[entry_at + 2] << 8 | data[entry_at + 3]
    starts = sorted(line_at)
    lines: list[int] = []
    i = 0
    for pc in pcs:
        while i < len(starts) and starts[i] <= pc:
            i += 1
        lines.append(line_at[starts[i - 1]] if i else 0)
    return lines
