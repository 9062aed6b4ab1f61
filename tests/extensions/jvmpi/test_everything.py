"""Everything at once, for some seconds: the short form of `python -m tools.stress`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.conftest import Jvm
from tools.stress.checks import check
from tools.stress.rounds import Round, prepared, run


@pytest.mark.any_jvm
@pytest.mark.parametrize(("kind", "collector", "end"), [("run", "G1", "signal"), ("attach", "Serial", "exit")])
def test_everything_at_once(jvm: Jvm, kind: str, collector: str, end: str, tmp_path: Path) -> None:
    one = Round(jvm.java, jvm.version, collector, end, kind, 6.0)
    outcome = run(one, prepared(tmp_path, jvm.tool("javac")), tmp_path / "round", Random(1))
    check(outcome)
    assert outcome.problems == []
    assert outcome.truth["calls"] > 1000
    if kind == "run":
        assert (
            min(
                outcome.told[name]
                for name in ("METHOD_ENTRY", "drops", "generated", "GC_START", "suspends", "MONITOR_DUMP")
            )
            > 0
        )
