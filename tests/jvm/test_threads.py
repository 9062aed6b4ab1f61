"""Counts are exact with any number of threads and class loaders."""

from __future__ import annotations

import pytest

from tests.conftest import Compiled, FindJvm, Jvm, Run, Words, execute

pytestmark = pytest.mark.every_jvm  # of virtual threads, each has its own

KINDS = {"count": ["count **::*"], "time": ["time **::*", "alloc * in **"]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_loader_for_each_thread(jvm: Jvm, compiled: Compiled, run: Run, kind: str) -> None:
    result = run(KINDS[kind], jvm.java, "-cp", compiled("Loaders"), "Loaders", compiled("Plugin"))
    assert (result.status, result.stdout, result.stderr) == (0, "", "")
    rows = {row["method"]: row for row in result.report["methods"] if row["class"] == "Plugin"}
    assert {name: row["calls"] for name, row in rows.items()} == {"<init>": 32, "run": 32, "step": 32000}
    assert result.report["classes"]["woven"] == 1 + 2 * 32  # Loaders; and each loader's Plugin and Plugin$Item
    if kind == "time":
        assert all(row["completed"] == row["calls"] for row in rows.values())
        assert {name: row["exceptions"] for name, row in rows.items()} == {"<init>": 0, "run": 0, "step": 320}
        sites = {site["type"]: site for site in result.report["allocations"] if site["class"] == "Plugin"}
        assert {name: site["count"] for name, site in sites.items()} == {
            "Plugin$Item": 32000,
            "java.lang.IllegalStateException": 320,
        }
        size = sites["Plugin$Item"]["bytes"] // 32000
        assert sites["Plugin$Item"]["bytes"] == size * 32000
        assert size in (24, 32, 40)  # two longs, a reference and a header, each by its layout


@pytest.mark.parametrize("kind", KINDS)
def test_short_lived_threads(jvm: Jvm, compiled: Compiled, run: Run, kind: str) -> None:
    result = run(KINDS[kind], jvm.java, "-cp", compiled("Churn"), "Churn")
    assert (result.status, result.stderr) == (0, "")
    call, work = result.method("Churn::call"), result.method("Churn::work")
    assert (call["calls"], work["calls"]) == (50000, 5000)
    if kind == "time":
        assert (call["completed"], call["exceptions"], work["completed"], work["exceptions"]) == (50000, 5000, 5000, 0)
        sites = {site["type"]: site["count"] for site in result.report["allocations"] if site["method"] == "call"}
        assert sites == {"java.lang.Object": 50000, "java.lang.IllegalStateException": 5000}


@pytest.mark.parametrize("kind", KINDS)
def test_two_thousand_threads_at_once(find_jvm: FindJvm, compiled: Compiled, run: Run, kind: str) -> None:
    program: Words = [find_jvm(17).java, "-cp", compiled("Many"), "Many"]
    if execute(program).status:
        pytest.skip("this machine does not give a process 2,000 threads")
    result = run(KINDS[kind], *program)
    assert (result.status, result.stderr) == (0, "")
    assert result.method("Many::call")["calls"] == 200_000
    if kind == "time":
        assert result.method("Many::call")["completed"] == 200_000


@pytest.mark.parametrize("version", [21, 25])
def test_virtual_threads_of_a_jvm_without_continuations(
    find_jvm: FindJvm, compiled: Compiled, run: Run, version: int
) -> None:
    """The JDK stores values in their Thread objects that probes must not take for an address."""
    bound = ["-XX:+UnlockExperimentalVMOptions", "-XX:-VMContinuations"]
    found = []
    for options in ([], bound):
        result = run("count **::*", find_jvm(version).java, *options, "-cp", compiled("Times"), "Times", "virtual")
        assert (result.status, result.stderr) == (0, "")
        found.append({(row["class"], row["method"]): row["calls"] for row in result.report["methods"]})
    assert found[0] == found[1]
