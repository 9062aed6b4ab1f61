"""If the JVM accepts a class, it accepts the woven class: both are loaded, linked and perhaps run, each kind in one JVM
run."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import classhook.measures.every  # noqa: F401  # registers the words of rules
from classhook.classfile.errors import ClassFormatError
from classhook.rules.parse import parse_text
from classhook.rules.ruleset import RuleSet
from classhook.weaving.weave import weave
from tests.rare.assembler import assemble
from tools.fuzz.generate import generate
from tools.fuzz.mutate import mutate

RULES = ("time **::*", "alloc * in **")
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Difference:
    """The JVM's result for class number `index`, bare and woven."""

    index: int
    bare: str
    woven: str


def generated(seed: int, count: int) -> list[bytes]:
    """Classes that the verifier accepts."""
    found: list[bytes] = []
    while len(found) < count:
        with suppress(OverflowError):  # a jump that is too far
            found.append(assemble(generate(Random(seed), f"G{seed}"))[0].data)
        seed += 1
    return found


def damaged(seed: int, seeds: list[bytes], count: int) -> list[bytes]:
    """Mutations, most of which can still be woven."""
    rnd = Random(seed)
    rules = RuleSet(parse_text("\n".join(RULES), "fuzz"))
    found: list[bytes] = []
    while len(found) < count:
        data = mutate(rnd, rnd.choice(seeds))
        try:
            keep = weave(data, rules, False).data is not None
        except ClassFormatError:
            keep = False
        if keep or rnd.randrange(20) == 0:
            found.append(data)
    return found


def differences(
    java: Path, classes: list[bytes], folder: Path, run: bool, class_path: Path, rules: tuple[str, ...] = RULES
) -> tuple[list[Difference], int]:
    """Classes for which bare and woven results differ, and how many classes the JVM accepted bare."""
    if not (folder / "Load.class").exists():
        subprocess.run([java.parent / "javac", "-nowarn", "-d", folder, HERE / "Load.java"], check=True, timeout=120)
    pack = folder / "classes"
    pack.write_bytes(len(classes).to_bytes(4, "big") + b"".join(len(c).to_bytes(4, "big") + c for c in classes))
    line = [
        str(java),
        "-Xverify:all",
        "-XX:-PrintWarnings",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-cp",
        str(folder),
        "Load",
        str(pack),
    ]
    line += ["run" if run else "link", str(class_path)]
    options = [word for rule in rules for word in ("-e", rule)]
    ours = [
        sys.executable,
        "-c",
        "import sys; from classhook.cli import main; sys.exit(main())",
        "run",
        "--no-cache",
        "--quiet",
    ]
    bare = lines(line)
    woven = lines([*ours, *options, "-o", str(folder / "data"), "--", *line])
    assert len(bare) == len(woven) == len(classes), (len(bare), len(woven))
    found = [
        Difference(i, a, b)
        for i, (a, b) in enumerate(zip(bare, woven, strict=True))
        if (a if a.startswith("fine") else a.split("\t")[0]) != (b if b.startswith("fine") else b.split("\t")[0])
    ]
    return found, sum(a.startswith("fine") for a in bare)


def lines(command: list[str]) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, errors="replace")
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
    return [line.partition("\t")[2] for line in done.stdout.split("\n")[:-1]]
