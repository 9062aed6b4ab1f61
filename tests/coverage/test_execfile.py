"""JaCoCo's data files: what its agent wrote is read, what we write its own reader takes, and damaged ones are
refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.coverage.class_id import class_id
from classhook.coverage.execfile import BadExecFile, ExecFile, Executed, Session, read, write
from tests.conftest import Jvm, execute
from tests.coverage.conftest import Compile


@pytest.fixture
def file() -> ExecFile:
    file = ExecFile()
    file.sessions.append(Session("häuschen-\0", 1000, 2000))
    file.add(Executed(-5, "a/B", bytes([1] + [0] * 300 + [1])))
    file.add(Executed(7, "a/C", bytes([0, 1])))
    return file


def test_what_is_written_is_read(file: ExecFile) -> None:
    found = read(write(file))
    assert [(one.id, one.start, one.end) for one in found.sessions] == [("häuschen-\0", 1000, 2000)]
    assert {(one.class_id, one.name, one.probes) for one in found.classes.values()} == {
        (one.class_id, one.name, one.probes) for one in file.classes.values()
    }


def test_classes_that_did_not_run_are_left_out() -> None:
    file = ExecFile()
    file.add(Executed(1, "a/B", bytes(3)))
    assert not read(write(file)).classes


def test_files_behind_each_other_are_united(file: ExecFile) -> None:
    other = ExecFile()
    other.add(Executed(7, "a/C", bytes([1, 0])))
    assert read(write(file) + write(other)).classes[7].probes == bytes([1, 1])


def test_different_classes_of_one_id_are_refused(file: ExecFile) -> None:
    with pytest.raises(BadExecFile, match="different classes with the id 0000000000000007: a/C and a/D"):
        file.add(Executed(7, "a/D", bytes([1, 0])))


def test_what_the_agent_writes(compile_java: Compile, jdk: Jvm, agent: Path, tmp_path: Path) -> None:
    classes = compile_java("missed", "javac17", "--release", "17")
    data = tmp_path / "jacoco.exec"
    assert (
        execute([jdk.java, f"-javaagent:{agent}=destfile={data},sessionid=here", "-cp", classes, "Missed"]).status == 0
    )
    found = read(data.read_bytes())
    assert [one.id for one in found.sessions] == ["here"]
    assert found.classes[class_id((classes / "Missed.class").read_bytes())].name == "Missed"


@pytest.mark.parametrize("size", range(5, 60))
def test_torn_files_are_refused_or_end_with_a_block(size: int, file: ExecFile) -> None:
    torn = write(file)[:size]
    try:
        found = read(torn)
    except BadExecFile:
        return
    assert write(found) == torn


@pytest.mark.parametrize("data", [b"PK\3\4", b"\1\xc0\xc0\x10\x06", b"\1\xc0\xc0\x10\x07\x55"])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(BadExecFile, match="at byte"):
        read(data)


def test_a_class_of_java_9_has_the_id_of_one_of_java_8() -> None:
    head = b"\xca\xfe\xba\xbe\0\0\0"
    assert (
        class_id(head + b"\x35" + bytes(20))
        == class_id(head + b"\x34" + bytes(20))
        != class_id(head + b"\x36" + bytes(20))
    )
