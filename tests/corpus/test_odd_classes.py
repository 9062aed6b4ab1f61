"""Some odd class files that others collected, checked as `python -m tools.strangers` does it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Jvm
from tools.corpus.machines import Machine
from tools.strangers.suite import Place
from tools.strangers.suites.classfiles import SUITES

CLONES = os.environ.get("CLASSHOOK_TEST_CLONES")


@pytest.mark.slow
@pytest.mark.skipif(not CLONES, reason="CLASSHOOK_TEST_CLONES names no folder of clones (see tools/strangers)")
@pytest.mark.parametrize("name", SUITES)
def test_short_form(name: str, find_jvm: Callable[[int], Jvm], tmp_path: Path) -> None:
    place = Place(tmp_path, Path(CLONES or ""), {25: Machine(25, find_jvm(25).java)}, short=True)
    outcome = SUITES[name].run(place)
    assert not outcome.unexplained
    assert all(row.tests for row in outcome.rows)
