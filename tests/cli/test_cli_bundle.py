"""`classhook bundle`: one file that is the agent and the program, for a JVM without Python."""

from __future__ import annotations

import gzip
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.ahead.bundle import E_MACHINE, RULES
from classhook.native import library
from tests.cli.conftest import RULES as WORK_RULES
from tests.cli.conftest import Agent, Classhook
from tests.cli.tools import WORK_CALLS, WORK_OUT, calls

Counts = Callable[..., dict[str, Any]]
AARCH64 = (183).to_bytes(2, "little")


def of_aarch64(data: bytes) -> bytes:
    """Returns an agent's bytes with AArch64 as the machine in their ELF header."""
    return data[:E_MACHINE] + AARCH64 + data[E_MACHINE + 2 :]


def test_a_bundle_is_agent_and_program(
    classhook: Classhook, jar: Path, java: Agent, counts: Counts, tmp_path: Path
) -> None:
    rules = [word for rule in (*WORK_RULES, "cpu every 5ms", "count java.lang.Thread::start") for word in ("-e", rule)]
    done = classhook("bundle", *rules, jar, "-o", "work.classhook")
    assert done.status == 1
    lines = done.err.splitlines()
    assert lines[:2] == [
        "2 classes, 2 woven; 6 other files copied",
        "this rule matched nothing: count java.lang.Thread::start",
    ]
    assert lines[3] == "java -agentpath:./work.classhook=data=DIR -jar work.classhook"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work.classhook").rename(tmp_path / "elsewhere" / "work.so")
    ran = java("-agentpath:elsewhere/work.so=data=data", "-jar", "elsewhere/work.so", "5")
    assert (ran.status, ran.out) == (5, WORK_OUT)
    assert [line for line in ran.err.splitlines() if line.startswith("classhook")] == [
        "classhook: a bundle has no Python; classes that would have to be woven here are not instrumented"
    ]
    (tmp_path / "no-folder").touch()
    unrecorded = java("-agentpath:elsewhere/work.so=data=no-folder/data", "-jar", "elsewhere/work.so", "5")
    assert (unrecorded.status, unrecorded.out) == (5, WORK_OUT), (
        "the program does not pay for a folder that is read-only"
    )
    assert (
        "cannot use the data directory no-folder/data: Not a directory; the program runs, and nothing is recorded"
        in unrecorded.err
    )
    for wrong, why in (("bogus=1", 'unknown agent option "bogus=1"'), ("rules=missing", "missing")):
        anyway = java(f"-agentpath:elsewhere/work.so=data=anyway,{wrong}", "-jar", "elsewhere/work.so", "5")
        assert (anyway.status, anyway.out) == (5, WORK_OUT), "nor for options that are wrong"
        assert why in anyway.err
        assert "which runs with the bundle's rules now; its data: anyway" in anyway.err
    assert {call: 2 * n for call, n in WORK_CALLS.items()} == calls(counts("anyway"))
    report = counts("data")
    assert calls(report) == WORK_CALLS
    assert [process["python_start_ns"] for process in report["processes"]] == [0]
    assert {rule["rule"]: rule["matched_methods"] for rule in report["rules"]}.items() >= {
        WORK_RULES[0]: 5,
        WORK_RULES[1]: 2,
    }.items()
    (skipped,) = report["classes"]["skipped"]
    assert (skipped["class"], skipped["reason"], skipped["detail"]) == (
        "java.lang.Thread",
        "no-python",
        "a bundle has no Python",
    )
    assert "cpu every 5ms" in {rule["rule"] for rule in report["rules"]}
    assert report["cpu"]


