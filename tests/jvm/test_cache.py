"""The cache of woven classes: a warm run counts as a cold one does, without Python, whatever happened to the pack
meanwhile."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.native import library
from tests import compiling
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, Result, classhook_command, execute, report_of
from tools.fuzz.pack_layout import Pack, class_key

pytestmark = pytest.mark.any_jvm

RULES = ["time Pace::*", "alloc * in Pace"]
CachedRun = Callable[..., Result]


@pytest.fixture
def cached_run(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> CachedRun:
    def run(cache: Path, name: str, rules: list[str] = RULES, turns: str = "1000") -> Result:
        data = tmp_path / name
        options = [word for rule in rules for word in ("-e", rule)]
        line = [*classhook_command(), "run", "--quiet", *options, "--cache", cache, "-o", data, "--"]
        result = execute([*line, jvm.java, "-cp", compiled("Pace"), "Pace", turns])
        result.report = report_of(data)
        return result

    return run


def counts(result: Result) -> tuple[Any, ...]:
    """A row without its times."""
    report = result.report
    methods = sorted((row["method"], row["calls"], row["completed"], row["exceptions"]) for row in report["methods"])
    sites = sorted((row["method"], row["type"], row["count"], row["bytes"]) for row in report["allocations"])
    return result.status, result.stdout, methods, sites, report["rules"], report["classes"]["woven"]


@pytest.mark.core
def test_a_warm_run_is_like_a_cold_one_without_python(cached_run: CachedRun, tmp_path: Path) -> None:
    cold, warm = cached_run(tmp_path / "cache", "cold"), cached_run(tmp_path / "cache", "warm")
    assert counts(warm) == counts(cold)
    assert cold.report["classes"]["cached"] == 0
    assert warm.report["classes"]["cached"] == warm.report["classes"]["woven"] == 1
    assert (cold.report["processes"][0]["python_start_ns"] > 0, warm.report["processes"][0]["python_start_ns"]) == (
        True,
        0,
    )
    assert warm.stderr == ""


def test_a_class_that_took_too_long_is_woven_the_next_time(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    """A timeout depends on the machine, not on the class."""
    (tmp_path / "rules").write_text("count Pace::*\n")
    found = []
    for name, more in (("first", ",timeout=0"), ("second", ""), ("third", ",timeout=0")):
        options = f"rules={tmp_path / 'rules'},data={tmp_path / name},cache={tmp_path / 'cache'}{more}"
        result = execute([jvm.java, f"-agentpath:{library.AGENT}={options}", "-cp", compiled("Pace"), "Pace", "10"])
        assert (result.status, result.stdout, result.stderr) == (0, "true\n", "")
        classes = report_of(tmp_path / name)["classes"]
        found.append(([skipped["reason"] for skipped in classes["skipped"]], classes["woven"], classes["cached"]))
    assert found == [(["timeout"], 0, 0), ([], 1, 0), ([], 1, 1)]


def test_other_rules_do_not_meet_the_cached_class(cached_run: CachedRun, tmp_path: Path) -> None:
    cached_run(tmp_path / "cache", "first")
    other = cached_run(tmp_path / "cache", "other", ["count Pace::once"])
    assert [row["method"] for row in other.report["methods"]] == ["once"]
    assert other.report["classes"]["cached"] == 0
    assert len(list((tmp_path / "cache").glob("*.pack"))) == 2


def test_a_class_is_found_by_a_hash_keyed_with_a_secret(
    cached_run: CachedRun, compiled: Compiled, tmp_path: Path
) -> None:
    """SipHash-1-3 of the class, its name, length and kind; each pack has a different secret."""
    data = (compiled("Pace") / "Pace.class").read_bytes()
    found = []
    for name in ("one", "two"):
        cached_run(tmp_path / name, f"data-{name}")
        (path,) = (tmp_path / name).glob("*.pack")
        pack = Pack.parse(path.read_bytes())
        (record,) = [record for record in pack.records if record.name == b"Pace"]
        assert record.key == class_key(pack.secret, b"Pace", data, has_time=True)
        assert record == record.mended()
        found.append((pack.secret, record.key))
    assert found[0][0] != found[1][0]
    assert found[0][1] != found[1][1]


def cut_in_half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flip_in_the_payload(data: bytes) -> bytes:
    return data[:-100] + bytes([data[-100] ^ 255]) + data[-99:]


def garbage_behind(data: bytes) -> bytes:
    return data + b"half a record of a JVM that was killed"


@pytest.mark.parametrize("damage", [cut_in_half, flip_in_the_payload])
def test_a_damaged_cache_is_said_and_does_no_harm(
    cached_run: CachedRun, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    cold = cached_run(tmp_path / "cache", "cold")
    (pack,) = (tmp_path / "cache").glob("*.pack")
    pack.write_bytes(damage(pack.read_bytes()))
    after = cached_run(tmp_path / "cache", "after")
    assert counts(after) == counts(cold)
    assert "damaged" in after.stderr
    healed, warm = cached_run(tmp_path / "cache", "healed"), cached_run(tmp_path / "cache", "warm")
    assert counts(warm) == counts(healed) == counts(cold)
    assert (warm.stderr, warm.report["classes"]["cached"]) == ("", 1)


@pytest.mark.parametrize(
    "left",
    [lambda data: data[:8], lambda data: data[:31], lambda data: bytes(len(data))],
    ids=["magic", "header", "zeros"],
)
def test_a_pack_whose_header_was_not_written_is_begun_anew(
    cached_run: CachedRun, tmp_path: Path, left: Callable[[bytes], bytes]
) -> None:
    """A killed JVM, a full disk or a power failure leaves such a pack."""
    cold = cached_run(tmp_path / "cache", "cold")
    (pack,) = (tmp_path / "cache").glob("*.pack")
    pack.write_bytes(left(pack.read_bytes()))
    again, warm = cached_run(tmp_path / "cache", "again"), cached_run(tmp_path / "cache", "warm")
    assert counts(again) == counts(warm) == counts(cold)
    assert (again.stderr, warm.stderr, warm.report["classes"]["cached"]) == ("", "", 1)


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
    assert "is not a cache of woven classes" in after.stderr
    assert pack.read_bytes() == b"my diary, which nobody shall overwrite"


def test_a_cache_that_cannot_be_made_is_said(cached_run: CachedRun, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = cached_run(tmp_path / "file" / "cache", "data")
    assert (result.status, result.stdout) == (0, "true\n")
    assert "cannot use the cache directory" in result.stderr


def test_eight_jvms_at_once_share_it_and_a_killed_one_does_not_hurt(
    jvm: Jvm, compiled: Compiled, tmp_path: Path
) -> None:
    options = [word for rule in RULES for word in ("-e", rule)]
    line = [
        *classhook_command(),
        "run",
        "--quiet",
        *options,
        "--cache",
        str(tmp_path / "cache"),
        "-o",
        str(tmp_path / "data"),
        "--",
    ]
    command = [*line, str(jvm.java), "-cp", str(compiled("Pace")), "Pace", "1000"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) for _ in range(8)]
    started[3].kill()
    outputs = [one.communicate(timeout=PATIENCE)[0] for one in started]
    assert [out for i, out in enumerate(outputs) if i != 3] == ["true\n"] * 7
    again = execute(command)
    assert (again.stdout, again.stderr) == ("true\n", "")
    assert report_of(tmp_path / "data")["classes"]["cached"] >= 1


def test_cached_are_some_of_those_woven(jvm: Jvm, tmp_path: Path) -> None:
    """The cache also keeps that a class cannot be woven."""
    (tmp_path / "Main.java").write_text(
        "class Main { public static void main(String[] a) { new Empty(); } } class Empty { protected void finalize()"
        " {} }"
    )
    compiling.javac("javac", "--release", "17", "-d", tmp_path, tmp_path / "Main.java")
    for name in ("cold", "warm"):
        line = [
            "run",
            "--quiet",
            "-e",
            "count Main::main, Empty::finalize",
            "--cache",
            tmp_path / "cache",
            "-o",
            tmp_path / name,
        ]
        execute([*classhook_command(), *line, "--", jvm.java, "-cp", tmp_path, "Main"])
        found = report_of(tmp_path / name)["classes"]
        assert (found["matched"], found["woven"], found["cached"]) == (2, 1, int(name == "warm"))
