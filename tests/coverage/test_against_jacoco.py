"""Every counter of every class, method, line, source file and package is JaCoCo's, which analyses the same classes with
the same data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import jars, peers
from tests.conftest import FindJvm, execute
from tests.coverage.conftest import Compile, Oracle, assert_equal, class_files, ours, peer, random_data

#: Programs by compiler: folder of tests/coverage/java, compiler, its options, release that runs it.
PROGRAMS = {
    "javac17": ("shapes", "javac17", (), 17),
    "javac17-8": ("shapes", "javac17", ("--release", "8"), 17),
    "javac25": ("shapes", "javac25", (), 25),
    "ecj": ("shapes", "ecj", ("-17",), 17),
    "ecj-8": ("shapes", "ecj", ("-8",), 17),
    "javac25-21": ("shapes21", "javac25", ("--release", "21"), 25),
    "javac25-25": ("shapes21", "javac25", (), 25),
    "ecj-21": ("shapes21", "ecj", ("-21",), 25),
}
#: Jars of compilers that are not here, analysed with random data: it reaches what programs seldom do.
JARS = {
    "kotlin": peers.KOTLIN,
    "coroutines": peers.COROUTINES,
    "kotlin-1.3": peers.OLD_COROUTINES,
    "serialization": peers.SERIALIZATION,
    "compose": peers.COMPOSE,
    "groovy": peers.GROOVY_JSON,
    "scala": peers.SCALA_XML,
    "subroutines": peers.SUBROUTINES,
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.core("javac17", "javac25")
def test_a_program_that_ran(
    program: str, compile_java: Compile, find_jvm: FindJvm, oracle: Oracle, agent: Path, tmp_path: Path
) -> None:
    folder, compiler, options, release = PROGRAMS[program]
    classes = compile_java(folder, compiler, *options)
    main = folder.capitalize()
    data = tmp_path / "jacoco.exec"
    done = execute([find_jvm(release).java, f"-javaagent:{agent}=destfile={data}", "-ea", "-cp", classes, main])
    assert done.status == 0, done.stderr
    contents = [data.read_bytes(), *(random_data(class_files(classes), seed) for seed in range(3))]
    for content, jacoco in zip(contents, oracle(classes, *contents), strict=True):
        assert_equal(ours(classes, content), jacoco)


@pytest.mark.parametrize("jar", JARS)
def test_a_jar_with_random_data(jar: str, oracle: Oracle) -> None:
    path = peer(JARS[jar])
    data = random_data(class_files(path), seed=1)
    assert_equal(ours(path, data), oracle(path, data)[0])


@pytest.mark.core
def test_classes_that_were_never_loaded(oracle: Oracle) -> None:
    path = jars.find("h2.jar") or pytest.skip(jars.missing("h2.jar"))
    assert_equal(ours(path, None), oracle(path, None)[0])
