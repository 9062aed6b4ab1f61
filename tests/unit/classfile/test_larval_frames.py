"""Frames that say which strict fields are not set yet (early_larval_frame, JEP 539), as constructors of value classes
have them.

tests/jvm/test_value_classes.py has the JVM verify such frames.
"""

from __future__ import annotations

import pytest

from classhook.classfile.code import Code
from classhook.classfile.dump import dump
from classhook.classfile.errors import ClassFormatError, Refused, Unsupported
from classhook.classfile.frames import AS_AT_ENTRY, INTEGER, UNINITIALIZED_THIS, FrameTable, decode, encode
from classhook.classfile.insertions import BEFORE, EDGE, Edit, Handler, Insertion, Label
from classhook.classfile.pool import ConstantPool
from classhook.classfile.reader import ClassFile
from classhook.classfile.validity import check_validity
from classhook.coverage.code_marks import FRAME, CodeMarks
from tests.unit.classfile.support import Builder, first_code, spliced, u2

LARVAL = [UNINITIALIZED_THIS, INTEGER]
INITIALISED = b"\xff\0\2\0\1\7\0\1\0\0"  # a full frame, 3 behind the one before
LARVAL_AGAIN = b"\xff\0\2\0\2\6\1\0\0"
BRANCHING = b"\x03\x59\x99\0\4\0\x57"  # iconst_0, dup, ifeq over nop, pop
AT_POP = [Label(6, [INTEGER])]


def unset(*fields: int) -> bytes:
    """An early_larval_frame without the frame in it."""
    return b"\xf6" + u2(len(fields)) + b"".join(map(u2, fields))


def constructor(frames: bytes = u2(2) + b"\x11" + unset() + b"\x09") -> bytes:
    """`if (i != 0) { x = 0; y = 0; } else { x = 0; y = 0; } super();`, with frames at 17, where no field is set, and at
    27, where both are."""
    builder = Builder(72, minor=65535).field(b"x", b"I", 0x0810).field(b"y", b"I", 0x0810)
    put = [b"\x2a\x03\xb5" + u2(builder.pool.add_field_ref(b"T", name, b"I")) for name in (b"x", b"y")]
    call = builder.pool.add_method_ref(b"java/lang/Object", b"<init>", b"()V")
    code = b"\x1b\x99\0\x10" + put[0] + put[1] + b"\xa7\0\x0d" + put[0] + put[1] + b"\x2a\xb7" + u2(call) + b"\xb1"
    return builder.method(
        b"<init>", b"(I)V", code, flags=1, max_locals=2, attributes=((b"StackMapTable", frames),)
    ).build()


def frames_of(data: bytes) -> list[str]:
    return [line.strip() for line in dump(data).split("\n") if line.startswith("    frame ")]


def test_unset_fields_are_inherited_until_this_is_initialised() -> None:
    initial = list(LARVAL)
    data = (
        u2(7)
        + b"\x03"
        + unset(7, 9)
        + b"\x02"
        + b"\x02"
        + unset(9)
        + b"\x40\x06"
        + b"\x41\x01"
        + INITIALISED
        + LARVAL_AGAIN
    )
    table = decode(data, 0, len(data), initial, None)
    assert table.pcs == [3, 6, 9, 10, 12, 15, 18]
    assert table.unset == [AS_AT_ENTRY, unset(7, 9), unset(7, 9), unset(9), unset(9), AS_AT_ENTRY, AS_AT_ENTRY]
    pool = ConstantPool(b"\x00\x01", 0)
    assert encode(table, initial, pool, 2, None) == data
    again = encode(table, initial, pool, 2, INTEGER)
    assert decode(again, 0, len(again), initial, None).unset == table.unset


def test_what_is_said_again_stays() -> None:
    data = u2(3) + unset(7) + b"\x03" + unset(7) + b"\x03" + b"\x03"
    assert encode(decode(data, 0, len(data), LARVAL, None), LARVAL, ConstantPool(b"\x00\x01", 0), 2, None) == data


