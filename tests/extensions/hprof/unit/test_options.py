"""HPROF's options: what they measure, and what is refused."""

from __future__ import annotations

from itertools import product

import pytest

from classhook.base.errors import UsageError
from classhook.extensions.hprof.options import BY_NAME, OPTIONS, parse, table
from classhook.rules.parse import load


def test_what_any_options_measure_are_valid_rules() -> None:
    measuring = {
        "cpu": ("samples", "times", "old", ""),
        "heap": ("dump", "sites", "all", ""),
        "monitor": "yn",
        "thread": "yn",
        "exact": "yn",
        "msa": "yn",
    }
    for depth, *values in product((1, 4, 256), *measuring.values()):
        text = ",".join(f"{name}={value}" for name, value in zip(measuring, values, strict=True) if value)
        settings = parse(f"{text},depth={depth},jdk=y,lineno=n")
        rules = settings.rules()
        assert len(load([], rules).rules) == len(rules), text
        assert parse(settings.written()) == settings


def test_without_options_the_heap_is_measured() -> None:
    assert parse("").tables == {"sites"}
    assert parse("cpu=samples").tables == {"samples"}
    assert parse("").heap_dump == "java.hprof.txt".replace(".hprof.txt", ".heap.hprof")


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "cpu=all": "cpu takes samples or times or old",
        "depth=0": "depth takes from 1 to 256",
        "depth=x": "depth takes <size>",
        "interval=1001": "interval takes from 1 to 1000",
        "cutoff=2": "cutoff takes from 0 to 1",
        "cutoff=nan": "cutoff takes from 0 to 1",
        "net=1234": "net takes HOST:PORT",
        "net=host:0": "net takes from 1 to 65535",
        "file=": "file takes a name",
        "heap": "not an option of HPROF",
        "speed=y": "not an option of HPROF",
    }.items(),
)
def test_what_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(f"thread=y,{text}")
    assert str(error.value).startswith(f"{text}: {why}")


def test_help_lists_each_option_with_its_default() -> None:
    lines = table().splitlines()
    for option in OPTIONS:
        (line,) = (line for line in lines if line.startswith(f"{option.written} "))
        assert option.about in line
        assert line.endswith(option.default)
        assert BY_NAME[option.name] is option
