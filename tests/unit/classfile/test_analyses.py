"""Analyses of where `this` is initialised and where monitors are held, in hand-made code and all classes of a jar."""

from __future__ import annotations

import pytest

from classhook.classfile.cleanups import cleanups
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError, Unsupported
from classhook.classfile.flow import effect, falls_through, jump_targets, slots_of
from classhook.classfile.frames import decode, initial_locals
from classhook.classfile.inits import phases
from classhook.classfile.intervals import marked, without
from classhook.classfile.monitors import locked_pcs, reached_entries
from classhook.classfile.reader import ClassFile
from classhook.classfile.splice import Context
from tests.unit.classfile.support import Builder, first_code, jdk_classes, u2, u4

Ranges = list[tuple[int, int]]


def both(
    code: bytes, *exceptions: tuple[int, int, int, int], name: bytes = b"<init>", super_class: bool = True
) -> tuple[Ranges, Ranges]:
    """The phases of a constructor T(int); in the code, S stands for super(), N for new A, I for A(T)'s constructor."""
    builder = Builder()
    init = builder.pool.add_method_ref(b"java/lang/Object", b"<init>", b"()V")
    other = builder.pool.add_method_ref(b"A", b"<init>", b"(JLT;)V")
    new = builder.pool.add_class(b"A")
    code = (
        code.replace(b"SSS", b"\xb7" + u2(init)).replace(b"III", b"\xb7" + u2(other)).replace(b"NNN", b"\xbb" + u2(new))
    )
    if not super_class:
        builder.super_class = 0
    data = builder.method(name, b"(I)V", code, flags=1, exceptions=exceptions).build()
    cf, parsed, context = first_code(data)
    return phases(parsed, cf.pool, context)


def initialised(
    code: bytes, *exceptions: tuple[int, int, int, int], name: bytes = b"<init>", super_class: bool = True
) -> Ranges:
    return both(code, *exceptions, name=name, super_class=super_class)[1]


def test_straight_super_call() -> None:
    assert initialised(b"\x2aSSS\xb1") == [(4, 5)]
    assert initialised(b"\x2aSSS\xb1", (4, 5, 4, 0)) == [(4, 5)]


def test_other_methods_and_object_are_initialised_throughout() -> None:
    assert initialised(b"\x00\xb1", name=b"m") == [(0, 2)]
    assert initialised(b"\x00\xb1", super_class=False) == [(0, 2)]


def test_new_as_an_argument_does_not_count() -> None:
    # aload_0, new A, dup, lconst_0, aconst_null, A(J, T), pop, super()
    assert initialised(b"\x2aNNN\x59\x09\x01III\x57SSS\xb1") == [(14, 15)]
    # through locals, dup and swap: aload_0, astore_2, aconst_null, aload_2, dup_x1, swap, pop, swap, pop ...
    assert initialised(b"\x2a\x4d\x01\x2c\x5a\x57\x57SSS\xb1") == [(10, 11)]
    assert initialised(b"\x2a\xc4\x3a\x01\x00\xc4\x19\x01\x00SSS\xb1") == [(12, 13)]


def test_branches_before_and_around_super() -> None:
    # iload_1, ifeq L; aload_0, super(), nop, goto M; L: aload_0, super(), M: return
    code = b"\x1b\x99\x00\x0b" + b"\x2aSSS\x00\xa7\x00\x07" + b"\x2aSSS" + b"\xb1"
    assert initialised(code) == [(8, 12), (16, 17)]
    # a conditional argument: aload_0, iload_1, ifeq, nop, nop, super()
    assert initialised(b"\x2a\x1b\x99\x00\x05\x00\x00SSS\xb1") == [(10, 11)]
    # only one branch calls super(), the other throws; only the first reaches the return
    assert initialised(b"\x1b\x99\x00\x08\x2aSSS\xb1\x01\xbf") == [(8, 9)]


