"""The operand of conditions in code behind which one value is there, of which a copy is kept in a local: the result
where a method returns, the length of a new array."""

from __future__ import annotations

from classhook.measures.event import LOADS
from classhook.probes.method_weaver import local_op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.rules.conditions import Path

#: From the load of a type to its store (JVMS 6.5), in full and from the short forms on.
STORE: Final = 33


class KeptOperand:
    """`name`: of the value in conditions; `type`: its descriptor; `local`: where the copy is."""

    __slots__ = ("local", "name", "type")

    def __init__(self, name: str, type: str, local: int) -> None:
        self.name = name
        self.type = type
        self.local = local

    def is_unset(self, path: Path) -> bool:
        return False

    def kind(self, path: Path) -> str:
        return self.type if path.root == self.name and len(path.names) == 1 else ""

    def begin(self, path: Path) -> tuple[bytes, int] | None:
        return (self.load(path), 0) if path.root == self.name and self.type[0] in "L[" else None

    def load(self, path: Path) -> bytes:
        opcode, short, _, _ = LOADS[self.type[0]]
        return local_op(opcode, short, self.local)

    def store(self) -> bytes:
        """Keeps the copy."""
        opcode, short, _, _ = LOADS[self.type[0]]
        return local_op(opcode + STORE, short + STORE, self.local)
