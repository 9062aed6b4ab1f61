"""The operands of conditions in code before a write: the new value, and the value of a static field.

The value of an object's field is left to the agent: where there is no object, the program's own instruction has to
throw.
"""

from __future__ import annotations

from classhook.classfile.opcodes import GETSTATIC
from classhook.measures.event import LOADS
from classhook.probes.method_weaver import local_op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.measures.calls import CallSite
    from classhook.rules.conditions import Path

#: From the load of a type to its store (JVMS 6.5), in full and from the short forms on.
STORE: Final = 33


class WriteOperands:
    """Operands of one write. `value`: the local in which the value is kept; `field`: the bytes of the instruction's
    operand; `object_there`: whether there is an object that the agent can read."""

    __slots__ = ("field", "object_there", "site", "static", "value")

    def __init__(self, site: CallSite, static: bool, object_there: bool, field: bytes, value: int = 0) -> None:
        self.site = site
        self.static = static
        self.object_there = object_there
        self.field = field
        self.value = value

    def is_unset(self, path: Path) -> bool:
        return path.root != "value" and not self.static and not self.object_there

    def kind(self, path: Path) -> str:
        readable = path.root == "value" or (path.root == "old" and self.static)
        return self.site.descriptor if readable and len(path.names) == 1 else ""

    def begin(self, path: Path) -> tuple[bytes, int] | None:
        readable = path.root == "value" or (path.root == "old" and self.static)
        return (self.load(path), 0) if readable and self.site.descriptor[0] in "L[" else None

    def load(self, path: Path) -> bytes:
        """Loads the value of the path's root."""
        if path.root == "old":
            return bytes((GETSTATIC,)) + self.field
        opcode, short, _, _ = LOADS[self.site.descriptor[0]]
        return local_op(opcode, short, self.value)

    def store(self) -> bytes:
        """Keeps the value."""
        opcode, short, _, _ = LOADS[self.site.descriptor[0]]
        return local_op(opcode + STORE, short + STORE, self.value)
