"""Methods that probes would make too large for HotSpot to compile get fewer probes, unless they are too large anyway."""

from __future__ import annotations

import pytest
from test_classfile_support import Builder

from instrument.weaving.weave import weave
from rules.parse import load

ARRAYS = 1500
NEW = b"\x03\xbc\x0a\x57"  # iconst_0, newarray int, pop
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
