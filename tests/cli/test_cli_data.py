"""Damaged data files: intact data is reported, damage is mentioned, and nothing is lost or counted twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.model.reading.files import read
from classhook.store.layout import HEADER_BYTES, lib
from classhook.store.opening import DataError
from classhook.store.reading import read_file
from tests import compiling
from tests.cli.conftest import Classhook
from tests.cli.tools import WORK_CALLS, calls

Counts = Callable[..., dict[str, Any]]


def the_file(folder: Path) -> Path:
    (path,) = folder.glob("*.classhook")
    return path


def put(path: Path, content: bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def other_version(whole: bytes) -> bytes:
    return whole[:8] + (lib.CH_FORMAT + 1).to_bytes(4, sys.byteorder) + whole[12:]


#: Kind -> (content made from a good file's, part of the message).
BAD_FILES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda whole: b"", "empty"),
    "text": (lambda whole: b"hello\n", "not a classhook data file"),
    "random": (lambda whole: random.Random(1).randbytes(300_000), "not a classhook data file"),
    "only the magic": (lambda whole: whole[:8], "truncated within its header after 8 bytes"),
    "half a header": (lambda whole: whole[: HEADER_BYTES // 2], "truncated within its header"),
    "almost a header": (lambda whole: whole[: HEADER_BYTES - 1], "truncated within its header"),
    "another version": (
        other_version,
        f"another version of classhook (format {lib.CH_FORMAT + 1}, this one reads {lib.CH_FORMAT})",
    ),
    "random behind the magic": (lambda whole: whole[:8] + random.Random(1).randbytes(300_000), "another version"),
    "random in the header": (lambda whole: whole[:16] + random.Random(1).randbytes(300_000), "its header is damaged"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_alone_is_named(classhook: Classhook, data: Path, kind: str) -> None:
    spoil, words = BAD_FILES[kind]
    file = the_file(data)
    file.write_bytes(spoil(file.read_bytes()))
    for arguments in (["data"], [str(file)], ["-f", "json", "data"]):
        done = classhook("report", *arguments)
        assert (done.status, done.out) == (2, "")
        assert "nothing to report" in done.err
        assert file.name in done.err
        assert words in done.err


def test_good_files_among_bad_ones_are_reported(classhook: Classhook, data: Path, counts: Counts) -> None:
    whole = the_file(data).read_bytes()
    for number, (spoil, _) in enumerate(BAD_FILES.values()):
        put(data / f"{number}-bad.classhook", spoil(whole))
    (data / "gone.classhook").symlink_to("/dev/shm/classhook-0-gone.classhook")
    (data / "folder.classhook").mkdir()
    os.mkfifo(data / "pipe.classhook")
    put(data / "notes.txt", b"not ours")
    report = counts("data", status=1)
    assert calls(report) == WORK_CALLS
    assert len(report["processes"]) == 1
    assert len(report["notes"]) == len(BAD_FILES) + 3
    done = classhook("report", "data")
    assert done.status == 1
    assert "p.Work.add(int)" in done.out
    for number, (_, words) in enumerate(BAD_FILES.values()):
        assert any(f"{number}-bad.classhook" in line and words in line for line in done.out.splitlines())
    assert "gone.classhook: its counters were in memory (/dev/shm), which has been cleared" in done.out
    assert "folder.classhook: not a file" in done.out
    assert "pipe.classhook: not a file" in done.out
    assert done.err == ""


def test_a_link_that_leads_to_itself_is_a_note(classhook: Classhook, data: Path, counts: Counts) -> None:
    loop = data / "loop.classhook"
    loop.symlink_to(loop.name)
    for arguments in ["data"], ["data", loop]:
        report = counts(*arguments, status=1)
        assert calls(report) == WORK_CALLS
        assert report["notes"] == ["data/loop.classhook: cannot be read: Too many levels of symbolic links"]
    done = classhook("report", loop)
    assert done.status == 2
    assert "loop.classhook: cannot be read" in done.err


def test_where_the_report_goes_to_a_file_the_notes_are_on_stderr_too(
    classhook: Classhook, data: Path, tmp_path: Path
) -> None:
    put(data / "bad.classhook", b"")
    for form in ("text", "json"):
        done = classhook("report", "-f", form, "data", "-o", "out")
        assert (done.status, done.out) == (1, "")
        assert "bad.classhook: empty" in done.err
        assert "bad.classhook: empty" in (tmp_path / "out").read_text()


def test_cut_at_many_lengths(data: Path, tmp_path: Path) -> None:
    """A cut file never gives more than the whole one, more bytes never give less, and missing data is mentioned."""
    whole = the_file(data).read_bytes()
    full = read([the_file(data)])
    least = -1
    lengths = {*range(HEADER_BYTES, len(whole), 4099), *range(lib.CH_CHUNK, len(whole), lib.CH_CHUNK), len(whole) - 1}
    for length in sorted(lengths):
        snapshot = read([put(tmp_path / "cut", whole[:length])])
        assert len(snapshot.processes) == 1
        assert not snapshot.complete
        total = sum(row.calls for row in snapshot.tables["methods"].values())
        assert least <= total <= sum(row.calls for row in full.tables["methods"].values())
        for key, row in snapshot.tables["methods"].items():
            assert row.calls in (0, full.tables["methods"][key].calls)
        least = total
    assert least >= 0


def test_a_cut_file_says_so(classhook: Classhook, data: Path) -> None:
    file = the_file(data)
    size = file.stat().st_size
    os.truncate(file, size - 1)
    done = classhook("report", "data")
    assert done.status == 1
    assert (
        f"note: {file.relative_to(data.parent)}: truncated after {size - 1:,} bytes; the complete parts were read"
        in done.out
    )


def test_no_data(classhook: Classhook, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, words in {
        (): "classhook-data: no such file or directory",
        ("empty",): "empty: no data files",
        ("nowhere",): "nowhere: no such file or directory",
        ("empty", "nowhere"): "nowhere: no such file or directory",
    }.items():
        done = classhook("report", *arguments)
        assert (done.status, done.out) == (2, "")
        assert words in done.err
        assert "`classhook run -o DIR` writes data to DIR" in done.err


def test_data_that_is_not_there_is_said_instead_of_a_report_without_it(classhook: Classhook, data: Path) -> None:
    for form in ("text", "json"):
        done = classhook("report", "-f", form, "nowhere", data)
        assert (done.status, done.out) == (2, "")
        assert "nowhere: no such file or directory" in done.err


def test_a_file_named_twice_and_a_copy_count_once(data: Path, counts: Counts, tmp_path: Path) -> None:
    file = the_file(data)
    (tmp_path / "link").symlink_to(file)
    assert calls(counts("data", "data", file, "link")) == WORK_CALLS
    shutil.copy(file, data / "copy.classhook")
    report = counts("data", status=1)
    assert calls(report) == WORK_CALLS
    assert "copy" in report["notes"][0]


def test_two_runs_add_up(classhook: Classhook, recorded: Path, classes: Path, counts: Counts) -> None:
    classhook(
        "run", "-e", "time p.Work::*", "-e", "count p.Work::add", "-o", "more", "--", "java", "-cp", classes, "p.Work"
    )
    one, other, both = counts(recorded), counts("more"), counts(recorded, "more")
    assert calls(both) == {name: 2 * n for name, n in WORK_CALLS.items()}
    assert [p["pid"] for p in both["processes"]] == [p["pid"] for p in one["processes"] + other["processes"]]
    for key in ("seen", "matched", "woven", "cached"):
        assert both["classes"][key] == one["classes"][key] + other["classes"][key]
    for row, first, second in zip(
        *(sorted(r["methods"], key=lambda m: m["method"]) for r in (both, one, other)), strict=True
    ):
        for key in ("calls", "completed", "exceptions", "total_ns", "self_ns"):
            assert row[key] == first[key] + second[key]
        assert (row["min_ns"], row["max_ns"]) == (
            min(first["min_ns"], second["min_ns"]),
            max(first["max_ns"], second["max_ns"]),
        )
    assert both["allocations"] == one["allocations"]  # the second run had no such rule
    rules = {rule["rule"]: rule["matched_methods"] for rule in both["rules"]}
    assert rules == {"time p.Work::*": 10, "alloc * in p.Work": 2, "count p.Work::add": 1}


def test_counts_of_a_running_and_of_a_killed_jvm(
    classhook: Classhook, classes: Path, counts: Counts, tmp_path: Path
) -> None:
    from classhook.native import library

    assert classhook("rules", "--compile", "-e", "count p.Wait::*", "-o", "rules").status == 0
    (tmp_path / "p").mkdir()
    source = (
        "package p; class Wait { static void once() {} public static void main(String[] a) throws Exception { once(); "
    )
    (tmp_path / "p" / "Wait.java").write_text(source + 'System.out.println("ready"); System.in.read(); } }')
    compiling.javac("javac", "-d", str(tmp_path), str(tmp_path / "p" / "Wait.java"))
    line = ["java", f"-agentpath:{library.AGENT}=rules=rules,data=data", "-cp", str(tmp_path), "p.Wait"]
    with subprocess.Popen(line, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        report = counts("data")
        assert [p["end"] for p in report["processes"]] == ["running"]
        assert calls(report) == {"p.Wait::main": 1, "p.Wait::once": 1}
        link = the_file(tmp_path / "data")
        target = link.resolve()
        assert link.is_symlink()
        assert target.parent == Path("/dev/shm")
        process.send_signal(signal.SIGKILL)
    report = counts("data")
    assert [p["end"] for p in report["processes"]] == ["killed"]
    assert calls(report) == {"p.Wait::main": 1, "p.Wait::once": 1}
    assert not link.is_symlink(), "report brings the counters home"
    assert not target.exists()
    assert link.stat().st_mode & 0o777 == 0o600


def test_report_takes_nothing_away_but_from_our_own_memory(
    classhook: Classhook, recorded: Path, tmp_path: Path
) -> None:
    """Only files behind links that the agent made are moved; the targets of other links stay where they are."""
    elsewhere = shutil.copytree(recorded, tmp_path / "elsewhere")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x.classhook").symlink_to(the_file(elsewhere))
    (tmp_path / "data" / "y.classhook").symlink_to("/etc/hostname")
    assert classhook("report", "data").status == 1
    assert the_file(elsewhere).is_file()
    assert Path("/etc/hostname").is_file()
    assert (tmp_path / "data" / "x.classhook").is_symlink()


def test_a_foreign_file_in_memory_under_our_name_stays(classhook: Classhook, tmp_path: Path) -> None:
    target = Path(f"/dev/shm/classhook-0-{os.getpid()}-test.classhook")
    link = tmp_path / "data" / f"{os.getpid()}-test.classhook"
    link.parent.mkdir()
    link.symlink_to(target)
    try:
        target.write_bytes(b"something else")
        assert classhook("report", "data").status == 2
        assert target.read_bytes() == b"something else"
    finally:
        target.unlink()


def test_reading_a_directory_says_what_it_is_not(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a file"):
        read_file(tmp_path)
