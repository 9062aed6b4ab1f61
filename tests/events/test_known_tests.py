"""`classhook run --tests`: each framework's tests by name, kind, status and container, with what each called: numbers
known by construction."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests import peers
from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, Result, classhook_command, execute
from tests.coverage.conftest import PEERS, peer
from tests.events.known_tests import (
    CONSOLE,
    RULE,
    Suite,
    calls,
    exceptions,
    listed,
    path_of,
    report_of,
    run_tests,
    statuses,
)

#: Calls of `leaf` in each test of JupiterTest, in all.
JUPITER = {
    "suite.JupiterTest": 1100,
    "suite.JupiterTest::one": 11,
    "suite.JupiterTest::fails": 13,
    "suite.JupiterTest::aborts": 14,
    "suite.JupiterTest::parameterized(int) [1]": 15,
    "suite.JupiterTest::parameterized(int) [2]": 16,
    "suite.JupiterTest::repeated(RepetitionInfo) [1]": 17,
    "suite.JupiterTest::repeated(RepetitionInfo) [2]": 18,
    "suite.JupiterTest::dynamic": 30,
    "suite.JupiterTest::dynamic [1]": 30,
    "suite.JupiterTest::dynamic [2] [1]": 40,
    "suite.JupiterTest::timeout": 60,
    "suite.JupiterTest::limited": 70,
    "suite.JupiterTest::pool": 80,
    "suite.JupiterTest$Inner::within": 90,
}
JUPITER_PARENTS = {
    "suite.JupiterTest::parameterized(int)": "suite.JupiterTest",
    "suite.JupiterTest::repeated(RepetitionInfo)": "suite.JupiterTest",
    "suite.JupiterTest::dynamic [2]": "suite.JupiterTest::dynamic",
    "suite.JupiterTest$Inner": "suite.JupiterTest",
    "suite.JupiterTest": None,
}


@pytest.mark.parametrize(
    ("jvm", "version"), [(17, "1.8.2"), (17, "1.13.4"), (25, "1.13.4"), (25, "6.0.0")], indirect=["jvm"]
)
def test_jupiter(version: str, jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    jar = peer(peers.JUNIT_CONSOLES[version])
    classes = suite("jupiter", [jar])
    console = [word for word in CONSOLE if word != "execute" or version != "1.8.2"]
    done = run_tests(jvm, tmp_path, [jar, classes], *console, "--scan-classpath", classes, options=["-Xcheck:jni"])
    assert "WARNING" not in done.stdout + done.stderr
    assert "tests failed          ]" in done.stdout
    assert "14 tests: 11 passed, 1 failed, 1 aborted, 1 skipped" in done.stderr
    tests = listed(tmp_path)
    assert statuses(tests) == {"failed": {"fails"}, "aborted": {"aborts"}, "skipped": {"skipped"}}
    assert exceptions(tests) == {"fails": "org.opentest4j.AssertionFailedError: no"}
    assert calls(tmp_path) == JUPITER
    containers = {test["context"]: test["parent"] for test in tests if test["kind"] == "container"}
    assert containers == {**JUPITER_PARENTS, "suite.JupiterTest::dynamic": "suite.JupiterTest"}
    by_name = {test["context"]: test for test in tests}
    assert by_name["suite.JupiterTest::dynamic [2] [1]"]["parent"] == "suite.JupiterTest::dynamic [2]"
    assert by_name["suite.JupiterTest::fails"]["display"] == "It fails"
    assert (by_name["suite.JupiterTest::one"]["class"], by_name["suite.JupiterTest::one"]["method"]) == (
        "suite.JupiterTest",
        "one",
    )
    whole = by_name["suite.JupiterTest"]
    for test in tests:
        assert whole["started_unix_ns"] <= test["started_unix_ns"]
        assert 0 <= test["own_ns"] <= test["duration_ns"] <= whole["duration_ns"]


@pytest.mark.any_jvm
def test_jupiter_in_parallel(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """Each in its own thread of a pool, several at the same time; also where a thread that waits runs others."""
    jar = peer(peers.JUNIT_CONSOLES["1.13.4"])
    classes = suite("jupiter", [jar])
    parallel = ("enabled=true", "mode.default=concurrent", "config.strategy=fixed", "config.fixed.parallelism=4")
    config = [f"--config=junit.jupiter.execution.parallel.{one}" for one in parallel]
    run_tests(jvm, tmp_path, [jar, classes], *CONSOLE, *config, "--scan-classpath", classes)
    assert calls(tmp_path) == JUPITER
    assert len({test["thread"] for test in listed(tmp_path)}) > 1


@pytest.mark.any_jvm
@pytest.mark.parametrize("release", ["old", "new"])
def test_junit_4(release: str, jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    jars = [peer(one) for one in (peers.OLD_JUNIT4 if release == "old" else peers.JUNIT4)]
    classes = suite("junit4", [peer(one) for one in peers.JUNIT4])
    names = ("suite.OldTest", "suite.OldTest$Numbers", "suite.OldTest$Broken")
    done = run_tests(jvm, tmp_path, [*jars, classes], "org.junit.runner.JUnitCore", *names)
    assert "Tests run" in done.stdout
    check_junit_4(tmp_path)


@pytest.mark.any_jvm
def test_vintage(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    jars = [peer(peers.JUNIT_CONSOLES["1.13.4"]), *map(peer, peers.JUNIT4)]
    classes = suite("junit4", jars)
    names = [f"--select-class=suite.OldTest{name}" for name in ("", "$Numbers", "$Broken")]
    run_tests(jvm, tmp_path, [*jars, classes], *CONSOLE, *names)
    check_junit_4(tmp_path)


def check_junit_4(data: Path) -> None:
    tests = listed(data)
    assert calls(data) == {
        "suite.OldTest": 1100,
        "suite.OldTest::one": 11,
        "suite.OldTest::fails": 13,
        "suite.OldTest::aborts": 14,
        "suite.OldTest::timeout": 60,
        "suite.OldTest$Numbers (discovery)": 3000,
        "suite.OldTest$Numbers::number [0]": 5,
        "suite.OldTest$Numbers::number [1]": 6,
        "suite.OldTest$Broken": 2000,
    }
    assert statuses(tests) == {
        "failed": {"fails", "suite.OldTest$Broken"},
        "aborted": {"aborts"},
        "skipped": {"skipped"},
    }
    assert exceptions(tests) == {"fails": "java.lang.AssertionError: no"}
    parents = {test["context"]: test["parent"] for test in tests}
    assert parents["suite.OldTest::one"] == "suite.OldTest"
    assert parents["suite.OldTest$Numbers::number [1]"] == "suite.OldTest$Numbers"
    assert parents["suite.OldTest$Numbers"] == "suite.OldTest$Numbers (discovery)"
    assert parents["suite.OldTest"] is None


@pytest.mark.parametrize("measure", ["count", "time", "profile"])
def test_threads_that_no_test_started(measure: str, jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """While only one test runs, what they do belongs to it; sums stay exact."""
    jar = peer(peers.JUNIT_CONSOLES["1.13.4"])
    classes = suite("server", [jar])
    words = [*classhook_command(), "run", "--tests", "--quiet", "-e", f"{measure} suite.**::*", "-o", tmp_path, "--"]
    done = execute([*words, jvm.java, "-cp", path_of([jar, classes]), *CONSOLE, "--scan-classpath", classes])
    assert done.status == 0, done.stdout + done.stderr
    assert calls(tmp_path) == {
        "suite.ServerTest": 3000,
        "suite.ServerTest::one": 111,
        "suite.ServerTest::two": 202,
        "suite.ServerTest::three": 33,
    }
    if measure == "time":
        rows = {row["method"]: row for row in report_of(tmp_path)["methods"]}
        assert rows["leaf"]["completed"] == rows["leaf"]["calls"] == 3346


@pytest.mark.any_jvm
def test_what_follows_a_handler_belongs_to_the_test(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """A handler's context goes on in the request around it, but a test is none."""
    jar = peer(peers.JUNIT_CONSOLES["1.13.4"])
    classes = suite("handler", [jar])
    rules = ["-e", 'context suite.**::handle onward as "handler"', "-e", RULE]
    words = [*classhook_command(), "run", "--tests", "--quiet", *rules, "-o", tmp_path, "--"]
    done = execute([*words, jvm.java, "-cp", path_of([jar, classes]), *CONSOLE, "--scan-classpath", classes])
    assert done.status == 0, done.stdout + done.stderr
    assert calls(tmp_path) == {"handler": 300, "suite.HandlerTest::calls": 3, "suite.HandlerTest::asks": 23}


