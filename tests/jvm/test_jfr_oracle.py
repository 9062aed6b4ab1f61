"""Compares calls with JFR's own method timing (JDK 25) in one run of a real program.

JFR counts at return and athrow instructions. It does not count an exception that a method passes on, but does count one
that the woven handler rethrows. So for methods that threw, it may count one more for each exception.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.conftest import ENVIRONMENT, JAVA_SOURCES, PATIENCE, FindJvm, Jvm, Run, Words, need_jar

PACKAGE = "org.eclipse.jdt.internal.compiler"
CLASSES = [
    f"{PACKAGE}.parser.Scanner",
    f"{PACKAGE}.parser.Parser",
    f"{PACKAGE}.codegen.ConstantPool",
    f"{PACKAGE}.lookup.Scope",
]

Counts = dict[tuple[str, str, str], int]


def jfr_counts(jvm: Jvm, recording: Path) -> Counts:
    line: Words = [jvm.tool("jfr"), "print", "--json", "--stack-depth", "1", "--events", "jdk.MethodTiming", recording]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT, check=True)
    found: Counts = {}
    for event in json.loads(done.stdout)["recording"]["events"]:
        method: dict[str, Any] = event["values"]["method"]
        key = (method["type"]["name"].replace("/", "."), method["name"], method["descriptor"])
        found[key] = max(found.get(key, 0), event["values"]["invocations"])  # it grows from chunk to chunk
    return {key: count for key, count in found.items() if count}


def test_our_calls_are_jfrs_invocations(find_jvm: FindJvm, run: Run, tmp_path: Path) -> None:
    jvm, jar, recording = find_jvm(25), need_jar("eclipse-jdt-core.jar"), tmp_path / "recording.jfr"
    options = [
        f"-XX:StartFlightRecording:method-timing={';'.join(CLASSES)},filename={recording}",
        "-Xlog:jfr*=off",
        "-cp",
        str(jar),
    ]
    arguments = [
        "-17",
        "-proc:none",
        "-nowarn",
        "-d",
        str(tmp_path / "out"),
        *map(str, sorted((JAVA_SOURCES / "known").glob("*.java"))),
    ]
    result = run([f"time {name}::*" for name in CLASSES], jvm.java, *options, f"{PACKAGE}.batch.Main", *arguments)
    assert (result.status, result.stderr) == (0, "")
    ours = {(row["class"], row["method"], row["descriptor"]): row for row in result.report["methods"]}
    theirs = {key: count for key, count in jfr_counts(jvm, recording).items() if key[1] != "<clinit>"}
    assert {key[1] for key in ours.keys() ^ theirs.keys()} <= {"<clinit>"}
    returning = {key for key in theirs if not ours[key]["exceptions"]}
    assert len(returning) >= 100
    assert sum(theirs[key] for key in returning) > 100_000
    assert {key: ours[key]["calls"] for key in returning} == {key: theirs[key] for key in returning}
    for key in theirs.keys() - returning:
        assert theirs[key] <= ours[key]["calls"] + ours[key]["exceptions"], key
    assert all(row["completed"] == row["calls"] for row in ours.values())
