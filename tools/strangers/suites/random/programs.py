"""Programs that JavaFuzzer generates: number i is made from seed i, so that all runs have the same ones; half of them
have objects, too."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests import compiling

GENERATING = 60  # seconds; the generator may try for ever
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
SEEDED = "srand(ARGV.shift.to_i); load 'Fuzzer.rb'"
ROUNDS = Path(__file__).parents[2] / "java" / "Rounds.java"


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


@dataclass(frozen=True)
class Generator:
    """The generator in a folder of its clone, and the compiler of what it makes; `folder` is for its settings."""

    clone: Path
    javac: Path
    folder: Path

    @cached_property
    def objects(self) -> Path:
        file = self.folder / "objects.yml"
        file.write_text(OBJECTS)
        return file

    @cached_property
    def shared(self) -> Path:
        """The classes that all programs use: the generator's own, and Rounds."""
        return compiling.classes(self.javac, "-nowarn", self.clone / "FuzzerUtils.java", ROUNDS)

    def path(self, program: Program) -> str:
        return f"{program.classes}{os.pathsep}{self.shared}"

    def trouble(self, program: Program) -> str:
        """Generates and compiles a program; why it cannot be had."""
        settings = ["-f", "config.yml", *(["-f", str(self.objects)] if program.seed & 2 else [])]
        line = ["ruby", "-I", ".", "-e", SEEDED, str(program.seed), *settings, "-n", program.name]
        program.source.parent.mkdir(parents=True, exist_ok=True)
        try:
            with program.source.open("w") as out:
                done = subprocess.run(line, cwd=self.clone, stdout=out, stderr=subprocess.DEVNULL, timeout=GENERATING)
        except subprocess.TimeoutExpired:
            return "were not generated"
        if done.returncode:
            return "were not generated"
        program.classes.mkdir(parents=True, exist_ok=True)
        words = ["-nowarn", "-d", program.classes, "-cp", self.shared, program.source]
        return "did not compile" if compiling.asked(self.javac, [str(word) for word in words])[0] else ""
