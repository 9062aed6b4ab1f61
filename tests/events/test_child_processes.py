"""JVMs that tests start: what runs in them belongs to the test (suites/children)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classhook.base.errors import UsageError
from classhook.base.test_words import PASSED
from classhook.extensions.selection import record
from classhook.extensions.selection.deciding import Kind, select
from classhook.extensions.selection.processes import OTHERS
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.recording import Recording
from tests import compiling, peers
from tests.conftest import FindJvm, Jvm, classhook_command, execute
from tests.coverage.conftest import peer
from tests.events.known_tests import SUITES, Suite, path_of, report_of

#: By method of Tool: the tests whose JVMs run it.
STARTERS = {
    "built": {"built"},
    "executed": {"executed"},
    "shell": {"throughShell"},
    "pool": {"byPool"},
    "parent": {"byChild"},
    "grandchild": {"byChild"},
    "none": {"startsNone"},
}
#: Tests whose JVMs have another environment, so that it is unknown what runs in them.
UNSEEN = {"cleared", "replaced"}


class Project:
    """A suite that was run, once, and how its classes are compiled again."""

    def __init__(self, jvm: Jvm, javac: Path, suite: Suite, folder: Path) -> None:
        self.jars = [peer(one) for one in peers.JUNIT4]
        self.jvm, self.javac, self.folder, self.classes, self.data = (
            jvm,
            javac,
            folder,
            suite("children", self.jars),
            folder / "run",
        )

    def run(self, *classes: str, rule: str = "count suite.**::*") -> str:
        line = [
            self.jvm.java,
            "-Xcheck:jni",
            "-cp",
            path_of([self.classes, *self.jars]),
            "org.junit.runner.JUnitCore",
            *classes,
        ]
        done = execute([*classhook_command(), "run", "--tests", "-e", rule, "-o", self.data, "--", *line])
        assert (done.status, "WARNING" in done.stdout) == (0, False), done.stdout
        return done.stderr

    def record(self) -> Recording:
        return record.record([*self.data.glob("*.classhook")], read_program([self.classes]), self.folder, print)

    def selected(self, recording: Recording, name: str) -> tuple[set[str], list[str]]:
        """The tests that reach a method of Tool which is changed, and why all are selected."""
        text = (SUITES / "children" / "Tool.java").read_text()
        changed, out = self.folder / "Tool.java", self.folder / "changed"
        changed.write_text(re.sub(rf"(static \w+ {name}\(.*?{{)", r"\1 System.nanoTime();", text))
        compiling.javac(self.javac, "-parameters", "-d", out, changed)
        program = read_program([out, self.classes])
        program.classes["suite/Tool"] = read_program([out]).classes["suite/Tool"]
        found = select([recording], program, [])
        return {
            test.partition("#")[2] for test, reason in found.reasons.items() if reason.kind == Kind.REACHES
        }, found.anything


@pytest.fixture
def project(jvm: Jvm, find_jvm: FindJvm, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(jvm, find_jvm(17).tool("javac"), suite, tmp_path)


@pytest.mark.every_jvm
def test_what_runs_in_children_belongs_to_the_test(project: Project) -> None:
    assert "10 tests: 10 passed" in project.run("suite.ChildrenTest")
    recording = project.record()
    assert recording.kept == [f"{OTHERS} (env, started by suite.ChildrenTest#withoutAgent)"]
    for name, starters in STARTERS.items():
        assert project.selected(recording, name) == (starters, []), name
    assert {name.partition("#")[2] for name, test in recording.tests.items() if test.status != PASSED} == UNSEEN
    own = {
        one["context"].rpartition("::")[2]: one["methods"]
        for one in report_of(project.data)["contexts"]
        if one["context"]
    }
    assert {row["method"]: row["calls"] for row in own["byChild"] if row["class"] == "suite.Tool"} == {
        "main": 2,
        "parent": 1,
        "grandchild": 1,
    }


def test_coverage_of_children_belongs_to_the_test(project: Project) -> None:
    project.run("suite.ChildrenTest", rule="cover suite.Tool")
    for name in ("built", "grandchild"):
        found = execute([*classhook_command(), "coverage", "--ran", f"suite.Tool::{name}", project.data])
        assert found.stdout.split() == [f"suite.ChildrenTest::{one}" for one in STARTERS[name]], found


def test_a_child_that_outlives_its_test_belongs_to_all_that_run_meanwhile(project: Project) -> None:
    names = ["Before", "Starts", "Uses", "After", "Last"]
    project.run(*(f"suite.ServiceTests${name}" for name in names))
    found, anything = project.selected(project.record(), "serve")
    assert (found - {"after"}, anything) == ({"starts", "uses"}, []), "after the use the child ends"


def test_tests_in_which_nothing_was_counted(project: Project) -> None:
    project.run("suite.ServiceTests$Before", rule="count suite.Nowhere::*")
    with pytest.raises(UsageError, match="no methods were counted in tests"):
        project.record()
