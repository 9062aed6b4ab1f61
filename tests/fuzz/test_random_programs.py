"""The short form of running random programs: those of JavaFuzzer, without and with probes. The long form: python -m
tools.strangers random."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import OLDEST_AND_NEWEST, Jvm
from tools.corpus.machines import Machine
from tools.strangers.suite import Place
from tools.strangers.suites import random

CLONES = os.environ.get("CLASSHOOK_TEST_CLONES")


@pytest.mark.slow
@OLDEST_AND_NEWEST
@pytest.mark.skipif(not CLONES, reason="CLASSHOOK_TEST_CLONES names no folder of clones (see tools/strangers)")
@pytest.mark.skipif(not shutil.which("ruby"), reason="no ruby, which JavaFuzzer needs")
def test_random_programs_say_the_same(jvm: Jvm, tmp_path: Path) -> None:
    place = Place(tmp_path, Path(CLONES or ""), {jvm.version: Machine(jvm.version, jvm.java)}, short=True)
    outcome = random.run(place)
    assert sum(row.tests for row in outcome.rows) > random.FEW / 2
    assert not outcome.unexplained
