"""The stock rule `endpoints` with Tomcat itself: each call of a service is in the context of its endpoint, in any
thread; nothing is outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import peers
from tests.conftest import FindJvm, classhook_command, execute
from tools.requests.check import compiled, differences, expectations, sums
from tools.requests.programs import PROGRAMS

PEERS = Path(__file__).parents[2] / ".pytest_cache" / "d" / "peers"
EACH = 30


@pytest.mark.parametrize(("version", "kind"), [(17, "threads"), (25, "virtual")])
def test_each_call_is_in_the_context_of_its_endpoint(
    find_jvm: FindJvm, version: int, kind: str, tmp_path: Path
) -> None:
    jvm = find_jvm(version)
    jvm.tool("javac")
    try:
        libraries = ":".join(str(peers.fetch(one, PEERS)) for one in (peers.TOMCAT, peers.ANNOTATIONS))
    except peers.Missing as missing:
        pytest.skip(str(missing))
    classes = compiled(PROGRAMS["tomcat"], jvm.java, libraries, tmp_path)
    rules = ["-r", "endpoints", "-e", "count app.*::* except app.start.**", "-e", "time org.apache.catalina.**::*"]
    command = [
        jvm.java,
        "-Xverify:all",
        "-Xcheck:jni",
        "-cp",
        f"{classes}:{libraries}",
        "app.start.Main",
        kind,
        str(EACH),
    ]
    done = execute([*classhook_command(), "run", "--quiet", *rules, "-o", tmp_path / "data", "--", *command])
    assert done.status == 0, done.stderr
    expected = expectations(done.stdout)
    assert sum(expected.values()) == 20 * EACH
    report = json.loads(
        execute([*classhook_command(), "report", "-f", "json", "--by", "context", tmp_path / "data"]).stdout
    )
    assert differences(expected, report) == []
    assert sums(report) == []
