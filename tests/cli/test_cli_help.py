"""--help of every command, --version, doctor, and invalid arguments."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from classhook.cli import COMMANDS
from tests.cli.conftest import Classhook

OPTIONS = {
    "run": ["--rules FILE", "--rule RULE", "--data DIR", "-- java -jar app.jar"],
    "report": ["--format", "--output FILE", "--all", "--top N", "--sort"],
    "coverage": ["--format", "--classes", "--changes COMMITS", "--fail-under"],
    "diff": ["BEFORE", "AFTER", "--fail-if CHANGE", "--filter PATTERN"],
    "weave": ["--rules FILE", "--rule RULE", "--output OUTPUT"],
    "check": ["--rules FILE", "--verbose"],
    "compile": ["--output OUTPUT", "-agentpath:$(classhook agent)=rules="],
    "agent": ["rules=FILE", "data=DIR", "timeout=MS", "pythonpath=", "%2C"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(classhook: Classhook, command: str) -> None:
    done = classhook(command, "--help", env={"COLUMNS": "80"})
    assert (done.status, done.err) == (0, "")
    assert f"usage: classhook {command}" in done.out
    assert COMMANDS[command][1:] in done.out
    for words in OPTIONS.get(command, []):
        assert words in done.out
    if command != "doctor":  # it has no arguments
        assert re.search(r"examples?:\n", done.out), "an example"
        assert re.search(rf"\n  .*classhook {command}|\$\(classhook {command}\)", done.out)
    assert max(map(len, done.out.splitlines())) <= 80


def test_help_names_all_commands(classhook: Classhook) -> None:
    done = classhook("--help")
    assert (done.status, done.err) == (0, "")
    for command, summary in COMMANDS.items():
        assert re.search(rf"^ +{command} +{summary[:20]}", done.out, re.M)
    for kind in ("time", "count", "alloc"):
        assert re.search(rf"^  {kind} +\S", done.out, re.M)
    assert "classhook report" in done.out


def test_version_is_the_projects(classhook: Classhook) -> None:
    with (Path(__file__).parents[2] / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    done = classhook("--version")
    assert (done.status, done.out, done.err) == (0, f"classhook {version}\n", "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["rnu"], "invalid choice: 'rnu'"),
        (["--colour"], "COMMAND"),
        (["compile", "-e", "count a::b"], "the following arguments are required: -o/--output"),
        (["weave", "-e", "count a::b", "-o", "x"], "the following arguments are required: INPUT"),
        (["agent", "more"], "unrecognized arguments: more"),
        (["check", "-r"], "argument -r/--rules: expected one argument"),
    ],
)
def test_arguments_that_are_no_use(classhook: Classhook, line: list[str], words: str) -> None:
    done = classhook(*line)
    assert (done.status, done.out) == (2, "")
    assert "usage: classhook" in done.err
    assert words in done.err


def test_doctor_finds_all_well_here(classhook: Classhook) -> None:
    done = classhook("doctor")
    assert done.status == 0, done.out
    assert all(line.startswith("ok ") for line in done.out.splitlines())
    assert "a program was timed with that java" in done.out


def test_doctor_without_a_java(classhook: Classhook) -> None:
    done = classhook("doctor", env={"PATH": "/nowhere", "JAVA_HOME": ""})
    assert done.status == 1
    assert "PROBLEM  no java: JAVA_HOME is not set and there is no java in PATH; install JDK 17 or later" in done.out
    done = classhook("doctor", env={"JAVA_HOME": "/nowhere"})
    assert done.status == 1
    assert "PROBLEM  JAVA_HOME names /nowhere/bin/java, which cannot be run" in done.out
