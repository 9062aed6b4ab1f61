"""A program with known threads, locks and objects, and the agent in the JVM's own command line, with HPROF's
options."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from classhook.native import library
from tests import compiling
from tests.conftest import ENVIRONMENT, PATIENCE, FindJvm, Jvm

SOURCE = Path(__file__).parent / "java" / "Held.java"


@dataclass
class Held:
    """The program, in a folder of its own; it is ready, and ends when its input does."""

    folder: Path
    process: subprocess.Popen[str]
    says: str = ""

    def end(self) -> str:
        """Waits for the program's end, adds its output to `says`, and returns the agent's messages."""
        out, err = self.process.communicate(timeout=PATIENCE)
        self.says += out
        return err


Start = Callable[..., object]


@pytest.fixture(scope="session")
def jvm_17(find_jvm: FindJvm) -> Jvm:
    """For what all JVMs do alike."""
    return find_jvm(17)


@pytest.fixture(scope="session")
def held_classes(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(find_jvm(17), SOURCE, tmp_path_factory.mktemp("held"))


def compiled(jvm: Jvm, source: Path, classes: Path) -> Path:
    """The folder of the classes, which it makes."""
    compiling.javac(jvm.tool("javac"), "--release", "17", "-nowarn", "-Xlint:-options", "-d", classes, source)
    return classes


@contextmanager
def held(jvm: Jvm, classes: Path, folder: Path, options: str) -> Iterator[Held]:
    line = [jvm.java, f"-agentpath:{library.AGENT}=hprof:{options}", "-Xmx64m", "-cp", classes, "Held"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(line, cwd=folder, env=ENVIRONMENT, text=True, **pipes) as process:
        assert process.stdout is not None
        try:
            while not (said := process.stdout.readline()).startswith("ready"):
                assert said, process.stderr and process.stderr.read()
            yield Held(folder, process)
        finally:
            process.kill()
