"""HPROF's files of a JVM that has the agent in its own command line: at its end, on SIGQUIT, on request, and after
SIGKILL."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from classhook.native import library
from tests.conftest import OLDEST_AND_NEWEST, Jvm, classhook_command, execute, until
from tests.extensions.hprof.conftest import held
from tests.extensions.hprof.reader import Text, read


def text_of(path: Path) -> Text:
    return read(path.read_text())


def wait_for(path: Path) -> Path:
    until(path.exists)
    return path


def check_monitors(found: Text) -> None:
    """Who holds what in java/Held.java."""
    holder, enterer, ringer, parker = (found.thread(name) for name in ("holder", "enterer", "ringer", "parker"))
    states = {name: found.states[found.thread(name)][1] for name in ("holder", "enterer", "ringer", "parker")}
    assert states == {"holder": "SL", "enterer": "MW", "ringer": "CW", "parker": "CW"}
    assert found.methods(found.states[enterer][0])[0] == "enter"
    known = {holder, enterer, ringer, parker}
    ours = {
        one.type: one
        for one in found.monitors
        if known & {one.owner, *one.waiting["to enter"], *one.waiting["to be notified"]}
    }
    assert {name: (one.owner, one.entries, one.waiting) for name, one in ours.items()} == {
        "Ljava/lang/Object;": (holder, 2, {"to enter": [enterer], "to be notified": []}),
        "Ljava/lang/StringBuilder;": (0, 0, {"to enter": [], "to be notified": [ringer]}),
        "Ljava/util/concurrent/locks/ReentrantLock$NonfairSync;": (
            holder,
            1,
            {"to enter": [parker], "to be notified": []},
        ),
    }


@OLDEST_AND_NEWEST
def test_on_sigquit_and_at_the_end(jvm: Jvm, held_classes: Path, tmp_path: Path) -> None:
    with held(jvm, held_classes, tmp_path, "cpu=times,heap=all,monitor=y,depth=8,cutoff=0") as program:
        os.kill(program.process.pid, signal.SIGQUIT)
        wait_for(tmp_path / "java.hprof.1.txt")
        err = program.end()
        assert program.process.returncode == 0, err
    assert "Dumping profile to" in err
    for name, heap in (("java.hprof.1.txt", "java.hprof.1.heap.hprof"), ("java.hprof.txt", "java.heap.hprof")):
        found = text_of(tmp_path / name)
        check_monitors(found)
        assert {"main", "holder", "gone 'soon'"} <= set(found.threads.values())
        assert found.thread("gone 'soon'") in found.ended
        calls = {method: int(row[3]) for row in found.tables["CPU TIME (ms)"] for method in found.methods(row[4])[:1]}
        assert (calls["main"], calls["start"], calls["hold"]) == (1, 4, 1)
        sites = {(row[8], *found.methods(row[7])): (int(row[5]), int(row[6])) for row in found.tables["SITES"]}
        assert sites["int[]", "main"] == (3 * 416, 3)
        ints = [what for kind, what, _ in found.heap.values() if kind == "ARR" and "nelems=100, elem type=int" in what]
        assert [re.sub(r"trace=\d+", "", what) for what in ints] == ["sz=416, , nelems=100, elem type=int"] * 3
        (array,) = [
            id_
            for id_, (kind, what, refs) in found.heap.items()
            if re.search(r"nelems=3, elem type=int\[\]@", what) and len(refs) == 3
        ]
        assert all(target in found.heap for target in found.heap[array][2].values())
        assert found.counted[0] == len(found.heap)
        assert (tmp_path / heap).stat().st_mode & 0o077 == 0
        assert (tmp_path / name).stat().st_mode & 0o077 == 0, "it has what the heap has"
    assert not (tmp_path / "classhook-data").exists(), "the data file has done its duty"


def test_each_file_has_the_time_of_its_own(jvm_17: Jvm, held_classes: Path, tmp_path: Path) -> None:
    with held(jvm_17, held_classes, tmp_path, "cpu=samples,heap=sites") as program:
        began, times = time.time(), []
        for number in (1, 2):
            os.kill(program.process.pid, signal.SIGQUIT)
            times.append(time_of(wait_for(tmp_path / f"java.hprof.{number}.txt")))
            time.sleep(1.1)
        program.end()
    times.append(time_of(tmp_path / "java.hprof.txt"))
    assert began - 1 <= times[0] < times[1] < times[2] <= time.time()


def time_of(path: Path) -> float:
    """The only one that its heads have."""
    (found,) = text_of(path).times
    return time.mktime(time.strptime(found))


def test_without_a_dump_at_the_end_there_is_one_on_sigquit(jvm_17: Jvm, held_classes: Path, tmp_path: Path) -> None:
    with held(jvm_17, held_classes, tmp_path, "heap=dump,doe=n") as program:
        os.kill(program.process.pid, signal.SIGQUIT)
        wait_for(tmp_path / "java.hprof.1.txt")
        program.end()
    assert {path.name for path in tmp_path.glob("java.*")} == {"java.hprof.1.txt", "java.hprof.1.heap.hprof"}


@OLDEST_AND_NEWEST
def test_after_sigkill_the_data_file_has_it_all(jvm: Jvm, held_classes: Path, tmp_path: Path) -> None:
    with held(jvm, held_classes, tmp_path, "cpu=times,monitor=y,file=never.txt") as program:
        os.kill(program.process.pid, signal.SIGKILL)
        program.end()
    assert not (tmp_path / "never.txt").exists()
    done = execute(
        [
            *classhook_command(),
            "hprof",
            f"cpu=times,cutoff=0,file={tmp_path}/late.txt",
            "--data",
            tmp_path / "classhook-data",
        ]
    )
    assert done.status == 0, done.stderr
    found = text_of(tmp_path / "late.txt")
    assert {"start", "main"} <= {found.methods(row[4])[0] for row in found.tables["CPU TIME (ms)"]}
    assert "holder" in found.threads.values()
    (file,) = (tmp_path / "classhook-data").glob("*.classhook")
    assert not file.is_symlink(), "it is not in /dev/shm any more"


@OLDEST_AND_NEWEST
def test_on_request(jvm: Jvm, held_classes: Path, tmp_path: Path) -> None:
    with held(jvm, held_classes, tmp_path, "cpu=times,monitor=y") as program:
        options = f"heap=dump,depth=2,file={tmp_path}/now.txt"
        done = execute([*classhook_command(), "ctl", str(program.process.pid), "hprof", options])
        assert done.status == 0, done.stderr
        found = text_of(tmp_path / "now.txt")
        check_monitors(found)
        assert found.heap
        assert "SITES" not in found.tables, "the JVM's rules measure no allocations"
        assert max(map(len, found.frames.values())) == 2
        done = execute(
            [*classhook_command(), "ctl", str(program.process.pid), "hprof", f"speed=1,file={tmp_path}/no.txt"]
        )
        assert (done.status, "speed=1: not an option of HPROF" in done.stderr) == (2, True)
        assert program.end() is not None


@pytest.mark.any_jvm
def test_help_and_mistakes_in_the_command_line(jvm: Jvm, held_classes: Path, tmp_path: Path) -> None:
    line = [jvm.java, f"-agentpath:{library.AGENT}=hprof:help", "-cp", held_classes, "Held"]
    done = execute(line)
    assert (done.status, done.stdout.startswith("hprof usage: ")) == (0, True)
    with held(jvm, held_classes, tmp_path, "cpu=fast") as program:
        err = program.end()
    assert "cpu=fast: cpu takes samples or times or old" in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("java.hprof*"))
