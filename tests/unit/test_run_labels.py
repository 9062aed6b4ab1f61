"""Labels of a run that are known without asking: from variables of CI services and OpenTelemetry, and git's files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from classhook.base import run_labels
from classhook.base.errors import UsageError


def git(folder: Path, *words: str) -> str:
    line = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=trunk", *words]
    return subprocess.run(line, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q")
    git(top, "commit", "-q", "--allow-empty", "-m", "x")
    return top


def test_commit_and_branch_are_those_that_git_says(checkout: Path) -> None:
    inside = checkout / "a" / "b"
    inside.mkdir(parents=True)
    commit = git(checkout, "rev-parse", "HEAD")
    assert run_labels.of_git(inside) == {"commit": commit, "branch": "trunk"}
    git(checkout, "pack-refs", "--all")
    assert run_labels.of_git(checkout) == {"commit": commit, "branch": "trunk"}
    git(checkout, "worktree", "add", "-q", "-b", "feature/x", "../other")
    assert run_labels.of_git(checkout.parent / "other") == {"commit": commit, "branch": "feature/x"}
    git(checkout, "checkout", "-q", "--detach")
    assert run_labels.of_git(checkout) == {"commit": commit}
    assert run_labels.of_git(Path("/")) == {}


def test_a_damaged_repository_says_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: nowhere")
    assert run_labels.of_git(tmp_path) == {}


def test_variables_and_what_the_user_gives(checkout: Path) -> None:
    environment = {
        "OTEL_RESOURCE_ATTRIBUTES": (
            "service.name=no,service.version=4.1,team=a%2Cb,broken,app.kubernetes.io/name=n,k8s.pod.name=pod-7"
        ),
        "OTEL_SERVICE_NAME": "shop",
        "GITHUB_SHA": "c0ffee",
        "GITHUB_REF_NAME": "main",
        "GITHUB_JOB": "test",
        "GITHUB_HEAD_REF": "",
    }
    found = run_labels.labels(["team=x", "tenant=a=b"], environment, checkout, ["mvn", "-q", "test"])
    assert found.pop("host")
    found.pop("container", None)
    assert found == {
        "run.command": "mvn -q test",
        "run.folder": "top",
        "service": "shop",
        "version": "4.1",
        "team": "x",
        "k8s.pod": "pod-7",
        "commit": "c0ffee",
        "branch": "main",
        "ci.job": "test",
        "app.kubernetes.io/name": "n",
        "tenant": "a=b",
    }
    assert run_labels.read(run_labels.written({"a": "b\nc=d", "e": ""})) == {"a": "b c=d", "e": ""}


@pytest.mark.parametrize("text", ["version", "=4", "my name=x", "a,b=c", "version=", "a=b\nc"])
def test_what_is_no_label(text: str) -> None:
    with pytest.raises(UsageError, match="a label is NAME=VALUE"):
        run_labels.labels([text])


def test_labels_can_be_passed_on_to_a_jvm() -> None:
    found = run_labels.of_environment({"OTEL_RESOURCE_ATTRIBUTES": "team=a%00b%0Ac,x=y"})
    assert run_labels.read(run_labels.written(found)) == {"team": "a b c", "x": "y"}, "an environment has no zero bytes"