def test_what_is_before_super() -> None:
    assert both(b"\x2aSSS\xb1")[0] == [(0, 1)]
    assert both(b"\x00\xb1", name=b"m")[0] == []
    assert both(b"\x1b\x99\x00\x0b" + b"\x2aSSS\x00\xa7\x00\x07" + b"\x2aSSS" + b"\xb1")[0] == [(0, 5), (12, 13)]
    assert both(b"\x1b\x99\x00\x08\x2aSSS\xb1\x01\xbf")[0] == [(0, 5), (9, 11)]
    # `this` is no longer in local 0: aload_0, astore_1, aconst_null, astore_0, aload_1
    assert both(b"\x2a\x4c\x01\x4b\x2bSSS\xb1")[0] == []
    assert both(b"\x2a\x4c\x1b\x99\x00\x03\x01\x4b\x2bSSS\xb1")[0] == [(0, 8)]


def test_a_handler_that_reaches_back_is_uninitialised() -> None:
    # try { super() } with a handler over everything; the handler's code is reached before and after super()
    code = b"\x2aSSS\x00\xb1" + b"\x57\xb1"
    assert initialised(code, (0, 6, 6, 0)) == [(4, 6)]


def test_switch_before_super() -> None:
    code = b"\x1b\xab\x00\x00" + u4(11) + u4(0) + b"\x2aSSS\xb1"
    assert initialised(code) == [(16, 17)]


def test_what_cannot_be_told_is_unsupported() -> None:
    for code in (
        b"\x1b\x99\x00\x06\xa8\x00\x03\x57\xb1",
        b"\x57\x2aSSS\xb1",
        b"\x1b\x99\x00\x05\x01\x00\x2aSSS\xb1",
        b"\x1b\x99\x00\x03\x00",
    ):
        with pytest.raises(Unsupported):
            initialised(code)


def locked(code: bytes, *exceptions: tuple[int, int, int, int]) -> Ranges:
    _, parsed, _ = first_code(Builder().method(b"m", b"()V", code, exceptions=exceptions).build())
    return locked_pcs(parsed.code, parsed.scan(), parsed.exception_table)


def test_javac_synchronized_block() -> None:
    # aload_0, dup, astore_1, monitorenter; aload_1, monitorexit, goto end; astore_2, aload_1, monitorexit, aload_2,
    # athrow
    code = b"\x2a\x59\x4c\xc2" + b"\x2b\xc3\xa7\x00\x08" + b"\x4d\x2b\xc3\x2c\xbf" + b"\xb1"
    assert locked(code, (4, 6, 9, 0), (9, 12, 9, 0)) == []
    assert locked(code, (4, 6, 9, 1), (9, 12, 9, 0)) == [(4, 6)]
    assert locked(code) == [(4, 6)]


def test_locks_held_over_branches_and_in_loops() -> None:
    # aload_0, ifnull L; aload_0, monitorenter; L: aload_0, monitorexit, return
    assert locked(b"\x2a\xc6\x00\x05\x2a\xc2\x2a\xc3\xb1") == [(6, 8)]
    assert locked(b"\x2a\xc2\xa7\xff\xfe") == [(0, 5)]  # a loop that only locks
    assert locked(b"\xb1") == []


def rethrows(code: bytes, *exceptions: tuple[int, int, int, int]) -> list[int]:
    cf, parsed, _ = first_code(Builder().method(b"m", b"()V", code, exceptions=exceptions).build())
    return sorted(cleanups(parsed, cf.pool, lambda: None).rethrows)


def test_what_a_handler_of_anything_throws_again() -> None:
    javac = b"\x2a\x59\x4c\xc2" + b"\x2b\xc3\xa7\x00\x08" + b"\x4d\x2b\xc3\x2c\xbf" + b"\xb1"  # as above
    assert rethrows(javac, (4, 6, 9, 0)) == [13]
    assert rethrows(javac) == []
    # nop, return; ecj's handler: aload_1, monitorexit, athrow
    assert rethrows(b"\x00\xb1" + b"\x2b\xc3\xbf", (0, 1, 2, 0)) == [4]
    # astore_1, aload_0, ifnull L; aload_1, athrow; L: aload_2, astore_1, aload_1, athrow: this is another one
    two = b"\x4c\x2a\xc6\x00\x05\x2b\xbf\x2c\x4c\x2b\xbf"
    assert rethrows(b"\x00\xb1" + two, (0, 1, 2, 0)) == [8]
    # astore_2, lconst_0, lstore_1, aload_2, athrow: the long is in both locals
    assert rethrows(b"\x00\xb1" + b"\x4d\x09\x40\x2c\xbf", (0, 1, 2, 0)) == []


