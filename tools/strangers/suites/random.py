"""Programs that JavaFuzzer generates: the same output and status with probes, however the JVM compiles them.

1. The generator makes program i from seed i, so that all runs have the same programs; half of them have objects, too.
2. Its settings follow from i: the JVM, when that compiles, and two sets of rules, so that all combinations occur.
3. It runs alone in its JVM, for another program would change what the JIT compiler knows about FuzzerUtils.
4. A program that the generator fails to write, that javac rejects, or that runs too long without classhook is left out.
   One whose output changes from run to run is no difference (tools/strangers/outcome.py repeats).
5. A program that was not woven counts as another verdict.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

from classhook.model.reading.files import data_files
from classhook.native._layout import lib
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord
from classhook.store import tmpfs
from classhook.store.reading import read_file
from tests import compiling
from tests.conftest import ENVIRONMENT
from tools.compare.fetching import Failed
from tools.strangers.outcome import Outcome, Row, compared
from tools.strangers.suite import RULES, Place, Suite

EXPLAINED: dict[str, str] = {}
PROGRAMS, MANY, FEW = 150, 1900, 24  # also with --more, and in the short form; half of them can be used
AT_ONCE = 2  # programs
SHOWN = 50  # programs between two lines of progress
SLOW, PATIENCE = 2, 120  # seconds of processor time that a program may take without and with classhook
HANGING = 1800  # seconds by the clock: the machine may be busy
GENERATING = 60  # seconds; it may try for ever
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
PAIRS = [("count", "all"), ("time", "alloc"), ("cover", "profile"), ("all", "watch"), ("count", "profile")]
#: Programs of several classes, whose objects are arguments and elements of arrays; the generator's own settings have
#: numbers and arrays of them only.
OBJECTS = """allow_object_args: 1
max_object_array_size: 20
p_extends_class: 50
var_types: {non_static: 3, static: 3, static_other: 3, local: 10, local_other: 3, block: 1}
types: {Array: 2, Object: 6, boolean: 1, String: 0, byte: 1, char: 0, short: 1, int: 12, long: 4, float: 2, double: 2}
op_cats: {relational: 2, boolean: 1, integral: 2, arith: 30, uarith: 3, indecrem_pre: 6, indecrem_post: 6,
          boolean_assn: 1, integral_assn: 1, arith_assn: 2, object_assn: 1, array_assn: 1}
