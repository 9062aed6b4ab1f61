"""Kotlin's map from lines of inlined code to where they were written."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.coverage.smap import BadMap, parse

TEXT = """SMAP
Main.kt
Kotlin
*S Kotlin
*F
+ 1 Main.kt
app/MainKt
+ 2 Library.kt
kotlin/LibraryKt
*L
1#1,20:1
5#2:21
9,2:23
*S KotlinDebug
*F
+ 1 Main.kt
app/MainKt
*E
"""


def test_each_range_has_its_class_and_lines() -> None:
    own, first, more = parse(TEXT, "Main.kt")
    assert (own.name, own.input, own.repeat, own.output) == ("app/MainKt", 1, 20, 1)
    assert (first.name, first.input, first.repeat, first.output) == ("kotlin/LibraryKt", 5, 1, 21)
    assert (more.name, more.input, more.repeat, more.output) == ("kotlin/LibraryKt", 9, 2, 23), (
        "without #, of the file before"
    )
    assert own.is_identity("app/MainKt")
    assert not first.is_identity("app/MainKt")


@pytest.mark.parametrize("text", ["", "SMAP", TEXT.replace("Kotlin", "JSP"), TEXT.replace("Main.kt", "Other.kt")])
def test_the_map_of_another_compiler_or_file(text: str) -> None:
    with pytest.raises(BadMap, match="not one of kotlinc"):
        parse(text, "Main.kt")


@given(st.integers(0, len(TEXT)), st.text(max_size=3), st.integers(0, 8))
def test_a_damaged_map_is_refused_or_read_but_nothing_else(at: int, put: str, gone: int) -> None:
    with suppress(BadMap):
        parse(TEXT[:at] + put + TEXT[at + gone :], "Main.kt")
