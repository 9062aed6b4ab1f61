"""Locals whose values code inserted at an instruction may read, and their kinds: what the verifier knows there.

1. At a frame, what the frame says. Behind it, what stores in between have changed, in one pass over the code.
2. In front of a jump target without a frame, as classes before Java 6 have them: the parameters that no instruction of
   the method stores to.
3. While an object is created but not initialised (JVMS 4.10.1.9), a reference that is stored may be that object; it
   does not count as readable.
"""

from __future__ import annotations

from classhook.classfile import frames
from classhook.classfile.flow import falls_through, jump_targets
from classhook.classfile.opcodes import (
    ASTORE,
    ASTORE_0,
    DSTORE,
    DSTORE_0,
    FSTORE,
    FSTORE_0,
    INVOKESPECIAL,
    ISTORE,
    ISTORE_0,
    LSTORE,
    LSTORE_0,
    NEW,
    WIDE_PREFIX,
)
from classhook.classfile.splice import FRAMES_MAJOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool
    from classhook.classfile.splice import Context

REFERENCE: Final = "L"
#: By the first byte of a verification type: the letter of a descriptor that it is, `L` for any reference.
KINDS: Final = {1: "I", 2: "F", 3: "D", 4: "J", 5: REFERENCE, 7: REFERENCE}
UNINITIALIZED: Final = 8
#: The type that stores leave: by opcode, the letter.
STORES: Final = {ISTORE: "I", LSTORE: "J", FSTORE: "F", DSTORE: "D", ASTORE: REFERENCE}
SHORT: Final = ((ISTORE_0, ISTORE), (LSTORE_0, LSTORE), (FSTORE_0, FSTORE), (DSTORE_0, DSTORE), (ASTORE_0, ASTORE))


class _State:
    """`kinds`: by local, of those that can be read; `this`: locals with the uninitialised `this`; `pending`: at most so
    many objects are not initialised."""

    __slots__ = ("kinds", "pending", "this")

    def __init__(self, kinds: dict[int, str], this: set[int], pending: int) -> None:
        self.kinds = kinds
        self.this = this
        self.pending = pending


def readable_locals(code: Code, pool: ConstantPool, context: Context, pcs: set[int]) -> dict[int, dict[int, str]]:
    """The locals that can be read before the instruction at each of these pcs, with their letters.
    Raises ClassFormatError."""
    initial = context.initial_locals()
    frames_at = framed(code, initial, context.major)
    scan, text = code.scan(), code.code
    joins = {target for targets in jump_targets(scan).values() for target in targets} | {
        entry[2] for entry in code.exception_table
    }
    lasting = _lasting(code, initial)
    state = _state_of(initial, [])
    found: dict[int, dict[int, str]] = {}
    reached = True
    for pc in range(len(text)):
        if not scan.bounds[pc]:
            continue
        if pc in frames_at:
            state = _state_of(*frames_at[pc])
        elif pc in joins or not reached:
            state = _State(dict(lasting), set(), 1)
        if pc in pcs:
            found[pc] = dict(state.kinds)
        _step(text, pc, pool, state)
        reached = falls_through(text, pc)
    return found


def framed(code: Code, initial: list[bytes], major: int) -> dict[int, tuple[list[bytes], list[bytes]]]:
    """The locals and stack of each frame, by pc."""
    for name, at, end_at in code.attributes:
        if name == b"StackMapTable" and end_at > at + 6 and major >= FRAMES_MAJOR:
            table = frames.decode(code.data, at + 6, end_at, initial, None)
            return {table.pcs[i]: (table.locals[i], table.stacks[i]) for i in range(len(table.pcs))}
    return {}


def _state_of(types: list[bytes], stack: list[bytes]) -> _State:
    kinds: dict[int, str] = {}
    this: set[int] = set()
    local = 0
    for one in types:
        if one == frames.UNINITIALIZED_THIS:
            this.add(local)
        elif one[0] in KINDS:
            kinds[local] = KINDS[one[0]]
        local += 2 if one in (frames.LONG, frames.DOUBLE) else 1
    news = {one for one in [*types, *stack] if one[0] == UNINITIALIZED or one == frames.UNINITIALIZED_THIS}
    return _State(kinds, this, len(news))


def _lasting(code: Code, initial: list[bytes]) -> dict[int, str]:
    """The parameters that nothing is stored to."""
    kinds = _state_of(initial, []).kinds
    bounds, text = code.scan().bounds, code.code
    for pc in range(len(text)):
        if bounds[pc] and (found := stored(text, pc)) is not None:
            opcode, local = found
            for one in (local, local + 1) if opcode in (LSTORE, DSTORE) else (local,):
                kinds.pop(one, "")
    return kinds


def stored(text: bytes, pc: int) -> tuple[int, int] | None:
    """The opcode of a store, in full, and its local."""
    op = text[pc]
    if op in STORES:
        return op, text[pc + 1]
    if op == WIDE_PREFIX and text[pc + 1] in STORES:
        return text[pc + 1], text[pc + 2] << 8 | text[pc + 3]
    for first, full in SHORT:
        if first <= op < first + 4:
            return full, op - first
    return None


def _step(text: bytes, pc: int, pool: ConstantPool, state: _State) -> None:
    found = stored(text, pc)
    if found is not None:
        opcode, local = found
        _forget(state, local)
        if opcode in (LSTORE, DSTORE):
            _forget(state, local + 1)
        if opcode != ASTORE or not state.pending:
            state.kinds[local] = STORES[opcode]
    elif text[pc] == NEW:
        state.pending += 1
    elif text[pc] == INVOKESPECIAL and pool.name_and_type(text[pc + 1] << 8 | text[pc + 2])[0] == b"<init>":
        state.pending = max(0, state.pending - 1)
        if not state.pending:
            for local in state.this:
                state.kinds[local] = REFERENCE
            state.this = set()


def _forget(state: _State, local: int) -> None:
    """Removes the value of this local, or of it and the one before."""
    state.kinds.pop(local, "")
    state.this.discard(local)
    if state.kinds.get(local - 1) in ("J", "D"):
        state.kinds.pop(local - 1)
