"""Sessions from Python: what they count, their rules, and JVMs that end."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from classhook import Failure, Session, UsageError, attach
from tests.conftest import ENVIRONMENT, Compiled, FindJvm, classhook_command, releases, report_of, until
from tests.live.conftest import classhook

TABLES = ("methods", "allocations", "coverage", "calls", "cpu", "locks", "objects")
ON_DISK = -17  # of this version, with its counters on disk


@pytest.fixture(params=releases(17, 25), ids=lambda version: f"jdk{version}")
def steady(request: pytest.FixtureRequest, compiled: Compiled, find_jvm: FindJvm) -> Iterator[subprocess.Popen[bytes]]:
    line = [find_jvm(abs(request.param)).java, "-cp", compiled("Steady"), "Steady"]
    env = ENVIRONMENT if request.param > 0 else {**ENVIRONMENT, "CLASSHOOK_NO_TMPFS": "1"}
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


def calls(session: Session, method: str) -> int:
    return sum(row.calls for row in session.snapshot().methods if row.method == method)


def covered(session: Session) -> dict[str, tuple[int, int]]:
    """The methods that ran: how many probes they have, and how many of these were hit."""
    return {
        row["method"]: (row["probes"], row["hit"]) for row in session.snapshot().to_dict()["coverage"] if row["hit"]
    }


def test_a_call_that_began_before_has_times(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """The worker's loop began before its class was woven: its calls are not counted, and its samples are."""

    def looping(session: Session) -> int:
        rows = [row for row in session.snapshot().methods if row.method == "lambda$main$0"]
        return sum(row["wall_total_ns"] for row in rows)

    with attach(steady.pid, "profile Steady::*", data=tmp_path) as session:
        until(lambda: looping(session) > 50_000_000)
        (row,) = (row for row in session.snapshot().methods if row.method == "lambda$main$0")
        assert row.calls == 0
        assert calls(session, "outer") > 0


