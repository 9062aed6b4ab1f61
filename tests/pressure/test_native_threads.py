"""Native threads that attach and detach again and again: counts and times are exact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Jvm, Words
from tests.pressure.conftest import ALL, Pressed, assert_as_bare, assert_completed, sized

SOURCE = Path(__file__).parent / "attach.c"
THREADS, ATTACHMENTS = 4, 10
KINDS = {"count": ("count **::*",), "time": ALL}


@pytest.mark.parametrize("kind", KINDS)
def test_native_threads_that_attach_again(
    jvm: Jvm, classes: Path, pressed: Pressed, jni_library: Callable[[Path], Path], kind: str
) -> None:
    each = sized(1000, 100_000)
    numbers = [str(n) for n in (THREADS, ATTACHMENTS, each)]
    program: Words = [
        jvm.java,
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        classes,
        "Attached",
        jni_library(SOURCE),
        *numbers,
    ]
    result = pressed(*program, rules=KINDS[kind])
    assert_as_bare(result, program)
    n = THREADS * ATTACHMENTS * each
    outermost, call = result.method("Attached::outermost"), result.method("Attached::call")
    assert (outermost["calls"], call["calls"]) == (n, n)
    if kind == "time":
        assert_completed(result)
        assert (outermost["exceptions"], call["exceptions"]) == (n // 100, n // 100)
        assert call["total_ns"] >= call["self_ns"]  # the constructor that it calls is timed too
        assert outermost["total_ns"] - outermost["self_ns"] - call["total_ns"] in range(-10, 11)
        sites = {site["type"]: site["count"] for site in result.report["allocations"] if site["method"] == "call"}
        assert sites == {"Attached$Item": n, "java.lang.IllegalStateException": n // 100}


@pytest.mark.parametrize("kind", KINDS)
def test_native_threads_that_call_java_as_they_end(
    jvm: Jvm, classes: Path, pressed: Pressed, jni_library: Callable[[Path], Path], kind: str
) -> None:
    each = sized(300_000, 3_000_000)
    program: Words = [
        jvm.java,
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        classes,
        "Attached",
        jni_library(SOURCE),
        str(THREADS),
        str(each),
    ]
    result = pressed(*program, rules=KINDS[kind])
    assert_as_bare(result, program)
    assert result.method("Attached::outermost")["calls"] == THREADS * (each + 1)
    if kind == "time":
        assert_completed(result)
