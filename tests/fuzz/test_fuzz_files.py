"""The short form of the fuzzing of data files and of the cache; the long one: python -m tests.fuzz data, python -m tests.fuzz cache."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from tests.conftest import Jvm
from tests.fuzz.cached import Cache
from tests.fuzz.datafiles import bases
from tests.fuzz.hostile_files import HOSTILE
from tests.fuzz.pack import siphash13, siphash13_128
from tests.fuzz.packs import PLACES
from tests.fuzz.program import Program
from tests.fuzz.reader import DataFiles, Reader
from tests.fuzz.reading import BAD

KEY = (0x0706050403020100, 0x0F0E0D0C0B0A0908)  # the bytes 0 to 15


@pytest.fixture(scope="module")
def program(find_jvm: Callable[[int], Jvm], tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(find_jvm(17).java, tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="module")
def cache(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(program, tmp_path_factory.mktemp("cached") / "cache")


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with Reader() as one:
        yield one


@pytest.mark.parametrize(("kind", "seed"), [("bytes", n) for n in range(10)] + [("mended", n) for n in range(8)] + [("live", 0), ("live", 1)])
def test_a_damaged_cache_hurts_no_program(cache: Cache, kind: str, seed: int) -> None:
    cache.round(kind, Random(f"{kind} {seed}"))


@pytest.mark.parametrize("place", PLACES)
def test_what_lies_in_a_packs_place_hurts_no_program(cache: Cache, place: Callable[[Random, Path, bytes], None]) -> None:
    cache.in_place(place, Random(1))


def test_damaged_data_files_are_reported_as_far_as_they_go(program: Program, reader: Reader, tmp_path: Path) -> None:
    files = DataFiles(bases(program, tmp_path), tmp_path / "damaged")
    files.clear()
    assert reader.trouble(files.folder) == ""  # of the whole one
    troubles = {seed: files.round(Random(seed), reader) for seed in range(120)}
    assert {seed: trouble for seed, trouble in troubles.items() if trouble} == {}


@pytest.mark.parametrize("build", HOSTILE)
def test_hostile_data_files_cost_little(reader: Reader, tmp_path: Path, build: Callable[[Path], None]) -> None:
    build(tmp_path / BAD)
    assert reader.trouble(tmp_path) == ""


def test_hashes_are_those_of_others() -> None:
    """Of OpenSSL (`openssl mac -macopt c-rounds:1 -macopt d-rounds:3 -macopt size:16 -macopt hexkey:0001... SIPHASH`), and of Python itself."""
    assert siphash13_128(KEY, b"abc" * 101) == (0xDCF1EB11855DE959, 0x9BBEA0DA3900CE4A)
    assert siphash13_128(KEY, bytes(range(13))) == (0x1D80EAC9C758F8B2, 0x4478656D5903D653)
    if sys.hash_info.algorithm == "siphash13":
        for text in (b"a", b"abcdefgh", b"abc" * 101):
            line = [sys.executable, "-c", f"print(hash({text!r}) % (1 << 64))"]
            assert int(subprocess.check_output(line, env={"PYTHONHASHSEED": "0"})) == siphash13((0, 0), text)