"""
NOT_STARTED = b"Could not create the Java Virtual Machine"
SEEDED = "srand(ARGV.shift.to_i); load 'Fuzzer.rb'"


@dataclass(frozen=True)
class Program:
    """Program number `seed`; its files are below `folder`, class files in a folder of its own, for programs have classes
    of the same names."""

    folder: Path
    seed: int

    @property
    def name(self) -> str:
        return f"Program{self.seed}"

    @property
    def source(self) -> Path:
        return self.folder / "sources" / f"{self.name}.java"

    @property
    def classes(self) -> Path:
        return self.folder / "classes" / self.name


class Setting(NamedTuple):
    """The setting of a run with classhook: when the JVM compiles, its release, and the name of a set of rules."""

    mode: str
    release: int
    rules: str


@dataclass
class Bench:
    """The place in which programs are made and run."""

    place: Place
    generator: Path

    @cached_property
    def objects(self) -> Path:
        file = self.place.folder / "objects.yml"
        file.write_text(OBJECTS)
        return file

    @cached_property
    def javac(self) -> Path:
        """The compiler of the oldest JVM, so that all JVMs can run its classes."""
        return self.place.jvms[min(self.place.jvms)].java.with_name("javac")

    @cached_property
    def shared(self) -> Path:
        """The class that all programs use."""
        return compiling.classes(self.javac, "-nowarn", self.generator / "FuzzerUtils.java")

    def trouble(self, program: Program) -> str:
        """Generates and compiles a program; why it cannot be had."""
        settings = ["-f", "config.yml", *(["-f", str(self.objects)] if program.seed & 2 else [])]
        line = ["ruby", "-I", ".", "-e", SEEDED, str(program.seed), *settings, "-n", program.name]
        program.source.parent.mkdir(parents=True, exist_ok=True)
        try:
            with program.source.open("w") as out:
                done = subprocess.run(
                    line, cwd=self.generator, stdout=out, stderr=subprocess.DEVNULL, timeout=GENERATING
                )
        except subprocess.TimeoutExpired:
            return "were not generated"
        if done.returncode:
            return "were not generated"
        program.classes.mkdir(parents=True, exist_ok=True)
        words = ["-nowarn", "-d", program.classes, "-cp", self.shared, program.source]
        return "did not compile" if compiling.asked(self.javac, [str(word) for word in words])[0] else ""

    def verdict(self, program: Program, setting: Setting, with_classhook: bool) -> str:
        """Runs a program, and returns its verdict."""
        data, most = program.classes.with_suffix(".data"), PATIENCE if with_classhook else SLOW
        options = [self.place.agent(MEASURES[setting.rules], data), *MODES[setting.mode]][not with_classhook :]
        path = f"{program.classes}{os.pathsep}{self.shared}"
        line = [self.place.jvms[setting.release].java, *options, "-cp", path, program.name]
        limit = f'ulimit -t {most}; exec "$@"'
        try:
            done = subprocess.run(
                ["sh", "-c", limit, "sh", *line],
                cwd=program.classes,
                capture_output=True,
                env=ENVIRONMENT,
                timeout=HANGING,
            )
        except subprocess.TimeoutExpired:
            return f"hung for {HANGING} s"
        if done.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
            return f"took longer than {most} s"
        if NOT_STARTED in done.stdout + done.stderr:
            raise Failed(f"{' '.join(map(str, line))}\n{done.stderr.decode(errors='replace')[-2000:]}")
        woven = not with_classhook or program.name in woven_classes(data)
        said = hashlib.sha256(done.stdout).hexdigest()[:8]
        return f"status {done.returncode}, output {said}{'' if woven else ', not woven'}"

    def tried(
        self, program: Program, chosen: Sequence[Setting]
    ) -> tuple[Program, Sequence[Setting], tuple[str, Sequence[str]]]:
        """Makes a program and runs it; its verdict without classhook and those with each setting, or why it is left
        out, and none."""
        if trouble := self.trouble(program):
            return program, chosen, (trouble, ())
        expected = self.verdict(program, chosen[0], False)
        if expected.startswith(("took", "hung")):
            return program, chosen, (f"{expected} without classhook", ())
        return program, chosen, (expected, [self.verdict(program, setting, True) for setting in chosen])

    def verdicts(
        self, runs: Mapping[str, tuple[Program, Setting]], tests: Iterable[str], with_classhook: bool
    ) -> dict[str, str]:
        return {test: self.verdict(*runs[test], with_classhook) for test in tests}


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


def settings(place: Place) -> Iterator[list[Setting]]:
    """The settings of each program in turn."""
    while True:
        for pair, mode, release in product(PAIRS, MODES, place.jvms):
            yield [Setting(mode, release, rules) for rules in pair]


def run(place: Place) -> Outcome:
    files, version = place.clone("AzulSystems", "JavaFuzzer")
    if not shutil.which("ruby"):
        raise Failed("the generator needs ruby: install Debian's package ruby")
    bench, left_out = Bench(place, files / "rb"), Counter[str]()
    runs: dict[str, tuple[Program, Setting]] = {}
    bare: dict[tuple[str, str], dict[str, str]] = {}
    ours: dict[tuple[str, str], dict[str, str]] = {}
    programs = (Program(place.folder, seed) for seed in range(FEW if place.short else MANY if place.more else PROGRAMS))
    with ThreadPoolExecutor(AT_ONCE) as several:
        for program, chosen, (expected, found) in several.map(bench.tried, programs, settings(place)):
            if not found:
                left_out[expected] += 1
            for setting, verdict in zip(chosen, found, strict=False):
                runs[test := f"{program.name} {setting.mode} {setting.rules} on {setting.release}"] = program, setting
                row = str(setting.release), setting.rules
                bare.setdefault(row, {})[test] = expected
                ours.setdefault(row, {})[test] = verdict
            if program.seed % SHOWN == SHOWN - 1:
                print(f"  {program.seed + 1} programs, {sum(left_out.values())} left out", flush=True)
    outcome = Outcome(version)
    for release, rules in sorted(ours):
        expected_of, got = bare[release, rules], ours[release, rules]
        differences = compared(expected_of, got, EXPLAINED, partial(bench.verdicts, runs))
        outcome.rows.append(Row("programs", release, rules, len(got), differences))
    if left_out:
        said = ", ".join(f"{number} {trouble}" for trouble, number in sorted(left_out.items()))
        outcome.notes = [f"programs left out: {said}"]
    return outcome


SUITE = Suite("JavaFuzzer", "github.com/AzulSystems/JavaFuzzer", "programs generated at random", run)
