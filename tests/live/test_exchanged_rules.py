"""Rules about supertypes and places, exchanged in a JVM that runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from classhook.base.launch import agent_option
from classhook.live.rule_changes import entries
from tests.conftest import ENVIRONMENT, OLDEST_AND_NEWEST, PATIENCE, Jvm, classhook_command, on, report_of
from tests.live.conftest import classhook
from tests.pressure.conftest import leave_nothing


class Shapes:
    """The program, and what was counted so far."""

    def __init__(self, jvm: Jvm, classes: Path, data: Path, *options: str, before: tuple[str, ...] = ()) -> None:
        line = [*before, jvm.java, *options, "-cp", classes, "Shapes"]
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.data, self.before = data, Counter[str]()
        self.answer()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def call(self, load: str = "") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(load + "\n")
        self.process.stdin.flush()
        assert self.answer().isdigit()

    def tell(self, *words: str | Path) -> None:
        done = classhook(*words)
        assert done.status == 0, done.stderr

    def attach(self, rule: str) -> None:
        done = classhook("attach", str(self.process.pid), "-e", rule, "-o", self.data)
        assert done.status == 0, done.stderr

    def rules(self, *words: str) -> None:
        self.tell("ctl", str(self.process.pid), "rules", *words)

    def ctl(self, *words: str) -> Any:
        """The answer of a command."""
        done = classhook("ctl", str(self.process.pid), "--json", *words)
        assert done.status == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def new_calls(self) -> dict[str, int]:
        """Calls since this was asked last, by class without `Shapes$`."""
        now: Counter[str] = Counter()
        for row in report_of(self.data)["methods"]:
            if row["method"] == "sides":
                now[row["class"].removeprefix("Shapes$")] += row["calls"]
        found = now - self.before
        self.before = now
        return dict(found)


@pytest.fixture
def shapes(jvm: Jvm, classes: Path, tmp_path: Path) -> Iterator[Shapes]:
    program = Shapes(jvm, classes, tmp_path / "data")
    yield program
    program.process.communicate("", timeout=PATIENCE)
    assert program.process.returncode == 0
    leave_nothing(program.data)


@OLDEST_AND_NEWEST
def test_subtypes(shapes: Shapes) -> None:
    shapes.attach("count Shapes$Polygon+::sides")
    shapes.call()
    assert shapes.new_calls() == {"Polygon": 1, "Square": 1}
    shapes.rules("add", "count Shapes$Round+::sides")
    shapes.call()
    assert shapes.new_calls() == {"Polygon": 1, "Square": 1, "Circle": 1}
    shapes.rules("remove", "1")
    shapes.call()
    assert shapes.new_calls() == {"Circle": 1}
    shapes.rules("add", "count Shapes$Shape+::* except Shapes$Square::*")
    shapes.call()
    assert shapes.new_calls() == {"Polygon": 1, "Circle": 1}
    shapes.rules("remove", "1")
    shapes.rules("remove", "1")
    shapes.call()
    assert shapes.new_calls() == {}


@OLDEST_AND_NEWEST
def test_subtypes_that_come_later(shapes: Shapes) -> None:
    shapes.attach("count Shapes$Other::sides")
    shapes.call("Shapes$LateSquare")
    assert shapes.new_calls() == {"Other": 1}
    shapes.rules("add", "count Shapes$Polygon+::sides")
    shapes.call("Shapes$LateSquare")  # with another loader's Polygon
    assert shapes.new_calls() == {"Other": 1, "Polygon": 1, "Square": 1, "LateSquare": 2}
    shapes.rules("add", "count Shapes$Shape+::sides")
    shapes.call("Shapes$LateCircle")
    assert shapes.new_calls() == {"Other": 1, "Polygon": 1, "Square": 1, "Circle": 1, "LateSquare": 2, "LateCircle": 1}
    shapes.tell("detach", str(shapes.process.pid))
    shapes.call("Shapes$LateSquare")
    assert shapes.new_calls() == {}
    shapes.attach("count Shapes$Round+::sides")
    shapes.call()
    assert shapes.new_calls() == {"Circle": 1, "LateCircle": 1}


@OLDEST_AND_NEWEST
def test_places(shapes: Shapes, classes: Path) -> None:
    shapes.attach("count **::sides from /nowhere/**")
    shapes.call()
    assert shapes.new_calls() == {}
    shapes.rules("add", f"count Shapes$Other::sides from {classes}")
    shapes.call("Shapes$LateCircle")
    assert shapes.new_calls() == {"Other": 1}
    shapes.rules("add", f"count **::sides from {classes}/")
    shapes.call()
    assert shapes.new_calls() == {"Polygon": 1, "Square": 1, "Circle": 1, "Other": 1, "LateCircle": 1}
    shapes.rules("remove", "3")
    shapes.call()
    assert shapes.new_calls() == {"Other": 1}


@OLDEST_AND_NEWEST
def test_allocated_subtypes(shapes: Shapes) -> None:
    shapes.attach("alloc Shapes$Square+ in Shapes::two")
    shapes.call()
    shapes.rules("add", "alloc Shapes$Polygon+ in Shapes::two")
    shapes.call()
    rows = Counter[tuple[str, str]]()
    for row in report_of(shapes.data)["allocations"]:
        rows[row["type"].removeprefix("Shapes$"), row["rule"]] += row["count"]
    assert rows == {
        ("Square", "alloc Shapes$Square+ in Shapes::two"): 2,
        ("Polygon", "alloc Shapes$Polygon+ in Shapes::two"): 1,
    }


@OLDEST_AND_NEWEST
def test_a_paused_rule_is_removed(shapes: Shapes) -> None:
    shapes.attach("count Shapes$Polygon::sides")
    shapes.rules("add", "count Shapes$Other::sides")
    shapes.ctl("pause", "1")
    shapes.rules("remove", "1")
    assert [one["rule"] for one in shapes.ctl("rules")] == ["count Shapes$Other::sides"]


@OLDEST_AND_NEWEST
def test_only_classes_that_a_change_concerns_are_changed(shapes: Shapes) -> None:
    shapes.attach("count Shapes$Polygon::sides")
    shapes.rules("add", "count Shapes$Other::sides")
    assert shapes.ctl("rules", "remove", "1")[0]["classes"] == 1
    assert shapes.ctl("rules", "add", "count Shapes$Circle::sides")[0]["classes"] == 1


@pytest.mark.parametrize(
    "first",
    [
        "count @java.lang.Deprecated Shapes$*::*",
        "count Shapes$*::* from /nowhere/**",
        'count Shapes$Other::sides as "first"',
    ],
)
@on(25)
def test_a_class_counts_once_as_woven(shapes: Shapes, first: str) -> None:
    shapes.attach(first)
    shapes.rules("add", "count Shapes$Other::sides")
    shapes.rules("add", "count Shapes$O*::sides")
    (status,) = shapes.ctl("status")
    assert (status["matched"], status["woven"]) == (1, 1)


@OLDEST_AND_NEWEST
def test_a_class_that_is_linked_later_counts_once_as_woven(shapes: Shapes) -> None:
    shapes.attach("count Shapes$LateSquare::sides")
    shapes.call("unlinked Shapes$LateSquare")
    shapes.rules("add", "count Shapes$Polygon+::sides")
    shapes.call("own Shapes$LateSquare")
    (status,) = shapes.ctl("status")
    assert shapes.new_calls() == {"Polygon": 1, "Square": 1, "LateSquare": 1}
    assert (status["matched"], status["woven"]) == (3, 3)


@OLDEST_AND_NEWEST
def test_a_class_that_was_woven_ahead_counts_once_as_woven(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    woven, rules = tmp_path / "woven", tmp_path / "rules"
    assert classhook("weave", "-e", "count Shapes$Other::sides", classes, "-o", woven).status == 0
    (tmp_path / "data").mkdir()
    rules.write_text("count Shapes$Other::sides\n")
    shapes = Shapes(jvm, woven, tmp_path / "data", agent_option(rules, tmp_path / "data"))
    for rule in ("count Shapes$O*::sides", "count Shapes$*ther::sides"):
        shapes.rules("add", rule)
    shapes.call()
    (status,) = shapes.ctl("status")
    assert (status["matched"], status["woven"]) == (1, 1)
    assert shapes.new_calls() == {"Other": 1}
    shapes.tell("detach", str(shapes.process.pid))
    shapes.process.communicate("", timeout=PATIENCE)
    assert shapes.process.returncode == 0
    leave_nothing(shapes.data)


@pytest.mark.parametrize("rule", ["count Shapes$LateSquare::sides", "count Shapes$Polygon+::sides"])
@OLDEST_AND_NEWEST
def test_a_class_of_an_older_loader_that_is_linked_later(shapes: Shapes, rule: str) -> None:
    shapes.call("apart Shapes$LateSquare")
    shapes.attach(rule)
    shapes.call("use")
    assert shapes.new_calls()["LateSquare"] == 1


@OLDEST_AND_NEWEST
def test_a_loader_that_does_not_answer_stops_nobody(shapes: Shapes) -> None:
    shapes.call("stuck Shapes$LateSquare")
    shapes.attach("count Shapes$LateSquare::sides")
    shapes.ctl("gc")
    shapes.rules("add", "count Shapes$Other::sides")
    shapes.call()
    assert shapes.new_calls() == {"Other": 1}
    shapes.tell("detach", str(shapes.process.pid))
    shapes.attach("count Shapes$LateSquare::sides")
    shapes.call("go on")
    deadline = time.monotonic() + PATIENCE
    while not shapes.new_calls():  # its classes are changed as soon as it has answered
        assert time.monotonic() < deadline
        shapes.call()
    shapes.call()
    assert shapes.new_calls() == {"LateSquare": 1}


@OLDEST_AND_NEWEST
def test_types_that_are_loaded_while_detached(shapes: Shapes) -> None:
    shapes.attach("alloc Shapes$Polygon+ in Shapes::late")
    shapes.tell("detach", str(shapes.process.pid))
    shapes.call("late")
    shapes.attach("alloc Shapes$Polygon+ in Shapes::late")
    shapes.call("late")
    assert [(row["type"], row["count"]) for row in report_of(shapes.data)["allocations"]] == [("Shapes$LateSquare", 1)]


@on(25)
def test_virtual_threads_class(shapes: Shapes) -> None:
    """It is woven anyway, since methods are timed."""
    shapes.attach("time Shapes$Other::sides")
    shapes.call("virtually")
    shapes.rules("add", "count java.lang.VirtualThread::run(..)")
    shapes.call("virtually")
    shapes.rules("remove", "2")
    shapes.call("virtually")
    assert [row["calls"] for row in report_of(shapes.data)["methods"] if row["method"] == "run"] == [1]


@on(25)
def test_virtual_threads_that_wait_while_no_method_is_timed(shapes: Shapes) -> None:
    def total() -> int:
        (row,) = [row for row in report_of(shapes.data)["methods"] if row["method"] == "waitOnce"]
        return int(row["total_ns"])

    shapes.attach("time Shapes::waitOnce")
    shapes.rules("add", "count Shapes$Other::sides")
    shapes.call("waiter")
    before = 0
    for _ in range(3):
        for _ in range(3):
            shapes.call("wake")
        assert total() > before
        before = total()
        shapes.ctl("pause", "1")
        shapes.call("wake")
        shapes.ctl("resume", "1")


@OLDEST_AND_NEWEST
def test_a_class_that_is_loaded_during_the_exchange(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """The agent is in the JVM from its start; it waits for a thread that is in the hook."""
    (tmp_path / "data").mkdir()
    (tmp_path / "rules").write_text("count Shapes$Other::sides\ncount Shapes$*::hashCode\n")
    shapes = Shapes(jvm, classes, tmp_path / "data", agent_option(tmp_path / "rules", tmp_path / "data"))
    shapes.ctl("gc")  # the socket is there
    (data,) = shapes.data.glob("*.classhook")
    shapes.call("slowly")
    line = [*classhook_command(), "ctl", str(shapes.process.pid), "rules", "add", "count Shapes$Shape+::sides"]
    with subprocess.Popen(line, env=ENVIRONMENT) as adding:
        while len(entries(data)) < 3:
            assert adding.poll() is None
        shapes.call("own Shapes$LateSquare")
        shapes.call("go on")
        assert adding.wait(PATIENCE) == 0
    shapes.new_calls()
    shapes.call()
    assert shapes.new_calls()["LateSquare"] == 1
    shapes.process.communicate("", timeout=PATIENCE)
    leave_nothing(shapes.data)


@OLDEST_AND_NEWEST
def test_what_rules_matched(shapes: Shapes) -> None:
    shapes.attach("count Shapes$Polygon::sides")
    shapes.rules("add", "count Shapes$P*::sides")
    shapes.rules("add", "count Shapes$*Polygon::sides")
    matched = {row["rule"]: (row["matched_classes"], row["matched_methods"]) for row in report_of(shapes.data)["rules"]}
    assert matched == {
        "count Shapes$Polygon::sides": (1, 1),
        "count Shapes$P*::sides": (1, 1),
        "count Shapes$*Polygon::sides": (1, 1),
    }


@pytest.mark.parametrize(
    "changes",
    [["add alloc Shapes$Polygon+ in *::two"], ["remove 1", "add count Shapes$Circle::*"]],
    ids=["added", "moved"],
)
@on(25)
def test_run_says_which_of_its_rules_matched_nothing(
    jvm: Jvm, classes: Path, tmp_path: Path, changes: list[str]
) -> None:
    rules = ["-e", "count Shapes$Other::sides", "-e", "count Shapes$Nosuch::sides"]
    line = [*classhook_command(), "run", *rules, "-o", tmp_path / "data", "--", jvm.java, "-cp", classes, "Shapes"]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        (data,) = (tmp_path / "data").glob("*.classhook")
        pid = data.name.partition("-")[0]
        for change in changes:
            assert classhook("ctl", pid, "rules", *change.split(" ", 1)).status == 0
        _, said = running.communicate("\n", timeout=PATIENCE)
    assert running.returncode == 0
    assert "this rule matched nothing that was loaded: count Shapes$Nosuch::sides" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@on(25)
def test_another_users_jvm(jvm: Jvm, classes: Path) -> None:
    nobody = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(classes, place := Path(folder, "classes"))
        place.chmod(0o755)
        os.chown(folder, 65534, 65534)
        shapes = Shapes(jvm, place, Path(folder, "data"), before=nobody)
        before = os.umask(0o077)
        try:
            shapes.attach("count Shapes$Polygon::sides")
            shapes.rules("add", "count Shapes$Other::sides")
        finally:
            os.umask(before)
        shapes.call()
        assert shapes.new_calls() == {"Polygon": 1, "Other": 1}
        shapes.process.communicate("", timeout=PATIENCE)
        leave_nothing(shapes.data)
