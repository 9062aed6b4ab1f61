"""The short form of fuzzing data files and the cache, the same in each run; for the long form see
`python -m tools.fuzz --help`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from tests.conftest import Jvm
from tools.fuzz.data_bases import made_up, recorded
from tools.fuzz.data_hostile import HOSTILE
from tools.fuzz.data_layout import copied_both
from tools.fuzz.data_reader import BAD
from tools.fuzz.data_rounds import DataFiles, Reader
from tools.fuzz.pack_damage import SIZES, edges, leading_back, mended_edges
from tools.fuzz.pack_instead import INSTEAD
from tools.fuzz.pack_layout import siphash13, siphash13_128
from tools.fuzz.pack_rounds import Cache
from tools.fuzz.program import Program
from tools.fuzz.values import SPECIAL

KEY = (0x0706050403020100, 0x0F0E0D0C0B0A0908)  # the bytes 0 to 15
ROUNDS = 16


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


@pytest.mark.parametrize(("kind", "seed"), [("bytes", n) for n in range(10)] + [("mended", n) for n in range(6)])
def test_a_damaged_cache_hurts_no_program(cache: Cache, kind: str, seed: int) -> None:
    cache.round(kind, Random(f"{kind} {seed}"))


@pytest.mark.parametrize("field", ["at", "bytes"])
@pytest.mark.parametrize("start", range(0, len(SPECIAL), 7))
def test_an_index_that_leads_anywhere_hurts_no_program(cache: Cache, field: str, start: int) -> None:
    cache.try_out(edges(cache.whole, field, start), mended=False)


def test_an_index_that_leads_back_to_itself_hurts_no_program(cache: Cache) -> None:
    cache.try_out(leading_back(cache.whole), mended=False)


@pytest.mark.parametrize("field", SIZES)
@pytest.mark.parametrize("start", range(0, len(SPECIAL), 7))
def test_parts_of_any_size_crash_no_jvm(cache: Cache, field: str, start: int) -> None:
    cache.try_out(mended_edges(cache.whole, field, start), mended=True)


@pytest.mark.parametrize("put", INSTEAD)
def test_what_lies_in_a_packs_place_hurts_no_program(cache: Cache, put: Callable[[Random, Path, bytes], None]) -> None:
    cache.in_place(put, Random(1))


def test_whole_data_files_are_reported(program: Program, reader: Reader, tmp_path: Path) -> None:
    files = DataFiles([*made_up(tmp_path), *recorded(program, tmp_path)], tmp_path / "folder")
    for base, _ in files.bases:
        files.clear()
        copied_both(base, files.folder / BAD)
        assert reader.trouble(files.folder, whole=base, cut=True) == "", base


def test_damaged_data_files_are_reported_as_far_as_they_go(reader: Reader, tmp_path: Path) -> None:
    files = DataFiles(made_up(tmp_path), tmp_path / "damaged")
    for seed in range(ROUNDS):
        trouble = files.round(Random(seed), reader, may_change=False)
        assert trouble == "", f"round {seed}; python -m tools.fuzz data --again {files.kept}"


@pytest.mark.parametrize("build", HOSTILE)
def test_hostile_data_files_cost_little(reader: Reader, tmp_path: Path, build: Callable[[Path], None]) -> None:
    build(tmp_path / BAD)
    assert reader.trouble(tmp_path) == ""


def test_hashes_are_those_of_others() -> None:
    """From OpenSSL (`openssl mac -macopt c-rounds:1 -macopt d-rounds:3 -macopt size:16 -macopt hexkey:0001...
    SIPHASH`) and Python."""
    assert siphash13_128(KEY, b"abc" * 101) == (0xDCF1EB11855DE959, 0x9BBEA0DA3900CE4A)
    assert siphash13_128(KEY, bytes(range(13))) == (0x1D80EAC9C758F8B2, 0x4478656D5903D653)
    if sys.hash_info.algorithm == "siphash13":
        for text in (b"a", b"abcdefgh", b"abc" * 101):
            line = [sys.executable, "-c", f"print(hash({text!r}) % (1 << 64))"]
            assert int(subprocess.check_output(line, env={"PYTHONHASHSEED": "0"})) == siphash13((0, 0), text)