def test_intervals() -> None:
    assert marked([True, False, True, True], bytearray(b"\1\0\0\1"), 1) == [(0, 2), (3, 4)]
    assert without([(0, 10), (20, 30)], [(0, 2), (5, 6), (8, 22), (29, 40)]) == [(2, 5), (6, 8), (22, 29)]
    assert without([(0, 4)], []) == [(0, 4)]
    assert without([(0, 9), (9, 12)], [(3, 10)]) == [(0, 3), (10, 12)]


@pytest.mark.parametrize(
    ("descriptor", "slots"),
    [
        (b"()V", (0, 0)),
        (b"(I[J[[Lx/Y;DJ)J", (7, 2)),
        (b"J", (0, 2)),
        (b"[D", (0, 1)),
        (b"LA;", (0, 1)),
        (b"(Z)[J", (1, 1)),
    ],
)
def test_descriptors(descriptor: bytes, slots: tuple[int, int]) -> None:
    assert divmod(slots_of(descriptor, 0, len(descriptor)), 4) == slots


@pytest.mark.parametrize("descriptor", [b"(", b"(I", b"(LA)V", b"([", b"x", b"", b"(L)V", b"([)V"])
def test_bad_descriptors(descriptor: bytes) -> None:
    with pytest.raises((ClassFormatError, IndexError)):
        initial_locals(8, descriptor, False, 1)


@pytest.mark.parametrize(
    "descriptor",
    [b"", b"(", b"(I", b"()", b"(LA)V", b"([)V", b"(V)V", b"(X)V", b"()X", b"()[V", b"()II", b"V", b"[", b"LA", b"II"],
)
def test_slots_of_bad_descriptors(descriptor: bytes) -> None:
    with pytest.raises(ClassFormatError, match="bad"):
        slots_of(descriptor + b"V;)", 0, len(descriptor))


def test_stack_effects_agree_with_the_frames_of_the_jdk() -> None:
    """Stack heights are computed from the method's start; at each frame they must agree with it."""
    compared = 0
    for data in jdk_classes():
        cf = ClassFile.parse(data)
        for method in cf.methods:
            if method.code_at:
                compared += _compare(cf, Code.parse(data, method.code_at, cf.pool), Context.from_method(cf, method))
    assert compared > 2000


def _compare(cf: ClassFile, code: Code, context: Context) -> int:
    heights: dict[int, int] = {}
    for name, at, end_at in code.attributes:
        if name == b"StackMapTable":
            initial = initial_locals(context.access_flags, context.descriptor, context.is_init, context.this_class)
            table = decode(code.data, at + 6, end_at, initial, None)
            for pc, stack in zip(table.pcs, table.stacks, strict=True):
                heights[pc] = len(stack) + stack.count(b"\x03") + stack.count(b"\x04")
    scan = code.scan()
    targets = jump_targets(scan)
    height = pc = 0
    while pc < len(code.code):
        height = heights.get(pc, height)
        pops, pushes = effect(code.code, pc, cf.pool)
        height += pushes - pops
        assert 0 <= height <= code.max_stack
        for target in targets.get(pc, ()):
            assert heights[target] == height
        following = scan.next_pc(pc)
        if falls_through(code.code, pc) and following in heights:
            assert heights[following] == height
        pc = following
    return len(heights)


def test_an_exception_goes_to_the_first_catch_any_alone() -> None:
    entries = [(10, 20, 30, 0), (5, 25, 40, 0), (0, 50, 60, 0)]
    assert reached_entries(entries, 70) == [
        (10, 20, 30, 0),
        (5, 10, 40, 0),
        (20, 25, 40, 0),
        (0, 5, 60, 0),
        (25, 50, 60, 0),
    ]
    assert reached_entries([(0, 9, 20, 7), (0, 9, 30, 0)], 40) == [(0, 9, 20, 7), (0, 9, 30, 0)]
