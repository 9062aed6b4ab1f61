"""Names, times and quantities as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.base.names import cell, method_text, parameter_names, printable, quantity, time_label


@pytest.mark.parametrize(
    ("descriptor", "names"),
    [
        ("()V", []),
        ("(I)V", ["int"]),
        ("(BCDFIJSZ)J", ["byte", "char", "double", "float", "int", "long", "short", "boolean"]),
        ("(Ljava/lang/String;[[I[Ljava/util/Map$Entry;)Ljava/lang/Object;", ["String", "int[][]", "Map$Entry[]"]),
        ("(LNoPackage;)V", ["NoPackage"]),
    ],
)
def test_parameters(descriptor: str, names: list[str]) -> None:
    assert parameter_names(descriptor) == names
    assert method_text("a.B", "m", descriptor) == f"a.B.m({', '.join(names)})"


@given(st.text(st.sampled_from("()[LIJZVX;/a"), max_size=30))
def test_no_descriptor_is_too_odd(descriptor: str) -> None:
    parameter_names(descriptor)


@given(st.text(max_size=50))
def test_labels_move_no_cursor(name: str) -> None:
    assert method_text(name, name, "(L" + name + ";)V").isprintable()
    assert printable(name).isprintable()
    if name.isprintable():
        assert printable(name) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [("p.A", "p.A"), ("=1+1", "'=1+1"), ("+x", "'+x"), ("-x", "'-x"), ("@x", "'@x"), ("a\x1b", "a\\x1b")],
)
def test_a_spreadsheet_sees_no_formula(name: str, text: str) -> None:
    assert cell(name) == text


def test_what_is_not_printable_shows() -> None:
    assert printable("a\x1b[31m\n\t\udc80") == "a\\x1b[31m\\n\\t\\udc80"


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1000, "1.00 µs"),
        (12_345, "12.3 µs"),
        (999_400, "999 µs"),
        (1_000_000, "1.00 ms"),
        (61_000_000_000, "61.0 s "),
        (12_345_000_000_000, "12,345 s "),
    ],
)
def test_times(ns: int, text: str) -> None:
    assert time_label(ns) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (1 << 20, "1.0 MiB"),
        (5 << 40, "5.0 TiB"),
        (5 << 50, "5,120.0 TiB"),
    ],
)
def test_quantities(number: int, text: str) -> None:
    assert quantity(number) == text