def test_added_frames_say_what_holds_at_their_place() -> None:
    data = constructor()
    assert frames_of(data) == ["frame [uninitializedThis int] []", "frame [uninitializedThis int] [] unset []"]
    at_join = Insertion(27, BRANCHING, BEFORE, stack=2, labels=AT_POP)
    edges = [
        Insertion(17, BRANCHING, EDGE, stack=2, labels=AT_POP, source=1),
        Insertion(27, BRANCHING, EDGE, stack=2, labels=AT_POP, source=14),
    ]
    at_entry = Insertion(0, BRANCHING, stack=2, labels=AT_POP)
    found = frames_of(spliced(data, Edit([at_entry, at_join, *edges])))
    bare = "frame [uninitializedThis int] [] unset []"
    with_int = "frame [uninitializedThis int] [int] unset []"
    larval = ["frame [uninitializedThis int] [int]", "frame [uninitializedThis int] []"]
    assert found == [larval[0], larval[1], *larval, bare, with_int, bare, with_int]
    ours = Handler(b"\xbf", [(31, 32)])
    found = frames_of(spliced(data, Edit([Insertion(0, b"\x03\x3d"), at_join], ours, INTEGER)))
    assert found[1:] == [
        "frame [uninitializedThis int int] [] unset []",
        "frame [uninitializedThis int int] [int] unset []",
        "frame [top top int] [java/lang/Throwable]",
    ]


def test_a_handler_before_super_says_that_any_field_may_be_unset() -> None:
    rethrow = b"\x03\x99\0\4\0\xbf"  # iconst_0, ifeq over nop, athrow
    for late, copies in (([(31, 32)], 2), ([], 1)):
        ours = Handler(rethrow, late, 1, [Label(5, [])], [(0, 28)])
        data = spliced(constructor(), Edit([Insertion(0, b"\x03\x3d")], ours, INTEGER))
        _, code, context = first_code(data)
        assert context.strict == [(b"x", b"I"), (b"y", b"I")]
        assert code.code.endswith(b"\xb1" + rethrow * copies)
        assert code.exception_table == [*[(33, 34, 34, 0)] * len(late), (2, 30, 34 + 6 * len(late), 0)]
        any_unset = "frame [uninitializedThis top int] [java/lang/Throwable] unset [x:I y:I]"
        of_late = "frame [top top int] [java/lang/Throwable]"
        assert frames_of(data)[2:] == [of_late] * 2 * (copies - 1) + [any_unset] * 2


def test_a_frame_where_nothing_is_set_cannot_follow_others() -> None:
    """It has no words for that, without the fields' names; only a jump back over 32 KB needs one."""
    table = FrameTable()
    table.append(3, LARVAL, [], unset(7))
    table.append(9, LARVAL, [])
    with pytest.raises(Unsupported, match="more than 32 KB"):
        encode(table, LARVAL, ConstantPool(b"\x00\x01", 0), 2, None)


def test_many_unset_fields_do_not_cost_the_process() -> None:
    table = FrameTable()
    for pc in range(40):
        table.append(pc, LARVAL, [], unset(*range(65535)))
    with pytest.raises(Unsupported, match="unset fields"):
        encode(table, LARVAL, ConstantPool(b"\x00\x01", 0), 2, None)


@pytest.mark.parametrize(
    ("frames", "wrong"),
    [
        (u2(1) + unset() + unset() + b"\x11", "unknown frame kind 246"),
        (u2(1) + unset() + INITIALISED, "not set where `this` is initialised"),
        (u2(1) + unset()[:-1], "of a wrong length"),
        (u2(1) + unset(), "of a wrong length"),
    ],
    ids=["in another", "initialised", "without its end", "alone"],
)
def test_frames_that_the_jvm_refuses(frames: bytes, wrong: str) -> None:
    data = constructor(frames)
    with pytest.raises(ClassFormatError, match=wrong):
        spliced(data, Edit([Insertion(0, b"\0")]))


@pytest.mark.parametrize("grows", [False, True])
def test_the_fields_are_constants_of_the_class(grows: bool) -> None:
    beyond = ClassFile.parse(constructor()).pool.count + 3
    data = constructor(u2(1) + unset(1, beyond) + b"\x11")
    cf, code, _ = first_code(data)
    with pytest.raises(Refused, match=f"a frame with constant {beyond}"):
        check_validity(cf, [code], [code] if grows else [])
    cf, code, _ = first_code(constructor())
    check_validity(cf, [code], [code] if grows else [])


def test_coverage_finds_the_frames() -> None:
    cf, _, _ = first_code(constructor(u2(2) + unset(1, 2) + b"\x11" + unset() + b"\x09"))
    marks = CodeMarks(Code.parse(cf.data, cf.methods[0].code_at, cf.pool)).marks
    assert [pc for pc, mark in enumerate(marks) if mark & FRAME] == [17, 27]
