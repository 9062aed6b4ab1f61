"""`cover`, whatever JVMs do to programs: they crash, redefine classes, move objects while they run, and take classes
from an archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import OLDEST_AND_NEWEST, FindJvm, Jvm, Words, execute, run_line
from tests.coverage.conftest import Compile
from tests.coverage.test_cover_agent import (
    analysed,
    assert_looped,
    classes_of,
    covered,
    data_files,
    ran,
    read_file,
    run,
)
from tests.pressure.conftest import jar_of


@pytest.fixture(scope="module")
def jar(compile_java: Compile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small program, which is an agent, too; archives take no classes from folders."""
    manifest = "Premain-Class: Redefining\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n"
    return jar_of(compile_java("agent", "javac17"), tmp_path_factory.mktemp("jar") / "agent.jar", manifest)


def test_a_crash_keeps_what_was_covered(jvm: Jvm, jar: Path, tmp_path: Path) -> None:
    words: Words = [
        jvm.java,
        "-XX:-CreateCoredumpOnCrash",
        f"-XX:ErrorFile={tmp_path}/error.log",
        "-cp",
        jar,
        "Agent",
        "crash",
    ]
    assert execute(run_line(["cover **"], tmp_path / "data", words)).status == 1
    assert "SIGSEGV" in (tmp_path / "error.log").read_text()
    assert_looped(tmp_path / "data")


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("rules", ["cover **", "cover ** hits exact"])
def test_a_class_that_is_redefined_by_another_agent(rules: str, jvm: Jvm, jar: Path, tmp_path: Path) -> None:
    """With the same bytes it goes on; with others it is another version, with hits of its own."""
    assert (
        run([rules], tmp_path / "data", jvm.java, f"-javaagent:{jar}", "-cp", jar, "Agent", "redefined")
        == "left\nright\nlift\n"
    )
    found = [
        one for one in covered([read_file(path) for path in data_files([tmp_path / "data"])]) if one.name == "Copied"
    ]
    first, second = sorted(found, key=lambda one: b"lift" in (one.data or b""))
    run_by = {method.name: method for method in analysed(first).methods}["run"]
    assert run_by.counters[:4] == [0, run_by.counters[1], 0, 2]
    run_by = {method.name: method for method in analysed(second).methods}["run"]
    assert run_by.counters[2:4] == [1, 1]


@OLDEST_AND_NEWEST
def test_a_garbage_collector_with_barriers(jvm: Jvm, jar: Path, tmp_path: Path) -> None:
    run(["cover ** hits"], tmp_path / "data", jvm.java, "-XX:+UseZGC", "-cp", jar, "Agent", "threads")
    assert_counted(tmp_path / "data")


def assert_counted(data: Path) -> None:
    """Each line of `looped` ran as often as its comment says."""
    found = {one.name: one for one in analysed(classes_of(data)["Agent"]).methods}["looped"]
    expected = ran("looped")
    assert {line: found.line_hits[line] for line in expected} == expected


@pytest.mark.parametrize("trained", ["bare", "with the agent"])
def test_an_aot_cache(trained: str, find_jvm: FindJvm, jar: Path, tmp_path: Path) -> None:
    """It is made and used; its classes count like others, those of the JDK as well."""
    jvm, cache = find_jvm(25), tmp_path / "app.aot"
    words = ["-cp", jar, "Agent", "threads"]
    train: Words = [jvm.java, f"-XX:AOTCacheOutput={cache}", *words]
    done = execute(train if trained == "bare" else run_line(["cover ** hits"], tmp_path / "training", train))
    assert done.status == 0, done.stderr
    if trained != "bare":
        assert_counted(tmp_path / "training")
    use = [jvm.java, f"-XX:AOTCache={cache}", "-XX:AOTMode=on", *words]
    assert run(["cover ** hits", "cover jdk:java.util.**"], tmp_path / "data", *use) == ""
    assert_counted(tmp_path / "data")
    assert any(classes_of(tmp_path / "data")["java.util.HashMap"].hits)
