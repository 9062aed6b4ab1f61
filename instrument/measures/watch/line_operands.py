"""The operands of conditions in code at a line: locals, and fields that the class itself declares."""

from __future__ import annotations

from classhook.measures.event import LOADS
from classhook.measures.watch.condition_code import own_field
from classhook.measures.watch.method_types import ACC_STATIC
from classhook.probes.method_weaver import local_op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.classfile.lines import Way
    from classhook.classfile.pool import ConstantPool
    from classhook.measures.watch.line_scope import LineScope
    from classhook.rules.conditions import Path


class LineOperands:
    """Operands on one way to the line."""

    __slots__ = ("pool", "scope", "way")

    def __init__(self, scope: LineScope, way: Way, pool: ConstantPool) -> None:
        self.scope = scope
        self.way = way
        self.pool = pool

    def is_unset(self, path: Path) -> bool:
        return self.scope.value(path.root, self.way) is None

    def kind(self, path: Path) -> str:
        value = self.scope.value(path.root, self.way)
        if value is None:
            return ""
        if len(path.names) == 1:
            return value.descriptor
        if path.root == "this" and len(path.names) == 2:
            kind, flags = self.scope.method.fields.get(path.names[1], ("", 0))
            return kind if not flags & ACC_STATIC else ""
        return ""

    def begin(self, path: Path) -> tuple[bytes, int] | None:
        value = self.scope.value(path.root, self.way)
        if value is None or value.descriptor[0] not in "L[":
            return None
        kind, flags = self.scope.method.fields.get(path.names[1], ("", 0)) if path.root == "this" else ("", 0)
        if len(path.names) > 2 and kind[:1] in ("L", "[") and not flags & ACC_STATIC:
            return own_field(self.pool, self.scope.method.class_name, path.names[1], kind), 1
        opcode, short, _, _ = LOADS[value.descriptor[0]]
        return local_op(opcode, short, value.local), 0

    def load(self, path: Path) -> bytes:
        value = self.scope.value(path.root, self.way)
        assert value is not None
        if len(path.names) == 1:
            opcode, short, _, _ = LOADS[value.descriptor[0]]
            return local_op(opcode, short, value.local)
        kind, _ = self.scope.method.fields[path.names[1]]
        return own_field(self.pool, self.scope.method.class_name, path.names[1], kind)
