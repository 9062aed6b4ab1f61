"""`thread=y`, `msa=y` and `jdk=y`: what each thread does, CPU time instead of wall time, and the JDK's own methods
(java/Apart.java)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.conftest import OLDEST_AND_NEWEST, Compiled, FindJvm, Jvm, classhook_command, execute, on
from tests.extensions.hprof.conftest import compiled as made
from tests.extensions.hprof.reader import Text, read

JAVA = Path(__file__).parent / "java"
STACK_TRACE, START_THREAD = 0x05, 0x0A


@pytest.fixture(scope="module")
def classes(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("apart")
    made(find_jvm(17), JAVA / "Sites.java", folder)
    return made(find_jvm(17), JAVA / "Apart.java", folder)


def profiled(jvm: Jvm, classes: Path, file: Path, options: str, *command: str) -> Path:
    line = [*classhook_command(), "hprof", f"{options},file={file}", "--", jvm.java, "-cp", classes, *command]
    done = execute(line)
    assert done.status == 0, done.stderr
    assert "no effect" not in done.stderr
    return file


def named(found: Text, trace: str) -> str:
    """The thread that a trace belongs to."""
    return found.threads[found.of_threads[int(trace)]]


@OLDEST_AND_NEWEST
@pytest.mark.core
def test_samples_times_and_monitors_by_thread(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    file = profiled(
        jvm, classes, tmp_path / "out.txt", "cpu=samples,interval=2,monitor=y,thread=y,cutoff=0,depth=8", "Apart"
    )
    found = read(file.read_text())
    samples: dict[str, int] = {}
    for row in found.tables["CPU SAMPLES"]:
        if "burn" in found.methods(row[4]):
            samples[named(found, row[4])] = samples.get(named(found, row[4]), 0) + int(row[3])
    assert set(samples) == {"heavy", "light", "main"}
    assert 2.2 < samples["heavy"] / samples["light"] < 3.8, samples
    paying = [row for row in found.tables["MONITOR TIME"] if found.methods(row[4])[0] == "pay"]
    assert sorted((named(found, row[4]), int(row[3])) for row in paying) == [("first", 1), ("second", 1)]
    assert all(found.of_threads[trace] == thread for thread, (trace, _) in found.states.items() if found.frames[trace])


@OLDEST_AND_NEWEST
def test_sites_and_exact_calls_by_thread(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    options = "heap=all,exact=y,cpu=times,thread=y,cutoff=0"
    found = read(profiled(jvm, classes, tmp_path / "out.txt", options, "Sites", "one", "two").read_text())
    sites = {
        named(found, row[7]): tuple(map(int, row[4:7:2])) for row in found.tables["SITES"] if row[8] == "Sites$Some"
    }
    assert sites == {"one": (500, 10_000), "two": (500, 10_000)}
    calls = {(named(found, row[4]), found.methods(row[4])[0]): int(row[3]) for row in found.tables["CPU TIME (ms)"]}
    assert {key: number for key, number in calls.items() if key[1] in ("some", "keep", "main")} == {
        ("main", "main"): 1,
        **{(name, method): number for name in ("one", "two") for method, number in (("some", 1), ("keep", 10_000))},
    }
    of_objects = {
        what.partition("trace=")[2].partition(",")[0]
        for _, what, _ in found.heap.values()
        if "class=Sites$Some@" in what
    }
    assert {named(found, trace) for trace in of_objects} == {"one", "two"}


@on(25)
def test_what_virtual_threads_do_is_their_carriers(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    classes, options = compiled("objects"), "heap=sites,exact=y,monitor=y,cpu=times,thread=y,cutoff=0"
    found = read(profiled(jvm, classes, tmp_path / "out.txt", options, "Keeps", "virtually").read_text())
    carriers = {named(found, row[7]) for row in found.tables["SITES"] if row[8] == "Keeps$Item"}
    assert carriers
    assert all(name.startswith("ForkJoinPool-") for name in carriers)


def test_the_binary_form_has_the_threads_of_traces(jvm_17: Jvm, classes: Path, tmp_path: Path) -> None:
    data = profiled(
        jvm_17, classes, tmp_path / "out.hprof", "heap=sites,thread=y,format=b", "Sites", "one"
    ).read_bytes()
    at, started, of_traces = 31, set(), set()
    while at < len(data):
        tag, _, length = struct.unpack_from(">BII", data, at)
        if tag == START_THREAD:
            started.add(struct.unpack_from(">I", data, at + 9)[0])
        elif tag == STACK_TRACE:
            of_traces.add(struct.unpack_from(">I", data, at + 13)[0])
        at += 9 + length
    assert len(of_traces & started) >= 2
    assert of_traces <= started | {0}


@OLDEST_AND_NEWEST
def test_cpu_time_of_exact_calls(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    def times(options: str) -> dict[str, tuple[float, int]]:
        found = read(
            profiled(jvm, classes, tmp_path / "out.txt", f"cpu=times,depth=1,cutoff=0,{options}", "Apart").read_text()
        )
        total = int(found.totals["CPU TIME (ms)"].removeprefix("total = "))
        return {
            found.methods(row[4])[0]: (float(row[1]) * total / 100, int(row[3]))
            for row in found.tables["CPU TIME (ms)"]
        }

    wall, cpu = times("verbose=n"), times("msa=y,interval=2")
    assert wall["nap"][0] > 550
    assert cpu["nap"] == (pytest.approx(0, abs=30), 1)
    assert cpu["burn"] == (pytest.approx(1100, rel=0.15), 3)
    assert wall["burn"][1] == 3


def test_calls_in_the_jdk_if_that_is_asked_for(jvm_17: Jvm, classes: Path, tmp_path: Path) -> None:
    found = read(
        profiled(jvm_17, classes, tmp_path / "out.txt", "cpu=times,jdk=y,depth=2,cutoff=0", "Apart").read_text()
    )
    calls = {tuple(found.methods(row[4])): int(row[3]) for row in found.tables["CPU TIME (ms)"]}
    assert calls["put", "fill"] == 5 * 1_000
