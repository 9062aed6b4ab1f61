"""Recorded calls in traces: OpenTelemetry's own API, and what it exports, say in which span each call was."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import compiling, peers
from tests.conftest import (
    ENVIRONMENT,
    PATIENCE,
    FindJvm,
    Jvm,
    classhook_command,
    execute,
    report_of,
    run_line,
)

SOURCES = Path(__file__).parent / "java" / "traced"
PEERS = Path(__file__).parents[2] / ".pytest_cache" / "d" / "peers"
CHECKED = ("-Xcheck:jni", "-Xverify:all")
#: Near the end of the stack, which `deep` reaches, only JNI can store where a thread counts
#: (native/threads/thread_blocks.c).
ALLOWED = (
    "WARNING in native method: Set<Type>Field called to mutate final instance field"
    " java.lang.Thread$FieldHolder.stackSize"
)
NONE = ("0" * 32, "0" * 16)
Ids = tuple[str | None, str | None]
Program = Callable[[Jvm, str, Sequence[peers.Artifact]], str]


def fetched(artifact: peers.Artifact) -> Path:
    try:
        return peers.fetch(artifact, PEERS)
    except peers.Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, find_jvm: FindJvm) -> Program:
    """The class path of a compiled program with these jars."""

    def compiled(jvm: Jvm, name: str, jars: Sequence[peers.Artifact]) -> str:
        classes, libraries = tmp_path_factory.mktemp("classes"), ":".join(str(fetched(jar)) for jar in jars)
        compiling.javac(find_jvm(17).tool("javac"), "-g", "-cp", libraries, "-d", classes, SOURCES / f"{name}.java")
        return f"{classes}:{libraries}"

    return compiled


def told(output: str) -> dict[int, Ids]:
    """By its number, the span that each call was in, as the program has printed it."""
    found = {int(n): (trace, span) for n, trace, span in re.findall(r"call (\d+) (\w{32}) (\w{16})", output)}
    return {n: (None, None) if ids == NONE else ids for n, ids in found.items()}


def recorded(report: dict[str, Any], *methods: str) -> dict[int, Ids]:
    return {row["args"]["n"]: (row["trace_id"], row["span_id"]) for row in report["calls"] if row["method"] in methods}


@pytest.mark.parametrize("version", [17, pytest.param(25, marks=pytest.mark.slow)])
def test_calls_in_spans_of_the_agent(find_jvm: FindJvm, program: Program, tmp_path: Path, version: int) -> None:
    """With the annotation WithSpan, in requests of a server, in virtual threads; and in none."""
    jvm, agent = find_jvm(version), fetched(peers.OPENTELEMETRY)
    path = program(jvm, "Traced", peers.OPENTELEMETRY_ANNOTATIONS)
    properties = [
        f"-Dotel.{name}.exporter={what}"
        for name, what in {"traces": "logging", "metrics": "none", "logs": "none"}.items()
    ]
    methods = ("annotated", "inner", "outside", "fails", "handle")
    rules = [
        f"watch {', '.join(f'Traced::{one}' for one in methods)}",
        "time Traced::slow slowest 2",
        "watch Traced:33 show n",
    ]
    command = [jvm.java, f"-javaagent:{agent}", *properties, "-Xcheck:jni", "-cp", path, "Traced"]
    done = execute(run_line(rules, tmp_path / "data", command))
    assert done.status == 0, done.stderr
    report, expected = report_of(tmp_path / "data"), told(done.stdout)
    exported = dict(re.findall(r"'Traced\.(?:annotated|fails)' : \w{32} (\w{16}) (\w+)", done.stdout + done.stderr))
    found = recorded(report, *methods)
    slow = recorded(report, "slow")
    assert found == {n: ids for n, ids in expected.items() if n in found}
    assert slow == {n: ids for n, ids in expected.items() if n in (47, 57)}  # 27 and 37 were quicker
    assert found.keys() | slow.keys() == expected.keys() - {27, 37}
    assert (found[1], found[7]) == ((None, None), (None, None))
    annotated = [2, 3, 4, 6] + [8] * (jvm.version >= 21)
    assert {found[n][1] for n in annotated} == set(exported)  # each in its own span
    assert [found[n + 100] for n in annotated if n != 6] == [found[n] for n in annotated if n != 6]
    assert len({found[n][0] for n in annotated} | {found[n][0] for n in (20, 30, 40, 50)}) == len(annotated) + 4
    assert [(row["values"], row["trace_id"], row["span_id"]) for row in report["executions"]] == [
        ({"n": 6}, *expected[6])
    ]
    text = execute([*classhook_command(), "report", "--wide", "--top", "0", tmp_path / "data"]).stdout
    assert all(text.count(str(trace)) >= 2 for trace, _ in (found[2], found[6]) if trace)
    shown = execute([*classhook_command(), "report", "-f", "perfetto", "-o", tmp_path / "timeline", tmp_path / "data"])
    assert shown.status == 0, shown.stderr
    assert str(slow[57][0]).encode() in (tmp_path / "timeline").read_bytes()


@pytest.mark.parametrize(("version", "attached"), [(17, False), (25, True)])
def test_calls_in_spans_of_the_program(
    find_jvm: FindJvm, program: Program, tmp_path: Path, version: int, attached: bool
) -> None:
    """Before the API is loaded, or long after; of two class loaders with an API each; in a virtual thread. What is
    asked of it is not counted."""
    jvm = find_jvm(version)
    runs = 2 + (jvm.version >= 21)
    rules = [
        "watch Spans::work",
        "watch Spans::deep first 4000 show result",
        "count io.opentelemetry.api.trace.Span::current",
    ]
    command = [jvm.java, *CHECKED, "-cp", program(jvm, "Spans", peers.OPENTELEMETRY_SDK), "Spans"]
    if attached:
        process = subprocess.Popen(
            [*command, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        assert process.stdout is not None
        lines = []
        while "ready" not in lines:
            lines.append(process.stdout.readline().strip())
        words = [word for rule in rules for word in ("-e", rule)]
        done = execute([*classhook_command(), "attach", str(process.pid), *words, "-o", tmp_path / "data"])
        assert done.status == 0, done.stderr
        output, _ = process.communicate("\n", timeout=PATIENCE)
        assert process.returncode == 0
    else:
        done = execute(run_line(rules, tmp_path / "data", command))
        assert done.status == 0, done.stderr
        output = done.stdout
    said = (output + done.stderr).replace(ALLOWED, "") if jvm.version >= 26 else output + done.stderr
    assert "WARNING" not in said  # of -Xcheck:jni
    report, expected = report_of(tmp_path / "data"), {**told(output), 99: (None, None)}
    assert recorded(report, "work") == expected
    (trace,) = re.findall(r"deep (\w{32})", output)
    assert {row["trace_id"] for row in report["calls"] if row["method"] == "deep"} == {trace, None}
    assert len({trace for trace, _ in expected.values() if trace}) == 4 * runs
    assert [row["calls"] for row in report["methods"] if row["method"] == "current"] == [3 * runs]


@pytest.mark.parametrize("when", ["deep", "loading"])
def test_calls_before_the_api_is_complete(find_jvm: FindJvm, program: Program, tmp_path: Path, when: str) -> None:
    """The agent's question initialises no class of the API: at the end of the stack, the class would be lost to the
    program. Later calls have their spans."""
    command = [
        find_jvm(17).java,
        "-Xint",
        "-cp",
        program(find_jvm(17), "Early", peers.OPENTELEMETRY_SDK),
        "Early",
        when,
    ]
    done = execute(
        run_line(["watch Early::work", "watch Early::deep first 100000 show result"], tmp_path / "data", command)
    )
    assert done.status == 0, done.stderr[:2000]
    found = recorded(report_of(tmp_path / "data"), "work")
    assert found[1] == told(done.stdout)[1]


@pytest.mark.slow
def test_calls_of_applications_that_are_deployed_again(find_jvm: FindJvm, program: Program, tmp_path: Path) -> None:
    """Each has the API in a class loader of its own, which is unloaded then."""
    command = [
        find_jvm(17).java,
        *CHECKED,
        "-Xmx64m",
        "-cp",
        program(find_jvm(17), "Early", peers.OPENTELEMETRY_SDK),
        "Early",
        "again",
    ]
    done = execute(run_line(["watch Early::work when arg0 >= 0"], tmp_path / "data", command))
    assert done.status == 0, done.stderr[:2000]
    assert "WARNING" not in done.stdout + done.stderr  # of -Xcheck:jni
    found = recorded(report_of(tmp_path / "data"), "work")
    assert found.keys() == set(range(70))
    assert found[69] == told(done.stdout)[69]
