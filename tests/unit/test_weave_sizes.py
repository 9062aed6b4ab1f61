"""Methods that probes would make too large for HotSpot to compile get fewer probes, unless they are too large anyway; but coverage comes first."""

from __future__ import annotations

import pytest
from test_classfile_support import Builder

from instrument.weaving.weave import weave
from rules.parse import load

ARRAYS = 1500
NEW = b"\x03\xbc\x0a\x57"  # iconst_0, newarray int, pop
BRANCH = b"\x03\x99\x00\x03"  # iconst_0, ifeq to what follows: two probes of coverage
LOOP = b"\x03\x99\x00\x06\xa7\xff\xfc"  # iconst_0, ifeq over the goto; goto back


@pytest.mark.parametrize(
    ("name", "tail", "counted"),
    [(b"<clinit>", b"", True), (b"<clinit>", LOOP, False), (b"<clinit>", b"\xc8\x00\x00\x00\x05", False), (b"m", b"", False)],
)
def test_an_initializer_without_a_loop_has_all_probes_at_any_size(name: bytes, tail: bytes, counted: bool) -> None:
    data = Builder().method(name, b"()V", NEW * ARRAYS + tail + b"\xb1").build()
    woven = weave(data, load([], ["time T::*", "alloc * in T"]), False)
    kinds = [line[2] for line in woven.table if line[0] == "P"]
    assert kinds.count("t") == 1
    assert kinds.count("a") == (ARRAYS if counted else 0)
    assert [line[3] for line in woven.table if line[0] == "S"] == ([] if counted else ["code-too-large"])


@pytest.mark.parametrize(
    ("rules", "branches", "arrays", "kinds", "reasons"),
    [
        (["cover T"], 1000, 0, {"v0"}, ["not-compiled"]),
        (["cover T", "time T::*"], 1000, 0, {"v0", "t"}, ["not-compiled"]),
        (["cover T", "alloc * in T"], 1000, 100, {"v0", "a"}, ["not-compiled"]),
        (["cover T", "time T::*", "alloc * in T"], 1000, 900, {"v0", "t"}, ["not-compiled", "code-too-large"]),  # so many sites alone are too many
        (["cover T", "count T::*"], 1999, 0, {"v0"}, ["not-compiled", "code-too-large"]),  # no room for a count alone
        (["cover T compiled"], 1000, 0, {"v5"}, ["code-too-large"]),
        (["cover T hits", "cover T compiled", "time T::*"], 1000, 0, {"w5", "t"}, ["code-too-large"]),
        (["cover T", "time T::*"], 2001, 0, {"v0", "t"}, []),  # HotSpot does not compile it anyway
    ],
)
def test_coverage_may_make_a_method_too_large_to_compile_but_nothing_else_may(
    rules: list[str], branches: int, arrays: int, kinds: set[str], reasons: list[str]
) -> None:
    data = Builder().method(b"m", b"()V", BRANCH * branches + NEW * arrays + b"\xb1").build()
    woven = weave(data, load([], rules), False)
    assert {line[2] for line in woven.table if line[0] == "P"} == kinds
    assert [line[3] for line in woven.table if line[0] == "S"] == reasons
