"""Programs whose counts are given in their sources (java/known*/), on each JVM, interpreted and compiled in several
ways.

The woven program must print exactly what the bare one does, including stack traces, and match the counts in its
comments.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import pytest

from tests.conftest import JAVA_SOURCES, Compiled, FindJvm, Result, Run, execute, in_place_of
from tests.jvm.expectations import Counts, Key, expectations

RULES = {
    "count": ("count **::*",),
    "time": ("time **::*",),
    "both": ("time **::*", "alloc * in **"),
    "profile": ("profile **::* exceptions",),
}

MODES = {
    "default": (),
    "interpreted": ("-Xint",),
    "c1": ("-XX:TieredStopAtLevel=1",),
    "compiled": ("-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,known*::*"),
}
#: folder -> the class to run, the release it needs
PROGRAMS = {"known": ("known.All", 17), "known21": ("known21.All", 21), "known25": ("known25.All", 25)}
SOURCES = [(folder, path.name) for folder in PROGRAMS for path in sorted((JAVA_SOURCES / folder).glob("*.java"))]

KINDS = ("count", "both", "time", "profile")
ALL = [(version, mode, kind) for version in (17, 21, 25) for mode in MODES for kind in ("count", "both")]
ALL += [(version, "default", "time") for version in (17, 25)]
ALL += [(version, mode, "profile") for version in (17, 21, 25) for mode in ("default", "c1", "compiled")]
#: Between them each JVM with each kind of probe, and each kind interpreted and by each compiler.
CHOSEN = (
    [(17, "default", kind) for kind in KINDS] + [(25, "default", kind) for kind in KINDS] + [(21, "default", "both")]
)
CHOSEN += [(17, "interpreted", "both"), (25, "interpreted", "count"), (17, "c1", "profile"), (25, "c1", "both")]
CHOSEN += [(17, "compiled", "both"), (25, "compiled", "count"), (25, "compiled", "both"), (25, "compiled", "profile")]
CORE = [("known", 17, "default", "both"), ("known21", 25, "default", "both"), ("known21", 25, "default", "count")]


@pytest.fixture(scope="session")
def bare(compiled: Compiled, find_jvm: FindJvm) -> Run:
    @lru_cache
    def run_bare(folder: str, version: int) -> Result:
        main, release = PROGRAMS[folder]
        return execute([find_jvm(version).java, "-Xverify:all", "-cp", compiled(folder, release), main])

    return run_bare


@pytest.fixture(scope="session")
def woven(compiled: Compiled, find_jvm: FindJvm, run: Run) -> Run:
    @lru_cache
    def run_woven(folder: str, version: int, mode: str, kind: str) -> Result:
        main, release = PROGRAMS[folder]
        options = ["-Xverify:all", *MODES[mode], "-cp", compiled(folder, release), main]
        return run(RULES[kind], find_jvm(version).java, *options)

    return run_woven


@pytest.fixture(scope="session")
def expected(compiled: Compiled, find_jvm: FindJvm) -> Callable[[str], dict[str, dict[Key, Counts]]]:
    @lru_cache
    def read(folder: str) -> dict[str, dict[Key, Counts]]:
        release = PROGRAMS[folder][1]
        javap = find_jvm(17 if release == 17 else 25).tool("javap")
        return expectations(JAVA_SOURCES / folder, compiled(folder, release), javap)

    return read


def cases(*folders: str) -> list[object]:
    """Each folder on each JVM that can run it."""
    return [
        pytest.param(folder, *case, id=f"{folder}-jdk{case[0]}-{case[1]}-{case[2]}", marks=marks(folder, case))
        for folder in folders
        for case in ALL
        if case[0] >= PROGRAMS[folder][1]
    ]


def marks(folder: str, case: tuple[int, str, str]) -> list[pytest.MarkDecorator]:
    slow = case not in CHOSEN and (folder, case[0]) != ("known21", 21)
    return [pytest.mark.slow] * slow + [pytest.mark.core] * ((folder, *case) in CORE)


@pytest.mark.parametrize(("folder", "version", "mode", "kind"), cases(*PROGRAMS))
def test_the_program_does_what_it_did(woven: Run, bare: Run, folder: str, version: int, mode: str, kind: str) -> None:
    ours, theirs = woven(folder, version, mode, kind), bare(folder, version)
    assert ours.stdout == theirs.stdout
    assert ours.stderr == theirs.stderr
    assert ours.status == theirs.status == 0
    assert ours.ends() == ["exit"]
    assert ours.report["classes"]["skipped"] == []
    assert ours.report["processes"][0]["jvm"].startswith(str(in_place_of(version)))


def assert_same(rows: dict[Key, tuple[int, ...]], wanted: dict[Key, tuple[int, ...]]) -> None:
    """Asserts that both are the same; prints only the differences."""
    wrong = {
        key: f"{rows.get(key)}, expected {wanted.get(key)}"
        for key in {**rows, **wanted}
        if rows.get(key) != wanted.get(key)
    }
    assert not wrong, "\n".join(f"{'.'.join(key)}: {text}" for key, text in sorted(wrong.items()))


@pytest.mark.parametrize(("folder", "version", "mode", "kind"), cases(*PROGRAMS))
def test_counts(
    woven: Run,
    expected: Callable[[str], dict[str, dict[Key, Counts]]],
    folder: str,
    version: int,
    mode: str,
    kind: str,
) -> None:
    wanted = {key: counts for counts_of in expected(folder).values() for key, counts in counts_of.items()}
    rows = {
        (row["class"], row["method"], row["descriptor"]): row
        for row in woven(folder, version, mode, kind).report["methods"]
    }
    if kind == "count":
        assert_same(
            {key: (row["calls"],) for key, row in rows.items()},
            {key: (counts.calls,) for key, counts in wanted.items()},
        )
        assert not any(name.endswith("_ns") for row in rows.values() for name in row)
    elif kind == "profile":
        found = {key: (row["calls"], row["exceptions"]) for key, row in rows.items()}
        assert_same(found, {key: (counts.calls, counts.exceptions) for key, counts in wanted.items()})
        assert all("cpu_self_ns" in row for row in rows.values())
    else:
        assert_same(
            {key: (row["calls"], row["completed"], row["exceptions"]) for key, row in rows.items()},
            {key: (counts.calls, counts.completed, counts.exceptions) for key, counts in wanted.items()},
        )
        for key, row in rows.items():
            if row["completed"]:
                assert row["min_ns"] <= row["p50_ns"] <= row["p90_ns"] <= row["p99_ns"] <= row["max_ns"], key
                assert row["self_ns"] >= 0, key
