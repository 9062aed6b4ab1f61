"""--help of every command, --version, doctor, and invalid arguments."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from classhook.commands.groups import COMMANDS, GROUPS, WITHIN
from tests.cli.conftest import Classhook

#: Descriptions of all commands, including the commands within a command.
ALL = {**COMMANDS, **{f"{command} {name}": text for command, own in WITHIN.items() for name, text in own.items()}}
OPTIONS = {
    "run": ["--rules FILE", "--rule RULE", "--data DIR", "-- java -jar app.jar"],
    "report": ["--format", "--output FILE", "--all", "--top N", "--sort"],
    "coverage": ["--format", "--classes", "--changes COMMITS", "--fail-under"],
    "diff": ["BEFORE", "AFTER", "--fail-if CHANGE", "--filter PATTERN"],
    "weave": ["--rules FILE", "--rule RULE", "--output OUTPUT"],
    "check": ["--rules FILE", "--verbose"],
    "rules": ["--format FILE", "--compile", "--output OUTPUT", "-agentpath:$(classhook self agent)=rules="],
    "self agent": ["rules=FILE", "data=DIR", "timeout=MS", "pythonpath=", "%2C"],
}


@pytest.mark.parametrize("command", ALL)
def test_help_teaches(classhook: Classhook, command: str) -> None:
    done = classhook(*command.split(), "--help", env={"COLUMNS": "80"})
    assert (done.status, done.err) == (0, "")
    assert f"usage: classhook {command}" in done.out
    assert ALL[command][1:] in done.out
    for words in OPTIONS.get(command, []):
        assert words in done.out
    if command != "self doctor":  # it has no arguments
        assert re.search(r"examples?:\n", done.out), "an example"
        assert re.search(rf"\n  .*classhook {command}|\$\(classhook {command}\)", done.out)
    assert max(map(len, done.out.splitlines())) <= 80


def test_help_names_all_commands(classhook: Classhook) -> None:
    done = classhook("--help")
    assert (done.status, done.err) == (0, "")
    groups = re.findall(r"^(\S.*):\n((?:  .*\n)+)", done.out, re.M)
    shown = {title: re.findall(r"^  (\w+) +(.{20})", lines, re.M) for title, lines in groups}
    for title, commands in GROUPS.items():
        assert shown[title] == [(command, summary[:20]) for command, summary in commands.items()]
    assert list(shown)[: len(GROUPS) + 1] == [*GROUPS, "options"]
    for kind in ("time", "count", "alloc"):
        assert re.search(rf"^  {kind} +\S", done.out, re.M)
    assert "classhook report" in done.out


def test_help_of_a_command_with_commands_names_them(classhook: Classhook) -> None:
    for command, names in WITHIN.items():
        done = classhook(command, "--help")
        assert (done.status, done.err) == (0, "")
        for name, summary in names.items():
            assert re.search(rf"^  {name} +{summary[:20]}", done.out, re.M)


def test_version_is_the_projects(classhook: Classhook) -> None:
    with (Path(__file__).parents[2] / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    done = classhook("--version")
    assert (done.status, done.out, done.err) == (0, f"classhook {version}\n", "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["rnu"], "invalid choice: 'rnu'"),
        (["--colour"], "COMMAND"),
        (["doctor"], "invalid choice: 'doctor'; did you mean `classhook self doctor`?"),
        (["cache", "--clear"], "invalid choice: 'cache'; did you mean `classhook self cache`?"),
        (["agent"], "did you mean `classhook self agent`?"),
        (["completion", "bash"], "did you mean `classhook self completion`?"),
        (["compile", "-e", "count a::b"], "invalid choice: 'compile'; did you mean `classhook rules --compile`?"),
        (["reprot"], "invalid choice: 'reprot'; did you mean `classhook report`?"),
        (["self"], "classhook self: error: the following arguments are required: COMMAND"),
        (["self", "docter"], "invalid choice: 'docter'; did you mean `classhook self doctor`?"),
        (["self", "upgrade"], "invalid choice: 'upgrade' (choose from "),
        (["weave", "-e", "count a::b", "-o", "x"], "the following arguments are required: INPUT"),
        (["self", "agent", "more"], "unrecognized arguments: more"),
        (["check", "-r"], "argument -r/--rules: expected one argument"),
    ],
)
def test_arguments_that_are_no_use(classhook: Classhook, line: list[str], words: str) -> None:
    done = classhook(*line)
    assert (done.status, done.out) == (2, "")
    assert "usage: classhook" in done.err
    assert words in done.err


def test_doctor_finds_all_well_here(classhook: Classhook) -> None:
    done = classhook("self", "doctor")
    assert done.status == 0, done.out
    assert all(line.startswith("ok ") for line in done.out.splitlines())
    assert "a program was timed with that java" in done.out


def test_doctor_without_a_java(classhook: Classhook) -> None:
    done = classhook("self", "doctor", env={"PATH": "/nowhere", "JAVA_HOME": ""})
    assert done.status == 1
    assert "PROBLEM  no java: JAVA_HOME is not set and there is no java in PATH; install JDK 17 or later" in done.out
    done = classhook("self", "doctor", env={"JAVA_HOME": "/nowhere"})
    assert done.status == 1
    assert "PROBLEM  JAVA_HOME names /nowhere/bin/java, which cannot be run" in done.out
