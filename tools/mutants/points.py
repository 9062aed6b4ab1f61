"""Mutants of classes, made at the class-file level: a change of a few bytes of a method that keeps the stack as it was,
so that it verifies.

A condition is negated, an operator or a constant becomes another one, a returned object becomes null or a returned
number zero, a call of a void method is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from classhook.classfile.code import Code
from classhook.classfile.opcodes import NAMES
from classhook.classfile.reader import ClassFile

OP = {name: at for at, name in enumerate(NAMES)}
PAIRS = (
    ("ifeq", "ifne"),
    ("iflt", "ifge"),
    ("ifgt", "ifle"),
    ("if_icmpeq", "if_icmpne"),
    ("if_icmplt", "if_icmpge"),
    ("if_icmpgt", "if_icmple"),
    ("if_acmpeq", "if_acmpne"),
    ("ifnull", "ifnonnull"),
)
NEGATED = {OP[one]: OP[other] for pair in PAIRS for one, other in (pair, pair[::-1])}
OPERATORS = {
    OP[t + one]: OP[t + other]
    for t in "ilfd"
    for one, other in (("add", "sub"), ("sub", "add"), ("mul", "div"), ("div", "mul"))
}
OPERATORS |= {
    OP[t + one]: OP[t + other]
    for t in "il"
    for one, other in (("and", "or"), ("or", "and"), ("shl", "shr"), ("shr", "shl"), ("ushr", "shl"))
}
CONSTANTS = {OP[f"iconst_{i}"]: OP[f"iconst_{(i + 1) % 6}"] for i in range(6)} | {OP["iconst_m1"]: OP["iconst_0"]}
CONSTANTS |= {OP[f"{t}const_0"]: OP[f"{t}const_1"] for t in "lfd"} | {
    OP[f"{t}const_1"]: OP[f"{t}const_0"] for t in "lfd"
}
LOADS = {
    OP[f"{t}load_{i}"]: OP[zero]
    for t, zero in zip("ilfda", ("iconst_0", "lconst_0", "fconst_0", "dconst_0", "aconst_null"), strict=True)
    for i in range(4)
}
RETURNS = {OP[f"{t}return"] for t in "ilfda"}
CALLS = {
    OP["invokevirtual"]: 1,
    OP["invokespecial"]: 1,
    OP["invokestatic"]: 0,
    OP["invokeinterface"]: 1,
}  # to what they pop of objects
POP, POP2, NOP = OP["pop"], OP["pop2"], OP["nop"]


@dataclass(frozen=True)
class Point:
    """A mutant: the bytes `code` take the place of those at `at` of a class file; `what`: in words."""

    class_name: str
    method: str
    at: int
    code: bytes
    what: str

    def __str__(self) -> str:
        return f"{self.class_name.replace('/', '.')}.{self.method}@{self.at}: {self.what}"

    def mutate(self, data: bytes) -> bytes:
        """The mutant of a class file."""
        return data[: self.at] + self.code + data[self.at + len(self.code) :]


def points(data: bytes) -> Iterator[Point]:
    """All mutants of a class file."""
    cf = ClassFile.parse(data)
    for method in cf.methods:
        if not method.code_at:
            continue
        code = Code.parse(data, method.code_at, cf.pool)
        for pc, new, what in _changes(cf, code):
            yield Point(cf.name, method.name + method.descriptor, code.code_at + pc, new, what)


def _changes(cf: ClassFile, code: Code) -> Iterator[tuple[int, bytes, str]]:
    raw, scan, pc = code.code, code.scan(), 0
    while pc < len(raw):
        op, next_pc = raw[pc], scan.next_pc(pc)
        for table, what in (
            (NEGATED, "condition negated"),
            (OPERATORS, "another operator"),
            (CONSTANTS, "another constant"),
        ):
            if op in table:
                yield pc, bytes((table[op],)), f"{what}: {NAMES[op]}"
        if op in (OP["bipush"], OP["sipush"]):
            yield next_pc - 1, bytes(((raw[next_pc - 1] + 1) % 256,)), f"another constant: {NAMES[op]}"
        if op in LOADS and next_pc < len(raw) and raw[next_pc] in RETURNS:
            yield pc, bytes((LOADS[op],)), f"another result: {NAMES[raw[next_pc]]}"
        if op in CALLS:
            name, descriptor = cf.pool.name_and_type(raw[pc + 1] << 8 | raw[pc + 2])
            if (
                descriptor.endswith(b")V")
                and name != b"<init>"
                and (pops := _pops(descriptor.decode(), CALLS[op]))
                and len(pops) <= next_pc - pc
            ):
                yield pc, pops + bytes((NOP,)) * (next_pc - pc - len(pops)), f"call dropped: {name.decode()}"
        pc = next_pc


def _pops(descriptor: str, objects: int) -> bytes:
    """The instructions that pop a call's arguments."""
    sizes, at = [1] * objects, 1
    while descriptor[at] != ")":
        array = descriptor[at] == "["
        while descriptor[at] == "[":
            at += 1
        sizes.append(2 if descriptor[at] in "JD" and not array else 1)
        at = descriptor.index(";", at) + 1 if descriptor[at] == "L" else at + 1
    out = b""
    while sizes:
        last = sizes.pop()
        if last == 2 or (sizes and sizes[-1] == 1):
            if last == 1:
                sizes.pop()
            out += bytes((POP2,))
        else:
            out += bytes((POP,))
    return out or bytes((NOP,))
