"""A Kotlin suspend function counts one call for each call, however often it is resumed."""

from __future__ import annotations

import pytest

from tests import peers
from tests.conftest import Compiled, FindJvm, Run, classhook_command, execute


@pytest.mark.parametrize("rule", ["count {}", "time {}", "time {} tree", "time {} sample 1/2", "profile {}"])
def test_calls_and_resumptions(
    rule: str, find_jvm: FindJvm, compiled: Compiled, run: Run, pytestconfig: pytest.Config
) -> None:
    try:
        jars = [
            peers.fetch(artifact, pytestconfig.cache.mkdir("peers")) for artifact in (peers.KOTLIN, peers.COROUTINES)
        ]
    except peers.Missing as missing:
        pytest.skip(str(missing))
    path = ":".join(map(str, [compiled("Resumed"), *jars]))
    done = run(
        rule.format("kotlinx.coroutines.AwaitKt::joinAll(*[], ..)"),
        find_jvm(17).java,
        "-Xverify:all",
        "-cp",
        path,
        "Resumed",
    )
    assert done.stdout == "resumeWith\nresumeWith\n", done.stderr
    (row,) = done.report["methods"]
    assert (row["calls"], row["resumptions"]) == (2, 6)
    assert row.get("completed", 2) == 2
    assert done.data is not None
    text = execute([*classhook_command(), "report", done.data]).stdout
    assert "(6 resumed)" in text
    assert "resumed: how often a suspend function continued after waiting" in text
