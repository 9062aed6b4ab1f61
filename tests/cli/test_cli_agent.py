"""The agent without `classhook run`: `-agentpath` with compiled rules or rule text; whatever is wrong, the JVM runs
normally."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.native import library
from tests.cli.conftest import Agent, Classhook
from tests.cli.tools import WORK_CALLS, WORK_OUT, call, calls

Counts = Callable[..., dict[str, Any]]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.txt"
    path.write_text("count p.Work::*  # all of it\n")
    return path


def test_agent_prints_its_path(classhook: Classhook) -> None:
    done = classhook("self", "agent")
    assert (done.status, done.out, done.err) == (0, f"{library.AGENT}\n", "")


@pytest.mark.parametrize("form", ["text", "compiled"])
def test_rules_as_text_and_compiled(
    agent: Agent, classhook: Classhook, counts: Counts, rules: Path, tmp_path: Path, form: str
) -> None:
    name = "rules.txt"
    if form == "compiled":
        name = "rules.compiled"
        assert classhook("rules", "--compile", "-r", "rules.txt", "-o", name).status == 0
    done = agent(f"rules={name},data=data")
    assert (done.status, done.out, done.err) == (0, WORK_OUT, "args 0\n")
    assert [path.is_symlink() for path in (tmp_path / "data").glob("*.classhook")] == [False]
    assert calls(counts("data")) == WORK_CALLS


def test_data_goes_to_its_default(agent: Agent, classhook: Classhook, rules: Path) -> None:
    agent("rules=rules.txt")
    assert classhook("report").status == 0


def test_values_may_hold_what_ends_them(agent: Agent, counts: Counts, rules: Path, tmp_path: Path) -> None:
    rules.rename(tmp_path / "my, 100% rules=é.txt")
    done = agent("rules=my%2c%20100%25%20rules=é.txt,data=da%2Cta")
    assert done.err == "args 0\n"
    assert calls(counts("da,ta")) == WORK_CALLS


#: Options -> part of the message. `rules.txt` exists.
BAD_OPTIONS = {
    "rules=": "cannot read the rules",
    "rules=/dev/zero": "the rules /dev/zero are larger than 16 MiB",
    "rules=rules.txt,colour=red": 'unknown agent option "colour=red"',
    "rules=rules.txt,data": 'unknown agent option "data"',
    "rules": 'unknown agent option "rules"',
    "rulez=rules.txt": 'unknown agent option "rulez=rules.txt"',
    "rules=rules.txt,=x": "unknown agent option",
    "rules=rules.txt,timeout=soon": "timeout",
    "rules=rules.txt,timeout=-1": "timeout",
    "rules=rules.txt,data=rules.txt": "rules.txt: Not a directory",
    "rules=rules.txt,data=rules.txt/below": "data directory rules.txt/below",
    "rules=rules.txt,data=/proc/none": "data directory /proc/none",
    "rules=rules.txt,pythonpath=/nowhere": "cannot be imported",
}


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_the_jvm_runs_bare_with_wrong_options(agent: Agent, rules: Path, options: str) -> None:
    done = agent(options, "p.Work", "7")
    assert (done.status, done.out) == (7, WORK_OUT)
    assert "args 1\n" in done.err
    if BAD_OPTIONS[options]:
        said = next(line for line in done.err.splitlines() if BAD_OPTIONS[options] in line)
        assert said.startswith("classhook: ")


def test_without_rules_the_agent_waits_for_classes_woven_ahead_of_time(
    agent: Agent, java: Agent, classhook: Classhook, counts: Counts, classes: Path
) -> None:
    done = agent("data=data")
    assert (done.status, done.out, done.err) == (0, WORK_OUT, "args 0\n")
    assert calls(counts("data")) == {}
    classhook("weave", "-e", "count p.Work::*", classes, "-o", "woven")
    java(f"-agentpath:{library.AGENT}=data=data", "-cp", "woven", "p.Work")
    assert calls(counts("data")) == WORK_CALLS


def test_a_data_directory_name_that_is_too_long(agent: Agent, rules: Path) -> None:
    done = agent(f"rules=rules.txt,data={'x/' * 2100}")
    assert (done.status, done.out) == (0, WORK_OUT)
    assert "cannot use the data directory" in done.err


def test_a_jvm_that_is_too_old(
    classhook: Classhook, find_jvm: Callable[[int], Any], classes: Path, tmp_path: Path
) -> None:
    java = find_jvm(11).java
    done = classhook("run", "-e", "time **::*", "-o", "data", "--", java, "-version")
    assert done.status == 0
    assert "this JVM is version 11, 17 is the oldest that works" in done.err
    assert "no JVM was instrumented" in done.err
    assert 'version "11' in done.err
    assert not list(tmp_path.glob("data/*.classhook"))


def test_doctor_names_a_jvm_that_is_too_old(classhook: Classhook, find_jvm: Callable[[int], Any]) -> None:
    home = find_jvm(11).java.parent.parent
    done = classhook("self", "doctor", env={"JAVA_HOME": str(home)})
    assert done.status == 1
    assert any(line.startswith("PROBLEM") and "17 or later is needed" in line for line in done.out.splitlines())


def test_a_second_agent_of_ours_changes_nothing(java: Agent, counts: Counts, classes: Path, rules: Path) -> None:
    option = f"-agentpath:{library.AGENT}=rules=rules.txt,data=data"
    done = java(option, option, "-cp", classes, "p.Work")
    assert (done.status, done.out) == (0, WORK_OUT)
    assert calls(counts("data")) == WORK_CALLS


def test_a_standard_library_that_cannot_be_read(
    classhook: Classhook, classes: Path, rules: Path, tmp_path: Path
) -> None:
    """Python itself would print many lines on stderr if it did not find its library."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("unshare -m is not permitted here")
    classhook("rules", "--compile", "-r", "rules.txt", "-o", "compiled")
    line = f"java -agentpath:{library.AGENT}=rules=compiled,data=data -cp {classes} p.Work"
    done = call(
        ["unshare", "-m", "sh", "-c", f"mount -t tmpfs none {sysconfig.get_path('stdlib')} && {line}"], tmp_path
    )
    assert (done.status, done.out) == (0, WORK_OUT)
    said = done.err.replace("args 0\n", "")
    assert said.startswith("classhook: Python does not start: its standard library cannot be read: "), said
    assert said.endswith(
        "No such file or directory; classes that would have to be woven here are not instrumented\n"
    ), said
    assert len(said.splitlines()) == 1


def test_without_the_embedding_library(classes: Path, rules: Path, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    lone = tmp_path / "alone" / "libclasshook.so"
    lone.write_bytes(library.AGENT.read_bytes())
    for name in ("rules.txt", "compiled"):
        if name == "compiled":
            call(
                [sys.executable, "-m", "classhook.cli", "rules", "--compile", "-r", "rules.txt", "-o", "compiled"],
                tmp_path,
            )
        done = call(["java", f"-agentpath:{lone}=rules={name},data=data", "-cp", str(classes), "p.Work"], tmp_path)
        assert (done.status, done.out) == (0, WORK_OUT)
        assert "libclasshook_python.so" in done.err
        which = "this JVM is" if name == "rules.txt" else "classes that would have to be woven here are"
        assert f"{which} not instrumented" in done.err
    assert os.path.exists(library.EMBEDDING)
