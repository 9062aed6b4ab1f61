"""Classes are loaded by many threads at once, and with little stack."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import OLDEST_AND_NEWEST, Jvm, Result, Words, on
from tests.pressure.conftest import ALL, Figure, Pressed, assert_as_bare, assert_completed, calls, sized

THREADS = 32
KINDS = {"count": ("count **::*",), "time": ALL}


def made(result: Result) -> dict[str, list[int]]:
    """Method -> its calls in each of the generated classes."""
    found: dict[str, list[int]] = {}
    for row in result.report["methods"]:
        if re.fullmatch(r"Made\d{6}", row["class"]):
            found.setdefault(row["method"], []).append(row["calls"])
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_32_threads_load_other_classes_through_other_loaders(
    jvm: Jvm, classes: Path, pressed: Pressed, figure: Figure, kind: str
) -> None:
    each = sized(20, 500)
    n = THREADS * each
    program: Words = [jvm.java, "-cp", classes, "Storm", str(THREADS), str(each)]
    result = pressed(*program, rules=KINDS[kind])
    assert_as_bare(result, program)
    assert made(result) == {"<init>": [1] * n, "applyAsInt": [1] * n, "step": [10] * n}
    found = calls(result)
    assert (found["Storm::load"], found["Foundry::make"]) == (THREADS, n)
    assert result.report["classes"]["skipped"] == []
    assert result.report["classes"]["woven"] == n + 2  # plus Storm and Foundry
    if kind == "time":
        assert_completed(result)
        sites = [site for site in result.report["allocations"] if site["class"].startswith("Made")]
        assert [(site["type"], site["count"], site["bytes"]) for site in sites] == [("java.lang.Object", 10, 160)] * n
    figure(f"{n} classes woven in {result.report['processes'][0]['weaving_ns'] / 1e6:.0f} ms of the threads' time")


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("kind", KINDS)
def test_threads_of_little_stack_load_classes(jvm: Jvm, classes: Path, pressed: Pressed, kind: str) -> None:
    """Nothing has been woven before: one of the threads starts Python."""
    n = sized(32, 500)
    program: Words = [jvm.java, "-Xss256k", "-cp", classes, "Narrow", "all", "140", str(n)]
    result = pressed(*program, rules=KINDS[kind])
    assert_as_bare(result, program)
    assert made(result) == {"<init>": [1] * n, "applyAsInt": [1] * n, "step": [10] * n}


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("stack", ["140", "256", "1024"])
def test_classes_are_loaded_where_the_stack_ends(jvm: Jvm, classes: Path, pressed: Pressed, stack: str) -> None:
    """Some loads run out of stack, which the program handles; all other classes count."""
    program: Words = [jvm.java, "-cp", classes, "Narrow", "end", stack, str(sized(100, 5000))]
    result = pressed(*program, rules=("time Made*::*", "alloc * in Made*"))
    assert_as_bare(result, program)
    loaded = made(result)
    assert len(loaded["step"]) > 10
    assert set(loaded["step"]) == {10}


@on(17)
def test_what_reflection_makes_is_the_jdks(jvm: Jvm, classes: Path, pressed: Pressed) -> None:
    """Before JDK 18 these classes, such as jdk.internal.reflect.GeneratedMethodAccessor1, are in loaders without a
    named module."""
    result = pressed(jvm.java, "-cp", classes, "Reflected", rules=("count **::*",))
    found = calls(result)
    assert (found.pop("Reflected::<init>"), found.pop("Reflected::called"), found.pop("Reflected::main")) == (
        100,
        100,
        1,
    )
    assert found == {}
