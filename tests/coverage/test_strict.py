"""Branches that nobody can reach: counted as JaCoCo counts them, and with `strict` not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.classfile.reader import ClassFile
from classhook.coverage.analysis import Options, analyze
from classhook.coverage.class_info import enum_constants
from classhook.coverage.counters import BRANCH
from classhook.coverage.execfile import read
from tests.conftest import FindJvm, execute
from tests.coverage.conftest import Compile, class_files

#: Methods where JaCoCo counts branches as missed.
JACOCO = {"jacocoTwoCasesInOne", "jacocoFinallyAfterSwitch", "jacocoSwitchLeavesLoop", "jacocoAllConstants"}


@pytest.mark.parametrize("compiler", ["javac25", "ecj"])
def test_all_that_can_run_is_covered(
    compiler: str, compile_java: Compile, find_jvm: FindJvm, agent: Path, tmp_path: Path
) -> None:
    classes = compile_java("strict", compiler, *(["-21"] if compiler == "ecj" else ["--release", "21"]))
    data = tmp_path / "jacoco.exec"
    assert execute([find_jvm(25).java, f"-javaagent:{agent}=destfile={data}", "-cp", classes, "Strict"]).status == 0
    executed = {one.name: one.probes for one in read(data.read_bytes()).classes.values()}
    enums = {cf.name.encode(): enum_constants(cf) for cf in map(ClassFile.parse, class_files(classes))}
    assert enums[b"Strict$Colour"] == 3
    content = (classes / "Strict.class").read_bytes()
    missed = {}
    for strict in (False, True):
        cls = analyze(content, executed["Strict"], Options(strict=strict, enums=enums))
        missed[strict] = {method.name for method in cls.methods if method.counters[BRANCH]}
    assert missed[True] == set()
    assert missed[False] == JACOCO if compiler == "ecj" else JACOCO | {"sealedTypes"}
