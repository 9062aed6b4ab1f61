"""The cost of timing is taken off the times: a method that calls tiny ones keeps its rank (java/Tiny.java)."""

from __future__ import annotations

import pytest

from tests.conftest import ERRORS, Compiled, Jvm, Run

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("pace", ["", " sample 1/20"], ids=["all", "sample"])
def test_a_method_with_tiny_callees_keeps_its_share(jvm: Jvm, compiled: Compiled, run: Run, pace: str) -> None:
    words = [jvm.java, "-cp", compiled("Tiny"), "Tiny"]
    alone = run("time Tiny::heavy", *words).method("Tiny::heavy")
    rows = {row["method"]: row for row in run(f"time Tiny::*{pace}", *words).report["methods"]}
    typical = {name: row["p50_ns"] * row["calls"] for name, row in rows.items()}
    # totals are 1.1 to 1.2 times as long with samples; 1.15 to 1.4 times where all calls are timed, since probes also
    # slow down what is around them
    assert typical["heavy"] == pytest.approx(alone["p50_ns"] * alone["calls"], rel=0.5)
    assert max(typical["size"], typical["isKey"]) < typical["heavy"] / 3
    assert rows["isKey"]["probes_ns"] > 0
    assert rows["heavy"]["probes_ns"] >= 0
    assert all(
        rows["heavy"]["self_ns"] >= row["self_ns"] - ERRORS * row.get("self_ns_error", 0) for row in rows.values()
    )
