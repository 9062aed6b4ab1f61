"""docs/examples/ci/which-tests.sh, in a Maven project: all tests on the main branch, those that a change may alter
elsewhere. Skipped where Maven cannot fetch what the build needs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, classhook_command
from tests.coverage.test_builds import ABSENT, BUILDS
from tests.extensions.selection.cli.test_cli_select import git

SCRIPT = Path(__file__).parents[4] / "docs" / "examples" / "ci" / "which-tests.sh"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    if shutil.which("mvn") is None:
        pytest.skip("no mvn in PATH")
    shutil.copytree(BUILDS / "maven", tmp_path / "project")
    command = tmp_path / "bin" / "classhook"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, classhook_command()))} "$@"\n')
    command.chmod(0o755)
    (tmp_path / "project" / ".gitignore").write_text("target\ntested\n")
    git(tmp_path / "project", "init", "--quiet")
    git(tmp_path / "project", "add", ".")
    git(tmp_path / "project", "commit", "--quiet", "-m", "first")
    return tmp_path / "project"


def build(project: Path, branch: str) -> tuple[int, str]:
    """A build of a branch: how many tests ran, and what was said."""
    path = f"{project.parent / 'bin'}{os.pathsep}{ENVIRONMENT['PATH']}"
    environment = ENVIRONMENT | {"PATH": path, "BRANCH": branch, "PACKAGE": "com.acme"}
    line = ["sh", "-e", SCRIPT]
    done = subprocess.run(
        line, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode and ABSENT.search(done.stdout):
        pytest.skip(f"mvn cannot fetch what the build needs: {done.stdout[:300]}")
    assert done.returncode == 0, done.stdout
    runs = re.findall(r"Tests run: (\d+), .*$", done.stdout, re.MULTILINE)
    return int(runs[-1]) if runs else 0, done.stdout


@pytest.mark.any_jvm
def test_the_script_for_ci(project: Path) -> None:
    assert build(project, "feature")[0] == 5, "nothing was recorded yet"
    orders = project / "src" / "main" / "java" / "com" / "acme" / "Orders.java"
    orders.write_text(orders.read_text().replace("placed.clear();", "placed.clear(); System.nanoTime();"))
    ran, said = build(project, "feature")
    assert (ran, "1 of 5 selected" in said) == (1, True), said
    ran, said = build(project, "main")
    assert (ran, "5 tests recorded" in said) == (5, True), said
    ran, said = build(project, "feature")
    assert (ran, "0 of 5 selected" in said) == (0, True), said
