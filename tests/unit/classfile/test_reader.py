"""Pool, reader and writer: unchanged classes stay identical, and only the documented errors are raised."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.classfile.code import Code
from classhook.classfile.dump import dump
from classhook.classfile.errors import ClassFormatError, CodeTooLarge, PoolFull, Unsupported
from classhook.classfile.insertions import Edit
from classhook.classfile.pool import ConstantPool
from classhook.classfile.reader import ClassFile
from classhook.classfile.splice import Context, splice
from classhook.classfile.write import rebuild
from tests.unit.classfile.support import Builder, first_code, jdk_classes, u2, u4, woven

DOCUMENTED = (ClassFormatError, CodeTooLarge, PoolFull, Unsupported)


def test_untouched_class_is_identical() -> None:
    for data in jdk_classes():
        assert rebuild(ClassFile.parse(data), {}) == data


def test_splicing_nothing_changes_no_byte() -> None:
    changed = 0
    for data in jdk_classes():
        cf = ClassFile.parse(data)
        for method in cf.methods:
            if method.code_at:
                new = splice(
                    Code.parse(data, method.code_at, cf.pool), Edit([]), cf.pool, Context.from_method(cf, method)
                )
                changed += new != data[method.code_at : method.code_end]
        assert rebuild(cf, {}) == data
    assert changed == 0


def test_jawa_reads_the_same() -> None:
    jawa = pytest.importorskip("jawa.cf")
    import io

    for data in jdk_classes()[::10]:
        for read in (data, woven(data)):
            cf, other = ClassFile.parse(read), jawa.ClassFile(io.BytesIO(read))
            assert cf.name == other.this.name.value
            assert [(m.name, m.descriptor) for m in cf.methods] == [
                (m.name.value, m.descriptor.value) for m in other.methods
            ]
            for mine, theirs in zip(cf.methods, other.methods, strict=True):
                if mine.code_at:
                    code = Code.parse(read, mine.code_at, cf.pool)
                    assert [pc for pc, bound in enumerate(code.scan().bounds) if bound] == [
                        instruction.pos for instruction in theirs.code.disassemble()
                    ]


def small_class() -> bytes:
    builder = Builder(52)
    lines = u2(2) + u2(0) + u2(1) + u2(4) + u2(2)
    frames = u2(1) + b"\x04"
    code = b"\x1a\x99\x00\x03\xb1"  # iload_0, ifeq +3, return
    attributes = ((b"LineNumberTable", lines), (b"StackMapTable", frames))
    return builder.method(b"m", b"(I)V", code, exceptions=((0, 4, 4, 0),), attributes=attributes).build()


def everything(data: bytes) -> None:
    """Does everything that the code does with an untrusted class."""
    woven(data)
    cf = ClassFile.parse(data)
    cf.annotations()
    for method in cf.methods:
        method.annotations()
    dump(data, pool=True)


def test_truncated_anywhere() -> None:
    for data in (small_class(), min((c for c in jdk_classes() if len(c) > 1200), key=len)):
        everything(data)
        for end in range(len(data)):
            with pytest.raises(ClassFormatError):
                ClassFile.parse(data[:end])
        with pytest.raises(ClassFormatError):
            ClassFile.parse(data + b"\x00")


def test_mutated_anywhere() -> None:
    rnd = random.Random(7)
    classes = [small_class()] * 4 + sorted(jdk_classes(), key=len)[40:120:8]
    for data in classes:
        for _ in range(250):
            bad = bytearray(data)
            for _ in range(rnd.randrange(1, 4)):
                bad[rnd.randrange(8, len(bad))] = rnd.choice((0, 1, 0x7F, 0x80, 0xFF, rnd.randrange(256)))
            with contextlib.suppress(*DOCUMENTED):
                everything(bytes(bad))


@given(st.text(st.characters(exclude_categories=())))
def test_names_round_trip(text: str) -> None:
    mutf8 = pytest.importorskip("mutf8")
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # a pair is one character
    raw = mutf8.encode_modified_utf8(text)
    pool = ConstantPool(b"\x00\x01", 0)
    index = pool.add_utf8(raw)
    again = ConstantPool(pool.to_bytes(), 0)
    assert pool.utf8(index) == again.utf8(index) == text
    assert again.utf8_bytes(index) == raw


NAMES = st.binary(min_size=1, max_size=4)
ADDITIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add_utf8"), st.tuples(NAMES)),
        st.tuples(st.just("add_integer"), st.tuples(st.integers(-(2**31), 2**31 - 1))),
        st.tuples(st.just("add_class"), st.tuples(NAMES)),
        st.tuples(st.just("add_method_ref"), st.tuples(NAMES, NAMES, NAMES)),
        st.tuples(st.just("reserve_integers"), st.tuples(st.integers(0, 5))),
    )
)


@given(ADDITIONS, ADDITIONS)
def test_added_entries_are_read_again(
    first: list[tuple[str, tuple[object, ...]]], second: list[tuple[str, tuple[object, ...]]]
) -> None:
    pool = ConstantPool(b"\x00\x01", 0)
    for name, arguments in first:
        getattr(pool, name)(*arguments)
    prefix = pool.to_bytes()
    pool = ConstantPool(prefix, 0)
    for name, arguments in second:
        index = getattr(pool, name)(*arguments)
        if name != "reserve_integers":
            assert getattr(pool, name)(*arguments) == index
    data = pool.to_bytes()
    again = ConstantPool(data, 0)
    assert data[2:].startswith(prefix[2:])
    assert (again.count, again.end_at) == (pool.count, len(data))
    assert [pool.entry(i) for i in range(1, pool.count)] == [again.entry(i) for i in range(1, again.count)]
    for index in range(1, pool.count):
        if pool.tag(index) == 3:
            at = pool.integer_value_at(index)
            assert b"\x03" + data[at : at + 4] == pool.entry(index)


def test_reserved_integers_count_up_and_are_not_shared() -> None:
    cf = ClassFile.parse(small_class())
    cf.pool.add_integer(1)
    first = cf.pool.reserve_integers(3)
    data = rebuild(cf, {})
    at = cf.pool.integer_value_at(first)
    assert [int.from_bytes(data[at + 5 * i : at + 5 * i + 4], "big") for i in range(3)] == [0, 1, 2]
    assert cf.pool.reserve_integers(1) == first + 3


def test_full_pool() -> None:
    pool = ConstantPool(b"\x00\x01", 0)
    pool.reserve_integers(65534)
    with pytest.raises(PoolFull):
        pool.add_utf8(b"x")
    with pytest.raises(PoolFull):
        pool.reserve_integers(1)
    assert ConstantPool(pool.to_bytes(), 0).count == 65535


@pytest.mark.parametrize(
    "pool",
    [b"", b"\x00", b"\x00\x00", b"\x00\x02", b"\x00\x02\x02", b"\x00\x02\x05" + bytes(8), b"\x00\x02\x01\x00\x05x"],
)
def test_bad_pools(pool: bytes) -> None:
    with pytest.raises(ClassFormatError):
        ConstantPool(pool, 0)


@pytest.mark.parametrize("index", [-1, 0, 5, 70000])
def test_bad_indices(index: int) -> None:
    pool = ConstantPool(b"\x00\x01", 0)
    pool.add_integer(1)
    for read in (pool.utf8, pool.utf8_bytes, pool.class_name, pool.name_and_type, pool.entry, pool.integer_value_at):
        with pytest.raises(ClassFormatError):
            read(index)


def test_annotations_are_named_and_nesting_is_no_danger() -> None:
    builder = Builder()
    name, value = builder.pool.add_utf8(b"La/B$C;"), builder.pool.add_utf8(b"value")
    deep = (u2(1) + u2(value) + b"@" + u2(name)) * 30000 + u2(0)
    for body, expected in (
        (u2(2) + (u2(name) + u2(0)) * 2, ["a.B$C"] * 2),
        (u2(1) + u2(name) + u2(1) + u2(value) + b"[" + u2(2) + b"e" + u4(0) + b"s" + u2(0), ["a.B$C"]),
        (u2(1) + u2(name) + deep, ["a.B$C"]),
    ):
        head = u2(1) + u2(builder.pool.add_utf8(b"m")) + u2(builder.pool.add_utf8(b"()V")) + u2(1)
        builder.methods = [head + builder.attribute(b"RuntimeVisibleAnnotations", body)]
        assert ClassFile.parse(builder.build()).methods[0].annotations() == expected
    builder.methods = [head + builder.attribute(b"RuntimeInvisibleAnnotations", deep[:-2])]
    with pytest.raises(ClassFormatError):
        ClassFile.parse(builder.build()).methods[0].annotations()


def test_names_and_source() -> None:
    cf = ClassFile.parse(next(data for data in jdk_classes() if b"java/util/ArrayList" in data))
    assert cf.source_file.endswith(".java")
    assert "/" in cf.name
    assert "/" in cf.super_name
    assert all("/" in name for name in cf.interface_names)


@pytest.mark.parametrize(("major", "flags"), [(50, 0xFFF9), (51, 0xFFF1)])
def test_old_class_initializers_are_static(major: int, flags: int) -> None:
    """Whatever their flags are, as for the JVM (JVMS 2.9.2)."""
    builder = Builder(major)
    builder.method(b"<clinit>", b"()V", b"\xb1", flags=0xFFF1)
    builder.method(b"m", b"()V", b"\xb1", flags=1)
    cf = ClassFile.parse(builder.build())
    assert [method.access_flags for method in cf.methods] == [flags, 1]
    assert rebuild(cf, {}) == cf.data


def test_bad_code_is_named() -> None:
    for code in (
        b"\xff",
        b"\xa7\x00\x09",
        b"\x11\x00",
        b"\xc4\x00",
        b"\xab\x00\x00\x00",
        b"\xaa" + bytes(3) + u4(0) + u4(1) + u4(0),
    ):
        _, parsed, _ = first_code(Builder().method(b"m", b"()V", code).build())
        with pytest.raises(ClassFormatError, match="offset"):
            parsed.scan()
