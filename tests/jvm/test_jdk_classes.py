"""The JDK's own classes can be instrumented too, even those that the JVM runs to look up the agent's natives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classhook.ahead.java_base import PACKAGES
from tests.conftest import Compiled, Jvm, Run, Words, execute

RULES = {
    "where natives are looked up, timed": ("time java.util.concurrent.**::*", "java.util.concurrent.ConcurrentHashMap"),
    "where natives are looked up, counted": (
        "count java.util.concurrent.ConcurrentHashMap::*",
        "java.util.concurrent.ConcurrentHashMap",
    ),
    "class loaders": ("time java.lang.ClassLoader::*", "java.lang.ClassLoader"),
    "threads": ("time java.lang.Thread::*", "java.lang.Thread"),
    "what natives of ours call": ("count java.lang.Class::*", "java.lang.Class"),
    "allocations": ("alloc * in java.lang.**, java.util.**", "java.lang.String"),
    "all, counted": ("count jdk:**::*", "java.lang.Object"),
    "all, timed": ("time jdk:**::*", "java.lang.Object"),
}


LEFT = {
    "jdk.internal.misc.Unsafe": "tracker-stands-on-it",
    "jdk.internal.vm.Continuation": "refused-by-jvm",
}


@pytest.mark.parametrize("what", RULES)
def test_the_program_does_what_it_did(jvm: Jvm, compiled: Compiled, run: Run, what: str) -> None:
    rule, some_class = RULES[what]
    program: Words = [jvm.java, "-cp", compiled("known"), "known.All"]
    bare, ours = execute(program), run(rule, *program)
    assert (ours.stdout, ours.stderr, ours.status) == (bare.stdout, bare.stderr, 0)
    assert ours.ends() == ["exit"]
    rows = ours.report["allocations" if rule.startswith("alloc") else "methods"]
    assert some_class in {row["class"] for row in rows}


@pytest.mark.core
def test_objects_constructor_compiled_where_there_are_finalizers(
    jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path
) -> None:
    """C2 crashes if a handler covers its return."""
    compile_it = [
        "-Xcomp",
        "-XX:-TieredCompilation",
        "-XX:CompileCommand=quiet",
        "-XX:CompileCommand=compileonly,java.lang.Object::<init>",
    ]
    crash = [
        "-XX:-CreateCoredumpOnCrash",
        f"-XX:ErrorFile={tmp_path / 'crash'}",
        f"-XX:ReplayDataFile={tmp_path / 'replay'}",
    ]
    result = run(
        "time java.lang.Object::<init>", jvm.java, *compile_it, *crash, "-cp", compiled("Finalized"), "Finalized"
    )
    assert (result.status, result.stdout, result.stderr) == (0, "done\n", "")
    row = result.method("Object::<init>")
    assert row["completed"] == row["calls"] > 20_000


@pytest.mark.any_jvm  # 17 lacks one of them
@pytest.mark.parametrize("name", LEFT)
def test_a_class_that_cannot_be_woven_is_listed(jvm: Jvm, compiled: Compiled, run: Run, name: str) -> None:
    """Only if a rule matches it."""
    if jvm.version < 21 and name.endswith("Continuation"):
        pytest.skip("it came with virtual threads")
    program: Words = [jvm.java, "-cp", compiled("Pace"), "Pace", "1"]
    rule = f"count {name}::*"
    left = run([rule, "count Pa*+::*"], *program).report
    assert [(one["class"], one["method"], one["reason"]) for one in left["classes"]["skipped"]] == [
        (name, "", LEFT[name])
    ]
    assert [row["matched_classes"] for row in left["rules"] if row["rule"] == rule] == [1]
    assert run("count Pa*+::*", *program).report["classes"]["skipped"] == []


def test_the_packages_of_java_base(jvm: Jvm) -> None:
    described = execute([jvm.java, "--describe-module", "java.base"]).stdout
    found = set(re.findall(r"^(?:qualified )?(?:exports|opens|contains) (\S+)", described, re.M))
    assert "java.lang" in found
    assert found <= PACKAGES
