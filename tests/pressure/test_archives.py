"""Archives of loaded classes (AOT cache, class-data sharing) can be made and used with the agent as without it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import OLDEST_AND_NEWEST, Compiled, Jvm, Result, Run, Words, classhook_command, execute, on
from tests.pressure.conftest import Armed, Pressed, calls, jar_of, leave_nothing, reported

RULES = ("time **::*", "alloc * in **", "count java.util.ArrayList::*")
SHARED = "source: shared objects file"
#: Lines that the JVM prints on stdout about the archive, and about classes that are not in it.
JVMS_OWN = re.compile(
    r"^(\[\S+\]\[warning\]\[aot\] Skipping |AOTCache creation |.*AOT ?[Cc]onfiguration |Launching child process ).*\n",
    re.M,
)


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
    """Counts the classes that came from an archive, by the JVM's log."""
    return log.read_text().count(SHARED)


def assert_counted(result: Result) -> None:
    sleeps, failing = result.method("Times::sleeps"), result.method("Times::sleepsAndThrows")
    assert (sleeps["calls"], sleeps["completed"], failing["completed"], failing["exceptions"]) == (4, 4, 2, 2)
    assert sleeps["total_ns"] >= 200_000_000
    assert result.method("Times::callsSleeps")["total_ns"] >= sleeps["total_ns"] - 10
    assert [site["count"] for site in result.report["allocations"] if site["method"] == "sleepsAndThrows"] == [2]


@on(25)
@pytest.mark.parametrize("how", ["at once", "in two steps"])
def test_an_aot_cache_is_made_of_a_run_with_the_agent(
    jvm: Jvm, jar: Path, armed: Armed, data: Path, tmp_path: Path, how: str
) -> None:
    """Recording crashes if the JVM's own classes are changed, so these are not instrumented, and listed."""
    cache = tmp_path / "app.aot"
    result = reported(train(jvm, jar, how, cache, armed(*RULES)), data)
    leave_nothing(data)
    assert (result.status, JVMS_OWN.sub("", result.stdout)) == (0, ""), result.stdout + result.stderr
    assert cache.stat().st_size > 1 << 20
    assert calls(result, "Times")["Times::sleeps"] == 4
    assert {(one["class"], one["reason"]) for one in result.report["classes"]["skipped"]} == {
        ("java.util.ArrayList", "aot-recording")
    }


@on(25)
@pytest.mark.parametrize("trained", ["bare", "with the agent"])
def test_an_aot_cache_stays_in_use(jvm: Jvm, jar: Path, armed: Armed, data: Path, tmp_path: Path, trained: str) -> None:
    cache, log = tmp_path / "app.aot", tmp_path / "load.log"
    assert train(jvm, jar, "at once", cache, *([armed(*RULES)] if trained != "bare" else [])).status == 0
    leave_nothing(data)
    for file in data.glob("*.classhook"):
        file.unlink()
    using = program(
        jvm, jar, f"-XX:AOTCache={cache}", "-XX:AOTMode=on", f"-Xlog:class+load:file={log}"
    )  # `on`: fail if unusable
    bare, without = execute(using), shared(log)
    result = reported(execute([using[0], armed(*RULES), *using[1:]]), data)
    leave_nothing(data)
    assert (result.status, result.stdout, result.stderr) == (bare.status, bare.stdout, bare.stderr) == (0, "", "")
    assert shared(log) > 0.95 * without > 500
    assert_counted(result)
    assert calls(result, "java.util.ArrayList")
    assert result.report["classes"]["skipped"] == []


NAPS, THREADS = 5, 8  # of each virtual thread of archived/Naps.java, of 20 ms each
WITH_CACHES = on(25, 28)


