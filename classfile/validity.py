"""Finds classes that the JVM refuses, but might accept with probes in them: these must not be woven.

Probes add constants, so an index beyond the pool might become valid; and they add stack space and a local.

1. In each attribute that the JVM reads in this place and version, check the indices, at the positions in
   classfile.attributes. Also check catch types, the classes in frames, and the operands of instructions; the reader has
   checked the pool itself, and the names of members and attributes.
2. Methods that get more room must be valid without it (classfile.room); parts that are rewritten must have been valid.

Parts that the JVM ignores when it loads and verifies a class, such as annotations, are not checked.
"""

from __future__ import annotations

from classhook.classfile.attributes import ATTRIBUTES, CLASS, CODE, COMPONENT, FIELD, FRAMES, METHOD, STATIC
from classhook.classfile.errors import ClassFormatError, Refused
from classhook.classfile.flow import slots_at
from classhook.classfile.frame_heights import frames_end, next_frame
from classhook.classfile.opcodes import INDEX_SHIFTS, LENGTHS
from classhook.classfile.room import check_room
from classhook.classfile.scan import varying_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from mypy_extensions import i64

    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool
    from classhook.classfile.reader import ClassFile, Method

FRAMES_NEEDED: Final = 51  # first major version in which the JVM refuses a class because of wrong frames
ANY_PADDING: Final = 51  # first major version in which a switch's padding may be anything
NONE: Final[list[int]] = []


def check_validity(
    cf: ClassFile, woven: list[Code], growing: list[Code], check_time: Callable[[], None] | None = None
) -> None:
    """Raises Refused if the JVM refuses the class. `woven`: the methods that get probes, in order; `growing`: those of
    them that get more stack or locals; `check_time` is called between methods and may raise any exception."""
    try:
        _Class(cf, check_time).look_through(cf, woven, growing)
    except IndexError:
        raise Refused("truncated data that the JVM reads,", len(cf.data)) from None


