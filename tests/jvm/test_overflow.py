"""A StackOverflowError may occur in a probe too: counts and times recover, and no stack trace shows classhook."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Compiled, Jvm, Result, Run, Words, classhook_command, execute

MODES = {"default": (), "interpreted": ("-Xint",), "c1": ("-XX:TieredStopAtLevel=1",)}
OVERFLOWS = 400
#: The JDK methods that a count calls; they cannot be hidden.
CALLEES = {
    "jdk.internal.misc.Unsafe.getLong",
    "jdk.internal.misc.Unsafe.putLong",
    "jdk.internal.misc.Unsafe.getReference",
    "java.lang.Thread.currentThread",
    "java.lang.Thread.currentCarrierThread",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["count", "time"])
def test_overflows(jvm: Jvm, compiled: Compiled, run: Run, mode: str, kind: str) -> None:
    program: Words = [jvm.java, *MODES[mode], "-cp", compiled("Overflow"), "Overflow", str(OVERFLOWS)]
    assert " others {} lock false" in execute(program).stdout
    result = run(f"{kind} **::*", *program)
    assert (result.status, result.stderr) == (0, "")
    found = re.fullmatch(r"entered (\d+) others \{(.*)\} lock false\n", result.stdout)
    assert found, result.stdout
    others = dict(re.findall(r"([\w.]+)=(\d+)", found[2]))
    # the tracker never shows; a method called by a count may, if its stub needs the stack's last bytes
    assert set(others) <= CALLEES if kind == "count" else others == {}
    entered = int(found[1])
    # the probe runs first: after it has counted, the stack may end before the program counts
    assert entered <= result.method("Overflow::deep")["calls"] <= entered + OVERFLOWS
    assert entered - OVERFLOWS <= result.method("Overflow::left")["calls"] <= entered
    assert result.method("Overflow::overflows")["calls"] == OVERFLOWS
    assert result.method("Overflow::later")["calls"] == 1000
    assert entered - OVERFLOWS <= result.method("Overflow::leaf")["calls"] - 1000 <= entered
    if kind == "time":
        assert_balanced(result)
        assert result.data
        assert "still running" not in execute([*classhook_command(), "report", "--wide", result.data]).stdout


def assert_balanced(result: Result) -> None:
    row = {
        name: result.method(f"Overflow::{name}")
        for name in ("deep", "left", "right", "pad", "overflows", "later", "leaf", "calls")
    }
    for name in ("overflows", "later", "calls"):
        assert row[name]["completed"] == row[name]["calls"], name
        assert row[name]["exceptions"] == 0, name
    for name, one in row.items():
        assert one["calls"] == one["completed"] + one["left"], f"{name}: all have ended"
    # its exit probe may find no stack; later activations must not look like nested ones then, which are not in the
    # total
    assert row["leaf"]["exceptions"] == 0
    assert 0 <= row["leaf"]["calls"] - row["leaf"]["completed"] <= OVERFLOWS
    assert row["leaf"]["total_ns"] == row["leaf"]["self_ns"]
    for name in ("deep", "left", "right"):
        # every activation that ended did so by the error; near the end of the stack, there was no room for the exit
        # probe
        assert row[name]["exceptions"] == row[name]["completed"], name
        assert 0 <= row[name]["calls"] - row[name]["completed"] <= 20 * OVERFLOWS, name
        assert row[name]["total_ns"] <= row["overflows"]["total_ns"] + 10, name
    assert sum(r["self_ns"] for r in row.values()) <= row["overflows"]["total_ns"] + row["calls"]["total_ns"] + 10
    # the outermost activations have all ended, and each of these methods calls nothing else that is timed
    assert abs(row["overflows"]["total_ns"] - row["overflows"]["self_ns"] - row["pad"]["total_ns"]) <= 10
    assert abs(row["pad"]["total_ns"] - row["pad"]["self_ns"] - row["deep"]["total_ns"]) <= 10
    assert row["later"]["total_ns"] <= row["calls"]["total_ns"] + 10
    assert row["calls"]["self_ns"] <= row["calls"]["total_ns"] - row["later"]["total_ns"] + 10


@pytest.mark.parametrize("option", ["-Xint", "-XX:TieredStopAtLevel=1"])
@pytest.mark.any_jvm
def test_a_stack_that_ends_where_a_context_begins_or_ends(option: str, jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = ["context ContextOverflow::context", "count ContextOverflow::leaf"]
    result = run(rules, jvm.java, option, "-cp", compiled("ContextOverflow"), "ContextOverflow", "24")
    assert (result.status, result.stdout) == (0, "960000\n"), result.stderr
    assert result.method("ContextOverflow::leaf")["calls"] == 960_000
