"""JaCoCo's targets for Java, by the newest javac: a short run of `python -m tools.strangers jacoco`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import FindJvm
from tools.corpus.machines import Machine
from tools.strangers.suite import Place
from tools.strangers.suites.jacoco import SUITE

CLONES = os.environ.get("CLASSHOOK_TEST_CLONES")


@pytest.mark.slow
@pytest.mark.skipif(not CLONES, reason="CLASSHOOK_TEST_CLONES names no folder of clones (see tools/strangers)")
def test_all_numbers_are_jacocos(find_jvm: FindJvm, tmp_path: Path) -> None:
    outcome = SUITE.run(Place(tmp_path, Path(CLONES or ""), {25: Machine(25, find_jvm(25).java)}, short=True))
    assert sum(row.tests for row in outcome.rows if row.rules == "cover") >= 40
    assert not outcome.unexplained
