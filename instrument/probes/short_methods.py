"""Places where a method can spend time: its loops; and whether it is too short for a probe that times it, which would
cost more than the method does."""

from __future__ import annotations

from classhook.classfile.opcodes import ATHROW, INVOKEDYNAMIC, INVOKEVIRTUAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code

#: Code of no more bytes than this, which runs straight on, takes a few nanoseconds.
MOST_SHORT: Final = 32


def loops(code: Code) -> bool:
    """True if the method jumps back; one with a jsr is taken for one that does."""
    scan = code.scan()
    if scan.has_jsr or any([scan.targets16[i] <= scan.jumps16[i] for i in range(len(scan.jumps16))]):
        return True
    return any([target <= pc for pc in [*scan.jumps32, *scan.switches] for target in scan.targets(pc)])


def is_short(code: Code) -> bool:
    """True if the method can neither loop nor call, allocate, throw or wait."""
    text = code.code
    if len(text) > MOST_SHORT:
        return False
    scan = code.scan()
    if scan.monitors or scan.switches or scan.allocations or loops(code):
        return False
    bounds = scan.bounds
    return not any(
        [bounds[pc] and (INVOKEVIRTUAL <= text[pc] <= INVOKEDYNAMIC or text[pc] == ATHROW) for pc in range(len(text))]
    )
