"""Shared by the tests of coverage reports: `classhook coverage` in this process, on classes that are said to have
run."""

from __future__ import annotations

import gc
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from classhook import cli
from classhook.coverage.class_id import class_id
from classhook.coverage.execfile import read
from classhook.coverage.placement import FULL
from classhook.measures.cover import reader_classes
from classhook.measures.cover.reader_classes import Covered
from classhook.model.reading import files as data_files
from tests.coverage.conftest import class_files

ReportCommand = Callable[..., "Said"]


@dataclass
class Said:
    """A command's output and exit status."""

    status: int
    out: str
    err: str


def as_covered(classes: Path, data: bytes) -> list[Covered]:
    """The classes that ran, as the data files of our agent would tell it (of those without jsr)."""
    from classhook.classfile.reader import ClassFile

    executed = read(data).classes
    found = []
    for content in class_files(classes):
        one = executed.get(class_id(content))
        if one is not None:
            found.append(Covered(ClassFile.parse(content).name.replace("/", "."), content, FULL, {}, one.probes, False))
    return found


def git(folder: Path, *line: str) -> str:
    """Runs git, with a name for who commits."""
    who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *line], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def classhook(capsysbinary: pytest.CaptureFixture[bytes]) -> ReportCommand:
    """`classhook` with these arguments."""

    def run(*arguments: str | Path) -> Said:
        capsysbinary.readouterr()
        status = cli.main([*map(str, arguments)])
        gc.enable()  # the command does without
        said = capsysbinary.readouterr()
        return Said(status, said.out.decode(errors="replace"), said.err.decode(errors="replace"))

    return run


@pytest.fixture
def report(classhook: ReportCommand) -> ReportCommand:
    """`classhook coverage` with these arguments."""
    return partial(classhook, "coverage")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Covered]], None]:
    """Says what data directories hold."""
    read = data_files.read

    def say(found: list[Covered]) -> None:
        monkeypatch.setattr(reader_classes, "covered", lambda files, known, by_context: found)
        monkeypatch.setattr(
            data_files, "read", lambda *files, **options: replace(read(*files, **options), covered=True)
        )

    return say
