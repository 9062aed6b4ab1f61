"""A class that the JVM rejects is not instrumented; tests/jvm/test_invalid_classes.py has the JVM's result for each of
these."""

from __future__ import annotations

import pytest

from classhook.classfile import room
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError, Refused
from classhook.classfile.flow import POPS, PUSHES
from classhook.classfile.opcodes import LENGTHS
from classhook.classfile.reader import ClassFile
from classhook.classfile.validity import check_validity
from classhook.probes import probe_table, reasons
from classhook.probes.records import SkipRecord
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.weaving import agent_calls
from classhook.weaving.weave import weave
from tests.jvm.invalid import REFUSED, ROOM, TAKEN, Parts, Row, caught, deep, endless, made, padded, pool_count, roomy
from tests.unit.classfile.support import jdk_classes
from tools.fuzz.hostile import u2

RULES = load([], ["time **::*", "alloc * in **"])


def check(data: bytes) -> None:
    """Checks the class as if all methods grew."""
    cf = ClassFile.parse(data)
    codes = [Code(data, method.code_at, cf.pool) for method in cf.methods if method.code_at]
    check_validity(cf, codes, codes)


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_constants_that_are_not_there(row: Row) -> None:
    beyond = pool_count(row)
    for rules in (RULES, load([], ["count T::run"])):
        with pytest.raises(ClassFormatError, match=f"{beyond}|beyond the pool"):
            weave(made(row, beyond), rules, False)


@pytest.mark.parametrize("row", TAKEN.values(), ids=TAKEN)
def test_where_the_jvm_does_not_look(row: Row) -> None:
    assert weave(made(row, pool_count(row)), RULES, False).data is not None


@pytest.mark.parametrize("name", ROOM)
def test_room(name: str) -> None:
    assert weave(roomy(name), RULES, False).data is not None
    with pytest.raises(Refused, match=r"^run\(I\)I: (a local beyond|arguments of).* max_locals"):
        weave(roomy(name, locals_=1), RULES, False)
    if name != "code that is not reached":
        with pytest.raises(Refused, match=r"^run\(I\)I: more on the stack than max_stack \d, code offset at \d"):
            weave(roomy(name, stack=1), RULES, False)


def test_plain_instructions_are_followed_by_their_length_and_effect() -> None:
    for table in [*room._FRAMED, *room._REACHED]:
        for op in range(256):
            if table[op] < room.MEMBER:
                assert (table[op] & 3, (table[op] >> 2) - 8) == (LENGTHS[op], PUSHES[op] - POPS[op])
                assert LENGTHS[op]


def test_more_that_the_jvm_refuses() -> None:
    with pytest.raises(Refused, match="a frame with more on the stack"):
        check(deep())
    for major in (48, 61):
        with pytest.raises(Refused, match="runs off its end"):
            check(endless(major))
    for start in (0, 1):
        with pytest.raises(Refused, match="a handler, and max_stack 0"):
            weave(caught(start), load([], ["count **::*"]), False)
    with pytest.raises(Refused, match="a switch with padding"):
        weave(padded(b"\0\1", 50), load([], ["count **::*"]), False)
    check(padded(b"\0\1", 51))


def test_a_count_needs_no_room() -> None:
    """So the JVM checks max_stack and max_locals, in the woven class too."""
    assert weave(roomy("a sum in 61", stack=1), load([], ["count **::*"]), False).data is not None


def test_the_report_says_why() -> None:
    assert agent_calls.load(dumps(RULES).encode(), 10.0) == 1
    result = agent_calls.transform(b"T", roomy("a sum in 61", stack=1), False)
    assert (result.status, result.data) == (agent_calls.SKIPPED, None)
    (skip,) = [record for record in probe_table.decode(result.meta) if isinstance(record, SkipRecord)]
    assert skip == SkipRecord(
        "", "", reasons.MALFORMED, "run(I)I: more on the stack than max_stack 1, code offset at 1"
    )


@pytest.mark.parametrize(
    "code",
    [
        b"\x1a\xa8\0\5\xac\x00\x4c\xa9\1",  # iload_0; jsr S; ireturn; S: astore_1; ret 1
        # the same, but the subroutine pushes two more values: legal, but not analysed
        b"\x1a\xa8\0\5\x57\xac\x4c\x1a\x1a\xa9\1",
        b"\xa7\0\5\x1a\xac\x1a\xa7\xff\xfd",  # a goto to a goto that jumps back
    ],
)
def test_code_of_old_that_is_not_followed_to_its_end(code: bytes) -> None:
    check(Parts(run=code, stack=3, locals=2, major=48).bytes())


def test_handlers_of_what_handlers_reach() -> None:
    # iload_0, ireturn; pop, nop, iconst_m1, ireturn; pop, iconst_m1, iconst_m1, ireturn
    code, catches = b"\x1a\xac\x57\0\x02\xac\x57\x02\x02\xac", [(0, 2, 2, 0), (3, 5, 6, 0)]
    with pytest.raises(Refused, match="max_stack 1, code offset at 8"):
        check(Parts(run=code, stack=1, major=48, catches=catches).bytes())
    check(Parts(run=code, stack=1, major=48, catches=catches[1:]).bytes())


@pytest.mark.parametrize("tag", [9, 10, 11, 18])
def test_members_that_name_themselves(tag: int) -> None:
    """The descriptor of such a member is the member itself; the check must not follow it for ever."""
    parts = Parts()
    pool = parts.pool
    name, owner = u2(pool.utf8(b"x")), u2(pool.class_(b"T"))
    itself = u2(len(pool.entries) + 2)
    pair = u2(pool.add(b"\x0c" + name + itself))
    assert u2(pool.add(bytes((tag,)) + owner + pair)) == itself
    parts.run = b"\xb8" + itself + parts.run
    check(parts.bytes())
    weave(parts.bytes(), RULES, False)


def test_methods_that_cannot_be_followed_are_left_to_the_jvm() -> None:
    parts = Parts(stack=0)
    parts.run = b"\xb8" + u2(parts.pool.class_(b"T")) + parts.run  # invokestatic of a Class
    check(parts.bytes())


def test_time_is_looked_at() -> None:
    asked = 0

    def ask() -> None:
        nonlocal asked
        asked += 1

    cf = ClassFile.parse(roomy("a sum in 61"))
    check_validity(cf, [], [], ask)
    assert asked == 1


def test_the_jdks_own_classes_are_taken() -> None:
    for data in jdk_classes():
        check(data)
