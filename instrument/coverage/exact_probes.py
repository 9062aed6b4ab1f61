"""The further probes of EXACT: what ran before an instruction threw is known to have run, to the instruction.

A stretch begins where control may come in, behind an instruction that may throw, and behind a jump that is not taken;
it ends with the first instruction that may throw. It has a probe of the kind ENTER in front of it, unless other probes
tell that it was begun. The code after its last such instruction ran if a standard probe says so.

A field of a local that had one before, with no way in between, does not throw. Runs in the JVM.
"""

from __future__ import annotations

from classhook.classfile.opcodes import (
    ALOAD,
    ALOAD_0,
    ALOAD_3,
    ANEWARRAY,
    ARRAYLENGTH,
    ASTORE,
    ASTORE_0,
    ASTORE_3,
    CHECKCAST,
    GETFIELD,
    IALOAD,
    IASTORE,
    IDIV,
    INVOKEDYNAMIC,
    INVOKEVIRTUAL,
    IREM,
    LDIV,
    LREM,
    MONITORENTER,
    MULTIANEWARRAY,
    NEWARRAY,
    PUTFIELD,
    SALOAD,
    SASTORE,
    SCAN,
    WIDE_PREFIX,
)
from classhook.classfile.scan import varying_length
from classhook.coverage.placement import ENTER, EXIT, OPEN, ROLES, START, Placement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

LOCALS: Final = 60  # so many are looked at

#: By opcode, for EXACT: 1 if it may throw, whatever its operands' types; but for what only the JVM's state makes throw:
#: no memory or stack, a class that is not found or fails to initialise, a lock that is not held.
THROWS: Final = bytes(
    [
        IALOAD <= op <= SALOAD
        or IASTORE <= op <= SASTORE  # elements of arrays
        or op in (IDIV, LDIV, IREM, LREM)  # whole numbers divided
        or op in (GETFIELD, PUTFIELD)  # fields
        or INVOKEVIRTUAL <= op <= INVOKEDYNAMIC  # calls
        or op in (NEWARRAY, ANEWARRAY, ARRAYLENGTH, CHECKCAST, MONITORENTER, MULTIANEWARRAY)
        for op in range(256)
    ]
)


def add_exact_probes(text: bytes, marks: list[int], found: Placement) -> None:
    """Adds the ENTER probes, and what all probes tell about instructions that may throw. `marks`: as placing.py has
    them."""
    into: dict[int, list[int]] = {}  # by offset: the probes on ways that lead there
    for i in range(found.standard):
        if found.kinds[i] != EXIT:
            into.setdefault(found.targets[i], []).append(i)
    size: i64 = len(text)
    pc: i64 = 0
    start: i64 = 0
    fresh = True
    objects: i64 = 0  # a bit for each of the first locals that is known not to be null
    local: i64 = -1  # the one that the instruction in front has loaded
    while pc < size:
        mark = marks[pc]
        if fresh or mark & START or pc in into:
            start = pc
            fresh = False
        if mark & START:
            objects = 0
            local = -1
        op: i64 = text[pc]
        throws = THROWS[op] != 0
        if op == GETFIELD and local >= 0:
            throws = not objects & 1 << local
            objects |= 1 << local
        if throws and start >= 0:
            mark = marks[start]
            probes = into.get(start)
            if probes is None or mark & OPEN:
                probes = [found.count]
                found.add(ENTER, start, start)
            for probe in probes:
                found.begun.append((probe, pc))
            start = -1
        if throws or ROLES[op]:
            fresh = True
        local = (
            op - ALOAD_0 if ALOAD_0 <= op <= ALOAD_3 else text[pc + 1] if op == ALOAD and text[pc + 1] < LOCALS else -1
        )
        if ASTORE_0 <= op <= ASTORE_3:
            objects &= ~(1 << op - ASTORE_0)
        elif op == ASTORE and text[pc + 1] < LOCALS:
            objects &= ~(1 << text[pc + 1])
        elif op == WIDE_PREFIX:
            objects = 0
        length: i64 = SCAN[op] & 7
        pc += length if length else varying_length(text, pc)
