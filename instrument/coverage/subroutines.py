"""Methods with subroutines (jsr and ret, class files up to version 50), each call of one replaced by a copy, as JaCoCo
counts them.

1. Find what belongs to the method itself and to each subroutine: what is reached without following a jsr. Code that two
   of them share belongs to the outermost caller that has it.
2. Write the method's own code, then a copy for each jsr in the order in which they are met: `jsr` becomes `aconst_null;
   goto copy`, `ret` becomes a goto to the instruction after that jsr. A goto is added where a copy's code goes on in
   code that is shared, and so lies elsewhere. Code that is never reached is left out.
3. Exception ranges, lines and variables are written for each copy.

Such a method is woven as this copy, too, since the probes of one call of a subroutine must not be those of another.
Runs in the JVM.
"""

from __future__ import annotations

from bisect import bisect_left

from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import ACONST_NULL_CODE, GOTO, GOTO_W, JSR, JSR_W, RET, UNCONDITIONAL, WIDE_PREFIX
from classhook.classfile.pool import ConstantPool
from classhook.coverage.code_marks import LABEL, VARIABLES, CodeMarks
from classhook.coverage.rewritten_code import Copy, Piece, encoded, size_of, table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

LINES: Final = b"LineNumberTable"
MOST_STEPS: Final = (
    1_000_000  # in a hostile class, the copies of subroutines double with each that calls the next one twice
)
Range = tuple[int, int, int, int]


def flat(code: Code, pool: ConstantPool) -> Code:
    """The method as it is counted: without subroutines, if it has any. Raises ClassFormatError if it gets too large."""
    return _Inliner(code, pool).counted() if code.scan().has_jsr else code


def replacement(code: Code, pool: ConstantPool, most: int) -> Code:
    """A method with subroutines as it is woven: without; as it is if it would get larger than `most` bytes by that."""
    try:
        new = _Inliner(code, pool).woven()
    except (ClassFormatError, IndexError, KeyError):  # the last two: hostile code
        return code
    return code if len(new.code) > most >= len(code.code) else new


def _is_wide_ret(text: bytes, pc: int) -> bool:
    return text[pc] == WIDE_PREFIX and text[pc + 1] == RET


def _ends(text: bytes, pc: int) -> bool:
    """Returns whether the code never goes on behind the instruction at `pc`."""
    return bool(UNCONDITIONAL[text[pc]]) or _is_wide_ret(text, pc)


