"""The cache of woven classes: a warm run counts as a cold one does, without Python, whatever became of the pack meanwhile."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, Result, classhook_command, execute, report_of

RULES = ["time Pace::*", "alloc * in Pace"]
CachedRun = Callable[..., Result]


@pytest.fixture
def cached_run(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> CachedRun:
    def run(cache: Path, name: str, rules: list[str] = RULES) -> Result:
        data = tmp_path / name
        options = [word for rule in rules for word in ("-e", rule)]
        line = [*classhook_command(), "run", "--quiet", *options, "--cache", cache, "-o", data, "--"]
        result = execute([*line, jvm.java, "-cp", compiled("Pace"), "Pace", "1000"])
        result.report = report_of(data)
        return result

    return run


def counts(result: Result) -> tuple[Any, ...]:
    """What is no time."""
    report = result.report
    methods = sorted((row["method"], row["calls"], row["completed"], row["exceptions"]) for row in report["methods"])
    sites = sorted((row["method"], row["type"], row["count"], row["bytes"]) for row in report["allocations"])
    return result.status, result.stdout, methods, sites, report["rules"], report["classes"]["woven"]


def test_a_warm_run_is_like_a_cold_one_without_python(cached_run: CachedRun, tmp_path: Path) -> None:
    cold, warm = cached_run(tmp_path / "cache", "cold"), cached_run(tmp_path / "cache", "warm")
    assert counts(warm) == counts(cold)
    assert cold.report["classes"]["cached"] == 0
    assert warm.report["classes"]["cached"] == warm.report["classes"]["woven"] == 1
    assert (cold.report["processes"][0]["python_start_ns"] > 0, warm.report["processes"][0]["python_start_ns"]) == (True, 0)
    assert warm.stderr == ""


def test_other_rules_do_not_meet_the_cached_class(cached_run: CachedRun, tmp_path: Path) -> None:
    cached_run(tmp_path / "cache", "first")
    other = cached_run(tmp_path / "cache", "other", ["count Pace::once"])
    assert [row["method"] for row in other.report["methods"]] == ["once"]
    assert other.report["classes"]["cached"] == 0
    assert len(list((tmp_path / "cache").glob("*.pack"))) == 2


def cut_in_half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flip_in_the_payload(data: bytes) -> bytes:
    return data[:-100] + bytes([data[-100] ^ 255]) + data[-99:]


def garbage_behind(data: bytes) -> bytes:
    return data + b"half a record of a JVM that was killed"


@pytest.mark.parametrize("damage", [cut_in_half, flip_in_the_payload])
def test_a_damaged_cache_is_said_and_does_no_harm(cached_run: CachedRun, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    cold = cached_run(tmp_path / "cache", "cold")
    (pack,) = (tmp_path / "cache").glob("*.pack")
    pack.write_bytes(damage(pack.read_bytes()))
    after = cached_run(tmp_path / "cache", "after")
    assert counts(after) == counts(cold)
    assert "damaged" in after.stderr
    healed, warm = cached_run(tmp_path / "cache", "healed"), cached_run(tmp_path / "cache", "warm")
    assert counts(warm) == counts(healed) == counts(cold)
    assert (warm.stderr, warm.report["classes"]["cached"]) == ("", 1)


def test_what_a_killed_jvm_left_half_way_is_not_looked_at(cached_run: CachedRun, tmp_path: Path) -> None:
    cold = cached_run(tmp_path / "cache", "cold")
    (pack,) = (tmp_path / "cache").glob("*.pack")
    pack.write_bytes(garbage_behind(pack.read_bytes()))
    warm = cached_run(tmp_path / "cache", "warm")
    assert counts(warm) == counts(cold)
    assert (warm.stderr, warm.report["classes"]["cached"]) == ("", 1)


def test_a_foreign_file_in_its_place_is_left_alone(cached_run: CachedRun, tmp_path: Path) -> None:
    cold = cached_run(tmp_path / "cache", "cold")
    (pack,) = (tmp_path / "cache").glob("*.pack")
    pack.write_bytes(b"my diary, which nobody shall overwrite")
    after = cached_run(tmp_path / "cache", "after")
    assert counts(after) == counts(cold)
    assert "is no cache of woven classes" in after.stderr
    assert pack.read_bytes() == b"my diary, which nobody shall overwrite"


def test_a_cache_that_cannot_be_made_is_said(cached_run: CachedRun, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = cached_run(tmp_path / "file" / "cache", "data")
    assert (result.status, result.stdout) == (0, "true\n")
    assert "cannot use the cache directory" in result.stderr


def test_eight_jvms_at_once_share_it_and_a_killed_one_does_not_hurt(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    options = [word for rule in RULES for word in ("-e", rule)]
    line = [*classhook_command(), "run", "--quiet", *options, "--cache", str(tmp_path / "cache"), "-o", str(tmp_path / "data"), "--"]
    command = [*line, str(jvm.java), "-cp", str(compiled("Pace")), "Pace", "1000"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) for _ in range(8)]
    started[3].kill()
    outputs = [one.communicate(timeout=PATIENCE)[0] for one in started]
    assert [out for i, out in enumerate(outputs) if i != 3] == ["true\n"] * 7
    again = execute(command)
    assert (again.stdout, again.stderr) == ("true\n", "")
    assert report_of(tmp_path / "data")["classes"]["cached"] >= 1
