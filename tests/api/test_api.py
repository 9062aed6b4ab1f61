"""Results, sessions and mistakes, from Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from classhook import Failure, Node, Result, UsageError, attach, load, run
from tests.conftest import Compiled, FindJvm, report_of

pytestmark = pytest.mark.core


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def result(data: Path, compiled: Compiled, find_jvm: FindJvm) -> Result:
    return run([find_jvm(17).java, "-cp", compiled("Turns"), "Turns"], "time Turns::* tree", data=data, capture=True)


def test_what_code_sees_is_what_json_says(result: Result, data: Path) -> None:
    report = report_of(data)
    assert result.methods.to_dict() == sorted(report["methods"], key=lambda row: -row["self_ns"])
    assert result.to_dict()["rules"] == report["rules"]
    assert load(data).methods.to_dict() == result.methods.to_dict()
    assert [row.method for row in result] == [row["method"] for row in result.methods]


def test_a_result_stays_what_it_is(result: Result) -> None:
    before = result.to_dict()
    grouped = result.group("class")
    assert [row.group for row in grouped.methods] == ["Turns"]
    assert len(result.filter("Turns::turn").methods) == 1
    result.tree()
    assert result.to_dict() == before


def test_the_tree_adds_up(result: Result) -> None:
    root = result.tree()
    assert isinstance(root, Node)
    nodes = [node for _, node in root.walk()]
    assert sum(node.self_ns for node in nodes) == root.total_ns
    assert {node.method: node.calls for node in nodes[1:]} == {row.method: row.calls for row in result.methods}
    assert root.to_dict()["children"][0]["label"] == root.children[0].label


def test_what_does_not_exist_is_said(result: Result) -> None:
    with pytest.raises(UsageError, match="no column 'selv'; did you mean 'self'\\? The columns are calls"):
        result.methods.sorted("selv")
    with pytest.raises(LookupError, match="no rows match"):
        result.methods["Turns::trun"]
    with pytest.raises(LookupError, match="2 rows match"):
        result.methods["Turns::*"]
    with pytest.raises(AttributeError, match="a row of kind 'timed' has no selfns; it has class"):
        _ = result.methods[0].selfns
    with pytest.raises(UsageError, match="'xml' is not a form"):
        result.report("xml")
    with pytest.raises(Failure, match="no coverage was recorded"):
        result.coverage()
    with pytest.raises(UsageError, match="no such file"):
        load("/nowhere/data")
    with pytest.raises(UsageError, match="no running JVM of this user has such a main class"):
        attach("no.such.Main", "count **::*")


def test_a_command_without_a_jvm() -> None:
    result = run(["true"], "count a.B::*")
    assert (result.status, list(result.rows)) == (0, [])
    assert result.notes == ["no JVM was instrumented: the command started none, or said why on its stderr"]


def test_a_command_that_takes_too_long_is_counted(compiled: Compiled, find_jvm: FindJvm) -> None:
    result = run(
        [find_jvm(17).java, "-cp", compiled("Endings"), "Endings", "block"],
        "count Endings::main",
        timeout=5,
        capture=True,
    )
    assert result.status == -9


def test_the_package_is_as_light_as_before() -> None:
    """It is imported inside the JVM."""
    line = [
        sys.executable,
        "-c",
        "import sys; before = set(sys.modules); import classhook; print(*set(sys.modules) - before)",
    ]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout.split() == ["classhook"]
