"""Methods that mean something to the JVM because they are empty stay empty."""

from __future__ import annotations

import pytest

from classhook.probes import reasons
from tests.conftest import OLDEST_AND_NEWEST, Compiled, Jvm, Run, execute


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("rule", ["count", "time"])
def test_a_blackhole_stays_one(jvm: Jvm, compiled: Compiled, run: Run, rule: str) -> None:
    option = "-XX:CompileCommand=blackhole,org.openjdk.jmh.infra.Blackhole::consume"
    line = [jvm.java, "-XX:+UnlockExperimentalVMOptions", option, "-cp", compiled("blackhole"), "Main"]
    bare, woven = execute(line), run(f"{rule} **::*", *line)
    assert "consumed" in bare.stdout
    assert (woven.stdout, woven.stderr, woven.status) == (bare.stdout, bare.stderr, bare.status)
    (skipped,) = woven.report["classes"]["skipped"]
    assert (skipped["class"], skipped["method"], skipped["reason"]) == (
        "org.openjdk.jmh.infra.Blackhole",
        "consume",
        reasons.EMPTY_BLACKHOLE,
    )
    assert woven.method("Blackhole::twice")["calls"] == 100_000