class _Inliner:
    def __init__(self, code: Code, pool: ConstantPool) -> None:
        self.code = code
        self.pool = pool
        self.scan = code.scan()
        self.code_marks = CodeMarks(code)
        self.pcs = [pc for pc in range(len(code.code)) if self.scan.bounds[pc]]
        self.shared: set[int] = set()
        self.pieces: list[Piece] = []
        self.copies: list[Copy] = []
        self.label_at: set[int] = set()  # indices of new instructions
        self.lines: list[tuple[int, int]] = []  # index, line
        self.steps = 0
        self.offsets: list[int] = []  # of the new instructions, and the new code's length
        self._copy()

    def _copy(self) -> None:
        scan = self.scan
        jsrs = [pc for pc in self.pcs if self.code.code[pc] in (JSR, JSR_W)]
        entries = dict.fromkeys(scan.targets(pc)[0] for pc in jsrs)
        seen: set[int] = set()
        own = self._reached(0)
        bodies: dict[int, set[int]] = {}
        for insns in [own, *(bodies.setdefault(pc, self._reached(pc)) for pc in entries)]:
            self.shared |= seen & insns
            seen |= insns
        queue = [Copy(None, own, self.shared)]
        while queue:
            copy = queue.pop(0)
            self.copies.append(copy)
            self._step(len(self.pcs) + len(self.code.exception_table))
            queue += self._write(copy, bodies)
        at = 0
        for piece in self.pieces:
            self.offsets.append(at)
            at += size_of(piece, at)
        self.offsets.append(at)
        if at > 0xFFFF:
            raise ClassFormatError(f"{at} bytes without its subroutines (jsr), in the Code", self.code.at)

    def _step(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise ClassFormatError("too many subroutines (jsr) within each other in the Code", self.code.at)

    def _reached(self, start: int) -> set[int]:
        """The code reached from `start` without following a jsr, handlers included."""
        found: set[int] = set()
        work = [start]
        while work:
            self._walk(work, found)
            order = sorted(found)
            self._step(len(order) + len(self.code.exception_table))
            work = [
                handler_pc
                for start_pc, end_pc, handler_pc, _ in self.code.exception_table
                if handler_pc not in found and bisect_left(order, start_pc) < bisect_left(order, end_pc)
            ]
        return found

    def _walk(self, work: list[int], found: set[int]) -> None:
        text = self.code.code
        while work:
            pc = work.pop()
            if pc in found or pc >= len(text):
                continue
            found.add(pc)
            op = text[pc]
            if op not in (JSR, JSR_W):
                work += self.scan.targets(pc)
            if not _ends(text, pc):
                work.append(self.scan.next_pc(pc))

    def _write(self, copy: Copy, bodies: dict[int, set[int]]) -> list[Copy]:
        """Writes a copy; returns those of its jsrs."""
        text = self.code.code
        called: list[Copy] = []
        label = False
        for pc in self.pcs:
            label = label or bool(self.code_marks.marks[pc] & LABEL)
            if copy.owner(pc) is not copy:
                continue
            index = len(self.pieces)
            copy.at[pc] = index
            copy.order.append(pc)
            if label:
                self.label_at.add(index)
            label = False
            self.lines += [(index, line) for line in self.code_marks.lines.get(pc, [])]
            op = text[pc]
            raw = text[pc : self.scan.next_pc(pc)]
            if op in (JSR, JSR_W):
                target = self.scan.targets(pc)[0]
                new = Copy(copy, bodies[target], self.shared)
                called.append(new)
                self.pieces += [
                    Piece(pc, ACONST_NULL_CODE, []),
                    Piece(-1, bytes((GOTO_W,)), [(new.owner(target), target)]),
                ]
                new.back = len(self.pieces)
                self.label_at.add(new.back)
            elif op == RET or _is_wide_ret(text, pc):
                back = -1
                above: Copy | None = copy
                while above is not None:
                    back = above.back if pc in above.insns else back
                    above = above.parent
                self.pieces.append(Piece(pc, bytes((GOTO_W,)), [(None, back)]))
            else:
                new_raw = bytes((GOTO_W,)) if op in (GOTO, GOTO_W) else raw
                self.pieces.append(Piece(pc, new_raw, [(copy.owner(to), to) for to in self.scan.targets(pc)]))
            if not _ends(text, pc):
                following = self.scan.next_pc(pc)
                owner = copy.owner(following)
                if owner is not None and owner is not copy:  # the code goes on in a copy that is elsewhere
                    self.pieces.append(Piece(-1, bytes((GOTO_W,)), [(owner, following)]))
        return called

    def _resolve(self, copy: Copy | None, pc: int) -> int:
        """The index of the new instruction at a target."""
        return pc if copy is None else copy.at.get(pc, 0)

    def counted(self) -> Code:
        """The code with the attributes that an analysis needs: lines, and labels as places of local variables that do
        not exist."""
        return self._assembled([self._lines(LINES, b"\0\0"), self._labels()])

    def woven(self) -> Code:
        """The code with the attributes of a class file. Frames are left out: the JVM does not look at them in a class
        with subroutines."""
        old = self.code
        tables: list[tuple[bytes, bytes]] = []
        for name, at, end_at in old.attributes:
            index = old.data[at : at + 2]
            if name == LINES and all(name != known for known, _ in tables):  # all lines are in one table
                tables.append(self._lines(name, index))
            elif name in VARIABLES:
                tables.append(self._variables(name, index, at, end_at))
        return self._assembled(tables)

    def _assembled(self, tables: list[tuple[bytes, bytes]]) -> Code:
        """The Code with these attributes, by name."""
        old = self.code
        out = bytearray()
        for i, piece in enumerate(self.pieces):
            targets = [self.offsets[self._resolve(copy, pc)] - self.offsets[i] for copy, pc in piece.targets]
            out += encoded(piece, self.offsets[i], targets)
        ranges = [entry for copy in self.copies for entry in self._ranges(copy)]
        if len(ranges) > 0xFFFF:
            raise ClassFormatError("too many exception ranges in code with subroutines (jsr)", old.at)
        body = b"".join(
            [
                old.max_stack.to_bytes(2, "big"),
                old.max_locals.to_bytes(2, "big"),
                len(out).to_bytes(4, "big"),
                out,
                len(ranges).to_bytes(2, "big"),
                *[number.to_bytes(2, "big") for entry in ranges for number in entry],
                bytes(2),
            ]
        )
        data = old.data[old.at : old.at + 2] + len(body).to_bytes(4, "big") + body
        code = Code(data + b"".join([table for _, table in tables]), 0, self.pool)
        at = len(data)
        for name, table in tables:
            code.attributes.append((name, at, at + len(table)))
            at += len(table)
        return code

    def _lines(self, name: bytes, index: bytes) -> tuple[bytes, bytes]:
        entries = b"".join((self.offsets[i] << 16 | line).to_bytes(4, "big") for i, line in self.lines)
        return name, table_of(index, entries, 4)

    def _labels(self) -> tuple[bytes, bytes]:
        places = [self.offsets[i] for i in sorted(self.label_at) if i < len(self.pieces)]
        return VARIABLES[0], table_of(b"\0\0", b"".join(pc.to_bytes(2, "big") + bytes(8) for pc in places), 10)

    def _variables(self, name: bytes, index: bytes, at: int, end_at: int) -> tuple[bytes, bytes]:
        """A table of variables, with the part of their ranges in each copy."""
        data = self.code.data
        entries: dict[bytes, None] = {}  # each once, as the JVM wants them: ranges that differ may be one in a copy
        for copy in self.copies:
            for entry in range(at + 8, end_at - 9, 10):
                start, size = data[entry] << 8 | data[entry + 1], data[entry + 2] << 8 | data[entry + 3]
                new = self._range(copy, start, start + size)
                if new is not None:
                    entries[
                        new[0].to_bytes(2, "big") + (new[1] - new[0]).to_bytes(2, "big") + data[entry + 4 : entry + 10]
                    ] = None
        return name, table_of(index, b"".join(entries), 10)

    def _ranges(self, copy: Copy) -> list[Range]:
        """The exception table entries of a copy; those that have become empty are left out."""
        found: list[Range] = []
        for start_pc, end_pc, handler_pc, type_index in self.code.exception_table:
            place = self._range(copy, start_pc, end_pc)
            owner = copy.owner(handler_pc)
            if place is not None and owner is not None:
                found.append((*place, self.offsets[owner.at[handler_pc]], type_index))
        return found

    def _range(self, copy: Copy, start_pc: int, end_pc: int) -> tuple[int, int] | None:
        """The part of a range of the old code that a copy has, in the copy; None: nothing of it."""
        first, after = bisect_left(copy.order, start_pc), bisect_left(copy.order, end_pc)
        if first == after:
            return None
        if after < len(copy.order):
            end = copy.at[copy.order[after]]
        else:
            end = 1 + copy.at[copy.order[-1]]
            while end < len(self.pieces) and self.pieces[end].pc < 0:
                end += 1  # the goto of a jsr at the end
        return self.offsets[copy.at[copy.order[first]]], self.offsets[end]
