"""Times are tested by the relations that must hold between them, not by absolute values."""

from __future__ import annotations

import pytest

from tests.conftest import Compiled, FindJvm, Result, Run

MS = 1_000_000


OPTIONS = {
    "platform": [],
    "interpreted": ["-Xint"],
    "virtual": [],
    "bound": ["-XX:+UnlockExperimentalVMOptions", "-XX:-VMContinuations"],  # virtual threads bound to platform threads
}
VIRTUAL = ("virtual", "bound")
ALL = [(version, how) for version in (17, 21, 25) for how in OPTIONS if how not in VIRTUAL or version >= 21]
#: These have between them each JVM, each option, and both implementations of virtual threads.
CHOSEN = [(17, "platform"), (17, "interpreted"), (21, "virtual"), (21, "bound"), (25, "platform"), (25, "virtual")]
CASES = [
    pytest.param(case, marks=() if case in CHOSEN else pytest.mark.slow, id=f"jdk{case[0]}-{case[1]}") for case in ALL
]


@pytest.fixture(scope="module", params=CASES)
def times(request: pytest.FixtureRequest, find_jvm: FindJvm, compiled: Compiled, run: Run) -> Result:
    version, how = request.param
    arguments = ["virtual"] if how in VIRTUAL else []
    result = run("time **::*", find_jvm(version).java, *OPTIONS[how], "-cp", compiled("Times"), "Times", *arguments)
    assert (result.status, result.stdout, result.stderr) == (0, "", "")
    return result


def slack(result: Result) -> int:
    """Each time is rounded to 1 ns separately."""
    return len(result.report["methods"])


def test_self_times_add_up(times: Result) -> None:
    rows = [row for row in times.report["methods"] if row["method"] not in ("waitsForLock", "main")]
    body = times.method("Times::body")
    assert sum(row["self_ns"] for row in rows if not row["method"].startswith("lambda$")) <= body["total_ns"] + slack(
        times
    )
    assert body["total_ns"] <= times.method("Times::main")["total_ns"] + slack(times)
    assert all(
        0 <= row["self_ns"] <= row["total_ns"] + 1 for row in rows if row["method"] not in ("fib", "even", "odd")
    )


@pytest.mark.parametrize(
    ("callee", "caller"), [("fib", "callsFib"), ("even", "callsEven"), ("odd", "even"), ("sleeps", "callsSleeps")]
)
def test_the_outermost_activation_counts_once(times: Result, callee: str, caller: str) -> None:
    inner, outer = times.method(f"Times::{callee}"), times.method(f"Times::{caller}")
    two_more = 2 * inner["max_ns"] if callee == "fib" else 0  # fib(1) is called by body() too
    assert inner["total_ns"] <= outer["total_ns"] + two_more + slack(times)
    assert inner["max_ns"] <= outer["max_ns"] + 1
    assert inner["self_ns"] <= inner["total_ns"] + 1


@pytest.mark.parametrize(
    ("method", "calls", "least"),
    [
        ("sleeps", 4, 200),
        ("sleepsAndThrows", 2, 100),
        ("even", 26, 15),
        ("unequal", 50, 100),
        ("callsSleeps", 1, 200),
        ("holdsLock", 1, 100),
    ],
)
def test_sleep_takes_its_time(times: Result, method: str, calls: int, least: int) -> None:
    row = times.method(f"Times::{method}")
    assert row["calls"] == row["completed"] == calls
    assert row["exceptions"] == (calls if method == "sleepsAndThrows" else 0)
    assert row["total_ns"] >= least * MS


def test_callers_do_not_have_their_callees_time(times: Result) -> None:
    for caller, callee in [("callsSleeps", "sleeps"), ("callsUnequal", "unequal"), ("callsFib", "fib")]:
        row = times.method(f"Times::{caller}")
        below = times.method(f"Times::{callee}")["total_ns"]
        if callee != "fib":
            assert abs(row["total_ns"] - row["self_ns"] - below) <= slack(times)
        else:
            assert row["self_ns"] <= row["total_ns"] - times.method("Times::fib")["max_ns"] + slack(times)


def test_percentiles_are_of_single_activations(times: Result) -> None:
    sleeps, unequal = times.method("Times::sleeps"), times.method("Times::unequal")
    assert 50 * MS <= sleeps["min_ns"] <= sleeps["p50_ns"] <= sleeps["p90_ns"] <= sleeps["p99_ns"] <= sleeps["max_ns"]
    assert unequal["min_ns"] < 20 * MS <= unequal["max_ns"]  # 5 of 50 sleep
    assert unequal["p99_ns"] >= 20 * MS * 63 / 64
    assert unequal["min_ns"] <= unequal["p50_ns"] <= unequal["p90_ns"] <= unequal["p99_ns"] <= unequal["max_ns"]


def test_time_begins_with_the_lock(times: Result) -> None:
    """The other thread waited 100 ms for the lock, before it entered the method."""
    waiting, holding = times.method("Times::waitsForLock"), times.method("Times::holdsLock")
    assert waiting["calls"] == waiting["completed"] == 1
    assert waiting["total_ns"] <= holding["total_ns"] - 100 * MS
