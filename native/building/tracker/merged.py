"""One class from several: their fields and methods, with all names of the classes replaced by that of the one.

Initialisers become one, in the order of the classes; so do methods `link`. Left out are constants, which javac has put
into the code, default constructors, and all attributes but the annotations of the JVM's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Any

from jawa.assemble import Label, assemble
from jawa.attribute import Attribute
from jawa.attributes.code import CodeException
from jawa.cf import ClassFile
from jawa.util.bytecode import OperandTypes

from classhook.native.building.tracker.names import OBJECT, Code

#: Versions of class files from 50 on need stack map frames.
VERSION = (49, 0)
#: Methods of one name become one: each returns at its end only.
JOINED = ("<clinit>", "link")

#: Makes the methods, name -> code, that a method becomes.
Variant = Callable[["Merged", str, str, Code], dict[str, Code]]


class Merged:
    """The class under construction; `names`: of the classes from which it is made."""

    def __init__(self, name: str, names: Iterable[str], variant: Variant) -> None:
        self.cf = ClassFile.create(name)
        self.cf.version = VERSION
        self.cf.access_flags.acc_public = self.cf.access_flags.acc_final = True
        self.name = name
        self.variant = variant
        self.names = re.compile(rf"(?:{'|'.join(names)})(?![\w$/])")
        self.constants: dict[tuple[Any, ...], Any] = {}
        self.joined: dict[str, Any] = {}

    def data(self) -> bytes:
        """The class file."""
        out = BytesIO()
        self.cf.save(out)
        return out.getvalue()

    # ---- constants

    def constant(self, kind: str, *what: Any) -> Any:
        """The constant of this kind, as jawa calls it."""
        if (kind, *what) not in self.constants:
            self.constants[kind, *what] = getattr(self.cf.constants, f"create_{kind}")(*what)
        return self.constants[kind, *what]

    def renamed(self, text: str) -> str:
        """A descriptor or the name of a class."""
        return self.names.sub(self.name, text)

    def adopted(self, of: Any) -> Any:
        """The constant that is in this class what `of` is in its own."""
        kind = type(of).__name__
        if kind in ("FieldReference", "MethodReference"):
            member = of.name_and_type
            owner, descriptor = self.renamed(of.class_.name.value), self.renamed(member.descriptor.value)
            return self.constant(f"{kind[:-9].lower()}_ref", owner, member.name.value, descriptor)
        if kind == "ConstantClass":
            return self.constant("class", self.renamed(of.name.value))
        if kind == "String":
            return self.constant("string", of.string.value)
        return self.constant(kind.lower(), of.value)

    # ---- members

    def add(self, data: bytes) -> None:
        """Adds the members of a class."""
        part = ClassFile(BytesIO(data))
        if part.super_.name.value != OBJECT:
            self.cf._super = self.constant("class", part.super_.name.value).index
        self.cf._interfaces += [self.adopted(part.constants.get(index)).index for index in part._interfaces]
        for field in part.fields:
            if not is_constant(field):
                made = self.cf.fields.create(field.name.value, self.renamed(field.descriptor.value))
                self.describe(made, field, annotated(field))
        for method in part.methods:
            if (method.name.value, method.descriptor.value) != ("<init>", "()V"):
                self.add_method(method)

    def add_method(self, of: Any) -> None:
        descriptor = self.renamed(of.descriptor.value)
        ways = self.variant(self, of.name.value, descriptor, self.listing(of)) if of.code else {of.name.value: []}
        for name, code in ways.items():
            if name in self.joined:
                self.join(self.joined[name], code, of)
                continue
            made = self.cf.methods.create(name, descriptor, code=True if code else None)
            self.describe(made, of, ["Hidden", *annotated(of)])
            made.access_flags.acc_public = of.access_flags.acc_public and name == of.name.value
            if code:
                self.fill(made, code, of)
            if name in JOINED:
                self.joined[name] = made

    def describe(self, made: Any, of: Any, names: list[str]) -> None:
        made.access_flags.unpack(of.access_flags.pack())
        if names:
            types = [self.constant("utf8", f"Ljdk/internal/vm/annotation/{one};") for one in names]
            info = len(types).to_bytes(2, "big") + b"".join(t.index.to_bytes(2, "big") + b"\0\0" for t in types)
            made.attributes.create(Annotations, self.constant("utf8", "RuntimeVisibleAnnotations").index, info)

    def fill(self, made: Any, code: Code, of: Any) -> None:
        made.code.max_stack = max(made.code.max_stack, of.code.max_stack)
        made.code.max_locals = max(made.code.max_locals, of.code.max_locals)
        made.code.assemble(assemble(code))
        for start, end, handler, caught in of.code.exception_table:
            assert len(made.code._code) == len(of.code._code), "the places are as they were"
            index = self.adopted(of._cf.constants.get(caught)).index if caught else 0
            made.code.exception_table.append(CodeException(start, end, handler, index))

    def join(self, made: Any, code: Code, of: Any) -> None:
        """Puts code behind that of a method, in place of its return."""
        before = made.code._code[:-1]
        self.fill(made, code, of)
        made.code._code = before + made.code._code

    def listing(self, of: Any) -> Code:
        """A method's instructions with labels, and with constants of this class."""
        code: Code = []
        instructions = list(of.code.disassemble())
        targets = {one.pos + operand.value for one in instructions for operand in one.operands if is_branch(operand)}
        for one in instructions:
            if one.pos in targets:
                code.append(Label(one.pos))
            code.append((WIDER.get(one.mnemonic, one.mnemonic), *self.operands(of, one)))
        return code

    def operands(self, of: Any, one: Any) -> Iterator[Any]:
        for operand in one.operands:
            if is_branch(operand):
                yield Label(one.pos + operand.value)
            elif operand.op_type == OperandTypes.CONSTANT_INDEX or one.mnemonic == "anewarray":  # jawa: a literal
                yield self.adopted(of._cf.constants.get(operand.value))
            else:
                yield operand.value


#: A constant's number may need two bytes.
WIDER = {"ldc": "ldc_w"}


def is_branch(operand: Any) -> bool:
    return bool(operand.op_type == OperandTypes.BRANCH)


def is_constant(field: Any) -> bool:
    """True if a field has a value from the class file; jawa cannot read that."""
    return any(field._cf.constants.get(index).value == "ConstantValue" for index, _ in field.attributes._table)


def annotated(member: Any) -> list[str]:
    """The names of annotations that have no values."""
    found = member.attributes.find_one(name="RuntimeVisibleAnnotations")
    info = found.info if found else b"\0\0"
    types = [int.from_bytes(info[at : at + 2], "big") for at in range(2, len(info), 4)]
    return [member._cf.constants.get(index).value.rpartition("/")[2][:-1] for index in types]


class Annotations(Attribute):
    """RuntimeVisibleAnnotations without values; jawa has no class for it."""

    def __init__(self, table: Any, name_index: int, info: bytes) -> None:
        super().__init__(table, name_index)
        self.info = info

    def pack(self) -> bytes:
        return self.info
