"""Methods that probes would make too large for HotSpot to compile get fewer probes, unless they are too large anyway;
but coverage comes first."""

from __future__ import annotations

import pytest

from classhook.probes.records import CoverRecord, ProbeRecord, Record, SkipRecord
from classhook.rules.parse import load
from classhook.weaving.weave import weave
from tests.unit.classfile.support import Builder

ARRAYS = 1500
NEW = b"\x03\xbc\x0a\x57"  # iconst_0, newarray int, pop
BRANCH = b"\x03\x99\x00\x03"  # iconst_0, ifeq to what follows: two probes of coverage
LOOP = b"\x03\x99\x00\x06\xa7\xff\xfc"  # iconst_0, ifeq over the goto; goto back


def kinds_in(table: list[Record]) -> list[str]:
    """The kinds of probes, those of coverage with their levels."""
    probes = [record for record in table if isinstance(record, ProbeRecord)]
    return [f"{probe.kind} {probe.level}" if isinstance(probe, CoverRecord) else probe.kind for probe in probes]


def reasons_in(table: list[Record]) -> list[str]:
    return [record.reason for record in table if isinstance(record, SkipRecord)]


@pytest.mark.parametrize(
    ("name", "tail", "counted"),
    [
        (b"<clinit>", b"", True),
        (b"<clinit>", LOOP, False),
        (b"<clinit>", b"\xc8\x00\x00\x00\x05", False),
        (b"m", b"", False),
    ],
)
def test_an_initializer_without_a_loop_has_all_probes_at_any_size(name: bytes, tail: bytes, counted: bool) -> None:
    data = Builder().method(name, b"()V", NEW * ARRAYS + tail + b"\xb1").build()
    woven = weave(data, load([], ["time T::*", "alloc * in T"]), False)
    kinds = kinds_in(woven.table)
    assert kinds.count("time") == 1
    assert kinds.count("array") == (ARRAYS if counted else 0)
    assert reasons_in(woven.table) == ([] if counted else ["code-too-large"])


@pytest.mark.parametrize(
    ("rules", "branches", "arrays", "kinds", "reasons"),
    [
        (["cover T"], 1000, 0, {"cover 0"}, ["not-compiled"]),
        (["cover T", "time T::*"], 1000, 0, {"cover 0", "time"}, ["not-compiled"]),
        (["cover T", "alloc * in T"], 1000, 100, {"cover 0", "array"}, ["not-compiled"]),
        (
            ["cover T", "time T::*", "alloc * in T"],
            1000,
            900,
            {"cover 0", "time"},
            ["not-compiled", "code-too-large"],
        ),  # so many sites are too many
        (
            ["cover T", "count T::*"],
            1999,
            0,
            {"cover 0"},
            ["not-compiled", "code-too-large"],
        ),  # no room for a count alone
        (["cover T compiled"], 1000, 0, {"cover 5"}, ["code-too-large"]),
        (["cover T hits", "cover T compiled", "time T::*"], 1000, 0, {"cover-hits 5", "time"}, ["code-too-large"]),
        (["cover T", "time T::*"], 2001, 0, {"cover 0", "time"}, []),  # HotSpot does not compile it anyway
    ],
)
def test_coverage_may_make_a_method_too_large_to_compile_but_nothing_else_may(
    rules: list[str], branches: int, arrays: int, kinds: set[str], reasons: list[str]
) -> None:
    data = Builder().method(b"m", b"()V", BRANCH * branches + NEW * arrays + b"\xb1").build()
    woven = weave(data, load([], rules), False)
    assert set(kinds_in(woven.table)) == kinds
    assert reasons_in(woven.table) == reasons
