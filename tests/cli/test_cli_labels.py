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
        line = [
            *classhook_command(),
            "run",
            "--quiet",
            "--label",
            f"version={version}",
            "-e",
            RULE,
            "-o",
            folder,
            "--",
            *java,
        ]
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
    assert [(one["version"], one["commit"], one["team"]) for one in found] == [
        ("4.0", "commit of 4.0", "shop"),
        ("4.1", "commit of 4.1", "shop"),
    ]
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
    done = execute(
        [*classhook_command(), "diff", data, data, "--before-label", "version=4.0", "--label", "version=4.1", "--wide"]
    )
    assert done.status == 0, done.stderr
    assert ", version=4.0: " in done.stdout
    assert ", version=4.1: " in done.stdout
    assert "unchanged" in done.stdout


def test_a_comparison_by_label(data: Path) -> None:
    """The same as that of two versions which are named; what cannot be compared is said."""
    diff = [*classhook_command(), "diff", data]
    done = execute([*diff, "--by", "version", "--wide"])
    named = execute([*diff, data, "--before-label", "version=4.0", "--label", "version=4.1", "--wide"])
    assert done.status == 0, done.stderr
    assert done.stdout.startswith("before: version=4.0: ")
    assert done.stdout.splitlines()[1].startswith("after:  version=4.1: ")
    assert done.stdout.splitlines()[2:] == named.stdout.splitlines()[2:]
    found = json.loads(execute([*diff, "--by", "commit", "-f", "json"]).stdout)
    assert (found["before"]["paths"], found["after"]["paths"]) == (["commit=commit of 4.0"], ["commit=commit of 4.1"])
    for by, said in (("team", "the runs have only team=shop"), ("tenant", "no run has the label tenant")):
        one = execute([*diff, "--by", by])
        assert (one.status, one.stderr) == (2, f"classhook: --by {by}: nothing to compare: {said}\n")


def test_each_value_is_compared_with_the_one_before(
    data: Path, tmp_path: Path, find_jvm: FindJvm, compiled: Compiled
) -> None:
    java = [find_jvm(17).java, "-cp", compiled("Steady"), "Steady", "2"]
    for label in ("version=4.2", "other=1"):
        execute(
            [
                *classhook_command(),
                "run",
                "--quiet",
                "--label",
                label,
                "-e",
                "count Steady::step",
                "-o",
                tmp_path / "more",
                "--",
                *java,
            ]
        )
    done = execute(
        [*classhook_command(), "diff", data, tmp_path / "more", "--by", "version", "--fail-if", "calls < -0"]
    )
    heads = [
        line.partition(": ")[2].partition(":")[0]
        for line in done.stdout.splitlines()
        if line.startswith(("before:", "after: "))
    ]
    assert [head.strip() for head in heads] == ["version=4.0", "version=4.1", "version=4.1", "version=4.2"]
    assert "1 data file left out, without the label version" in done.stderr
    assert done.stderr.count("Steady.main(String[]): 1 -> gone") == 1
    assert done.status == 1, "the last one is beyond the limit"


def test_what_is_no_label_is_said_before_the_program_starts(tmp_path: Path) -> None:
    done = execute(
        [*classhook_command(), "run", "--label", "4.1", "-e", RULE, "-o", tmp_path / "data", "--", "java", "X"]
    )
    assert done.status == 2
    assert "--label 4.1: a label is NAME=VALUE" in done.stderr
    assert not (tmp_path / "data").exists()
