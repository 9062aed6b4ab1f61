"""Values and arguments of commands: what is taken, what is refused and why; an argument means the same whatever
exists."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from classhook.base.errors import UsageError
from classhook.commands.arguments import data_paths, split_arguments
from classhook.commands.values import number_of, percentage, seconds


@pytest.mark.parametrize(("text", "value"), [("500ms", 0.5), ("2s", 2), ("1.5s", 1.5), ("5m", 300), ("1h", 3600)])
def test_times(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "5", "0s", "-1s", "5 days", "s", "1us", "nan", "1e3s"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"is not a time; write 500ms, 30s, 5m or 1h"):
        seconds(text)


def test_numbers_have_a_least_one() -> None:
    assert number_of("rows")("0") == 0
    for text in ("0", "-1", "x", "1.5", ""):
        with pytest.raises(argparse.ArgumentTypeError, match=r"is not a number of files \(1 or more\)"):
            number_of("files", least=1)(text)


@pytest.mark.parametrize("text", ["-0.1", "100.1", "nan", "inf", "x"])
def test_what_is_no_percentage(text: str) -> None:
    assert percentage("0") == 0
    assert percentage("100") == 100
    with pytest.raises(argparse.ArgumentTypeError, match="is not a percentage from 0 to 100"):
        percentage(text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_patterns_are_told_from_data_by_how_they_look(folder: Path) -> None:
    (folder / "a::b").mkdir()
    (folder / "data").mkdir()
    assert split_arguments(["a::b", "data"]) == ([Path("data")], ["a::b"])
    assert split_arguments(["./a::b"]) == ([Path("a::b")], []), "with ./ it is data"
    assert split_arguments(["com.acme.*"]) == ([Path("classhook-data")], ["com.acme.*"])
    assert split_arguments([]) == ([Path("classhook-data")], [])
    assert split_arguments(["data", "place", "Orders.place"]) == ([Path("data")], ["place", "Orders.place"]), (
        "names, behind data"
    )
    written = ["<init>", "N.<clinit>", "lambda in p.N.two (N.java:3)", "+=", "`each`", "place-order!"]
    assert split_arguments(["data", *written]) == ([Path("data")], written), (
        "also those that only other languages or the JVM have"
    )
    (folder / "classhook-data").mkdir()
    assert split_arguments(["place"]) == ([Path("classhook-data")], ["place"])


@pytest.mark.parametrize(
    ("word", "meant"),
    {
        "place": "'**::place'",
        "Orders": "'**.Orders::*'",
        "com.acme.Orders": "'com.acme.Orders::*'",
        "Orders.place": "'Orders::place'",
        "com.acme.Orders#place(int)": "'com.acme.Orders::place(int)'",
    }.items(),
)
def test_a_name_that_may_be_meant_as_a_pattern(folder: Path, word: str, meant: str) -> None:
    with pytest.raises(UsageError, match="no such file or directory") as error:
        split_arguments([word])
    assert str(error.value).endswith(f"To select methods of this name, write {meant}")


def test_data_that_is_missing_is_no_name(folder: Path) -> None:
    (folder / "data").mkdir()
    for words in (
        ["1-2.classhook"],
        ["jacoco.exec"],
        ["./other"],
        ["a b"],
        ["data", "1-2.classhook"],
        ["data", "other/data"],
    ):
        with pytest.raises(UsageError) as error:
            split_arguments(words)
        assert "To select" not in str(error.value)
    with pytest.raises(UsageError, match=r"a pattern, where only data is expected; to choose methods: --filter 'a::b'"):
        data_paths(["a::b"])
