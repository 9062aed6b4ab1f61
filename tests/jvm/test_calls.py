"""`count calls` and `time calls`: each line has as many calls as its comment says (java/Sited.java), and as javap and
the called methods say."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from classhook.ahead.jars import matched_sites
from classhook.rules.parse import load
from classhook.weaving.weave import weave
from tests.conftest import JAVA_SOURCES, Compiled, FindJvm, Jvm, Result, Run, execute

VIRTUAL = 21  # the first JDK with virtual threads
TIMES = 800
CALLED = (
    "Sited*::*, java.util.Collection+::add, java.util.Map::put, java.lang.Math::max, java.lang.System::arraycopy,"
    " java.lang.Object::hashCode, java.lang.String::hashCode, **::clone"
)
#: Calls that end by an exception, in each round.
THROWN = {
    "failing": 2 + 1 + 1 + 1,
    "leaving": 1,
    "<init>": 1,
}  # the exception of `this(failing(7))` is only seen where that constructor is called


def lines() -> list[tuple[int, str, float]]:
    """(line, called method, calls in each round), from the comments."""
    found = []
    for number, line in enumerate((JAVA_SOURCES / "Sited.java").read_text().splitlines(), 1):
        if comment := re.search(r"// called (.*)$", line):
            for text in comment[1].split(","):
                name, count = text.split()
                found.append((number, name, float(count)))
    assert len(found) > 25
    return found


def expected(rounds: int, names: str = "") -> Counter[tuple[int, str]]:
    return Counter(
        {(number, name): round(count * rounds) for number, name, count in lines() if not names or name in names.split()}
    )


def calls(rows: list[dict[str, Any]]) -> Counter[tuple[int, str]]:
    found: Counter[tuple[int, str]] = Counter()
    for row in rows:
        found[row["line"], row["called_method"]] += row["calls"]
    return found


def run_sited(
    run: Run, jvm: Jvm, classes: Any, rules: list[str], threads: int = 2, kind: str = "platform", *more: str
) -> Result:
    result = run(
        rules, jvm.java, "-Xverify:all", "-Xcheck:jni", "-cp", classes, "Sited", str(TIMES), str(threads), kind, *more
    )
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    assert result.report["classes"]["skipped"] == []
    return result


@pytest.mark.every_jvm
@pytest.mark.parametrize("kind", ["platform", "virtual", "halted"])
@pytest.mark.parametrize("word", ["count", "time"])
def test_each_line_has_its_calls(jvm: Jvm, compiled: Compiled, run: Run, word: str, kind: str) -> None:
    if kind == "virtual" and jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    threads = 20 if kind == "virtual" else 2
    rule = f"{word} calls {CALLED} in Sited* except Sited::run, Sited::lambda$main*"
    result = run_sited(run, jvm, compiled("Sited"), [rule], threads, kind, *(["halt"] if kind == "halted" else []))
    rows = [
        row
        for row in result.report["call_sites"]
        if row["called_method"] not in ("once", "leaving", "caught", "locked")
    ]
    assert calls(rows) == expected(threads * TIMES)
    assert result.report["methods"] == []
    if word == "count":
        assert {row["kind"] for row in rows} == {"counted_call"}
        return
    untimed = {(row["class"], row["method"]) for row in rows if row["kind"] == "counted_call"}
    assert untimed == {("Sited$Derived", "<init>")}  # in front of super() and this()
    thrown: Counter[str] = Counter()
    for row in result.report["call_sites"]:
        if row["kind"] == "timed_call":
            assert (row["completed"], row["left"]) == (row["calls"], 0), row
            assert row["max_ns"] <= row["total_ns"]
            thrown[row["called_method"]] += row["exceptions"]
    assert +thrown == Counter({name: count * threads * TIMES for name, count in THROWN.items()})


def test_calls_add_up_to_what_the_called_methods_count(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    methods = ("own", "failing", "fib", "area", "twice", "leaving", "caught", "locked")
    rules = [f"time Sited*::{name}" for name in methods] + [
        "count Sited*::*",
        "time calls Sited*::* in Sited*",
        "count calls Sited*::* in Sited*",
    ]
    result = run_sited(run, jvm, compiled("Sited"), rules)
    found: Counter[str] = Counter()
    for row in result.report["call_sites"]:
        found[row["called_method"]] += row["calls"]
    entered: Counter[str] = Counter()
    for row in result.report["methods"]:
        if not row["method"].startswith(("lambda", "main")) and row["class"] != "Sited":
            continue
        entered[row["method"]] += row["calls"]
    for name in ("own", "failing", "fib", "leaving", "caught", "locked", "once", "run"):
        assert found[name] == entered[name] > 0, name
    failing = next(row for row in result.report["methods"] if row["method"] == "failing")
    assert failing["left"] == 0
    # a method that is timed itself takes no longer than the calls of it
    for name in ("caught", "locked"):
        (site,) = [row for row in result.report["call_sites"] if row["called_method"] == name]
        (method,) = [row for row in result.report["methods"] if row["method"] == name]
        assert method["total_ns"] <= site["total_ns"] * 1.5


@pytest.mark.every_jvm
def test_subtypes_are_known_by_the_class_that_the_call_names(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = [
        "count calls java.util.List+::add, Sited$Base+::twice in Sited*",
        "count calls java.util.Collection+::add in Sited*",
    ]
    result = run_sited(run, jvm, compiled("Sited"), rules)
    found = {(row["called_class"], row["called_method"]): row["rule"] for row in result.report["call_sites"]}
    assert found == {
        ("java.util.List", "add"): rules[0],
        ("java.util.ArrayList", "add"): rules[0],
        ("java.util.Collection", "add"): rules[1],
        ("Sited$Derived", "twice"): rules[0],
        ("Sited$Base", "twice"): rules[0],
    }
    assert sum(row["calls"] for row in result.report["call_sites"]) == 5 * 2 * TIMES
    assert all(rule["matched_methods"] > 0 for rule in result.report["rules"])


@pytest.mark.every_jvm
def test_a_native_method_has_the_time_that_its_callers_see(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rule = "time calls java.lang.Thread::sleep, java.lang.Object::hashCode in Sleeps"
    result = run(rule, jvm.java, "-Xverify:all", "-cp", compiled("Sleeps"), "Sleeps")
    assert result.status == 0, result.stderr
    (spent,) = [int(ns) for ns in re.findall(r"^spent (\d+)", result.stdout, re.M)]
    rows = {row["called_method"]: row for row in result.report["call_sites"]}
    sleep, missed = rows["sleep"], rows["hashCode"]
    assert (sleep["calls"], sleep["completed"], sleep["exceptions"]) == (20, 20, 0)
    assert 20 * 1_900_000 <= sleep["total_ns"] <= spent
    # the instruction was reached, and threw: there was no object
    assert (missed["calls"], missed["completed"], missed["exceptions"]) == (7, 7, 7)


def test_sites_are_the_instructions_that_javap_shows(find_jvm: FindJvm, compiled: Compiled) -> None:
    classes = compiled("Sited")
    rules = load([], ["count calls Sited::own, Sited::failing, java.util.List::add, java.lang.System::* in **"])
    for name in ("Sited", "Sited$Derived"):
        data = (Path(classes) / f"{name}.class").read_bytes()
        shown = execute([find_jvm(17).tool("javap"), "-c", "-p", "-cp", classes, name]).stdout
        theirs = re.findall(
            r"// (?:Interface)?Method (?:Sited\.)?((?:own|failing):|java/util/List\.add:|java/lang/System\.)", shown
        )
        woven = weave(data, rules, False)
        assert matched_sites(woven)[0] == len(theirs) > 0
