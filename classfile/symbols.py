"""Class files as text in which nothing depends on debug information, the order of the constant pool or the width of an
instruction.

1. Constants are written out: names, descriptors, values, the bootstrap methods of dynamic constants and their
   arguments.
2. Code is a list of instructions; a jump names its target by number, so that `ldc` and `ldc_w`, or the padding of a
   switch, make no difference.
3. Attributes that only debuggers read, or that follow from the code (StackMapTable), are left out. Unknown ones are
   kept as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from classhook.classfile.code import Code
from classhook.classfile.constants import describe
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import (
    CONSTANT8,
    CONSTANT16,
    DYNAMIC,
    GOTO,
    GOTO_W,
    INTERFACE,
    JSR,
    JSR_W,
    KINDS,
    LABEL16,
    LABEL32,
    LDC,
    LDC_W,
    LOOKUP,
    MULTI,
    TABLE,
)
from classhook.classfile.reader import ClassFile, attribute_table

#: Left out: for debuggers, or they follow from the code. NestMembers changes with each anonymous class, and only says
#: who may use private members.
LEFT_OUT = frozenset(
    {
        b"LineNumberTable",
        b"LocalVariableTable",
        b"LocalVariableTypeTable",
        b"StackMapTable",
        b"SourceFile",
        b"SourceDebugExtension",
        b"BootstrapMethods",
        b"NestMembers",
        b"Code",
    }
)
#: Instructions of which one form is as good as another.
PLAIN = {LDC_W: LDC, GOTO_W: GOTO, JSR_W: JSR}
DYNAMICS = (17, 18)  # tags of constants that have a bootstrap method
MOST_DEEP = 20  # dynamic constants within arguments of each other


def digest(text: str) -> str:
    """A short hash of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Symbols:
    """The constants and attributes of one class file as text."""

    def __init__(self, cf: ClassFile) -> None:
        self.cf = cf
        self.data = cf.data
        self.pool = cf.pool
        self._known: dict[int, str] = {}
        self.bootstrap: list[tuple[int, list[int]]] = []  # method handle, arguments
        for name, at, _ in cf.attributes():
            if name == b"BootstrapMethods":
                self._read_bootstrap(at + 6)

    def u2(self, at: int) -> int:
        return self.data[at] << 8 | self.data[at + 1]

    def _read_bootstrap(self, at: int) -> None:
        count, at = self.u2(at), at + 2
        for _ in range(count):
            handle, arguments = self.u2(at), self.u2(at + 2)
            self.bootstrap.append((handle, [self.u2(at + 4 + 2 * i) for i in range(arguments)]))
            at += 4 + 2 * arguments

    def constant(self, index: int, deep: int = 0) -> str:
        """A constant, written out."""
        found = self._known.get(index)
        if found is None:
            found = self._known[index] = self._constant(index, deep)
        return found

    def _constant(self, index: int, deep: int) -> str:
        if not index:
            return "-"
        tag = self.pool.tag(index)
        if tag not in DYNAMICS:
            return f"{tag} {describe(self.pool, index)}"
        entry = self.pool.entry(index)
        number = entry[1] << 8 | entry[2]
        if number >= len(self.bootstrap) or deep > MOST_DEEP:
            raise ClassFormatError(f"constant {index} has no bootstrap method", self.pool.at)
        name, descriptor = self.pool.name_and_type(index)
        handle, arguments = self.bootstrap[number]
        said = ", ".join(self.constant(one, deep + 1) for one in arguments)
        return f"{tag} {name!r} {descriptor!r} by {self.constant(handle)} of ({said})"

    def instructions(self, code: Code) -> Iterator[tuple[int, int, int]]:
        """(opcode, pc, the index of its constant or 0) of each instruction."""
        raw, scan, pc = code.code, code.scan(), 0
        while pc < len(raw):
            op = raw[pc]
            kind = KINDS[op]
            index = 0
            if kind == CONSTANT8:
                index = raw[pc + 1]
            elif kind in (CONSTANT16, INTERFACE, DYNAMIC, MULTI):
                index = raw[pc + 1] << 8 | raw[pc + 2]
            yield op, pc, index
            pc = scan.next_pc(pc)

    def code(self, code: Code) -> str:
        """The instructions and handlers of a method."""
        raw, scan = code.code, code.scan()
        number = {pc: i for i, (_, pc, _) in enumerate(self.instructions(code))}
        number[len(raw)] = len(number)
        lines = []
        for op, pc, index in self.instructions(code):
            kind, end = KINDS[op], scan.next_pc(pc)
            if kind in (CONSTANT8, CONSTANT16, INTERFACE, DYNAMIC):
                said = self.constant(index)
            elif kind == MULTI:
                said = f"{self.constant(index)} {raw[pc + 3]}"
            elif kind in (LABEL16, LABEL32):
                said = str([number[target] for target in scan.targets(pc)])
            elif kind == TABLE:
                said = (
                    f"{raw[(pc & ~3) + 8 : (pc & ~3) + 16].hex()}"
                    f" {[number[target] for target in scan.switch_targets(pc)]}"
                )
            elif kind == LOOKUP:
                keys = [raw[at - 4 : at].hex() for at in scan.switch_offsets_at(pc)[1:]]
                said = f"{keys} {[number[target] for target in scan.switch_targets(pc)]}"
            else:
                said = raw[pc + 1 : end].hex()
            lines.append(f"{PLAIN.get(op, op)} {said}")
        for start, end, handler, caught in code.exception_table:
            lines.append(f"{number[start]}-{number[end]}: {number[handler]} {self.constant(caught)}")
        return "\n".join(lines)

    # ---- attributes

    def attributes(self, table: list[tuple[bytes, int, int]]) -> str:
        """Attributes that are not left out, in the order of their names."""
        said = []
        for name, at, end_at in table:
            if name not in LEFT_OUT:
                try:
                    said.append(f"{name!r} {self._attribute(name, at + 6, end_at)}")
                except (IndexError, ValueError, RecursionError):
                    raise ClassFormatError(f"malformed {name.decode('latin-1')}", at) from None
        return "; ".join(sorted(said))

    def _attribute(self, name: bytes, at: int, end_at: int) -> str:
        match name:
            case b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations":
                return self._annotations(at)[0]
            case b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations":
                said, place = [], at + 1
                for _ in range(self.data[at]):
                    one, place = self._annotations(place)
                    said.append(one)
                return str(said)
            case b"AnnotationDefault":
                return self._value(at)[0]
            case b"ConstantValue" | b"Signature" | b"NestHost":
                return self.constant(self.u2(at))
            case b"Exceptions" | b"PermittedSubclasses":
                return str([self.constant(self.u2(at + 2 + 2 * i)) for i in range(self.u2(at))])
            case b"EnclosingMethod":
                return f"{self.constant(self.u2(at))} {self.constant(self.u2(at + 2))}"
            case b"MethodParameters":
                return str(
                    [(self.constant(self.u2(at + 1 + 4 * i)), self.u2(at + 3 + 4 * i)) for i in range(self.data[at])]
                )
            case b"InnerClasses":
                return self._inner_classes(at)
            case b"Record":
                return self._record(at)
            case _:
                return self.data[at:end_at].hex()

    def _inner_classes(self, at: int) -> str:
        """The class's own entry and those of its members; others come with each use of a class."""
        said = []
        for i in range(self.u2(at)):
            inner, outer, name, flags = (self.u2(at + 2 + 8 * i + 2 * j) for j in range(4))
            own = self.cf.name
            if self.pool.class_name(inner) == own or (outer and self.pool.class_name(outer) == own):
                said.append(f"{self.constant(inner)} {self.constant(outer)} {self.constant(name)} {flags}")
        return str(sorted(said))

    def _record(self, at: int) -> str:
        count, at, said = self.u2(at), at + 2, []
        for _ in range(count):
            start, at = at, at + 6
            for _ in range(self.u2(start + 4)):
                at += 6 + int.from_bytes(self.data[at + 2 : at + 6], "big")
            inner = attribute_table(self.pool, self.data, start + 4, at)
            said.append(f"{self.constant(self.u2(start))} {self.constant(self.u2(start + 2))} {self.attributes(inner)}")
        return str(said)

    def _annotations(self, at: int) -> tuple[str, int]:
        said, count, at = [], self.u2(at), at + 2
        for _ in range(count):
            one, at = self._annotation(at)
            said.append(one)
        return str(said), at

    def _annotation(self, at: int) -> tuple[str, int]:
        said, kind, pairs, at = [], self.constant(self.u2(at)), self.u2(at + 2), at + 4
        for _ in range(pairs):
            name = self.constant(self.u2(at))
            value, at = self._value(at + 2)
            said.append(f"{name}={value}")
        return f"@{kind}({', '.join(said)})", at

    def _value(self, at: int) -> tuple[str, int]:
        tag = chr(self.data[at])
        if tag == "e":
            return f"{self.constant(self.u2(at + 1))}.{self.constant(self.u2(at + 3))}", at + 5
        if tag == "@":
            return self._annotation(at + 1)
        if tag == "[":
            said, count, at = [], self.u2(at + 1), at + 3
            for _ in range(count):
                one, at = self._value(at)
                said.append(one)
            return str(said), at
        return f"{tag} {self.constant(self.u2(at + 1))}", at + 3