class _Class:
    """State of the checks: for each attribute name seen, where it may be; positions of the frames (0 if none) and the
    local variable tables of the current code."""

    __slots__ = ("check_time", "count", "data", "frames_at", "holders", "locals_at", "major", "pool")

    def __init__(self, cf: ClassFile, check_time: Callable[[], None] | None) -> None:
        self.data: bytes = cf.data
        self.pool: ConstantPool = cf.pool
        self.count: i64 = cf.pool.count
        self.major: int = cf.major
        self.check_time = check_time
        self.holders: list[int] = [-1] * cf.pool.count  # by the name's index; 0: none, -1: unknown
        self.frames_at: i64 = 0
        self.locals_at: list[int] = []

    def look_through(self, cf: ClassFile, woven: list[Code], growing: list[Code]) -> None:
        data = self.data
        at: i64 = self.pool.end_at + 8 + 2 * len(cf.interfaces)
        left: i64 = data[at] << 8 | data[at + 1]
        at += 2
        while left:
            left -= 1
            at = self.attributes(at + 6, FIELD | STATIC if data[at + 1] & 8 else FIELD)
        seen: i64 = 0  # of `woven`, and ...
        grown: i64 = 0  # ... of `growing`
        for method in cf.methods:
            self.attributes(method.start_at + 6, METHOD)
            if not method.code_at:
                continue
            if self.check_time is not None:
                self.check_time()
            self.tables(method.code_at)
            if seen < len(woven) and woven[seen].at == method.code_at:
                grows = grown < len(growing) and growing[grown] is woven[seen]
                self.woven_code(method, woven[seen], grows)
                seen += 1
                grown += 1 if grows else 0
            else:
                self.operands(method.code_at)
                self.frames()
        self.attributes(cf.attributes_at, CLASS)

    def tables(self, at: i64) -> None:
        """Checks the exception table and the attributes of the Code at `at`."""
        data = self.data
        at += 14 + (data[at + 10] << 24 | data[at + 11] << 16 | data[at + 12] << 8 | data[at + 13])
        left: i64 = data[at] << 8 | data[at + 1]
        at += 2
        while left:
            left -= 1
            self.index(at + 6)
            at += 8
        self.frames_at = 0
        self.locals_at.clear()
        self.attributes(at, CODE | FRAMES)

    def woven_code(self, method: Method, code: Code, grows: bool) -> None:
        try:
            scan = code.scan()
            if scan.largest_index >= self.count:
                self.refuse(scan.largest_index, code.at)
            for pc in scan.switches if self.major < ANY_PADDING else NONE:
                if any(code.code[pc + 1 : (pc & ~3) + 4]):  # weaving would rewrite it
                    raise Refused("a switch with padding that is not zero, code offset", pc)
            if grows:
                arguments = (slots_at(self.pool, method.descriptor_index) >> 2) + (0 if method.access_flags & 8 else 1)
                check_room(code, arguments, self.major, self.frames_at, self.pool)
                for at in self.locals_at:
                    self.local_variables(code, at)
            if not grows or self.major < FRAMES_NEEDED:
                self.frames()
        except Refused as refused:
            raise Refused(f"{method.name}{method.descriptor}: {refused.what}", refused.where) from None
        except ClassFormatError:
            pass  # then the method is not woven, and the JVM refuses it as before

    def frames(self) -> None:
        """Checks the classes in the frames."""
        at: i64 = self.frames_at
        if at == 0:
            return
        end = frames_end(self.data, at)
        left: i64 = self.data[at] << 8 | self.data[at + 1]
        at += 2
        while left and at < end:
            left -= 1
            at, _, _ = next_frame(self.data, at, self.count)
        if self.major >= FRAMES_NEEDED and (left or at > end):
            raise Refused("frames beyond the end of their table", end)

    def local_variables(self, code: Code, at: i64) -> None:
        """Checks a local variable table, which one more local, or our handler behind the code, could make valid (JVMS
        4.7.13)."""
        data = self.data
        left: i64 = data[at + 6] << 8 | data[at + 7]
        names_types = self.pool.utf8_bytes(data[at] << 8 | data[at + 1]) == b"LocalVariableTable"
        at += 8
        while left:
            left -= 1
            local: i64 = data[at + 8] << 8 | data[at + 9]
            if names_types:
                first: i64 = self.pool.data[self.pool.offsets[data[at + 6] << 8 | data[at + 7]] + 3]
                if first == 0x4A or first == 0x44:  # J, D
                    local += 1
            if local >= code.max_locals or (data[at] << 8 | data[at + 1]) >= len(code.code):
                raise Refused("a local variable table with a local or start_pc beyond the method's", at)
            at += 10

    def operands(self, at: i64) -> None:
        """Checks the indices in the instructions of the Code at `at`."""
        data = self.data
        lengths = LENGTHS
        shifts = INDEX_SHIFTS
        size: i64 = data[at + 10] << 24 | data[at + 11] << 16 | data[at + 12] << 8 | data[at + 13]
        code = data[at + 14 : at + 16 + size]  # and two more bytes: two are read after any opcode
        pc: i64 = 0
        while pc < size:
            op: i64 = code[pc]
            index: i64 = (code[pc + 1] << 8 | code[pc + 2]) >> shifts[op]
            if index >= self.count:
                self.refuse(index, at + 14 + pc)
            length: i64 = lengths[op]
            if length == 0:
                length = varying_length(code, pc)
                if length == 0:
                    return
            pc += length

    def index(self, at: i64) -> i64:
        """Reads and checks the index at `at`."""
        index: i64 = self.data[at] << 8 | self.data[at + 1]
        if index >= self.count:
            self.refuse(index, at)
        return index

    def refuse(self, index: i64, at: i64) -> None:
        raise Refused(f"constant {index}, where the pool ends with {self.count - 1},", at)

    def attributes(self, at: i64, holder: i64) -> i64:
        """Checks the attributes whose count is at `at`; returns the byte after them."""
        data = self.data
        left: i64 = data[at] << 8 | data[at + 1]
        at += 2
        while left:
            left -= 1
            name: i64 = self.index(at)
            holders: i64 = self.holders[name]
            if holders:
                if holders < 0:
                    found = ATTRIBUTES.get(self.pool.utf8_bytes(name))
                    holders = 0 if found is None or self.major < found[1] else found[0]
                    self.holders[name] = holders
                if holders & holder & FRAMES:
                    empty = (
                        data[at + 2] | data[at + 3] | data[at + 4] | data[at + 5] == 0
                    )  # the JVM treats it as missing
                    self.frames_at = 0 if empty else at + 6
                elif holders & holder:
                    self.look(self.pool.utf8_bytes(name), at + 6)
                    if holders & CODE:
                        self.locals_at.append(at)
            at += 6 + (data[at + 2] << 24 | data[at + 3] << 16 | data[at + 4] << 8 | data[at + 5])
        return at

    def look(self, name: bytes, at: i64) -> None:
        """Checks the indices of an attribute whose content begins at `at`."""
        data = self.data
        size: i64
        _, _, size, places = ATTRIBUTES[name]
        entries: i64 = 1
        if name == b"BootstrapMethods":
            self.bootstrap_methods(at)
        elif name == b"Record":
            entries = data[at] << 8 | data[at + 1]
            at += 2
            while entries:
                entries -= 1
                self.index(at)
                self.index(at + 2)
                at = self.attributes(at + 4, COMPONENT)
        else:
            if size:
                entries = data[at] << 8 | data[at + 1]
                at += 2
            while entries:
                entries -= 1
                for place in places:
                    self.index(at + place)
                at += size

    def bootstrap_methods(self, at: i64) -> None:
        data = self.data
        left: i64 = data[at] << 8 | data[at + 1]
        at += 2
        while left:
            left -= 1
            self.index(at)
            arguments: i64 = data[at + 2] << 8 | data[at + 3]
            at += 4
            while arguments:
                arguments -= 1
                self.index(at)
                at += 2
