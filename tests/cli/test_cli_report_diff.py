"""`classhook diff BEFORE AFTER` as a build uses it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Classhook
from tests.pressure.conftest import jar_of


@pytest.fixture
def sides(classhook: Classhook, classes: Path) -> None:
    """`before`: two runs of p.Work; `after`: one, in which less is counted."""
    for data, rule in (
        ("before", "count p.Work::*"),
        ("before", "count p.Work::*"),
        ("after", "count p.Work::*"),
        ("after", "count p.Work::add"),
    ):
        assert classhook("run", "--quiet", "-e", rule, "-o", data, "--", "java", "-cp", classes, "p.Work").status == 0


@pytest.mark.usefixtures("sides")
def test_a_build_compares(classhook: Classhook) -> None:
    done = classhook("diff", "--wide", "before", "after")
    assert done.status == 0
    assert "before: before: 2 processes, the first: java -cp" in done.out
    assert "Counted methods by change of calls: 4 unchanged" in done.out, "one of two runs had none: that is noise"
    assert re.search(
        r"^ +5 +2\.5 +none +±2  p\.Work\.bytes\(int\)$|^ +5 +2\.5 +none +±2\.5  p\.Work\.bytes\(int\)$",
        done.out,
        re.MULTILINE,
    )
    done = classhook("diff", "before", "after", "--fail-if", "calls < -0")
    assert (done.status, done.err) == (0, "")
    once, again = (
        classhook("diff", "before", "after", "--columns", names).out for names in ("calls", "calls,CALLS,calls")
    )
    assert once == again
    done = classhook("diff", "before", "before", "-f", "json")
    assert {row["status"] for section in json.loads(done.out)["sections"] for row in section["rows"]} == {"same"}


def test_single_runs_of_another_program(classhook: Classhook, recorded: Path, classes: Path) -> None:
    classhook("run", "--quiet", "-e", "time p.Work::add", "-o", "after", "--", "java", "-cp", classes, "p.Work")
    done = classhook("diff", recorded, "after", "--fail-if", "calls < -2", "--fail-if", "calls>+0")
    assert done.status == 1
    assert "p.Work.bytes(int)  [gone]" in done.out
    said = (
        "calls < -2: 2 rows beyond this limit",
        "  p.Work.bytes(int): 5 -> gone, -5",
        "  p.Work.fail(): 3 -> gone, -3",
    )
    assert "".join(f"classhook: {line}\n" for line in said) in done.err
    assert "calls>+0" not in done.err
    assert classhook("diff", recorded, "after", "--filter", "p.Work::add", "--fail-if", "calls < -2").status == 0
    assert "p.Work\n" in classhook("diff", recorded, "after", "--group", "class").out


def test_the_forks_of_a_build_are_one_run(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    """Maven's surefire starts such forks: a jar's name and arguments have times and numbers; two forks run at once."""
    for run in "12":
        forks = [tmp_path / f"surefirebooter-2026112214{run}312345_{fork}.jar" for fork in "12"]
        for jar in forks:
            jar_of(classes, jar, "Main-Class: p.Work\n")
        line = " & ".join(
            f"java -jar {jar} {tmp_path} 2026-11-22T14-0{run}-12_345-jvmRun{i} surefire_{i}-20261122tmp"
            for i, jar in enumerate(forks)
        )
        assert (
            classhook("run", "--quiet", "-e", "time p.Work::*", "-o", "build", "--", "sh", "-c", f"{line}; wait").status
            == 0
        )
    done = classhook("diff", "--wide", "build", "build", "--sort", "calls", "--fail-if", "self > +1%")
    assert (done.status, done.err) == (0, "")
    assert "before: build: 2 runs, 4 processes, the first: sh -c 'java -jar" in done.out
    assert "unknown" not in done.out
    assert re.search(r"^ +10 +10 +none +p\.Work\.bytes\(int\)$", done.out, re.MULTILINE), done.out  # five in each fork


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--filter", "Wx::*", "--fail-if", "calls > +0"],
            "--fail-if 'calls > +0' applies to no row: there are no rows on either side",
        ),
        (
            ["--filter", "p.Work::add", "--fail-if", "calls > +0, bytes > +0"],
            "--fail-if 'bytes > +0' applies to no row: there is no column bytes in what was recorded, only calls,",
        ),
    ],
)
def test_a_limit_about_nothing_fails(classhook: Classhook, recorded: Path, arguments: list[str], words: str) -> None:
    done = classhook("diff", recorded, recorded, *arguments)
    assert (done.status, done.out) == (1, "")
    assert words in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["diff", "data", "data", "--fail-if", "self > 10%"],
            "expected a change with its sign, `+` or `-`\n    self > 10%\n           ^",
        ),
        (["diff", "data", "nowhere"], "nowhere: no such file or directory"),
        (["diff"], "the following arguments are required: BEFORE\n"),
        (["diff", "data", "data", "-f", "lcov"], "'lcov' is not a format; there are flamegraph, html, json, text"),
        (
            ["diff", "data", "p.Work::add"],
            "p.Work::add: a pattern, where only data is expected; to choose methods: --filter 'p.Work::add'",
        ),
        (["diff"], "the following arguments are required: BEFORE"),
        (
            ["report", "data", "--fail-if", "self > +10%"],
            "changes between two sets of data are limited by classhook diff BEFORE AFTER --fail-if",
        ),
    ],
)
def test_arguments_that_cannot_be(classhook: Classhook, data: Path, arguments: list[str], words: str) -> None:
    done = classhook(*arguments)
    assert (done.status, done.out) == (2, "")
    assert words in done.err


def test_data_of_the_default_directory_is_after(classhook: Classhook, data: Path) -> None:
    data.rename(data.with_name("classhook-data"))
    assert "before: classhook-data" in classhook("diff", "classhook-data").out
