"""Times and sizes as users write them, and nouns for numbers."""

from __future__ import annotations

import pytest

from classhook.base.names import quantity, several_are, singular, time_label
from classhook.base.units import BYTES, NANOSECONDS, nanoseconds, size


@pytest.mark.parametrize(
    ("text", "ns"),
    [("500us", 500_000), ("1.5ms", 1_500_000), ("2s", 2e9), ("5m", 300e9), ("1h", 3600e9), ("0.25µs", 250)],
)
def test_times(text: str, ns: float) -> None:
    assert nanoseconds(text) == ns


@pytest.mark.parametrize(
    "text",
    ["", "5", "s", "5 s", "-5s", "+5s", "1e3s", "1.s", ".5s", "1_0s", "٣s", "infs", "nans", "5S", "1.2.3s", "5x"],
)
def test_what_is_not_a_time(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        nanoseconds(text)


def test_only_some_units_may_be_accepted() -> None:
    assert nanoseconds("5m", ("s", "m")) == 300e9
    with pytest.raises(ValueError, match="5ms"):
        nanoseconds("5ms", ("s", "m"))


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("4KB", 4096), ("512KB", 1 << 19), ("1MB", 1 << 20)])
def test_sizes(text: str, number: int) -> None:
    assert size(text) == number


@pytest.mark.parametrize("text", ["", "KB", "4 KB", "-4KB", "1.5KB", "4KBKB", "٣KB"])
def test_what_is_not_a_size(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        size(text)


def test_labels_have_these_units() -> None:
    assert [time_label(NANOSECONDS[unit]) for unit in ("ns", "us", "ms", "s")] == [
        "1 ns",
        "1.00 µs",
        "1.00 ms",
        "1.00 s ",
    ]
    assert [quantity(BYTES[unit]) for unit in ("B", "KiB", "MiB", "GiB")] == ["1 B", "1.0 KiB", "1.0 MiB", "1.0 GiB"]


def test_nouns() -> None:
    assert several_are(["a.B"], "class") == "1 class (a.B) is"
    assert several_are(list("abcdefg"), "source file") == "7 source files (a, b, c, d, e, ...) are"
    assert [singular(nouns) for nouns in ("groups", "objects", "branches", "classes", "cpu", "entries")] == [
        "group",
        "object",
        "branch",
        "class",
        "cpu",
        "entry",
    ]
