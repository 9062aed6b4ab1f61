"""Probes where an activation ends, as several measures insert them. `load` pushes the result of the entry.

before each return         load, leave
in a handler of all        load, thrown, athrow, or load, number of the slot that counts exceptions, thrown, athrow
at the method's own        load, restore: ends what an exception left without either, as a constructor before its
                           super() (not in methods with monitors)
"""

from __future__ import annotations

from classhook.classfile.errors import CodeTooLarge
from classhook.classfile.insertions import BEFORE, Insertion
from classhook.classfile.layout import MAX_CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.probes.method_weaver import MethodWeaver

LEAVE: Final = b"(I)V"  # descriptors of the tracker's methods
THROWN: Final = b"(II)V"
UNCOUNTED: Final = -1


def insert_ending(
    weaver: MethodWeaver, load: bytes, leave: str, thrown: str, restore: str = "", exceptions: int = UNCOUNTED
) -> None:
    """`leave`, `thrown`, `restore`: the tracker's methods (the last one may be none); `exceptions`: a slot. Raises
    CodeTooLarge."""
    insert_exits(weaver, load + weaver.call(leave, LEAVE))
    if restore:
        insert_restores(weaver, load + weaver.call(restore, LEAVE))
    ranges = weaver.handled()
    if ranges and exceptions != UNCOUNTED:
        weaver.handle(load + weaver.number(exceptions) + weaver.call(thrown, THROWN), ranges, 2)
    elif ranges:
        weaver.handle(load + weaver.call(thrown, LEAVE), ranges, 1)


def insert_restores(weaver: MethodWeaver, restore: bytes) -> None:
    """Puts code at the method's own handlers, but not in methods with monitors: the compilers refuse those where a call
    comes before a monitor is released and nothing would release it after that. There, an activation that an exception
    left without an exit ends when the method does."""
    if weaver.code.scan().monitors:
        return
    for pc in sorted({entry[2] for entry in weaver.code.exception_table}):
        weaver.insertions.append(Insertion(pc, restore, BEFORE, guarded=True, stack=1))


def insert_call_exits(weaver: MethodWeaver, leave: bytes, stack: int = 1) -> None:
    """Puts code in front of each return by which a call ends. Raises CodeTooLarge."""
    insert_exits(weaver, leave, stack, None if weaver.resumable is None else weaver.resumable.ends)


def insert_exits(weaver: MethodWeaver, leave: bytes, stack: int = 1, returns: list[int] | None = None) -> None:
    """Puts code in front of each return, or of some. Raises CodeTooLarge."""
    code = weaver.code
    if returns is None:
        returns = code.scan().returns
    least = len(code.code) + len(returns) * len(leave)
    if least > MAX_CODE:  # told early, since a hostile class may have many returns in many methods
        raise CodeTooLarge(f"{least} bytes of code")
    weaver.insertions += [Insertion(pc, leave, BEFORE, stack=stack) for pc in returns]
