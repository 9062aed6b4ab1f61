"""Runs of a program, alone or with the agent from the start, and the verdicts on them."""

from __future__ import annotations

import hashlib
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from classhook.model.reading.files import data_files
from classhook.native._layout import lib
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord
from classhook.store import tmpfs
from classhook.store.reading import read_file
from tests.conftest import ENVIRONMENT
from tools.compare.fetching import Failed
from tools.strangers.suite import RULES, Place
from tools.strangers.suites.random.programs import Generator, Program

SLOW, PATIENCE = 2, 120  # seconds of processor time that a program may take without and with classhook
HANGING = 1800  # seconds by the clock: the machine may be busy
#: The classes that the JVM compiles with -Xcomp: it would compile thousands of its own before a program begins.
COMPILED = ("Program*", "Cls*", "FuzzerUtils", "java.lang.ClasshookTracker")
#: When the JVM compiles.
MODES = {
    "tiered": [],
    "-Xcomp": [
        "-Xcomp",
        "-XX:CompileCommand=quiet",
        *[f"-XX:CompileCommand=compileonly,{name}::*" for name in COMPILED],
    ],
    "C2 alone": ["-XX:-TieredCompilation"],
}
MEASURES = {
    "count": RULES["count"],
    "time": RULES["time"],
    "cover": RULES["cover"],
    "alloc": RULES["alloc"],
    "profile": ["profile **::*"],
    "all": RULES["all"],
    "watch": RULES["watch"],
}
NOT_STARTED = b"Could not create the Java Virtual Machine"


class Setting(NamedTuple):
    """The setting of a run: when the JVM compiles, its release, and the name of a set of rules."""

    mode: str
    release: int
    rules: str


class Bench(NamedTuple):
    """The place in which programs are made and run."""

    place: Place
    generator: Generator

    def verdict(self, program: Program, setting: Setting, with_classhook: bool) -> str:
        """Runs a program, and returns its verdict."""
        data, most = program.classes.with_suffix(".data"), PATIENCE if with_classhook else SLOW
        options = [self.place.agent(MEASURES[setting.rules], data)] if with_classhook else []
        line = self.command(program, setting, most, options, [program.name])
        try:
            done = subprocess.run(line, cwd=program.classes, capture_output=True, env=ENVIRONMENT, timeout=HANGING)
        except subprocess.TimeoutExpired:
            return f"hung for {HANGING} s"
        said = judged(done, most)
        return said if not with_classhook or program.name in woven_classes(data) else f"{said}, not woven"

    def command(
        self, program: Program, setting: Setting, most: int, options: Sequence[str], words: Sequence[str]
    ) -> list[str]:
        """The command line of a JVM that may take so many seconds of processor time."""
        java = str(self.place.jvms[setting.release].java)
        jvm = [java, *options, *MODES[setting.mode], "-cp", self.generator.path(program), *words]
        return ["sh", "-c", f'ulimit -t {most}; exec "$@"', "sh", *jvm]


def judged(done: subprocess.CompletedProcess[bytes], most: int) -> str:
    """The verdict on a JVM that ended. Raises Failed if it did not begin."""
    if done.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        return f"took longer than {most} s"
    if NOT_STARTED in done.stdout + done.stderr:
        raise Failed(f"{' '.join(done.args)}\n{done.stderr.decode(errors='replace')[-2000:]}")
    return f"status {done.returncode}, output {hashlib.sha256(done.stdout).hexdigest()[:8]}"


def woven_classes(data: Path) -> set[str]:
    """The names of the classes that the agent wove; removes the data."""
    found = {
        record.name
        for file in data_files([data])
        for kind, _, _, text in read_file(file).descriptions()
        if kind == lib.CH_META_CLASS
        for record in probe_table.decode(text)
        if isinstance(record, ClassRecord)
    }
    for file in data_files([data]):
        tmpfs.remove(file)
    shutil.rmtree(data)
    return found
