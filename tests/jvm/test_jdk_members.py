"""Each JDK has the members that classhook needs and that are not public, and what is done by them is allowed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from classhook.live.jdk_check import check, there
from tests.conftest import ENVIRONMENT, Compiled, FindJvm, Jvm, Run


@pytest.mark.every_jvm
def test_the_jdk_has_all_that_is_named(jvm: Jvm) -> None:
    assert [str(member.forms) for member in check(str(jvm.java), jvm.version)] == []


@pytest.mark.any_jvm
def test_the_answer_tells_what_is_there_from_what_is_not(jvm: Jvm) -> None:
    forms = {str(form) for form in there(str(jvm.java))}
    assert {"java.lang.Thread.name", "java.lang.Thread.start", "jdk.internal.vm.annotation.Hidden"} <= forms
    assert "java.lang.Thread.stackSize" not in forms  # since JDK 19 it is in a class of its own


@pytest.mark.any_jvm
def test_without_an_agent_there_is_no_answer(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("classhook.native.library.AGENT", Path("/nowhere/libclasshook.so"))
    with pytest.raises(OSError, match=r"the agent gave no answer: (?s:.*)Could not find agent library"):
        check(str(jvm.java), jvm.version)


RULES = [
    "count App::*",
    "time App::*",
    "alloc * in App",
    "profile App::*",
    "watch App::work when arg0 == 3",
    "context App::work by arg0",
]


@pytest.mark.every_jvm
def test_the_jvm_finds_nothing_to_warn_of(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run(RULES, jvm.java, "-Xcheck:jni", "-Xverify:all", "-cp", compiled("Contexts"), "Contexts")
    assert "WARNING" not in result.stdout + result.stderr


@pytest.fixture(scope="module")
def flat(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> tuple[Jvm, Path]:
    """A program whose fields hold value objects (JEP 401)."""
    jvm, folder = find_jvm(28), tmp_path_factory.mktemp("flat")
    source = Path(__file__).parent / "java" / "preview28" / "Flat.java"
    line = [jvm.tool("javac"), "-g", "--release", "28", "--enable-preview", "-d", folder, source]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    return jvm, folder


@pytest.mark.parametrize(
    ("condition", "calls"),
    [
        ("arg0.number == 7", 1000),
        ("arg0.point.x == 8", 1000),
        ("arg0.point.x < 2", 1000),
        ("arg0.large > 98", 1000),
        ("arg0.any == 3", 1000),
    ],
)
def test_conditions_on_fields_that_hold_value_objects(
    condition: str, calls: int, flat: tuple[Jvm, Path], run: Run
) -> None:
    jvm, classes = flat
    result = run(
        f"watch Flat::work when {condition}", jvm.java, "--enable-preview", "-Xverify:all", "-cp", classes, "Flat"
    )
    assert (result.status, result.stdout) == (0, "4950000\n"), result.stderr
    assert len(result.report["calls"]) == calls


def test_keys_and_numbers_of_fields_that_hold_value_objects(flat: tuple[Jvm, Path], run: Run) -> None:
    jvm, classes = flat
    rules = ["count Flat::work by arg0.point.y", "value Flat::work of arg0.number"]
    result = run(rules, jvm.java, "--enable-preview", "-Xverify:all", "-cp", classes, "Flat")
    keys = {row["key"]: row["calls"] for row in result.report["keys"]}
    assert keys == {"null": 50_000} | {str(-i): 1000 for i in range(0, 100, 2)}
    assert [(row["count"], row["sum"]) for row in result.report["values"]] == [(100_000, 4_950_000)]
