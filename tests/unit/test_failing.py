"""The output of a failing test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FAILING = """
import subprocess, sys
from tests.conftest import execute
from tests.failing import pytest_runtest_makereport

def test_fails():
    assert execute([sys.executable, "-c", "print('of the first')"]).status == 1

def test_raises():
    subprocess.run([sys.executable, "-c", "import sys; sys.exit('of the second')"], check=True, capture_output=True)
"""


def test_the_commands_are_shown(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAILING)
    (tmp_path / "conftest.py").write_text("from tests.failing import pytest_runtest_makereport\n")
    line = [sys.executable, "-m", "pytest", "-q", "-rN", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", tmp_path]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    first, second = done.stdout.split("test_raises ___")
    assert "status 0\nstdout:\nof the first" in first
    assert "status 1\nstderr:\nof the second" in second
    assert "of the first" not in second
