"""Methods that cannot take long: a probe that took their time would cost more than they do, so they are only counted."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classfile.code import Code

#: Code of no more bytes than this, which runs straight on, takes a few nanoseconds.
MOST_SHORT: Final = 32
INVOKES: Final = 0xB6  # the first of five
ATHROW: Final = 0xBF


def is_short(code: Code) -> bool:
    """Whether the method can neither loop nor call, allocate, throw or wait."""
    text = code.code
    if len(text) > MOST_SHORT:
        return False
    scan = code.scan()
    if scan.monitors or scan.switches or scan.allocations or any([scan.targets16[i] <= scan.jumps16[i] for i in range(len(scan.jumps16))]):
        return False
    bounds = scan.bounds
    return not any([bounds[pc] and (INVOKES <= text[pc] <= INVOKES + 4 or text[pc] == ATHROW) for pc in range(len(text))])
