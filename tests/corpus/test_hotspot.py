"""A part of HotSpot's own tests of the verifier, without and with classhook: `python -m tools.strangers hotspot`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Jvm
from tools.corpus.machines import Machine
from tools.strangers.suite import Place
from tools.strangers.suites import hotspot
from tools.strangers.suites.hotspot.parts import PACKAGES

FETCHED = Path(__file__).parents[2] / "build/strangers/fetched"


@pytest.mark.slow
def test_the_verifiers_tests_have_the_same_verdicts(find_jvm: Callable[[int], Jvm], tmp_path: Path) -> None:
    if shutil.which("jtreg") is None:
        pytest.skip("jtreg is missing")
    if not (FETCHED / "debian" / PACKAGES[17]).exists():
        pytest.skip("the source is not there; `python -m tools.strangers hotspot --short` fetches it")
    (tmp_path / "fetched").symlink_to(FETCHED)
    (folder := tmp_path / "hotspot").mkdir()
    outcome = hotspot.run(Place(folder, None, {17: Machine(17, find_jvm(17).java)}, short=True))
    (row,) = outcome.rows
    assert row.tests == 2
    assert row.differences == []
