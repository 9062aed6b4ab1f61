"""Parts of the analysis by themselves: patterns, Kotlin's line maps, the table of filters."""

from __future__ import annotations

import pytest

from classhook.coverage.filters import FILTERS
from classhook.coverage.pattern import NOWHERE, Pattern, fits
from classhook.coverage.smap import BadMap, parse

MAP = """SMAP
A.kt
Kotlin
*S Kotlin
*F
+ 1 A.kt
a/A
+ 2 B.kt
a/BKt
*L
1#1,10:1
3#2,2:11
7#2:13
*S KotlinDebug
*F
"""


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (b"close", b"close", True),
        (b"close", b"closes", False),
        (b"*", b"", True),
        (b"access$*", b"access$000", True),
        (b"*$default", b"f$default", True),
        (b"*$default", b"$default2", False),
        (b"access$*$jd", b"access$$jd", True),
        (b"access$*$jd", b"access$jd", False),
        (b"a*b*c", b"aXbYc", True),
        (b"a*b*c", b"aXc", False),
    ],
)
def test_names_with_stars(pattern: bytes, text: bytes, expected: bool) -> None:
    assert fits(pattern, text) == expected


def test_a_pattern_is_made_of_steps() -> None:
    steps = Pattern(
        "aload x ; ~ifnull -> end ; invokevirtual java/lang/String.equals(Ljava/lang/Object;)Z ; end:"
    ).steps
    assert [(step.slot, step.direct, step.label, step.owner, step.name, step.here) for step in steps] == [
        ("x", False, "", b"", b"", ""),
        ("", True, "end", b"", b"", ""),
        ("", False, "", b"java/lang/String", b"equals", ""),
        ("", False, "", b"", b"", "end"),
    ]
    assert steps[2].descriptor == b"(Ljava/lang/Object;)Z"
    assert NOWHERE < 0


def test_a_line_map() -> None:
    found = [(one.name, one.input, one.repeat, one.output) for one in parse(MAP, "A.kt")]
    assert found == [("a/A", 1, 10, 1), ("a/BKt", 3, 2, 11), ("a/BKt", 7, 1, 13)]
    assert [one.is_identity("a/A") for one in parse(MAP, "A.kt")] == [True, False, False]


@pytest.mark.parametrize(
    "text",
    [
        "",
        MAP.replace("Kotlin", "JSP", 1),
        MAP.replace("#2", "#3", 1),
        MAP.replace("11", "x"),
        MAP.partition("*S KotlinDebug")[0],
    ],
)
def test_other_line_maps_are_refused(text: str) -> None:
    with pytest.raises(BadMap, match="line map"):
        parse(text, "A.kt")


def test_each_filter_has_a_name_of_its_own() -> None:
    assert len({one.about for one in FILTERS}) == len(FILTERS) == 37