def test_a_rule_that_comes_later_has_earlier_samples_and_the_report_says_so(
    steady: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    with attach(steady.pid, "profile Steady::outer", data=tmp_path) as session:
        until(lambda: calls(session, "outer") > 0)
        assert not session.snapshot().to_dict()["processes"][0]["sampling"]["rules_changed"]
        session.add("profile Steady::step")
        until(lambda: calls(session, "step") > 0)
        found = session.snapshot()
        assert found.to_dict()["processes"][0]["sampling"]["rules_changed"]
        assert not found.processes[0].notes


def test_samples_before_a_reset_make_no_rows(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with attach(steady.pid, "profile Steady::*", data=tmp_path) as session:
        until(lambda: any(row.method == "outer" and row["wall_total_ns"] > 0 for row in session.snapshot().methods))
        session.pause("profile Steady::*")
        session.reset()
        assert not [row.method for row in session.snapshot().methods if not row.calls and not row["wall_total_ns"]]


def test_a_session_counts_from_its_begin_to_its_end(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with attach(steady.pid, "count Steady::outer", data=tmp_path) as session:
        assert session.attached
        until(lambda: calls(session, "outer") > 20)
        session.add("count Steady::step")
        assert session.rules == ["count Steady::outer", "count Steady::step"]
        until(lambda: calls(session, "step") > 100)
        session.pause("count Steady::step")
        assert session.rules == ["count Steady::outer"]
        before = calls(session, "outer")
        session.reset()
        assert session.snapshot().processes[0].since_unix_ns > 0
        assert calls(session, "outer") < before
        with pytest.raises(UsageError, match="no such rule"):
            session.remove("count Steady::nothing")
        session.remove("count Steady::step")
    assert not session.attached
    assert session.running
    ended = session.snapshot()
    assert ended.processes[0].end == "detached"
    time.sleep(0.1)
    assert session.snapshot().methods.to_dict() == ended.methods.to_dict()
    session.detach()  # nothing happens


def test_a_jvm_that_ends_meanwhile(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with attach(steady.pid, ["count Steady::*"], data=tmp_path) as session:
        until(lambda: calls(session, "outer") > 5)
        steady.kill()
        steady.wait()
        assert not session.running
        assert session.snapshot().processes[0].end == "killed"
        assert calls(session, "outer") > 5
        with pytest.raises(Failure):
            session.add("count Steady::main")


def in_memory(process: subprocess.Popen[bytes]) -> list[str]:
    """The process's files in /dev/shm."""
    return [path.name for path in Path("/dev/shm").glob(f"classhook-*-{process.pid}-*")]


def test_each_session_has_a_file_of_its_own(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with attach(steady.pid, ["count Steady::outer", "cover Steady"], data=one) as first:
        until(lambda: calls(first, "outer") > 20)
        assert first.data.is_symlink()
        with pytest.raises(Failure, match=f"is attached already, and its data goes to {first.data}"):
            attach(steady.pid, "count Steady::main", data=two)
        assert not two.exists()
    kept = first.data.read_bytes()
    assert not first.data.is_symlink()
    assert sorted(path.suffix for path in one.iterdir()) == ["", ".classhook", ".rules"], "originals, data and rules"
    with attach(steady.pid, "count Steady::step", data=two) as second:
        until(lambda: calls(second, "step") > 100)
        live = second.snapshot().to_dict()
        assert [row["rule"] for row in live["rules"]] == ["count Steady::step"]
        assert live["coverage"] == []
        steady.send_signal(signal.SIGSTOP)  # what is copied now is what was counted then
        copy = two / "copy"
        assert classhook("ctl", str(steady.pid), "snapshot", copy).status == 0
        steady.send_signal(signal.SIGCONT)
    for rules in (["cover Steady"], ["cover Steady"], ["count Steady::outer", "cover Steady"]):
        with attach(steady.pid, rules, data=two) as third:
            until(lambda: covered(third) == covered(first))  # main ran before
            assert len(third.snapshot().to_dict()["coverage"]) == len(first.snapshot().to_dict()["coverage"])
        assert [row["rule"] for row in third.snapshot().to_dict()["rules"]] == rules
        assert not any("missing" in note for process in third.snapshot().processes for note in process.notes)
    (process,) = second.snapshot().to_dict()["processes"]
    (before,) = first.snapshot().to_dict()["processes"]
    assert before["attached"]["to"] <= process["attached"]["from"] < process["attached"]["to"]
    assert calls(second, "outer") == 0
    copied = Session(second._jvm, replace(second.begun, data=copy))
    assert 0 < calls(copied, "step") <= calls(second, "step")
    assert calls(copied, "outer") == 0
    assert first.data.read_bytes() == kept
    both = report_of(one)
    assert [one["end"] for one in both["processes"]] == ["detached"]
    assert sum(row["calls"] for row in both["methods"]) == calls(first, "outer")
    assert set(covered(first)) == {"outer", "step"}


#: Rules, each with the part of a session's report that only such a rule makes: a key of its process, or a table.
OF_A_RULE = {
    "cpu": "cpu_sampling",
    "locks": "locks",
    "profile Steady::outer": "sampling",
    "alloc byte[] in Steady every 4KB live": "objects",
    "time Steady::step tree": "tree",
    "watch Steady::outer": "calls",
    "threads": "threads",
}


@pytest.mark.parametrize("steady", [17], indirect=True, ids=["jdk17"])
def test_a_report_has_nothing_of_the_rules_of_earlier_sessions(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """Also if it is about methods of theirs, or has one of their rules again."""
    again = "time Steady::step tree"
    for number, rules in enumerate(
        [[*OF_A_RULE], ["count Steady::*er"], ["count Steady::*er"], [again], [again, "threads"]]
    ):
        data = tmp_path / str(number)
        with attach(steady.pid, rules, data=data) as session:
            until(lambda: session.snapshot().processes[0].contributed > 5)
            if number == 1:
                status = classhook("ctl", str(steady.pid), "status")
                assert status.status == 0, status.stderr
        report = report_of(data)
        (process,) = report["processes"]
        assert [row["rule"] for row in report["rules"]] == rules
        found = [rule for rule, key in OF_A_RULE.items() if process.get(key) or report.get(key)]
        assert found == [rule for rule in OF_A_RULE if rule in rules]
        assert {row["rule"] for name, rows in report.items() if name in TABLES for row in rows} <= set(rules)
        if rules != [*OF_A_RULE]:
            said = classhook("report", data)
            assert said.status == 0, said.stderr
            assert ("exact call tree: 1 node" in said.stdout) == (again in rules), said.stdout
            assert "sampled" not in said.stdout, said.stdout
            assert len(report["methods"]) == 1, report["methods"]
            assert ("1 counted method: " in said.stdout) == (again not in rules), said.stdout
    (data,) = (tmp_path / "1").glob("*.classhook")
    assert "Steady" not in classhook("report", data, "-f", "tree").stdout


def test_sessions_end_with_the_jvm(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """Killed in a session, it leaves what that one has counted; at its end, a file of its own, and nothing in
    memory."""
    with attach(steady.pid, "count Steady::step", data=tmp_path) as first:
        until(lambda: calls(first, "step") > 1000)
    counted = calls(first, "step")
    second = attach(steady.pid, "count Steady::outer", data=tmp_path)
    until(lambda: calls(second, "outer") > 5)
    assert calls(second, "step") == 0
    steady.kill()
    steady.wait()
    assert second.snapshot().processes[0].end == "killed"
    assert (calls(second, "step"), calls(first, "step"), calls(second, "outer") > 5) == (0, counted, True)
    assert not second.data.is_symlink()
    assert in_memory(steady) == []


def test_the_jvms_end_leaves_a_file(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    session = attach(steady.pid, "count Steady::outer", data=tmp_path)
    until(lambda: calls(session, "outer") > 5)
    steady.communicate(b"")
    assert steady.returncode == 0
    assert not session.data.is_symlink()
    assert session.snapshot().processes[0].end == "exit"
    assert in_memory(steady) == []


@pytest.mark.parametrize("steady", [25], indirect=True, ids=["jdk25"])
def test_classes_that_only_an_earlier_session_wove_are_not_missed(
    steady: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """They were loaded in it, and never linked: the later session did not look at them, and its directory has no class
    files of theirs."""
    for data in (tmp_path / "one", tmp_path / "two"):
        with attach(steady.pid, "cover java.util.**", data=data) as session:
            until(lambda session=session: covered(session))  # type: ignore[misc]
    assert report_of(tmp_path / "two")["coverage"], "and its status is 0: nothing is missing"


def test_coverage_of_classes_woven_ahead_begins_anew(compiled: Compiled, find_jvm: FindJvm, tmp_path: Path) -> None:
    """Code of such classes that the JIT has compiled leaves out probes that were hit in the first session."""
    woven, first, second = tmp_path / "woven", tmp_path / "first", tmp_path / "second"
    assert classhook("weave", "--quiet", "-e", "cover Steady", compiled("Steady"), "-o", woven).status == 0
    line = [
        *classhook_command(),
        "run",
        "--quiet",
        "-e",
        "count Nothing::at",
        "-o",
        first,
        "--",
        find_jvm(17).java,
        "-cp",
        woven,
        "Steady",
    ]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(1)  # until it is compiled
        (data,) = first.glob("*.classhook")
        pid = data.name.partition("-")[0]
        assert classhook("detach", pid).status == 0
        with attach(int(pid), "count Nothing::at", data=second) as session:
            until(lambda: {"outer", "step"} <= covered(session).keys())
        process.communicate(b"")
    assert "main" not in covered(session)
    assert report_of(second)["coverage"], "and its class file is not missing"


@pytest.mark.parametrize("steady", [17], indirect=True, ids=["jdk17"])
def test_a_data_directory_in_memory_with_a_name_like_ours(steady: subprocess.Popen[bytes]) -> None:
    with tempfile.TemporaryDirectory(prefix="classhook-", dir="/dev/shm") as name:
        with attach(steady.pid, "count Steady::step", data=Path(name)) as first:
            until(lambda: calls(first, "step") > 1000)
        second = attach(steady.pid, "count Steady::outer", data=Path(name))
        until(lambda: calls(second, "outer") > 5)
        steady.communicate(b"")
        assert calls(first, "step") > 1000
        assert calls(second, "outer") > 5
        assert not any(path.is_symlink() for path in Path(name).iterdir())
        assert {path.name for path in Path(name).iterdir() if path.suffix != ".rules"} == {
            first.data.name,
            second.data.name,
        }
    assert in_memory(steady) == []


@pytest.mark.parametrize("steady", [ON_DISK], indirect=True, ids=["jdk17"])
def test_where_counters_are_on_disk(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """They are in the data directory itself; what is there after a session is a file without holes, too."""
    one, two = tmp_path / "one", tmp_path / "two"
    with attach(steady.pid, "count Steady::step", data=one) as first:
        until(lambda: calls(first, "step") > 1000)
    counted = calls(first, "step")
    assert first.data.stat().st_size < 1 << 20
    with attach(steady.pid, "count Steady::outer", data=two) as second:
        until(lambda: calls(second, "outer") > 5)
        assert second.data.stat().st_size > 1 << 30
    assert second.data.stat().st_size < 1 << 20
    assert (calls(first, "step"), calls(second, "step")) == (counted, 0)
    third = attach(steady.pid, "count Steady::outer", data=two)
    until(lambda: calls(third, "outer") > 5)
    third.data.with_name(f"{third.data.name}.base").unlink()
    assert ".base is missing" in third.snapshot().processes[0].notes[-1]
    two.rename(tmp_path / "renamed")
    steady.communicate(b"")
    left = tmp_path / "renamed" / third.data.name
    assert left.stat().st_size < 1 << 20
    done = classhook("report", left)
    assert (done.status, ", ended" in done.stdout) == (1, True), done.stderr
    assert "because its baseline was removed" in " ".join(done.stdout.split())
    assert not list(tmp_path.glob("*/.*")), "nothing is left beside the data files"


@pytest.mark.parametrize("steady", [17], indirect=True, ids=["jdk17"])
def test_data_that_cannot_be_moved_stays_in_memory(steady: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """A folder is where the file is to be written, so that writing fails as on a full disk."""
    data, other = tmp_path / "data", tmp_path / "other"
    assert classhook("attach", str(steady.pid), "-e", "count Steady::step", "-o", data).status == 0
    (file,) = data.glob("*.classhook")
    (data / f".{file.name}.new").mkdir()
    done = classhook("detach", str(steady.pid))
    assert (done.status, f"{file} cannot be written" in done.stderr) == (1, True), done.stderr
    assert f"stays in {file.resolve()} until `classhook report`" in done.stderr
    assert (
        classhook("attach", str(steady.pid), "--quiet", "-e", "count Steady::step", "-o", tmp_path / "third").status
        == 0
    )
    assert classhook("ctl", str(steady.pid), "detach").status == 0
    assert not any(path.is_symlink() for path in (tmp_path / "third").iterdir())
    assert classhook("attach", str(steady.pid), "--quiet", "-e", "count Steady::outer", "-o", other).status == 0
    report = report_of(data)
    assert [one["end"] for one in report["processes"]] == ["detached"]
    assert {row["method"] for row in report["methods"]} == {"step"}
    assert not file.is_symlink(), "the report has moved it"
    data.rename(tmp_path / "moved")
    (link,) = other.glob("*.classhook")
    other.rename(tmp_path / "renamed")
    done = classhook("detach", str(steady.pid))
    assert (done.status, "cannot be written: No such file or directory" in done.stderr) == (1, True), done.stderr
    assert {row["method"] for row in report_of(tmp_path / "renamed")["methods"]} == {"outer"}
    assert not (tmp_path / "renamed" / link.name).is_symlink()
    steady.communicate(b"")
    assert in_memory(steady) == []


def test_a_later_session_has_its_own_maximum_and_classes(compiled: Compiled, find_jvm: FindJvm, tmp_path: Path) -> None:
    def used(session: Session, calls: int) -> int:
        """The longest time, once it has been blocked so often."""
        until(lambda: sum(row.count for row in session.snapshot().locks if row.method == "use") >= calls)
        return max(row.max_ns for row in session.snapshot().locks if row.method == "use")

    def woven(session: Session) -> tuple[int, int]:
        classes = session.snapshot().to_dict()["classes"]
        return classes["matched"], classes["woven"]

    line = [find_jvm(17).java, "-cp", compiled("Shrinks"), "Shrinks"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        with attach(process.pid, ["locks", "count Shrinks::*"], data=tmp_path / "one") as session:
            used(session, 2)
            process.stdin.write(b"\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"short\n"
            long = used(session, 20)
            session.reset()
            assert used(session, 10) < long, "after a reset"
            assert woven(session) == (1, 1)
        with attach(process.pid, ["locks"], data=tmp_path / "two") as session:
            assert used(session, 10) < long
            assert woven(session) == (0, 0)
        with attach(process.pid, ["count Shrinks::use"], data=tmp_path / "three") as session:
            assert woven(session) == (1, 1)
        process.kill()
