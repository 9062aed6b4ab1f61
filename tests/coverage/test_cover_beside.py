"""`cover` in a JVM with other agents: they do what they do alone, and our numbers are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.coverage.execfile import read
from tests.conftest import FindJvm, execute, run_line
from tests.coverage.conftest import Compile
from tests.coverage.reporting import ReportCommand, classhook, report
from tests.coverage.test_against_jacoco import PROGRAMS

__all__ = ["classhook", "report"]


def executed(file: Path) -> dict[str, tuple[int, bytes]]:
    """By class that ran: its id and its probes."""
    return {one.name: (one.class_id, one.probes) for one in read(file.read_bytes()).classes.values() if any(one.probes)}


@pytest.mark.parametrize("program", ["javac17", "javac17-8", "ecj-8", "javac25-21", "javac25-25"])
def test_jacocos_agent_in_the_same_jvm(
    program: str, compile_java: Compile, find_jvm: FindJvm, agent: Path, report: ReportCommand, tmp_path: Path
) -> None:
    """It comes first, so that its probes are in the classes that we get; both say the same of the classes that were
    built."""
    folder, compiler, options, release = PROGRAMS[program]
    classes, jvm = compile_java(folder, compiler, *options), find_jvm(release)
    theirs, ours = tmp_path / "theirs.exec", tmp_path / "ours.exec"
    words = [
        jvm.java,
        f"-javaagent:{agent}=destfile={theirs}",
        "-ea",
        "-Xverify:all",
        "-cp",
        classes,
        folder.capitalize(),
    ]
    done = execute(run_line([f"cover {folder.capitalize()}*"], tmp_path / "data", words))
    assert (done.status, done.stderr) == (0, "")
    said = report("-f", "jacoco-exec", "--classes", classes, "-o", ours, tmp_path / "data")
    assert (said.status, said.err) == (0, "")
    assert executed(ours) == executed(theirs)
