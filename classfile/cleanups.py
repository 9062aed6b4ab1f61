"""Handlers that compilers add for `finally`, `synchronized` and `try` with resources, and where these throw again what
they caught.

1. A handler of anything is one: source code names a type (JVMS 4.7.3: catch_type). Its code stores the throwable. From
   there, each athrow of that local, before another store to it, throws it again. In code of ecj, the throwable may stay
   on the stack while monitors are released, up to the athrow.
2. javac's code for `try` with resources, from release 11 on, has two handlers of Throwable, whose end is

       astore x, aload p, aload x, invokevirtual Throwable.addSuppressed, aload p, athrow

   The second handler begins here; the first one is the nearest one before it that begins with `astore p`.
"""

from __future__ import annotations

from classhook.classfile.flow import falls_through, jump_targets
from classhook.classfile.locals import REFERENCE, STORES, stored
from classhook.classfile.opcodes import ALOAD, ALOAD_0, ALOAD_3, ATHROW, INVOKEVIRTUAL, MONITOREXIT, WIDE_PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool
    from classhook.classfile.scan import Scan

THROWABLE: Final = "java/lang/Throwable"
NONE: Final = -1  # no local


class Cleanups:
    """`handlers`: of a type, by their first instruction; `rethrows`: the pcs of athrows."""

    __slots__ = ("handlers", "rethrows")

    def __init__(self, handlers: frozenset[int], rethrows: frozenset[int]) -> None:
        self.handlers = handlers
        self.rethrows = rethrows


def cleanups(code: Code, pool: ConstantPool, check_time: Callable[[], None]) -> Cleanups:
    """Finds them. Raises ClassFormatError, and what `check_time` does, which is called for each handler."""
    scan, text = code.scan(), code.code
    targets = jump_targets(scan)
    rethrows: set[int] = set()
    handlers: set[int] = set()
    seen: set[tuple[int, int]] = set()  # instructions, by the local that has the throwable
    table = code.exception_table
    for handler_pc in sorted({entry[2] for entry in table if not entry[3]}):
        check_time()
        local = _stored(text, handler_pc)
        if local == NONE:
            rethrows.update(_on_stack(scan, handler_pc))
        else:
            rethrows.update(_follow(scan, targets, scan.next_pc(handler_pc), local, seen))
    of_throwable = {at for _, _, at, kind in table if kind and pool.class_name(kind) == THROWABLE}
    first: dict[int, int] = {}  # the last handler so far, by the local that its first instruction stores to
    for handler_pc in sorted(of_throwable):
        closed, athrow_pc = _suppressing(scan, pool, handler_pc)
        if closed != NONE and closed in first:
            rethrows.add(athrow_pc)
            handlers.update((first[closed], handler_pc))
        first[_stored(text, handler_pc)] = handler_pc
    return Cleanups(frozenset(handlers), frozenset(rethrows))


def _follow(
    scan: Scan, targets: dict[int, list[int]], from_pc: int, local: int, seen: set[tuple[int, int]]
) -> list[int]:
    """The athrows of what a local has from `from_pc` on."""
    text, found, work = scan.code, [], [from_pc]
    while work:
        pc = work.pop()
        if pc >= len(text) or (pc, local) in seen:
            continue
        seen.add((pc, local))
        store = stored(text, pc)
        if store is not None and local in (store[1], store[1] + (store[0] in WIDE_STORES)):
            continue
        next_pc = scan.next_pc(pc)
        if _loaded(text, pc) == local and _is(text, next_pc, ATHROW):
            found.append(next_pc)
            continue
        work += targets.get(pc, [])
        if falls_through(text, pc):
            work.append(next_pc)
    return found


def _on_stack(scan: Scan, pc: int) -> list[int]:
    """The athrow behind releases of monitors."""
    text = scan.code
    while _loaded(text, pc) != NONE and _is(text, scan.next_pc(pc), MONITOREXIT):
        pc = scan.next_pc(scan.next_pc(pc))
    return [pc] if _is(text, pc, ATHROW) else []


def _suppressing(scan: Scan, pool: ConstantPool, handler_pc: int) -> tuple[int, int]:
    """The local with the first exception, and the athrow, if a handler adds to it the one that it caught."""
    text = scan.code
    pcs = [handler_pc]
    for _ in range(5):
        pcs.append(scan.next_pc(pcs[-1]))
    store, load, load_caught, call, load_again, athrow = pcs
    if athrow >= len(text) or text[athrow] != ATHROW or text[call] != INVOKEVIRTUAL:
        return NONE, NONE
    caught, local = _stored(text, store), _loaded(text, load)
    if caught == NONE or local == NONE or (_loaded(text, load_caught), _loaded(text, load_again)) != (caught, local):
        return NONE, NONE
    name, _ = pool.name_and_type(text[call + 1] << 8 | text[call + 2])
    return (local, athrow) if name == b"addSuppressed" else (NONE, NONE)


def _is(text: bytes, pc: int, op: int) -> bool:
    return pc < len(text) and text[pc] == op


def _stored(text: bytes, pc: int) -> int:
    """The local that an astore stores to."""
    found = stored(text, pc)
    return found[1] if found is not None and STORES[found[0]] == REFERENCE else NONE


def _loaded(text: bytes, pc: int) -> int:
    """The local that an aload loads."""
    if pc >= len(text):
        return NONE
    op = text[pc]
    if ALOAD_0 <= op <= ALOAD_3:
        return op - ALOAD_0
    if op == ALOAD:
        return text[pc + 1]
    return text[pc + 2] << 8 | text[pc + 3] if op == WIDE_PREFIX and text[pc + 1] == ALOAD else NONE


WIDE_STORES: Final = frozenset([op for op, letter in STORES.items() if letter in "JD"])
