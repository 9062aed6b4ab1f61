"""`classhook self doctor`: checks whether Python, JDK and agent work, and says how to fix problems."""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.base.terminal import show
from classhook.extensions import EXTENSIONS
from classhook.native import library
from classhook.native.building import prerequisites
from classhook.native.jdk_releases import OLDEST, newer

PROGRAM = (
    "public class Probe { public static void main(String[] a) { System.out.println(new"
    " StringBuilder().append(a.length)); } }"
)

#: The result of a check: True if it passed, and the text to show.
Finding = tuple[bool, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def execute(args: argparse.Namespace) -> int:
    well = True
    for check in CHECKS:
        for good, text in check():
            show(f"{'ok     ' if good else 'PROBLEM'}  {text}")
            well &= good
    return 0 if well else 1


def machine() -> Iterator[Finding]:
    system, kind = platform.system(), platform.machine()
    supported = system == "Linux" and kind in ("x86_64", "aarch64")
    yield supported, f"{system} {kind}" + ("" if supported else ": only Linux on x86-64 and aarch64 is supported")


def python() -> Iterator[Finding]:
    try:
        yield True, f"Python {prerequisites.python()} at {sys.executable}"
    except prerequisites.Missing as missing:
        yield False, str(missing)


def libraries() -> Iterator[Finding]:
    for path, what in (
        (library.AGENT, "agent"),
        (library.EMBEDDING, "embedding library"),
        *([(library.HEAP, "library of heap dumps")] if "heap" in {one.name for one in EXTENSIONS} else []),
    ):
        there = path.is_file()
        yield (
            there,
            f"{what} {path}"
            + ("" if there else " is missing: it was not built; reinstall classhook where a JDK and gcc are installed"),
        )
    ldd = shutil.which("ldd")
    if ldd and library.EMBEDDING.is_file():
        text = subprocess.run([ldd, str(library.EMBEDDING)], capture_output=True, text=True, check=False).stdout
        for name in re.findall(r"(\S+) => not found", text):
            install = prerequisites.package(name) if name.startswith("libpython") else ""
            what = f"install its package ({install}); if" if install else "if"
            yield (
                False,
                (
                    f"{name}, which the embedding library needs, is not found: {what} Python was moved or upgraded,"
                    " reinstall classhook"
                ),
            )


def java_version(java: str) -> tuple[int, str]:
    """Feature release, 0 if unknown, and the first line of `java -version`'s output."""
    done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    lines = [line for line in (done.stderr + done.stdout).splitlines() if "version" in line]
    found = re.search(r'version "(?:1\.)?(\d+)', lines[0]) if lines else None
    return (int(found.group(1)) if found else 0), (lines[0] if lines else "")


def javas() -> dict[str, str]:
    """Path of a `java` -> the variable that names it."""
    found = {}
    if home := os.environ.get("JAVA_HOME"):
        found[str(Path(home) / "bin" / "java")] = "JAVA_HOME"
    if path := shutil.which("java"):
        found.setdefault(path, "PATH")
    return found


def jdk() -> Iterator[Finding]:
    if not javas():
        yield False, "no java: JAVA_HOME is not set and there is no java in PATH; install JDK 17 or later"
    for path, origin in javas().items():
        if not os.access(path, os.X_OK):
            yield False, f"{origin} names {path}, which cannot be run"
            continue
        version, text = java_version(path)
        good = version >= OLDEST
        yield good, f"{text} at {path} (from {origin})" + ("" if good else f": {OLDEST} or later is needed")
        if good and library.AGENT.is_file():
            yield from members(path, version)


def members(java: str, release: int) -> Iterator[Finding]:
    """Checks that the JDK has the classes, methods and fields that are not public and that classhook needs."""
    from classhook.live.jdk_check import check

    try:
        lacking = check(java, release)
    except OSError as error:
        yield False, f"JDK {release} was not compared with what classhook needs: {error}"
        return
    modules = {member.module: member.without for member in lacking if member.module}
    needed = [member for member in lacking if not member.module]
    yield (
        not needed,
        (
            f"JDK {release} has all that classhook needs"
            if not needed
            else f"JDK {release} lacks something that classhook needs:"
        ),
    )
    for member in needed:
        yield False, f"no {' or '.join(map(str, member.expected(release)))}: {member.without}"
    for module, without in modules.items():
        yield True, f"this runtime image has no module {module}: {without}"
    if said := newer([str(release)]):
        yield True, said.partition(":")[0]


def memory() -> Iterator[Finding]:
    there = os.access("/dev/shm", os.W_OK)
    slow = "/dev/shm is not writable: counters go to the disk, which may stall the program at times"
    yield there, "/dev/shm is writable" if there else slow


def whole_way() -> Iterator[Finding]:
    """Times a real program, and checks its report."""
    from classhook.base.launch import agent_option
    from classhook.live.jdk_check import bare
    from classhook.model.reading.files import read
    from classhook.rules.compiled import dumps
    from classhook.rules.parse import load
    from classhook.store.tmpfs import remove

    java = next((path for path in javas() if os.access(path, os.X_OK) and java_version(path)[0] >= OLDEST), None)
    if java is None or not library.AGENT.is_file():
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "Probe.java").write_text(PROGRAM)
        (folder / "rules").write_text(dumps(load([], ["time Probe::main"])))
        try:
            option = agent_option(folder / "rules", folder / "data")
        except UsageError as error:
            yield False, str(error)
            return
        done = subprocess.run(
            [java, option, str(folder / "Probe.java")], capture_output=True, text=True, check=False, env=bare()
        )
        rows = read((folder / "data").glob("*.classhook")).tables["methods"] if (folder / "data").is_dir() else {}
        for link in (folder / "data").glob("*.classhook"):
            remove(link)
        good = done.returncode == 0 and any(key[1] == "main" and row.calls == 1 for key, row in rows.items())
        bad = f"a program could not be timed with that java; its output:\n{done.stderr.strip()}"
        yield good, "a program was timed with that java" if good else bad


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (machine, python, libraries, jdk, memory, whole_way)
