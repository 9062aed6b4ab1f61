"""The Code attribute (JVMS 4.7.3), parsed."""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.pool import ConstantPool
from classhook.classfile.reader import attribute_table
from classhook.classfile.scan import Scan, scan


class Code:
    """A Code attribute: `code` is the code array; an exception_table entry is (start_pc, end_pc, handler_pc,
    catch_type); an attribute is (name, start_at, end_at) in `data`, with its 6-byte header.
    """

    __slots__ = (
        "_scan",
        "at",
        "attributes",
        "code",
        "code_at",
        "constants",
        "data",
        "end_at",
        "exception_table",
        "max_locals",
        "max_stack",
    )

    def __init__(self, data: bytes, at: int, pool: ConstantPool) -> None:
        size = len(data)
        if at < 0 or at + 18 > size:
            raise ClassFormatError("truncated Code", at)
        end_at = at + 6 + (data[at + 2] << 24 | data[at + 3] << 16 | data[at + 4] << 8 | data[at + 5])
        code_at = at + 14
        table_at = code_at + (data[at + 10] << 24 | data[at + 11] << 16 | data[at + 12] << 8 | data[at + 13])
        if end_at > size or table_at + 4 > end_at or table_at == code_at or table_at - code_at > 65535:
            raise ClassFormatError("Code of a wrong length", at)
        self._scan: Scan | None = None
        self.constants: int = pool.count
        self.data: bytes = data
        self.at: int = at
        self.end_at: int = end_at
        self.max_stack: int = data[at + 6] << 8 | data[at + 7]
        self.max_locals: int = data[at + 8] << 8 | data[at + 9]
        self.code_at: int = code_at
        self.code: bytes = data[code_at:table_at]
        self.exception_table: list[tuple[int, int, int, int]] = []
        count = data[table_at] << 8 | data[table_at + 1]
        table_at += 2
        if table_at + 8 * count + 2 > end_at:
            raise ClassFormatError("truncated exception table", table_at)
        while count:
            count -= 1
            self.exception_table.append(
                (
                    data[table_at] << 8 | data[table_at + 1],
                    data[table_at + 2] << 8 | data[table_at + 3],
                    data[table_at + 4] << 8 | data[table_at + 5],
                    data[table_at + 6] << 8 | data[table_at + 7],
                )
            )
            table_at += 8
        self.attributes: list[tuple[bytes, int, int]] = attribute_table(pool, data, table_at, end_at)

    @staticmethod
    def parse(data: bytes, at: int, pool: ConstantPool) -> Code:
        """Reads the Code attribute whose 6-byte header is at `at` of the class; raises ClassFormatError."""
        return Code(data, at, pool)

    def scan(self) -> Scan:
        """The code's instructions by category, cached. Also checks the exception table against them (JVMS 4.7.3)."""
        found = self._scan
        if found is None:
            found = scan(self.code)
            bounds = found.bounds
            size = len(bounds)
            for start_pc, end_pc, handler_pc, _ in self.exception_table:
                if (
                    start_pc >= end_pc
                    or end_pc > size
                    or handler_pc >= size
                    or not bounds[start_pc]
                    or not bounds[handler_pc]
                    or (end_pc < size and not bounds[end_pc])
                ):
                    raise ClassFormatError("bad exception table in the Code", self.at)
            self._scan = found
        return found
