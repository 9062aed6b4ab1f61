"""Archives of loaded classes (AOT cache, class-data sharing) can be made and used with the agent as without it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import OLDEST_AND_NEWEST, Compiled, Jvm, Result, Run, Words, execute, on
from tests.pressure.conftest import Armed, Pressed, calls, jar_of, leave_nothing, reported

RULES = ("time **::*", "alloc * in **", "count java.util.ArrayList::*")
SHARED = "source: shared objects file"
#: What the JVM prints on stdout about the archive, and about classes that are not in it.
JVMS_OWN = re.compile(r"^(\[\S+\]\[warning\]\[aot\] Skipping |AOTCache creation |.*AOT ?[Cc]onfiguration |Launching child process ).*\n", re.M)


@pytest.fixture(scope="session")
def jar(compiled: Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar of the program: archives take no classes from directories."""
    return jar_of(compiled("Times"), tmp_path_factory.mktemp("jar") / "times.jar")


def program(jvm: Jvm, jar: Path, *options: str) -> Words:
    return [jvm.java, *options, "-cp", jar, "Times", *(["virtual"] if jvm.version >= 21 else [])]


def train(jvm: Jvm, jar: Path, how: str, cache: Path, *options: str) -> Result:
    """Makes an AOT cache in one step or in two; returns the result of the first."""
    if how == "at once":
        return execute(program(jvm, jar, *options, f"-XX:AOTCacheOutput={cache}"))
    configuration = f"-XX:AOTConfiguration={cache}.config"
    result = execute(program(jvm, jar, *options, "-XX:AOTMode=record", configuration))
    made = execute([jvm.java, *options, "-XX:AOTMode=create", configuration, f"-XX:AOTCache={cache}", "-cp", jar])
    assert made.status == 0, made.stdout + made.stderr
    return result


def shared(log: Path) -> int:
    """How many classes came from an archive."""
    return log.read_text().count(SHARED)


def assert_counted(result: Result) -> None:
    sleeps, failing = result.method("Times::sleeps"), result.method("Times::sleepsAndThrows")
    assert (sleeps["calls"], sleeps["completed"], failing["completed"], failing["exceptions"]) == (4, 4, 2, 2)
    assert sleeps["total_ns"] >= 200_000_000
    assert result.method("Times::callsSleeps")["total_ns"] >= sleeps["total_ns"] - 10
    assert [site["count"] for site in result.report["allocations"] if site["method"] == "sleepsAndThrows"] == [2]


@on(25)
@pytest.mark.parametrize("how", ["at once", "in two steps"])
def test_an_aot_cache_is_made_of_a_run_with_the_agent(jvm: Jvm, jar: Path, armed: Armed, data: Path, tmp_path: Path, how: str) -> None:
    """Recording crashes if the JVM's own classes are changed, so these are not instrumented, and listed."""
    cache = tmp_path / "app.aot"
    result = reported(train(jvm, jar, how, cache, armed(*RULES)), data)
    leave_nothing(data)
    assert (result.status, JVMS_OWN.sub("", result.stdout)) == (0, ""), result.stdout + result.stderr
    assert cache.stat().st_size > 1 << 20
    assert calls(result, "Times")["Times::sleeps"] == 4
    assert {(one["class"], one["reason"]) for one in result.report["classes"]["skipped"]} == {("java.util.ArrayList", "aot-recording")}


@on(25)
@pytest.mark.parametrize("trained", ["bare", "with the agent"])
def test_an_aot_cache_stays_in_use(jvm: Jvm, jar: Path, armed: Armed, data: Path, tmp_path: Path, trained: str) -> None:
    cache, log = tmp_path / "app.aot", tmp_path / "load.log"
    assert train(jvm, jar, "at once", cache, *([armed(*RULES)] if trained != "bare" else [])).status == 0
    leave_nothing(data)
    for file in data.glob("*.classhook"):
        file.unlink()
    using = program(jvm, jar, f"-XX:AOTCache={cache}", "-XX:AOTMode=on", f"-Xlog:class+load:file={log}")  # `on`: fail if unusable
    bare, without = execute(using), shared(log)
    result = reported(execute([using[0], armed(*RULES), *using[1:]]), data)
    leave_nothing(data)
    assert (result.status, result.stdout, result.stderr) == (bare.status, bare.stdout, bare.stderr) == (0, "", "")
    assert shared(log) > 0.95 * without > 500
    assert_counted(result)
    assert calls(result, "java.util.ArrayList")
    assert result.report["classes"]["skipped"] == []


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("archive", ["the JDK's", "the program's"])
def test_class_data_sharing_stays_in_use(jvm: Jvm, jar: Path, pressed: Pressed, tmp_path: Path, archive: str) -> None:
    log, own = tmp_path / "load.log", tmp_path / "app.jsa"
    options = ["-Xshare:on", f"-Xlog:class+load:file={log}"]
    if archive == "the program's":
        assert execute(program(jvm, jar, f"-XX:ArchiveClassesAtExit={own}")).status == 0
        options.append(f"-XX:SharedArchiveFile={own}")
    using = program(jvm, jar, *options)
    bare, without = execute(using), shared(log)
    result = pressed(*using, rules=RULES)
    assert (result.status, result.stdout, result.stderr) == (bare.status, bare.stdout, bare.stderr) == (0, "", "")
    assert shared(log) > 0.95 * without > 300
    assert_counted(result)
    assert calls(result, "java.util.ArrayList")


@OLDEST_AND_NEWEST
def test_where_the_jvm_takes_no_agent(jvm: Jvm, jar: Path, run: Run, tmp_path: Path) -> None:
    """When it dumps an archive, a JVM would not start with an agent; so it is not instrumented."""
    made = tmp_path / "app.jsa"
    result = run(RULES, *program(jvm, jar, f"-XX:ArchiveClassesAtExit={made}"))
    assert (result.status, result.report) == (0, {})
    assert made.stat().st_size > 1 << 16
    assert "with an agent" in result.stderr
