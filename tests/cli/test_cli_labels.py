"""Labels of runs: kept with the data, and used to choose it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compiled, FindJvm, classhook_command, execute

RULE = "count Steady::*"


@pytest.fixture(scope="module")
def data(find_jvm: FindJvm, compiled: Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of a program, of versions 4.0 and 4.1."""
    folder = tmp_path_factory.mktemp("labels") / "data"
    java = [find_jvm(17).java, "-cp", compiled("Steady"), "Steady", "1"]
    for version in ("4.0", "4.1"):
        line = [*classhook_command(), "run", "--quiet", "--label", f"version={version}", "-e", RULE, "-o", folder, "--", *java]
        done = execute(line, env={"GITHUB_SHA": f"commit of {version}", "OTEL_RESOURCE_ATTRIBUTES": "team=shop"})
        assert done.status == 0, done.stderr
    return folder


def report(*words: object) -> dict[str, object]:
    done = execute([*classhook_command(), "report", "-f", "json", *map(str, words)])
    assert done.status == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def labels(found: dict[str, object]) -> list[dict[str, str]]:
    return [process["labels"] for process in found["processes"]]  # type: ignore[attr-defined]


def test_the_data_has_the_labels_of_its_run(data: Path) -> None:
    found = sorted(labels(report(data)), key=lambda one: one["version"])
    assert [(one["version"], one["commit"], one["team"]) for one in found] == [("4.0", "commit of 4.0", "shop"), ("4.1", "commit of 4.1", "shop")]
    assert all(one["host"] for one in found)


def test_reports_choose_by_labels(data: Path) -> None:
    (only,) = labels(report(data, "--label", "version=4.1"))
    assert only["version"] == "4.1"
    assert len(labels(report(data, "--label", "version=4.*", "--label", "team=shop"))) == 2
    done = execute([*classhook_command(), "report", data, "--label", "version=5"])
    assert done.status == 2
    assert done.stderr == "classhook: no data has the label version=5; there is version=4.0, version=4.1\n"
    other = execute([*classhook_command(), "report", data, "--label", "tenant=5"])
    assert "there is none of this name, only " in other.stderr
    assert "branch" in other.stderr or "host" in other.stderr


def test_only_an_asterisk_is_a_wildcard(data: Path) -> None:
    for label in ("version=4.?", "version=4.[01]", "tenant=*"):
        assert execute([*classhook_command(), "report", data, "--label", label]).status == 2, label


def test_a_comparison_of_two_versions(data: Path) -> None:
    done = execute([*classhook_command(), "diff", data, data, "--before-label", "version=4.0", "--label", "version=4.1", "--wide"])
    assert done.status == 0, done.stderr
    assert ", version=4.0: " in done.stdout
    assert ", version=4.1: " in done.stdout
    assert "unchanged" in done.stdout


def test_what_is_no_label_is_said_before_the_program_starts(tmp_path: Path) -> None:
    done = execute([*classhook_command(), "run", "--label", "4.1", "-e", RULE, "-o", tmp_path / "data", "--", "java", "X"])
    assert done.status == 2
    assert "--label 4.1: a label is NAME=VALUE" in done.stderr
    assert not (tmp_path / "data").exists()
