"""Threads and classes that come and go leave nothing in memory except what the report needs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Jvm, Result, Words, execute, on
from tests.pressure.conftest import ALL, LONG, Figure, Pressed, calls, sized

#: Touches the program's own memory at the start; without C2, which takes tens of MB now and then.
STEADY = ("-Xms64m", "-Xmx64m", "-XX:+UseSerialGC", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1")
#: Growth allowed beyond a bare run's. Two bare runs differ too.
NOISE = 2 << 20
#: Bytes per class in the agent: its entries in the table of copies and in the index of the metadata.
BYTES_OF_KNOWN = 160
KINDS = {"count": ("count **::*",), "time": ALL}
SHOWN = re.compile(r"VmRSS:(\d+) RssAnon:(\d+) RssShmem:(\d+) \nVmRSS:(\d+) RssAnon:(\d+) RssShmem:(\d+) \n")


def grown(result: Result) -> dict[str, int]:
    """Growth in bytes after warming up: of all memory, of anonymous memory, and of the data file."""
    assert (result.status, result.stderr) == (0, "")
    shown = SHOWN.fullmatch(result.stdout)
    assert shown, result.stdout
    numbers = [int(text) << 10 for text in shown.groups()]
    return {"all": numbers[3] - numbers[0], "anonymous": numbers[4] - numbers[1], "file": numbers[5] - numbers[2]}


def line(jvm: Jvm, classes: Path, what: str, warm: int, more: int) -> Words:
    return [jvm.java, *STEADY, "-cp", classes, "Resident", what, str(warm), str(more)]


@on(*(17, 25) if LONG else (25,))
def test_short_lived_threads(jvm: Jvm, classes: Path, pressed: Pressed, figure: Figure) -> None:
    warm, more = sized(1000, 10_000), sized(4000, 100_000)
    program = line(jvm, classes, "threads", warm, more)
    bare, result = grown(execute(program)), pressed(*program)
    ours = grown(result)
    figure(f"{more} threads: {ours['all'] >> 10} KB, bare {bare['all'] >> 10} KB")
    found = calls(result, "Resident")
    assert (found["Resident::work"], found["Resident::call"]) == (warm + more, 10 * (warm + more))
    assert ours["all"] < bare["all"] + NOISE
    assert ours["file"] < 64 << 10


@on(17, 25)
@pytest.mark.parametrize("kind", KINDS)
def test_copies_of_a_class(jvm: Jvm, classes: Path, pressed: Pressed, figure: Figure, kind: str) -> None:
    warm, more = sized(1000, 10_000), sized(5000, 100_000)
    program = line(jvm, classes, "copies", warm, more)
    bare, result = grown(execute(program)), pressed(*program, rules=KINDS[kind])
    ours = grown(result)
    figure(f"{more} copies: {ours['all'] >> 10} KB, bare {bare['all'] >> 10} KB; in the data file {ours['file']} bytes")
    assert calls(result, "Made000001") == {
        "Made000001::<init>": warm + more,
        "Made000001::applyAsInt": warm + more,
        "Made000001::step": 10 * (warm + more),
    }
    assert result.report["classes"]["woven"] >= warm + more + 2
    assert ours["all"] < bare["all"] + NOISE
    assert ours["file"] < 64 << 10


@on(17, 25)
@pytest.mark.parametrize("kind", KINDS)
def test_distinct_classes(jvm: Jvm, classes: Path, pressed: Pressed, figure: Figure, kind: str) -> None:
    warm, more = sized(1000, 10_000), sized(4000, 100_000)
    program = line(jvm, classes, "distinct", warm, more)
    bare, result = grown(execute(program)), pressed(*program, rules=KINDS[kind])
    ours = grown(result)
    figure(
        f"{more} distinct classes: {ours['all'] >> 10} KB, bare {bare['all'] >> 10} KB; a class"
        f" {ours['file'] / more:.0f} bytes in the data file, {(ours['anonymous'] - bare['anonymous']) / more:.0f}"
        " beside it"
    )
    rows = [row for row in result.report["methods"] if row["class"].startswith("Made")]
    own = [row for row in rows if "*" not in row["class"]]
    assert (len(own), len(rows)) == (3 * 1000, 3 * 1001)  # native/classes/shared_descriptions.c
    assert {(row["method"], row["calls"]) for row in own} == {("<init>", 1), ("applyAsInt", 1), ("step", 10)}
    others = warm + more - 1000
    assert {(row["method"], row["calls"]) for row in rows if row not in own} == {
        ("<init>", others),
        ("applyAsInt", others),
        ("step", 10 * others),
    }
    assert ours["file"] < 64 << 10
    assert ours["anonymous"] < bare["anonymous"] + more * BYTES_OF_KNOWN + NOISE
