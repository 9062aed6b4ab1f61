"""Data files that are of one run, and runs that are repetitions of each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.native._layout import ffi
from classhook.store.layout import HEADER_BYTES, MAGIC, lib
from classhook.store.runs import repetitions

SECOND = 10**9


@pytest.fixture
def recorded(tmp_path: Path):  # type: ignore[no-untyped-def]
    """recorded(name, program, run, begin, end): a data file that has a header only."""
    made: list[Path] = []

    def record(
        name: str,
        program: str,
        run: str = "",
        begin: int = 0,
        end: int = 1,
        *,
        command: str = "",
        pid: int = 0,
        session: int = 0,
    ) -> None:
        header = ffi.new(
            "struct ch_header *",
            {
                "magic": MAGIC,
                "format": lib.CH_FORMAT,
                "header_bytes": HEADER_BYTES,
                "pid": pid or len(made) + 1,
                "start_unix_ns": begin * SECOND,
                "last_ns": (end - begin) * SECOND,
                "program": program.encode(),
                "run": run.encode(),
                "command": (command or name).encode(),
                "session_unix_ns": session * SECOND,
            },
        )
        made.append(tmp_path / f"{len(made)}-{name}.classhook")
        made[-1].write_bytes(bytes(ffi.buffer(header)))

    record.grouped = lambda: sorted(  # type: ignore[attr-defined]
        [
            [sorted(path.name.partition("-")[2].partition(".")[0] for path in run.files) for run in runs]
            for runs in repetitions(made).values()
        ]
    )
    return record


def test_all_processes_of_a_run_add_up(recorded) -> None:  # type: ignore[no-untyped-def]
    for run in "abc":
        recorded(f"{run}-maven", "Launcher test", run)
        for fork in "12":
            recorded(f"{run}-fork{fork}", "surefirebooter.jar", run)
    assert recorded.grouped() == [[[f"{run}-fork1", f"{run}-fork2", f"{run}-maven"] for run in "abc"]]


def test_runs_with_a_program_in_common_are_repetitions(recorded) -> None:  # type: ignore[no-untyped-def]
    for run, programs in (
        ("a", ["Launcher test", "x.Fork 1"]),
        ("b", ["x.Fork 2", "Launcher test"]),
        ("c", ["p.Other"]),
    ):
        for program in programs:
            recorded(f"{run}-{program.rpartition('.')[2]}", program, run)
    assert recorded.grouped() == [[["a-Fork 1", "a-Launcher test"], ["b-Fork 2", "b-Launcher test"]], [["c-Other"]]]


def test_without_a_run_one_after_another(recorded) -> None:  # type: ignore[no-untyped-def]
    recorded("one", "sbt.ForkMain", begin=0, end=10, command="java sbt.ForkMain 1")
    recorded(
        "two", "sbt.ForkMain", begin=5, end=12, command="java sbt.ForkMain 2"
    )  # beside it: a worker of the same build
    recorded("three", "sbt.ForkMain", begin=20, end=30, command="java sbt.ForkMain 3")
    recorded("other", "p.Main", begin=20, end=30)
    assert recorded.grouped() == [[["one", "two"], ["three"]], [["other"]]]


def test_without_a_run_the_same_command_beside_itself(recorded) -> None:  # type: ignore[no-untyped-def]
    for name in ("one", "two"):
        recorded(name, "p.Main", begin=0, end=10, command="java p.Main")
    assert recorded.grouped() == [[["one"], ["two"]]]


def test_periods_of_a_process_are_one_run(recorded) -> None:  # type: ignore[no-untyped-def]
    for name in ("one", "two"):
        recorded(name, "p.Main", begin=0, end=10, pid=7)
    assert recorded.grouped() == [[["one", "two"]]]


def test_sessions_of_a_process_are_repetitions(recorded) -> None:  # type: ignore[no-untyped-def]
    for name, session in (("one", 10), ("two", 20)):
        recorded(name, "p.Main", begin=0, end=session + 5, command="java p.Main", pid=7, session=session)
    assert recorded.grouped() == [[["one"], ["two"]]]


def test_damaged_files_and_files_without_a_program(recorded, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    recorded("one", "", command="java p.Main", begin=0)
    recorded("two", "", command="java p.Main", begin=5, end=6)
    (tmp_path / "1-two.classhook").with_name("damaged.classhook").write_bytes(b"x")
    assert recorded.grouped() == [[["one"], ["two"]]]
    assert repetitions([tmp_path / "damaged.classhook", tmp_path / "none"]) == {}
