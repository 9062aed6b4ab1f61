"""Compares the splicer with a naive model, which assembles the same instructions with labels and counts bytes one by
one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.classfile.code import Code
from classhook.classfile.dump import dump
from classhook.classfile.errors import ClassFormatError, CodeTooLarge, Unsupported
from classhook.classfile.frames import FrameTable, decode, encode
from classhook.classfile.insertions import BEFORE, BEHIND, EDGE, Edit, Handler, Insertion, Label
from classhook.classfile.layout import lay_out
from classhook.classfile.pool import ConstantPool
from classhook.classfile.reader import ClassFile
from classhook.classfile.scan import scan
from classhook.classfile.splice import Context, splice
from classhook.classfile.write import rebuild
from tests.unit.classfile.support import Builder, first_code, jdk_classes, spliced, u2, u4

JSR, JSR_W = b"\xa8", b"\xc9"


@dataclass(frozen=True)
class Op:
    """An instruction: plain bytes, or a jump or switch to instructions, by number."""

    kind: str
    raw: bytes = b""
    targets: tuple[int, ...] = ()


@dataclass(frozen=True)
class Added:
    """Nops before the instruction with this number; with a source, only on the edge from that instruction."""

    index: int
    length: int
    before: bool
    guarded: bool
    source: int = -1


@dataclass(frozen=True)
class Byte:
    """A byte of new code: its instruction, whether it may be in a range, and the instruction whose jumps must land on
    it; -1: none."""

    op: int
    inside: bool
    jumped_for: int = -1


def goes_on(op: Op) -> bool:
    return op.kind not in ("table", "lookup") and op.raw not in (b"\xb1", b"\xbf", b"\xa7", b"\xc8")


def assemble(ops: list[Op], added: list[Added]) -> tuple[bytes, list[int], list[Byte], list[tuple[int, int]]]:
    """The code; where jumps to each instruction (and to the end) land; the meaning of each byte; where what is inserted
    at each instruction begins, and where the instruction does."""
    begins: list[tuple[int, int]] = []

    def place(
        landing: list[int], edges: dict[tuple[int, int], int]
    ) -> tuple[bytes, list[int], list[Byte], dict[tuple[int, int], int]]:
        out = bytearray()
        new_landing: list[int] = []
        new_edges: dict[tuple[int, int], int] = {}
        owners: list[Byte] = []
        begins.clear()

        def skip(index: int) -> None:
            out.extend(b"\xa7" + u2(landing[index] - len(out) & 0xFFFF))
            owners.extend([Byte(index - 1, True, index)] * 3)

        for index, op in enumerate(ops):
            begin = len(out)
            for before in (False, True):
                if before:
                    taken = [add for add in added if add.index == index and add.source >= 0]
                    if taken and (index == 0 or goes_on(ops[index - 1])):
                        skip(index)
                    for source in sorted({add.source for add in taken}):
                        if new_edges.keys() & {(other, index) for other in range(source)}:
                            skip(index)
                        new_edges[source, index] = len(out)
                        for add in taken:
                            if add.source == source:
                                out += bytes(add.length)
                                owners += [Byte(index - 1, add.guarded, index)] * add.length
                    new_landing.append(len(out))
                for add in added:
                    if add.index == index and add.before == before and add.source < 0:
                        out += bytes(add.length)
                        # for exception ranges, what follows belongs to the instruction before it
                        owners += [Byte(index if before else index - 1, add.guarded)] * add.length
            at = len(out)
            begins.append((begin, at))
            offsets = [edges.get((index, target), landing[target]) - at for target in op.targets]
            if op.kind == "jump":
                out += op.raw + (offsets[0] & 0xFFFF).to_bytes(2, "big")
            elif op.kind == "jump_w":
                out += op.raw + u4(offsets[0] & 0xFFFFFFFF)
            elif op.kind == "table":
                out += b"\xaa" + bytes(~at & 3) + u4(offsets[0] & 0xFFFFFFFF) + u4(5) + u4(5 + len(offsets) - 2)
                out += b"".join([u4(offset & 0xFFFFFFFF) for offset in offsets[1:]])
            elif op.kind == "lookup":
                out += b"\xab" + bytes(~at & 3) + u4(offsets[0] & 0xFFFFFFFF) + u4(len(offsets) - 1)
                out += b"".join([u4(7 * key) + u4(offset & 0xFFFFFFFF) for key, offset in enumerate(offsets[1:])])
            else:
                out += op.raw
            owners += [Byte(index, True)] * (len(out) - at)
        new_landing.append(len(out))
        begins.append((len(out), len(out)))
        return bytes(out), new_landing, owners, new_edges

    _, landing, _, edges = place([0] * (len(ops) + 1), {})
    code, landing, owners, _ = place(landing, edges)
    return code, landing, owners, begins


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[Op], list[Added], list[tuple[int, int, int]]]:
    count = draw(st.integers(1, 12))
    number = st.integers(0, count - 1)
    op = st.one_of(
        st.builds(
            Op,
            st.just("plain"),
            st.sampled_from([b"\x57", b"\x10\x05", b"\x11\x01\x02", b"\xc4\x84\x01\x02\x03\x04", b"\xb1", b"\xbf"]),
        ),
        st.builds(Op, st.just("jump"), st.sampled_from([b"\x99", b"\xa7", JSR, b"\xc6"]), st.tuples(number)),
        st.builds(Op, st.just("jump_w"), st.sampled_from([b"\xc8", JSR_W]), st.tuples(number)),
        st.builds(Op, st.just("table"), st.just(b""), st.lists(number, min_size=2, max_size=4).map(tuple)),
        st.builds(Op, st.just("lookup"), st.just(b""), st.lists(number, min_size=1, max_size=4).map(tuple)),
    )
    ops = draw(st.lists(op, min_size=count, max_size=count))
    added = draw(st.lists(st.builds(Added, number, st.integers(1, 9), st.booleans(), st.booleans()), max_size=6))
    if edges := [
        (source, target) for source, op in enumerate(ops) for target in op.targets if op.raw not in (JSR, JSR_W)
    ]:
        for source, target in draw(st.lists(st.sampled_from(edges), max_size=4)):
            added.append(Added(target, draw(st.integers(1, 9)), False, draw(st.booleans()), source))
    ranges = draw(st.lists(st.tuples(number, st.integers(1, count), number).filter(lambda r: r[0] < r[1]), max_size=4))
    return ops, added, ranges


@given(programs())
def test_against_the_naive_model(program: tuple[list[Op], list[Added], list[tuple[int, int, int]]]) -> None:
    ops, added, ranges = program
    code, pcs, _, _ = assemble(ops, [])
    new_code, landing, owners, begins = assemble(ops, added)
    lines = u2(len(ops)) + b"".join([u2(pcs[i]) + u2(i) for i in range(len(ops))])
    variables = u2(len(ranges)) + b"".join([u2(pcs[a]) + u2(pcs[b] - pcs[a]) + bytes(6) for a, b, _ in ranges])
    builder = Builder()
    catch = [builder.pool.add_class(b"E%d" % i) for i in range(len(ranges))]
    exceptions = tuple((pcs[a], pcs[b], pcs[h], catch[i]) for i, (a, b, h) in enumerate(ranges))
    attributes = ((b"LineNumberTable", lines), (b"LocalVariableTable", variables), (b"Mystery", b"xyz"))
    data = builder.method(b"m", b"()V", code, exceptions=exceptions, attributes=attributes).build()
    insertions = []
    for add in added:
        rank = EDGE if add.source >= 0 else BEFORE if add.before else BEHIND
        source = pcs[add.source] if add.source >= 0 else -1
        insertions.append(Insertion(pcs[add.index], bytes(add.length), rank, add.guarded, stack=3, source=source))
    own = [(pcs[a], pcs[b]) for a, b, _ in ranges]
    result = spliced(data, Edit(insertions, Handler(b"\x57\xb1", own, stack=3)))
    _, new, _ = first_code(result)
    new.scan()  # checks the exception table
    assert new.code == new_code + b"\x57\xb1"
    at_entry = [add.index == 0 and not add.before and add.source < 0 for add in added]
    assert (new.max_stack, new.max_locals) == (10 if all(at_entry) else 13, 10)

    def covered(catch_type: int) -> list[int]:
        return [pc for a, b, _, caught in new.exception_table if caught == catch_type for pc in range(a, b)]

    def expected(first: int, end: int, handler: int) -> list[int]:
        own_code = range(landing[handler], begins[handler][1])
        return [pc for pc in range(begins[first][0], begins[end][0]) if owners[pc].inside and pc not in own_code]

    def expected_of_ours(first: int, end: int) -> list[int]:
        there = [
            (pc, byte)
            for pc, byte in enumerate(owners)
            if landing[first] <= pc < landing[end] and byte.jumped_for != end
        ]
        return [pc for pc, byte in there if byte.inside and byte.op >= 0]

    ours: set[int] = set()
    for i, (a, b, h) in enumerate(ranges):
        assert covered(catch[i]) == expected(a, b, h)
        assert {entry[2] for entry in new.exception_table if entry[3] == catch[i]} <= {landing[h]}
        ours.update(expected_of_ours(a, b))
    assert set(covered(0)) == ours
    if ranges:
        first_own = next(i for i, entry in enumerate(new.exception_table) if entry[3] == 0)
        assert all(entry[2:] == (len(new_code), 0) for entry in new.exception_table[first_own:])
    tables = {name: new.data[at + 8 : end_at] for name, at, end_at in new.attributes}
    assert tables[b"LineNumberTable"] == b"".join([u2(landing[i] if i else 0) + u2(i) for i in range(len(ops))])
    moved = [(landing[a] if a else 0, landing[b]) for a, b, _ in ranges]
    assert tables[b"LocalVariableTable"] == b"".join([u2(a) + u2(b - a) + bytes(6) for a, b in moved])
    assert tables[b"Mystery"] == b"z"


VERIFICATION_TYPES = st.one_of(
    st.integers(0, 6).map(lambda tag: bytes((tag,))),
    st.integers(0, 65535).map(lambda index: b"\x07" + u2(index)),
    st.integers(0, 65535).map(lambda pc: b"\x08" + u2(pc)),
)
LISTS = st.lists(VERIFICATION_TYPES, max_size=6)
DELTAS = st.one_of(st.integers(1, 66), st.integers(60, 400))


@given(
    LISTS, st.lists(st.tuples(DELTAS, st.one_of(LISTS, st.integers(-4, 4)), st.lists(VERIFICATION_TYPES, max_size=2)))
)
def test_frames_are_decoded_as_encoded(
    initial: list[bytes], raw: list[tuple[int, list[bytes] | int, list[bytes]]]
) -> None:
    table = FrameTable()
    pc, known = -1, initial
    for delta, change, stack in raw:
        pc += delta
        if not isinstance(change, int):
            known = change
        elif change < 0:
            known = known[:change]
        else:
            known = known + [b"\x01"] * change
        table.append(pc, known, stack)
    pool = ConstantPool(b"\x00\x01", 0)
    data = encode(table, initial, pool, 40, None)
    again = decode(data, 0, len(data), initial, None)
    assert (again.pcs, again.locals, again.stacks) == (table.pcs, table.locals, table.stacks)
    data = encode(table, initial, pool, 40, b"\x04")
    again = decode(data, 0, len(data), initial, None)
    assert (again.pcs, again.stacks) == (table.pcs, table.stacks)
    for mine, old in zip(again.locals, table.locals, strict=True):
        slots = len(old) + old.count(b"\x03") + old.count(b"\x04")
        assert mine == old + [b"\x00"] * (40 - slots) + [b"\x04"]
    for end in range(len(data)):
        with pytest.raises((ClassFormatError, IndexError)):  # splice converts both to one error
            decode(data, 0, end, initial, None)


def test_frames_with_a_local_stay_short_where_nothing_changed() -> None:
    table = FrameTable()
    for pc in (3, 9, 12):
        table.append(pc, [b"\x01"], [])
    data = encode(table, [b"\x01"], ConstantPool(b"\x00\x01", 0), 2, b"\x01")
    assert data == u2(3) + b"\xff" + u2(3) + u2(3) + b"\x01\x00\x01" + u2(0) + b"\x05" + b"\x02"


def test_uninitialized_is_the_new_instruction_itself_and_landing_before_it() -> None:
    builder = Builder(52)
    index = builder.pool.add_class(b"X")
    code = (
        b"\x1a\x99\x00\x06"
        + b"\x00\x00\x00"
        + b"\xbb"
        + u2(index)
        + b"\x59"
        + b"\x1a\x99\x00\x04\x00"
        + b"\x57\x57\xb1"
    )
    frames = u2(2) + b"\x07" + b"\xff" + u2(7) + u2(1) + b"\x01" + u2(2) + (b"\x08" + u2(7)) * 2
    data = builder.method(b"m", b"(I)V", code, attributes=((b"StackMapTable", frames),)).build()
    assert "frame [int] [new@L0 new@L0]" in dump(data)
    _, new, _ = first_code(spliced(data, Edit([Insertion(7, bytes(5), BEFORE), Insertion(0, bytes(3))])))
    table = next(new.data[at + 6 : end_at] for name, at, end_at in new.attributes if name == b"StackMapTable")
    decoded = decode(table, 0, len(table), [b"\x01"], None)
    assert decoded.pcs == [10, 23]
    assert decoded.stacks[1] == [b"\x08" + u2(15)] * 2


def test_type_annotations_move() -> None:
    builder = Builder()
    name = builder.pool.add_utf8(b"LA;")
    tail = b"\x00" + u2(name) + u2(0)
    code = b"\x00" * 4 + b"\x57\xb1"
    body = u2(5) + b"\x40" + u2(2) + u2(0) + u2(2) + u2(0) + u2(2) + u2(3) + u2(1) + tail
    body += b"\x42" + u2(1) + tail + b"\x44" + u2(4) + tail + b"\x47" + u2(2) + b"\x01" + tail + b"\x45" + u2(0) + tail
    expected = u2(5) + b"\x40" + u2(2) + u2(0) + u2(4) + u2(0) + u2(4) + u2(6) + u2(1) + tail
    expected += (
        b"\x42" + u2(2) + tail + b"\x44" + u2(9) + tail + b"\x47" + u2(4) + b"\x01" + tail + b"\x45" + u2(2) + tail
    )
    exceptions = ((0, 6, 4, 0), (2, 4, 4, 0))
    for attribute in (b"RuntimeVisibleTypeAnnotations", b"RuntimeInvisibleTypeAnnotations"):
        builder.methods = []
        data = builder.method(b"m", b"()V", code, exceptions=exceptions, attributes=((attribute, body),)).build()
        result = spliced(data, Edit([Insertion(0, bytes(2)), Insertion(4, bytes(3), BEFORE)]))
        _, new, _ = first_code(result)
        # the first range is split around the three nops, so the second entry is the third now
        assert new.exception_table == [(2, 6, 6, 0), (9, 11, 6, 0), (4, 6, 6, 0)]
        assert new.data[new.attributes[0][1] + 6 : new.attributes[0][2]] == expected
        builder.methods = []
        wrong = builder.method(b"m", b"()V", code, attributes=((attribute, body[:-1]),)).build()
        _, new, _ = first_code(spliced(wrong, Edit([Insertion(0, bytes(2))])))
        assert new.data[new.attributes[0][1] + 6 : new.attributes[0][2]] == body[:-1]


def test_character_ranges_and_local_variable_types_move() -> None:
    code = b"\x00" * 4 + b"\xb1"
    ranges = u2(1) + u2(1) + u2(3) + bytes(10)
    types = u2(1) + u2(2) + u2(3) + bytes(6)
    attributes = ((b"CharacterRangeTable", ranges), (b"LocalVariableTypeTable", types))
    data = Builder().method(b"m", b"()V", code, attributes=attributes).build()
    _, new, _ = first_code(spliced(data, Edit([Insertion(2, bytes(7), BEFORE)])))
    bodies = [new.data[at + 6 : end_at] for _, at, end_at in new.attributes]
    assert bodies == [u2(1) + u2(1) + u2(10) + bytes(10), u2(1) + u2(2) + u2(10) + bytes(6)]


def test_handler_frame_is_added_from_version_50_on() -> None:
    for major, expected in ((49, []), (50, [b"StackMapTable"])):
        data = Builder(major).method(b"m", b"(JLA;)V", b"\xb1", max_stack=0, max_locals=3).build()
        edit = Edit([Insertion(0, b"\x03\x3e")], Handler(b"\xbf", [(0, 1)], stack=2), b"\x01")
        cf, new, _ = first_code(spliced(data, edit))
        assert [name for name, _, _ in new.attributes] == expected
        assert (new.max_stack, new.max_locals) == (3, 4)
        assert new.exception_table == [(2, 3, 3, 0)]
        for _, at, end_at in new.attributes:
            table = decode(new.data, at + 6, end_at, [], None)
            assert (table.pcs, table.locals) == ([3], [[b"\x00"] * 3 + [b"\x01"]])
            assert cf.pool.class_name(int.from_bytes(table.stacks[0][0][1:], "big")) == "java/lang/Throwable"


def test_too_large_and_misplaced() -> None:
    data = Builder().method(b"m", b"()V", bytes(65000) + b"\x11\x00\x00\xb1").build()
    for edit in (Edit([Insertion(0, bytes(600))]), Edit([], Handler(bytes(600), [(0, 1)]))):
        with pytest.raises(CodeTooLarge):
            spliced(data, edit)
    for pc in (-1, 65001, 65004, 99999):
        with pytest.raises(ClassFormatError):
            spliced(data, Edit([Insertion(pc, b"\x00")]))
    with pytest.raises(Unsupported):
        spliced(data, Edit([Insertion(2, b"\0", stack=65530)]))


@pytest.mark.parametrize("source", [-1, 0, 2, 4, 5, 99])
def test_an_edge_that_is_none(source: int) -> None:
    """Only the jump at 1 leads to 4, where the return is."""
    data = Builder().method(b"m", b"(I)V", b"\x1a\x99\0\3\xb1").build()
    spliced(data, Edit([Insertion(4, b"\0", EDGE, source=1)]))
    with pytest.raises(ClassFormatError, match="edge"):
        spliced(data, Edit([Insertion(4, b"\0", EDGE, source=source)]))


def test_labels_need_frames_where_the_jvm_does() -> None:
    branch = Insertion(1, b"\3\x99\0\4\0\0", BEFORE, stack=1, labels=[Label(5, [])])
    spliced(Builder(50).method(b"m", b"()V", b"\0\xb1").build(), Edit([branch]))
    data = Builder(51).method(b"m", b"()V", b"\0\xb1").build()
    with pytest.raises(Unsupported, match="no frame"):
        spliced(data, Edit([branch]))
    branch.pc = 0  # the frame of the entry is known
    spliced(data, Edit([branch]))


def test_loop_to_the_first_instruction_lands_behind_the_entry() -> None:
    data = Builder().method(b"m", b"()V", b"\x00\xa7\xff\xff").build()
    _, new, _ = first_code(spliced(data, Edit([Insertion(0, b"\x57\x57\x57")])))
    assert new.code == b"\x57\x57\x57\x00\xa7\xff\xff"


def reach(code: Code) -> list[int]:
    return code.scan().targets16


@pytest.mark.parametrize("op", [0xA7, 0xA8])
def test_goto_and_jsr_grow(op: int) -> None:
    code = bytes((op, 0x7F, 0xFF)) + bytes(0x7FFF - 3) + b"\xb1"
    data = Builder(48).method(b"m", b"()V", code).build()
    _, new, _ = first_code(spliced(data, Edit([Insertion(5, b"\x57", BEFORE)])))
    assert new.code == bytes((op + 33,)) + u4(0x8000 + 2) + bytes(2) + b"\x57" + bytes(0x7FFF - 5) + b"\xb1"


def test_conditional_jumps_share_a_trampoline_or_are_unsupported() -> None:
    half = bytes(16000)
    code = b"\x1a\x99\x7f\xf0\x1a\x9a\x7f\xf1" + half + b"\xb1" + bytes(0x7FF0 + 1 - 8 - 16001) + b"\xb1" + b"\xb1" * 5
    assert scan(code).targets16 == [0x7FF1, 0x7FF6]
    data = Builder(49).method(b"m", b"(I)V", code, exceptions=((0, len(code), 0, 0),)).build()
    _, new, _ = first_code(spliced(data, Edit([Insertion(100, bytes(40), BEFORE)])))
    trampolines = sorted(set(reach(new)))
    assert [new.code[pc] for pc in trampolines] == [0xC8, 0xC8]
    assert new.scan().targets32 == [0x7FF1 + 50, 0x7FF6 + 50]
    assert trampolines[0] == 8 + 16000 + 1 + 40
    # neither the nops nor the trampolines are in the range
    assert [(a, b) for a, b, _, _ in new.exception_table] == [(0, 100), (140, 16049), (16059, len(new.code))]
    code = b"\x1a\x99\x7f\xff" + bytes(0x7FFC) + b"\xb1"
    edit = Edit([Insertion(100, bytes(4), BEFORE)])
    _, new, _ = first_code(
        spliced(Builder(49).method(b"m", b"(I)V", code).build(), edit)
    )  # no frames: a trampoline can be anywhere
    assert len(new.code) == len(code) + 12
    assert new.scan().targets16[1] in new.scan().jumps32  # the first goes over the trampoline
    frames = u2(1) + b"\xfb" + u2(0x8001)
    data = Builder(52).method(b"m", b"(I)V", code, attributes=((b"StackMapTable", frames),)).build()
    with pytest.raises(Unsupported):
        spliced(data, edit)


def test_dumps_differ_in_nothing_but_the_nops() -> None:
    compared = 0
    for data in jdk_classes()[::5]:
        cf = ClassFile.parse(data)
        replaced: dict[int, bytes] = {}
        for method in cf.methods:
            if method.code_at:
                code = Code.parse(data, method.code_at, cf.pool)
                handlers = {
                    entry[2] for entry in code.exception_table
                }  # whose ranges are split, if they cover themselves
                pcs = [pc for pc, bound in enumerate(code.scan().bounds) if bound]
                edit = Edit(
                    [Insertion(pc, bytes(1 + pc % 7), BEFORE, guarded=True) for pc in pcs[1::2] if pc not in handlers]
                )
                try:
                    replaced[method.code_at] = splice(code, edit, cf.pool, Context.from_method(cf, method))
                except CodeTooLarge:
                    continue
        before, after = dump(data), dump(rebuild(cf, replaced))
        if "new@" not in before and "goto_w" not in after:  # a label of `new` would move behind the nops
            compared += 1
            assert [x for x in after.splitlines() if x != "      nop"] == [
                x for x in before.splitlines() if x != "      nop"
            ]
    assert compared > 30


def test_layout_of_nothing() -> None:
    layout = lay_out(b"\xb1", scan(b"\xb1"), [])
    assert ([layout.land(0), layout.land(1)], layout.size) == ([0, 1], 1)
    assert ClassFile.parse(Builder().build()).methods == []