def test_agents_of_other_machines_are_in_it(classhook: Classhook, jar: Path, java: Agent, tmp_path: Path) -> None:
    own = library.AGENT.read_bytes()
    (tmp_path / "other.so.gz").write_bytes(gzip.compress(of_aarch64(own)))
    for name, words in (("one", ()), ("again", ()), ("other", ("--for", "aarch64"))):
        done = classhook(
            "bundle", "-e", "count p.Work::*", jar, "--agent", "other.so.gz", *words, "-o", f"{name}.classhook"
        )
        assert done.status == 0, done.err
    one, again, other = (tmp_path / f"{name}.classhook" for name in ("one", "again", "other"))
    assert one.read_bytes() == again.read_bytes()
    assert other.read_bytes()[E_MACHINE : E_MACHINE + 2] == AARCH64
    with zipfile.ZipFile(one) as opened, zipfile.ZipFile(jar) as unbundled:
        assert opened.testzip() is None
        assert opened.comment == unbundled.comment
        assert opened.namelist() == [*unbundled.namelist(), RULES, "META-INF/classhook/aarch64/libclasshook.so"]
        assert opened.read("META-INF/classhook/aarch64/libclasshook.so") == of_aarch64(own)
        assert opened.read(RULES).startswith(b"classhook-rules ")
    with zipfile.ZipFile(other) as opened:
        assert opened.read("META-INF/classhook/x86_64/libclasshook.so") == own
    before, _, after = one.read_bytes().rpartition(b"classhook-rules ")
    (tmp_path / "damaged.classhook").write_bytes(before + b"classhook-rulez " + after)
    ran = java("-agentpath:./damaged.classhook", "-version")
    assert ran.status == 0
    assert "the rules of this bundle were compiled by another version of classhook" in ran.err


def test_only_samples_need_no_jar(
    classhook: Classhook, agent: Agent, java: Agent, classes: Path, counts: Counts
) -> None:
    done = classhook("bundle", "-e", "locks over 0ms", "-o", "locks.so")
    assert (done.status, done.err.count("\n")) == (0, 2)
    assert java("-agentpath:./locks.so=data=data", "-cp", classes, "p.Work").out == WORK_OUT
    assert [rule["rule"] for rule in counts("data")["rules"]] == ["locks over 0ms"]


MISTAKES = {
    "needs a jar": (["-e", "count p.Work::*"], "no jar: this rule needs the program's classes: count p.Work::*"),
    "needs Python": (["-e", "tests", "app.jar"], "-e:1: `tests` needs Python in the JVM, which a bundle does not have"),
    "of a bundle": (
        ["-e", "count p.Work::*", "made.classhook"],
        "made.classhook: is a bundle already; give the jar that it was made from",
    ),
    "a folder": (
        ["-e", "count p.Work::*", "."],
        ".: not a jar; a bundle holds one jar, and `classhook weave` takes directories and classes",
    ),
    "no classes": (["-e", "cpu", "empty.jar"], "empty.jar: no classes in it; a bundle holds the program's own jar"),
    "no agent": (
        ["-e", "cpu", "--agent", "app.jar"],
        "app.jar: not an agent of classhook: expected libclasshook.so, or a wheel that holds it",
    ),
    "no machine": (["-e", "cpu", "--for", "sparc"], "no agent for sparc is installed: there is one for "),
    "another build": (
        ["-e", "cpu", "--agent", "old.so"],
        "old.so: the agent is of another build of classhook than this one",
    ),
}


def test_a_pipe_stays(classhook: Classhook, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert (
        classhook("bundle", "-e", "cpu", "-o", "a=b").err
        == "classhook: cannot write a=b: a JVM loads no agent whose path has a `=`\n"
    )
    assert "java '-agentpath:./a b=data=DIR' -jar 'a b'\n" in classhook("bundle", "-e", "cpu", "-o", "a b").err
    done = classhook("bundle", "-e", "cpu", "-o", "pipe")
    assert (done.status, done.err) == (
        2,
        "classhook: cannot write pipe: a bundle is a regular file, not a pipe or device\n",
    )
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize(("words", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(classhook: Classhook, jar: Path, tmp_path: Path, words: list[str], said: str) -> None:
    with zipfile.ZipFile(tmp_path / "made.classhook", "w") as made:
        made.writestr(RULES, "")
    with zipfile.ZipFile(tmp_path / "empty.jar", "w") as empty:
        empty.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    own = library.AGENT.read_bytes()
    at = own.index(b"classhook bundle") + 16
    (tmp_path / "old.so").write_bytes(own[:at] + b"another".ljust(16, b"\0") + own[at + 16 :])
    done = classhook("bundle", *words, "-o", "out")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"classhook: {said}")
    assert not (tmp_path / "out").exists()
