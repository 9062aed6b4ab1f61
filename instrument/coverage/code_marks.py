"""The code offsets where a method's attributes put labels, lines and frames.

Filters look at what lies between two instructions, so all that the class file says about an offset counts: the ends of
ranges and variables, lines, and stack map frames.
"""

from __future__ import annotations

from classhook.classfile.annotations import skip_annotation
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.frames import EARLY_LARVAL
from classhook.classfile.opcodes import NEW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# The marks before an instruction, in this order.
LABEL: Final = 1
LINE: Final = 2
FRAME: Final = 4

TYPE_ANNOTATIONS: Final = (b"RuntimeVisibleTypeAnnotations", b"RuntimeInvisibleTypeAnnotations")
VARIABLES: Final = (b"LocalVariableTable", b"LocalVariableTypeTable")
LOCAL_VARIABLE: Final = (0x40, 0x41)


class CodeMarks:
    """Labels by code offset, up to and including the code's length: marks[pc], a sum of LABEL, LINE, FRAME; lines[pc],
    in the table's order."""

    __slots__ = ("lines", "marks")

    def __init__(self, code: Code) -> None:
        """Reads the attributes; raises ClassFormatError."""
        self.marks: list[int] = [0] * (len(code.code) + 1)
        self.lines: dict[int, list[int]] = {}
        try:
            self._read(code)
        except IndexError:
            raise ClassFormatError("offset beyond the code, or truncated table, in the Code", code.at) from None

    def _read(self, code: Code) -> None:
        marks = self.marks
        scan = code.scan()
        for start_pc, end_pc, handler_pc, _ in code.exception_table:
            marks[start_pc] = marks[end_pc] = marks[handler_pc] = LABEL
        for target in scan.targets16:
            marks[target] = LABEL
        for pc in scan.jumps32:
            marks[scan.targets(pc)[0]] = LABEL
        for pc in scan.switches:
            for target in scan.switch_targets(pc):
                marks[target] = LABEL
        data = code.data
        for name, at, end_at in code.attributes:
            if name == b"LineNumberTable":
                self._read_lines(data, at, end_at, len(code.code))
            elif name in VARIABLES:
                for entry in range(at + 8, end_at - 9, 10):
                    start = data[entry] << 8 | data[entry + 1]
                    marks[start] |= LABEL
                    marks[start + (data[entry + 2] << 8 | data[entry + 3])] |= LABEL
            elif name == b"StackMapTable":
                self._read_frames(code, at + 6, end_at)
            elif name in TYPE_ANNOTATIONS:
                self._read_annotations(data, at + 6, end_at)

    def _read_lines(self, data: bytes, at: int, end_at: int, size: int) -> None:
        marks = self.marks
        lines = self.lines
        for entry in range(at + 8, end_at - 3, 4):
            pc = data[entry] << 8 | data[entry + 1]
            if pc < size:
                line = data[entry + 2] << 8 | data[entry + 3]
                if marks[pc] & LINE:
                    lines[pc].append(line)
                else:
                    lines[pc] = [line]
                    marks[pc] |= LABEL | LINE

    def _read_frames(self, code: Code, at: int, end_at: int) -> None:
        """Marks the frames, and what uninitialized types name: any 8 that is followed by the offset of a `new`."""
        data = code.data
        marks = self.marks
        text = code.code
        bounds = code.scan().bounds
        here = data.find(8, at + 2, end_at)
        while 0 <= here < end_at - 2:
            pc = data[here + 1] << 8 | data[here + 2]
            if pc < len(text) and text[pc] == NEW and bounds[pc]:
                marks[pc] |= LABEL
            here = data.find(8, here + 1, end_at)
        pc = -1
        count = data[at] << 8 | data[at + 1]
        at += 2
        for _ in range(count):
            if at >= end_at:
                raise ClassFormatError("truncated StackMapTable", at)
            kind = data[at]
            at += 1
            if kind == EARLY_LARVAL:
                at += 2 + 2 * (data[at] << 8 | data[at + 1])
                kind = data[at]
                at += 1
            if kind < 128:
                pc += (kind & 63) + 1
                at = _skip_types(data, at, kind >> 6)
            else:
                pc += (data[at] << 8 | data[at + 1]) + 1
                at += 2
                if kind == 255:
                    for _ in range(2):
                        at = _skip_types(data, at + 2, data[at] << 8 | data[at + 1])
                else:
                    at = _skip_types(data, at, 1 if kind == 247 else max(0, kind - 251))
            marks[pc] |= LABEL | FRAME

    def _read_annotations(self, data: bytes, at: int, end_at: int) -> None:
        """Marks where annotated local variables begin and end (JVMS 4.7.20.1)."""
        marks = self.marks
        count = data[at] << 8 | data[at + 1]
        at += 2
        for _ in range(count):
            kind = data[at]
            at += 1
            if kind in LOCAL_VARIABLE:
                entries = data[at] << 8 | data[at + 1]
                at += 2
                for _ in range(entries):
                    start = data[at] << 8 | data[at + 1]
                    marks[start] |= LABEL
                    marks[start + (data[at + 2] << 8 | data[at + 3])] |= LABEL
                    at += 6
            else:
                at += 2 if kind < 0x47 else 3
            at += 1 + 2 * data[at]
            at = skip_annotation(data, at, end_at)


def _skip_types(data: bytes, at: int, count: int) -> int:
    """The byte after `count` verification types (JVMS 4.7.4)."""
    for _ in range(count):
        at += 3 if data[at] in (7, 8) else 1
    return at
