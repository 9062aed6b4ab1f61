"""Classes that JaCoCo's agent changed before they came to our hook: finds the hits in the class as it was built.

The JVM asks agents that cannot retransform first, and JaCoCo's is one of them. What is in our store then has its
probes: `aload v; number; iconst_1; bastore`, with v a local of their own, which each method that has probes fills first
of all. Our hits tell which of these ran. By method that is as good as JaCoCo's data for the original class, if one has
it: the changed class has the original's id among its constants.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from classhook.classfile.code import Code
from classhook.classfile.opcodes import ALOAD, ASTORE, BASTORE, BIPUSH, ICONST_0, ICONST_1, ICONST_M1, LDC, SIPUSH
from classhook.classfile.reader import ClassFile
from classhook.coverage.analysis import Options, runs
from classhook.coverage.class_id import class_id
from classhook.coverage.class_info import ClassInfo
from classhook.coverage.placement import FULL, OUT
from classhook.coverage.placing import place
from classhook.coverage.subroutines import flat
from classhook.reports.coverage.class_version import Version

if TYPE_CHECKING:
    from classhook.coverage.method_body import Body

SIGNS = (b"$jacocoInit", b"$JaCoCo")  # a method, or in interfaces the class that is asked for the array
LONG = 5
PUSHES = range(ICONST_M1, LDC + 1)


def is_changed(data: bytes) -> bool:
    """True if JaCoCo's agent seems to have instrumented the class."""
    return any(sign in data for sign in SIGNS)


def of_original(version: Version, original: bytes) -> Version | None:
    """The original with its hits; None if it is another class than the one that JaCoCo's agent got."""
    if struct.pack(">Bq", LONG, class_id(original)) not in version.data or version.hits is None:
        return None
    found: dict[tuple[str, str], bytes | None] = {}
    for run in runs(ClassInfo(ClassFile.parse(version.data)), version.hits, Options(version.level, version.levels)):
        method = run.body.method.method
        assert run.hits is not None
        found[method.name, method.descriptor] = None if run.level == OUT else _hits(run.body, run.flow.bits(run.hits))
    cf = ClassFile.parse(original)
    hits = b""
    levels = {}
    for number, method in enumerate(cf.methods):
        if not method.code_at:
            continue
        own = found.get((method.name, method.descriptor), b"")
        if own is None:
            levels[number] = OUT
            continue
        code = Code(original, method.code_at, cf.pool)
        if len(own) != place(flat(code, cf.pool)).count:
            return None
        hits += own
    return Version(version.name, original, hits, FULL, levels)


def _hits(body: Body, bits: list[int]) -> bytes:
    """The hits of JaCoCo's probes in the method, a byte each, in the order of their code."""
    ops = body.ops
    first = ops.find(ASTORE)
    if first < 0:
        return b""
    local = body.slot(first)
    found: dict[int, int] = {}
    for i in body.each(BASTORE):
        if (
            i > first + 2
            and ops[i - 1] == ICONST_1
            and ops[i - 2] in PUSHES
            and ops[i - 3] == ALOAD
            and body.slot(i - 3) == local
        ):
            found[_number(body, i - 2)] = 1 if bits[i] else 0
    return bytes([found[number] for number in sorted(found)])


def _number(body: Body, i: int) -> int:
    """The number that instruction i pushes: iconst, bipush, sipush, ldc of an Integer."""
    pc = body.pcs[i]
    op = body.text[pc]
    if op < BIPUSH:
        return op - ICONST_0
    if op == BIPUSH:
        return body.text[pc + 1]
    if op == SIPUSH:
        return body.text[pc + 1] << 8 | body.text[pc + 2]
    at = body.cls.pool.integer_value_at(body.index(i))
    return int.from_bytes(body.cls.pool.data[at : at + 4])