@pytest.fixture(scope="session")
def naps(compiled: Compiled, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Jars of a program of virtual threads: all of it but a class, and that class."""
    folder, classes = tmp_path_factory.mktemp("jar"), compiled("archived")
    missing = jar_of(classes, folder / "missing.jar", only="Missing")
    (rest := folder / "rest").mkdir()
    for path in classes.glob("*.class"):
        if path.name != "Missing.class":
            shutil.copy(path, rest)
    return jar_of(rest, folder / "naps.jar"), missing


def assert_napped(result: Result, data: Path) -> None:
    leave_nothing(data)
    assert result.status == 0, result.stdout + result.stderr
    nap, all_naps = result.method("Naps::nap"), result.method("Naps::naps")
    assert (nap["calls"], nap["completed"], all_naps["calls"], all_naps["completed"]) == (
        NAPS * THREADS,
        NAPS * THREADS,
        THREADS,
        THREADS,
    )
    assert nap["total_ns"] >= NAPS * THREADS * 20_000_000
    assert all_naps["total_ns"] >= nap["total_ns"] - 10 * NAPS * THREADS
    assert all_naps["self_ns"] < all_naps["total_ns"] / 4


@WITH_CACHES
def test_times_of_virtual_threads_are_right_while_an_aot_cache_is_recorded(
    jvm: Jvm, naps: tuple[Path, Path], armed: Armed, data: Path, tmp_path: Path
) -> None:
    """VirtualThread is one of the JVM's own classes: events of the JVM say what its probes say otherwise."""
    recording = [jvm.java, "-Xcheck:jni", armed("time Naps::*"), f"-XX:AOTCacheOutput={tmp_path / 'app.aot'}"]
    result = reported(execute([*recording, "-cp", naps[0], "Naps", str(THREADS)]), data)
    assert_napped(result, data)
    assert result.report["classes"]["skipped"] == []


@on(25)
def test_times_of_virtual_threads_are_right_in_a_bundle(
    jvm: Jvm, naps: tuple[Path, Path], data: Path, tmp_path: Path
) -> None:
    """Without Python nothing can weave VirtualThread."""
    bundle = tmp_path / "naps.classhook"
    assert execute([*classhook_command(), "bundle", "-e", "time Naps::*", naps[0], "-o", bundle]).status == 0
    result = execute([jvm.java, "-Xcheck:jni", f"-agentpath:{bundle}=data={data}", "-cp", bundle, "Naps", str(THREADS)])
    assert_napped(reported(result, data), data)


@on(25)
def test_contexts_of_tasks_are_not_told_while_an_aot_cache_is_recorded(
    jvm: Jvm, jar: Path, armed: Armed, data: Path, tmp_path: Path
) -> None:
    rules = ("count Times::*", "context Times::callsFib")
    result = reported(train(jvm, jar, "at once", tmp_path / "app.aot", armed(*rules)), data)
    leave_nothing(data)
    skipped = result.report["classes"]["skipped"]
    assert "java.lang.Thread" in {one["class"] for one in skipped}  # executors are loaded later
    assert {(one["reason"], one["detail"]) for one in skipped} == {
        ("aot-recording", "what it starts or runs later does not go on in its context")
    }


@WITH_CACHES
@pytest.mark.parametrize("linked", [False, True], ids=["never linked", "linked later"])
def test_a_class_that_an_aot_cache_loads_unlinked(
    linked: bool, jvm: Jvm, naps: tuple[Path, Path], armed: Armed, data: Path, tmp_path: Path
) -> None:
    """The JVM loads Lacks to check Naps, and would refuse to change it as long as it cannot be linked."""
    jar, missing = naps
    cache, words = tmp_path / "app.aot", ["Naps", str(THREADS), *(["late"] if linked else [])]
    assert execute([jvm.java, f"-XX:AOTCacheOutput={cache}", "-cp", jar, *words[:2]]).status == 0
    using = [f"-XX:AOTCache={cache}", "-XX:AOTMode=on", "-cp", f"{jar}:{missing}" if linked else str(jar)]
    result = reported(execute([jvm.java, armed("count **::*"), *using, *words]), data)
    leave_nothing(data)
    assert (result.status, result.stderr) == (0, "")
    assert result.report["classes"]["skipped"] == []
    once = {"Naps::nap": NAPS * THREADS, "Naps::naps": THREADS, "Naps::main": 1}
    late = {"Uses::late": 1, "Lacks::late": 3, "Lacks::number": 3, "Missing::<init>": 3} if linked else {}
    assert {name: n for name, n in calls(result).items() if n} == {**once, **late}


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
