"""The JIT compiles code with probes: all kinds of synchronized code that javac makes (tests/rare has what other
compilers make)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import OLDEST_AND_NEWEST, Jvm, Words, execute
from tests.pressure.conftest import Pressed

GIVEN_UP = re.compile(r"(Locks[\w$]*::[\w$<>]+) .*?(COMPILE SKIPPED: [\w -]+|made not compilable|not compilable)")
COMPILED = re.compile(r"^ *\d+ +\d+ [ %sbn!]+\d? +(Locks::\w+) ", re.M)
#: The measures that insert calls elsewhere than at a method's entry and its returns.
RULES = {
    "time and alloc": ("time Locks::*", "alloc * in Locks"),
    "tree": ("time Locks::* tree",),
    "sample": ("time Locks::* sample 1/10",),
    "profile": ("profile Locks::*",),
    "cover": ("cover Locks",),
    "exact": ("cover Locks exact",),
    "hits": ("cover Locks hits",),
}
METHODS = {"method", "ofClass", "block", "throwing", "nested", "inLoop", "withFinally", "inSwitch", "resources", "wide"}


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("compiler", ["-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"])
@pytest.mark.parametrize("measure", RULES)
def test_synchronized_code_is_compiled_as_before(
    jvm: Jvm, classes: Path, pressed: Pressed, compiler: str, measure: str
) -> None:
    apart = ("-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Locks::*")
    watched = (compiler, "-Xbatch", "-XX:+PrintCompilation", "-XX:CompileThreshold=500", *apart)
    program: Words = [jvm.java, *watched, "-cp", classes, "Locks", "8000"]
    bare, result = execute(program), pressed(*program, rules=RULES[measure])
    assert (result.status, result.stderr, result.stdout.splitlines()[-1]) == (
        0,
        bare.stderr,
        bare.stdout.splitlines()[-1],
    )
    assert set(GIVEN_UP.findall(result.stdout)) <= set(GIVEN_UP.findall(bare.stdout))
    assert "unbalanced monitors" not in result.stdout
    assert {f"Locks::{name}" for name in METHODS} <= set(COMPILED.findall(bare.stdout)) & set(
        COMPILED.findall(result.stdout)
    )
    if RULES[measure][0].startswith(("time", "profile")):
        assert {result.method(f"Locks::{name}")["calls"] for name in METHODS} == {8000}
