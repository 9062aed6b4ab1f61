"""Data stay bounded where classes come and go and rules change, and counts are exact all the same."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from classhook.store.reading import read_file
from tests.conftest import OLDEST_AND_NEWEST, Jvm, Result, on, report_of
from tests.live.conftest import Serve, classhook
from tests.pressure.conftest import Armed, armed, leave_nothing  # noqa: F401

ONE = on(17)
N = 1500  # more than there are of a kind before they share a description


@dataclass
class Comers:
    """A JVM in which classes come and go."""

    process: subprocess.Popen[str]
    data: Path

    def come(self, kind: str, n: int = N) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{kind} {n}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    @property
    def size(self) -> tuple[int, int]:
        """Bytes of descriptions, and slots."""
        (path,) = self.data.glob("*.classhook")
        header = read_file(path).header
        return header.meta_used, header.slots_used

    def report(self) -> dict[str, Any]:
        return report_of(self.data)

    def calls(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for row in self.report()["methods"]:
            found[row["method"]] = found.get(row["method"], 0) + row["calls"]
        return found


Start = Callable[..., Comers]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def start(classes: Path, armed: Armed, data: Path, jvm: Jvm) -> Iterator[Start]:  # noqa: F811
    found: list[subprocess.Popen[str]] = []

    def started(*rules: str) -> Comers:
        line = [jvm.java, armed(*rules), "-Xmx64m", "-cp", classes, "Comers"]
        process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        found.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return Comers(process, data)

    yield started
    for process in found:
        process.communicate()
        assert process.returncode == 0
    leave_nothing(data)


def reported(comers: Comers, *words: str) -> Result:
    return classhook("report", comers.data, *words)


@OLDEST_AND_NEWEST
@pytest.mark.parametrize(
    "rule", ["count Made_*::*", "time Made_*::* tree", "profile Made_*::*", "time Made_*::* sample 1/10"]
)
def test_classes_of_new_names(start: Start, rule: str) -> None:
    comers = start(rule)
    comers.come("names")
    size = comers.size
    comers.come("names")
    assert comers.size[1] == size[1]
    if not rule.startswith("profile"):  # each method that was sampled has a description
        assert comers.size == size
    assert comers.calls() == {"<init>": 4 * N, "run": 2 * N, "called": 4 * N}
    rows = comers.report()["methods"]
    assert len({row["class"] for row in rows}) == 1001
    assert {(row["method"], row["descriptor"], row["calls"]) for row in rows if row["class"] == "Made_*"} == {
        ("<init>", "()V", 2 * (2 * N - 1000)),
        ("run", "()V", 2 * N - 1000),
        ("called", "(LMade_*;)Ljava/lang/Object;", 2 * (2 * N - 1000)),
    }


@ONE
def test_the_report_says_which_have_common_rows(start: Start) -> None:
    comers = start("count Made_*::run")
    comers.come("names", 1000)
    assert comers.report()["classes"]["alike"] == []
    assert "common rows" not in reported(comers).stdout
    comers.come("names", 2)
    assert comers.report()["classes"]["alike"] == ["Made_*"]
    assert (
        "1,000 classes that differ only in their names have rows of their own; further ones share rows: Made_*"
        in reported(comers).stdout
    )


@pytest.mark.parametrize("kind", ["versions", "loaders"])
@OLDEST_AND_NEWEST
def test_one_class_again_and_again(start: Start, kind: str) -> None:
    comers = start("time Made_*::*", "alloc * in Made_*")
    comers.come(kind, 300)  # the first loaders have slots of their own, since sizes of objects may differ
    size = comers.size
    comers.come(kind)
    assert comers.size == size
    assert comers.calls() == {"<init>": 2 * (N + 300), "run": N + 300, "called": 2 * (N + 300)}
    assert [(row["type"], row["count"]) for row in comers.report()["allocations"]] == [("Made_00000000", N + 300)]


@ONE
def test_classes_that_no_rule_can_instrument(start: Start) -> None:
    comers = start("count Made_*::nothing")
    comers.come("names")
    size = comers.size
    comers.come("names")
    assert comers.size == size


@ONE
def test_objects_named_like_their_class_are_counted_by_its_name(start: Start, jvm: Jvm) -> None:
    comers = start("alloc * in Made_*")
    comers.come("names")
    rows = comers.report()["allocations"]
    assert {(row["type"] == row["class"], row["count"], row["bytes"]) for row in rows} == {
        (True, 1, 8 if jvm.version >= 27 else 16)
    }  # only a header
    assert len(rows) == N


@ONE
def test_rules_that_were_in_force_before(serve: Serve, jvm: Jvm) -> None:
    running = serve(jvm)
    running.attach("count Server::counted", "count Server::step")

    def size() -> int:
        (path,) = running.data.glob("*.classhook")
        used: int = read_file(path).header.meta_used
        return used

    def switch() -> None:
        assert running.ctl("pause", "2").status == 0
        assert running.ctl("resume", "2").status == 0

    switch()
    before = size()
    for _ in range(3):
        switch()
    assert size() - before == 3 * 2 * 16
    running.requests("counted", 10)
    assert running.calls() == {"counted": 10, "step": 100}
    assert {row["method"]: row["rule"] for row in running.report()["methods"]} == {
        "counted": "count Server::counted",
        "step": "count Server::step",
    }
    running.ctl("rules", "remove", "1")
    running.requests("counted", 10)
    assert running.calls() == {"counted": 10, "step": 200}
