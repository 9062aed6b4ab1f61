"""Probes where a method is left, as several measures insert them."""

from __future__ import annotations

from classfile.errors import CodeTooLarge
from classfile.insertions import BEFORE, Insertion
from classfile.layout import MAX_CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from instrument.weaving.method_weaver import MethodWeaver


def insert_exits(weaver: MethodWeaver, leave: bytes) -> None:
    """Puts code in front of each return. Raises CodeTooLarge."""
    code = weaver.code
    returns = code.scan().returns
    least = len(code.code) + len(returns) * len(leave)
    if least > MAX_CODE:  # told early, since a hostile class may have many returns in many methods
        raise CodeTooLarge(f"{least} bytes of code")
    weaver.insertions += [Insertion(pc, leave, BEFORE, stack=1) for pc in returns]