@pytest.mark.any_jvm
@pytest.mark.parametrize(
    ("release", "side_by_side"), [("old", ()), ("new", ()), ("new", ("-parallel", "methods", "-threadcount", "4"))]
)
def test_testng(release: str, side_by_side: tuple[str, ...], jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    jars = [peer(one) for one in (peers.OLD_TESTNG if release == "old" else peers.TESTNG)]
    classes = suite("testng", jars)
    words = ("-d", tmp_path / "out", "-testclass", "suite.NextTest,suite.BrokenTest", *side_by_side)
    done = run_tests(jvm, tmp_path / "data", [*jars, classes], "org.testng.TestNG", *words)
    assert "9 tests: 5 passed (1 flaky), 1 failed, 1 aborted, 2 skipped" in done.stderr
    names = {
        "one": 11,
        "fails": 13,
        "aborts": 14,
        "numbered [1]": 15,
        "numbered [2]": 16,
        "timeout": 60,
        "flaky": 30,
        "flaky (attempt 2)": 30,
    }
    found = {
        "suite.NextTest": 1100,
        "suite.BrokenTest": 2000,
        **{f"suite.NextTest::{name}": n for name, n in names.items()},
    }
    assert calls(tmp_path / "data") == found
    tests = listed(tmp_path / "data")
    assert statuses(tests) == {
        "failed": {"fails", "flaky", "suite.BrokenTest"},
        "aborted": {"aborts"},
        "skipped": {"depends", "never"},
    }
    assert exceptions(tests)["fails"] == "java.lang.AssertionError: no"
    assert {test["context"] for test in tests if test["kind"] == "container"} == {"suite.NextTest", "suite.BrokenTest"}
    assert {test["parent"] for test in tests if test["class"] == "suite.NextTest" and test["kind"] == "test"} == {
        "suite.NextTest"
    }


@pytest.mark.any_jvm
def test_an_engine_that_only_tells_the_launcher(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    jars = [peer(peers.JUNIT_CONSOLES["1.13.4"]), *map(peer, peers.JQWIK)]
    classes = suite("jqwik", jars)
    run_tests(jvm, tmp_path, [*jars, classes], *CONSOLE, "--scan-classpath", classes)
    assert calls(tmp_path) == {"suite.PropertyTest::often(int)": 20, "suite.PropertyTest::fails": 1}
    tests = {test["context"]: (test["kind"], test["status"], test["parent"]) for test in listed(tmp_path)}
    assert tests["suite.PropertyTest::often(int)"] == ("test", "passed", "suite.PropertyTest")
    assert tests["suite.PropertyTest::fails"] == ("test", "failed", "suite.PropertyTest")


@pytest.mark.any_jvm
def test_by_hand(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """Whatever runs it begins and ends a test; one that has not ended when the JVM does is unfinished."""
    classes, data = suite("outside", []), tmp_path / "data"
    line = [
        *classhook_command(),
        "run",
        "--tests",
        "--quiet",
        "-e",
        RULE,
        "-o",
        data,
        "--",
        jvm.java,
        "-cp",
        classes,
        "suite.Service",
    ]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        pid = process.stdout.readline().split()[1]

        def serve(n: int) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{n}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"served {n}\n"

        def test(*words: str) -> Result:
            return execute([*classhook_command(), "ctl", pid, "test", *words])

        serve(1)
        assert test("start", "it", "sells").stdout == "it sells: started\n"
        serve(20)
        assert "has not ended" in test("start", "another").stderr
        assert test("end", "failed").stdout == "it sells: failed\n"
        serve(300)
        assert "no test was started" in test("end").stderr
        assert "a status is one of" in test("end", "well").stderr
        test("start", "it lasts")
        serve(4000)
        process.stdin.close()
        process.wait(PATIENCE)
    assert calls(data) == {None: 301, "it sells": 20, "it lasts": 4000}
    assert {one["context"]: one["status"] for one in listed(data)} == {"it sells": "failed", "it lasts": "unfinished"}


@pytest.mark.any_jvm
def test_limits_by_test(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    jar = peer(peers.JUNIT_CONSOLES["1.13.4"])
    classes = suite("jupiter", [jar])
    run_tests(jvm, tmp_path, [jar, classes], *CONSOLE, "--scan-classpath", classes)

    def limited(limit: str) -> Result:
        return execute([*classhook_command(), "report", "-o", tmp_path / "report", "--fail-if", limit, tmp_path])

    done = limited("calls of suite.**::leaf > 70 by test")
    assert done.status == 1
    assert sorted(done.stderr.splitlines()) == [
        "classhook: suite.JupiterTest$Inner::within: 90 calls of suite.**::leaf, more than 70",
        "classhook: suite.JupiterTest::pool: 80 calls of suite.**::leaf, more than 70",
    ]
    assert limited("calls of suite.**::leaf > 90 by test").status == 0
    assert limited("calls of suite.**::leaf > 100").status == 1
    assert limited("calls of **::none > 1 by test").status == 1
    assert limited("calls of suite.**::leaf > 1ms by test").status == 2
    assert limited("calls of suite.**::leaf by test").status == 2
    shown = execute([*classhook_command(), "report", "--test", "pool", tmp_path]).stdout
    assert "1 test: 1 passed" in shown
    assert "80  100.0%  suite.JupiterTest.leaf()" in shown
    assert "no test is named 'none'" in execute([*classhook_command(), "report", "--test", "none", tmp_path]).stderr


@pytest.mark.any_jvm
def test_spring_contexts(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """One takes 0.7 s, and two classes of tests share it; another one cannot be made."""
    kept = PEERS / "spring-test"
    try:
        spring = [*peers.fetch_all(peers.SPRING_CONTEXT, kept), peers.fetch(peers.SPRING_TEST, kept)]
    except peers.Missing as missing:
        pytest.skip(str(missing))
    jars = [peer(peers.JUNIT_CONSOLES["6.0.0"]), *spring]
    classes = suite("spring", jars)
    done = run_tests(jvm, tmp_path, [*jars, classes], *CONSOLE, "-n", r".*\$[ABC]Test", "--scan-classpath", classes)
    assert "4 tests: 3 passed, 1 failed" in done.stderr
    assert "2 set-ups for several tests, in the first of them" in done.stderr
    every = listed(tmp_path)
    set_ups = {one["context"]: one for one in every if one["kind"] == "set-up"}
    made = set_ups.pop("Spring context of suite.SpringTest$ATest (active profile sale)")
    broken = set_ups.pop("Spring context of suite.SpringTest$CTest")
    assert not set_ups
    assert made["status"] == "passed"
    assert made["duration_ns"] >= 700_000_000
    assert (broken["status"], "no stock" in broken["exception"]) == ("failed", True)
    tests = {one["context"]: one for one in every if one["kind"] == "test"}
    paid = tests[made["parent"]]
    assert paid["class"] == "suite.SpringTest$ATest"
    assert paid["own_ns"] <= paid["duration_ns"] - made["duration_ns"]
    assert sum(calls(tmp_path).values()) == 5
    assert calls(tmp_path)[paid["context"]] in (2, 3), "what sets up for the test is the test's own"
    shown = execute([*classhook_command(), "report", tmp_path]).stdout
    assert re.search(
        rf"\n  Spring context of suite\.SpringTest\$ATest \(active profile sale\) .* m?s, in {re.escape(made['parent'])}\n",
        shown,
    )


@pytest.mark.every_jvm
def test_static_initialisers(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """The first of two tests initialises a class, which takes 0.4 s, and another one within that, 0.2 s."""
    jar = peer(peers.JUNIT_CONSOLES["1.13.4"])
    classes = suite("initialisers", [jar])
    run_tests(jvm, tmp_path, [jar, classes], *CONSOLE, "--scan-classpath", classes)
    first, second = (one for one in listed(tmp_path) if one["kind"] == "test")
    assert first["method"] == "first"
    assert 400e6 <= first["initialisers_ns"] <= first["duration_ns"]
    assert second["initialisers_ns"] < 50e6
    shown = execute([*classhook_command(), "report", tmp_path]).stdout
    assert re.search(r"InitialisersTest::first  \(\d{3} ms of it in static initialisers\)\n", shown)
    assert re.search(r"\n  static initialisers took .* of it, in whatever came first\n", shown)
