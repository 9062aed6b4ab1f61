"""The short form of fuzzing: random bytes, hostile classes, and comparison with the JVM. The long form: python -m
tools.fuzz."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Jvm, releases
from tools.fuzz.check import RULE_SETS, check
from tools.fuzz.differential import damaged, differences, generated
from tools.fuzz.hostile import HOSTILE
from tools.fuzz.measure import measure
from tools.fuzz.mutate import mutate

H2 = Path("/usr/share/java/h2.jar")
RULES = st.integers(0, len(RULE_SETS) - 1)
SETTINGS = settings(max_examples=200)
SECONDS, MEMORY = (
    3.0,
    200e6,
)  # for a class below 1 MB, by the compiled weaver; below 1 s on a quiet machine (python -m tools.fuzz.measure)


@pytest.fixture(scope="module")
def seeds() -> list[bytes]:
    """Classes to damage."""
    found = generated(1000, 60)
    if H2.exists():
        with zipfile.ZipFile(H2) as jar:
            names = [name for name in jar.namelist() if name.endswith(".class") and jar.getinfo(name).file_size < 8000]
            found += [jar.read(name) for name in Random(7).sample(names, 100)]
    return found


@SETTINGS
@given(st.binary(max_size=200), RULES)
def test_any_bytes(data: bytes, rules: int) -> None:
    for head in (b"", b"\xca\xfe\xba\xbe\0\0\0\x34", b"\xca\xfe\xba\xbe\0\0\0\x34\0\3\1\0\1T\7\0\1\0\1\0\2\0\0"):
        check(head + data, RULE_SETS[rules])


@SETTINGS
@given(seed=st.integers(0, 1 << 32), rules=RULES)
def test_damaged_classes(seeds: list[bytes], seed: int, rules: int) -> None:
    rnd = Random(seed)
    check(mutate(rnd, rnd.choice(seeds)), RULE_SETS[rules], bool(seed & 1))


def test_generated_classes_are_woven() -> None:
    start = process_time()
    for data in generated(2000, 40):
        for rules in RULE_SETS[:4]:
            assert check(data, rules)
    assert process_time() - start < 30


def test_hostile_classes_cost_little() -> None:
    costs = measure()
    assert {name for name, _ in costs} == {build.__name__ for build in HOSTILE}
    slow = {name for (name, _), cost in costs.items() if cost.seconds > SECONDS}
    again = measure(*slow) if slow else {}  # the machine may have been busy
    for key, cost in costs.items():
        assert min(cost.seconds, again.get(key, cost).seconds) < SECONDS, (key, cost)
        assert cost.memory < MEMORY, (key, cost)


@pytest.mark.parametrize("version", releases(17, 25))
def test_the_jvm_accepts_what_it_accepted_and_nothing_else(
    find_jvm: Callable[[int], Jvm], seeds: list[bytes], tmp_path: Path, version: int
) -> None:
    java = find_jvm(version).java
    for classes, run in ((generated(3000 + version, 80), True), (damaged(version, seeds, 300), False)):
        found, accepted = differences(java, classes, tmp_path, run, H2)
        assert accepted > len(classes) / 12
        assert not [one for one in found if one.bare.startswith("fine") or one.woven.startswith("fine") or run]
