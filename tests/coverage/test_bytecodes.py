"""Executed bytecodes: the JVM's own events of single steps are the oracle, one for each bytecode."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from classhook.base.names import printable
from classhook.classfile.code import Code
from classhook.classfile.reader import ClassFile
from classhook.coverage.bytecodes import MethodWeights
from classhook.coverage.class_info import ClassInfo, MethodInfo
from classhook.coverage.method_body import Body
from classhook.coverage.placement import BLOCKS, ENTRY, EXACT, FULL, STARTS
from classhook.coverage.placing import place
from classhook.coverage.propagation import Flow
from classhook.coverage.subroutines import flat
from tests.conftest import FindJvm, execute, report_of, run_line
from tests.coverage.conftest import Compile, class_files
from tests.coverage.test_against_jacoco import PROGRAMS

Executed = dict[tuple[str, str, str], int]
THROWING = {"throwing": ("throwing", "javac17", (), 17), "throwing-25": ("throwing", "javac25", (), 25)}


def steps(java: Path, library: Path, main: str, words: list[str]) -> Executed:
    """The bytecodes that the program's methods executed, by the JVM, which else would execute some pairs as one; without
    those of classes that the JVM makes for lambdas."""
    done = execute([java, "-XX:-RewriteFrequentPairs", f"-agentpath:{library}=L{main}", *words])
    assert done.status == 0, done.stderr
    lines = [line.split() for line in done.stderr.splitlines() if line.startswith("STEPS ") and "$$" not in line]
    return {(of[1:-1].replace("/", "."), name, descriptor): int(n) for _, of, name, descriptor, n in lines}


def by_name(name: str) -> tuple[bool, str]:
    """A key that puts classes without a name behind those that they use."""
    return name[-1].isdigit(), name


def reported(data: Path) -> Executed:
    rows = report_of(data)["coverage"]
    return {(row["class"], row["method"], row["descriptor"]): row["bytecodes"] for row in rows if row["bytecodes"]}


@pytest.mark.parametrize("program", {**PROGRAMS, **THROWING})
@pytest.mark.core("javac25", "throwing")
def test_each_executed_bytecode_is_counted(
    program: str, compile_java: Compile, find_jvm: FindJvm, jni_library: Callable[[Path], Path], tmp_path: Path
) -> None:
    folder, compiler, options, release = {**PROGRAMS, **THROWING}[program]
    classes = compile_java(folder, compiler, *options)
    main, java = folder.capitalize(), find_jvm(release).java
    rules = [f"cover {main} hits exact", f"cover {main}$** hits exact"]
    names = sorted((file.stem for file in classes.glob("*.class") if file.stem != main), key=by_name)
    words = ["-ea", "-cp", f"{classes}:{compile_java('initialised', 'javac17')}", "Initialised", main, *names]
    assert execute(run_line(rules, tmp_path, [java, *words])).status == 0
    assert reported(tmp_path) == steps(java, jni_library(Path(__file__).with_name("single_steps.c")), main, words)


@pytest.mark.parametrize("level", [FULL, EXACT, BLOCKS, STARTS, ENTRY])
def test_the_sum_is_that_of_all_instructions(level: int, compile_java: Compile) -> None:
    """Whatever the hits are: what is counted by weights, and what is counted instruction by instruction."""
    chance = random.Random(level)
    compared: Counter[bool] = Counter()
    for data in class_files(compile_java("shapes21", "javac25")):
        weights = MethodWeights(data)
        cls = ClassInfo(ClassFile.parse(data))
        for method in cls.cf.methods:
            if not method.code_at:
                continue
            code = flat(Code(data, method.code_at, cls.pool), cls.pool)
            flow = Flow(Body(code, MethodInfo(cls, method)), place(code, level))
            found = weights.of_method(method.name, method.descriptor, level)
            compared[found is not None] += 1
            for _ in range(20 if found else 0):
                hits = [chance.choice([0, 1, chance.randrange(1000)]) for _ in range(flow.placement.count)]
                assert found is not None
                assert found.executed(hits) == sum(flow.counts(hits)[0]), printable(method.name)
    assert compared[level != ENTRY] > 30
