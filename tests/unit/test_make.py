"""Commands that `make` would run in a fresh clone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT

ROOT = Path(__file__).parents[2]
PURE, COMPILED, TESTS = "CLASSHOOK_PURE=1 ", "python -m classhook.native.building\n", "-m pytest"


def would_run(target: str) -> str:
    """The commands of a target where nothing is installed."""
    line = ["make", "-n", "VENV=nowhere", target]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, env=ENVIRONMENT, check=True).stdout


@pytest.mark.parametrize("target", ["demo", "check", "test"])
def test_the_weaver_is_not_compiled(target: str) -> None:
    commands = would_run(target)
    assert commands.count(PURE) == commands.count("pip install") == 1
    assert COMPILED not in commands


@pytest.mark.parametrize("target", ["test-rest", "test-slow", "bench"])
def test_the_weaver_is_compiled_once_what_tests_need_is_there(target: str) -> None:
    commands = would_run(target)
    assert 0 < commands.index(PURE) < commands.index(COMPILED)


def test_all_tests_are_with_the_long_builds() -> None:
    assert "CLASSHOOK_TEST_BUILDS=1 make $part" in would_run("test-all")
